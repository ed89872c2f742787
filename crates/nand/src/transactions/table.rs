//! Table of transactions in flight.

use venice_kernel::SimTime;
use venice_kernel::mem::Slots;

use crate::geometry::{PlaneId, TransactionId};
use crate::latency::StageClock;

use super::{ListLinks, Purpose, Transaction};

/// Transactions in flight.
#[derive(Clone, Debug)]
pub struct Transactions(Slots<Transaction>);

impl Default for Transactions {
    /// Creates an empty table of transactions.
    fn default() -> Self {
        let blank = Transaction::new(Purpose::GcErase, PlaneId(0), StageClock::start(SimTime::ZERO));
        Self(Slots::new(1024, blank))
    }
}

impl Transactions {
    /// Inserts a transaction that is in no list, and returns its id.
    pub fn insert(&mut self, transaction: Transaction) -> TransactionId {
        TransactionId(self.0.put(transaction))
    }

    /// Removes a finished transaction and returns its last state.
    #[inline]
    pub fn remove(&mut self, id: TransactionId) -> Transaction {
        let last = *self.0.get(id.0);
        self.forget(id);
        last
    }

    /// Removes a finished transaction.
    #[inline]
    pub fn forget(&mut self, id: TransactionId) {
        self.0.give_up(id.0);
    }

    /// Returns a transaction in flight.
    #[inline]
    pub fn get(&self, id: TransactionId) -> &Transaction {
        self.0.get(id.0)
    }

    /// Returns a transaction in flight for modification.
    #[inline]
    pub fn get_mut(&mut self, id: TransactionId) -> &mut Transaction {
        self.0.get_mut(id.0)
    }

    /// Iterates over all transactions.
    pub fn iter(&self) -> impl Iterator<Item = &Transaction> {
        self.0.iter()
    }

    /// Returns the number of transactions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no transaction.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the successor of a transaction in its list.
    #[inline]
    pub fn after(&self, id: TransactionId) -> Option<TransactionId> {
        self.get(id).links.next
    }

    /// True if a transaction is the only one in its list.
    #[inline]
    pub fn is_alone(&self, id: TransactionId) -> bool {
        let ListLinks { prev, next } = self.get(id).links;
        prev.is_none() && next.is_none()
    }
}
