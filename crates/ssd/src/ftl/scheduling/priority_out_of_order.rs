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
//! is modelled.
//!
//! # Parameters
//! `ftl.scheduling`, `host.queue_priorities`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use crate::geometry::Priority;

use super::{Kind, LaneSet, SchedulingPolicy, SchedulingSettings};

/// The lanes that share by weight, in the order of a round.
const WEIGHTED: [u8; 3] = [Priority::High as u8, Priority::Medium as u8, Priority::Low as u8];

/// Where the rounds of a server's reads, or writes, have come to.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    number: u32,
    place: usize,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct PriorityOutOfOrder {
    weights: [u32; 3],
    largest: u32,
    /// By server and kind: after the last command that was served, and after the one that was chosen since.
    rounds: Vec<[(Rounds, Rounds); 2]>,
}

impl SchedulingPolicy for PriorityOutOfOrder {
    fn new(settings: &SchedulingSettings, dies: u32) -> Self {
        let weights = settings.weights;
        let largest = weights.into_iter().max().unwrap_or(1);
        let start = Rounds { number: largest, place: WEIGHTED.len() - 1 };
        Self { weights, largest, rounds: vec![[(start, start); 2]; dies as usize] }
    }

    #[inline]
    fn lane(&self, priority: Priority) -> u8 {
        priority as u8
    }

    fn choose(&mut self, server: u32, kind: Kind, ready: LaneSet) -> u8 {
        let (weights, largest) = (self.weights, self.largest);
        let (served, chosen) = &mut self.rounds[server as usize][kind as usize];
        *chosen = *served;
        if ready.has(Priority::Urgent as u8) {
            return Priority::Urgent as u8;
        }
        loop {
            chosen.advance(largest);
            if weights[chosen.place] >= chosen.number && ready.has(WEIGHTED[chosen.place]) {
                return WEIGHTED[chosen.place];
            }
        }
    }

    fn served(&mut self, server: u32, kind: Kind) {
        let (served, chosen) = &mut self.rounds[server as usize][kind as usize];
        *served = *chosen;
    }
}

impl Rounds {
    fn advance(&mut self, largest: u32) {
        self.place = (self.place + 1) % WEIGHTED.len();
        if self.place == 0 {
            self.number = if self.number > 1 { self.number - 1 } else { largest };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::scheduling::Scheduling;

    const ALL: LaneSet = LaneSet(0b1111);
    const NOT_URGENT: LaneSet = LaneSet(0b1110);

    fn policy(weights: [u32; 3]) -> PriorityOutOfOrder {
        let kind = Scheduling::PriorityOutOfOrder;
        PriorityOutOfOrder::new(&SchedulingSettings { kind, weights, most_passes: 0 }, 2)
    }

    /// The lanes of the next commands, all of which are accepted.
    fn served(policy: &mut PriorityOutOfOrder, ready: LaneSet, count: usize) -> Vec<u8> {
        let one = |_| {
            let lane = policy.choose(0, Kind::Read, ready);
            policy.served(0, Kind::Read);
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
    fn a_command_that_was_refused_uses_no_turn_up_and_servers_and_kinds_have_their_own() {
        let mut policy = policy([4, 2, 1]);
        for _ in 0..5 {
            assert_eq!(policy.choose(0, Kind::Read, NOT_URGENT), 1);
        }
        served(&mut policy, NOT_URGENT, 2);
        assert_eq!(policy.choose(0, Kind::Read, NOT_URGENT), 2);
        assert_eq!(policy.choose(1, Kind::Read, NOT_URGENT), 1);
        assert_eq!(policy.choose(0, Kind::Write, NOT_URGENT), 1);
    }
}
