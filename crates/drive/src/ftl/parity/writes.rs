//! Programs of parity units.

use venice_kernel::SimTime;
use venice_nand::geometry::{Ppn, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{ParityCause, Purpose, Transaction};

use crate::ftl::shared::Shared;
use crate::ftl::tasks::Task;

impl Shared {
    /// Queues the program of a parity unit if the program of a data unit at `ppn`, which has just started, is
    /// the last one of its stripe.
    pub(in crate::ftl) fn close_stripe(&mut self, closing: TransactionId, ppn: Ppn, now: SimTime) {
        let Some(layout) = &self.parity else { return };
        let closing = *self.transactions.get(closing);
        let cause = match closing.purpose {
            Purpose::HostWrite(_) => ParityCause::HostWrite,
            Purpose::MappingWrite => ParityCause::MappingWrite,
            Purpose::GcWrite => ParityCause::Move,
            _ => return,
        };
        let plane = layout.parity_of(closing.plane);
        let block = self.geometry.block_of(ppn).0 % self.geometry.blocks_per_plane;
        let offset = self.geometry.page_offset(ppn);
        let has_started = |plane| self.space.blocks.table[self.geometry.block(plane, block)].written > offset;
        if !layout.stripe_of(closing.plane).filter(|&other| other != plane).all(has_started) {
            return;
        }
        if cause == ParityCause::Move
            && let Some(collection) = &mut self.space.blocks.planes[closing.collected].collection
        {
            // The victim is erased when the parity of its moved data has been programmed.
            collection.unfinished += 1;
            collection.in_flight += 1;
        }
        let id = self.transactions.insert(Transaction {
            collected: closing.collected,
            bytes: self.geometry.page_bytes * self.units.per_program(),
            stream: closing.stream,
            priority: closing.priority,
            lane: closing.lane,
            ..Transaction::new(Purpose::ParityWrite(cause), plane, StageClock::start(now))
        });
        self.enqueue(id, now);
    }

    /// Allocates the physical page of a parity unit when its program starts.
    pub(in crate::ftl) fn start_parity(&mut self, id: TransactionId) -> Ppn {
        let first = self.space.give_page(self.transactions.get_mut(id), None);
        for slot in self.units.slots_of_program(first).map(Ppn) {
            self.space.blocks.invalidate(slot);
            self.stats.slot_skipped(slot);
        }
        first
    }

    /// Processes the end of the program of a parity unit at `ppn`.
    pub(in crate::ftl) fn parity_programmed(&mut self, done: &Transaction, cause: ParityCause, ppn: Ppn) {
        self.stats.page_program_ended(self.units.slots_of_program(ppn));
        self.space.blocks.program_ended(done.plane, ppn);
        if cause == ParityCause::Move {
            self.move_ended(done.collected, false);
            self.tasks.push(Task::OrderMoves(done.collected));
        }
        self.check_free_blocks(done.plane);
    }
}
