//! View of the dies' queues that contains only transactions that can be started.

use std::ops::Range;

use venice_nand::geometry::{DieId, TransactionId};
use venice_nand::transactions::{Transaction, TransactionClass, TransactionKind, Transactions};

use super::die_queues::DieQueues;
use super::lanes::DieLane;
use super::legality::Legality;
use super::rules::ChoiceRules;
use crate::controller::scheduling::{HostQueues, LaneSet, Packing};

/// Read-only view of a drive's queues that contains only transactions that can be started now.
#[derive(Debug)]
pub(super) struct ReadyQueues<'a, L, R> {
    pub(super) rules: &'a ChoiceRules,
    pub(super) queues: &'a DieQueues,
    pub(super) all: &'a Transactions,
    pub(super) legality: &'a L,
    /// Filter for reads. It rejects reads that are impossible while other transactions are suspended.
    pub(super) is_readable: R,
}

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> ReadyQueues<'_, L, R> {
    #[inline]
    pub(super) fn get(&self, id: TransactionId) -> &Transaction {
        self.all.get(id)
    }

    /// Returns true if garbage collection on one of these dies is urgent, so that it precedes all other
    /// transactions that need free pages.
    pub(super) fn collection_is_urgent(&self, dies: Range<u32>) -> bool {
        dies.map(DieId).any(|die| {
            self.legality.collection_is_urgent(die)
                || (self.rules.settings.moves_leave && self.has_urgent_move(die))
        })
    }

    /// Returns true if garbage collection on these dies precedes host transactions. `urgent` is true if
    /// garbage collection on these dies is urgent.
    pub(super) fn collection_is_first(&self, dies: Range<u32>, urgent: bool) -> bool {
        let yields = || {
            self.rules.settings.collection_yields
                || dies.map(DieId).all(|die| self.legality.collects_only_due_data(die))
        };
        urgent || !yields()
    }

    /// Returns true if a relocation for an almost full plane waits for this die.
    fn has_urgent_move(&self, die: DieId) -> bool {
        let mut moves = self.queues.iter(self.all, die, DieLane::first_of(TransactionClass::GcWrite));
        moves.any(|id| self.legality.is_urgent(self.get(id)))
    }

    /// Returns an obsolete relocation at the head of a queue of one of these dies, with its die.
    #[inline]
    pub(super) fn obsolete(&self, dies: Range<u32>, lane: DieLane) -> Option<(DieId, TransactionId)> {
        let head = |die| Some((die, self.queues.first(die, lane)?));
        let mut heads = dies.map(DieId).filter_map(head);
        heads.find(|&(_, id)| self.legality.is_obsolete(self.get(id)))
    }

    /// Returns the startable transaction that has waited longest in the queues `lane` of these dies, with its
    /// die.
    pub(super) fn longest_waiting(&self, dies: Range<u32>, lane: DieLane) -> Option<(DieId, TransactionId)> {
        let mut longest: Option<(DieId, TransactionId)> = None;
        for die in dies.map(DieId) {
            let Some(id) = self.first_of(die, lane) else { continue };
            let queued = |id| self.get(id).queued;
            if longest.is_none_or(|(_, before)| queued(id) < queued(before)) {
                longest = Some((die, id));
            }
        }
        longest
    }

    /// Returns the first startable transaction of a queue.
    fn first_of(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        match lane.class() {
            TransactionClass::MappingWrite | TransactionClass::GcWrite
                if self.rules.settings.programs_take_turns =>
            {
                self.first_in_turn(die, lane)
            }
            TransactionClass::HostWrite | TransactionClass::MappingWrite => self.first_write(die, lane),
            TransactionClass::MappingRead
            | TransactionClass::HostRead
            | TransactionClass::Operand
            | TransactionClass::Search
            | TransactionClass::Scrub => self.first_read(die, lane),
            TransactionClass::GcRead | TransactionClass::GcWrite | TransactionClass::GcErase => {
                self.queues.first(die, lane)
            }
        }
    }

    #[inline]
    fn first_read(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        let mut place = self.queues.first(die, lane)?;
        while !(self.is_readable)(self.all, self.get(place)) {
            place = self.all.after(place)?;
        }
        Some(place)
    }

    fn first_write(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        if !self.rules.settings.pages_are_early && !self.legality.has_room(die) {
            return None;
        }
        self.first_in_turn(die, lane)
    }

    fn first_in_turn(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        let mut place = self.queues.first(die, lane)?;
        while !self.can_write(self.get(place)) {
            place = self.all.after(place)?;
        }
        Some(place)
    }

    #[inline]
    fn can_write(&self, write: &Transaction) -> bool {
        self.legality.can_program(write) && !self.legality.is_needless(write)
    }
}

/// View of the startable host transactions of some dies, as passed to scheduling policies.
#[derive(Debug)]
pub(super) struct HostView<'a, L, R> {
    pub(super) ready: &'a ReadyQueues<'a, L, R>,
    pub(super) dies: Range<u32>,
}

const fn lane_of(kind: TransactionKind, number: u8) -> DieLane {
    DieLane::new(kind.class(), number)
}

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> HostQueues for HostView<'_, L, R> {
    #[inline]
    fn dies(&self) -> impl Iterator<Item = DieId> {
        self.dies.clone().map(DieId)
    }

    #[inline]
    fn waiting(&self, kind: TransactionKind) -> LaneSet {
        self.ready.queues.waiting_at(self.dies.clone()).lanes(kind)
    }

    #[inline]
    fn first(&self, die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId> {
        self.ready.queues.first(die, lane_of(kind, lane))
    }

    #[inline]
    fn after(&self, id: TransactionId) -> Option<TransactionId> {
        self.ready.all.after(id)
    }

    #[inline]
    fn can_start(&self, id: TransactionId) -> bool {
        let transaction = self.ready.get(id);
        match transaction.purpose.class().kind() {
            Some(TransactionKind::Write) => self.ready.legality.can_program(transaction),
            _ => (self.ready.is_readable)(self.ready.all, transaction),
        }
    }

    #[inline]
    fn first_ready(&self, die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId> {
        self.ready.first_of(die, lane_of(kind, lane))
    }

    #[inline]
    fn longest_waiting(&self, kind: TransactionKind, lane: u8) -> Option<(DieId, TransactionId)> {
        self.ready.longest_waiting(self.dies.clone(), lane_of(kind, lane))
    }

    #[inline]
    fn arrival(&self, id: TransactionId) -> u64 {
        self.ready.get(id).queued
    }

    #[inline]
    fn kind(&self, id: TransactionId) -> Option<TransactionKind> {
        self.ready.get(id).purpose.class().kind()
    }

    #[inline]
    fn plane(&self, id: TransactionId) -> u32 {
        1 << self.ready.rules.place_of(self.ready.get(id).plane)
    }

    fn packing(&self, id: TransactionId) -> Packing {
        let transaction = self.ready.get(id);
        let offset =
            if self.ready.rules.offsets_agree { self.ready.legality.offsets(transaction).page } else { None };
        (transaction.purpose.class() == TransactionClass::HostWrite, offset)
    }

    fn planes_of_a_command(&self) -> u32 {
        self.ready.rules.planes_of_a_command
    }

    fn is_alone(&self, die: DieId, id: TransactionId) -> bool {
        self.ready.queues.is_alone(self.ready.all, die, id)
    }
}
