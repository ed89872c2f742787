//! Kyber scheduler of the Linux kernel: batches of each kind, with depths controlled by two latency targets.
//!
//! # What it models
//! Reads and writes each have a target latency and a depth, the maximum number of them in the drive. When the
//! drive is congested, the kind that meets its target yields to the kind that does not.
//!
//! # How
//! Each kind has a FIFO queue; batches of both kinds alternate as far as depths allow. Latencies are counted
//! in histograms of eight buckets, each a quarter of the target wide, for the time in the drive and for the
//! total time. A fixed time after a completion the scheduler wakes. For each kind with enough samples it
//! determines two buckets: that of the 90th percentile of the time in the drive, and that of the 99th
//! percentile of the total time. The drive is congested if the percentile of the time in the drive misses the
//! target for any kind. Each depth is then multiplied by the percentile of the total time divided by the
//! target: a kind at half of its target gets half of its depth, a kind at twice its target gets twice its
//! depth. Without congestion only kinds that miss their target are adjusted. A depth is at least 1 and at
//! most its initial value. If a kind has too few samples during congestion, its last percentile that was not
//! used for an adjustment is used.
//!
//! # What is left out
//! Discards and other operations; the smaller share of asynchronous writes; batches per hardware queue;
//! merging.
//!
//! # Source
//! Linux, block/kyber-iosched.c and kernel documentation `block/kyber-iosched`: `read_lat_nsec`,
//! `write_lat_nsec`; depths, batches, buckets, percentiles, 500 samples or one second, 0.1 s from completion
//! to wake-up.
//!
//! # Parameters
//! `host.scheduler.kyber_*`

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{declare, number, whole};
use venice_requests::request::Op;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Number of buckets of a latency histogram.
const BUCKETS: usize = 8;
/// Number of buckets for latencies within the target.
const GOOD_BUCKETS: u32 = 4;
/// Maximum of the time parameters, in microseconds.
const LONGEST_US: f64 = 1e6;

declare! {
    /// Parameters of `kyber`.
    pub struct KyberParameters in "host.scheduler." {
        /// Target latency of reads, for `kyber`.
        kyber_read_target_us: f64 = number(0.001, LONGEST_US), unit "µs", default "2000", source "Linux, block/kyber-iosched.c (2 ms)";
        /// Target latency of writes, for `kyber`.
        kyber_write_target_us: f64 = number(0.001, LONGEST_US), unit "µs", default "10000", source "Linux, block/kyber-iosched.c (10 ms)";
        /// Maximum number of reads in the drive, for `kyber`.
        kyber_read_depth: u32 = whole(1, 65_536), unit "requests", default "256", source "Linux, block/kyber-iosched.c";
        /// Maximum number of writes in the drive, for `kyber`.
        kyber_write_depth: u32 = whole(1, 65_536), unit "requests", default "128", source "Linux, block/kyber-iosched.c";
        /// Number of reads per batch, for `kyber`.
        kyber_read_batch: u32 = whole(1, 65_536), unit "requests", default "16", source "Linux, block/kyber-iosched.c";
        /// Number of writes per batch, for `kyber`.
        kyber_write_batch: u32 = whole(1, 65_536), unit "requests", default "8", source "Linux, block/kyber-iosched.c";
        /// Time from a completion to the adjustment of depths, for `kyber`.
        kyber_window_ms: f64 = number(0.001, LONGEST_US), unit "ms", default "100", source "Linux, block/kyber-iosched.c (HZ / 10)";
        /// Minimum number of latency samples with which `kyber` adjusts a depth. Reads and writes are counted
        /// separately.
        kyber_samples: u32 = whole(1, 1_000_000), unit "requests", default "500", source "Linux, block/kyber-iosched.c";
        /// Time after which `kyber` adjusts a depth even with fewer than `kyber_samples` samples.
        kyber_patience_ms: f64 = number(0.0, LONGEST_US), unit "ms", default "1000", source "Linux, block/kyber-iosched.c (HZ)";
    }
}

/// Histogram of latencies in quarters of the target.
#[derive(Clone, Copy, Debug, Default)]
struct Histogram([u32; BUCKETS]);

impl Histogram {
    fn add(&mut self, took: SimSpan, target: SimSpan) {
        let width = (target.as_ps() / u64::from(GOOD_BUCKETS)).max(1);
        let bucket = (took.as_ps().saturating_sub(1) / width).min(BUCKETS as u64 - 1);
        self.0[bucket as usize] += 1;
    }

    fn samples(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Returns the bucket of a percentile and clears the histogram.
    fn take_percentile(&mut self, percentile: u32) -> u32 {
        let rank = (u64::from(self.samples()) * u64::from(percentile)).div_ceil(100);
        let counts = std::mem::take(self).0;
        let mut below = 0;
        let reaches = |count: &u32| {
            below += u64::from(*count);
            below >= rank
        };
        counts.iter().position(reaches).unwrap_or(BUCKETS - 1) as u32
    }
}

/// State of the scheduler for reads or for writes.
#[derive(Clone, Debug)]
struct DirectionState {
    line: VecDeque<QueuedRequest>,
    target: SimSpan,
    batch: u32,
    most: u32,
    depth: u32,
    in_drive: u32,
    of_drive: Histogram,
    of_all: Histogram,
    /// Time of the first wake-up with too few samples.
    lacks_since: Option<SimTime>,
    /// Bucket of the last percentile of the total time that has not been used for an adjustment.
    unused: Option<u32>,
}

impl DirectionState {
    fn new(target_us: f64, most: u32, batch: u32) -> Self {
        Self {
            line: VecDeque::new(),
            target: SimSpan::from_us_f64(target_us),
            batch,
            most,
            depth: most,
            in_drive: 0,
            of_drive: Histogram::default(),
            of_all: Histogram::default(),
            lacks_since: None,
            unused: None,
        }
    }

    fn take(&mut self, room: &DriveCapacity) -> Option<QueuedRequest> {
        let may_go = self.in_drive < self.depth;
        self.line.front().filter(|queued| may_go && room.takes(queued))?;
        self.in_drive += 1;
        self.line.pop_front()
    }

    /// Returns the buckets of two percentiles, of the time in the drive and of the total time, if there are
    /// enough samples.
    fn percentiles(&mut self, enough: u32, patience: SimSpan, now: SimTime) -> Option<(u32, u32)> {
        let samples = self.of_all.samples();
        let since = (samples > 0).then(|| *self.lacks_since.get_or_insert(now))?;
        if samples < enough && now.since(since) < patience {
            return None;
        }
        self.lacks_since = None;
        Some((self.of_drive.take_percentile(90), self.of_all.take_percentile(99)))
    }

    /// Sets the depth according to `found`, the bucket of the total time. Without `found`, uses an earlier
    /// bucket that has not been used.
    fn adjust(&mut self, found: Option<u32>, is_congested: bool) {
        let bucket = if is_congested {
            let unused = self.unused.take();
            found.or(unused)
        } else {
            self.unused = found.or(self.unused);
            found
        };
        if let Some(bucket) = bucket.filter(|&bucket| is_congested || bucket >= GOOD_BUCKETS) {
            let depth = u64::from(self.depth) * u64::from(bucket + 1) / u64::from(GOOD_BUCKETS);
            self.depth = depth.clamp(1, u64::from(self.most)) as u32;
        }
    }
}

/// Kyber scheduler.
#[derive(Clone, Debug)]
pub struct Kyber {
    /// State for reads (index 0) and for writes (index 1).
    sides: [DirectionState; 2],
    /// Kind of the current batch, as an index into `sides`; `gone` is the number of its requests already
    /// sent.
    turn: usize,
    gone: u32,
    window: SimSpan,
    enough: u32,
    patience: SimSpan,
    alarm: Option<SimTime>,
}

fn side_of(op: Op) -> usize {
    match op {
        Op::Read | Op::Gather | Op::Search => 0,
        _ => 1,
    }
}

impl SchedulerModel for Kyber {
    type Parameters = KyberParameters;

    fn new(_scheme: Scheme, own: &KyberParameters, _settings: &SchedulerSettings) -> Self {
        let reads = DirectionState::new(own.kyber_read_target_us, own.kyber_read_depth, own.kyber_read_batch);
        let writes =
            DirectionState::new(own.kyber_write_target_us, own.kyber_write_depth, own.kyber_write_batch);
        Self {
            sides: [reads, writes],
            turn: 0,
            gone: 0,
            window: SimSpan::from_us_f64(own.kyber_window_ms * 1e3),
            enough: own.kyber_samples,
            patience: SimSpan::from_us_f64(own.kyber_patience_ms * 1e3),
            alarm: None,
        }
    }
}

impl HostScheduler for Kyber {
    fn add(&mut self, queued: QueuedRequest) {
        self.sides[side_of(queued.op)].line.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let goes_on = self.gone < self.sides[self.turn].batch;
        if let Some(queued) = goes_on.then(|| self.sides[self.turn].take(room)).flatten() {
            self.gone += 1;
            return Some(queued);
        }
        let other = 1 - self.turn;
        for side in [other, self.turn] {
            if let Some(queued) = self.sides[side].take(room) {
                (self.turn, self.gone) = (side, 1);
                return Some(queued);
            }
        }
        None
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        let side = &mut self.sides[side_of(done.op)];
        side.in_drive -= 1;
        side.of_drive.add(done.in_drive, side.target);
        side.of_all.add(done.latency, side.target);
        self.alarm.get_or_insert(now + self.window);
    }

    fn wakes_at(&self) -> Option<SimTime> {
        self.alarm
    }

    fn woken(&mut self, now: SimTime) {
        self.alarm = None;
        let (enough, patience) = (self.enough, self.patience);
        let found = self.sides.each_mut().map(|side| side.percentiles(enough, patience, now));
        let is_congested = found.iter().flatten().any(|&(of_drive, _)| of_drive >= GOOD_BUCKETS);
        for (side, found) in self.sides.iter_mut().zip(found) {
            side.adjust(found.map(|(_, of_all)| of_all), is_congested);
        }
    }

    fn waiting(&self) -> usize {
        self.sides.iter().map(|side| side.line.len()).sum()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testkit::contract::queued;

    const TARGETS_US: [u64; 2] = [100, 1000];

    fn kyber() -> Kyber {
        let own = KyberParameters {
            kyber_read_target_us: TARGETS_US[0] as f64,
            kyber_write_target_us: TARGETS_US[1] as f64,
            kyber_read_depth: 64,
            kyber_write_depth: 32,
            kyber_samples: 10,
            ..KyberParameters::default()
        };
        let sides = [
            DirectionState::new(own.kyber_read_target_us, own.kyber_read_depth, own.kyber_read_batch),
            DirectionState::new(own.kyber_write_target_us, own.kyber_write_depth, own.kyber_write_batch),
        ];
        Kyber {
            sides,
            turn: 0,
            gone: 0,
            window: SimSpan::from_us(100),
            enough: own.kyber_samples,
            patience: SimSpan::from_us(1000),
            alarm: None,
        }
    }

    /// Completes `count` reads or writes whose latency is `pct` percent of the target, all of it in the
    /// drive.
    fn complete(kyber: &mut Kyber, side: usize, count: u32, pct: u64, now: SimTime) {
        let took = SimSpan::from_ns(TARGETS_US[side] * 10 * pct);
        kyber.sides[side].in_drive += count;
        for _ in 0..count {
            let queued = queued(0, [Op::Read, Op::Write][side], 0, 1, now);
            let done =
                CompletedRequest { latency: took, in_drive: took, ..CompletedRequest::at_once(&queued) };
            kyber.completed(done, now);
        }
    }

    fn depths(kyber: &Kyber) -> [u32; 2] {
        kyber.sides.each_ref().map(|side| side.depth)
    }

    #[test]
    fn while_reads_miss_their_target_writes_give_way_in_proportion_to_theirs_and_come_back() {
        let mut kyber = kyber();
        let now = SimTime::ZERO;
        complete(&mut kyber, 0, 10, 150, now);
        complete(&mut kyber, 1, 10, 50, now);
        assert_eq!(kyber.wakes_at(), Some(now + SimSpan::from_us(100)));
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 16], "writes took half of their target");
        complete(&mut kyber, 0, 10, 150, now);
        complete(&mut kyber, 1, 10, 20, now);
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 4], "then the first quarter of it");
        complete(&mut kyber, 1, 10, 190, now);
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 8], "then nearly twice");
    }

    #[test]
    fn depths_do_not_change_while_targets_are_met_or_samples_are_few() {
        let mut kyber = kyber();
        let now = SimTime::ZERO;
        complete(&mut kyber, 0, 10, 100, now);
        complete(&mut kyber, 1, 10, 100, now);
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 32]);
        complete(&mut kyber, 0, 9, 101, now);
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 32], "nine samples are too few");
        kyber.woken(now + SimSpan::from_us(1000));
        assert_eq!(depths(&kyber), [64, 32], "writes took all of their target before");
        complete(&mut kyber, 0, 10, 101, now);
        complete(&mut kyber, 1, 1, 10, now);
        kyber.woken(now);
        assert_eq!(depths(&kyber), [64, 32], "one write is too few, and what it was before is used up");
    }

    #[test]
    fn one_slow_read_of_ten_is_congestion_only_for_the_tail() {
        let mut kyber = kyber();
        complete(&mut kyber, 0, 9, 10, SimTime::ZERO);
        complete(&mut kyber, 0, 1, 190, SimTime::ZERO);
        complete(&mut kyber, 1, 10, 10, SimTime::ZERO);
        kyber.woken(SimTime::ZERO);
        assert_eq!(depths(&kyber), [64, 32], "the 90th percentile is good, and reads have all they may");
    }
}
