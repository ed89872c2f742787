//! Reads are made, and sent to the die on which their page lies.

use venice_kernel::SimTime;
use venice_requests::SECTOR_BYTES;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, Ppn, Priority, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

use super::Ftl;
use super::books::OperandWay;

/// Where a page is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The page.
    pub ppn: Ppn,
    /// Its plane.
    pub plane: PlaneId,
    /// Whether the map has it there.
    pub is_mapped: bool,
}

/// Takes in a read of some sectors of a page; it waits nowhere yet.
pub(super) fn insert_read(
    ftl: &mut Ftl,
    purpose: Purpose,
    priority: Priority,
    stream: u16,
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
        bytes: bytes_of(sectors),
        ..Transaction::new(purpose, PlaneId(0), clock)
    };
    let id = ftl.transactions.insert(read);
    ftl.books.read_accepted(id, lpn, &read);
    id
}

/// Bytes of some sectors.
#[inline]
pub(super) const fn bytes_of(sectors: u64) -> u32 {
    sectors.count_ones() * SECTOR_BYTES
}

/// A read waits for the die on which its page lies: at this place, mapped or not.
pub(super) fn send_read(ftl: &mut Ftl, id: TransactionId, place: Place, now: SimTime) {
    let Place { ppn, plane, is_mapped } = place;
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
