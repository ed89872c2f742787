//! What changes when a command starts: counters, pages that are given out, the map.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::ArrayWork;
use crate::geometry::{DieId, Lpn, PlaneId, Ppn, TransactionId};

use super::Ftl;
use super::books::OperandWay;
use super::collecting::unpin;
use super::gathering::insert_load;
use super::pages::{give_host_page, give_mapping_page};
use super::placement::place_move;
use crate::controller::Command;
use crate::work::{PageState, Purpose, Transaction};

fn start_one(ftl: &mut Ftl, id: TransactionId, now: SimTime) -> ArrayWork {
    let &Transaction { purpose, page, .. } = ftl.transactions.get(id);
    let first = match page {
        PageState::At { ppn, .. } => start_at(ftl, id, purpose, ppn),
        PageState::From(ppn) if purpose == Purpose::GcRead => read_time(ftl, id, ppn),
        PageState::From(ppn) => return start_move(ftl, id, ppn, now),
        PageState::Given { .. } | PageState::Unknown => start_program(ftl, id, now),
    };
    ArrayWork { first, program: SimSpan::ZERO }
}

/// What works on a page where it is.
fn start_at(ftl: &mut Ftl, id: TransactionId, purpose: Purpose, ppn: Ppn) -> SimSpan {
    match purpose {
        Purpose::OperandLoad(gather) => ftl.gathers.combination_begins(gather),
        Purpose::OperandSense(gather) => read_time(ftl, id, ppn) + ftl.gathers.combination_begins(gather),
        Purpose::GcErase => {
            ftl.books.erase_begins(ftl.geometry.block_of(ppn));
            ftl.flash.array.erase
        }
        _ => read_time(ftl, id, ppn),
    }
}

/// The write of a move gets its page; a copyback reads the old one first.
fn start_move(ftl: &mut Ftl, id: TransactionId, from: Ppn, now: SimTime) -> ArrayWork {
    let lpn = ftl.transactions.get(id).lpn.expect("a moved page has a logical page");
    let sensing = ftl.collector.is_copyback().then(|| read_time(ftl, id, from));
    let to = place_move(ftl, id, lpn, from, now);
    let program = program_started(ftl, Purpose::GcWrite, to);
    match sensing {
        Some(first) => ArrayWork { first, program },
        None => ArrayWork { first: program, program: SimSpan::ZERO },
    }
}

/// A write goes to the page that it was given, or else gets one now.
fn start_program(ftl: &mut Ftl, id: TransactionId, now: SimTime) -> SimSpan {
    let write = ftl.transactions.get(id);
    let (purpose, lpn, given) = (write.purpose, write.lpn, write.ppn());
    let lpn = lpn.expect("a write has a logical page");
    let is_of_map = purpose == Purpose::MappingWrite;
    let ppn = match given {
        Some(ppn) => ppn,
        None if is_of_map => give_mapping_page(ftl, id, lpn, now),
        None => start_host_program(ftl, id, lpn, now),
    };
    if let (true, Some(paging)) = (is_of_map, &mut ftl.translation.paging) {
        paging.program_started(lpn);
    }
    program_started(ftl, purpose, ppn)
}

/// A write of the host whose page is given out when its program starts.
#[inline]
fn start_host_program(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> Ppn {
    let spot = ftl.translation.map.spot(lpn);
    give_host_page(ftl, id, spot, lpn, None, now)
}

fn read_time(ftl: &mut Ftl, id: TransactionId, ppn: Ppn) -> SimSpan {
    ftl.books.read_begins(ftl.transactions.get(id), ppn);
    ftl.flash.array.read_of(ftl.geometry.page_offset(ppn))
}

/// The program of a page starts. Says how long it takes.
fn program_started(ftl: &mut Ftl, purpose: Purpose, ppn: Ppn) -> SimSpan {
    ftl.books.program_starts(purpose, ppn, ftl.settings.gc_copyback);
    ftl.space.blocks.table.program_starts(ftl.geometry.block_of(ppn));
    ftl.flash.array.program_of(ftl.geometry.page_offset(ppn))
}

/// A page goes from its register to that of another chip, where its program starts: the transaction that it is there, and how
/// long its array will work.
pub(super) fn start_copy(
    ftl: &mut Ftl,
    read: TransactionId,
    plane: PlaneId,
    now: SimTime,
) -> (TransactionId, ArrayWork) {
    let write = Transaction { purpose: Purpose::GcWrite, plane, ..*ftl.transactions.get(read) };
    let id = ftl.transactions.insert(write);
    ftl.books.copied_between_chips();
    ftl.collector.destinations.join(plane);
    let work = start_one(ftl, id, now);
    (id, work)
}

/// A page has left its register for another chip: its read is over.
pub(super) fn copied(ftl: &mut Ftl, read: TransactionId, now: SimTime) {
    let done = ftl.transactions.remove(read);
    ftl.books.ended(read, &done);
    unpin(ftl, done.pinned(), done.plane, now);
}

/// An operand goes from its register to the target: the transaction that it is there, and how long its array will work.
pub(super) fn start_load(
    ftl: &mut Ftl,
    read: TransactionId,
    now: SimTime,
) -> Option<(TransactionId, ArrayWork)> {
    let operand = *ftl.transactions.get(read);
    let Purpose::OperandRead(gather) = operand.purpose else { return None };
    ftl.books.operand_comes(OperandWay::BetweenChips, operand.bytes);
    let id = insert_load(ftl, gather, &operand);
    let work = start_one(ftl, id, now);
    Some((id, work))
}

/// The command was accepted by the fabric: its transactions leave their queue, pages to be
/// programmed are given out. Returns how long the array will work.
pub(super) fn start(ftl: &mut Ftl, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
    ftl.books.command_starts(command.operation, command.batch.len(), command.bytes);
    ftl.queues.starts(die, &command.batch, &ftl.transactions, ftl);
    let longest = |work: ArrayWork, &id: &TransactionId| {
        ftl.queues.leave(&mut ftl.transactions, die, id, now);
        work.max(start_one(ftl, id, now))
    };
    command.batch.iter().fold(ArrayWork::default(), longest)
}
