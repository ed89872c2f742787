//! Scheduling with priority classes in which each query of a chip advances the weighted round robin, as in
//! MQSim.
//!
//! # What it models
//! Transactions are served in the order of [`priority_out_of_order`](super::priority_out_of_order), but the
//! shares of the classes depend on the number of queries of each chip. When transactions are queued, the
//! scheduler queries all chips of every free path. When a path or one of its chips becomes free, the
//! scheduler queries all chips of this path. The queries end with the chip whose command takes the path.
//!
//! A query advances the round robin even if the chip cannot accept a command. It may also select no class
//! although one has work. The chip then stays idle until the next query. A chip that has only transactions of
//! the class low may therefore wait. Its writes may even wait forever; the run then ends with unserved
//! requests.
//!
//! # How
//! A query starts after the class that the previous query selected, and counts rounds down as in
//! `priority_out_of_order`. It ends unsuccessfully after it has reached the high class as often as that
//! class's weight. A query for a write that follows an unsuccessful query for a read is performed twice, and
//! the second result counts. The reason is that MQSim checks for writes before it ends the search for reads,
//! and this check advances the round robin of writes.
//!
//! # What is left out
//! MQSim also advances the round robin when it adds transactions to a mapping read or to an urgent command of
//! garbage collection; this policy does not. As in MQSim, a waiting host write delays reads of garbage
//! collection even if the query does not select the write.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, `TSU_Priority_OutOfOrder.cpp` and `TSU_Base.cpp` (commit 7ec40e3).
//! For comparison with MQSim; no drive is known to behave like this.
//!
//! # Parameters
//! `ftl.scheduling`, `host.queue_priorities`, `host.weight_high`, `host.weight_medium`, `host.weight_low`

use venice_nand::geometry::Priority;

use super::{LaneSet, QueryScope, SchedulingPolicy, SchedulingSettings, TransactionKind};

const URGENT: u8 = Priority::Urgent as u8;
const HIGH: u8 = Priority::High as u8;
const LOW: u8 = Priority::Low as u8;

/// Progress of the queries for reads, or for writes, of a die or chip.
#[derive(Clone, Copy, Debug)]
struct SearchProgress {
    /// Priority class that was examined last.
    lane: u8,
    /// Number of the current round, which is the minimum weight with which a priority class is served in this
    /// round.
    round: u32,
}

/// Scheduling policy that treats priority classes as MQSim does.
#[derive(Clone, Debug)]
pub struct PriorityTurns {
    weights: [u32; 3],
    /// Progress of the queries, indexed by die or chip, then by kind.
    turns: Vec<[SearchProgress; 2]>,
}

impl SchedulingPolicy for PriorityTurns {
    type Parameters = ();

    const HAS_ONE_LANE: bool = false;
    const LOOKS: QueryScope = QueryScope::Everywhere;

    fn new(_own: &(), settings: &SchedulingSettings, dies: u32) -> Self {
        let start = SearchProgress { lane: URGENT, round: settings.weights[0] };
        Self { weights: settings.weights, turns: vec![[start; 2]; dies as usize] }
    }

    #[inline]
    fn lane(&self, priority: Priority) -> u8 {
        priority as u8
    }

    fn choose_lane(&mut self, server: u32, kind: TransactionKind, waiting: LaneSet) -> Option<u8> {
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
        std::array::from_fn(|_| policy.choose_lane(0, TransactionKind::Read, ready))
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
