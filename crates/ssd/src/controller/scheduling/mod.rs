//! In which order an idle die serves its queues.
//!
//! # The contract
//!
//! 1. Classes of work are served in a fixed order, one of [`service_order`]; the first class with work that can be done now
//!    is served. While collection is urgent (a plane of the die has too few free blocks), collection comes before
//!    whatever consumes free pages.
//! 2. Within the host's reads and writes a policy says what is next ([`SchedulingPolicy::choose`]): it sees the queues of the server's dies
//!    ([`HostQueues`]) and may name any transaction there that passes their filter, which tells what can be done now. The filter changes
//!    nothing; what is legal is the controller's to say, what is wise the policy's.
//! 3. Being asked changes nothing that counts: the fabric may refuse the command, and then the policy is asked again. When a command is
//!    accepted, a policy that chooses lanes is told which ([`SchedulingPolicy::lane_started`]), and others what started, and what is left
//!    ([`SchedulingPolicy::started`]).
//! 4. A policy draws no random numbers.
//! 5. What waits may be kept in lanes ([`SchedulingPolicy::lane`]); within a lane, first come first seen.
//! 6. What is asked, and when, is the policy's to say ([`Looks`]). One that looks everywhere is asked for lanes at every look, for reads and, if
//!    no read is served, for writes: about lanes that have work, done now or not, if any, of servers that are busy or not. There being asked
//!    may count, and the answer may be none; then the server is asked about again at the next look.
//!
//! The planes that the chosen transaction leaves idle are filled up by the controller; a second class of the same operation may join
//! ([`joining_class`]).
//!
//! To add a policy: write its file with [`SchedulingPolicy`], and add its `mod` line and its line of the catalogue below. Configuration,
//! reference and the tests of the contract find it, and the parameters that its file declares, by themselves.

#[cfg(test)]
mod mock;
mod out_of_order;
pub mod paq;
mod priority_out_of_order;
pub mod priority_turns;

use venice_kernel::catalogue;

use crate::geometry::{DieId, Priority, TransactionId};
use crate::parameters::{Declared, choices, declare, gather, one_of};

use crate::work::Class;

use super::queues::lanes::{LANES, QueueSet};

pub use super::queues::lanes::LaneSet;
pub use crate::work::Kind;
pub use out_of_order::{joining_class, service_order};

/// When a policy is asked for a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Where a command may be sent: of a server that can take one and has work that can be done now.
    WhereWorkIs,
    /// Of every server of every path that is free, whenever transactions came, the path became free, or one of its servers.
    Everywhere,
}

/// Which transactions of the host a policy chooses among when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOrder {
    /// The reads; when none is chosen, the writes.
    ReadsFirst,
    /// Reads and writes together, at the writes' place in the order of classes.
    Together,
}

/// What stands at a place of the order in which a server's classes are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The class; the host's reads where they stand for its writes, too.
    pub class: Class,
    /// Its queues among those of a die.
    pub queues: QueueSet,
}

impl Rank {
    /// That of one class.
    pub const fn of(class: Class) -> Self {
        Self { class, queues: QueueSet::of(class) }
    }
}

/// What transactions that make one command have in common: whether they are writes, and the place of their pages in the block where
/// those of a command must agree.
pub type Packing = (bool, Option<u32>);

/// The dies that a policy chooses for, and what waits for them of the host. Nothing here changes anything.
pub trait HostQueues {
    /// The dies: one, or those of a chip of which one works at a time.
    fn dies(&self) -> impl Iterator<Item = DieId>;

    /// The lanes in which work of this kind waits for any of the dies, whether it can be done now or not.
    fn waiting(&self, kind: Kind) -> LaneSet;

    /// The transaction that has waited longest in a lane of a die.
    fn first(&self, die: DieId, kind: Kind, lane: u8) -> Option<TransactionId>;

    /// The next one of its lane.
    fn after(&self, id: TransactionId) -> Option<TransactionId>;

    /// The filter: whether it can be done now.
    fn can_start(&self, id: TransactionId) -> bool;

    /// The first of a lane of a die that can be done now.
    fn first_ready(&self, die: DieId, kind: Kind, lane: u8) -> Option<TransactionId>;

    /// Its number in order of arrival, over all dies.
    fn arrival(&self, id: TransactionId) -> u64;

    /// Whether it is a read or a write of the host; none of any other.
    fn kind(&self, id: TransactionId) -> Option<Kind>;

    /// Its plane, one bit among those of its die.
    fn plane(&self, id: TransactionId) -> u32;

    /// What it must have in common with others of its command.
    fn packing(&self, id: TransactionId) -> Packing;

    /// Planes that a command can use at most.
    fn planes_of_a_command(&self) -> u32;

    /// Whether nothing else waits for its die.
    fn is_alone(&self, die: DieId, id: TransactionId) -> bool;

    /// Of the dies, the one whose first transaction that can be done now has waited longest, with it.
    fn longest_waiting(&self, kind: Kind, lane: u8) -> Option<(DieId, TransactionId)> {
        let ready = self.dies().filter_map(|die| Some((die, self.first_ready(die, kind, lane)?)));
        ready.min_by_key(|&(_, id)| self.arrival(id))
    }
}

declare! {
    /// In which order a die serves its queues, as it is stated.
    pub struct SchedulingChoice in "ftl." {
        /// In which order a die serves what waits for it.
        kind as scheduling: Scheduling = one_of::<Scheduling>(), unit "", default "paq",
            source "Jung et al., PAQ, ISCA 2012 (host commands of a die by arrival); MQSim, Transaction_Scheduling_Policy (out_of_order: reads first)";
        with parameters: SchedulingParameters;
    }
}

/// What all policies are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulingSettings {
    /// Which policy.
    pub kind: Scheduling,
    /// Commands that the classes high, medium and low get in a round, at least one each.
    pub weights: [u32; 3],
    /// What the policies are told, each its own.
    pub parameters: SchedulingParameters,
}

impl SchedulingSettings {
    /// What is stated, with these weights of the classes high, medium and low.
    pub const fn of(stated: &SchedulingChoice, weights: [u32; 3]) -> Self {
        Self { kind: stated.kind, weights, parameters: stated.parameters }
    }
}

/// A policy; see the contract in the module comment. Unless it says otherwise, it has one lane for all, and what has waited longest
/// there is next.
pub trait SchedulingPolicy {
    /// What it alone is told; `()` for nothing.
    type Parameters: Declared;

    /// Whether what has waited longest in the one lane is always next: then the policy is asked for nothing.
    const IS_BY_ARRIVAL: bool = false;
    /// Whether all wait in one lane.
    const HAS_ONE_LANE: bool = true;
    /// Whether reads and writes are chosen among together.
    const HOST_ORDER: HostOrder = HostOrder::ReadsFirst;
    /// When it is asked.
    const LOOKS: Looks = Looks::WhereWorkIs;
    /// Whether all that it chooses is the lane, of which what has waited longest goes first: where one lane alone has work, it is not
    /// asked.
    const CHOOSES_LANES: bool = true;

    /// The policy of a drive with so many dies.
    fn new(own: &Self::Parameters, settings: &SchedulingSettings, dies: u32) -> Self;

    /// The lane of a transaction of this class.
    #[inline]
    fn lane(&self, _priority: Priority) -> u8 {
        0
    }

    /// The lane that is served next, if any is. `server` is the die, or the first one of the chip.
    #[inline]
    fn choose_lane(&mut self, _server: u32, _kind: Kind, _ready: LaneSet) -> Option<u8> {
        Some(0)
    }

    /// The transaction that leads the next command of a server: a read or a write as `kind` says, either with [`HostOrder::Together`].
    #[inline]
    fn choose(
        &mut self,
        server: u32,
        kind: Kind,
        queues: &impl HostQueues,
    ) -> Option<(DieId, TransactionId)> {
        let mut ready = LaneSet(0);
        let mut leads = [None; LANES];
        // Mostly one lane has work.
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

    /// A command starts which a transaction of the host leads that waits in this lane: what one that [chooses lanes](Self::CHOOSES_LANES) is
    /// told.
    #[inline]
    fn lane_started(&mut self, _server: u32, _kind: Kind, _lane: u8) {}

    /// A command starts on a die with these transactions, which still wait: what others are told.
    #[inline]
    fn started(&mut self, _die: DieId, _batch: &[TransactionId], _queues: &impl HostQueues) {}
}

/// What is fixed about a policy, by the constants of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a constant of its own")]
pub struct Manner {
    /// See [`SchedulingPolicy::IS_BY_ARRIVAL`].
    pub is_by_arrival: bool,
    /// See [`SchedulingPolicy::HAS_ONE_LANE`].
    pub has_one_lane: bool,
    /// See [`SchedulingPolicy::HOST_ORDER`].
    pub host_order: HostOrder,
    /// Whether it [looks](SchedulingPolicy::LOOKS) everywhere.
    pub looks_everywhere: bool,
    /// See [`SchedulingPolicy::CHOOSES_LANES`].
    pub chooses_lanes: bool,
}

impl Manner {
    const fn of<P: SchedulingPolicy>(_policy: &P) -> Self {
        Self {
            is_by_arrival: P::IS_BY_ARRIVAL,
            has_one_lane: P::HAS_ONE_LANE,
            host_order: P::HOST_ORDER,
            looks_everywhere: matches!(P::LOOKS, Looks::Everywhere),
            chooses_lanes: P::CHOOSES_LANES,
        }
    }
}

catalogue! {
    /// How transactions are ordered.
    pub enum Scheduling, match_kind!;

    /// Any of the policies, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyScheduling, match_policy!;

    out_of_order::OutOfOrder: "out_of_order" => OutOfOrder, "reads before writes before collection";
    priority_out_of_order::PriorityOutOfOrder:
        "priority_out_of_order" => PriorityOutOfOrder,
            "the same, and within the host's reads, and within its writes, urgent ones first and the others in proportion to \
             `host.weight_high`, `medium` and `low` by the class of their queue (`host.queue_priorities`)";
    paq::Paq:
        "paq" => Paq,
            "the host's reads and writes in order of arrival, in groups that use as many planes of the die as may be";
    priority_turns::PriorityTurns:
        "priority_turns" => PriorityTurns,
            "as `priority_out_of_order`, with turns that go by whenever MQSim's scheduler looks, so that work of a low class alone \
             waits, possibly for good";

    => gather! {
        /// Parameters of the scheduling policies.
        pub struct SchedulingParameters of SchedulingPolicy
    }
}

choices! { kind Scheduling, "scheduling policy"; }

impl AnyScheduling {
    /// Builds the policy of these settings for a drive with this number of dies.
    pub fn new(settings: &SchedulingSettings, dies: u32) -> Self {
        match_kind!(settings.kind, Policy, own in settings.parameters => Policy::new(own, settings, dies).into())
    }

    /// See [`SchedulingPolicy::lane`].
    #[inline]
    pub fn lane(&self, priority: Priority) -> u8 {
        match_policy!(self, policy => policy.lane(priority))
    }

    /// See [`SchedulingPolicy::choose_lane`].
    #[inline]
    pub fn choose_lane(&mut self, server: u32, kind: Kind, ready: LaneSet) -> Option<u8> {
        match_policy!(self, policy => policy.choose_lane(server, kind, ready))
    }

    /// See [`SchedulingPolicy::choose`].
    #[inline]
    pub fn choose(
        &mut self,
        server: u32,
        kind: Kind,
        queues: &impl HostQueues,
    ) -> Option<(DieId, TransactionId)> {
        match_policy!(self, policy => policy.choose(server, kind, queues))
    }

    /// See [`SchedulingPolicy::lane_started`].
    #[inline]
    pub fn lane_started(&mut self, server: u32, kind: Kind, lane: u8) {
        match_policy!(self, policy => policy.lane_started(server, kind, lane));
    }

    /// See [`SchedulingPolicy::started`].
    #[inline]
    pub fn started(&mut self, die: DieId, batch: &[TransactionId], queues: &impl HostQueues) {
        match_policy!(self, policy => policy.started(die, batch, queues));
    }

    /// Returns what is fixed about the policy.
    pub const fn manner(&self) -> Manner {
        match_policy!(self, policy => Manner::of(policy))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::mock::Waiting;
    use super::*;

    fn settings_of(kind: Scheduling, weights: [u32; 3]) -> SchedulingSettings {
        SchedulingSettings { kind, weights, parameters: SchedulingParameters::default() }
    }

    proptest! {
        #[test]
        fn every_policy_names_a_lane_with_work_and_the_same_again_when_it_was_refused(
            sets in prop::collection::vec((0_u32..3, any::<bool>(), 1_u8..16), 1..60),
            weights in [1_u32..6, 1..6, 1..6],
        ) {
            for &kind in Scheduling::ALL {
                let mut policy = AnyScheduling::new(&settings_of(kind, weights), 3);
                let lanes = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
                let used = lanes.iter().fold(0, |set, &priority| set | 1 << policy.lane(priority));
                for &(server, is_read, ready) in &sets {
                    let (work, ready) = (if is_read { Kind::Read } else { Kind::Write }, ready & used);
                    if ready == 0 {
                        continue;
                    }
                    let lane = policy.choose_lane(server, work, LaneSet(ready));
                    let may = lane.map_or(policy.manner().looks_everywhere, |lane| LaneSet(ready).has(lane));
                    prop_assert!(may, "{kind:?} named {lane:?} of {ready:04b}");
                    if !policy.manner().looks_everywhere {
                        prop_assert_eq!(policy.choose_lane(server, work, LaneSet(ready)), lane, "{:?}", kind);
                    }
                }
            }
        }

        #[test]
        fn every_policy_chooses_what_can_be_done_and_the_same_again_when_it_was_refused(
            waiting in prop::collection::vec((any::<bool>(), 0_u8..4, 0_u32..4, any::<bool>()), 1..40),
            weights in [1_u32..6, 1..6, 1..6],
        ) {
            for &kind in Scheduling::ALL {
                let mut policy = AnyScheduling::new(&settings_of(kind, weights), 1);
                let mut queues = Waiting::new(&policy, &waiting);
                for _ in 0..waiting.len() {
                    for work in [Kind::Read, Kind::Write] {
                        let together = policy.manner().host_order == HostOrder::Together;
                        let can = |id: &TransactionId| queues.can_start(*id) && (together || queues.kind(*id) == Some(work));
                        let some_can = queues.left.iter().any(can);
                        let chosen = policy.choose(0, work, &queues);
                        if !policy.manner().looks_everywhere {
                            prop_assert_eq!(chosen.is_some(), some_can, "{:?}", kind);
                            prop_assert_eq!(policy.choose(0, work, &queues), chosen, "{:?}", kind);
                        }
                        let Some((die, id)) = chosen else { continue };
                        prop_assert!(can(&id), "{kind:?} chose {id:?}");
                        if policy.manner().chooses_lanes {
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
