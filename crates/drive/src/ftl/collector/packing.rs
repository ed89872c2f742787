//! Moves of mapping units that are smaller than a page: the valid units of several pages are packed into new
//! pages.
//!
//! # How
//! One read of a victim's page reads all its valid units. The units that were read fill the open page of the
//! garbage collection (GC) in the order of their reads, and the page is programmed when it is full. An empty
//! slot (location of a mapping unit) reduces the effective over-provisioning. The last page is therefore
//! filled up with units of the block that the victim policy would choose next. Slots that still remain are
//! left empty. Wear levelling does not fill up its last page. A unit that the host overwrites before its
//! program starts is dropped. At most as many units are in flight as fit into `ftl.gc_moves_in_flight` pages.

use venice_kernel::SimTime;
use venice_nand::geometry::{BlockId, PlaneId, Ppn, TransactionId};
use venice_nand::transactions::{List, PageState, Purpose, Transaction};

use crate::ftl::shared::Shared;
use crate::ftl::space::CollectionCause;
use crate::ftl::tasks::Task;

use super::Collector;

/// Page that garbage collection is filling with moved mapping units, and the pending reads of such units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MovePages {
    /// Transaction of the page that is being filled with moved mapping units.
    open: Option<TransactionId>,
    /// Number of reads of the victim's pages that have been queued and have not ended.
    reading: u32,
    /// True if reads of another block's mapping units have been queued to fill up the page.
    is_filled_up: bool,
}

impl Collector {
    fn pages_mut(&mut self, plane: PlaneId) -> &mut MovePages {
        // The units of all planes of a line fill pages together.
        &mut self.pages[if self.by_line { 0 } else { plane.index() }]
    }

    /// Queues the read of a victim's page for its valid mapping units. `first` is the location of the first
    /// one, which has already been counted as in flight. Returns the transaction of the read.
    pub(super) fn read_of_page(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        first: Ppn,
        now: SimTime,
    ) -> TransactionId {
        if !shared.units.share_programs() {
            return self.new_move(shared, plane, first, now);
        }
        let mut slots = vec![first];
        let page = shared.units.slots_of_page(shared.units.first_of_page(first));
        slots.extend((first.0 + 1..page.end).filter_map(|slot| self.next_slot(shared, plane, Ppn(slot))));
        self.read_of_slots(shared, plane, &slots, now)
    }

    /// Queues the read of several mapping units of one page, which are to be moved. Returns the transaction
    /// of the read.
    fn read_of_slots(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        slots: &[Ppn],
        now: SimTime,
    ) -> TransactionId {
        let moves: Vec<_> = slots.iter().map(|&slot| self.new_move(shared, plane, slot, now)).collect();
        let page = shared.new_page(Purpose::GcRead, moves[0], now);
        let ppn = shared.units.first_of_page(slots[0]);
        shared.transactions.get_mut(page).page = PageState::At { ppn, is_pinned: false };
        for unit in moves {
            shared.join_page(page, unit);
        }
        self.pages_mut(plane).reading += 1;
        page
    }

    /// Advances the scan of the victim past `slot` (the location of a mapping unit). If the slot contains
    /// valid data, counts it as in flight and returns it.
    fn next_slot(&self, shared: &mut Shared, plane: PlaneId, slot: Ppn) -> Option<Ppn> {
        let collection = shared.space.blocks.planes[plane].collection.as_mut()?;
        collection.next_offset = self.geometry.page_offset(slot) + 1;
        let is_valid = shared.translation.map.logical(slot).is_some();
        collection.in_flight += u32::from(is_valid);
        is_valid.then_some(slot)
    }

    /// Processes the end of a read of the victim. Adds the mapping units that were read to pages to be
    /// programmed.
    pub(in crate::ftl) fn units_read(
        &mut self,
        shared: &mut Shared,
        units: List,
        done: &Transaction,
        now: SimTime,
    ) {
        let plane = done.plane;
        self.pages_mut(plane).reading -= 1;
        let mut next = units.first();
        while let Some(unit) = next {
            next = shared.transactions.after(unit);
            shared.page_ended(unit, done);
            if shared.is_outdated(shared.transactions.get(unit)) {
                shared.transactions.forget(unit);
                shared.move_ended(plane, true);
            } else {
                self.add_to_page(shared, plane, unit, now);
            }
        }
        self.order_moves(shared, plane, now);
    }

    fn add_to_page(&mut self, shared: &mut Shared, plane: PlaneId, unit: TransactionId, now: SimTime) {
        let page = self.pages_mut(plane).open.unwrap_or_else(|| shared.new_page(Purpose::GcWrite, unit, now));
        shared.join_page(page, unit);
        self.pages_mut(plane).open = Some(page);
        if shared.members.count(page) == shared.units.per_program() {
            self.send_page(shared, plane, now);
        }
    }

    fn send_page(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        let pages = self.pages_mut(plane);
        pages.is_filled_up = false;
        let Some(page) = pages.open.take() else { return };
        if self.by_line {
            let next = shared.space.blocks.next_plane_of_moves();
            shared.transactions.get_mut(page).plane = next;
        }
        shared.page_is_due(page, now);
        self.destinations.join(plane);
        shared.enqueue(page, now);
    }

    /// Queues the last page of moved mapping units for its die. This is done when the GC has no further moves
    /// and no pending read. If possible, the page is first filled up with mapping units of another block.
    pub(super) fn send_last_page(&mut self, shared: &mut Shared, plane: PlaneId, now: SimTime) {
        let MovePages { open: Some(page), reading: 0, is_filled_up } = *self.pages_mut(plane) else {
            return;
        };
        let Some(collection) = shared.space.blocks.planes[plane].collection else { return };
        if collection.next_offset < self.geometry.pages_per_block {
            return;
        }
        if self.by_line && (collection.erasing || !self.is_line_ordered(shared)) {
            return;
        }
        let missing = shared.units.per_program() - shared.members.count(page);
        let is_for_space = matches!(collection.cause, CollectionCause::Space | CollectionCause::Idle);
        let may_fill_up = !is_filled_up && is_for_space && !collection.is_stopped;
        if may_fill_up && self.fill_up(shared, plane, collection.victim, missing, now) {
            self.pages_mut(plane).is_filled_up = true;
        } else {
            self.send_page(shared, plane, now);
        }
    }

    /// Queues moves of up to `missing` mapping units from the block that would be the next victim. Returns
    /// true if this block has valid mapping units.
    fn fill_up(
        &mut self,
        shared: &mut Shared,
        plane: PlaneId,
        victim: BlockId,
        missing: u32,
        now: SimTime,
    ) -> bool {
        let Some(block) = self.victims.next_but(&shared.space, plane, victim) else { return false };
        let slots = (0..self.geometry.pages_per_block).map(|offset| self.geometry.ppn(block, offset));
        let is_valid = |&slot: &Ppn| shared.translation.map.logical(slot).is_some();
        let slots: Vec<Ppn> = slots.filter(is_valid).take(missing as usize).collect();
        if let Some(collection) = &mut shared.space.blocks.planes[plane].collection {
            let moves = slots.len() as u32;
            collection.unplaced += moves;
            collection.unfinished += moves;
            collection.in_flight += moves;
        }
        let units = shared.units;
        for page in slots.chunk_by(|&one, &other| units.first_of_page(one) == units.first_of_page(other)) {
            let read = self.read_of_slots(shared, plane, page, now);
            shared.enqueue(read, now);
        }
        !slots.is_empty()
    }

    /// Allocates a physical page for moved mapping units when its program starts, and a slot of the page for
    /// each of them. Mapping units that the host has overwritten in the meantime are dropped. Returns the
    /// first slot.
    pub(in crate::ftl) fn start_page(&self, shared: &mut Shared, page: TransactionId) -> Ppn {
        let mut slots = shared.give_slots(page);
        shared.for_each_member(page, |shared, unit| {
            let moved = shared.transactions.get(unit);
            if shared.is_outdated(moved) {
                let plane = moved.collected;
                shared.leave_page(page, unit);
                shared.transactions.forget(unit);
                shared.move_ended(plane, true);
            } else {
                self.move_unit(shared, unit, slots.take());
            }
        });
        shared.leave_rest_empty(slots);
        shared.transactions.get(page).ppn().expect("a page was allocated")
    }

    fn move_unit(&self, shared: &mut Shared, unit: TransactionId, slot: Ppn) {
        let moved = shared.transactions.get_mut(unit);
        let (Some(lpn), PageState::From(from)) = (moved.lpn, moved.page) else {
            unreachable!("a move has an old page")
        };
        moved.page = PageState::Given { ppn: slot, turn: 0, waits_for_read: false };
        self.map_move(shared, lpn, from, slot);
    }

    /// Ends the program of a page that contains moved mapping units.
    pub(in crate::ftl) fn page_programmed(
        &mut self,
        shared: &mut Shared,
        units: List,
        done: &Transaction,
        ppn: Ppn,
        now: SimTime,
    ) {
        shared.stats.page_program_ended(shared.units.slots_of_program(ppn));
        shared.space.blocks.program_ended(done.plane, ppn);
        self.destinations.end(done.plane);
        let mut next = units.first();
        while let Some(unit) = next {
            next = shared.transactions.after(unit);
            let plane = shared.transactions.get(unit).collected;
            shared.transactions.forget(unit);
            shared.move_ended(plane, false);
            if plane != done.collected {
                shared.tasks.push(Task::OrderMoves(plane));
            }
        }
        self.order_moves(shared, done.collected, now);
    }
}
