//! The same order, and by priority class within the host's reads and within its writes.
//!
//! # What it models
//! A die serves urgent reads before all other reads, and shares the rest among the classes high, medium and low in
//! proportion to their weights; writes likewise, and apart. A read of any class goes before every write.
//!
//! # How
//! Rounds count down from the largest weight to one and begin anew; in each, the classes whose weight is at least
//! the round's number get a command each, the highest first. Weights of 4, 2 and 1 make H, HM, HML, H: shares of 4, 2
//! and 1 of every seven. A class without work is passed over.
//!
//! # What is left out
//! Transactions of lower classes do not fill up the other planes of a command.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, `TSU_Priority_OutOfOrder.cpp`. There a turn is used up even if the chip is busy,
//! and a search that begins in the last round gives up before it has looked at every class; what it means to do
//! is modelled here, and what it does by [`priority_turns`](super::priority_turns).
//!
//! # Parameters
//! `ftl.scheduling`, `host.queue_priorities`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use crate::geometry::Priority;

use super::{Kind, LaneSet, SchedulingPolicy, SchedulingSettings};

/// The lanes that share by weight, in the order of a round.
const WEIGHTED: [u8; 3] = [Priority::High as u8, Priority::Medium as u8, Priority::Low as u8];

/// Sets of the lanes that share by weight.
const SETS: usize = 1 << WEIGHTED.len();

/// See the module comment.
#[derive(Clone, Debug)]
pub struct PriorityOutOfOrder {
    /// The lanes of all turns of a full count-down, which repeats.
    turns: Vec<u8>,
    /// By set of lanes with work, then by turn: the next turn of such a lane. Looked up, because it is asked for with
    /// every command.
    next: Vec<u16>,
    /// By server and kind, the turn of the command that was served last.
    served: Vec<[u16; 2]>,
}

impl SchedulingPolicy for PriorityOutOfOrder {
    type Parameters = ();

    const HAS_ONE_LANE: bool = false;

    fn new(_own: &(), settings: &SchedulingSettings, dies: u32) -> Self {
        let turns = count_down(settings.weights);
        let next = (0..SETS).flat_map(|set| next_turns(&turns, set)).collect();
        // MQSim begins behind the round of the largest weight.
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
    fn choose_lane(&mut self, server: u32, kind: Kind, ready: LaneSet) -> Option<u8> {
        if ready.has(Priority::Urgent as u8) {
            return Some(Priority::Urgent as u8);
        }
        let served = self.served[server as usize][kind as usize];
        Some(self.turns[usize::from(self.next_turn(ready, served))])
    }

    /// The next turn of that lane alone is the next one of all that were asked about, or that one would have been chosen.
    #[inline]
    fn lane_started(&mut self, server: u32, kind: Kind, lane: u8) {
        let served = self.served[server as usize][kind as usize];
        self.served[server as usize][kind as usize] = self.next_turn(LaneSet(1 << lane), served);
    }
}

impl PriorityOutOfOrder {
    /// The first turn behind one that is of one of these lanes; the same where none shares by weight.
    #[inline]
    fn next_turn(&self, lanes: LaneSet, behind: u16) -> u16 {
        let set = usize::from(lanes.0 >> WEIGHTED[0]) % SETS;
        self.next[set * self.turns.len() + usize::from(behind)]
    }
}

/// The lanes in the order of their turns, from the round of the largest weight down to that of one.
fn count_down(weights: [u32; 3]) -> Vec<u8> {
    let largest = weights.into_iter().max().unwrap_or(1);
    let round = |number| (0..WEIGHTED.len()).filter(move |&place| weights[place] >= number);
    (1..=largest).rev().flat_map(round).map(|place| WEIGHTED[place]).collect()
}

/// For each turn, the first one behind it, around to itself, whose lane is in the set; of no lane, the same.
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

    /// The lanes of the next commands, all of which are accepted.
    fn served(policy: &mut PriorityOutOfOrder, ready: LaneSet, count: usize) -> Vec<u8> {
        let one = |_| {
            let lane = policy.choose_lane(0, Kind::Read, ready).unwrap();
            policy.lane_started(0, Kind::Read, lane);
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
            assert_eq!(policy.choose_lane(0, Kind::Read, NOT_URGENT), Some(1));
        }
        served(&mut policy, NOT_URGENT, 2);
        assert_eq!(policy.choose_lane(0, Kind::Read, NOT_URGENT), Some(2));
        assert_eq!(policy.choose_lane(1, Kind::Read, NOT_URGENT), Some(1));
        assert_eq!(policy.choose_lane(0, Kind::Write, NOT_URGENT), Some(1));
    }
}
