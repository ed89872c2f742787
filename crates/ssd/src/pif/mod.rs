//! Searching drives: when the pages of a search are sensed, matched and sent, and what that takes.
//!
//! # What it models
//!
//! The same pages searched in one of three places ([`Place`]): in the chips (`PiF`), in the controller (`PiS`), or by the host. What is in the
//! pages is not known here: each comes as [`PageWork`], its outcome found already by `venice-pif` or drawn.
//!
//! *A chip* takes one command ahead, senses into its page latch, and hands the page on: in a chip that searches to decoder and matcher,
//! which work on it while the next page is sensed, otherwise to the output register. A page with something to send waits there; only when
//! it is full do matcher and latch wait. A page without a match sends its short answer only.
//!
//! *Transfers* go over any fabric through its contract. Short messages (commands, answers) go before pages, in the order in which chips asked; pages in
//! the order in which they lie in the drive, so that no chip falls behind.
//!
//! *The controller* decodes and matches what is sent to it, as many pages at a time as there are channels. What it cannot correct it has sensed and sent again
//! with 2 or 6 moved thresholds, one page each time. *The host link* carries pages with a match; all pages, if the host searches.
//!
//! # What is left out
//!
//! Mapping and other traffic: pages lie in stripes over channels, then chips, and nothing else is asked of the drive. The head of a page is
//! taken to be in its chip still when the controller asks for it. A search begins at zero with its tables written.
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022. Command ahead, output register and short answers are ours.
//!
//! # Parameters
//!
//! All of `pif.*` but the first five, `flash.t_read_us`, `flash.command.*`, `fabric.*`, `host.link_rate_mb_per_s`, `power.*`.

mod chip;
mod draw;
mod energy;
mod limits;
mod search;
mod settings;

pub use draw::draw_pages;
pub use energy::SearchEnergy;
pub use limits::LimitError;
pub use search::{SearchCounters, SearchRunError, SearchTiming, time_search};
pub use settings::{ChipLimits, PifPower, PifSettings};

/// Where pages are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the chips that hold them: `PiF`.
    Chips,
    /// In the drive's controller: `PiS`.
    Controller,
    /// In the host.
    Host,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chips, Self::Controller, Self::Host];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chips => "pif",
            Self::Controller => "pis",
            Self::Host => "host",
        }
    }
}

/// A page to be searched, in the order in which pages lie in the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "four independent facts, not a state")]
pub struct PageWork {
    /// Whether a pattern lies in it.
    pub matched: bool,
    /// Whether a chip's decoder fails on it.
    pub fails_in_chip: bool,
    /// Reads with moved thresholds that the controller needs.
    pub extra_reads: u8,
    /// Whether the controller asks for the head of the next page.
    pub asks_for_next_head: bool,
    /// Whether it is also read for the lines around matches elsewhere.
    pub is_context: bool,
}
