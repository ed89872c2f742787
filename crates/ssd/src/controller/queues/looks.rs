//! Looks at dies, busy or not, by which the turns of classes go on.
//!
//! For policies that [look everywhere](super::super::scheduling::Looks::Everywhere); what is modelled, and after whom, says
//! [`priority_turns`](super::super::scheduling::priority_turns).

use crate::work::{Class, Kind};

use super::lanes::{Lane, QueueSet};
use crate::controller::scheduling::AnyScheduling;

/// What a look is at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// The die, or the first one of the chip.
    pub(super) server: u32,
    /// Queues in which something waits.
    pub(super) waiting: QueueSet,
    /// Whether collection goes before the host.
    pub(super) collection_first: bool,
}

impl Seen {
    /// The queue to be served, if any is: a read, or else a write, or else an erase. The policy's turns go on.
    pub(super) fn find(self, policy: &mut AnyScheduling) -> Option<Lane> {
        let erase = || self.first_of(Class::GcErase);
        self.find_read(policy).or_else(|| self.find_write(policy)).or_else(erase)
    }

    /// A look that serves nothing: the policy's turns go on.
    pub(super) fn pass(self, policy: &mut AnyScheduling) {
        self.find_read(policy);
        self.find_write(policy);
    }

    fn has(self, class: Class) -> bool {
        self.waiting.meets(QueueSet::of(class))
    }

    /// A class's only queue, if something waits in it.
    fn first_of(self, class: Class) -> Option<Lane> {
        self.has(class).then_some(Lane::first_of(class))
    }

    /// The lane whose turn it is among the host's reads or writes.
    fn turn(self, kind: Kind, policy: &mut AnyScheduling) -> Option<Lane> {
        let class = kind.class();
        let number = policy.choose_lane(self.server, kind, self.waiting.lanes(kind))?;
        Some(Lane::new(class, number))
    }

    fn find_read(self, policy: &mut AnyScheduling) -> Option<Lane> {
        let collection = self.first_of(Class::GcRead);
        if let Some(of_map) = self.first_of(Class::MappingRead) {
            if !(self.collection_first && collection.is_some()) {
                self.turn(Kind::Read, policy);
            }
            return Some(of_map);
        }
        if !self.collection_first {
            let host = self.turn(Kind::Read, policy);
            // Reads of collection wait for the host's writes, about which the policy is asked for that alone.
            return host.or_else(|| if self.turn(Kind::Write, policy).is_some() { None } else { collection });
        }
        if collection.is_none() && (self.has(Class::GcWrite) || self.has(Class::GcErase)) {
            return None;
        }
        let host = self.turn(Kind::Read, policy);
        collection.or(host)
    }

    fn find_write(self, policy: &mut AnyScheduling) -> Option<Lane> {
        let (of_map, collection) = (self.first_of(Class::MappingWrite), self.first_of(Class::GcWrite));
        if self.collection_first && collection.is_none() && self.has(Class::GcErase) {
            return None;
        }
        let host = self.turn(Kind::Write, policy);
        if self.collection_first { collection.or(of_map).or(host) } else { of_map.or(host).or(collection) }
    }
}
