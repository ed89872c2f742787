//! Intrusive FIFO list of transactions.

use crate::geometry::TransactionId;

use super::{ListLinks, Transaction, Transactions};

/// Linked list of transactions. The links are stored in the transactions, so each transaction is in at most
/// one list.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    head: Option<TransactionId>,
    tail: Option<TransactionId>,
}

impl List {
    /// Returns the oldest transaction of the list, if there is one.
    #[inline]
    pub const fn first(&self) -> Option<TransactionId> {
        self.head
    }

    /// Returns the newest transaction of the list, if there is one.
    #[inline]
    pub const fn last(&self) -> Option<TransactionId> {
        self.tail
    }

    /// Inserts a transaction after `behind`, or at the front.
    pub fn insert(&mut self, all: &mut Transactions, behind: Option<TransactionId>, id: TransactionId) {
        let next = match behind {
            Some(before) => all.get_mut(before).links.next.replace(id),
            None => self.head.replace(id),
        };
        match next {
            Some(next) => all.get_mut(next).links.prev = Some(id),
            None => self.tail = Some(id),
        }
        all.get_mut(id).links = ListLinks { prev: behind, next };
    }

    /// Appends a transaction, and returns it.
    #[inline]
    pub fn push<'a>(&mut self, all: &'a mut Transactions, id: TransactionId) -> &'a mut Transaction {
        let tail = self.tail.replace(id);
        match tail {
            Some(tail) => all.get_mut(tail).links.next = Some(id),
            None => self.head = Some(id),
        }
        let transaction = all.get_mut(id);
        transaction.links = ListLinks { prev: tail, next: None };
        transaction
    }

    /// Removes and returns the oldest transaction.
    #[inline]
    pub fn pop(&mut self, all: &mut Transactions) -> Option<TransactionId> {
        let first = self.head?;
        self.remove(all, first);
        Some(first)
    }

    /// Removes a transaction of the list.
    #[inline]
    pub fn remove(&mut self, all: &mut Transactions, id: TransactionId) {
        let ListLinks { prev, next } = all.get(id).links;
        match prev {
            Some(prev) => all.get_mut(prev).links.next = next,
            None => self.head = next,
        }
        match next {
            Some(next) => all.get_mut(next).links.prev = prev,
            None => self.tail = prev,
        }
    }

    /// Iterates over the transactions, the oldest first.
    #[inline]
    pub fn iter<'a>(&self, all: &'a Transactions) -> impl Iterator<Item = TransactionId> + use<'a> {
        std::iter::successors(self.head, |&id| all.after(id))
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;
    use crate::geometry::PlaneId;
    use crate::latency::StageClock;
    use crate::transactions::Purpose;

    #[test]
    fn a_list_keeps_its_order_when_its_middle_and_its_ends_leave() {
        let (mut all, mut list) = (Transactions::default(), List::default());
        let new = Transaction::new(Purpose::GcRead, PlaneId(0), StageClock::start(SimTime::ZERO));
        let ids: Vec<_> = (0..5).map(|_| all.insert(new)).collect();
        for &id in &ids {
            list.push(&mut all, id);
        }
        list.remove(&mut all, ids[1]);
        list.remove(&mut all, ids[4]);
        list.push(&mut all, ids[1]);
        assert_eq!(list.iter(&all).collect::<Vec<_>>(), [ids[0], ids[2], ids[3], ids[1]]);
        assert!(!all.is_alone(ids[1]));
        assert_eq!([(); 4].map(|()| list.pop(&mut all)), [0, 2, 3, 1].map(|place| Some(ids[place])));
        assert_eq!((list.first(), list.pop(&mut all)), (None, None));
        list.push(&mut all, ids[0]);
        assert!(all.is_alone(ids[0]));
    }

    #[test]
    fn what_is_put_behind_another_stands_there_and_the_ends_follow() {
        let (mut all, mut list) = (Transactions::default(), List::default());
        let new = Transaction::new(Purpose::GcRead, PlaneId(0), StageClock::start(SimTime::ZERO));
        let ids: [_; 4] = std::array::from_fn(|_| all.insert(new));
        for (behind, id) in [(None, 0), (Some(ids[0]), 1), (None, 2), (Some(ids[0]), 3)] {
            list.insert(&mut all, behind, ids[id]);
        }
        assert_eq!((list.first(), list.last()), (Some(ids[2]), Some(ids[1])));
        assert_eq!(list.iter(&all).collect::<Vec<_>>(), [2, 0, 3, 1].map(|place| ids[place]));
        list.remove(&mut all, ids[1]);
        assert_eq!((list.last(), list.pop(&mut all)), (Some(ids[3]), Some(ids[2])));
        assert_eq!(list.iter(&all).collect::<Vec<_>>(), [0, 3].map(|place| ids[place]));
    }
}
