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
//! Matches are a function of the seed, the pattern set and the logical page. If a set has more patterns than the tables
//! of a chip, the chips search in several passes, each of which begins after the last page of the previous one. A page
//! with a match is not searched again. *Planned* searches, of data that is known, have their
//! pages and outcomes determined in advance; they can have several passes, repeated reads and heads of pages.
//!
//! # What is left out
//! Matches across page boundaries, in searches that are not planned.
//!
//! # Source
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022.
//!
//! # Parameters
//! `search.*`, `pif.t_match_us`, `pif.table_bytes`, `pif.answer_bytes`, `pif.head_bytes`, `pif.raw_page_bytes`,
//! `pif.out_pages`

use std::collections::VecDeque;

mod open_passes;
mod page;
mod partial_results;
pub(in crate::ftl) mod settings;

use venice_kernel::{RandomStream, SimTime};
use venice_nand::functions::{FunctionOutput, TABLE_PATTERNS};
use venice_nand::geometry::{ChipId, DieId, Geometry, Lpn, RequestId, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{SearchStep, Transaction};

use crate::controller::SensedPage;
use crate::ftl::initiator::Initiator;

use open_passes::OpenPasses;
use partial_results::PartialResults;

pub use page::{ChipWork, FurtherPasses, KnownCorrection, SearchedPage};
pub use settings::{PatternSet, SearchLocation, SearchParameters, SearchSettings};

/// Maximum number of pages of searches that are queued for a die. While the first one is sensed, the map
/// entry of the next one can be read.
const QUEUED_PAGES: u32 = 2;

venice_kernel::counters! {
    /// Counters of searches. They count pages of searches unless stated otherwise.
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
        /// Reads of heads: the first bytes of the next page, read to find matches across page boundaries.
        pub heads: u64,
        /// Repeated reads of pages with shifted thresholds, in searches whose data is known.
        pub repeated_reads: u64,
        /// Pages that chips could not decode and sent with their errors. A page counts once for each pass of
        /// its search.
        pub failed_in_chips: u64,
        /// Transfers of tables or operands to chips.
        pub tables: u64,
        /// Number of results of a function for all pages of a chip together.
        pub chip_results: u64,
        /// Pages that chips sent to the controller, including repeated reads. A page counts once for each
        /// pass of its search.
        pub pages_from_chips: u64,
        /// Bytes of tables or operands sent to chips.
        pub bytes_to_chips: u64,
        /// Bytes of pages and answers sent by chips.
        pub bytes_from_chips: u64,
        /// Bytes of pages and results sent to the host.
        pub bytes_to_host: u64,
        /// Data bytes matched by the controller. A byte counts once for each pass.
        pub controller_bytes: u64,
        /// Data bytes that the controller's matchers read from the drive's memory.
        pub loaded_bytes: u64,
        /// Busy time of the chips' matchers, in picoseconds.
        pub chips_busy_ps: u64,
        /// Busy time of the controller's matchers, in picoseconds.
        pub controller_busy_ps: u64,
        /// Busy time of the host, in picoseconds.
        pub host_busy_ps: u64,
    }
}

impl SearchCounters {
    /// Returns the number of pages whose search has ended, without reads of heads.
    pub const fn pages(&self) -> u64 {
        self.matched + self.not_matched + self.computed + self.deallocated + self.failed
    }
}

/// Page of a search that is not queued yet.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct WaitingPage {
    pub(in crate::ftl) initiator: Initiator,
    /// Number of the search, counted from the start of the run.
    pub(in crate::ftl) search: u64,
    pub(in crate::ftl) page: SearchedPage,
    /// Number of the search's pass over its pages, from 0.
    pub(in crate::ftl) pass: u16,
    /// For a repeated read, the page that needs it.
    pub(in crate::ftl) repeats: Option<TransactionId>,
    /// Latency of the page up to the time at which it began to wait, including earlier passes of the search.
    pub(in crate::ftl) clock: StageClock,
    /// True if a transfer of the page in an earlier pass had to wait for a path.
    pub(in crate::ftl) conflicted: bool,
}

impl WaitingPage {
    /// Creates a page for the first pass of a search. The page begins to wait at `now`.
    pub(in crate::ftl) const fn new(
        initiator: Initiator,
        search: u64,
        page: SearchedPage,
        now: SimTime,
    ) -> Self {
        let clock = StageClock::start(now);
        Self { initiator, search, page, pass: 0, repeats: None, clock, conflicted: false }
    }
}

/// Page of a search that is queued or in progress.
#[derive(Clone, Copy, Debug)]
struct PageInProgress {
    page: WaitingPage,
    /// Number of repeated reads that have not been requested.
    extra_reads: u8,
    /// Number of repeated reads of the page that have been requested and have not arrived.
    expected_reads: u8,
}

/// Pages of searches that are waiting, and the state of the chips' matchers.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Searches {
    settings: SearchSettings,
    seed: u64,
    page_bytes: u32,
    /// Pages that wait to be queued, indexed by die.
    waiting: Vec<VecDeque<WaitingPage>>,
    /// Number of queued pages of searches, indexed by the die for which they waited.
    queued: Vec<u32>,
    /// Pages of searches that are queued or in progress, indexed by transaction.
    in_progress: Vec<Option<PageInProgress>>,
    /// Pages of each planned search that has not arrived yet, in the order of the searches.
    planned: VecDeque<Vec<SearchedPage>>,
    /// Search and pass for which each chip has received the matcher's tables last, indexed by chip.
    loaded: Vec<Option<(u64, u16)>>,
    open_passes: OpenPasses,
    /// Number of pages of all searches that have arrived so far.
    begun_pages: u64,
    partial_results: PartialResults,
    counters: SearchCounters,
}

impl Searches {
    /// Creates the state of searches at the start of a run, before the first search.
    pub(in crate::ftl) fn new(settings: SearchSettings, seed: u64, geometry: &Geometry) -> Self {
        let dies = geometry.dies() as usize;
        Self {
            settings,
            seed,
            page_bytes: geometry.page_bytes,
            waiting: vec![VecDeque::new(); dies],
            queued: vec![0; dies],
            in_progress: Vec::new(),
            planned: VecDeque::new(),
            loaded: vec![None; geometry.array.chips() as usize],
            open_passes: OpenPasses::default(),
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

    /// Returns the number of pages of searches that are waiting or queued.
    pub(in crate::ftl) fn under_way(&self) -> usize {
        let queued: u32 = self.queued.iter().sum();
        let waiting: usize = self.waiting.iter().map(VecDeque::len).sum();
        waiting + queued as usize + self.open_passes.waiting()
    }

    /// Records the arrival of a search, and returns its number.
    pub(in crate::ftl) fn begin(&mut self) -> u64 {
        self.counters.searches += 1;
        self.counters.bytes_to_host += u64::from(self.settings.final_result_bytes());
        self.counters.searches
    }

    /// Sets the pages and outcomes of the next searches.
    pub(in crate::ftl) fn plan(&mut self, searches: Vec<Vec<SearchedPage>>) {
        self.planned = searches.into();
    }

    /// Starts the search with the number `search`, and returns its pages. If searches are planned, these are
    /// the pages of the next planned search. Otherwise they are the pages `lpns`, with drawn outcomes for the
    /// pattern set `pattern_set`.
    pub(in crate::ftl) fn pages_of_next(
        &mut self,
        search: u64,
        pattern_set: u8,
        lpns: impl Iterator<Item = Lpn>,
    ) -> Vec<SearchedPage> {
        let drawn = |searches: &Self| lpns.map(|lpn| searches.drawn(pattern_set, lpn)).collect();
        let pages: Vec<_> = self.planned.pop_front().unwrap_or_else(|| drawn(self));
        if pages.iter().any(|page| page.further.passes > 0) {
            self.open_passes.begin(search, pages.len());
        }
        pages
    }

    /// Returns the page `lpn` of a search, with an outcome that is drawn for the pattern set `pattern_set`.
    fn drawn(&self, pattern_set: u8, lpn: Lpn) -> SearchedPage {
        let set = &self.settings.pattern_sets[usize::from(pattern_set)];
        let (passes, found_in) = match self.settings.output {
            FunctionOutput::MatchingPages => (set.passes(), self.matching_pass(pattern_set, lpn)),
            _ => (1, None),
        };
        let (is_found, in_chips) = (found_in.is_some(), self.is_in_chips());
        let further = FurtherPasses { passes: found_in.unwrap_or(passes - 1), last_matches: is_found };
        let matches = if in_chips { found_in == Some(0) } else { is_found };
        SearchedPage {
            lpn,
            chip_work: if in_chips { ChipWork::Search } else { ChipWork::Transfer },
            matches,
            further: if in_chips { further } else { FurtherPasses::default() },
            is_for_host: matches,
            matching: self.settings.matching_time(self.page_bytes),
            controller_passes: match self.settings.location {
                SearchLocation::Chips => 1,
                SearchLocation::Controller => passes,
                SearchLocation::Host => 0,
            },
            correction: None,
            next_head: None,
        }
    }

    /// Returns the number of pages without an outcome, of all searches that have begun.
    pub(in crate::ftl) const fn pages_in_progress(&self) -> u64 {
        self.begun_pages - self.counters.pages()
    }

    /// Adds a page of a search to the waiting pages of the die that holds it.
    pub(in crate::ftl) fn add(&mut self, die: DieId, page: WaitingPage) {
        self.begun_pages += 1;
        if self.returns_results_of_chips() {
            self.partial_results.add(die, page.initiator.id);
        }
        self.waiting[die.index()].push_back(page);
    }

    /// Adds a page of a search, in a further pass, to the waiting pages of the die that holds it.
    pub(in crate::ftl) fn add_again(&mut self, die: DieId, page: WaitingPage) {
        self.waiting[die.index()].push_back(page);
    }

    /// Adds a repeated read of a page, or a read of a page's head (first bytes), before the waiting pages of
    /// the die that holds the page.
    pub(in crate::ftl) fn add_first(&mut self, die: DieId, page: WaitingPage) {
        self.waiting[die.index()].push_front(page);
    }

    /// Removes and returns the next waiting page of a die, to be queued. Returns `None` if the maximum number
    /// of pages is queued for the die.
    pub(in crate::ftl) fn take_next(&mut self, die: DieId) -> Option<WaitingPage> {
        if self.queued[die.index()] == QUEUED_PAGES {
            return None;
        }
        let page = self.waiting[die.index()].pop_front()?;
        self.queued[die.index()] += 1;
        Some(page)
    }

    /// Records the transaction of a page that has been queued.
    pub(in crate::ftl) fn page_is_queued(&mut self, id: TransactionId, page: &WaitingPage) {
        let index = id.index();
        if index >= self.in_progress.len() {
            self.in_progress.resize(index + 1, None);
        }
        let extra_reads = page.page.extra_reads();
        self.in_progress[index] = Some(PageInProgress { page: *page, extra_reads, expected_reads: 0 });
    }

    /// Returns a page that is queued or in progress.
    pub(in crate::ftl) fn page(&self, id: TransactionId) -> &SearchedPage {
        let page = self.in_progress[id.index()].as_ref();
        &page.expect("the page of a search is in progress").page.page
    }

    /// Returns the repeated reads that a page of a search needs after its first decoding.
    pub(in crate::ftl) fn take_repeats(
        &mut self,
        id: TransactionId,
    ) -> impl Iterator<Item = WaitingPage> + use<> {
        let mut repeats = (0, None);
        if let Some(page) = &mut self.in_progress[id.index()] {
            page.expected_reads = std::mem::take(&mut page.extra_reads);
            let read = WaitingPage { page: page.page.page.repeated(), repeats: Some(id), ..page.page };
            repeats = (page.expected_reads, Some(read));
        }
        (0..repeats.0).filter_map(move |_| repeats.1)
    }

    /// Records the arrival of a read for a page of a search. If this was the page's last repeated read,
    /// returns the page.
    pub(in crate::ftl) fn last_repeat_of(&mut self, id: TransactionId) -> Option<TransactionId> {
        let repeated = self.in_progress[id.index()]?.page.repeats?;
        let page = self.in_progress[repeated.index()].as_mut()?;
        page.expected_reads -= 1;
        (page.expected_reads == 0).then_some(repeated)
    }

    /// Records that a queued page of a request, which had waited for `die`, has left the queue. Returns the next
    /// step of the page.
    pub(in crate::ftl) fn page_leaves(&mut self, die: DieId, request: RequestId) -> SearchStep {
        self.queued[die.index()] -= 1;
        let is_last_on_chip = self.returns_results_of_chips() && self.partial_results.take(die, request);
        SearchStep::Unsearched { is_last_on_chip }
    }

    /// Returns true if the function of the searches gives one result for all pages of a chip together.
    fn returns_results_of_chips(&self) -> bool {
        self.is_in_chips() && matches!(self.settings.output, FunctionOutput::PerChip { .. })
    }

    /// Returns the size of the matcher's tables that must be sent to a chip with the command for a page; 0 if
    /// the chip has the tables of the page's search and pass, or needs none.
    pub(in crate::ftl) fn tables_for(&mut self, chip: ChipId, page: &WaitingPage) -> u32 {
        let tables = self.settings.table_bytes;
        let wanted = Some((page.search, page.pass));
        let is_loaded = self.loaded[chip.index()] == wanted;
        let uses_matcher = matches!(page.page.chip_work, ChipWork::Search | ChipWork::Head);
        if is_loaded || !uses_matcher || tables == 0 {
            return 0;
        }
        self.loaded[chip.index()] = wanted;
        self.counters.tables += 1;
        self.counters.bytes_to_chips += u64::from(tables);
        tables
    }

    /// Returns the number of the first pass in which a page has a match for a pattern set; `None` if it has
    /// none. Each pattern of the set is equally likely to be the first one that matches.
    pub(in crate::ftl) fn matching_pass(&self, pattern_set: u8, lpn: Lpn) -> Option<u16> {
        let set = &self.settings.pattern_sets[usize::from(pattern_set)];
        let number = u64::from(pattern_set) << u32::BITS | u64::from(lpn.0);
        // The mixing separates the seeds of neighbouring pages.
        let seed = self.seed ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut outcome = RandomStream::new(seed, "matches");
        let pattern = outcome.chance(set.match_ratio).then(|| outcome.below(u64::from(set.patterns)))?;
        Some((pattern / u64::from(TABLE_PATTERNS)) as u16)
    }

    /// Returns true if chips search.
    pub(in crate::ftl) fn is_in_chips(&self) -> bool {
        self.settings.location == SearchLocation::Chips
    }

    /// Determines the next step of a chip with a page of a search that it has sensed, and sets the size of
    /// the page's result. `fails` is true if the chip cannot decode the page.
    pub(in crate::ftl) fn sensed(
        &mut self,
        id: TransactionId,
        read: &mut Transaction,
        fails: bool,
    ) -> SensedPage {
        let (page, output_pages) = (*self.page(id), self.settings.output_pages);
        let SearchStep::Unsearched { is_last_on_chip } = read.search else {
            return self.sends_whole_page(read);
        };
        let (step, bytes) = match page.chip_work {
            ChipWork::Transfer | ChipWork::Repeat => return self.sends_whole_page(read),
            ChipWork::Head => (SearchStep::NotFound, self.settings.head_bytes),
            ChipWork::Search => self.chip_result(&page, fails, is_last_on_chip),
        };
        (read.search, read.bytes) = (step, bytes);
        self.counters.chips_busy_ps += page.matching.as_ps();
        let is_answer = page.chip_work == ChipWork::Head || bytes == self.settings.answer_bytes;
        SensedPage { matching: Some(page.matching), is_answer, output_pages }
    }

    /// Returns the next step for a page that the chip sends to the controller without searching it.
    fn sends_whole_page(&self, read: &mut Transaction) -> SensedPage {
        (read.search, read.bytes) = (SearchStep::InController, self.settings.raw_bytes(self.page_bytes));
        SensedPage { matching: None, is_answer: false, output_pages: self.settings.output_pages }
    }

    /// Returns the step of a page after its search in the chip, and the number of bytes that the chip then
    /// sends.
    fn chip_result(&mut self, page: &SearchedPage, fails: bool, is_last_on_chip: bool) -> (SearchStep, u32) {
        let raw = self.settings.raw_bytes(self.page_bytes);
        self.counters.failed_in_chips += u64::from(fails);
        let (of_page, of_chip) = self.result_bytes(is_last_on_chip);
        let (step, sent) = match self.settings.output {
            _ if fails => (SearchStep::FailedInChip, raw + of_chip),
            FunctionOutput::MatchingPages if page.matches => (SearchStep::Matched, raw),
            FunctionOutput::MatchingPages => (SearchStep::NotFound, 0),
            _ => (SearchStep::Computed, of_page + of_chip),
        };
        (step, self.settings.answer_bytes + sent)
    }

    /// Returns two sizes in bytes: of the result of a page, and of the result of all pages of a chip
    /// together. The second size is zero unless the page is the last one of its chip.
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

    /// Returns the number of bytes that are sent to the host for a page, after its search in the chip or in
    /// the controller.
    pub(in crate::ftl) fn bytes_to_host(&self, id: TransactionId) -> u32 {
        match self.settings.output {
            FunctionOutput::MatchingPages if self.page(id).is_for_host => self.page_bytes,
            FunctionOutput::PerPage { bytes } => bytes,
            _ => 0,
        }
    }

    /// Returns a page for the next pass of its search, if it needs one. `done` is the page's transaction in
    /// this pass, which has ended.
    pub(in crate::ftl) fn in_next_pass(&self, id: TransactionId, done: &Transaction) -> Option<WaitingPage> {
        let ended = self.in_progress[id.index()].as_ref()?.page;
        let page = ended.page.next_pass().filter(|_| !done.has_failed)?;
        let conflicted = ended.conflicted || done.conflicted;
        Some(WaitingPage { page, pass: ended.pass + 1, clock: done.clock, conflicted, ..ended })
    }

    /// Records the end of a page in a pass of its search. `next` is the page in the next pass, if it needs
    /// one. After the last page of a pass, returns the pages of the next pass.
    pub(in crate::ftl) fn pass_ends(
        &mut self,
        id: TransactionId,
        next: Option<WaitingPage>,
    ) -> Vec<WaitingPage> {
        let Some(ended) = &self.in_progress[id.index()] else { return Vec::new() };
        self.open_passes.page_ends(ended.page.search, next)
    }

    /// Counts the outcome of a page that has been read.
    pub(in crate::ftl) fn count_outcome(&mut self, id: TransactionId, read: &Transaction) {
        let page = *self.page(id);
        let counter = match page.chip_work {
            ChipWork::Head => &mut self.counters.heads,
            ChipWork::Repeat => &mut self.counters.repeated_reads,
            _ if read.has_failed => &mut self.counters.failed,
            _ if self.settings.output != FunctionOutput::MatchingPages => &mut self.counters.computed,
            _ if page.matches => &mut self.counters.matched,
            _ => &mut self.counters.not_matched,
        };
        *counter += 1;
    }

    /// Counts a page that needs no read, since it is deallocated.
    pub(in crate::ftl) fn count_deallocated(&mut self, id: TransactionId) {
        match self.page(id).chip_work {
            ChipWork::Head => self.counters.heads += 1,
            ChipWork::Repeat => self.counters.repeated_reads += 1,
            _ => self.counters.deallocated += 1,
        }
    }

    /// Removes a page whose search has ended. If the controller then requests the head (first bytes) of the
    /// next page, returns the read of this head.
    pub(in crate::ftl) fn end_page(&mut self, id: TransactionId) -> Option<WaitingPage> {
        let ended = self.in_progress[id.index()].take()?.page;
        let head = ended.page.head_of_next(ended.page.next_head?);
        Some(WaitingPage { page: head, ..ended })
    }
}
