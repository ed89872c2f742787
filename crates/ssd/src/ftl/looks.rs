//! Looks at dies, busy or not, by which the turns of classes go on.
//!
//! For policies that [look everywhere](super::scheduling::Looks::Everywhere); what is modelled, and after whom, says
//! [`priority_turns`](super::scheduling::priority_turns).

use std::ops::Range;

use venice_kernel::SimTime;

use crate::geometry::{DieId, TransactionId};

use super::scheduling::{Kind, LANES, LaneSet};
use super::transaction::{Class, Transactions};
use super::{Command, Ftl};

/// What a look is at.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The die, or the first one of the chip.
    server: u32,
    /// Queues in which something waits, one bit each.
    waiting: u16,
    /// Whether collection goes before the host.
    collection_first: bool,
}

impl Seen {
    fn has(self, class: Class) -> bool {
        self.waiting & class.queues() != 0
    }

    /// The lanes of a class in which something waits.
    fn lanes(self, class: Class) -> LaneSet {
        let lanes = (0..LANES as u8).filter(|&lane| Transactions::is_among(class, lane, self.waiting));
        LaneSet(lanes.fold(0, |set, lane| set | 1 << lane))
    }
}

/// What is to be served: a class, and its lane.
type Found = (Class, u8);

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
        let erase = || seen.has(Class::GcErase).then_some((Class::GcErase, 0));
        let found = self.find_read(seen).or_else(|| self.find_write(seen)).or_else(erase)?;
        let (die, lead) = self.longest_waiting(dies, found, is_readable, now)?;
        let classes = (found.0, self.joining_class(found.0, seen.collection_first));
        Some((die, self.command_from(die, classes, lead, is_readable)))
    }

    fn seen(&self, dies: Range<u32>) -> Seen {
        let urgent = dies.clone().any(|die| self.collection_is_urgent(DieId(die)));
        Seen {
            server: self.server_of(DieId(dies.start)),
            waiting: self.waiting(dies),
            collection_first: urgent || !self.settings.gc_yields_to_host,
        }
    }

    /// The class whose turn it is among the host's reads or writes.
    fn turn(&mut self, seen: Seen, class: Class) -> Option<Found> {
        let kind = if class == Class::HostRead { Kind::Read } else { Kind::Write };
        self.scheduling.choose_lane(seen.server, kind, seen.lanes(class)).map(|lane| (class, lane))
    }

    fn find_read(&mut self, seen: Seen) -> Option<Found> {
        let collection = seen.has(Class::GcRead).then_some((Class::GcRead, 0));
        if seen.has(Class::MappingRead) {
            if !(seen.collection_first && collection.is_some()) {
                self.turn(seen, Class::HostRead);
            }
            return Some((Class::MappingRead, 0));
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

    fn find_write(&mut self, seen: Seen) -> Option<Found> {
        let of_map = seen.has(Class::MappingWrite).then_some((Class::MappingWrite, 0));
        let collection = seen.has(Class::GcWrite).then_some((Class::GcWrite, 0));
        if seen.collection_first && collection.is_none() && seen.has(Class::GcErase) {
            return None;
        }
        let host = self.turn(seen, Class::HostWrite);
        if seen.collection_first { collection.or(of_map).or(host) } else { of_map.or(host).or(collection) }
    }
}
