//! Steps of a search: pages are queued for their dies, sensed, and searched.

use venice_kernel::SimTime;
use venice_nand::chip::{Operation, PageOperation};
use venice_nand::geometry::{DieId, PlaneId, RequestId, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{Purpose, SearchStep, Transaction};

use crate::controller::SensedPage;
use crate::ftl::Pump;
use crate::ftl::initiator::HostCommand;
use crate::ftl::reads::searches::WaitingPage;

use super::FinishedPage;

impl Pump {
    /// Accepts a search. Returns the number of its pages.
    #[cold]
    pub(in crate::ftl) fn accept_search(&mut self, command: &HostCommand, now: SimTime) -> u32 {
        let (range, geometry) = (command.range(), self.shared.geometry);
        let search = self.reads.searches.begin();
        let mut pages = 0;
        for (lpn, _) in self.shared.translation.page_pieces(range.start, range.end) {
            let plane = geometry.plane_of_page(self.shared.translation.locate(lpn).0);
            let page = WaitingPage { initiator: command.initiator, search, lpn, since: now };
            self.reads.searches.add(geometry.die_of(plane), page);
            pages += 1;
        }
        for die in (0..geometry.dies()).map(DieId) {
            self.queue_search_pages(die, now);
        }
        pages
    }

    /// Queues the next pages of searches for a die.
    fn queue_search_pages(&mut self, die: DieId, now: SimTime) {
        while let Some(page) = self.reads.searches.take_next(die) {
            self.queue_search_page(die, &page, now);
        }
    }

    fn queue_search_page(&mut self, die: DieId, page: &WaitingPage, now: SimTime) {
        let &WaitingPage { initiator, search, lpn, since } = page;
        let geometry = self.shared.geometry;
        let plane = geometry.plane_of_page(self.shared.translation.locate(lpn).0);
        let chip = geometry.chip_of(geometry.die_of(plane));
        let is_lost = self.shared.space.is_lost(plane);
        let mut clock = StageClock::start(since);
        clock.charge(Stage::ChipWait, now);
        let purpose = Purpose::Search(initiator.id);
        let id = self.shared.insert_read(Transaction {
            priority: initiator.priority,
            lpn: Some(lpn),
            sectors: self.shared.translation.sectors.whole_page(),
            bytes: if is_lost { 0 } else { self.reads.searches.tables_for(chip, search) },
            collected: PlaneId(die.0 * geometry.planes_per_die),
            ..Transaction::new(purpose, plane, clock)
        });
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
        let fails = self.reads.searches.is_in_chips() && self.fails_in_chip(id, now);
        self.reads.searches.sensed(self.shared.transactions.get_mut(id), fails)
    }

    /// Counts a deallocated page of a search.
    #[cold]
    pub(super) fn deallocated_page_searched(&mut self, id: TransactionId, now: SimTime) {
        self.reads.searches.counters_mut().deallocated += 1;
        self.search_page_leaves(id, now);
    }

    /// Ends a page of a search.
    #[cold]
    pub(super) fn finish_search(
        &mut self,
        id: TransactionId,
        request: RequestId,
        now: SimTime,
    ) -> FinishedPage {
        self.fail_where_unreadable(id);
        let done = *self.shared.transactions.get(id);
        self.shared.stats.ended(id, &done);
        self.unpin(done.pinned(), done.plane, now);
        self.reads.searches.page_ends(&done);
        FinishedPage::of_search(request, &done)
    }
}
