//! Timing and energy of searches of known data: searches alone on an idle drive.
//!
//! # What it models
//!
//! The pages are searched in one of three places ([`SearchLocation`]): in the chips (`PiF`), in the
//! controller (`PiS`), or in the host. This module does not process page contents. Each page is a
//! [`SearchPage`] with its search result, which [`grep`](crate::grep) has computed or which was drawn at
//! random. The drive's engine executes the searches, as [planned searches](venice_drive::ftl::Ftl::plan_searches), one
//! after another; the page `docs/models/search-commands.md` describes them.
//!
//! *Passes.* A set of patterns larger than the tables is searched in several passes, each with its own
//! tables. In the chips, each pass is a search command, which reads the pages again, except those that have already
//! been sent. The controller loads a page once and matches it once per pass. *Phases.* If the reads of some pages
//! depend on the results of others, these pages form a later phase, with search commands of its own.
//!
//! *Errors.* A page that its chip cannot decode is sent and decoded by the controller. A page that the controller
//! cannot correct is read and sent again 2 or 8 times with shifted thresholds. *Heads.* If a page may end within a
//! match, the first bytes ("head") of the next page are read and sent after it, unless that page is sent anyway.
//!
//! In all locations the controller has decoder-matcher units (`pif.accelerators`), which decode each page that its
//! chip has not corrected.
//!
//! # What is left out
//!
//! Other requests to the drive. The time to build the matcher's tables. Processing in the host takes time only if
//! the host searches.
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022. The early
//! read commands, the output register and the short answers are additions.
//!
//! # Parameters
//!
//! `pif.*` except those of wear and retention

mod draw;
mod energy;
mod limits;
mod plan;
mod run;
mod settings;

pub use draw::draw_pages;
pub use energy::SearchEnergy;
pub use limits::LimitError;
pub use run::{SearchRunError, SearchTiming, TimeParts, time_search};
pub use venice_drive::ftl::{SearchCounters, SearchLocation};

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
