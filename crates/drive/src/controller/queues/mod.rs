//! Queues of the dies, and formation of the next command of a die.
//!
//! # What it models
//! Each die has a queue for each class of transactions
//! ([`TransactionClass`]). Host reads and host writes may have
//! several queues, called lanes. When a die can accept a command and the fabric has a path, the controller
//! selects one transaction, the lead of the command, and adds transactions on other planes that can be
//! executed together with it. If the dies of a chip work one at a time, they are scheduled together.
//!
//! # How
//! [`Queues`] combines two parts:
//! - `die_queues`: waiting transactions, as linked lists in the transaction table. Long queues are indexed by
//!   chains, which find transactions of other planes without a linear search.
//! - `command_search`: selection by class in a fixed order, and by a [policy](super::scheduling) among host
//!   reads and host writes.
//!
//! The trait [`Legality`] determines the transactions that may be started. The queues have no other access to
//! blocks, mapping and garbage collection. A selection changes no state, except for policies with
//! `QueryScope::Everywhere`. An unnecessary relocation is returned as [`FoundCommand::Obsolete`]; the FTL
//! removes it, and the search continues.
//!
//! # What is left out
//! The selection does not depend on free paths. If the fabric has no path for the command, the selection is
//! repeated later.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018 (the transaction scheduling unit).
//!
//! # Parameters
//! `ftl.scheduling` and the parameters of each policy, `ftl.gc_yields_to_host`, `flash.multiplane`,
//! `flash.multiplane_same_offset`, `flash.die_work`

mod command;
mod command_search;
mod die_queues;
pub mod lanes;
mod legality;
mod partner_search;
mod partners;
mod queries;
mod queue_measurement;
mod ready_queues;
mod rules;

use std::cell::RefCell;

use venice_kernel::SimTime;
use venice_nand::chip::FlashSettings;
use venice_nand::geometry::{DieId, Geometry, Priority, TransactionId};
use venice_nand::transactions::{TransactionClass, Transactions};

use super::scheduling::{AnyScheduling, PolicyTraits, SchedulingSettings};

use die_queues::DieQueues;
use lanes::{DieLane, QueueSet};
use rules::ChoiceRules;

pub use command::{Command, FoundCommand, LeadTransaction, TransactionBatch};
pub use command_search::{CommandSearch, all_readable, readable_beside};
pub use legality::{Legality, OffsetRule};
pub use queue_measurement::{NamedQueue, QueueMeasurement};
pub use rules::QueueSettings;

/// Queues of all dies, with the scheduling policy that selects among host transactions.
#[derive(Clone, Debug)]
pub struct Queues {
    geometry: Geometry,
    rules: ChoiceRules,
    dies: DieQueues,
    /// Scheduling policy. The `RefCell` is needed because the policy is called while transactions and the
    /// FTL's state are borrowed immutably.
    policy: RefCell<AnyScheduling>,
    policy_traits: PolicyTraits,
    /// Dies that have received transactions, or whose waiting transactions may now be startable.
    ready: Vec<DieId>,
    /// True if transactions have been queued since the last call of [`Self::have_come`].
    came: bool,
    /// Measured queue lengths and waits of each chip.
    pub measured: QueueMeasurement,
}

impl Queues {
    /// Creates the empty queues of a drive.
    pub fn new(
        geometry: &Geometry,
        flash: &FlashSettings,
        settings: QueueSettings,
        scheduling: &SchedulingSettings,
    ) -> Self {
        let policy = AnyScheduling::new(scheduling, geometry.dies());
        let policy_traits = policy.policy_traits();
        Self {
            geometry: *geometry,
            rules: ChoiceRules::new(geometry, flash, settings),
            dies: DieQueues::new(geometry, settings.units, settings.streams, flash.multiplane_same_offset),
            policy_traits,
            policy: RefCell::new(policy),
            ready: Vec::new(),
            came: false,
            measured: QueueMeasurement::new(*geometry, !policy_traits.has_one_lane),
        }
    }

    /// Returns the lane in which transactions of this priority wait.
    #[inline]
    pub fn lane(&self, priority: Priority) -> u8 {
        if self.policy_traits.has_one_lane { 0 } else { self.policy.borrow().lane(priority) }
    }

    /// Appends a transaction to the queue of its die.
    pub fn join(&mut self, all: &mut Transactions, id: TransactionId, now: SimTime) {
        let transaction = all.get(id);
        let (die, lane) = (self.geometry.die_of(transaction.plane), DieLane::of(transaction));
        self.measured.joins(die, lane, id, now);
        self.join_at(die, lane, all, id);
    }

    #[inline]
    fn join_at(&mut self, die: DieId, lane: DieLane, all: &mut Transactions, id: TransactionId) {
        self.dies.push(all, die, lane, id);
        self.came = true;
        self.wake(die);
    }

    /// Removes a transaction from the queue of its die.
    pub fn leave(&mut self, all: &mut Transactions, die: DieId, id: TransactionId, now: SimTime) {
        self.measured.leaves(all, die, id, now);
        self.dies.remove(all, die, id);
    }

    /// Moves an erase, recorded before by `plan_erase`, to the queue of its die.
    pub fn join_erase(&mut self, all: &mut Transactions, id: TransactionId) {
        let erase = all.get(id);
        let (plane, lane) = (erase.plane, DieLane::of(erase));
        self.measured.order_erase(plane, id);
        self.join_at(self.geometry.die_of(plane), lane, all, id);
    }

    /// Marks a die as ready, because a condition for which its transactions waited may now be met.
    #[inline]
    pub fn wake(&mut self, die: DieId) {
        self.ready.push(die);
    }

    /// Removes and returns a die with new work. A die may be returned more than once.
    #[inline]
    pub fn next_ready_die(&mut self) -> Option<DieId> {
        self.ready.pop()
    }

    /// Returns true if a die has received transactions, or if its waiting transactions may now be startable.
    #[inline]
    pub const fn has_ready_dies(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Returns true if transactions have been queued since the last call.
    #[inline]
    pub const fn have_come(&mut self) -> bool {
        std::mem::replace(&mut self.came, false)
    }

    /// Returns true if the scheduling policy must also be queried for busy dies and for dies without
    /// transactions (`QueryScope::Everywhere`).
    #[inline]
    pub const fn looks_everywhere(&self) -> bool {
        self.policy_traits.looks_everywhere
    }

    /// Returns true if a die's next command, once it programs host data, changes only when transactions arrive.
    /// False if free pages depend on other dies, or if each query advances the scheduling policy.
    #[inline]
    pub const fn has_stable_host_writes(&self) -> bool {
        let settings = &self.rules.settings;
        !settings.moves_leave && !settings.by_line && !self.policy_traits.looks_everywhere
    }

    /// Returns true if a transaction waits for `die`.
    #[inline]
    pub fn waits_for(&self, die: DieId) -> bool {
        !self.dies.waiting(die).is_empty()
    }

    /// Returns true if a transaction other than those of scrub waits for `die`.
    pub fn has_foreground(&self, die: DieId) -> bool {
        !self.dies.waiting(die).without(QueueSet::of(TransactionClass::Scrub)).is_empty()
    }

    /// Returns the oldest page of a search that waits for a die, if no other transaction waits for it.
    pub fn next_if_only_searches(&self, die: DieId) -> Option<TransactionId> {
        let searches = DieLane::first_of(TransactionClass::Search);
        let is_only = self.dies.waiting(die).only() == Some(searches);
        if is_only { self.dies.first(die, searches) } else { None }
    }

    /// Returns the oldest transaction in a queue of a die.
    #[inline]
    pub fn first(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        self.dies.first(die, lane)
    }
}
