//! Where the time of a transaction went, and what a drive's other rooms ask of it.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::chip::DataFor;
use crate::geometry::{DieId, PlaneId, TransactionId};

use super::Ftl;
use super::transaction::{Class, Purpose};

/// A page that moves from one chip to another: of collection, or an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedPage {
    /// How many bytes of it.
    pub bytes: u32,
    /// The die that it lies on, or lay on.
    pub from: DieId,
}

impl Ftl {
    /// The plane that a transaction is for.
    #[inline]
    pub fn plane_of_transaction(&self, id: TransactionId) -> PlaneId {
        self.transactions.get(id).plane
    }

    /// The bytes that this transaction's data out moves.
    #[inline]
    pub fn bytes_out(&self, id: TransactionId) -> u32 {
        self.transactions.get(id).bytes
    }

    /// What a transaction moves, if it is a page of collection or an operand.
    #[inline]
    pub fn moved_page(&self, id: TransactionId) -> Option<MovedPage> {
        let transaction = self.transactions.get(id);
        let is_move = matches!(
            transaction.purpose,
            Purpose::GcRead | Purpose::GcWrite | Purpose::OperandRead(_) | Purpose::OperandLoad(_)
        );
        let from = self.geometry.die_of(transaction.collected);
        is_move.then_some(MovedPage { bytes: transaction.bytes, from })
    }

    /// Who waits for what a transaction reads.
    #[inline]
    pub fn data_for(&self, id: TransactionId) -> DataFor {
        match self.transactions.get(id).purpose.class() {
            Class::MappingRead => DataFor::Map,
            Class::GcRead => DataFor::Collection,
            _ => DataFor::Host,
        }
    }

    /// A transaction's stage clock, for charging.
    #[inline]
    pub fn clock_mut(&mut self, id: TransactionId) -> &mut StageClock {
        &mut self.transactions.get_mut(id).clock
    }

    /// Splits a transaction's wait for its transfer, which starts now: up to `ready` its chip was
    /// not ready, after that no path was. A write is not ready before its plane has room.
    /// Says whether the transfer met a path conflict.
    #[inline]
    pub fn charge_wait(&mut self, id: TransactionId, ready: SimTime, now: SimTime) -> bool {
        let transaction = self.transactions.get(id);
        let mut ready = ready;
        if let (Purpose::HostWrite(_), false) = (transaction.purpose, transaction.placed) {
            ready = ready.max(self.space.blocks.plane(transaction.plane).writable_since);
        }
        self.charge_wait_since(id, ready, now)
    }

    /// The same for a transaction that has its page.
    #[inline]
    pub fn charge_wait_since(&mut self, id: TransactionId, ready: SimTime, now: SimTime) -> bool {
        let transaction = self.transactions.get_mut(id);
        transaction.clock.charge_until(Stage::ChipWait, ready.min(now));
        let conflict = now > transaction.clock.mark;
        transaction.clock.charge(Stage::PathWait, now);
        transaction.conflicted |= conflict;
        conflict
    }

    /// Gives a transfer's time, which ends now: to the path wait inside the fabric, and the rest to
    /// the transfer.
    #[inline]
    pub fn charge_transfer(&mut self, id: TransactionId, path_wait: SimSpan, now: SimTime) {
        let transaction = self.transactions.get_mut(id);
        let waited_until = transaction.clock.mark + path_wait;
        transaction.clock.charge_until(Stage::PathWait, waited_until);
        transaction.clock.charge(Stage::Transfer, now);
        transaction.conflicted |= !path_wait.is_zero();
    }

    /// Since when a transaction has been asked for.
    pub fn asked_since(&self, id: TransactionId) -> SimTime {
        let clock = &self.transactions.get(id).clock;
        SimTime::from_ps(clock.mark.as_ps() - clock.total().as_ps())
    }

    /// A transaction whose search for a path failed: all time up to now was path wait.
    pub fn charge_path_wait(&mut self, id: TransactionId, now: SimTime) {
        let transaction = self.transactions.get_mut(id);
        transaction.clock.charge(Stage::PathWait, now);
        transaction.conflicted = true;
    }
}
