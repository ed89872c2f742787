//! Searching drives: when the pages of a search are sensed, matched and sent, and what that takes.
//!
//! # What it models
//!
//! The same pages searched in one of three places ([`Place`]): in the chips (`PiF`), in the controller (`PiS`), or by the host. What is in the
//! pages is not known here: each comes as [`PageWork`], its outcome found already by `venice-pif` or drawn.
//!
//! *A chip* is sent its matcher's tables (`set_pattern`), takes one command ahead, senses into its page latch, and hands the page on: in a chip that
//! searches to decoder and matcher, which work on it while the next page is sensed, otherwise to the output register. They take `pif.t_match_us`, or as long as the decoder's
//! iterations take if that is longer; a page that the decoder gives up is handed on at once. A page with something to send waits in the output register; only when
//! it is full do matcher and latch wait. A page without a match sends its short answer only.
//!
//! *Transfers* go over any fabric through its contract. Short messages (tables, commands, answers) go before pages, in the order in which chips asked, where a
//! chip that found the path taken asks anew once it is free; pages in the order in which they lie in the drive, so that no chip falls behind.
//!
//! *The controller* decodes and matches what chips could not decode, and every page where chips do not search; a matched page arrives corrected. It has `pif.accelerators` for that.
//! What it cannot correct it has sensed and sent again with 2 or 6 moved thresholds, one page each time. Of a page that may end within a match it has the next page's head
//! sensed and sent, unless it has that page. *The host link* carries pages with a match; all pages, if the host searches.
//!
//! *Memory.* A page that crosses is written to the drive's memory, and read from it by the accelerator and for the host, each as far as it works on it.
//!
//! *Passes.* More patterns than the tables hold are searched for one filling after another, the pages anew but for those that were sent. The controller
//! loads a page once and matches it as often. *Phases* follow each other where what is read depends on what was found.
//!
//! # What is left out
//!
//! Mapping and other traffic: pages lie in stripes over channels, then chips, and nothing else is asked of the drive. A search begins at zero, its tables built.
//! What the host does with what it is sent is timed only where it searches itself.
//!
//! # Source
//!
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022. Command ahead, output register and short answers are ours.
//!
//! # Parameters
//!
//! All of `pif.*` but what the pages have been through, `flash.t_read_us`, `flash.command.*`, `fabric.*`, `host.link_rate_mb_per_s`, `power.*`.

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
pub use settings::{ChipLimits, ErrorMode, ExtraReads, PifParameters, PifPower, PifSettings, WearParameters};

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

/// A page to be searched or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub struct PageWork {
    /// Its number in the drive.
    pub number: u32,
    /// Whether what is searched for lies in it.
    pub matched: bool,
    /// Whether a chip's decoder fails on it.
    pub fails_in_chip: bool,
    /// The chip's matcher passes that it takes part in: all, or up to the one in which it was sent.
    pub passes: u16,
    /// Iterations of the chip's decoder; 0 if they are not modelled.
    pub iterations: u32,
    /// Reads with moved thresholds that the controller needs.
    pub extra_reads: u8,
    /// Whether the controller asks for the head of the next page.
    pub asks_for_next_head: bool,
    /// Whether it is also read for the lines around matches elsewhere.
    pub is_context: bool,
}

/// Pages that are asked for together; the next phase begins when all is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// How often the chips' tables are filled; 0 if the pages are read, not searched.
    pub passes: u16,
    /// In the order in which they lie in the drive.
    pub pages: Vec<PageWork>,
}
