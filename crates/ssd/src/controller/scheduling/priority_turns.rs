//! Classes whose turns go by whenever the scheduler looks: MQSim's own turns.
//!
//! # What it models
//! The order of [`priority_out_of_order`](super::priority_out_of_order), but that shares are what the timing of looks makes them. A
//! look is made at all chips of every path that is free when transactions came, and at all chips of a path that became free or
//! one of whose chips did; it ends with the chip that takes the path. It moves a chip's turns on whether the chip can take a command or not,
//! and may end without a class although one has work: then the chip stays idle until the next look. So a chip with work of the low class
//! alone waits, with its writes possibly for good, in which case the run ends with requests unserved.
//!
//! # How
//! A search begins behind the class that the last one found and counts down as there. It gives up when it has come to the
//! high class as often as that class has weight. A search for a write after one for a read that found nothing is made
//! twice, and the second counts: before the scheduler leaves reads it asks whether there are writes, with the
//! same turns.
//!
//! # What is left out
//! Looks that fill up a read of the map, or a command of collection that is urgent; MQSim moves the turns on there, too. A waiting write keeps
//! reads of collection from being served even in a look that does not serve it.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, `TSU_Priority_OutOfOrder.cpp` and `TSU_Base.cpp` (commit 7ec40e3). To compare with MQSim;
//! no drive is known to do this.
//!
//! # Parameters
//! `ftl.scheduling`, `host.queue_priorities`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use crate::geometry::Priority;

use super::{Kind, LaneSet, Looks, SchedulingPolicy, SchedulingSettings};

const URGENT: u8 = Priority::Urgent as u8;
const HIGH: u8 = Priority::High as u8;
const LOW: u8 = Priority::Low as u8;

/// Where a server's searches for reads, or for writes, have come to.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The class that was looked at last.
    lane: u8,
    /// The weight that a class must have to be found now.
    round: u32,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct PriorityTurns {
    weights: [u32; 3],
    /// By server and kind.
    turns: Vec<[Turn; 2]>,
}

impl SchedulingPolicy for PriorityTurns {
    type Parameters = ();

    const HAS_ONE_LANE: bool = false;
    const LOOKS: Looks = Looks::Everywhere;

    fn new(_own: &(), settings: &SchedulingSettings, dies: u32) -> Self {
        let start = Turn { lane: URGENT, round: settings.weights[0] };
        Self { weights: settings.weights, turns: vec![[start; 2]; dies as usize] }
    }

    #[inline]
    fn lane(&self, priority: Priority) -> u8 {
        priority as u8
    }

    fn choose_lane(&mut self, server: u32, kind: Kind, waiting: LaneSet) -> Option<u8> {
        if waiting.has(URGENT) {
            return Some(URGENT);
        }
        let [high, ..] = self.weights;
        let turn = &mut self.turns[server as usize][kind as usize];
        let mut tries = 0;
        while tries < high {
            turn.lane = if turn.lane == LOW { HIGH } else { turn.lane + 1 };
            if turn.lane == HIGH {
                tries += 1;
                turn.round = if turn.round <= 1 { high } else { turn.round - 1 };
            }
            if self.weights[usize::from(turn.lane - HIGH)] >= turn.round && waiting.has(turn.lane) {
                return Some(turn.lane);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::scheduling::{Scheduling, SchedulingParameters};

    const LOW_ALONE: LaneSet = LaneSet(0b1000);
    const NOT_URGENT: LaneSet = LaneSet(0b1110);
    const NONE: LaneSet = LaneSet(0);

    fn policy() -> PriorityTurns {
        let kind = Scheduling::PriorityTurns;
        PriorityTurns::new(
            &(),
            &SchedulingSettings { kind, weights: [4, 2, 1], parameters: SchedulingParameters::default() },
            2,
        )
    }

    fn reads<const N: usize>(policy: &mut PriorityTurns, ready: LaneSet) -> [Option<u8>; N] {
        std::array::from_fn(|_| policy.choose_lane(0, Kind::Read, ready))
    }

    #[test]
    fn with_work_of_every_class_the_shares_are_four_two_and_one_of_seven() {
        let found: [_; 8] = reads(&mut policy(), NOT_URGENT);
        assert_eq!(found.map(Option::unwrap), [1, 1, 2, 1, 2, 3, 1, 1]);
    }

    #[test]
    fn the_low_class_alone_is_found_in_every_other_look_and_the_others_in_each() {
        assert_eq!(reads(&mut policy(), LOW_ALONE), [Some(3), None, Some(3), None, Some(3)]);
        assert_eq!(reads(&mut policy(), LaneSet(0b100)), [Some(2); 5]);
        assert_eq!(reads(&mut policy(), LaneSet(0b10)), [Some(1); 5]);
        assert_eq!(reads(&mut policy(), LaneSet(0b1001)), [Some(0); 5]);
    }

    #[test]
    fn looks_at_a_chip_without_work_leave_it_before_the_first_class_of_a_round() {
        let mut policy = policy();
        assert_eq!(reads(&mut policy, LOW_ALONE), [Some(3)]);
        assert_eq!(reads(&mut policy, NONE), [None; 3]);
        assert_eq!(reads(&mut policy, LOW_ALONE), [Some(3), None]);
    }
}
