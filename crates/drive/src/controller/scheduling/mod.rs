//! Scheduling policies: order in which host transactions are started when a die is idle.
//!
//! # Rules
//!
//! 1. Transaction classes are served in the order of [`service_order`]: the first class with a startable
//!    transaction is next. While garbage collection is urgent (a plane of the die has too few free blocks),
//!    it precedes everything else that needs free pages.
//! 2. A policy selects among host reads and host writes ([`SchedulingPolicy::choose`]). It sees the queues of
//!    one die, or of all dies of a chip that work one at a time ([`HostQueues`]). It may select any startable
//!    transaction of this view.
//! 3. A query changes no state that affects later choices, since the fabric may refuse the command, and the
//!    policy is then queried again. When a command is accepted, a policy that selects lanes is notified of
//!    the lane ([`SchedulingPolicy::lane_started`]). Other policies are notified of the transactions that
//!    started and those that remain ([`SchedulingPolicy::started`]).
//! 4. A policy draws no random numbers.
//! 5. A policy may distribute waiting transactions over several queues, called lanes
//!    ([`SchedulingPolicy::lane`]). Each lane is served first come, first served.
//! 6. A policy declares when it is queried ([`QueryScope`]). A policy with [`QueryScope::Everywhere`] is also
//!    queried for busy dies and for transactions that cannot be started: first for reads and, if no read is
//!    selected, for writes. Such a query may change state and may select nothing; the die is then queried
//!    again at the next opportunity.
//!
//! The controller adds transactions for the planes that the selected one does not use. They may come from a
//! second class of the same operation ([`joining_class`]).
//!
//! To add a policy, write a module with an implementation of [`SchedulingPolicy`], and add its `mod` line and
//! its line in the catalogue below. Configuration, reference documentation and tests of the rules then
//! include it, with the parameters that its module declares.

#[cfg(test)]
mod mock;
mod out_of_order;
pub mod paq;
mod priority_out_of_order;
pub mod priority_turns;
mod reads_first;

use venice_nand::geometry::{DieId, Priority, TransactionId};
use venice_nand::transactions::TransactionClass;
use venice_params::{ParameterSet, catalogue, choices, declare, gather, one_of};

use super::queues::lanes::{LANES, QueueSet};

pub use super::queues::lanes::LaneSet;
pub use out_of_order::{joining_class, service_order};
pub use venice_nand::transactions::TransactionKind;

/// Occasions on which a scheduling policy is queried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryScope {
    /// The policy is queried for each die that can accept a command and has a startable transaction. Dies of
    /// a chip that work one at a time are queried together.
    WhereWorkIs,
    /// The policy is queried for all chips of a free path, after transactions were queued or after the path
    /// or one of its chips was released.
    Everywhere,
}

/// Host transactions among which a policy chooses in one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOrder {
    /// The policy chooses among reads, and then among writes if it selects no read.
    ReadsFirst,
    /// Reads, and then writes if no read is selected, as with [`HostOrder::ReadsFirst`]. Reads also precede
    /// urgent garbage collection.
    ReadsBeforeCollection,
    /// The policy chooses among reads and writes together. They have the position of writes in the service
    /// order of classes.
    Together,
}

/// Position in the service order of transaction classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceRank {
    /// Class of the transactions. If a policy does not separate host reads and host writes, `HostRead` stands
    /// for both classes.
    pub class: TransactionClass,
    /// Queues that are served at this position of the order.
    pub queues: QueueSet,
}

impl ServiceRank {
    /// Returns the service rank of a single class.
    pub const fn of(class: TransactionClass) -> Self {
        Self { class, queues: QueueSet::of(class) }
    }
}

/// Properties that all transactions of a command share: true for writes, and the page offset if offsets must
/// agree.
pub type Packing = (bool, Option<u32>);

/// Read-only view of the host transactions that wait for a die, or for all dies of a chip if they work one at
/// a time.
pub trait HostQueues {
    /// Returns the dies of the view: one, or all dies of a chip if they work one at a time.
    fn dies(&self) -> impl Iterator<Item = DieId>;

    /// Returns the lanes in which reads (or writes) wait for any of the dies, startable or not.
    fn waiting(&self, kind: TransactionKind) -> LaneSet;

    /// Returns the oldest transaction in a lane of `die`.
    fn first(&self, die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId>;

    /// Returns the transaction after `id` in the same lane.
    fn after(&self, id: TransactionId) -> Option<TransactionId>;

    /// Returns true if the transaction `id` can be started now.
    fn can_start(&self, id: TransactionId) -> bool;

    /// Returns the oldest transaction in a lane of `die` that can be started now.
    fn first_ready(&self, die: DieId, kind: TransactionKind, lane: u8) -> Option<TransactionId>;

    /// Returns the position of the transaction `id` in the order of arrival at all dies.
    fn arrival(&self, id: TransactionId) -> u64;

    /// Returns read or write for a host transaction; `None` for other classes.
    fn kind(&self, id: TransactionId) -> Option<TransactionKind>;

    /// Returns the plane of the transaction `id` as a bit mask within its die.
    fn plane(&self, id: TransactionId) -> u32;

    /// Returns the properties that a transaction must share with the transaction `id` to join its command.
    fn packing(&self, id: TransactionId) -> Packing;

    /// Returns the maximum number of planes that a command uses.
    fn planes_of_a_command(&self) -> u32;

    /// Returns true if `id` is the only transaction that waits for `die`.
    fn is_alone(&self, die: DieId, id: TransactionId) -> bool;

    /// Returns the startable transaction of the dies that has waited longest in `lane`, with its die.
    fn longest_waiting(&self, kind: TransactionKind, lane: u8) -> Option<(DieId, TransactionId)> {
        let ready = self.dies().filter_map(|die| Some((die, self.first_ready(die, kind, lane)?)));
        ready.min_by_key(|&(_, id)| self.arrival(id))
    }
}

declare! {
    /// Parameters that select the scheduling policy.
    pub struct SchedulingChoice in "ftl." {
        /// Scheduling policy: order in which a die serves its queues.
        kind as scheduling: Scheduling = one_of::<Scheduling>(), unit "", default "paq",
            source "Jung et al., PAQ, ISCA 2012 (host commands of a die by arrival); MQSim, Transaction_Scheduling_Policy (out_of_order: reads first)";
        with parameters: SchedulingParameters;
    }
}

/// Settings of the scheduling policies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulingSettings {
    /// Scheduling policy that was selected.
    pub kind: Scheduling,
    /// Weights of the priority classes high, medium and low, in commands per round; each at least 1.
    pub weights: [u32; 3],
    /// Parameters declared by the policies.
    pub parameters: SchedulingParameters,
}

impl SchedulingSettings {
    /// Combines the configured policy with the weights of the priority classes high, medium and low.
    pub const fn of(stated: &SchedulingChoice, weights: [u32; 3]) -> Self {
        Self { kind: stated.kind, weights, parameters: stated.parameters }
    }
}

/// Scheduling policy; the module documentation states the rules. By default, a policy has one lane, served
/// first come, first served.
pub trait SchedulingPolicy {
    /// Policy-specific parameters; `()` if there are none.
    type Parameters: ParameterSet;

    /// True if the policy always starts the oldest startable transaction of its single lane. Such a policy is
    /// never queried.
    const IS_FIFO: bool = false;
    /// True if all transactions wait in one lane.
    const HAS_ONE_LANE: bool = true;
    /// Order of host reads and host writes in a query.
    const HOST_ORDER: HostOrder = HostOrder::ReadsFirst;
    /// Occasions on which the policy is queried.
    const LOOKS: QueryScope = QueryScope::WhereWorkIs;
    /// True if the policy selects only a lane, whose transactions are served first come, first served. Such a
    /// policy is not queried if only one lane has work.
    const CHOOSES_LANES: bool = true;

    /// Creates the policy for a drive with `dies` dies. `own` contains the parameters that the policy itself
    /// declares.
    fn new(own: &Self::Parameters, settings: &SchedulingSettings, dies: u32) -> Self;

    /// Returns the lane in which transactions of this priority wait.
    #[inline]
    fn lane(&self, _priority: Priority) -> u8 {
        0
    }

    /// Returns the lane to serve next, or `None` to serve none. `server` is the number of the die, or of a
    /// chip's first die if the chip's dies work one at a time.
    #[inline]
    fn choose_lane(&mut self, _server: u32, _kind: TransactionKind, _ready: LaneSet) -> Option<u8> {
        Some(0)
    }

    /// Returns the transaction to be started next on the dies of `queues`. The transaction is of the kind
    /// `kind` (read or write), or of either kind with [`HostOrder::Together`].
    #[inline]
    fn choose(
        &mut self,
        server: u32,
        kind: TransactionKind,
        queues: &impl HostQueues,
    ) -> Option<(DieId, TransactionId)> {
        let mut ready = LaneSet(0);
        let mut leads = [None; LANES];
        // Usually only one lane has waiting transactions.
        for lane in queues.waiting(kind).iter() {
            let lead = &mut leads[usize::from(lane)];
            *lead = queues.longest_waiting(kind, lane);
            ready.0 |= u8::from(lead.is_some()) << lane;
        }
        if ready == LaneSet(0) {
            return None;
        }
        let lane = self.choose_lane(server, kind, ready)?;
        leads[usize::from(lane)]
    }

    /// Notifies the policy of a started command, if it [selects lanes](Self::CHOOSES_LANES). `lane` is the
    /// lane of the command's lead transaction.
    #[inline]
    fn lane_started(&mut self, _server: u32, _kind: TransactionKind, _lane: u8) {}

    /// Notifies the policy of a started command, unless it [selects lanes](Self::CHOOSES_LANES). The
    /// command's transactions are still queued.
    #[inline]
    fn started(&mut self, _die: DieId, _batch: &[TransactionId], _queues: &impl HostQueues) {}
}

/// Constants of a scheduling policy as run-time values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a constant of its own")]
pub struct PolicyTraits {
    /// Value of [`SchedulingPolicy::IS_FIFO`].
    pub is_by_arrival: bool,
    /// Value of [`SchedulingPolicy::HAS_ONE_LANE`].
    pub has_one_lane: bool,
    /// Value of [`SchedulingPolicy::HOST_ORDER`].
    pub host_order: HostOrder,
    /// True if [`SchedulingPolicy::LOOKS`] is [`QueryScope::Everywhere`].
    pub looks_everywhere: bool,
    /// Value of [`SchedulingPolicy::CHOOSES_LANES`].
    pub chooses_lanes: bool,
}

impl PolicyTraits {
    const fn of<P: SchedulingPolicy>(_policy: &P) -> Self {
        Self {
            is_by_arrival: P::IS_FIFO,
            has_one_lane: P::HAS_ONE_LANE,
            host_order: P::HOST_ORDER,
            looks_everywhere: matches!(P::LOOKS, QueryScope::Everywhere),
            chooses_lanes: P::CHOOSES_LANES,
        }
    }
}

catalogue! {
    /// Scheduling policies that can be configured.
    pub enum Scheduling, match_kind!;

    /// Scheduling policy of any kind, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyScheduling, match_policy!;

    out_of_order::OutOfOrder: "out_of_order" => OutOfOrder, "reads before writes before garbage collection";
    priority_out_of_order::PriorityOutOfOrder:
        "priority_out_of_order" => PriorityOutOfOrder,
            "like `out_of_order`, with host reads, and host writes, by the class of their queue (`host.queue_priorities`): urgent \
             first, the others in proportion to `host.weight_high`, `medium` and `low`";
    paq::Paq:
        "paq" => Paq,
            "host reads and writes in order of arrival, in groups that use as many planes of the die as possible";
    priority_turns::PriorityTurns:
        "priority_turns" => PriorityTurns,
            "like `priority_out_of_order`, with turns that advance at every look of MQSim's scheduler, so that low-class work \
             without other work may wait forever";
    reads_first::ReadsFirst:
        "reads_first" => ReadsFirst, "like `out_of_order`, with host reads also before urgent garbage collection";

    => gather! {
        /// Parameters of all scheduling policies.
        pub struct SchedulingParameters of SchedulingPolicy
    }
}

choices! { kind Scheduling, "scheduling policy"; }

impl AnyScheduling {
    /// Creates the configured scheduling policy for a drive with `dies` dies.
    pub fn new(settings: &SchedulingSettings, dies: u32) -> Self {
        match_kind!(settings.kind, Policy, own in settings.parameters => Policy::new(own, settings, dies).into())
    }

    /// Calls [`SchedulingPolicy::lane`].
    #[inline]
    pub fn lane(&self, priority: Priority) -> u8 {
        match_policy!(self, policy => policy.lane(priority))
    }

    /// Calls [`SchedulingPolicy::choose_lane`].
    #[inline]
    pub fn choose_lane(&mut self, server: u32, kind: TransactionKind, ready: LaneSet) -> Option<u8> {
        match_policy!(self, policy => policy.choose_lane(server, kind, ready))
    }

    /// Calls [`SchedulingPolicy::choose`].
    #[inline]
    pub fn choose(
        &mut self,
        server: u32,
        kind: TransactionKind,
        queues: &impl HostQueues,
    ) -> Option<(DieId, TransactionId)> {
        match_policy!(self, policy => policy.choose(server, kind, queues))
    }

    /// Calls [`SchedulingPolicy::lane_started`].
    #[inline]
    pub fn lane_started(&mut self, server: u32, kind: TransactionKind, lane: u8) {
        match_policy!(self, policy => policy.lane_started(server, kind, lane));
    }

    /// Calls [`SchedulingPolicy::started`].
    #[inline]
    pub fn started(&mut self, die: DieId, batch: &[TransactionId], queues: &impl HostQueues) {
        match_policy!(self, policy => policy.started(die, batch, queues));
    }

    /// Returns the constants of the scheduling policy.
    pub const fn policy_traits(&self) -> PolicyTraits {
        match_policy!(self, policy => PolicyTraits::of(policy))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::mock::MockHostQueues;
    use super::*;

    fn settings_of(kind: Scheduling, weights: [u32; 3]) -> SchedulingSettings {
        SchedulingSettings { kind, weights, parameters: SchedulingParameters::default() }
    }

    proptest! {
        #[test]
        fn every_policy_chooses_a_lane_with_work_and_repeats_its_choice_after_a_refusal(
            sets in prop::collection::vec((0_u32..3, any::<bool>(), 1_u8..16), 1..60),
            weights in [1_u32..6, 1..6, 1..6],
        ) {
            for &kind in Scheduling::ALL {
                let mut policy = AnyScheduling::new(&settings_of(kind, weights), 3);
                let lanes = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
                let used = lanes.iter().fold(0, |set, &priority| set | 1 << policy.lane(priority));
                for &(server, is_read, ready) in &sets {
                    let (work, ready) = (if is_read { TransactionKind::Read } else { TransactionKind::Write }, ready & used);
                    if ready == 0 {
                        continue;
                    }
                    let lane = policy.choose_lane(server, work, LaneSet(ready));
                    let may = lane.map_or(policy.policy_traits().looks_everywhere, |lane| LaneSet(ready).has(lane));
                    prop_assert!(may, "{kind:?} named {lane:?} of {ready:04b}");
                    if !policy.policy_traits().looks_everywhere {
                        prop_assert_eq!(policy.choose_lane(server, work, LaneSet(ready)), lane, "{:?}", kind);
                    }
                }
            }
        }

        #[test]
        fn every_policy_chooses_a_startable_transaction_and_repeats_its_choice_after_a_refusal(
            waiting in prop::collection::vec((any::<bool>(), 0_u8..4, 0_u32..4, any::<bool>()), 1..40),
            weights in [1_u32..6, 1..6, 1..6],
        ) {
            for &kind in Scheduling::ALL {
                let mut policy = AnyScheduling::new(&settings_of(kind, weights), 1);
                let mut queues = MockHostQueues::new(&policy, &waiting);
                for _ in 0..waiting.len() {
                    for work in [TransactionKind::Read, TransactionKind::Write] {
                        let together = policy.policy_traits().host_order == HostOrder::Together;
                        let can = |id: &TransactionId| queues.can_start(*id) && (together || queues.kind(*id) == Some(work));
                        let some_can = queues.left.iter().any(can);
                        let chosen = policy.choose(0, work, &queues);
                        if !policy.policy_traits().looks_everywhere {
                            prop_assert_eq!(chosen.is_some(), some_can, "{:?}", kind);
                            prop_assert_eq!(policy.choose(0, work, &queues), chosen, "{:?}", kind);
                        }
                        let Some((die, id)) = chosen else { continue };
                        prop_assert!(can(&id), "{kind:?} chose {id:?}");
                        if policy.policy_traits().chooses_lanes {
                            let (kind, lane) = queues.lane_of(id);
                            policy.lane_started(0, kind, lane);
                        } else {
                            policy.started(die, &[id], &queues);
                        }
                        queues.left.retain(|&other| other != id);
                    }
                }
            }
        }
    }
}
