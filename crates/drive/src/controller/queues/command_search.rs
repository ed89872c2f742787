//! Selection of the next command of an idle die.

use std::ops::Range;

use venice_nand::geometry::{DieId, MappingUnits, TransactionId};
use venice_nand::transactions::{Transaction, TransactionClass, TransactionKind, Transactions};

use super::Queues;
use super::command::{Command, FoundCommand, LeadTransaction, TransactionBatch};
use super::lanes::{DieLane, QueueSet};
use super::legality::Legality;
use super::queries::QueryInput;
use super::ready_queues::{HostView, ReadyQueues};
use crate::controller::scheduling::{ServiceRank, service_order};

/// Queues of garbage collection (reads and writes) and of mapping reads.
const MOVES_OR_MAP: QueueSet = QueueSet::of(TransactionClass::GcRead)
    .and(QueueSet::of(TransactionClass::GcWrite))
    .and(QueueSet::of(TransactionClass::GcErase))
    .and(QueueSet::of(TransactionClass::MappingRead));

/// State of a search for the next command of several idle dies.
#[derive(Clone, Debug)]
pub struct CommandSearch {
    /// Range from the first to the last die that had waiting transactions when the search began.
    dies: Range<u32>,
    /// Queues that were not empty when the search began.
    waiting: QueueSet,
    /// True if garbage collection is urgent, as determined at the start of the search. For policies with
    /// `QueryScope::Everywhere`, also true if garbage collection always precedes host transactions.
    urgent: bool,
    way: QueueOrder,
}

#[derive(Clone, Copy, Debug)]
enum QueueOrder {
    /// Classes still to be searched, in this order.
    Through(&'static [ServiceRank]),
    /// Single queue to be searched, which has already been selected.
    In(DieLane),
}

/// Queue selected by a policy with `QueryScope::Everywhere`.
#[derive(Clone, Copy, Debug)]
struct QueryResult {
    waiting: QueueSet,
    urgent: bool,
    lane: DieLane,
}

/// Accepts every read: the filter used when no transactions are suspended.
#[inline]
pub const fn all_readable(_all: &Transactions, _read: &Transaction) -> bool {
    true
}

/// Returns a filter that rejects reads of the pages that are programmed by the transactions in `beside`,
/// which are suspended or about to be.
#[inline]
pub fn readable_beside(
    beside: &[TransactionId],
    units: MappingUnits,
) -> impl Fn(&Transactions, &Transaction) -> bool + Copy {
    move |all, read| {
        let of_page = |slot| {
            let page = units.first_of_program(slot);
            beside.iter().any(|&id| all.get(id).ppn() == Some(page))
        };
        !read.pinned().is_some_and(of_page)
    }
}

impl Queues {
    #[inline]
    fn ready<'a, L, R>(
        &'a self,
        all: &'a Transactions,
        legality: &'a L,
        is_readable: R,
    ) -> ReadyQueues<'a, L, R> {
        ReadyQueues { rules: &self.rules, queues: &self.dies, all, legality, is_readable }
    }

    /// Creates a search for the next command of idle dies. Returns `None` if no transaction waits for them,
    /// or if a policy with `QueryScope::Everywhere` selects no queue.
    pub fn search(
        &self,
        dies: Range<u32>,
        all: &Transactions,
        legality: &impl Legality,
    ) -> Option<CommandSearch> {
        if self.policy_traits.looks_everywhere {
            let QueryResult { waiting, urgent, lane } = self.look(dies.clone(), all, legality)?;
            return Some(CommandSearch { dies, waiting, urgent, way: QueueOrder::In(lane) });
        }
        let (waiting, some) = self.dies.waiting_among(dies.clone());
        if waiting.is_empty() {
            return None;
        }
        // Urgency affects only relocations and mapping reads, whose commands relocations may join.
        let urgent = waiting.meets(MOVES_OR_MAP)
            && self.ready(all, legality, all_readable).collection_is_urgent(dies.clone());
        let way = match waiting.only() {
            Some(lane) if self.policy_traits.chooses_lanes || lane.class().kind().is_none() => {
                QueueOrder::In(lane)
            }
            _ => {
                let collection_first =
                    self.ready(all, legality, all_readable).collection_is_first(dies, urgent);
                QueueOrder::Through(service_order(collection_first, self.policy_traits.host_order))
            }
        };
        Some(CommandSearch { dies: some, waiting, urgent, way })
    }

    /// Queries a policy with `QueryScope::Everywhere` for the queue from which the next command is taken.
    fn look(&self, dies: Range<u32>, all: &Transactions, legality: &impl Legality) -> Option<QueryResult> {
        let seen = self.ready(all, legality, all_readable).seen(dies);
        let lane = seen.find(&mut self.policy.borrow_mut())?;
        Some(QueryResult { waiting: seen.waiting, urgent: seen.collection_first, lane })
    }

    /// Queries a policy with `QueryScope::Everywhere` for dies that cannot accept a command. Does nothing for
    /// other policies.
    pub fn look_past(&self, dies: Range<u32>, all: &Transactions, legality: &impl Legality) {
        if self.policy_traits.looks_everywhere {
            self.ready(all, legality, all_readable).seen(dies).pass(&mut self.policy.borrow_mut());
        }
    }

    /// Returns the transaction for the next command. It is the oldest startable transaction of the first
    /// class that has one, or the policy's choice in that class. The filter `is_readable` is a type
    /// parameter, so that it costs nothing on drives without suspension.
    pub fn find(
        &self,
        search: &mut CommandSearch,
        all: &Transactions,
        legality: &impl Legality,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
    ) -> FoundCommand {
        let ready = self.ready(all, legality, is_readable);
        match search.way {
            QueueOrder::In(lane) => ready.lead_in(search, lane),
            QueueOrder::Through(order) => {
                // The copy lets the compiler keep the search in registers in the common case.
                let (found, left) = self.find_through(order, &search.clone(), all, legality, is_readable);
                search.way = QueueOrder::Through(left);
                found
            }
        }
    }

    /// Searches the classes of `order`. Returns the result and the classes still to be searched.
    fn find_through<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        mut order: &'static [ServiceRank],
        search: &CommandSearch,
        all: &Transactions,
        legality: &L,
        is_readable: R,
    ) -> (FoundCommand, &'static [ServiceRank]) {
        let ready = &self.ready(all, legality, is_readable);
        while let [ServiceRank { class, queues }, rest @ ..] = order {
            if search.waiting.meets(*queues) {
                let found = match class.kind() {
                    Some(kind) if !self.policy_traits.is_by_arrival => {
                        self.lead_by_policy(ready, search, kind)
                    }
                    _ => ready.lead_in(search, DieLane::first_of(*class)),
                };
                if found != FoundCommand::Nothing {
                    return (found, order);
                }
            }
            order = rest;
        }
        (FoundCommand::Nothing, order)
    }

    /// Returns the host transaction that the policy selects for the dies of the search.
    fn lead_by_policy<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        ready: &ReadyQueues<'_, L, R>,
        search: &CommandSearch,
        kind: TransactionKind,
    ) -> FoundCommand {
        let server = self.rules.server_of(DieId(search.dies.start));
        let queues = HostView { ready, dies: search.dies.clone() };
        match self.policy.borrow_mut().choose(server, kind, &queues) {
            Some((die, id)) => {
                let class = ready.get(id).purpose.class();
                FoundCommand::Lead(LeadTransaction { die, id, class, urgent: search.urgent })
            }
            None => FoundCommand::Nothing,
        }
    }

    /// Forms the command of the selected transaction `lead`, with transactions of other planes.
    pub fn form<L: Legality, R: Fn(&Transactions, &Transaction) -> bool + Copy>(
        &self,
        lead: &LeadTransaction,
        all: &Transactions,
        legality: &L,
        is_readable: R,
        command: &mut Command,
    ) {
        let ready = self.ready(all, legality, is_readable);
        command.batch.clear();
        command.batch.push(lead.id);
        if !ready.goes_alone(lead) {
            self.fill_up(*lead, all, legality, is_readable, &mut command.batch);
        }
        ready.describe(command, lead.class);
    }

    /// Adds transactions of other planes to the command. Not inlined, and `lead` is passed by value to keep
    /// it in registers.
    fn fill_up<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        lead: LeadTransaction,
        all: &Transactions,
        legality: &L,
        is_readable: R,
        batch: &mut TransactionBatch,
    ) {
        self.ready(all, legality, is_readable).fill_up(&lead, self.policy_traits.has_one_lane, batch);
    }

    /// Notifies the policy that a command starts. The command's transactions are still queued at this time.
    pub fn starts(&self, die: DieId, batch: &[TransactionId], all: &Transactions, legality: &impl Legality) {
        if self.policy_traits.is_by_arrival {
            return;
        }
        if !self.policy_traits.chooses_lanes {
            return self.tell_what_starts(die, batch, all, legality);
        }
        let lead = all.get(batch[0]);
        if let Some(kind) = lead.purpose.class().kind() {
            self.policy.borrow_mut().lane_started(self.rules.server_of(die), kind, lead.lane);
        }
    }

    fn tell_what_starts(
        &self,
        die: DieId,
        batch: &[TransactionId],
        all: &Transactions,
        legality: &impl Legality,
    ) {
        let ready = self.ready(all, legality, all_readable);
        let queues = HostView { ready: &ready, dies: die.0..die.0 + 1 };
        self.policy.borrow_mut().started(die, batch, &queues);
    }
}

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> ReadyQueues<'_, L, R> {
    /// Returns the state of the dies `dies` as input for a query of the policy.
    fn seen(&self, dies: Range<u32>) -> QueryInput {
        let urgent = self.collection_is_urgent(dies.clone());
        QueryInput {
            server: self.rules.server_of(DieId(dies.start)),
            waiting: self.queues.waiting_at(dies.clone()),
            collection_first: self.collection_is_first(dies, urgent),
        }
    }

    /// Returns the oldest startable transaction in a queue of the searched dies, or an obsolete relocation
    /// that must be removed first.
    fn lead_in(&self, search: &CommandSearch, lane: DieLane) -> FoundCommand {
        if matches!(lane.class(), TransactionClass::GcRead | TransactionClass::GcWrite)
            && let Some((die, id)) = self.obsolete(search.dies.clone(), lane)
        {
            return FoundCommand::Obsolete(die, id);
        }
        match self.longest_waiting(search.dies.clone(), lane) {
            Some((die, id)) => {
                FoundCommand::Lead(LeadTransaction { die, id, class: lane.class(), urgent: search.urgent })
            }
            None => FoundCommand::Nothing,
        }
    }
}
