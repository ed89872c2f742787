//! What happens when a die has finished a transaction.

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, Ppn, RequestId, TransactionId};

use super::Ftl;
use crate::work::{Origin, Purpose, Transaction};

/// A page that the host or the data cache wanted is done.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// Who wanted it.
    pub origin: Origin,
    /// Which page.
    pub lpn: Lpn,
    /// Sectors read; of a write, also those that it found on flash.
    pub sectors: u64,
    /// Where it was read from, if that was written in this run; where it was written to.
    pub ppn: Option<Ppn>,
    /// Where the page's time went.
    pub clock: StageClock,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether it came to nothing, as its chip was lost or a write found no room on what is left.
    pub has_failed: bool,
}

impl Ftl {
    /// A read, program or erase is done at `now`, when its clock was last charged. If it was the
    /// host's, says so.
    pub fn finish(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let done = self.transactions.get(id);
        if let (Purpose::HostRead(request), Some(lpn)) = (done.purpose, done.lpn) {
            return Some(self.finish_read(id, request, lpn, now));
        }
        let done = self.transactions.remove(id);
        self.books.ended(id, &done);
        self.unpin(done.pinned(), done.plane, now);
        match (done.purpose, done.lpn) {
            (Purpose::HostWrite(origin), Some(lpn)) => {
                self.host_program_ended(&done, lpn, now);
                Some(finished(origin, lpn, done.ppn(), &done))
            }
            (Purpose::OperandLoad(gather) | Purpose::OperandSense(gather), Some(lpn)) => {
                let request = self.combination_ended(gather, now)?;
                Some(finished(Origin::Request(request), lpn, None, &done))
            }
            (purpose, _) => {
                self.finish_own(purpose, &done, now);
                None
            }
        }
    }

    /// The most frequent case, in which little of the transaction is needed any more.
    #[inline]
    fn finish_read(&mut self, id: TransactionId, request: RequestId, lpn: Lpn, now: SimTime) -> Finished {
        let done = self.transactions.get(id);
        let page = finished(Origin::Request(request), lpn, done.pinned(), done);
        let (pinned, plane) = (done.pinned(), done.plane);
        self.books.ended(id, done);
        self.transactions.remove(id);
        self.unpin(pinned, plane, now);
        page
    }

    /// Whether what a finished read found is data, and still the page's content: nothing was written to it
    /// since. A page that collection moved meanwhile is taken for another.
    pub fn is_current(&self, read: &Finished) -> bool {
        !read.has_failed && self.translation.is_current(read.lpn, read.ppn)
    }

    fn finish_own(&mut self, purpose: Purpose, done: &Transaction, now: SimTime) {
        match (purpose, done.ppn()) {
            (Purpose::UpdateRead(write), _) => self.update_read_ended(write, done, now),
            (Purpose::MappingRead { .. } | Purpose::MappingWrite, _) => {
                self.finish_mapping(purpose, done, now);
            }
            (Purpose::GcRead, _) => self.write_moved_page(done, now),
            (Purpose::OperandRead(gather), _) => self.load_operand(gather, done, now),
            (Purpose::GcWrite, Some(ppn)) => {
                self.books.program_ended(None, ppn);
                self.space.blocks.program_ended(ppn);
                self.move_leaves_die(done.plane);
                self.move_ended(done.collected, false, now);
                if done.plane != done.collected {
                    self.collect_if_short(done.plane, now);
                }
            }
            (Purpose::GcErase, Some(ppn)) => {
                self.collection_ended(done.plane, self.geometry.block_of(ppn), now);
            }
            _ => unreachable!("a finished transaction lacks its page: {done:?}"),
        }
    }

    fn finish_mapping(&mut self, purpose: Purpose, done: &Transaction, now: SimTime) {
        let page = done.lpn.expect("a translation page has a number");
        if purpose == Purpose::MappingWrite {
            self.mapping_program_ended(done, page, now);
        } else {
            self.translation_page_read(done, page, now);
        }
    }

    fn host_program_ended(&mut self, done: &Transaction, lpn: Lpn, now: SimTime) {
        if let Some(ppn) = done.ppn() {
            self.space.blocks.program_ended(ppn);
            self.books.program_ended(Some(lpn), ppn);
        }
        self.space.writes.leave(self.geometry.die_of(done.plane));
        if self.settings.page_allocation.is_early() {
            self.place_writes_without_plane(now);
        } else if let Some(next) = self.translation.unlock(lpn) {
            self.resume_write(next, lpn, now);
        }
        self.collect_if_short(done.plane, now);
    }

    /// A transaction is done, which may have kept the block of a page from being erased.
    #[inline]
    pub(super) fn unpin(&mut self, pinned: Option<Ppn>, plane: PlaneId, now: SimTime) {
        if let Some(ppn) = pinned {
            self.space.blocks.block_mut(self.geometry.block_of(ppn)).pending_reads -= 1;
            self.erase_if_empty(plane, now);
        }
    }
}

pub(super) fn finished(origin: Origin, lpn: Lpn, ppn: Option<Ppn>, done: &Transaction) -> Finished {
    let Transaction { sectors, clock, conflicted, has_failed, .. } = *done;
    Finished { origin, lpn, sectors, ppn, clock, conflicted, has_failed }
}
