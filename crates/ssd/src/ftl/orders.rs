//! What the controller asks of the layer.

use std::ops::Range;

use venice_kernel::SimTime;

use crate::chip::{ArrayWork, Operation};
use crate::controller::queues::{all_readable, readable_beside};
use crate::controller::{Command, Moving, Orders};
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};
use crate::work::{Purpose, Transactions};

use super::Ftl;
use super::giving_up::lose;
use super::moving::copy_destination;
use super::starting::{copied, start, start_copy, start_load};

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

    fn next_command(&mut self, dies: Range<u32>, command: &mut Command, now: SimTime) -> Option<DieId> {
        self.next_readable(dies, all_readable, command, now)
    }

    #[inline]
    fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        command: &mut Command,
        now: SimTime,
    ) -> Option<DieId> {
        self.next_readable(dies, readable_beside(beside), command, now)
    }

    fn start(&mut self, die: DieId, command: &Command, now: SimTime) -> ArrayWork {
        start(self, die, command, now)
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
        copy_destination(self, read, can)
    }

    #[inline]
    fn gathers(&self) -> bool {
        self.gathers.have_begun()
    }

    fn operand_target(&self, read: TransactionId) -> Option<PlaneId> {
        match self.transactions.get(read).purpose {
            Purpose::OperandRead(gather) => Some(self.gathers.target(gather)),
            _ => None,
        }
    }

    fn operand_waits(&self, die: DieId) -> bool {
        self.gathers.operand_waits(|| !self.queues.waits_for(die))
    }

    fn gives_result(&self, id: TransactionId) -> bool {
        self.gathers.gives_result(self.transactions.get(id).purpose)
    }

    fn start_moving(&mut self, read: TransactionId, plane: PlaneId, now: SimTime) -> Moving {
        let (operation, (id, work)) = match start_load(self, read, now) {
            Some(load) => (Operation::Combine, load),
            None => (Operation::Program, start_copy(self, read, plane, now)),
        };
        Moving { operation, id, work }
    }

    fn copied(&mut self, read: TransactionId, now: SimTime) {
        copied(self, read, now);
    }

    fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        lose(self, chips, now);
    }

    fn note_failure(&mut self, id: TransactionId) {
        self.transactions.get_mut(id).has_failed = true;
    }
}
