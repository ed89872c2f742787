//! The table of all transactions in flight.

use venice_kernel::SimTime;

use crate::accounting::StageClock;
use crate::geometry::{PlaneId, Slots, TransactionId};

use super::{Links, Purpose, Transaction};

/// All transactions in flight.
#[derive(Clone, Debug)]
pub struct Transactions(Slots<Transaction>);

impl Default for Transactions {
    /// None in flight.
    fn default() -> Self {
        let blank = Transaction::new(Purpose::GcErase, PlaneId(0), StageClock::start(SimTime::ZERO));
        Self(Slots::new(1024, blank))
    }
}

impl Transactions {
    /// Takes in a transaction; it waits nowhere yet.
    pub fn insert(&mut self, transaction: Transaction) -> TransactionId {
        TransactionId(self.0.put(transaction))
    }

    /// Forgets a finished transaction and gives back its last state.
    #[inline]
    pub fn remove(&mut self, id: TransactionId) -> Transaction {
        let last = *self.0.get(id.0);
        self.forget(id);
        last
    }

    /// Forgets a finished transaction.
    #[inline]
    pub fn forget(&mut self, id: TransactionId) {
        self.0.give_up(id.0);
    }

    /// A transaction in flight.
    #[inline]
    pub fn get(&self, id: TransactionId) -> &Transaction {
        self.0.get(id.0)
    }

    /// A transaction in flight, for change.
    #[inline]
    pub fn get_mut(&mut self, id: TransactionId) -> &mut Transaction {
        self.0.get_mut(id.0)
    }

    /// All in flight.
    pub fn iter(&self) -> impl Iterator<Item = &Transaction> {
        self.0.iter()
    }

    /// How many are in flight.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one behind another in the list in which it waits.
    #[inline]
    pub fn after(&self, id: TransactionId) -> Option<TransactionId> {
        self.get(id).links.next
    }

    /// Whether a transaction that waits in a list is the only one there.
    #[inline]
    pub fn is_alone(&self, id: TransactionId) -> bool {
        let Links { prev, next } = self.get(id).links;
        prev.is_none() && next.is_none()
    }
}
