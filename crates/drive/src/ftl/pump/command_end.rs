//! End of transactions after a die has executed their operation.

use venice_kernel::SimTime;
use venice_nand::geometry::{GatherId, Lpn, PlaneId, Ppn, RequestId, TransactionId};
use venice_nand::transactions::{List, Origin, Purpose, Transaction};

use crate::ftl::Pump;
use crate::ftl::translation::Translation;

/// Finished page of the host or the data cache, with the latency stages of its transaction.
#[derive(Clone, Copy, Debug)]
pub struct FinishedPage {
    /// Request or destage to which the page belongs.
    pub origin: Origin,
    /// Logical page of the transaction.
    pub lpn: Lpn,
    /// Bit mask of the sectors that were read or written. For a write, it includes sectors merged from flash.
    pub sectors: u64,
    /// Physical page of a write, or of a read whose page was mapped in this run; otherwise `None`.
    pub ppn: Option<Ppn>,
    /// True if a transfer of the page had to wait for a path.
    pub conflicted: bool,
    /// True if the page's chip was lost, or if the write found no free page on the remaining chips.
    pub has_failed: bool,
}

impl FinishedPage {
    fn new(origin: Origin, lpn: Lpn, ppn: Option<Ppn>, done: &Transaction) -> Self {
        let Transaction { sectors, conflicted, has_failed, .. } = *done;
        Self { origin, lpn, sectors, ppn, conflicted, has_failed }
    }

    /// Creates the result of a search's page.
    pub(super) fn of_search(request: RequestId, done: &Transaction) -> Self {
        let lpn = done.lpn.expect("a page of a search has a logical page");
        Self::new(Origin::Request(request), lpn, None, done)
    }

    /// Returns true if the data of a finished read is still the content of its page. Returns false if the
    /// page was written, or was moved by garbage collection, in the meantime.
    pub fn is_current(&self, translation: &Translation) -> bool {
        !self.has_failed && translation.is_current(self.lpn, self.ppn)
    }
}

impl Pump {
    /// Ends a transaction. `now` is the end of its last latency stage. Returns the page if the transaction
    /// belongs to the host or the cache. Such a transaction stays in the transaction table until the caller
    /// removes it.
    pub(in crate::ftl) fn finish(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        let units = self.shared.members.take(id);
        let page = match units.first() {
            None => self.finish_one(id, now),
            Some(_) => self.finish_page(id, units, now),
        };
        self.run_tasks(now);
        page
    }

    /// Ends a transaction of one mapping unit.
    #[inline]
    fn finish_one(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        let done = self.shared.transactions.get(id);
        let (pinned, plane) = (done.pinned(), done.plane);
        match (done.purpose, done.lpn) {
            // The most frequent case comes first, since it needs few fields of the transaction.
            (Purpose::HostRead(origin), Some(lpn)) => {
                let page = FinishedPage::new(origin, lpn, pinned, done);
                self.shared.stats.ended(id, done);
                self.unpin(pinned, plane, now);
                Some(page)
            }
            (Purpose::HostWrite(origin), Some(lpn)) => {
                let page = FinishedPage::new(origin, lpn, done.ppn(), done);
                self.shared.stats.ended(id, done);
                self.writes.program_ended(&mut self.shared, lpn, page.ppn, plane, now);
                if self.shared.old_versions.is_some() {
                    self.release_old_version(page.ppn, now);
                }
                Some(page)
            }
            (Purpose::OperandLoad(gather) | Purpose::OperandSense(gather), Some(lpn)) => {
                self.finish_operand(id, gather, lpn, now)
            }
            (Purpose::Search(request), _) => self.finish_search(id, request, now),
            _ => {
                self.finish_own(id, now);
                None
            }
        }
    }

    /// Ends the transaction `id`, which read or programmed a page for several mapping units. Returns the
    /// finished page of its own mapping unit, if it has one. [`Self::next_without_die`] returns the other
    /// units of a host read.
    fn finish_page(&mut self, id: TransactionId, units: List, now: SimTime) -> Option<FinishedPage> {
        let done = *self.shared.transactions.get(id);
        if let Purpose::OperandSense(gather) = done.purpose {
            self.finish_joined_operands(units, gather, &done, now);
            return self.finish_one(id, now);
        }
        if done.lpn.is_none() {
            self.shared.transactions.forget(id);
            self.finish_units(units, &done, now);
            return None;
        }
        let page = self.finish_one(id, now);
        let mut next = units.first();
        while let Some(unit) = next {
            next = self.shared.transactions.after(unit);
            self.shared.page_ended(unit, &done);
            self.finish_joined(unit, now);
        }
        page
    }

    /// Ends the operands that were sensed together with the operand of the transaction `done`, which ends
    /// after them.
    fn finish_joined_operands(&mut self, operands: List, gather: GatherId, done: &Transaction, now: SimTime) {
        let mut next = operands.first();
        while let Some(operand) = next {
            next = self.shared.transactions.after(operand);
            let lpn = self.shared.page_ended(operand, done);
            self.finish_operand(operand, gather, lpn, now);
        }
    }

    /// Ends a read that shared the operation of another read of its page, or that the controller's buffer has served.
    pub(in crate::ftl) fn finish_joined(&mut self, id: TransactionId, now: SimTime) {
        let read = *self.shared.transactions.get(id);
        if !matches!(read.purpose, Purpose::HostRead(_)) {
            return self.finish_own(id, now);
        }
        self.shared.stats.ended(id, &read);
        self.unpin(read.pinned(), read.plane, now);
        self.shared.without_die.push_back(id);
    }

    /// Ends a transaction that a die executed for the mapping units `units` of a page. The transaction has no
    /// mapping unit of its own.
    fn finish_units(&mut self, units: List, done: &Transaction, now: SimTime) {
        if self.shared.old_versions.is_some() && matches!(done.purpose, Purpose::HostWrite(_)) {
            self.release_old_versions(units, now);
        }
        let Self { shared, writes, collector, mapper, .. } = self;
        match (done.purpose, done.ppn()) {
            (Purpose::MappingWrite, Some(ppn)) => mapper.pages_programmed(shared, units, done, ppn, now),
            (Purpose::GcRead, _) => collector.units_read(shared, units, done, now),
            (Purpose::GcWrite, Some(ppn)) => collector.page_programmed(shared, units, done, ppn, now),
            (Purpose::HostWrite(_), Some(ppn)) => writes.page_programmed(shared, units, done, ppn),
            _ => unreachable!("a finished page transaction lacks its page: {done:?}"),
        }
    }

    /// Removes and returns the next page of a host request that ended without an operation of a die.
    pub(in crate::ftl) fn next_without_die(&mut self, now: SimTime) -> Option<(TransactionId, FinishedPage)> {
        let id = self.shared.without_die.pop_front()?;
        if matches!(self.shared.transactions.get(id).purpose, Purpose::Search(_)) {
            self.deallocated_page_searched(id, now);
        }
        let done = self.shared.transactions.get(id);
        let (origin, ppn) = match done.purpose {
            Purpose::HostRead(origin) => (origin, done.pinned()),
            Purpose::HostWrite(origin) => (origin, done.ppn()),
            Purpose::Trim(request) | Purpose::Search(request) => (Origin::Request(request), None),
            _ => unreachable!("only transactions of the host end without a die: {done:?}"),
        };
        Some((id, FinishedPage::new(origin, done.lpn?, ppn, done)))
    }

    /// Permits the erase of blocks that contain old versions of mapping units, after a program of several
    /// units has replaced them.
    #[cold]
    fn release_old_versions(&mut self, units: List, now: SimTime) {
        let mut next = units.first();
        while let Some(unit) = next {
            next = self.shared.transactions.after(unit);
            let programmed = self.shared.transactions.get(unit).ppn();
            self.release_old_version(programmed, now);
        }
    }

    /// Permits the erase of the block that contains the old version of a page, after a program has replaced
    /// it.
    #[cold]
    fn release_old_version(&mut self, programmed: Option<Ppn>, now: SimTime) {
        let kept = self.shared.old_versions.as_mut();
        let old = kept.zip(programmed).and_then(|(kept, ppn)| kept.remove(&ppn));
        if let Some(old) = old {
            self.unpin(Some(old), self.shared.geometry.plane_of_page(old), now);
        }
    }

    /// Ends a write that found no free page on the remaining chips.
    pub(in crate::ftl) fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<FinishedPage> {
        let done = self.shared.fail_write(id, now);
        let lpn = done.lpn?;
        self.writes.unlock(&mut self.shared, lpn);
        self.run_tasks(now);
        let Purpose::HostWrite(origin) = done.purpose else { return None };
        Some(FinishedPage::new(origin, lpn, None, &done))
    }

    /// Processes the end of the combination of an operand with the intermediate result. Returns the requested
    /// page of the gather if the result is complete.
    fn finish_operand(
        &mut self,
        id: TransactionId,
        gather: GatherId,
        lpn: Lpn,
        now: SimTime,
    ) -> Option<FinishedPage> {
        self.check_operand(id, gather);
        let done = *self.shared.transactions.get(id);
        self.shared.stats.ended(id, &done);
        self.unpin(done.pinned(), done.plane, now);
        if let Some(ended) = self.reads.gathers.combination_ended(gather) {
            if let Some(errors) = &mut self.reads.errors {
                errors.note_gather(ended.error_rate);
            }
            if let Some(next) = &ended.next {
                self.begin_gather(next, now);
            }
            let page = FinishedPage::new(Origin::Request(ended.request), lpn, None, &done);
            return Some(FinishedPage { has_failed: page.has_failed || ended.is_unreadable, ..page });
        }
        self.shared.transactions.forget(id);
        None
    }

    fn scrub_read_ended(&mut self, plane: PlaneId, now: SimTime) {
        if let Some(scrub) = &mut self.scrub {
            scrub.read_ended(&mut self.shared, plane, now);
        }
    }

    /// Ends an internal transaction: of garbage collection, wear levelling or the map.
    fn finish_own(&mut self, id: TransactionId, now: SimTime) {
        let done = self.shared.transactions.remove(id);
        self.shared.stats.ended(id, &done);
        self.unpin(done.pinned(), done.plane, now);
        let Self { shared, reads, writes, collector, mapper, .. } = self;
        match (done.purpose, done.lpn, done.ppn()) {
            (Purpose::UpdateRead(write), ..) => writes.missing_read(shared, write, &done, now),
            (Purpose::MappingRead { writes_back }, Some(page), _) => {
                self.map_page_read(page, writes_back, done.conflicted, now);
            }
            (Purpose::MappingWrite, Some(page), _) => mapper.program_ended(shared, &done, page, now),
            (Purpose::OperandRead(gather), ..) => reads.load_operand(shared, gather, &done, now),
            (Purpose::SecondPass, _, Some(ppn)) => shared.second_pass_ended(ppn),
            (Purpose::GcRead, ..) => collector.page_read(shared, &done, now),
            (Purpose::ScrubRead, ..) => self.scrub_read_ended(done.plane, now),
            (Purpose::GcWrite, Some(_), Some(ppn)) => collector.programmed(shared, &done, ppn, now),
            (Purpose::RebuildRead { failed_read, .. }, ..) => self.stripe_page_read(failed_read, &done, now),
            (Purpose::ParityWrite(cause), _, Some(ppn)) => shared.parity_programmed(&done, cause, ppn),
            // All units of the page were overwritten by the host before the program started.
            (Purpose::GcWrite, None, Some(ppn)) => {
                collector.page_programmed(shared, List::default(), &done, ppn, now);
            }
            (Purpose::GcErase, _, Some(ppn)) => {
                let block = shared.geometry.block_of(ppn);
                if let Some(ages) = &mut shared.ages {
                    ages.erased(block);
                    let first = shared.geometry.ppn(block, 0).0;
                    shared.unreadable.erased(first..first + shared.geometry.pages_per_block);
                }
                collector.erased(shared, done.plane, block, now);
            }
            _ => unreachable!("a finished transaction lacks its page: {done:?}"),
        }
    }
}
