//! Share of the time in which overdue writes of PIQ+ precede reads.
//!
//! # How
//! A *turn* lasts from the selection of overdue writes to the completion of the last one. After a turn of
//! length T, the next one begins when reads have waited for T (1 − s) / s in all, where s is the configured
//! share. While reads wait, turns therefore take at most the share s of the time, apart from the first turn.
//! With s = 100 %, turns are not limited.
//!
//! # Source
//! Own rule. It reproduces that PIQ+ has almost the read latency of PIQ (Gao et al., PIQ, TCAD 2017,
//! §V-B1).

use venice_kernel::{SimSpan, SimTime};

/// Turns of overdue writes and the pauses between the turns.
#[derive(Clone, Debug)]
pub struct WriteTurns {
    /// Length of a pause divided by the length of the turn before it; `None` if turns are not limited.
    pause_per_turn: Option<f64>,
    /// Start of the last turn.
    begun: SimTime,
    /// Number of overdue writes in the drive.
    in_drive: u32,
    /// Time for which reads must wait before the next turn, counted from `reads_since`.
    pause: SimSpan,
    /// Start of the wait of reads that has not been subtracted from `pause`; `None` if no reads wait.
    reads_since: Option<SimTime>,
}

impl WriteTurns {
    /// Creates a state in which a turn may begin, for turns that take `share_pct` per cent of the time.
    pub fn new(share_pct: f64) -> Self {
        let pause_per_turn = (share_pct < 100.0).then(|| 100.0 / share_pct - 1.0);
        Self { pause_per_turn, begun: SimTime::ZERO, in_drive: 0, pause: SimSpan::ZERO, reads_since: None }
    }

    /// True if a turn may begin.
    pub fn may_begin(&self, now: SimTime) -> bool {
        self.pause_per_turn.is_none() || self.in_drive == 0 && self.rest_of_pause(now).is_zero()
    }

    /// Begins a turn.
    pub const fn begin(&mut self, now: SimTime) {
        self.begun = now;
    }

    /// Records that an overdue write was sent.
    pub const fn sent(&mut self) {
        self.in_drive += 1;
    }

    /// Records that an overdue write is complete. If none waits and none is in the drive, the turn ends.
    pub fn completed(&mut self, others_wait: bool, now: SimTime) {
        self.in_drive -= 1;
        let ends = self.in_drive == 0 && !others_wait;
        if let Some(pause_per_turn) = self.pause_per_turn.filter(|_| ends) {
            self.pause = SimSpan::from_us_f64(now.since(self.begun).as_us() * pause_per_turn);
            self.reads_since = self.reads_since.map(|_| now);
        }
    }

    /// Records that reads wait from `now` on, unless reads already wait.
    pub fn reads_wait(&mut self, now: SimTime) {
        self.reads_since.get_or_insert(now);
    }

    /// Records that no reads wait from `now` on.
    pub fn no_reads_wait(&mut self, now: SimTime) {
        self.pause = self.rest_of_pause(now);
        self.reads_since = None;
    }

    fn rest_of_pause(&self, now: SimTime) -> SimSpan {
        self.reads_since.map_or(self.pause, |since| self.pause.saturating_sub(now.since(since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    /// Returns turns with a share of 20 % after a turn from 100 to 150 µs with two writes.
    fn after_a_turn() -> WriteTurns {
        let mut turns = WriteTurns::new(20.0);
        turns.reads_wait(at(0));
        turns.begin(at(100));
        turns.sent();
        turns.completed(true, at(120));
        turns.sent();
        turns.completed(false, at(150));
        turns
    }

    #[test]
    fn a_pause_lasts_for_the_turn_times_the_ratio_of_the_shares() {
        // 50 µs × (1 - 0.2) / 0.2 = 200 µs.
        let turns = after_a_turn();
        assert!(!turns.may_begin(at(349)));
        assert!(turns.may_begin(at(350)));
    }

    #[test]
    fn a_pause_counts_only_times_at_which_reads_wait() {
        let mut turns = after_a_turn();
        turns.no_reads_wait(at(250));
        turns.reads_wait(at(1_000));
        assert!(!turns.may_begin(at(1_099)));
        assert!(turns.may_begin(at(1_100)));
    }

    #[test]
    fn turns_take_the_configured_share_of_the_time() {
        let mut turns = WriteTurns::new(25.0);
        turns.reads_wait(at(0));
        let (mut us, mut in_turns) = (0, 0);
        while us < 1_000_000 {
            if turns.may_begin(at(us)) {
                let length = 10 * (1 + us / 10 % 7);
                turns.begin(at(us));
                turns.sent();
                us += length;
                in_turns += length;
                turns.completed(false, at(us));
            } else {
                us += 10;
            }
        }
        assert!((240_000..=260_000).contains(&in_turns), "{in_turns} µs of 1 s");
    }

    #[test]
    fn no_turn_begins_while_overdue_writes_are_in_the_drive_unless_turns_are_not_limited() {
        for (share_pct, may_begin) in [(99.0, false), (100.0, true)] {
            let mut turns = WriteTurns::new(share_pct);
            turns.begin(at(0));
            turns.sent();
            assert_eq!(turns.may_begin(at(1)), may_begin, "{share_pct} %");
        }
    }
}
