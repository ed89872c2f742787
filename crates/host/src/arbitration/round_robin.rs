//! Round robin over all queues, regardless of class.
//!
//! # What it models
//! The drive fetches up to a burst of commands from a queue, then continues with the queue of the next higher
//! number.
//!
//! # Source
//! NVM Express Base Specification 1.4, §4.13.1.
//!
//! # Parameters
//! `host.arbitration_burst`

use super::{ArbitrationPolicy, ArbitrationSettings, Contender};

/// Round-robin policy over all queues.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    turn: RoundRobinState,
}

impl ArbitrationPolicy for RoundRobin {
    fn new(settings: &ArbitrationSettings) -> Self {
        Self { turn: RoundRobinState::new(settings.burst) }
    }

    fn choose(&mut self, contenders: &[Contender]) -> usize {
        self.turn.next(contenders, |_| true)
    }
}

/// State of a round-robin choice among queues.
#[derive(Clone, Debug)]
pub(super) struct RoundRobinState {
    burst: u32,
    queue: u16,
    left: u32,
}

impl RoundRobinState {
    pub(super) const fn new(burst: u32) -> Self {
        Self { burst, queue: u16::MAX, left: 0 }
    }

    /// Returns the index of the next queue for which `takes_part` is true. The previous queue is chosen again
    /// until its burst is used up, then the one with the next higher number, wrapping around to the lowest.
    ///
    /// # Panics
    ///
    /// Panics if `takes_part` is false for all queues.
    pub(super) fn next(
        &mut self,
        contenders: &[Contender],
        takes_part: impl Fn(&Contender) -> bool,
    ) -> usize {
        let rest = if self.left > 0 { self.queue } else { self.queue.wrapping_add(1) };
        let distance = |contender: &Contender| contender.queue.wrapping_sub(rest);
        let taking_part = contenders.iter().enumerate().filter(|(_, contender)| takes_part(contender));
        let next = taking_part.min_by_key(|(_, contender)| distance(contender));
        let (place, contender) = next.expect("a queue takes part");
        if contender.queue != self.queue || self.left == 0 {
            (self.queue, self.left) = (contender.queue, self.burst);
        }
        self.left -= 1;
        place
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Priority;

    use super::*;
    use crate::ClassWeights;
    use crate::arbitration::ArbitrationKind;

    fn contender(queue: u16) -> Contender {
        Contender { queue, priority: Priority::Low }
    }

    #[test]
    fn queues_take_turns_of_a_burst_and_one_that_is_empty_loses_the_rest_of_its_burst() {
        let settings = ArbitrationSettings {
            kind: ArbitrationKind::RoundRobin,
            burst: 2,
            weights: ClassWeights::default(),
        };
        let mut policy = RoundRobin::new(&settings);
        let all = [contender(1), contender(4), contender(7)];
        let served: Vec<usize> = (0..7).map(|_| policy.choose(&all)).collect();
        assert_eq!(served, [0, 0, 1, 1, 2, 2, 0]);
        assert_eq!(policy.choose(&all[1..]), 0, "queue 4, although queue 1 had one left");
        assert_eq!(policy.choose(&all), 1);
        assert_eq!(policy.choose(&all), 2);
    }
}
