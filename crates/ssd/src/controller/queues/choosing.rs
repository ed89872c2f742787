//! What an idle die does next.

use std::ops::Range;

use crate::geometry::{DieId, TransactionId};
use crate::work::{Class, Kind, Transaction, Transactions};

use super::Queues;
use super::command::{Batch, Command, Found, Lead};
use super::lanes::{Lane, QueueSet};
use super::legality::Legality;
use super::looks::Seen;
use super::ready::{HostView, Ready};
use crate::controller::scheduling::{Rank, service_order};

/// Queues of moves, and of reads of the map.
const MOVES_OR_MAP: QueueSet = QueueSet::of(Class::GcRead)
    .and(QueueSet::of(Class::GcWrite))
    .and(QueueSet::of(Class::GcErase))
    .and(QueueSet::of(Class::MappingRead));

/// A search for the next command of some idle dies, as far as it has come.
#[derive(Clone, Debug)]
pub struct Search {
    /// From the first to the last of them for which anything waited when it began.
    dies: Range<u32>,
    /// Queues that had work when it began.
    waiting: QueueSet,
    /// Whether collection was urgent then; for a look, whether it goes first.
    urgent: bool,
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    /// Through the classes that are left, in this order.
    Through(&'static [Rank]),
    /// In this queue.
    In(Lane),
}

/// What a look has found.
#[derive(Clone, Copy, Debug)]
struct Looked {
    waiting: QueueSet,
    urgent: bool,
    lane: Lane,
}

/// Whether reads beside nothing suspended can be read: all can.
#[inline]
pub const fn all_readable(_all: &Transactions, _read: &Transaction) -> bool {
    true
}

/// Whether a read is of no page that one of these transactions programs, which are suspended or about to be.
#[inline]
pub fn readable_beside(beside: &[TransactionId]) -> impl Fn(&Transactions, &Transaction) -> bool + Copy {
    move |all, read| {
        !read.pinned().is_some_and(|page| beside.iter().any(|&id| all.get(id).ppn() == Some(page)))
    }
}

impl Queues {
    #[inline]
    fn ready<'a, L, R>(&'a self, all: &'a Transactions, legality: &'a L, is_readable: R) -> Ready<'a, L, R> {
        Ready { rules: &self.rules, queues: &self.dies, all, legality, is_readable }
    }

    /// A search for the next command of these dies, which are idle, if anything waits for them. With a policy that looks everywhere, turns
    /// go on.
    pub fn search(&self, dies: Range<u32>, all: &Transactions, legality: &impl Legality) -> Option<Search> {
        if self.manner.looks_everywhere {
            let Looked { waiting, urgent, lane } = self.look(dies.clone(), all, legality)?;
            return Some(Search { dies, waiting, urgent, way: Way::In(lane) });
        }
        let (waiting, some) = self.dies.waiting_among(dies.clone());
        if waiting.is_empty() {
            return None;
        }
        // It matters only to moves, and to reads of the map, which moves may join.
        let urgent = waiting.meets(MOVES_OR_MAP)
            && self.ready(all, legality, all_readable).collection_is_urgent(dies.clone());
        let way = match waiting.only() {
            Some(lane) if self.manner.chooses_lanes || lane.class().kind().is_none() => Way::In(lane),
            _ => {
                let collection_first = urgent || !self.rules.settings.collection_yields;
                Way::Through(service_order(collection_first, self.manner.host_order))
            }
        };
        Some(Search { dies: some, waiting, urgent, way })
    }

    /// A look at what waits, which finds one queue to serve.
    fn look(&self, dies: Range<u32>, all: &Transactions, legality: &impl Legality) -> Option<Looked> {
        let seen = self.ready(all, legality, all_readable).seen(dies);
        let lane = seen.find(&mut self.policy.borrow_mut())?;
        Some(Looked { waiting: seen.waiting, urgent: seen.collection_first, lane })
    }

    /// A look at dies that can take no command now; it counts with policies that look everywhere.
    pub fn look_past(&self, dies: Range<u32>, all: &Transactions, legality: &impl Legality) {
        if self.manner.looks_everywhere {
            self.ready(all, legality, all_readable).seen(dies).pass(&mut self.policy.borrow_mut());
        }
    }

    /// The lead of the next command: of the first class that has work that can be done now, the transaction that has waited longest, or the
    /// one that the policy chooses. A function of its own for each kind of `is_readable`, so that the question costs nothing while nothing
    /// is suspended.
    pub fn find(
        &self,
        search: &mut Search,
        all: &Transactions,
        legality: &impl Legality,
        is_readable: impl Fn(&Transactions, &Transaction) -> bool + Copy,
    ) -> Found {
        let ready = self.ready(all, legality, is_readable);
        match search.way {
            Way::In(lane) => ready.lead_in(search, lane),
            Way::Through(order) => {
                // A copy, so that the search of the usual case is in no memory.
                let (found, left) = self.find_through(order, &search.clone(), all, legality, is_readable);
                search.way = Way::Through(left);
                found
            }
        }
    }

    /// The same where several classes have work: what was found, and the classes from there on.
    fn find_through<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        mut order: &'static [Rank],
        search: &Search,
        all: &Transactions,
        legality: &L,
        is_readable: R,
    ) -> (Found, &'static [Rank]) {
        let ready = &self.ready(all, legality, is_readable);
        while let [Rank { class, queues }, rest @ ..] = order {
            if search.waiting.meets(*queues) {
                let found = match class.kind() {
                    Some(kind) if !self.manner.is_by_arrival => self.lead_by_policy(ready, search, kind),
                    _ => ready.lead_in(search, Lane::first_of(*class)),
                };
                if found != Found::Nothing {
                    return (found, order);
                }
            }
            order = rest;
        }
        (Found::Nothing, order)
    }

    /// The transaction of the host that the policy chooses for these dies.
    fn lead_by_policy<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        ready: &Ready<'_, L, R>,
        search: &Search,
        kind: Kind,
    ) -> Found {
        let server = self.rules.server_of(DieId(search.dies.start));
        let queues = HostView { ready, dies: search.dies.clone() };
        match self.policy.borrow_mut().choose(server, kind, &queues) {
            Some((die, id)) => {
                let class = ready.get(id).purpose.class();
                Found::Lead(Lead { die, id, class, urgent: search.urgent })
            }
            None => Found::Nothing,
        }
    }

    /// Forms the command that a transaction leads, with those of other planes that join it.
    pub fn form<L: Legality, R: Fn(&Transactions, &Transaction) -> bool + Copy>(
        &self,
        lead: &Lead,
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

    /// Adds to a command those that join its lead. Apart, and told the lead by value, so that where none can nothing of it is in memory.
    fn fill_up<L: Legality, R: Fn(&Transactions, &Transaction) -> bool>(
        &self,
        lead: Lead,
        all: &Transactions,
        legality: &L,
        is_readable: R,
        batch: &mut Batch,
    ) {
        self.ready(all, legality, is_readable).fill_up(&lead, self.manner.has_one_lane, batch);
    }

    /// A command starts on a die with these transactions, which still wait: the policy learns of it.
    pub fn starts(&self, die: DieId, batch: &[TransactionId], all: &Transactions, legality: &impl Legality) {
        if self.manner.is_by_arrival {
            return;
        }
        if !self.manner.chooses_lanes {
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

impl<L: Legality, R: Fn(&Transactions, &Transaction) -> bool> Ready<'_, L, R> {
    /// What a look at these dies sees.
    fn seen(&self, dies: Range<u32>) -> Seen {
        let urgent = self.collection_is_urgent(dies.clone());
        Seen {
            server: self.rules.server_of(DieId(dies.start)),
            waiting: self.queues.waiting_at(dies),
            collection_first: urgent || !self.rules.settings.collection_yields,
        }
    }

    /// What has waited longest in a queue of these dies and can be done now, or what has to leave it first.
    fn lead_in(&self, search: &Search, lane: Lane) -> Found {
        if matches!(lane.class(), Class::GcRead | Class::GcWrite)
            && let Some((die, id)) = self.obsolete(search.dies.clone(), lane)
        {
            return Found::Obsolete(die, id);
        }
        match self.longest_waiting(search.dies.clone(), lane) {
            Some((die, id)) => Found::Lead(Lead { die, id, class: lane.class(), urgent: search.urgent }),
            None => Found::Nothing,
        }
    }
}
