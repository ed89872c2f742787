//! Queries to scheduling policies for busy dies as well as idle ones.
//!
//! Only policies with [`QueryScope::Everywhere`](super::super::scheduling::QueryScope::Everywhere) are
//! queried in this way, because their state advances with each query. The model and its source are described
//! in [`priority_turns`](super::super::scheduling::priority_turns).

use venice_nand::transactions::{TransactionClass, TransactionKind};

use super::lanes::{DieLane, QueueSet};
use crate::controller::scheduling::AnyScheduling;

/// State of one or several dies, on which a policy bases the selection of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryInput {
    /// Number of the queried die, or of a chip's first die if the chip's dies work one at a time.
    pub(super) server: u32,
    /// Non-empty queues of the dies.
    pub(super) waiting: QueueSet,
    /// True if garbage collection precedes host transactions.
    pub(super) collection_first: bool,
}

impl QueryInput {
    /// Returns the queue to be served. It is a queue of reads if possible, otherwise one of writes, of
    /// erases, of searches or of scrub, in this order. The query advances the policy's state.
    pub(super) fn find(self, policy: &mut AnyScheduling) -> Option<DieLane> {
        let erase = || self.first_of(TransactionClass::GcErase);
        let search = || self.first_of(TransactionClass::Search);
        let scrub = || self.first_of(TransactionClass::Scrub);
        self.find_read(policy)
            .or_else(|| self.find_write(policy))
            .or_else(erase)
            .or_else(search)
            .or_else(scrub)
    }

    /// Queries the policy for dies that cannot accept a command. The query advances the policy's state as
    /// [`Self::find`] does.
    pub(super) fn pass(self, policy: &mut AnyScheduling) {
        self.find_read(policy);
        self.find_write(policy);
    }

    fn has(self, class: TransactionClass) -> bool {
        self.waiting.meets(QueueSet::of(class))
    }

    /// Returns the queue of `class`, which has no lanes, unless it is empty.
    fn first_of(self, class: TransactionClass) -> Option<DieLane> {
        self.has(class).then_some(DieLane::first_of(class))
    }

    /// Returns the lane of host reads or host writes that the policy selects.
    fn turn(self, kind: TransactionKind, policy: &mut AnyScheduling) -> Option<DieLane> {
        let class = kind.class();
        let number = policy.choose_lane(self.server, kind, self.waiting.lanes(kind))?;
        Some(DieLane::new(class, number))
    }

    fn find_read(self, policy: &mut AnyScheduling) -> Option<DieLane> {
        let collection = self.first_of(TransactionClass::GcRead);
        if let Some(of_map) = self.first_of(TransactionClass::MappingRead) {
            if !(self.collection_first && collection.is_some()) {
                self.turn(TransactionKind::Read, policy);
            }
            return Some(of_map);
        }
        if !self.collection_first {
            let host = self.turn(TransactionKind::Read, policy);
            // Reads of garbage collection wait while host writes do. The policy's choice of a write is not
            // used otherwise.
            return host.or_else(|| {
                if self.turn(TransactionKind::Write, policy).is_some() { None } else { collection }
            });
        }
        if collection.is_none()
            && (self.has(TransactionClass::GcWrite) || self.has(TransactionClass::GcErase))
        {
            return None;
        }
        let host = self.turn(TransactionKind::Read, policy);
        collection.or(host)
    }

    fn find_write(self, policy: &mut AnyScheduling) -> Option<DieLane> {
        let (of_map, collection) =
            (self.first_of(TransactionClass::MappingWrite), self.first_of(TransactionClass::GcWrite));
        if self.collection_first && collection.is_none() && self.has(TransactionClass::GcErase) {
            return None;
        }
        let host = self.turn(TransactionKind::Write, policy);
        if self.collection_first { collection.or(of_map).or(host) } else { of_map.or(host).or(collection) }
    }
}
