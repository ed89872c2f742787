//! Arbitration: choice of the queue from which the drive fetches its next command.
//!
//! # The contract
//!
//! 1. A policy receives the queues that have a command ready, at least one, in ascending order of number. The
//!    policy returns the index of one of them.
//! 2. The policy is called once for each command fetched under contention. A command without competitors is
//!    fetched at once, without a call.
//! 3. The policy changes only its own state and draws no random numbers.
//!
//! To add a policy, write its module with [`ArbitrationPolicy`] and add its line to the catalogue in this
//! file.

mod round_robin;
mod weighted_round_robin;

use venice_nand::geometry::Priority;
use venice_params::{catalogue, choices, declare, one_of, whole};

/// Queue with a command ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// Number of the host queue.
    pub queue: u16,
    /// Priority class of the queue.
    pub priority: Priority,
}

declare! {
    /// Weights of the priority classes in weighted round-robin arbitration, in commands per round, at least
    /// 1. The same weights apply to transaction scheduling by class on a die.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ClassWeights in "host." {
        /// Weight of the class `high`: commands per round of `weighted_round_robin`.
        high as weight_high: u32 = whole(1, 256), unit "commands", default "4",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
        /// Weight of the class `medium`: commands per round of `weighted_round_robin`.
        medium as weight_medium: u32 = whole(1, 256), unit "commands", default "2",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
        /// Weight of the class `low`: commands per round of `weighted_round_robin`.
        low as weight_low: u32 = whole(1, 256), unit "commands", default "1",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
    }
}

impl ClassWeights {
    /// Returns the weights of the classes high, medium and low.
    pub const fn of_classes(self) -> [u32; 3] {
        [self.high, self.medium, self.low]
    }
}

declare! {
    /// Settings of the arbitration policies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ArbitrationSettings in "host." {
        /// Choice of the queue whose command the drive fetches next, when several queues have commands.
        ///
        /// `round_robin`: queues in turn. `weighted_round_robin`: urgent queues first, then the other classes
        /// by weight, with the queues of a class in turn. The choice matters only when the limit
        /// `drive_depth` is reached.
        kind as arbitration: ArbitrationKind = one_of::<ArbitrationKind>(), unit "", default "round_robin",
            source "NVM Express Base Specification 1.4, §4.13";
        /// Maximum number of commands fetched from a queue per turn.
        burst as arbitration_burst: u32 = whole(1, 65_535), unit "commands", default "1",
            source "NVM Express Base Specification 1.4, §4.13 (Arbitration Burst)";
        with weights: ClassWeights;
    }
}

/// Arbitration policy; the module documentation states the contract.
pub trait ArbitrationPolicy {
    /// Creates the policy in its initial state.
    fn new(settings: &ArbitrationSettings) -> Self;

    /// Returns the index in `contenders` of the queue to be served.
    fn choose(&mut self, contenders: &[Contender]) -> usize;
}

catalogue! {
    /// Arbitration policies that can be configured.
    pub enum ArbitrationKind, match_kind!;

    /// Arbitration policy of any kind. Calls are dispatched statically by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyArbitration, match_policy!;

    round_robin::RoundRobin: "round_robin" => RoundRobin;
    weighted_round_robin::WeightedRoundRobin: "weighted_round_robin" => WeightedRoundRobin;
}

choices! { kind ArbitrationKind, "arbitration"; }

impl AnyArbitration {
    /// Builds the configured policy.
    pub fn new(settings: &ArbitrationSettings) -> Self {
        match_kind!(settings.kind, Policy => Policy::new(settings).into())
    }

    /// Calls [`ArbitrationPolicy::choose`].
    pub fn choose(&mut self, contenders: &[Contender]) -> usize {
        match_policy!(self, policy => policy.choose(contenders))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn contenders() -> impl Strategy<Value = Vec<Contender>> {
        let class =
            prop::sample::select(vec![Priority::Urgent, Priority::High, Priority::Medium, Priority::Low]);
        let queues = prop::collection::btree_map(0_u16..12, class, 1..12);
        queues.prop_map(|queues| {
            queues.into_iter().map(|(queue, priority)| Contender { queue, priority }).collect()
        })
    }

    proptest! {
        #[test]
        fn every_policy_names_a_queue_of_the_list(
            lists in prop::collection::vec(contenders(), 1..50),
            burst in 1_u32..5,
            [high, medium, low] in [1_u32..6, 1..6, 1..6],
        ) {
            let weights = ClassWeights { high, medium, low };
            for &kind in ArbitrationKind::ALL {
                let mut policy = AnyArbitration::new(&ArbitrationSettings { kind, burst, weights });
                for list in &lists {
                    prop_assert!(policy.choose(list) < list.len(), "{kind:?}");
                }
            }
        }
    }
}
