//! What the controller asks of the layer.

use std::ops::Range;

use venice_kernel::SimTime;

use crate::chip::{ArrayWork, Operation};
use crate::controller::queues::{all_readable, readable_beside};
use crate::controller::{Command, Moving, Orders};
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};
use crate::work::Transactions;

use super::Ftl;

impl Orders for Ftl {
    #[inline]
    fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    #[inline]
    fn transactions_mut(&mut self) -> &mut Transactions {
        &mut self.transactions
    }

    #[inline]
    fn next_ready_die(&mut self) -> Option<DieId> {
        self.queues.next_ready_die()
    }

    #[inline]
    fn has_ready_dies(&self) -> bool {
        self.queues.has_ready_dies()
    }

    #[inline]
    fn waits_for(&self, die: DieId) -> bool {
        self.queues.waits_for(die)
    }

    #[inline]
    fn next_command(&mut self, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        self.next_readable(dies, all_readable, now)
    }

    #[inline]
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        now: SimTime,
    ) -> Option<(DieId, Command)> {
        self.next_readable(dies, readable_beside(beside), now)
    }

    #[inline]
    fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        self.start(die, command, now)
    }

    #[inline]
    fn looks_everywhere(&self) -> bool {
        self.queues.looks_everywhere()
    }

    #[inline]
    fn have_come(&mut self) -> bool {
        self.queues.have_come()
    }

    #[inline]
    fn look_past(&mut self, dies: Range<u32>) {
        self.queues.look_past(dies, &self.transactions, self);
    }

    fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId> {
        self.copy_destination(read, can)
    }

    #[inline]
    fn gathers(&self) -> bool {
        self.gathers()
    }

    fn operand_target(&self, read: TransactionId) -> Option<PlaneId> {
        self.operand_target(read)
    }

    fn operand_waits(&self, die: DieId) -> bool {
        self.operand_waits(die)
    }

    fn gives_result(&self, id: TransactionId) -> bool {
        self.gives_result(id)
    }

    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> Moving {
        let (operation, (id, work)) = match self.start_load(read, now) {
            Some(load) => (Operation::Combine, load),
            None => (Operation::Program, self.start_copy(read, plane, now)),
        };
        Moving { operation, id, work }
    }

    fn copied(&mut self, read: TransactionId, now: SimTime) {
        self.copied(read, now);
    }

    fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        self.lose(chips, now);
    }

    fn note_failure(&mut self, id: TransactionId) {
        self.note_failure(id);
    }
}
