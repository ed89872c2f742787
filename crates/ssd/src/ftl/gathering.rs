//! Gathers begin, their operands are read and brought to the target, and they end.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::{GatherId, RequestId, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

use super::Ftl;
use super::books::OperandWay;
use super::gathers::Wanted;
use super::locating::place_read;
use super::paging::look_up;
use super::reads::insert_read;

/// The target is free: all operands are asked for.
pub(super) fn begin_gather(ftl: &mut Ftl, wanted: &Wanted, now: SimTime) {
    let (id, operands) = ftl.gathers.begin(&ftl.translation.addresses, wanted);
    let &Wanted { initiator, queue, sectors, since, .. } = wanted;
    ftl.books.gather_begins(operands.len() as u32);
    let mut clock = StageClock::start(since);
    clock.charge(Stage::ChipWait, now);
    let (purpose, stream) = (Purpose::OperandRead(id), ftl.space.stream_of_queue(queue));
    for lpn in operands {
        let read = insert_read(ftl, purpose, initiator.priority, stream, lpn, sectors, clock);
        if look_up(ftl, read, lpn, now) {
            place_read(ftl, read, lpn, now);
        }
    }
}

/// An operand has come to a controller: it waits for the target's die.
pub(super) fn load_operand(ftl: &mut Ftl, gather: GatherId, read: &Transaction, now: SimTime) {
    ftl.books.operand_comes(OperandWay::ByController, read.bytes);
    let id = insert_load(ftl, gather, read);
    ftl.queues.join(&mut ftl.transactions, id, now);
}

/// Takes in the transaction that an operand which was read becomes on its target.
pub(super) fn insert_load(ftl: &mut Ftl, gather: GatherId, read: &Transaction) -> TransactionId {
    let (purpose, plane) = (Purpose::OperandLoad(gather), ftl.gathers.target(gather));
    let page = read.ppn().map_or(PageState::Unknown, |ppn| PageState::At { ppn, is_pinned: false });
    ftl.transactions.insert(Transaction { purpose, plane, page, ..*read })
}

/// An operand has been combined. If the result is where it is to be, whose it is; the next gather of the target begins.
pub(super) fn combination_ended(ftl: &mut Ftl, gather: GatherId, now: SimTime) -> Option<RequestId> {
    let (request, next) = ftl.gathers.combination_ended(gather)?;
    if let Some(next) = next {
        begin_gather(ftl, &next, now);
    }
    Some(request)
}
