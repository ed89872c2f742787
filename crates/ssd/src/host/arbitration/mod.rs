//! Which queue the drive takes the next command from, when several have some and not all can be taken.
//!
//! # The contract
//!
//! 1. A policy is offered the queues that have a command to give, by ascending number, at least one. It names one of
//!    them by its place in the list.
//! 2. It is asked once for each command that is taken. A command that is taken at once, since nobody else waits, is not
//!    asked for.
//! 3. It changes nothing but its own state and draws no random numbers.
//!
//! To add a policy: write its file with [`ArbitrationPolicy`], and add its line below.

mod round_robin;
mod weighted_round_robin;

use venice_kernel::catalogue;

use crate::geometry::Priority;
use crate::parameters::{choices, declare, one_of, whole};

/// A queue that has a command to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// Its number.
    pub queue: u16,
    /// Its class.
    pub priority: Priority,
}

declare! {
    /// What classes of queues get, in commands of a round or in turns of a chip, at least one each.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ClassWeights in "host." {
        /// Commands that the class `high` gets in a round of `weighted_round_robin`.
        high as weight_high: u32 = whole(1, 256), unit "commands", default "4",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
        /// Commands that the class `medium` gets in a round.
        medium as weight_medium: u32 = whole(1, 256), unit "commands", default "2",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
        /// Commands that the class `low` gets in a round.
        low as weight_low: u32 = whole(1, 256), unit "commands", default "1",
            source "MQSim, Host_Interface_NVMe_Priorities.h";
    }
}

impl ClassWeights {
    /// Of the classes high, medium and low.
    pub const fn of_classes(self) -> [u32; 3] {
        [self.high, self.medium, self.low]
    }
}

declare! {
    /// What the policies are told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ArbitrationSettings in "host." {
        /// Which queue is next when the drive may take a command and several queues have some.
        ///
        /// `round_robin`: queues in turn. `weighted_round_robin`: urgent queues first, then the other classes by weight;
        /// queues of a class in turn. It matters only where `drive_depth` is reached.
        kind as arbitration: ArbitrationKind = one_of::<ArbitrationKind>(), unit "", default "round_robin",
            source "NVM Express Base Specification 1.4, §4.13";
        /// Most commands taken from a queue in its turn.
        burst as arbitration_burst: u32 = whole(1, 65_535), unit "commands", default "1",
            source "NVM Express Base Specification 1.4, §4.13 (Arbitration Burst)";
        with weights: ClassWeights;
    }
}

/// A policy; see the contract in the module comment.
pub trait ArbitrationPolicy {
    /// The policy before its first choice.
    fn new(settings: &ArbitrationSettings) -> Self;

    /// The place in the list of the queue that is served.
    fn choose(&mut self, contenders: &[Contender]) -> usize;
}

catalogue! {
    /// How queues take turns.
    pub enum ArbitrationKind, match_kind!;

    /// Any of the policies, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyArbitration, match_policy!;

    round_robin::RoundRobin: "round_robin" => RoundRobin;
    weighted_round_robin::WeightedRoundRobin: "weighted_round_robin" => WeightedRoundRobin;
}

choices! { kind ArbitrationKind, "arbitration"; }

impl AnyArbitration {
    /// Builds the policy of these settings.
    pub fn new(settings: &ArbitrationSettings) -> Self {
        match_kind!(settings.kind, Policy => Policy::new(settings).into())
    }

    /// See [`ArbitrationPolicy::choose`].
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
