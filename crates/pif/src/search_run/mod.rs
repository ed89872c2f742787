//! Timing and energy of searches: sensing, matching and transfer of the pages of a search.
//!
//! # What it models
//!
//! A search of the same pages in one of three places ([`SearchLocation`]): in the chips (`PiF`), in the controller
//! (`PiS`), or in the host. Page contents are outside the model: each page is a [`SearchPage`] with its
//! outcome, computed by [`grep`](crate::grep) or drawn.
//!
//! *Chip.* The controller sends the tables of the matcher (`set_pattern`) and one command in advance. The
//! chip senses a page into its page latch and forwards the page: in an in-chip search to decoder and matcher,
//! which work in parallel with sensing of the next page, otherwise to the output register. Decoder and
//! matcher take `pif.t_match_us`, or the time of the decoder's iterations if longer; a page with a decoding
//! failure is forwarded at once. A page to send waits in the output register; matcher and latch stall only if
//! the register is full. For a page without a match only the short answer is sent.
//!
//! *Transfers* use any fabric through the fabric interface. Short messages (tables, commands, answers)
//! precede pages. Short messages are served in the order of requests; a chip that found its path occupied
//! requests again once the path is free. Pages are served in the order of their addresses, so that no chip
//! falls behind.
//!
//! *Controller.* The controller decodes and matches the pages that chips could not decode, and all pages if
//! chips do not search; a page that matched in a chip arrives corrected. The controller has
//! `pif.accelerators` decoder-matcher units. A page with an uncorrectable error is read and sent again with 2
//! or 6 shifted thresholds. For a page that may end within a match, the head of the next page is read and
//! sent, unless that page is sent anyway. *Host link:* carries pages with a match; all pages if the host
//! searches.
//!
//! *Memory.* A page from the fabric is written to the drive's memory, and read by the accelerator and for the
//! host, as far as each processes the page.
//!
//! *Passes.* A set of patterns larger than the tables is searched in several passes, each with its own
//! tables. Each pass reads the pages again, except those already sent. The controller loads a page once and
//! matches it once per pass. *Phases* are sequential if the pages of one depend on the results of another.
//!
//! # What is left out
//!
//! Mapping and other traffic: pages are striped over channels, then chips, and the drive has no other work. A
//! search starts at time zero with its tables built. Processing in the host is timed only if the host
//! searches.
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022. Ours:
//! command in advance, output register, short answers.
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
pub use settings::{ChipLimits, ErrorMode, PifParameters, PifPower, PifSettings};

/// Location of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchLocation {
    /// In the chips that hold the pages (`PiF`).
    Chips,
    /// `PiS`: the drive's controller.
    Controller,
    /// In the host.
    Host,
}

impl SearchLocation {
    /// All locations.
    pub const ALL: [Self; 3] = [Self::Chips, Self::Controller, Self::Host];

    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chips => "pif",
            Self::Controller => "pis",
            Self::Host => "host",
        }
    }
}

/// A page of a search, with its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub struct SearchPage {
    /// Page number in the drive.
    pub number: u32,
    /// True if the page contains a match.
    pub matched: bool,
    /// True if the chip's decoder fails on the page.
    pub fails_in_chip: bool,
    /// Number of in-chip passes over the page: all, or up to the pass in which the page is sent.
    pub passes: u16,
    /// Iterations of the chip's decoder; 0 if decoding iterations are not modelled.
    pub iterations: u32,
    /// Number of repeated reads with shifted thresholds that the controller needs.
    pub extra_reads: u8,
    /// True if the controller requests the head of the next page.
    pub asks_for_next_head: bool,
    /// True if the page is also read for the lines around matches in other pages.
    pub is_context: bool,
}

/// Pages requested together; the next phase starts after all results of this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPhase {
    /// Number of passes, each with its own matcher tables; 0 if pages are read without a search.
    pub passes: u16,
    /// Pages in the order of their addresses.
    pub pages: Vec<SearchPage>,
}
