//! Reads are made, and sent to the die on which their page lies.

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, Ppn, Priority, SECTOR_BYTES, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

use super::Ftl;
use super::books::OperandWay;

/// Takes in a read of some sectors of a page; it waits nowhere yet.
#[inline]
pub(super) fn insert_read(
    ftl: &mut Ftl,
    (purpose, priority, stream): (Purpose, Priority, u16),
    lpn: Lpn,
    sectors: u64,
    clock: StageClock,
) -> TransactionId {
    let read = Transaction {
        priority,
        lane: ftl.queues.lane(priority),
        lpn: Some(lpn),
        sectors,
        stream,
        bytes: sectors.count_ones() * SECTOR_BYTES,
        ..Transaction::new(purpose, PlaneId(0), clock)
    };
    let id = ftl.transactions.insert(read);
    ftl.books.read_accepted(id, lpn, &read);
    id
}

/// A read waits for the die on which its page lies: at this place, mapped or not.
#[inline]
pub(super) fn send_read(ftl: &mut Ftl, id: TransactionId, (ppn, is_mapped): (Ppn, bool), now: SimTime) {
    let plane = ftl.geometry.plane_of_page(ppn);
    let read = ftl.transactions.get_mut(id);
    (read.page, read.plane) = (PageState::At { ppn, is_pinned: is_mapped }, plane);
    if let Purpose::OperandRead(gather) = read.purpose
        && ftl.gathers.find(gather, read)
    {
        ftl.books.operand_comes(OperandWay::InPlace, 0);
    }
    if is_mapped {
        ftl.space.blocks.table.pin(ftl.geometry.block_of(ppn));
    }
    ftl.queues.join(&mut ftl.transactions, id, now);
}
