//! Writes get their pages, and the map changes at the same instant.

use venice_kernel::SimTime;
use venice_kernel::mem::Spot;

use crate::geometry::{Lpn, Ppn, TransactionId};
use crate::work::Purpose;

use super::Ftl;
use super::paging::mapping_changed;
use super::remap::{moved, remap};
use super::space::Room;

/// Gives a write of the host its page, in the room that was found for it if it was looked for.
pub(super) fn give_host_page(
    ftl: &mut Ftl,
    id: TransactionId,
    spot: Spot,
    lpn: Lpn,
    room: Option<Room>,
    now: SimTime,
) -> Ppn {
    let write = ftl.transactions.get_mut(id);
    let ppn = ftl.space.give_page(write, room);
    if let Purpose::HostWrite(origin) = write.purpose {
        ftl.books.host_page_given(origin, lpn, ppn);
    }
    let old = ftl.translation.rewrite(spot, lpn, ppn, write.sectors);
    moved(ftl, lpn, old, ppn, now);
    mapping_changed(ftl, lpn, now);
    ppn
}

/// Gives a move of collection its page; `from` is where it was. Room that was kept for it there is the host's, if it leaves.
pub(super) fn give_move_page(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, from: Ppn, now: SimTime) -> Ppn {
    let plane = ftl.geometry.plane_of_page(from);
    let to = ftl.space.give_page(ftl.transactions.get_mut(id), None);
    let destination = ftl.geometry.plane_of_page(to);
    let is_of_host = !ftl.translation.is_translation_page(lpn);
    let cause = ftl.space.blocks.planes[plane].collection.as_mut().map(|collection| {
        collection.unplaced -= 1;
        collection.cause
    });
    ftl.books.move_page_given(cause, from, to, is_of_host && destination != plane);
    // `remap` takes the page out of its old plane's count.
    if is_of_host {
        ftl.space.commit(&ftl.translation.addresses, lpn, destination, 1);
    }
    remap(ftl, lpn, to, now);
    if let Some(paging) = &mut ftl.translation.paging {
        paging.moved(lpn);
    }
    to
}

/// Gives a write-back of the map its page.
pub(super) fn give_mapping_page(ftl: &mut Ftl, id: TransactionId, page: Lpn, now: SimTime) -> Ppn {
    let ppn = ftl.space.give_page(ftl.transactions.get_mut(id), None);
    ftl.books.mapping_page_given(page, ppn);
    remap(ftl, page, ppn, now);
    ppn
}
