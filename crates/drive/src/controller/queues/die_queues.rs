//! FIFO queues in which transactions wait for their dies.

use std::ops::Range;

use venice_nand::geometry::{DieId, Geometry, MappingUnits, TransactionId};
use venice_nand::transactions::{List, Transactions};

use super::lanes::{DieLane, QUEUES, QueueSet};
use super::partners::{PartnerKey, Partners, WALKED};

#[derive(Clone, Copy, Debug, Default)]
struct TransactionQueue {
    list: List,
    length: u32,
    /// True if the queue has become long enough to be indexed by chains (lists of one plane's transactions
    /// with the same page offset).
    has_chains: bool,
}

/// Queues of all dies.
#[derive(Clone, Debug)]
pub struct DieQueues {
    /// Number of transactions queued so far. It gives each transaction its position in the order of arrival.
    joined: u64,
    queues: Vec<[TransactionQueue; QUEUES]>,
    /// Set of non-empty queues of each die.
    waiting: Vec<QueueSet>,
    partners: Partners,
}

impl DieQueues {
    /// Creates empty queues for `streams` streams of host writes. `offsets_agree` is true if the transactions
    /// of a multi-plane command must have the same page offset.
    pub fn new(geometry: &Geometry, units: MappingUnits, streams: u16, offsets_agree: bool) -> Self {
        let dies = geometry.dies() as usize;
        Self {
            joined: 0,
            queues: vec![[TransactionQueue::default(); QUEUES]; dies],
            waiting: vec![QueueSet::NONE; dies],
            partners: Partners::new(geometry, units, streams, offsets_agree),
        }
    }

    /// Appends a transaction to the queue `lane` of `die`.
    pub fn push(&mut self, all: &mut Transactions, die: DieId, lane: DieLane, id: TransactionId) {
        let place = lane.place();
        let queue = &mut self.queues[die.index()][place];
        let transaction = queue.list.push(all, id);
        (transaction.queued, transaction.queue) = (self.joined, place as u8);
        self.joined += 1;
        queue.length += 1;
        self.waiting[die.index()].add(place);
        if queue.length > WALKED || queue.has_chains {
            self.join_chain(all, die, place, id);
        }
    }

    /// Adds a transaction to the chains that index a long queue (lists of one plane's transactions with the
    /// same page offset). A queue that has chains keeps them for the rest of the run.
    fn join_chain(&mut self, all: &Transactions, die: DieId, place: usize, id: TransactionId) {
        let queue = &mut self.queues[die.index()][place];
        if queue.has_chains {
            return self.partners.join(all, die, place, id);
        }
        queue.has_chains = true;
        self.partners.begin(die, place);
        for id in queue.list.iter(all) {
            self.partners.join(all, die, place, id);
        }
    }

    /// Removes a transaction from its queue at `die`.
    pub fn remove(&mut self, all: &mut Transactions, die: DieId, id: TransactionId) {
        let place = usize::from(all.get(id).queue);
        let queue = &mut self.queues[die.index()][place];
        queue.length -= 1;
        if queue.has_chains {
            self.partners.leave(all, die, place, id);
        }
        queue.list.remove(all, id);
        if queue.length == 0 {
            self.waiting[die.index()].remove(place);
        }
    }

    /// Returns the set of non-empty queues of a die.
    #[inline]
    pub fn waiting(&self, die: DieId) -> QueueSet {
        self.waiting[die.index()]
    }

    /// Returns the set of queues that are non-empty at one or more of these dies.
    #[inline]
    pub fn waiting_at(&self, dies: Range<u32>) -> QueueSet {
        self.waiting_among(dies).0
    }

    /// Returns the set of queues that are non-empty at one or more of these dies. Also returns the range from
    /// the first to the last die with a waiting transaction.
    #[inline]
    pub fn waiting_among(&self, dies: Range<u32>) -> (QueueSet, Range<u32>) {
        let (mut all, mut first, mut end) = (QueueSet::NONE, dies.end, dies.start);
        let sets = &self.waiting[dies.start as usize..dies.end as usize];
        for (die, &set) in dies.clone().zip(sets) {
            all = all | set;
            // `min` compiles to conditional moves; a branch would be unpredictable.
            first = first.min(if set.is_empty() { dies.end } else { die });
            end = if set.is_empty() { end } else { die + 1 };
        }
        (all, first..end)
    }

    /// Returns true if `id` is the only transaction that waits for `die`.
    #[inline]
    pub fn is_alone(&self, all: &Transactions, die: DieId, id: TransactionId) -> bool {
        self.waiting(die).is_one() && all.is_alone(id)
    }

    /// Returns the oldest transaction of a queue.
    #[inline]
    pub fn first(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        self.queues[die.index()][lane.place()].list.first()
    }

    /// Iterates over the transactions of a queue, from the oldest.
    #[inline]
    pub fn iter<'a>(
        &self,
        all: &'a Transactions,
        die: DieId,
        lane: DieLane,
    ) -> impl Iterator<Item = TransactionId> + use<'a> {
        self.queues[die.index()][lane.place()].list.iter(all)
    }

    /// Returns true if a queue is indexed by chains, which [`DieQueues::kin`] requires. A chain is a list of
    /// one plane's transactions with the same page offset.
    #[inline]
    pub(super) fn has_chains(&self, die: DieId, lane: DieLane) -> bool {
        self.queues[die.index()][lane.place()].has_chains
    }

    /// Iterates over a plane's transactions with this `partner_key`, from the oldest. The queue must be
    /// indexed by chains.
    pub(super) fn kin(
        &self,
        die: DieId,
        lane: DieLane,
        plane_in_die: u32,
        partner_key: PartnerKey,
    ) -> impl Iterator<Item = TransactionId> {
        self.partners.kin(die, lane.place(), plane_in_die, partner_key)
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;
    use venice_nand::geometry::PlaneId;
    use venice_nand::latency::StageClock;
    use venice_nand::transactions::{Purpose, Transaction, TransactionClass};

    use super::*;
    use crate::testkit::settings::SmallDrive;

    #[test]
    fn a_die_without_queued_transactions_has_no_waiting_queue() {
        let mut queues = DieQueues::new(&SmallDrive::new(1, 1).geometry, MappingUnits::PAGES, 1, true);
        let mut all = Transactions::default();
        let clock = StageClock::start(SimTime::ZERO);
        let mut wait = |purpose| {
            let id = all.insert(Transaction::new(purpose, PlaneId(0), clock));
            queues.push(&mut all, DieId(0), DieLane::first_of(purpose.class()), id);
            id
        };
        let (first, second) = (wait(Purpose::GcRead), wait(Purpose::GcRead));
        assert!(!queues.is_alone(&all, DieId(0), first));
        assert_eq!(queues.waiting(DieId(0)), QueueSet::of(TransactionClass::GcRead));
        queues.remove(&mut all, DieId(0), first);
        assert!(queues.is_alone(&all, DieId(0), second));
        let erase = all.insert(Transaction::new(Purpose::GcErase, PlaneId(0), clock));
        queues.push(&mut all, DieId(0), DieLane::first_of(TransactionClass::GcErase), erase);
        assert!(!queues.is_alone(&all, DieId(0), second), "another queue has work");
        assert_eq!([first, second, erase].map(|id| all.get(id).queued), [0, 1, 2]);
        queues.remove(&mut all, DieId(0), second);
        assert_eq!(queues.waiting(DieId(0)), QueueSet::of(TransactionClass::GcErase));
        queues.remove(&mut all, DieId(0), erase);
        assert!(queues.waiting_at(0..1).is_empty());
    }
}
