//! The queues of dies, and what a die does next.
//!
//! # What it models
//! Every die has a queue for each class of work ([`Class`](crate::work::Class)), and the host's reads and writes may wait in several lanes. When a die can
//! take a command and the fabric has a path, the controller chooses the transaction that leads it and those of other planes that join
//! it. Dies of a chip that work one at a time are chosen for together.
//!
//! # How
//! [`Queues`] joins two parts: what waits (`die_queues`: lists through the table of transactions; long ones keep chains,
//! so that partners are found without a walk), and the choosing (`choosing`): classes in a fixed order, and among the host's reads
//! and writes what a [policy](super::scheduling) names. What may be done now the controller asks the layer above by a contract ([`Legality`]); of
//! blocks, maps and collection it knows nothing else. Choosing changes nothing but turns of policies that count looks; a
//! move that nobody wants any more is reported ([`Found::Obsolete`]), taken away by its owner, and the search goes on.
//!
//! # What is left out
//! Paths: whether a command that was chosen can be sent now is the fabric's to say, and it is chosen again later.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018 (the transaction scheduling unit).
//!
//! # Parameters
//! `ftl.scheduling` and those of each policy, `ftl.gc_yields_to_host`, `flash.multiplane`, `flash.multiplane_same_offset`,
//! `flash.die_work`

mod choosing;
mod command;
mod die_queues;
mod joining;
pub mod lanes;
mod legality;
mod looks;
mod measured;
mod partners;
mod ready;
mod rules;

use std::cell::RefCell;

use venice_kernel::SimTime;

use crate::chip::FlashSettings;
use crate::geometry::{DieId, Geometry, Priority, TransactionId};
use crate::work::Transactions;

use super::scheduling::{AnyScheduling, Manner, SchedulingSettings};

use die_queues::DieQueues;
use lanes::Lane;
use rules::Rules;

pub use choosing::{Search, all_readable, readable_beside};
pub use command::{Batch, Command, Found, Lead};
pub use legality::{Legality, Offsets};
pub use measured::{Measured, NamedQueue};
pub use rules::QueueSettings;

/// What waits for the dies of a drive, and the choice among it.
#[derive(Clone, Debug)]
pub struct Queues {
    geometry: Geometry,
    rules: Rules,
    dies: DieQueues,
    /// Asked, like the books of the layer above, while all is looked at and nothing is changed; so it keeps its turns in a cell.
    policy: RefCell<AnyScheduling>,
    manner: Manner,
    /// Dies that have got something to do.
    ready: Vec<DieId>,
    /// Whether transactions came, for who asks.
    came: bool,
    /// What waits for each chip, if anybody asks.
    pub measured: Measured,
}

impl Queues {
    /// Nothing waits.
    pub fn new(
        geometry: &Geometry,
        flash: &FlashSettings,
        settings: QueueSettings,
        scheduling: &SchedulingSettings,
    ) -> Self {
        let policy = AnyScheduling::new(scheduling, geometry.dies());
        let manner = policy.manner();
        Self {
            geometry: *geometry,
            rules: Rules::new(geometry, flash, settings),
            dies: DieQueues::new(geometry, settings.streams, flash.multiplane_same_offset),
            manner,
            policy: RefCell::new(policy),
            ready: Vec::new(),
            came: false,
            measured: Measured::new(*geometry, !manner.has_one_lane),
        }
    }

    /// The lane of a class in which a transaction of this priority waits.
    #[inline]
    pub fn lane(&self, priority: Priority) -> u8 {
        if self.manner.has_one_lane { 0 } else { self.policy.borrow().lane(priority) }
    }

    /// A transaction waits for its die from now on.
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

    /// A transaction waits no longer.
    pub fn leave(&mut self, all: &mut Transactions, die: DieId, id: TransactionId, now: SimTime) {
        self.measured.leaves(all, die, id, now);
        self.dies.remove(all, die, id);
    }

    /// The erase that was planned waits for its die.
    pub fn join_erase(&mut self, all: &mut Transactions, id: TransactionId) {
        let plane = all.get(id).plane;
        self.measured.order_erase(plane, id);
        self.join_at(self.geometry.die_of(plane), all, id);
    }

    /// Something that a die waited for has come about.
    #[inline]
    pub fn wake(&mut self, die: DieId) {
        self.ready.push(die);
    }

    /// The next die that has got something to do since the last call; repeats are possible.
    #[inline]
    pub fn next_ready_die(&mut self) -> Option<DieId> {
        self.ready.pop()
    }

    /// Whether there is such a die.
    #[inline]
    pub const fn has_ready_dies(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether transactions have come since this was asked last.
    #[inline]
    pub const fn have_come(&mut self) -> bool {
        std::mem::replace(&mut self.came, false)
    }

    /// Whether looks at dies without work, and at busy ones, count.
    #[inline]
    pub const fn looks_everywhere(&self) -> bool {
        self.manner.looks_everywhere
    }

    /// Whether something waits for a die.
    #[inline]
    pub fn waits_for(&self, die: DieId) -> bool {
        !self.dies.waiting(die).is_empty()
    }

    /// The first in a queue of a die.
    #[inline]
    pub fn first(&self, die: DieId, lane: Lane) -> Option<TransactionId> {
        self.dies.first(die, lane)
    }
}
