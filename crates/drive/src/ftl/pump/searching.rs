//! Steps of a search: pages are queued for their dies, sensed, and searched.

use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{DieId, Lpn, PlaneId, RequestId, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{Purpose, SearchStep, Transaction};

use crate::controller::SensedPage;
use crate::ftl::Pump;
use crate::ftl::initiator::HostCommand;
use crate::ftl::reads::searches::{ChipWork, SearchedPage, WaitingPage};

use super::FinishedPage;

impl Pump {
    /// Accepts a search. Returns the number of its reads, which include repeated reads and reads of heads
    /// (the first bytes of the next page, for matches across the boundary).
    #[cold]
    pub(in crate::ftl) fn accept_search(
        &mut self,
        command: &HostCommand,
        pattern_set: u8,
        now: SimTime,
    ) -> u32 {
        let range = command.range();
        let search = self.reads.searches.begin();
        let lpns = self.shared.translation.page_pieces(range.start, range.end).map(|(lpn, _)| lpn);
        let pages = self.reads.searches.pages_of_next(search, pattern_set, lpns);
        let reads =
            |page: &SearchedPage| 1 + u32::from(page.next_head.is_some()) + u32::from(page.extra_reads());
        let count = pages.iter().map(reads).sum();
        for &page in &pages {
            let die = self.die_of_page(page.lpn);
            let page = WaitingPage::new(command.initiator, search, page, now);
            self.reads.searches.add(die, page);
        }
        self.queue_all_search_pages(now);
        count
    }

    /// Returns the die that holds a logical page.
    fn die_of_page(&self, lpn: Lpn) -> DieId {
        let geometry = self.shared.geometry;
        geometry.die_of(geometry.plane_of_page(self.shared.translation.locate(lpn).0))
    }

    /// Queues the next pages of searches for each die, up to the maximum number of queued pages.
    fn queue_all_search_pages(&mut self, now: SimTime) {
        for die in (0..self.shared.geometry.dies()).map(DieId) {
            self.queue_search_pages(die, now);
        }
    }

    /// Queues the next pages of searches for a die, up to the maximum number of queued pages.
    fn queue_search_pages(&mut self, die: DieId, now: SimTime) {
        while let Some(page) = self.reads.searches.take_next(die) {
            self.queue_search_page(die, &page, now);
        }
    }

    fn queue_search_page(&mut self, die: DieId, page: &WaitingPage, now: SimTime) {
        let &WaitingPage { initiator, page: SearchedPage { lpn, .. }, mut clock, conflicted, .. } = page;
        let geometry = self.shared.geometry;
        let plane = geometry.plane_of_page(self.shared.translation.locate(lpn).0);
        let chip = geometry.chip_of(geometry.die_of(plane));
        let is_lost = self.shared.space.is_lost(plane);
        clock.charge(Stage::ChipWait, now);
        let purpose = Purpose::Search(initiator.id);
        let id = self.shared.insert_read(Transaction {
            priority: initiator.priority,
            lpn: Some(lpn),
            sectors: self.shared.translation.sectors.whole_page(),
            bytes: if is_lost { 0 } else { self.reads.searches.tables_for(chip, page) },
            conflicted,
            collected: PlaneId(die.0 * geometry.planes_per_die),
            ..Transaction::new(purpose, plane, clock)
        });
        self.reads.searches.page_is_queued(id, page);
        self.look_up(id, purpose, lpn, now);
        self.run_tasks(now);
    }

    /// Records that a queued page of a search leaves its queue, so that the next one can be queued.
    pub(super) fn search_page_leaves(&mut self, id: TransactionId, now: SimTime) {
        let page = self.shared.transactions.get_mut(id);
        if page.search != SearchStep::Queued {
            return;
        }
        let Purpose::Search(request) = page.purpose else { return };
        let die = self.shared.geometry.die_of(page.collected);
        page.search = self.reads.searches.page_leaves(die, request);
        self.queue_search_pages(die, now);
    }

    /// Starts the next page of a search on a die for which nothing else waits. Returns `None` if there is no
    /// such page, or if its chip must receive the matcher's tables first.
    #[cold]
    pub(in crate::ftl) fn next_search_page(
        &mut self,
        die: DieId,
        now: SimTime,
    ) -> Option<(TransactionId, PageOperation)> {
        let id = self.shared.queues.next_if_only_searches(die)?;
        if self.shared.transactions.get(id).bytes > 0 {
            return None;
        }
        self.shared.stats.command_starts(Operation::Search, 1, 0);
        self.shared.queues.starts(die, &[id], &self.shared.transactions, self);
        Some((id, self.start_transaction(die, id, now)))
    }

    /// Determines a chip's next step with a page of a search that it has sensed.
    #[cold]
    pub(in crate::ftl) fn search_page_sensed(&mut self, id: TransactionId, now: SimTime) -> SensedPage {
        let page = *self.reads.searches.page(id);
        let fails = match page.correction {
            Some(known) => known.fails_in_chip,
            None => page.chip_work == ChipWork::Search && self.fails_in_chip(id, now),
        };
        self.reads.searches.sensed(id, self.shared.transactions.get_mut(id), fails)
    }

    /// Ends a page of a search that is not read, because it is deallocated.
    #[cold]
    pub(super) fn deallocated_page_searched(&mut self, id: TransactionId, now: SimTime) {
        self.reads.searches.count_deallocated(id);
        self.search_page_leaves(id, now);
        self.end_search_pass(id, None, now);
        self.end_search_page(id, now);
    }

    /// Ends a page in a pass of its search. `next` is the page in the next pass, if it needs one. After the
    /// last page of a pass, the pages of the next pass begin to wait.
    fn end_search_pass(&mut self, id: TransactionId, next: Option<WaitingPage>, now: SimTime) {
        let pages = self.reads.searches.pass_ends(id, next);
        if pages.is_empty() {
            return;
        }
        for page in pages {
            let die = self.die_of_page(page.page.lpn);
            self.reads.searches.add_again(die, page);
        }
        self.queue_all_search_pages(now);
    }

    /// Removes a page whose search has ended. If the controller requests the head (first bytes) of the next
    /// page, queues the read of this head.
    fn end_search_page(&mut self, id: TransactionId, now: SimTime) {
        if let Some(head) = self.reads.searches.end_page(id) {
            self.queue_first(head, now);
        }
    }

    /// Queues a repeated read of a page, or the read of a page's head (first bytes), before all waiting
    /// pages.
    fn queue_first(&mut self, page: WaitingPage, now: SimTime) {
        let die = self.die_of_page(page.page.lpn);
        self.reads.searches.add_first(die, page);
        self.queue_search_pages(die, now);
    }

    /// Queues the repeated reads that a page of a search needs after its first decoding. Returns true if
    /// there are any.
    pub(in crate::ftl) fn repeat_search_page(&mut self, id: TransactionId, now: SimTime) -> bool {
        let mut has_repeats = false;
        for read in self.reads.searches.take_repeats(id) {
            self.queue_first(read, now);
            has_repeats = true;
        }
        has_repeats
    }

    /// Records the arrival of a repeated read for a page of a search. Returns the page if this was its last
    /// repeated read. The page has failed if one of its repeated reads has failed.
    pub(in crate::ftl) fn last_repeat_of(
        &mut self,
        id: TransactionId,
        now: SimTime,
    ) -> Option<TransactionId> {
        let page = self.reads.searches.last_repeat_of(id)?;
        let has_failed = self.shared.transactions.get(id).has_failed;
        let repeated = self.shared.transactions.get_mut(page);
        repeated.has_failed |= has_failed;
        repeated.clock.charge(Stage::ChipWait, now);
        Some(page)
    }

    /// Ends a page of a search. Returns `None` if the page is searched again in another pass.
    #[cold]
    pub(super) fn finish_search(
        &mut self,
        id: TransactionId,
        request: RequestId,
        now: SimTime,
    ) -> Option<FinishedPage> {
        self.fail_where_unreadable(id);
        let done = *self.shared.transactions.get(id);
        self.shared.stats.ended(id, &done);
        self.unpin(done.pinned(), done.plane, now);
        let next = self.reads.searches.in_next_pass(id, &done);
        if next.is_none() {
            self.reads.searches.count_outcome(id, &done);
        }
        self.end_search_pass(id, next, now);
        self.end_search_page(id, now);
        if next.is_some() {
            self.shared.transactions.forget(id);
            return None;
        }
        Some(FinishedPage::of_search(request, &done))
    }
}
