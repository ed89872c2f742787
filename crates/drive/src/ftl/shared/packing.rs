//! Transactions of mapping units whose page is read or programmed by one operation.
//!
//! # How
//! If mapping units are smaller than a page, each unit has its own transaction, with a lock, a map entry and
//! an initiator. A die executes the transaction of a page (page transaction), to which the transactions of
//! its units belong as members. The page transaction of a program, or of a read for garbage collection, is a
//! separate transaction without a logical page. Several host reads of a page share a page transaction: the
//! first read is the page transaction, and further reads join it while it waits for its die.
//!
//! An operand of a gather has as members the operands that are sensed together with it. Apart from these, no
//! transaction has members if a mapping unit is a whole page.

use venice_kernel::SimTime;
use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{List, Purpose, Transaction, Transactions};

use super::Shared;

/// Transactions of mapping units, grouped by the page transaction with which a die executes them.
#[derive(Clone, Debug, Default)]
pub(in crate::ftl) struct PageMembers {
    /// Transactions of the mapping units that belong to each page transaction, indexed by page transaction.
    members: Vec<Members>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Members {
    list: List,
    count: u32,
}

impl PageMembers {
    fn add(&mut self, all: &mut Transactions, page: TransactionId, unit: TransactionId) {
        if self.members.len() <= page.index() {
            self.members.resize(page.index() + 1, Members::default());
        }
        let Members { list, count } = &mut self.members[page.index()];
        list.push(all, unit);
        *count += 1;
    }

    /// Returns the number of mapping units in a page transaction.
    pub(in crate::ftl) fn count(&self, page: TransactionId) -> u32 {
        self.members.get(page.index()).map_or(0, |members| members.count)
    }

    /// Removes and returns the transactions of the mapping units in a page transaction, in the order in which
    /// they joined.
    #[inline]
    pub(in crate::ftl) fn take(&mut self, page: TransactionId) -> List {
        self.members.get_mut(page.index()).map_or_else(List::default, |members| std::mem::take(members).list)
    }

    fn list(&self, page: TransactionId) -> List {
        self.members.get(page.index()).map_or_else(List::default, |members| members.list)
    }

    fn remove(&mut self, all: &mut Transactions, page: TransactionId, unit: TransactionId) {
        let Members { list, count } = &mut self.members[page.index()];
        list.remove(all, unit);
        *count -= 1;
    }
}

/// Physical page whose slots (locations of mapping units) are filled one after another.
pub(in crate::ftl) struct PageSlots {
    next: u32,
    end: u32,
}

impl PageSlots {
    /// Returns the next free slot (location of a mapping unit) of the page.
    pub(in crate::ftl) fn take(&mut self) -> Ppn {
        debug_assert!(self.next < self.end, "a page has no more members than slots");
        self.next += 1;
        Ppn(self.next - 1)
    }
}

impl Shared {
    /// Creates a page transaction, which a die executes for several mapping units. The transaction `first` is
    /// its first member.
    pub(in crate::ftl) fn new_page(
        &mut self,
        purpose: Purpose,
        first: TransactionId,
        now: SimTime,
    ) -> TransactionId {
        let &Transaction { plane, collected, stream, priority, lane, .. } = self.transactions.get(first);
        let clock = StageClock::start(now);
        self.transactions.insert(Transaction {
            collected,
            stream,
            priority,
            lane,
            ..Transaction::new(purpose, plane, clock)
        })
    }

    /// Adds the transaction of a mapping unit to a page transaction.
    pub(in crate::ftl) fn join_page(&mut self, page: TransactionId, unit: TransactionId) {
        let bytes = self.transactions.get(unit).bytes;
        self.members.add(&mut self.transactions, page, unit);
        self.transactions.get_mut(page).bytes += bytes;
    }

    /// Adds an operand of a gather to the operation that senses it together with the operand `lead`.
    pub(in crate::ftl) fn join_sense(&mut self, lead: TransactionId, operand: TransactionId) {
        self.members.add(&mut self.transactions, lead, operand);
    }

    /// Ends the time for which a page transaction waits for further mapping units.
    pub(in crate::ftl) fn page_is_due(&mut self, page: TransactionId, now: SimTime) {
        self.transactions.get_mut(page).clock.charge(Stage::Queue, now);
    }

    /// Allocates the physical page of a page transaction. Its slots can then be assigned to mapping units.
    pub(in crate::ftl) fn give_slots(&mut self, page: TransactionId) -> PageSlots {
        let first = self.space.give_page(self.transactions.get_mut(page), None);
        let slots = self.units.slots_of_program(first);
        PageSlots { next: slots.start, end: slots.end }
    }

    /// Leaves the rest of every partly filled page empty, after preconditioning has written mapping units one
    /// by one.
    pub(in crate::ftl) fn finish_pages(&mut self) {
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            self.space.blocks.finish_pages(plane);
        }
    }

    /// Leaves the next slot (location of a mapping unit) of a page empty.
    pub(in crate::ftl) fn leave_empty(&mut self, slots: &mut PageSlots) {
        let slot = slots.take();
        self.space.blocks.invalidate(slot);
        self.stats.slot_left_empty(slot);
    }

    /// Leaves the remaining slots (locations of mapping units) of a page empty.
    pub(in crate::ftl) fn leave_rest_empty(&mut self, mut slots: PageSlots) {
        while slots.next < slots.end {
            self.leave_empty(&mut slots);
        }
    }

    /// Calls `step` with the transaction of each mapping unit in a page transaction. `step` may remove this
    /// transaction from the page transaction.
    pub(in crate::ftl) fn for_each_member(
        &mut self,
        page: TransactionId,
        mut step: impl FnMut(&mut Self, TransactionId),
    ) {
        let mut next = self.members.list(page).first();
        while let Some(unit) = next {
            next = self.transactions.after(unit);
            step(self, unit);
        }
    }

    /// Removes the transaction of a mapping unit from a page transaction.
    pub(in crate::ftl) fn leave_page(&mut self, page: TransactionId, unit: TransactionId) {
        self.members.remove(&mut self.transactions, page, unit);
    }

    /// Processes the end of the page transaction `page` for one of its mapping units. Returns the unit's
    /// logical page.
    pub(in crate::ftl) fn page_ended(&mut self, unit: TransactionId, page: &Transaction) -> Lpn {
        let member = self.transactions.get_mut(unit);
        member.clock.follow(&page.clock);
        member.conflicted |= page.conflicted;
        member.has_failed |= page.has_failed;
        member.lpn.expect("a unit has a logical page")
    }
}
