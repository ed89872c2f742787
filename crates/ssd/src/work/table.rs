//! The table of all transactions in flight.

use slab::Slab;

use crate::geometry::TransactionId;

use super::{Links, Transaction};

/// All transactions in flight.
#[derive(Clone, Debug)]
pub struct Transactions(Slab<Transaction>);

impl Default for Transactions {
    /// None in flight.
    fn default() -> Self {
        Self(Slab::with_capacity(1024))
    }
}

impl Transactions {
    /// Takes in a transaction; it waits nowhere yet.
    #[inline]
    pub fn insert(&mut self, transaction: Transaction) -> TransactionId {
        TransactionId(self.0.insert(transaction) as u32)
    }

    /// Forgets a finished transaction and gives back its last state.
    #[inline]
    pub fn remove(&mut self, id: TransactionId) -> Transaction {
        self.0.remove(id.index())
    }

    /// A transaction in flight.
    #[inline]
    pub fn get(&self, id: TransactionId) -> &Transaction {
        &self.0[id.index()]
    }

    /// A transaction in flight, for change.
    #[inline]
    pub fn get_mut(&mut self, id: TransactionId) -> &mut Transaction {
        &mut self.0[id.index()]
    }

    /// All in flight.
    pub fn iter(&self) -> impl Iterator<Item = &Transaction> {
        self.0.iter().map(|(_, transaction)| transaction)
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
