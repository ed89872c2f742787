//! Queues of dies, and the choice of the next command.
//!
//! # What it models
//! Each die has a queue for each class of work ([`TransactionClass`](venice_nand::transactions::TransactionClass)); the host's reads and writes
//! may have several lanes. When a die can accept a command and the fabric has a path, the controller chooses
//! the leading transaction and those of other planes that join it. Dies of a chip that work one at a time are
//! served as one server.
//!
//! # How
//! [`Queues`] combines the waiting transactions (`die_queues`: linked lists in the transaction table; long
//! ones keep chains, which find partners without a walk) and the choice (`command_search`: classes in a fixed
//! order, and a [policy](super::scheduling) among the host's reads and writes). Legality is queried from the
//! layer above through a contract ([`Legality`]); blocks, mapping and garbage collection are not accessed
//! otherwise. A choice changes nothing but the turns of policies that count looks. A relocation that has
//! become needless is reported ([`FoundCommand::Obsolete`]) and removed by its owner, and the search continues.
//!
//! # What is left out
//! Paths: the fabric decides whether a chosen command can be sent; if not, the choice is repeated later.
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
use venice_nand::transactions::Transactions;

use super::scheduling::{AnyScheduling, PolicyTraits, SchedulingSettings};

use die_queues::DieQueues;
use lanes::DieLane;
use rules::ChoiceRules;

pub use command::{Command, FoundCommand, LeadTransaction, TransactionBatch};
pub use command_search::{CommandSearch, all_readable, readable_beside};
pub use legality::{Legality, OffsetRule};
pub use queue_measurement::{NamedQueue, QueueMeasurement};
pub use rules::QueueSettings;

/// Queues of all dies, and the selection among their transactions.
#[derive(Clone, Debug)]
pub struct Queues {
    geometry: Geometry,
    rules: ChoiceRules,
    dies: DieQueues,
    /// In a `RefCell`, since the policy is called while transactions and bookkeeping are borrowed immutably.
    policy: RefCell<AnyScheduling>,
    policy_traits: PolicyTraits,
    /// Dies with new work.
    ready: Vec<DieId>,
    /// True if transactions have been queued since the last query.
    came: bool,
    /// Measured queues of each chip.
    pub measured: QueueMeasurement,
}

impl Queues {
    /// Creates empty queues.
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

    /// Returns the lane of a transaction with this priority.
    #[inline]
    pub fn lane(&self, priority: Priority) -> u8 {
        if self.policy_traits.has_one_lane { 0 } else { self.policy.borrow().lane(priority) }
    }

    /// Appends a transaction to the queue of its die.
    pub fn join(&mut self, all: &mut Transactions, id: TransactionId, now: SimTime) {
        let die = self.geometry.die_of(all.get(id).plane);
        self.measured.joins(all, die, id, now);
        self.join_at(die, all, id);
    }

    #[inline]
    fn join_at(&mut self, die: DieId, all: &mut Transactions, id: TransactionId) {
        self.dies.push(all, die, id);
        self.came = true;
        self.wake(die);
    }

    /// Removes a transaction from its queue.
    pub fn leave(&mut self, all: &mut Transactions, die: DieId, id: TransactionId, now: SimTime) {
        self.measured.leaves(all, die, id, now);
        self.dies.remove(all, die, id);
    }

    /// Appends a planned erase to the queue of its die.
    pub fn join_erase(&mut self, all: &mut Transactions, id: TransactionId) {
        let plane = all.get(id).plane;
        self.measured.order_erase(plane, id);
        self.join_at(self.geometry.die_of(plane), all, id);
    }

    /// Marks a die as ready, since a condition for which it waited is met.
    #[inline]
    pub fn wake(&mut self, die: DieId) {
        self.ready.push(die);
    }

    /// Removes and returns a die with new work; repetitions are possible.
    #[inline]
    pub fn next_ready_die(&mut self) -> Option<DieId> {
        self.ready.pop()
    }

    /// True if a die has new work.
    #[inline]
    pub const fn has_ready_dies(&self) -> bool {
        !self.ready.is_empty()
    }

    /// True if transactions have been queued since the last call.
    #[inline]
    pub const fn have_come(&mut self) -> bool {
        std::mem::replace(&mut self.came, false)
    }

    /// True if the policy counts looks at dies without work and at busy dies.
    #[inline]
    pub const fn looks_everywhere(&self) -> bool {
        self.policy_traits.looks_everywhere
    }

    /// True if a transaction waits for `die`.
    #[inline]
    pub fn waits_for(&self, die: DieId) -> bool {
        !self.dies.waiting(die).is_empty()
    }

    /// Returns the head of a queue of a die.
    #[inline]
    pub fn first(&self, die: DieId, lane: DieLane) -> Option<TransactionId> {
        self.dies.first(die, lane)
    }
}
