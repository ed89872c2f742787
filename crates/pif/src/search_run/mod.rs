//! Timing and energy of searches: sensing, matching and transfer of the pages of a search.
//!
//! # What it models
//!
//! The pages are searched in one of three places ([`SearchLocation`]): in the chips (`PiF`), in the
//! controller (`PiS`), or in the host. This module does not process page contents. Each page is a
//! [`SearchPage`] with its search result, which [`grep`](crate::grep) has computed or which was drawn at
//! random.
//!
//! *Chip.* The controller sends the tables of the matcher (`set_pattern`) first. Each read command is sent
//! early, while the chip processes the previous page. The chip senses a page into its page latch. In an
//! in-chip search, it then forwards the page to the decoder and matcher, which work while the next page is
//! sensed. In other searches, it forwards the page to the output register. Decoder and matcher take
//! `pif.t_match_us`, or the time of the decoder's iterations if that is longer. A page with a decoding
//! failure is forwarded at once. Pages to be sent wait in the output register; matcher and latch stall only
//! if the register is full. For a page without a match only a short answer is sent.
//!
//! *Transfers* use any fabric of `venice_fabric`. Short messages (tables, commands, answers) precede pages
//! and are served in the order in which they became ready. If no path to a chip is free, its message is
//! offered again when the fabric reports that a path may be free. Pages are served in the order of their
//! addresses, so that no chip falls behind.
//!
//! *Controller.* The controller decodes and matches the pages that chips could not decode or, if chips do not
//! search, all pages. A page that matched in a chip arrives corrected. The controller has `pif.accelerators`
//! decoder-matcher units. A page that the controller cannot correct is read and sent again 2 or 8 times with
//! shifted thresholds. If a page may end within a match, the first bytes ("head") of the next page are read
//! and sent, unless that page is sent anyway. *Host link.* The link carries the pages with a match, or all
//! pages if the host searches.
//!
//! *Memory.* A page from the fabric is written to the drive's memory. It is read from there if an accelerator
//! processes it, and again if it is sent to the host.
//!
//! *Passes.* A set of patterns larger than the tables is searched in several passes, each with its own
//! tables. Each pass reads the pages again, except those that have already been sent. The controller loads a
//! page once and matches it once per pass. *Phases.* If the reads of some pages depend on the results of
//! others, these pages form a later phase. It starts after all results of the earlier phase.
//!
//! # What is left out
//!
//! The mapping table, since pages are striped over channels, then chips. Other requests to the drive. The
//! time to build the matcher's tables. Processing in the host takes time only if the host searches.
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022. The early
//! read commands, the output register and the short answers are additions.
//!
//! # Parameters
//!
//! `pif.*` except those of wear and retention, `flash.t_read_us`, `flash.command.*`, `fabric.*`,
//! `host.link_rate_mb_per_s`, `power.*`.

mod chip;
mod counters;
mod draw;
mod energy;
mod limits;
mod search;
mod settings;

pub use counters::SearchCounters;
pub use draw::draw_pages;
pub use energy::SearchEnergy;
pub use limits::LimitError;
pub use search::{SearchRunError, SearchTiming, TimeParts, time_search};
pub use venice_drive::ftl::SearchLocation;

pub use settings::{ChipLimits, ErrorMode, PifParameters, PifPower, PifSettings};

/// Page of a search, with its search result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub struct SearchPage {
    /// Page number in the drive.
    pub number: u32,
    /// True if the page contains a match.
    pub matched: bool,
    /// True if the chip's decoder cannot correct the page.
    pub fails_in_chip: bool,
    /// Number of passes in which the chip searches the page. After the page has been sent to the controller,
    /// further passes skip it.
    pub passes: u16,
    /// Iterations of the chip's decoder; 0 if decoding iterations are not modelled.
    pub iterations: u32,
    /// Number of repeated reads with shifted thresholds that the controller needs to correct the page.
    pub extra_reads: u8,
    /// True if the controller requests the first bytes ("head") of the next page, to find matches across the
    /// boundary.
    pub asks_for_next_head: bool,
    /// True if the page is also read for context: it contains lines around matches in other pages.
    pub is_context: bool,
}

/// Pages that are requested together. The next phase starts after all results of this phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPhase {
    /// Number of passes, each with its own matcher tables; 0 if pages are read without a search.
    pub passes: u16,
    /// Pages in the order of their addresses.
    pub pages: Vec<SearchPage>,
}
