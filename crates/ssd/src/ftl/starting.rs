//! What changes when a command starts: counters, pages that are given out, the map.

use venice_kernel::{SimSpan, SimTime};

use crate::chip::ArrayWork;
use crate::geometry::{DieId, PlaneId, Ppn, TransactionId};

use super::Ftl;
use super::books::OperandWay;
use super::collecting::unpin;
use super::gathering::insert_load;
use super::pages::{give_host_page, give_mapping_page};
use super::placement::place_move;
use crate::controller::Command;
use crate::work::{Purpose, Transaction};

fn start_one(ftl: &mut Ftl, id: TransactionId, now: SimTime) -> ArrayWork {
    let Transaction { purpose, lpn, ppn, placed, .. } = *ftl.transactions.get(id);
    let first = match (purpose, lpn, ppn) {
        (Purpose::HostWrite(_), _, Some(ppn)) if placed => program_started(ftl, purpose, ppn),
        (Purpose::HostWrite(_), Some(lpn), _) => {
            let ppn = give_host_page(ftl, id, lpn, now);
            program_started(ftl, purpose, ppn)
        }
        (Purpose::MappingWrite, Some(page), ppn) => {
            let given = ppn.unwrap_or_else(|| give_mapping_page(ftl, id, page, now));
            if let Some(paging) = &mut ftl.translation.paging {
                paging.program_started(page);
            }
            program_started(ftl, purpose, given)
        }
        (Purpose::GcWrite, Some(lpn), Some(from)) if ftl.settings.gc_copyback => {
            let first = read_time(ftl, id, from);
            let to = place_move(ftl, id, lpn, from, now);
            return ArrayWork { first, program: program_started(ftl, purpose, to) };
        }
        (Purpose::GcWrite, Some(lpn), Some(ppn)) => {
            let given = if placed { ppn } else { place_move(ftl, id, lpn, ppn, now) };
            program_started(ftl, purpose, given)
        }
        (Purpose::OperandLoad(gather), _, _) => ftl.gathers.combination_begins(gather),
        (Purpose::OperandSense(gather), _, Some(ppn)) => {
            read_time(ftl, id, ppn) + ftl.gathers.combination_begins(gather)
        }
        (Purpose::GcErase, _, _) => {
            if let Some(ppn) = ppn {
                ftl.books.erase_begins(ftl.geometry.block_of(ppn));
            }
            ftl.flash.array.erase
        }
        (_, _, Some(ppn)) => read_time(ftl, id, ppn),
        _ => unreachable!("a transaction lacks its page: {:?}", ftl.transactions.get(id)),
    };
    ArrayWork { first, program: SimSpan::ZERO }
}

fn read_time(ftl: &mut Ftl, id: TransactionId, ppn: Ppn) -> SimSpan {
    ftl.books.read_begins(ftl.transactions.get(id), ppn);
    ftl.flash.array.read_of(ftl.geometry.page_offset(ppn))
}

/// The program of a page starts. Says how long it takes.
fn program_started(ftl: &mut Ftl, purpose: Purpose, ppn: Ppn) -> SimSpan {
    ftl.books.program_starts(purpose, ppn, ftl.settings.gc_copyback);
    ftl.space.blocks.block_mut(ftl.geometry.block_of(ppn)).started_programs += 1;
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
    unpin(ftl, (done.pins_block, done.ppn, done.plane), now);
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
    let mut work = ArrayWork::default();
    for &id in &command.batch {
        ftl.queues.leave(&mut ftl.transactions, die, id, now);
        work = work.max(start_one(ftl, id, now));
    }
    work
}
