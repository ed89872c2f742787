//! Translation pages have been read or programmed: who waited for them goes on, and what changed is written back.

use venice_kernel::SimTime;

use crate::accounting::{Stage, StageClock};
use crate::geometry::Lpn;
use crate::work::{Purpose, Transaction};

use super::Ftl;
use super::collecting::collect_if_short;
use super::locating::place_read;
use super::paging::enter;
use super::placement::{enqueue_mapping_write, start_write};

/// A translation page was read, for a write-back or not: whoever waits for it goes on, and met a path conflict if the read did.
pub(super) fn translation_page_read(
    ftl: &mut Ftl,
    page: Lpn,
    writes_back: bool,
    conflicted: bool,
    now: SimTime,
) {
    let Some(paging) = &mut ftl.translation.paging else { return };
    let real = paging.writes_back();
    let mut waiting = paging.read_ended(page);
    if writes_back && real {
        write_back(ftl, page, now);
    }
    while let Some(id) = waiting.pop(&mut ftl.transactions) {
        let transaction = ftl.transactions.get_mut(id);
        transaction.clock.charge(Stage::Mapping, now);
        transaction.conflicted |= conflicted;
        let (purpose, lpn) = (transaction.purpose, transaction.lpn);
        let lpn = lpn.expect("only transactions of a logical page look it up");
        enter(ftl, lpn, false, now);
        match purpose {
            Purpose::HostRead(_) | Purpose::OperandRead(_) => place_read(ftl, id, lpn, now),
            _ => start_write(ftl, id, lpn, now),
        }
    }
}

fn write_back(ftl: &mut Ftl, page: Lpn, now: SimTime) {
    if let Some(paging) = &mut ftl.translation.paging {
        paging.program_ordered(page);
    }
    let write = Transaction {
        lpn: Some(page),
        bytes: ftl.geometry.page_bytes,
        ..Transaction::new(
            Purpose::MappingWrite,
            ftl.translation.addresses.place(page).0,
            StageClock::start(now),
        )
    };
    let id = ftl.transactions.insert(write);
    enqueue_mapping_write(ftl, id, page, now);
}

/// The program of a translation page has ended.
pub(super) fn mapping_program_ended(ftl: &mut Ftl, done: &Transaction, page: Lpn, now: SimTime) {
    if let Some(ppn) = done.ppn() {
        ftl.space.blocks.program_ended(done.plane, ppn);
        ftl.books.program_ended(Some(page), ppn);
    }
    if let Some(paging) = &mut ftl.translation.paging
        && paging.program_ended(page)
    {
        write_back(ftl, page, now);
    }
    collect_if_short(ftl, done.plane, now);
}
