//! Looks at dies, busy or not, by which the turns of classes go on.
//!
//! For policies that [look everywhere](super::scheduling::Looks::Everywhere); what is modelled, and after whom, says
//! [`priority_turns`](super::scheduling::priority_turns).

use std::ops::Range;

use venice_kernel::SimTime;

use crate::geometry::{DieId, TransactionId};

use super::{Command, Ftl};
use crate::controller::lanes::{LANES, Lane, QueueSet};
use crate::controller::scheduling::{Kind, LaneSet};
use crate::work::Class;

/// What a look is at.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The die, or the first one of the chip.
    server: u32,
    /// Queues in which something waits.
    waiting: QueueSet,
    /// Whether collection goes before the host.
    collection_first: bool,
}

impl Seen {
    fn has(self, class: Class) -> bool {
        self.waiting.meets(QueueSet::of(class))
    }

    /// The lanes of a class in which something waits.
    fn lanes(self, class: Class) -> LaneSet {
        let lanes = (0..LANES as u8).filter(|&lane| self.waiting.has(Lane { class, number: lane }));
        LaneSet(lanes.fold(0, |set, lane| set | 1 << lane))
    }
}

impl Ftl {
    /// Whether looks at dies without work, and at busy ones, count.
    #[inline]
    pub fn looks_everywhere(&self) -> bool {
        self.scheduling.looks_everywhere()
    }

    /// Whether transactions have come since this was asked last.
    #[inline]
    pub fn have_come(&mut self) -> bool {
        std::mem::take(&mut self.transactions_came)
    }

    /// A look at dies that can take no command now.
    pub fn look_past(&mut self, dies: Range<u32>) {
        if self.scheduling.looks_everywhere() {
            let seen = self.seen(dies);
            self.find_read(seen);
            self.find_write(seen);
        }
    }

    /// A look at idle dies, and the command that it finds.
    pub(super) fn look<R>(
        &mut self,
        dies: Range<u32>,
        is_readable: R,
        now: SimTime,
    ) -> Option<(DieId, Command)>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        let seen = self.seen(dies.clone());
        let erase = || seen.has(Class::GcErase).then_some(Lane::first_of(Class::GcErase));
        let found = self.find_read(seen).or_else(|| self.find_write(seen)).or_else(erase)?;
        let (die, lead) = self.longest_waiting(dies, found, is_readable, now)?;
        let classes = (found.class, self.joining_class(found.class, seen.collection_first));
        Some((die, self.command_from(die, classes, lead, is_readable)))
    }

    fn seen(&self, dies: Range<u32>) -> Seen {
        let urgent = dies.clone().any(|die| self.collection_is_urgent(DieId(die)));
        Seen {
            server: self.server_of(DieId(dies.start)),
            waiting: self.queues.waiting_at(dies),
            collection_first: urgent || !self.settings.gc_yields_to_host,
        }
    }

    /// The class whose turn it is among the host's reads or writes.
    fn turn(&mut self, seen: Seen, class: Class) -> Option<Lane> {
        let kind = if class == Class::HostRead { Kind::Read } else { Kind::Write };
        self.scheduling.choose_lane(seen.server, kind, seen.lanes(class)).map(|number| Lane { class, number })
    }

    fn find_read(&mut self, seen: Seen) -> Option<Lane> {
        let collection = seen.has(Class::GcRead).then_some(Lane::first_of(Class::GcRead));
        if seen.has(Class::MappingRead) {
            if !(seen.collection_first && collection.is_some()) {
                self.turn(seen, Class::HostRead);
            }
            return Some(Lane::first_of(Class::MappingRead));
        }
        if !seen.collection_first {
            let host = self.turn(seen, Class::HostRead);
            // Reads of collection wait for the host's writes, about which the policy is asked for that alone.
            return host
                .or_else(|| if self.turn(seen, Class::HostWrite).is_some() { None } else { collection });
        }
        if collection.is_none() && (seen.has(Class::GcWrite) || seen.has(Class::GcErase)) {
            return None;
        }
        let host = self.turn(seen, Class::HostRead);
        collection.or(host)
    }

    fn find_write(&mut self, seen: Seen) -> Option<Lane> {
        let of_map = seen.has(Class::MappingWrite).then_some(Lane::first_of(Class::MappingWrite));
        let collection = seen.has(Class::GcWrite).then_some(Lane::first_of(Class::GcWrite));
        if seen.collection_first && collection.is_none() && seen.has(Class::GcErase) {
            return None;
        }
        let host = self.turn(seen, Class::HostWrite);
        if seen.collection_first { collection.or(of_map).or(host) } else { of_map.or(host).or(collection) }
    }
}
