//! What happens when a die has finished a transaction.

use venice_kernel::SimTime;

use crate::geometry::{Lpn, PlaneId, Ppn, RequestId, TransactionId};

use super::Ftl;
use super::collecting::{collect_if_short, unpin};
use super::gathering::{combination_ended, load_operand};
use super::moving::{collection_ended, move_programmed, write_moved_page};
use super::placement::{place_writes_without_plane, resume_write, update_read_ended};
use super::write_backs::{mapping_program_ended, translation_page_read};
use crate::work::{Origin, Purpose, Transaction};

/// A page that the host or the data cache wanted is done. Where its time went, its transaction's clock knows.
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
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether it came to nothing, as its chip was lost or a write found no room on what is left.
    pub has_failed: bool,
}

impl Ftl {
    /// A read, program or erase is done at `now`, when its clock was last charged. If it was the host's, says so: its transaction is there
    /// until it is [forgotten](crate::work::Transactions::forget), for whoever asks where its time went.
    pub fn finish(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let done = self.transactions.get(id);
        match (done.purpose, done.lpn) {
            (Purpose::HostRead(request), Some(lpn)) => Some(finish_read(self, id, request, lpn, now)),
            (Purpose::HostWrite(origin), Some(lpn)) => Some(finish_write(self, id, origin, lpn, now)),
            (Purpose::MappingRead { writes_back }, Some(page)) => {
                finish_map_read(self, id, page, writes_back, now);
                None
            }
            _ => finish_other(self, id, now),
        }
    }

    /// Whether what a finished read found is data, and still the page's content: nothing was written to it
    /// since. A page that collection moved meanwhile is taken for another.
    pub fn is_current(&self, read: &Finished) -> bool {
        !read.has_failed && self.translation.is_current(read.lpn, read.ppn)
    }
}

/// The end of all but reads and writes of the host.
fn finish_other(ftl: &mut Ftl, id: TransactionId, now: SimTime) -> Option<Finished> {
    let done = *ftl.transactions.get(id);
    ftl.books.ended(id, &done);
    if let (Purpose::OperandLoad(gather) | Purpose::OperandSense(gather), Some(lpn)) =
        (done.purpose, done.lpn)
    {
        unpin(ftl, done.pinned(), done.plane, now);
        let request = combination_ended(ftl, gather, now);
        if request.is_none() {
            ftl.transactions.forget(id);
        }
        return Some(finished(Origin::Request(request?), lpn, None, &done));
    }
    ftl.transactions.forget(id);
    unpin(ftl, done.pinned(), done.plane, now);
    finish_own(ftl, done.purpose, &done, now);
    None
}

/// The end of a read of the map.
fn finish_map_read(ftl: &mut Ftl, id: TransactionId, page: Lpn, writes_back: bool, now: SimTime) {
    let done = ftl.transactions.get(id);
    let (pinned, plane, conflicted) = (done.pinned(), done.plane, done.conflicted);
    ftl.books.ended(id, done);
    ftl.transactions.forget(id);
    unpin(ftl, pinned, plane, now);
    translation_page_read(ftl, page, writes_back, conflicted, now);
}

pub(super) fn finished(origin: Origin, lpn: Lpn, ppn: Option<Ppn>, done: &Transaction) -> Finished {
    let Transaction { sectors, conflicted, has_failed, .. } = *done;
    Finished { origin, lpn, sectors, ppn, conflicted, has_failed }
}

/// The most frequent case, in which little of the transaction is needed any more.
fn finish_read(ftl: &mut Ftl, id: TransactionId, request: RequestId, lpn: Lpn, now: SimTime) -> Finished {
    let done = ftl.transactions.get(id);
    let page = finished(Origin::Request(request), lpn, done.pinned(), done);
    let (pinned, plane) = (done.pinned(), done.plane);
    ftl.books.ended(id, done);
    unpin(ftl, pinned, plane, now);
    page
}

/// The same of a write, which keeps no page from being erased.
fn finish_write(ftl: &mut Ftl, id: TransactionId, origin: Origin, lpn: Lpn, now: SimTime) -> Finished {
    let done = ftl.transactions.get(id);
    let page = finished(origin, lpn, done.ppn(), done);
    let plane = done.plane;
    ftl.books.ended(id, done);
    host_program_ended(ftl, &page, plane, now);
    page
}

fn finish_own(ftl: &mut Ftl, purpose: Purpose, done: &Transaction, now: SimTime) {
    match (purpose, done.ppn()) {
        (Purpose::UpdateRead(write), _) => update_read_ended(ftl, write, done, now),
        (Purpose::MappingWrite, _) => {
            let page = done.lpn.expect("a translation page has a number");
            mapping_program_ended(ftl, done, page, now);
        }
        (Purpose::GcRead, _) => write_moved_page(ftl, done, now),
        (Purpose::OperandRead(gather), _) => load_operand(ftl, gather, done, now),
        (Purpose::GcWrite, Some(ppn)) => move_programmed(ftl, done, ppn, now),
        (Purpose::GcErase, Some(ppn)) => {
            collection_ended(ftl, done.plane, ftl.geometry.block_of(ppn), now);
        }
        _ => unreachable!("a finished transaction lacks its page: {done:?}"),
    }
}

fn host_program_ended(ftl: &mut Ftl, &Finished { lpn, ppn, .. }: &Finished, plane: PlaneId, now: SimTime) {
    if let Some(ppn) = ppn {
        ftl.space.blocks.program_ended(plane, ppn);
        ftl.books.program_ended(Some(lpn), ppn);
    }
    ftl.space.writes.leave(ftl.geometry.die_of(plane));
    if ftl.settings.page_allocation.is_early() {
        if !ftl.space.without_plane().is_empty() {
            place_writes_without_plane(ftl, now);
        }
    } else if let Some(next) = ftl.translation.unlock(lpn) {
        resume_write(ftl, next, lpn, now);
    }
    collect_if_short(ftl, plane, now);
}
