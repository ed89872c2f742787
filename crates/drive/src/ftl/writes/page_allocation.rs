//! Allocation of physical pages before programs start, and writes that wait for a free page.
//!
//! A write whose plane has no free page waits here or, if pages are allocated at the start of programs, in
//! the queue of its die. Garbage collection (`collector/victims.rs`) then frees a block, and the task
//! [`Task::RoomFreed`] continues the writes of the plane. `space/plane.rs` has the rule for planes without a
//! free block.

use venice_kernel::SimTime;
use venice_kernel::mem::EntryPosition;
use venice_nand::geometry::{Lpn, PlaneId, TransactionId};
use venice_nand::latency::Stage;
use venice_nand::transactions::{PageState, Purpose};

use crate::ftl::shared::Shared;
use crate::ftl::space::NextWritePosition;
use crate::ftl::tasks::{Task, WritePlacement};

use super::Writes;

impl Writes {
    /// Allocates the physical page of a write that has the lock of its logical page. If there is no plane or
    /// page for the write, makes the write wait.
    pub(super) fn place(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, now: SimTime) {
        match shared.plane_of_write(id, lpn) {
            Some(plane) => self.place_in(shared, id, lpn, plane, now),
            None => self.wait_for_plane(shared, id),
        }
    }

    /// Allocates the physical page of a write in `plane`. If the plane has no free page, makes the write
    /// wait.
    fn place_in(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn, plane: PlaneId, now: SimTime) {
        shared.send_write(id, lpn, plane);
        if let Some(room) = self.room_or_wait(shared, id, plane) {
            self.place_with_room(shared, lpn, id, room, true, now);
        }
    }

    /// Queues the read of the sectors that a write does not cover, from the page that the write replaces.
    /// Then allocates the physical page of the write.
    fn place_with_room(
        &mut self,
        shared: &mut Shared,
        lpn: Lpn,
        write: TransactionId,
        room: NextWritePosition,
        may_collect: bool,
        now: SimTime,
    ) {
        let spot = shared.translation.map.spot(lpn);
        let missing = shared.translation.cover(shared.transactions.get_mut(write), spot, lpn);
        let placement = WritePlacement { write, room, waits_for_read: missing != 0, may_collect };
        if missing == 0 {
            return self.give_room(shared, &placement, spot, lpn, now);
        }
        shared.tasks.push(Task::ReadMissing { write, sectors: missing });
        shared.tasks.push(Task::PlaceWrite(placement));
    }

    /// Allocates the physical page of a write, after the read of the sectors that it does not cover has been
    /// queued.
    pub(in crate::ftl) fn place_after_read(
        &mut self,
        shared: &mut Shared,
        placement: &WritePlacement,
        now: SimTime,
    ) {
        let lpn = shared.transactions.get(placement.write).lpn.expect("a write has a logical page");
        let spot = shared.translation.map.spot(lpn);
        self.give_room(shared, placement, spot, lpn, now);
    }

    fn give_room(
        &mut self,
        shared: &mut Shared,
        placement: &WritePlacement,
        spot: EntryPosition,
        lpn: Lpn,
        now: SimTime,
    ) {
        let &WritePlacement { write: id, room, waits_for_read: waits, may_collect } = placement;
        shared.give_host_page(id, spot, lpn, Some(room));
        let write = shared.transactions.get_mut(id);
        if let PageState::Given { waits_for_read, .. } = &mut write.page {
            *waits_for_read = waits;
        }
        let plane = write.plane;
        shared.enqueue(id, now);
        let next = self.locks.release(&mut shared.translation.map, spot, lpn);
        if may_collect {
            shared.check_free_blocks(plane);
        }
        if let Some(next) = next {
            shared.tasks.push(Task::WakeWrite(next));
        }
    }

    /// Returns the position of a free page for a write in its plane. If there is none, makes the write wait.
    pub(super) fn room_or_wait(
        &mut self,
        shared: &mut Shared,
        id: TransactionId,
        plane: PlaneId,
    ) -> Option<NextWritePosition> {
        let is_first = self.for_room[plane.index()].first().is_none();
        let room = if is_first { shared.space.room_for(shared.transactions.get(id)) } else { None };
        if room.is_none() {
            self.for_room[plane.index()].push(&mut shared.transactions, id);
            shared.check_free_blocks(plane);
        }
        room
    }

    /// Allocates physical pages to the writes that wait for a free page in `plane`, as long as there are free
    /// pages.
    pub(in crate::ftl) fn place_waiting(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        while let Some(first) = self.for_room[plane.index()].first()
            && let Some(room) = shared.space.room_for(shared.transactions.get(first))
        {
            self.place_first(shared, plane, room, now);
            if shared.tasks.has_new() {
                return shared.tasks.push(Task::PlaceWaiting(plane));
            }
        }
        shared.queues.wake(self.geometry.die_of(plane));
    }

    fn place_first(&mut self, shared: &mut Shared, plane: PlaneId, room: NextWritePosition, now: SimTime) {
        let Some(id) = self.for_room[plane.index()].pop(&mut shared.transactions) else { return };
        let write = shared.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        let (purpose, lpn) = (write.purpose, write.lpn.expect("a write has a logical page"));
        if purpose == Purpose::MappingWrite {
            shared.give_map_page(id, lpn);
            shared.enqueue(id, now);
        } else {
            self.place_with_room(shared, lpn, id, room, false, now);
        }
    }

    /// Assigns planes to writes for which all planes were full, beginning with the write at `position`.
    pub(in crate::ftl) fn place_without_plane(
        &mut self,
        shared: &mut Shared,
        mut position: u32,
        now: SimTime,
    ) {
        while let Some(&id) = self.without_plane.get(position as usize) {
            let lpn = shared.transactions.get(id).lpn.expect("a write has a logical page");
            let Some(plane) = shared.plane_of_write(id, lpn) else {
                // Later writes may belong to another address range.
                if shared.translation.addresses.len() == 1 {
                    return;
                }
                position += 1;
                continue;
            };
            self.without_plane.remove(position as usize);
            shared.transactions.get_mut(id).clock.charge(Stage::ChipWait, now);
            self.place_in(shared, id, lpn, plane, now);
            if shared.tasks.has_new() {
                return shared.tasks.push(Task::PlaceWithoutPlane(position));
            }
        }
    }
}
