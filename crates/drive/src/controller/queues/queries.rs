//! Queries of idle or busy dies, which advance the turns of priority classes.
//!
//! They serve policies that are [queried everywhere](super::super::scheduling::QueryScope::Everywhere);
//! [`priority_turns`](super::super::scheduling::priority_turns) describes the model and its source.

use venice_nand::transactions::{TransactionClass, TransactionKind};

use super::lanes::{DieLane, QueueSet};
use crate::controller::scheduling::AnyScheduling;

/// Input of a look.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryInput {
    /// Number of the die, or of the first die of the chip.
    pub(super) server: u32,
    /// Non-empty queues.
    pub(super) waiting: QueueSet,
    /// True if garbage collection precedes the host.
    pub(super) collection_first: bool,
}

impl QueryInput {
    /// Returns the queue to serve next: a read, else a write, else an erase. Advances the policy's turns.
    pub(super) fn find(self, policy: &mut AnyScheduling) -> Option<DieLane> {
        let erase = || self.first_of(TransactionClass::GcErase);
        self.find_read(policy).or_else(|| self.find_write(policy)).or_else(erase)
    }

    /// Performs a query that serves nothing, but advances the policy's turns.
    pub(super) fn pass(self, policy: &mut AnyScheduling) {
        self.find_read(policy);
        self.find_write(policy);
    }

    fn has(self, class: TransactionClass) -> bool {
        self.waiting.meets(QueueSet::of(class))
    }

    /// Returns the only queue of a class if it is not empty.
    fn first_of(self, class: TransactionClass) -> Option<DieLane> {
        self.has(class).then_some(DieLane::first_of(class))
    }

    /// Returns the lane whose turn it is, among the host's reads or writes.
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
            // Reads of garbage collection wait while host writes do; the policy is queried for this only.
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
