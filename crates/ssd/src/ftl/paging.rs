//! Look-ups in a map that is not in memory as a whole: what they, and entries that make room, have the drive read.
//!
//! What is modelled, and after whom, says [`super::translation::DemandPaging`].

use venice_kernel::SimTime;
use venice_requests::SECTOR_BYTES;

use crate::accounting::StageClock;
use crate::geometry::{Lpn, PlaneId, TransactionId};
use crate::work::{Purpose, Transaction};

use super::Ftl;
use super::collecting::collect_if_short;
use super::reads::{Place, send_read};
use super::remap::remap;
use super::space::Stream;
use super::translation::{DemandPaging, TranslationRead};

/// Looks up a logical page for a transaction that waits nowhere yet. Says whether the answer is
/// there at once; otherwise the transaction goes on by itself when it is.
#[inline]
pub(super) fn look_up(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
    ftl.books.looked_up(ftl.transactions.get(id).purpose);
    ftl.translation.paging.is_none() || look_up_in_table(ftl, id, lpn, now)
}

fn look_up_in_table(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
    let Some(paging) = &mut ftl.translation.paging else { return true };
    paging.look_up(lpn) || look_up_on_flash(ftl, id, lpn, now)
}

fn look_up_on_flash(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> bool {
    ftl.books.missed(ftl.transactions.get(id).purpose);
    let Some(paging) = &mut ftl.translation.paging else { return true };
    let missed = paging.miss(lpn);
    let Some(read) = missed.read else {
        enter(ftl, lpn, false, now);
        return true;
    };
    let evicted = paging.reserve_and_wait(&mut ftl.transactions, id, lpn, missed);
    if let Some(page) = evicted {
        write_back_evicted(ftl, page, now);
    }
    if read == TranslationRead::Wanted {
        read_translation_page(ftl, missed.page, SECTOR_BYTES, false, now);
    }
    false
}

fn read_translation_page(ftl: &mut Ftl, page: Lpn, bytes: u32, writes_back: bool, now: SimTime) {
    if let Some(paging) = &mut ftl.translation.paging {
        paging.read_begins(page);
    }
    let read = Transaction {
        lpn: Some(page),
        bytes,
        ..Transaction::new(Purpose::MappingRead { writes_back }, PlaneId(0), StageClock::start(now))
    };
    let id = ftl.transactions.insert(read);
    ftl.books.read_accepted(id, page, &read);
    let (ppn, is_mapped) = ftl.translation.locate(page);
    let plane = ftl.geometry.plane_of_page(ppn);
    send_read(ftl, id, Place { ppn, plane, is_mapped }, now);
}

/// The host's page has got a new place: its entry is newer than flash.
pub(super) fn mapping_changed(ftl: &mut Ftl, lpn: Lpn, now: SimTime) {
    if ftl.translation.paging.is_some() {
        enter(ftl, lpn, true, now);
    }
}

pub(super) fn enter(ftl: &mut Ftl, lpn: Lpn, dirty: bool, now: SimTime) {
    let Some(paging) = &mut ftl.translation.paging else { return };
    if let Some(evicted) = paging.enter(lpn, dirty) {
        write_back_evicted(ftl, evicted, now);
    }
}

/// An entry that flash does not know has lost its place in the table.
fn write_back_evicted(ftl: &mut Ftl, evicted: Lpn, now: SimTime) {
    ftl.books.write_back_wanted();
    let Some(paging) = &mut ftl.translation.paging else { return };
    if let Some((page, bytes)) = paging.begin_write_back(evicted, ftl.geometry.page_bytes) {
        read_translation_page(ftl, page, bytes, true, now);
        if moves_without_program(ftl) {
            move_without_program(ftl, page, now);
        }
    }
}

/// Whether translation pages get places without being programmed: as MQSim, which has given out the
/// page when it would write it. A page that is given out when its program starts never is.
fn moves_without_program(ftl: &Ftl) -> bool {
    let is_read_only = |paging: &DemandPaging| !paging.writes_back();
    ftl.settings.page_allocation.is_early() && ftl.translation.paging.as_ref().is_some_and(is_read_only)
}

/// Gives every full translation page its first place, where they get one without a program.
pub(super) fn store_map_at_start(ftl: &mut Ftl) {
    let Some(paging) = &ftl.translation.paging else { return };
    let full = paging.full_pages();
    if moves_without_program(ftl) {
        for page in 0..full {
            move_without_program(ftl, Lpn(ftl.translation.host_pages() + page), SimTime::ZERO);
        }
    }
}

/// A translation page gets its next place as if it had been programmed there, if there is room.
fn move_without_program(ftl: &mut Ftl, page: Lpn, now: SimTime) {
    let (plane, _) = ftl.translation.addresses.place(page);
    let Some(ppn) = ftl.space.blocks.allocate_written(plane, map_stream(ftl, page)) else { return };
    ftl.books.unwritten_page_mapped(page, ppn);
    remap(ftl, page, ppn, now);
    collect_if_short(ftl, plane, now);
}

/// Whose blocks a translation page's next place is in.
pub(super) fn map_stream(ftl: &Ftl, page: Lpn) -> Stream {
    Stream::Mapping(ftl.translation.range_of(page) as u16 % ftl.settings.streams().map)
}
