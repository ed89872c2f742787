//! What an idle die does next.

use std::ops::Range;

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::chip::{DieWork, Operation};
use crate::geometry::{DieId, MAX_PLANES, TransactionId, remainder};

use super::Ftl;
use super::host_queues::QueuesOf;
use crate::controller::lanes::{LANES, Lane, QueueSet};
use crate::controller::scheduling::{Kind, Rank, joining_class, only_rank, service_order};
use crate::work::Class;

/// Queues of moves, and of reads of the map.
const MOVES_OR_MAP: QueueSet = QueueSet::of(Class::GcRead)
    .and(QueueSet::of(Class::GcWrite))
    .and(QueueSet::of(Class::GcErase))
    .and(QueueSet::of(Class::MappingRead));

/// A flash command for one die: one transaction for each plane it uses.
#[derive(Clone, Debug)]
pub struct Command {
    /// What the array will do.
    pub operation: Operation,
    /// The transactions, in the order in which their data crosses the fabric.
    pub batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// Wire time of the command cycles.
    pub command: SimSpan,
    /// Bytes that travel with the command: the data to be programmed.
    pub bytes: u32,
    /// Whether nobody but collection waits for it.
    pub of_collection: bool,
}

impl Ftl {
    /// The command that one of these idle dies should do next, if any has work that can be done now:
    /// of the first class that has any, the transaction that has waited longest.
    /// Nothing changes but that moves which became needless are dropped.
    pub fn next_command(&mut self, dies: Range<u32>, now: SimTime) -> Option<(DieId, Command)> {
        self.next_readable(dies, |_, _| true, now)
    }

    /// The same beside transactions that are suspended, or about to be: the pages that they program cannot
    /// be read.
    pub fn next_command_beside(
        &mut self,
        dies: Range<u32>,
        beside: &[TransactionId],
        now: SimTime,
    ) -> Option<(DieId, Command)> {
        self.next_readable(dies, |ftl, read| !ftl.is_in_the_making(read, beside), now)
    }

    /// A function of its own for each of the two, so that the question costs nothing when nothing is suspended.
    fn next_readable<R>(&mut self, dies: Range<u32>, is_readable: R, now: SimTime) -> Option<(DieId, Command)>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        if self.scheduling.looks_everywhere() {
            return self.look(dies, is_readable, now);
        }
        let waiting = self.queues.waiting_at(dies.clone());
        if waiting.is_empty() {
            return None;
        }
        // It matters only to moves, and to reads of the map, which moves may join.
        let urgent =
            waiting.meets(MOVES_OR_MAP) && dies.clone().any(|die| self.collection_is_urgent(DieId(die)));
        let order = if let Some(only) = only_rank(waiting) {
            std::slice::from_ref(only)
        } else {
            let collection_first = urgent || !self.settings.gc_yields_to_host;
            service_order(collection_first, self.scheduling.host_order())
        };
        for &Rank { class, queues } in order {
            if !waiting.meets(queues) {
                continue;
            }
            let next = match class.kind() {
                Some(kind) if !self.scheduling.is_by_arrival() => {
                    self.chosen_of_host(dies.clone(), kind, is_readable)
                }
                _ => self
                    .longest_waiting(dies.clone(), Lane::first_of(class), is_readable, now)
                    .map(|next| (class, next)),
            };
            if let Some((class, (die, lead))) = next {
                let classes = (class, self.joining_class(class, urgent));
                return Some((die, self.command_from(die, classes, lead, is_readable)));
            }
        }
        None
    }

    /// The transaction of the host that the policy chooses for these dies, and its class.
    #[inline(never)]
    fn chosen_of_host<R>(
        &mut self,
        dies: Range<u32>,
        kind: Kind,
        is_readable: R,
    ) -> Option<(Class, (DieId, TransactionId))>
    where
        R: Fn(&Self, TransactionId) -> bool + Copy,
    {
        let server = self.server_of(DieId(dies.start));
        let mut policy = self.scheduling.take();
        let chosen = policy.choose(server, kind, &QueuesOf { ftl: self, dies, is_readable });
        self.scheduling = policy;
        chosen.map(|(die, lead)| (self.transactions.get(lead).purpose.class(), (die, lead)))
    }

    /// The policy learns what starts.
    #[inline(never)]
    pub(super) fn tell_policy(&mut self, die: DieId, batch: &[TransactionId]) {
        let kind = self.transactions.get(batch[0]).purpose.class().kind();
        let server = self.server_of(die);
        let mut policy = self.scheduling.take();
        let queues = QueuesOf { ftl: self, dies: die.0..die.0 + 1, is_readable: |_: &Self, _| true };
        policy.started(server, kind, (die, batch), &queues);
        self.scheduling = policy;
    }

    /// Whether something waits for a die.
    #[inline]
    pub fn waits_for(&self, die: DieId) -> bool {
        !self.queues.waiting(die).is_empty()
    }

    /// The class that fills up multi-plane commands of another. A copyback is no program like others.
    pub(super) fn joining_class(&self, class: Class, urgent: bool) -> Option<Class> {
        let writes = matches!(class, Class::HostWrite | Class::GcWrite);
        joining_class(class, urgent).filter(|_| !(writes && self.settings.gc_copyback))
    }

    /// The die, or the first one of a chip whose dies take turns.
    pub(super) fn server_of(&self, die: DieId) -> u32 {
        match self.flash.die_work {
            DieWork::Independent => die.0,
            DieWork::OneAtATime => die.0 - remainder(die.0, self.geometry.dies_per_chip),
        }
    }

    /// The lanes that a class may have work in.
    pub(super) fn lanes(&self, class: Class) -> impl Iterator<Item = Lane> + use<> {
        let several = class.kind().is_some() && !self.scheduling.has_one_lane();
        let numbers = 0..if several { LANES as u8 } else { 1 };
        numbers.map(move |number| Lane { class, number })
    }

    pub(super) fn longest_waiting(
        &mut self,
        dies: Range<u32>,
        lane: Lane,
        is_readable: impl Fn(&Self, TransactionId) -> bool + Copy,
        now: SimTime,
    ) -> Option<(DieId, TransactionId)> {
        let mut longest: Option<(DieId, TransactionId)> = None;
        for die in dies.map(DieId) {
            let Some(id) = self.first_ready(die, lane, is_readable, now) else { continue };
            let queued = |id| self.transactions.get(id).queued;
            if longest.is_none_or(|(_, before)| queued(id) < queued(before)) {
                longest = Some((die, id));
            }
        }
        longest
    }

    fn first_ready(
        &mut self,
        die: DieId,
        lane: Lane,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
        now: SimTime,
    ) -> Option<TransactionId> {
        match lane.class {
            Class::GcRead | Class::GcWrite => self.first_needed_move(die, lane.class, now),
            Class::HostWrite | Class::MappingWrite => self.first_ready_write(die, lane),
            Class::MappingRead | Class::HostRead | Class::Operand => {
                self.first_readable(die, lane, is_readable)
            }
            Class::GcErase => self.queues.first(die, lane),
        }
    }

    pub(super) fn first_readable(
        &self,
        die: DieId,
        lane: Lane,
        is_readable: impl Fn(&Self, TransactionId) -> bool,
    ) -> Option<TransactionId> {
        let mut place = self.queues.first(die, lane)?;
        while !is_readable(self, place) {
            place = self.transactions.after(place)?;
        }
        Some(place)
    }

    /// The first write of a queue that can start.
    pub(super) fn first_ready_write(&self, die: DieId, lane: Lane) -> Option<TransactionId> {
        let mut place = self.queues.first(die, lane)?;
        if !self.settings.page_allocation.is_early() && !self.has_room(die) {
            return None;
        }
        while !self.may_program(place) || self.is_needless(place) {
            place = self.transactions.after(place)?;
        }
        Some(place)
    }
}
