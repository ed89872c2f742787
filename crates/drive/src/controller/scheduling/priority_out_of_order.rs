//! Out-of-order scheduling with priority classes among host reads and among host writes.
//!
//! # What it models
//! A die serves urgent reads before all other reads. The classes high, medium and low share the other reads
//! in proportion to their weights. Writes are shared separately in the same way. A read of any class precedes
//! every write.
//!
//! # How
//! Rounds are numbered from the largest weight down to one, and then start again. In each round, every class
//! whose weight is at least the round's number gets one command, the highest class first. Weights of 4, 2 and
//! 1 give rounds of H, H, HM and HML, so the shares are 4, 2 and 1 of seven commands. A class without work is
//! skipped.
//!
//! # What is left out
//! Transactions of lower classes are not added to the command of a higher class for its unused planes.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, `TSU_Priority_OutOfOrder.cpp`. In MQSim, a turn is used up even if
//! the chip is busy, and a search that starts in the last round ends before it has examined every class. This
//! policy models the intention of that code; [`priority_turns`](super::priority_turns) models its actual
//! behaviour.
//!
//! # Parameters
//! `ftl.scheduling`, `host.queue_priorities`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use venice_nand::geometry::Priority;

use super::{LaneSet, SchedulingPolicy, SchedulingSettings, TransactionKind};

/// Lanes of the priority classes with weights, in their order within a round.
const WEIGHTED: [u8; 3] = [Priority::High as u8, Priority::Medium as u8, Priority::Low as u8];

/// Number of subsets of the lanes in `WEIGHTED`.
const SETS: usize = 1 << WEIGHTED.len();

/// Out-of-order policy with priority classes.
#[derive(Clone, Debug)]
pub struct PriorityOutOfOrder {
    /// Lane (priority class) that each turn serves, over one complete cycle of rounds.
    turns: Vec<u8>,
    /// Look-up table of the next turn that belongs to a lane with work. It is indexed by the set of lanes
    /// with work, then by the current turn. A table is used because every command needs the next turn.
    next: Vec<u16>,
    /// Turn of the last started command, indexed by die and kind.
    served: Vec<[u16; 2]>,
}

impl SchedulingPolicy for PriorityOutOfOrder {
    type Parameters = ();

    const HAS_ONE_LANE: bool = false;

    fn new(_own: &(), settings: &SchedulingSettings, dies: u32) -> Self {
        let turns = count_down(settings.weights);
        let next = (0..SETS).flat_map(|set| next_turns(&turns, set)).collect();
        // MQSim begins in the round after that of the largest weight.
        let largest = settings.weights.iter().max();
        let first_round = settings.weights.iter().filter(|&weight| Some(weight) == largest).count();
        let start = (first_round - 1) as u16;
        Self { turns, next, served: vec![[start; 2]; dies as usize] }
    }

    #[inline]
    fn lane(&self, priority: Priority) -> u8 {
        priority as u8
    }

    #[inline]
    fn choose_lane(&mut self, server: u32, kind: TransactionKind, ready: LaneSet) -> Option<u8> {
        if ready.has(Priority::Urgent as u8) {
            return Some(Priority::Urgent as u8);
        }
        let served = self.served[server as usize][kind as usize];
        Some(self.turns[usize::from(self.next_turn(ready, served))])
    }

    /// Moves to the next turn of this lane. No other lane with work has an earlier turn, since the policy
    /// would have selected it.
    #[inline]
    fn lane_started(&mut self, server: u32, kind: TransactionKind, lane: u8) {
        let served = self.served[server as usize][kind as usize];
        self.served[server as usize][kind as usize] = self.next_turn(LaneSet(1 << lane), served);
    }
}

impl PriorityOutOfOrder {
    /// Returns the first turn after `behind` that belongs to one of these lanes. Returns `behind` if none of
    /// the lanes has a weight.
    #[inline]
    fn next_turn(&self, lanes: LaneSet, behind: u16) -> u16 {
        let set = usize::from(lanes.0 >> WEIGHTED[0]) % SETS;
        self.next[set * self.turns.len() + usize::from(behind)]
    }
}

/// Returns the priority class (lane) that each turn serves, from the round of the largest weight down to
/// round one.
fn count_down(weights: [u32; 3]) -> Vec<u8> {
    let largest = weights.into_iter().max().unwrap_or(1);
    let round = |number| (0..WEIGHTED.len()).filter(move |&place| weights[place] >= number);
    (1..=largest).rev().flat_map(round).map(|place| WEIGHTED[place]).collect()
}

/// Returns, for each turn, the next turn (cyclically) whose lane is in `set`. A turn is its own successor if
/// no other turn is in `set`.
fn next_turns(turns: &[u8], set: usize) -> Vec<u16> {
    let in_set = |turn: &usize| set >> (turns[*turn] - WEIGHTED[0]) & 1 != 0;
    let next = |turn| (turn + 1..turns.len()).chain(0..=turn).find(in_set).unwrap_or(turn) as u16;
    (0..turns.len()).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::scheduling::{Scheduling, SchedulingParameters};

    const ALL: LaneSet = LaneSet(0b1111);
    const NOT_URGENT: LaneSet = LaneSet(0b1110);

    fn policy(weights: [u32; 3]) -> PriorityOutOfOrder {
        let kind = Scheduling::PriorityOutOfOrder;
        PriorityOutOfOrder::new(
            &(),
            &SchedulingSettings { kind, weights, parameters: SchedulingParameters::default() },
            2,
        )
    }

    fn served(policy: &mut PriorityOutOfOrder, ready: LaneSet, count: usize) -> Vec<u8> {
        let one = |_| {
            let lane = policy.choose_lane(0, TransactionKind::Read, ready).unwrap();
            policy.lane_started(0, TransactionKind::Read, lane);
            lane
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn rounds_give_mqsims_classes_four_two_and_one_of_seven() {
        let mut policy = policy([4, 2, 1]);
        assert_eq!(served(&mut policy, NOT_URGENT, 8), [1, 1, 2, 1, 2, 3, 1, 1]);
        let mut shares = [0; 4];
        for lane in served(&mut policy, NOT_URGENT, 700) {
            shares[usize::from(lane)] += 1;
        }
        assert_eq!(shares, [0, 400, 200, 100]);
    }

    #[test]
    fn urgent_commands_go_first_and_take_no_turn() {
        let mut policy = policy([4, 2, 1]);
        assert_eq!(served(&mut policy, NOT_URGENT, 2), [1, 1]);
        assert_eq!(served(&mut policy, ALL, 50), [0; 50]);
        assert_eq!(served(&mut policy, NOT_URGENT, 3), [2, 1, 2]);
    }

    #[test]
    fn a_class_alone_is_served_every_time() {
        let mut policy = policy([4, 2, 1]);
        assert_eq!(served(&mut policy, LaneSet(0b1000), 5), [3; 5]);
    }

    #[test]
    fn a_class_that_was_alone_for_a_while_uses_up_the_turns_that_it_would_have_had() {
        let mut policy = policy([4, 2, 1]);
        assert_eq!(served(&mut policy, NOT_URGENT, 2), [1, 1]);
        assert_eq!(served(&mut policy, LaneSet(0b10), 1), [1]);
        assert_eq!(served(&mut policy, NOT_URGENT, 3), [2, 3, 1]);
    }

    #[test]
    fn a_command_that_was_refused_uses_no_turn_up_and_servers_and_kinds_have_their_own() {
        let mut policy = policy([4, 2, 1]);
        for _ in 0..5 {
            assert_eq!(policy.choose_lane(0, TransactionKind::Read, NOT_URGENT), Some(1));
        }
        served(&mut policy, NOT_URGENT, 2);
        assert_eq!(policy.choose_lane(0, TransactionKind::Read, NOT_URGENT), Some(2));
        assert_eq!(policy.choose_lane(1, TransactionKind::Read, NOT_URGENT), Some(1));
        assert_eq!(policy.choose_lane(0, TransactionKind::Write, NOT_URGENT), Some(1));
    }
}
