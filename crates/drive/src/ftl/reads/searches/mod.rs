//! Searches: requests for the pages of a range that contain one of a set of patterns.
//!
//! # What it models
//! A search reads every page of its range. In a search by the chips, each chip first receives the tables of
//! its pattern matcher. It senses a page, then decodes and matches it while its die senses the next one. It
//! sends a page with a match, or one that its decoder cannot correct, and a short answer for any other page.
//! In a search by the controller or by the host, chips send every page. Pages with a match, or all pages for a
//! search by the host, cross the host link. With another [chip function](venice_nand::functions) than `match`, chips
//! and controller send results instead of pages.
//!
//! # How
//! The pages of a search wait in a list for each die. Only a few are queued for a die at the same time, so
//! that other pages may be moved by garbage collection in the meantime. A page is looked up when it is queued.
//! Matches are a function of the seed and the logical page.
//!
//! # What is left out
//! More patterns than the tables of a chip can hold; matches across page boundaries.
//!
//! # Source
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022.
//!
//! # Parameters
//! `search.*`, `pif.t_match_us`, `pif.table_bytes`, `pif.answer_bytes`, `pif.raw_page_bytes`, `pif.out_pages`

use std::collections::VecDeque;

mod partial_results;
pub(in crate::ftl) mod settings;

use venice_kernel::{RandomStream, SimTime};
use venice_nand::functions::FunctionOutput;
use venice_nand::geometry::{ChipId, DieId, Geometry, Lpn, RequestId};
use venice_nand::transactions::{SearchStep, Transaction};

use crate::controller::SensedPage;
use crate::ftl::initiator::Initiator;

use partial_results::PartialResults;

pub use settings::{SearchLocation, SearchParameters, SearchSettings};

/// Maximum number of pages of searches that are queued for a die. While the first one is sensed, the map
/// entry of the next one can be read.
const QUEUED_PAGES: u32 = 2;

venice_kernel::counters! {
    /// Counters of searches. They count pages unless stated otherwise.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SearchCounters {
        /// Number of searches.
        pub searches: u64,
        /// Pages with a match.
        pub matched: u64,
        /// Pages without a match.
        pub not_matched: u64,
        /// Pages computed by a function other than `match`.
        pub computed: u64,
        /// Deallocated pages, which need no read.
        pub deallocated: u64,
        /// Pages that could not be read.
        pub failed: u64,
        /// Pages that chips could not decode and sent with their errors.
        pub failed_in_chips: u64,
        /// Transfers of tables or operands to chips.
        pub tables: u64,
        /// Results of whole chips.
        pub chip_results: u64,
        /// Bytes of tables or operands sent to chips.
        pub bytes_to_chips: u64,
        /// Bytes of pages and answers sent by chips.
        pub bytes_from_chips: u64,
        /// Bytes of pages and results sent to the host.
        pub bytes_to_host: u64,
        /// Data bytes matched by the controller.
        pub controller_bytes: u64,
        /// Busy time of the chips' matchers, in picoseconds.
        pub chips_busy_ps: u64,
        /// Busy time of the controller's matchers, in picoseconds.
        pub controller_busy_ps: u64,
        /// Busy time of the host, in picoseconds.
        pub host_busy_ps: u64,
    }
}

impl SearchCounters {
    /// Returns the number of pages with an outcome.
    pub const fn pages(&self) -> u64 {
        self.matched + self.not_matched + self.computed + self.deallocated + self.failed
    }
}

/// Page of a search that is not queued yet.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct WaitingPage {
    pub(in crate::ftl) initiator: Initiator,
    /// Number of the search in the run.
    pub(in crate::ftl) search: u64,
    pub(in crate::ftl) lpn: Lpn,
    pub(in crate::ftl) since: SimTime,
}

/// Pages of searches that are waiting, and the state of the chips' matchers.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Searches {
    settings: SearchSettings,
    seed: u64,
    page_bytes: u32,
    /// Pages that wait to be queued, indexed by die.
    waiting: Vec<VecDeque<WaitingPage>>,
    /// Number of queued pages, indexed by the die for which they waited.
    queued: Vec<u32>,
    /// Search whose tables were sent last, indexed by chip.
    loaded: Vec<Option<u64>>,
    /// Number of pages of all searches that have begun.
    begun_pages: u64,
    partial_results: PartialResults,
    counters: SearchCounters,
}

impl Searches {
    /// Creates the state of a drive without searches.
    pub(in crate::ftl) fn new(settings: SearchSettings, seed: u64, geometry: &Geometry) -> Self {
        let dies = geometry.dies() as usize;
        Self {
            settings,
            seed,
            page_bytes: geometry.page_bytes,
            waiting: vec![VecDeque::new(); dies],
            queued: vec![0; dies],
            loaded: vec![None; geometry.array.chips() as usize],
            begun_pages: 0,
            partial_results: PartialResults::new(geometry),
            counters: SearchCounters::default(),
        }
    }

    /// Returns the settings of searches.
    pub(in crate::ftl) const fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// Returns the counters of searches.
    pub(in crate::ftl) const fn counters(&self) -> &SearchCounters {
        &self.counters
    }

    /// Returns the counters of searches for modification.
    pub(in crate::ftl) const fn counters_mut(&mut self) -> &mut SearchCounters {
        &mut self.counters
    }

    /// Returns the number of pages that are waiting or queued.
    pub(in crate::ftl) fn under_way(&self) -> usize {
        let queued: u32 = self.queued.iter().sum();
        self.waiting.iter().map(VecDeque::len).sum::<usize>() + queued as usize
    }

    /// Records the arrival of a search, and returns its number.
    pub(in crate::ftl) fn begin(&mut self) -> u64 {
        self.counters.searches += 1;
        self.counters.bytes_to_host += u64::from(self.settings.final_result_bytes());
        self.counters.searches
    }

    /// Returns the number of pages without an outcome, of all searches that have begun.
    pub(in crate::ftl) const fn pages_in_progress(&self) -> u64 {
        self.begun_pages - self.counters.pages()
    }

    /// Adds a page to the list of the die that holds it.
    pub(in crate::ftl) fn add(&mut self, die: DieId, page: WaitingPage) {
        self.begun_pages += 1;
        if self.returns_results_of_chips() {
            self.partial_results.add(die, page.initiator.id);
        }
        self.waiting[die.index()].push_back(page);
    }

    /// Removes and returns the next page to be queued for a die, if fewer than the maximum are queued.
    pub(in crate::ftl) fn take_next(&mut self, die: DieId) -> Option<WaitingPage> {
        if self.queued[die.index()] == QUEUED_PAGES {
            return None;
        }
        let page = self.waiting[die.index()].pop_front()?;
        self.queued[die.index()] += 1;
        Some(page)
    }

    /// Records that a queued page of a request, which had waited for `die`, has left the queue. Returns the next
    /// step of the page.
    pub(in crate::ftl) fn page_leaves(&mut self, die: DieId, request: RequestId) -> SearchStep {
        self.queued[die.index()] -= 1;
        let is_last_on_chip = self.returns_results_of_chips() && self.partial_results.take(die, request);
        SearchStep::Unsearched { is_last_on_chip }
    }

    /// Returns true if chips return results of all their pages together.
    fn returns_results_of_chips(&self) -> bool {
        self.is_in_chips() && matches!(self.settings.output, FunctionOutput::PerChip { .. })
    }

    /// Returns the number of bytes of matcher tables that a page of a search sends to its chip with its command.
    pub(in crate::ftl) fn tables_for(&mut self, chip: ChipId, search: u64) -> u32 {
        let tables = self.settings.table_bytes;
        let is_loaded = self.loaded[chip.index()] == Some(search);
        if is_loaded || self.settings.location != SearchLocation::Chips || tables == 0 {
            return 0;
        }
        self.loaded[chip.index()] = Some(search);
        self.counters.tables += 1;
        self.counters.bytes_to_chips += u64::from(tables);
        tables
    }

    /// Returns true if a page contains a match.
    pub(in crate::ftl) fn matches(&self, lpn: Lpn) -> bool {
        // The mixing separates the seeds of neighbouring pages.
        let seed = self.seed ^ (u64::from(lpn.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        RandomStream::new(seed, "matches").chance(self.settings.match_ratio)
    }

    /// Returns true if chips search.
    pub(in crate::ftl) fn is_in_chips(&self) -> bool {
        self.settings.location == SearchLocation::Chips
    }

    /// Determines the chip's next step with a page that it has sensed, and sets the size of its result.
    /// `fails` is true if the chip cannot decode the page.
    pub(in crate::ftl) fn sensed(&mut self, page: &mut Transaction, fails: bool) -> SensedPage {
        let (settings, raw) = (self.settings, self.settings.raw_bytes(self.page_bytes));
        let (Some(lpn), true, SearchStep::Unsearched { is_last_on_chip }) =
            (page.lpn, self.is_in_chips(), page.search)
        else {
            (page.search, page.bytes) = (SearchStep::InController, raw);
            return SensedPage { matching: None, is_answer: false, output_pages: settings.output_pages };
        };
        let matching = settings.matching_time(self.page_bytes);
        self.counters.chips_busy_ps += matching.as_ps();
        self.counters.failed_in_chips += u64::from(fails);
        let (of_page, of_chip) = self.result_bytes(is_last_on_chip);
        let (step, sent) = match settings.output {
            _ if fails => (SearchStep::FailedInChip, raw + of_chip),
            FunctionOutput::MatchingPages if self.matches(lpn) => (SearchStep::Matched, raw),
            FunctionOutput::MatchingPages => (SearchStep::NotFound, 0),
            _ => (SearchStep::Computed, of_page + of_chip),
        };
        (page.search, page.bytes) = (step, settings.answer_bytes + sent);
        let is_answer = sent == 0;
        SensedPage { matching: Some(matching), is_answer, output_pages: settings.output_pages }
    }

    /// Returns the sizes of the result of a page and of the result of its chip, which a page that is not the last
    /// one of its chip does not send.
    fn result_bytes(&mut self, is_last_on_chip: bool) -> (u32, u32) {
        match self.settings.output {
            FunctionOutput::PerPage { bytes } => (bytes, 0),
            FunctionOutput::PerChip { bytes } if is_last_on_chip => {
                self.counters.chip_results += 1;
                (0, bytes)
            }
            _ => (0, 0),
        }
    }

    /// Returns the number of bytes that a computed page sends to the host.
    pub(in crate::ftl) fn bytes_to_host(&self, lpn: Lpn) -> u32 {
        match self.settings.output {
            FunctionOutput::MatchingPages if self.matches(lpn) => self.page_bytes,
            FunctionOutput::PerPage { bytes } => bytes,
            _ => 0,
        }
    }

    /// Counts the end of a page.
    pub(in crate::ftl) fn page_ends(&mut self, page: &Transaction) {
        let counter = match page.lpn {
            _ if page.has_failed => &mut self.counters.failed,
            _ if self.settings.output != FunctionOutput::MatchingPages => &mut self.counters.computed,
            Some(lpn) if self.matches(lpn) => &mut self.counters.matched,
            _ => &mut self.counters.not_matched,
        };
        *counter += 1;
    }
}
