//! Weighted round robin with an urgent class.
//!
//! # What it models
//! Urgent queues have strict priority. The classes high, medium and low then take turns, with as many
//! commands per turn as their weight; a class without commands is skipped and loses the rest of its turn.
//! Within a class, the queues take turns, with up to a burst of commands each.
//!
//! # What is left out
//! The admin queue, which the simulated drive does not have.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.13.2.
//!
//! # Parameters
//! `host.arbitration_burst`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use venice_nand::geometry::{PRIORITIES, Priority};

use super::round_robin::RoundRobinState;
use super::{ArbitrationPolicy, ArbitrationSettings, Contender};

/// Weighted classes in the order of their turns.
const WEIGHTED: [Priority; 3] = [Priority::High, Priority::Medium, Priority::Low];

/// Weighted round-robin policy with an urgent class.
#[derive(Clone, Debug)]
pub struct WeightedRoundRobin {
    weights: [u32; 3],
    turns: [RoundRobinState; PRIORITIES],
    class: usize,
    left: u32,
}

impl ArbitrationPolicy for WeightedRoundRobin {
    fn new(settings: &ArbitrationSettings) -> Self {
        let turns = std::array::from_fn(|_| RoundRobinState::new(settings.burst));
        let weights = settings.weights.of_classes();
        Self { weights, turns, class: 0, left: weights[0] }
    }

    fn choose(&mut self, contenders: &[Contender]) -> usize {
        let class = self.next_class(contenders);
        self.turns[class as usize].next(contenders, |contender| contender.priority == class)
    }
}

impl WeightedRoundRobin {
    fn next_class(&mut self, contenders: &[Contender]) -> Priority {
        let has = |class| contenders.iter().any(|contender| contender.priority == class);
        if has(Priority::Urgent) {
            return Priority::Urgent;
        }
        while self.left == 0 || !has(WEIGHTED[self.class]) {
            self.class = (self.class + 1) % WEIGHTED.len();
            self.left = self.weights[self.class];
        }
        self.left -= 1;
        WEIGHTED[self.class]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClassWeights;
    use crate::arbitration::ArbitrationKind;

    fn policy(burst: u32) -> WeightedRoundRobin {
        let kind = ArbitrationKind::WeightedRoundRobin;
        WeightedRoundRobin::new(&ArbitrationSettings { kind, burst, weights: ClassWeights::default() })
    }

    fn contender(queue: u16, priority: Priority) -> Contender {
        Contender { queue, priority }
    }

    #[test]
    fn under_saturation_classes_have_exactly_their_weights_and_the_last_is_never_starved() {
        let all = [
            contender(0, Priority::Low),
            contender(1, Priority::Medium),
            contender(2, Priority::High),
            contender(3, Priority::High),
        ];
        let mut policy = policy(1);
        let mut round = || {
            let mut served = [0; 4];
            for _ in 0..7 {
                served[policy.choose(&all)] += 1;
            }
            served
        };
        for _ in 0..100 {
            assert_eq!(round(), [1, 2, 2, 2], "four for the high class, shared by its two queues");
        }
    }

    #[test]
    fn urgent_queues_go_first_as_long_as_they_have_commands() {
        let all = [contender(0, Priority::Urgent), contender(1, Priority::High)];
        let mut policy = policy(1);
        assert!((0..100).all(|_| policy.choose(&all) == 0));
        assert_eq!(policy.choose(&all[1..]), 0);
    }

    #[test]
    fn a_class_without_commands_gives_its_turn_away() {
        let all = [contender(0, Priority::Low), contender(1, Priority::Medium)];
        let mut policy = policy(1);
        let served: Vec<usize> = (0..6).map(|_| policy.choose(&all)).collect();
        assert_eq!(served, [1, 1, 0, 1, 1, 0]);
    }
}
