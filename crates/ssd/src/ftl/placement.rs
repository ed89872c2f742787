//! When a write gets its page.
//!
//! # What it models
//! Three times at which a controller may choose the physical page of a write: when the die starts the
//! program, or when the write joins its die's queue, with programs of a block in page order or in any.
//!
//! # How
//! With `at_start` the page is chosen at the last instant: pages are programmed in order by construction,
//! and the planes of a multi-plane command are aligned when it is formed. With `at_arrival` the page is
//! chosen, the old one given up and the map changed as soon as the logical page has been looked up; a
//! write that does not cover all of the old page then waits in its queue for the rest to be read. Whoever
//! looks the page up later finds the new place. A read of a page whose program has not ended goes to
//! flash like any other, and takes its data from the controller's memory, where they are as long.
//!
//! Each block counts the programs whose pages were given out and those that have started, so that a
//! program knows when it is its turn. `at_arrival_any_order` does not ask: a later page of a block may
//! then be programmed before an earlier one, when that makes a multi-plane command or when the earlier
//! one waits for a read. Real flash does not take that; MQSim does it.
//!
//! A write that finds no page in its plane waits until one is erased. Moves of collection get their page
//! when the old one has been read, write-backs of the map when their old contents have.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018: `Address_Mapping_Unit_Page_Level` gives out pages at translation.
//!
//! # Parameters
//! `ftl.page_allocation`, `ftl.write_streams`, `ftl.unwritten_data`, `ftl.unwritten_place`

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{Lpn, PlaneId, Ppn, Priority, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

use super::collecting::collect_if_short;
use super::locating::place_read;
use super::pages::{give_host_page, give_mapping_page, give_move_page};
use super::paging::look_up;
use super::reads::insert_read;
use super::remap::{enqueue_write, wait_for_page};
use super::space::Room;
use super::{FollowUpClass, Ftl};

/// Gives a write of the host its page before its program starts, then those that waited for the
/// same logical page, as far as there is room.
pub(super) fn place_host_writes(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    if let Some(next) = place_one_of_page(ftl, id, lpn, now) {
        place_others_of_page(ftl, next, lpn, now);
    }
}

/// The same of those that waited. Apart: mostly there are none, and what is in no loop has nothing prepared for one.
fn place_others_of_page(ftl: &mut Ftl, first: TransactionId, lpn: Lpn, now: SimTime) {
    let mut next = Some(first);
    while let Some(id) = next {
        next = place_one_of_page(ftl, id, lpn, now);
    }
}

/// Places a write, if it finds a plane. Says which write of its logical page goes on, if another one waited.
fn place_one_of_page(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) -> Option<TransactionId> {
    let Some(plane) = ftl.space.plane_of_write(&ftl.translation, ftl.transactions.get(id), lpn) else {
        ftl.space.find_no_plane(id);
        return None;
    };
    let next = place_host_write(ftl, id, lpn, plane, now)?;
    go_on_with_next(ftl, next, lpn, now)
}

/// Places a write in this plane, or lets it wait for room there. Says which write of its logical page holds the lock now, if it was placed
/// and another one waited.
fn place_host_write(
    ftl: &mut Ftl,
    id: TransactionId,
    lpn: Lpn,
    plane: PlaneId,
    now: SimTime,
) -> Option<TransactionId> {
    ftl.transactions.get_mut(id).plane = plane;
    ftl.space.count_write(&ftl.translation.addresses, lpn, plane);
    let room = room_or_wait(ftl, id, plane, now)?;
    let next = place_with_room(ftl, id, lpn, room, now);
    collect_if_short(ftl, plane, now);
    next
}

/// Gives a write its page in this room. Says which write of its logical page holds the lock now, if another one waited.
fn place_with_room(
    ftl: &mut Ftl,
    id: TransactionId,
    lpn: Lpn,
    room: Room,
    now: SimTime,
) -> Option<TransactionId> {
    let mut spot = ftl.translation.map.spot(lpn);
    // What it does not cover is read from the page that it replaces.
    let missing = ftl.translation.cover(ftl.transactions.get_mut(id), spot, lpn);
    if missing != 0 {
        read_missing(ftl, id, lpn, missing, now);
        spot = ftl.translation.map.spot(lpn);
    }
    give_host_page(ftl, id, spot, lpn, Some(room), now);
    if let PageState::Given { waits_for_read, .. } = &mut ftl.transactions.get_mut(id).page {
        *waits_for_read = missing != 0;
    }
    ftl.queues.join(&mut ftl.transactions, id, now);
    // Looked up again: what goes on where the old page has left may write another entry for the first time.
    ftl.translation.unlock(lpn)
}

/// A write of this logical page has got its place: the next one, if its entry of the map is known.
fn go_on_with_next(ftl: &mut Ftl, next: TransactionId, lpn: Lpn, now: SimTime) -> Option<TransactionId> {
    ftl.transactions.get_mut(next).clock.charge(Stage::Queue, now);
    look_up(ftl, next, lpn, now).then_some(next)
}

/// The room for a write in its plane, or it waits for some.
fn room_or_wait(ftl: &mut Ftl, id: TransactionId, plane: PlaneId, now: SimTime) -> Option<Room> {
    let is_first = ftl.space.for_room[plane.index()].first().is_none();
    let room = if is_first { ftl.space.room_for(ftl.transactions.get(id)) } else { None };
    if room.is_none() {
        wait_for_room(ftl, id, plane, now);
    }
    room
}

fn wait_for_room(ftl: &mut Ftl, id: TransactionId, plane: PlaneId, now: SimTime) {
    ftl.space.for_room[plane.index()].push(&mut ftl.transactions, id);
    collect_if_short(ftl, plane, now);
}

/// Pages of this plane can be given out that could not before.
fn place_writes_in(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    while let Some(first) = ftl.space.for_room[plane.index()].first()
        && let Some(room) = ftl.space.room_for(ftl.transactions.get(first))
    {
        let Some(id) = ftl.space.for_room[plane.index()].pop(&mut ftl.transactions) else { return };
        ftl.transactions.get_mut(id).clock.charge(Stage::ChipWait, now);
        let write = ftl.transactions.get(id);
        let lpn = write.lpn.expect("a write has a logical page");
        if write.purpose == Purpose::MappingWrite {
            place_mapping_write(ftl, id, lpn, now);
        } else {
            let next = place_with_room(ftl, id, lpn, room, now);
            place_next_of_page(ftl, next, lpn, now);
        }
    }
}

fn place_next_of_page(ftl: &mut Ftl, next: Option<TransactionId>, lpn: Lpn, now: SimTime) {
    if let Some(next) = next.and_then(|next| go_on_with_next(ftl, next, lpn, now)) {
        place_host_writes(ftl, next, lpn, now);
    }
}

/// Planes may hold fewer pages than before: writes that found all of them full may go on.
pub(super) fn place_writes_without_plane(ftl: &mut Ftl, now: SimTime) {
    let mut first = 0;
    while let Some(&id) = ftl.space.without_plane().get(first) {
        let lpn = ftl.transactions.get(id).lpn.expect("a write has a logical page");
        let Some(plane) = ftl.space.plane_of_write(&ftl.translation, ftl.transactions.get(id), lpn) else {
            // Behind a write of one address range may be one of another.
            if ftl.translation.addresses.len() == 1 {
                return;
            }
            first += 1;
            continue;
        };
        ftl.space.without_plane().remove(first);
        ftl.transactions.get_mut(id).clock.charge(Stage::ChipWait, now);
        let next = place_host_write(ftl, id, lpn, plane, now);
        place_next_of_page(ftl, next, lpn, now);
    }
}

/// A write-back of the map joins its die's queue.
pub(super) fn enqueue_mapping_write(ftl: &mut Ftl, id: TransactionId, page: Lpn, now: SimTime) {
    let plane = ftl.transactions.get(id).plane;
    if !ftl.settings.page_allocation.is_early() {
        wait_for_page(ftl, id, now);
    } else if room_or_wait(ftl, id, plane, now).is_some() {
        place_mapping_write(ftl, id, page, now);
    }
}

fn place_mapping_write(ftl: &mut Ftl, id: TransactionId, page: Lpn, now: SimTime) {
    give_mapping_page(ftl, id, page, now);
    ftl.queues.join(&mut ftl.transactions, id, now);
}

/// Gives a move its page; `from` is where it was. If it leaves its plane, the room that was kept for it there is the host's to use.
pub(super) fn place_move(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, from: Ppn, now: SimTime) -> Ppn {
    let to = give_move_page(ftl, id, lpn, from, now);
    let plane = ftl.geometry.plane_of_page(from);
    if ftl.geometry.plane_of_page(to) != plane {
        room_appeared(ftl, plane, now);
    }
    to
}

/// Writes that waited for room in `plane` may go on.
pub(super) fn room_appeared(ftl: &mut Ftl, plane: PlaneId, now: SimTime) {
    ftl.space.blocks.planes[plane].writable_since = now;
    place_writes_in(ftl, plane, now);
    ftl.queues.wake(ftl.geometry.die_of(plane));
}

/// The write that waited for its logical page's lock has got it.
pub(super) fn resume_write(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    ftl.transactions.get_mut(id).clock.charge(Stage::Queue, now);
    look_up_write(ftl, id, lpn, now);
}

pub(super) fn look_up_write(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    if look_up(ftl, id, lpn, now) {
        start_write(ftl, id, lpn, now);
    }
}

/// A write that holds its page's lock and knows where the page is: gets its page, or reads first
/// what it does not cover.
pub(super) fn start_write(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, now: SimTime) {
    if ftl.settings.page_allocation.is_early() {
        return place_host_writes(ftl, id, lpn, now);
    }
    let spot = ftl.translation.map.spot(lpn);
    let missing = ftl.translation.cover(ftl.transactions.get_mut(id), spot, lpn);
    if missing == 0 {
        enqueue_write(ftl, id, lpn, now);
    } else {
        read_missing(ftl, id, lpn, missing, now);
    }
}

/// The class of what a request of this class makes necessary.
#[inline]
pub(super) fn follow_up_class(ftl: &Ftl, own: Priority) -> Priority {
    match ftl.settings.follow_up_class {
        FollowUpClass::Own => own,
        FollowUpClass::High => Priority::High,
    }
}

/// Reads what a write does not cover from where its page is now.
fn read_missing(ftl: &mut Ftl, id: TransactionId, lpn: Lpn, missing: u64, now: SimTime) {
    let Transaction { clock, priority, .. } = *ftl.transactions.get(id);
    let priority = follow_up_class(ftl, priority);
    let read = insert_read(ftl, Purpose::UpdateRead(id), priority, 0, lpn, missing, clock);
    place_read(ftl, read, lpn, now);
}

/// What a write does not cover was read.
pub(super) fn update_read_ended(ftl: &mut Ftl, id: TransactionId, read: &Transaction, now: SimTime) {
    let write = ftl.transactions.get_mut(id);
    write.clock = read.clock;
    write.conflicted |= read.conflicted;
    if let PageState::Given { waits_for_read, .. } = &mut write.page {
        *waits_for_read = false;
        let plane = write.plane;
        ftl.queues.wake(ftl.geometry.die_of(plane));
    } else if let Some(lpn) = write.lpn {
        enqueue_write(ftl, id, lpn, now);
    }
}
