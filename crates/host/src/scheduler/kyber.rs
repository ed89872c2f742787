//! Kyber scheduler of the Linux kernel: batches of each kind, with depths controlled by two latency targets.
//!
//! # What it models
//! Reads and writes each have a target latency and a depth, the maximum number of them in the drive. When the
//! drive is congested, the kind that meets its target yields to the kind that does not.
//!
//! # How
//! Each kind has a FIFO queue; batches of both kinds alternate as far as depths allow. Latencies are counted
//! in histograms of eight buckets, each a quarter of the target wide, for the time in the drive and for the
//! total time, which begins when a request enters the I/O queue. With a target of zero, all latencies are in
//! the last bucket. A fixed time after a completion the scheduler wakes. For each kind with enough samples it
//! determines two buckets: that of the 90th percentile of the time in the drive, and that of the 99th
//! percentile of the total time. The drive is congested if the percentile of the time in the drive misses the
//! target for any kind. Each depth is then multiplied by the percentile of the total time divided by the
//! target: a kind at half of its target gets half of its depth, a kind at twice its target gets twice its
//! depth. Without congestion only kinds that miss their target are adjusted. A depth is at least 1 and at
//! most its initial value. If a kind has too few samples during congestion, its last percentile that was not
//! used for an adjustment is used.
//!
//! A kind with few samples is evaluated after a time limit, which its two histograms share. The time in the
//! drive is evaluated first and restarts the limit. The total time therefore waits for enough samples,
//! however long they take.
//!
//! A request that waits for another one of its kind to complete is sent by a thread of the kernel, which
//! takes `kyber_wake_us` to run.
//!
//! # What is left out
//! Discards and other operations; the smaller share of asynchronous writes, since direct writes are
//! synchronous; batches per hardware queue, which have no effect while the drive accepts all requests;
//! merging. Linux may reuse the first tokens of a depth that has just been reduced before the others are
//! free.
//!
//! # Source
//! Linux, block/kyber-iosched.c and kernel documentation `block/kyber-iosched`: `read_lat_nsec`,
//! `write_lat_nsec`; depths, batches, buckets, percentiles, 500 samples or one second, 0.1 s from completion
//! to wake-up; `start_time_ns` of a request (block/blk-mq.c), set when it has a tag of the scheduler.
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
        /// Target latency of reads, for `kyber`; 0: no read meets it.
        kyber_read_target_us: f64 = number(0.0, LONGEST_US), unit "µs", default "2000", source "Linux, block/kyber-iosched.c (2 ms)";
        /// Target latency of writes, for `kyber`; 0: no write meets it.
        kyber_write_target_us: f64 = number(0.0, LONGEST_US), unit "µs", default "10000", source "Linux, block/kyber-iosched.c (10 ms)";
        /// Maximum number of reads in the drive, for `kyber`.
        kyber_read_depth: u32 = whole(1, 65_536), unit "requests", default "256", source "Linux, block/kyber-iosched.c";
        /// Maximum number of writes in the drive, for `kyber`.
        kyber_write_depth: u32 = whole(1, 65_536), unit "requests", default "128", source "Linux, block/kyber-iosched.c";
        /// Number of reads per batch, for `kyber`.
        kyber_read_batch: u32 = whole(1, 65_536), unit "requests", default "16", source "Linux, block/kyber-iosched.c";
        /// Number of writes per batch, for `kyber`.
        kyber_write_batch: u32 = whole(1, 65_536), unit "requests", default "8", source "Linux, block/kyber-iosched.c";
        /// Time from a completion to the next adjustment of the depths (`kyber_read_depth`,
        /// `kyber_write_depth`), for `kyber`.
        kyber_window_ms: f64 = number(0.001, LONGEST_US), unit "ms", default "100", source "Linux, block/kyber-iosched.c (HZ / 10)";
        /// Minimum number of latency samples with which `kyber` adjusts a depth. Reads and writes are counted
        /// separately.
        kyber_samples: u32 = whole(1, 1_000_000), unit "requests", default "500", source "Linux, block/kyber-iosched.c";
        /// Time after which `kyber` adjusts a depth even with fewer than `kyber_samples` samples.
        kyber_patience_ms: f64 = number(0.0, LONGEST_US), unit "ms", default "1000", source "Linux, block/kyber-iosched.c (HZ)";
        /// Time from the completion of a read (or write) until `kyber` sends a waiting read (or write).
        ///
        /// It applies to requests that wait because the depth for reads (or writes) is reached.
        kyber_wake_us: f64 = number(0.0, LONGEST_US), unit "µs", default "0", source "ours: the kernel thread that sends such requests (Linux, block/kyber-iosched.c and block/blk-mq.c)";
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

/// Condition for the evaluation of a histogram.
#[derive(Clone, Copy, Debug)]
struct SampleRule {
    enough: u32,
    patience: SimSpan,
}

impl SampleRule {
    /// Returns the bucket of a percentile and clears the histogram, if it has enough samples or the patience
    /// has ended.
    fn percentile(
        &self,
        histogram: &mut Histogram,
        percentile: u32,
        patience_ends: &mut Option<SimTime>,
        now: SimTime,
    ) -> Option<u32> {
        let samples = histogram.samples();
        let ends = (samples > 0).then(|| *patience_ends.get_or_insert(now + self.patience))?;
        if samples < self.enough && now < ends {
            return None;
        }
        *patience_ends = None;
        Some(histogram.take_percentile(percentile))
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
    /// End of the wait for samples, which both histograms share.
    patience_ends: Option<SimTime>,
    /// Times from which completed requests no longer count as in the drive.
    freed: VecDeque<SimTime>,
    /// Bucket of the last percentile of the total time; `None` if it has been used to adjust the depth.
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
            patience_ends: None,
            freed: VecDeque::new(),
            unused: None,
        }
    }

    /// Removes the next request if it may be sent. Its tag is its time in the queue in picoseconds.
    fn take(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        self.free(now);
        let may_go = self.in_drive < self.depth;
        self.line.front().filter(|queued| may_go && room.takes(queued))?;
        self.in_drive += 1;
        self.line.pop_front().map(|queued| QueuedRequest { tag: now.since(queued.since).as_ps(), ..queued })
    }

    /// Stops counting completed requests whose wake-up time has passed.
    fn free(&mut self, now: SimTime) {
        while self.freed.front().is_some_and(|&free_at| free_at <= now) {
            self.freed.pop_front();
            self.in_drive -= 1;
        }
    }

    /// Processes a completion. If a request waits for it because of the depth, that request may be sent after
    /// `wake`.
    fn complete(&mut self, done: &CompletedRequest, wake: SimSpan, now: SimTime) {
        if wake.is_zero() || self.line.is_empty() || self.in_drive < self.depth {
            self.in_drive -= 1;
        } else {
            self.freed.push_back(now + wake);
        }
        self.of_drive.add(done.in_drive, self.target);
        self.of_all.add(SimSpan::from_ps(done.tag) + done.in_drive, self.target);
    }

    /// Returns the bucket of the 90th percentile of the time in the drive.
    fn percentile_of_drive(&mut self, samples: &SampleRule, now: SimTime) -> Option<u32> {
        samples.percentile(&mut self.of_drive, 90, &mut self.patience_ends, now)
    }

    /// Returns the bucket of the 99th percentile of the total time.
    fn percentile_of_all(&mut self, samples: &SampleRule, now: SimTime) -> Option<u32> {
        samples.percentile(&mut self.of_all, 99, &mut self.patience_ends, now)
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
    /// Index into `sides` of the current batch (reads or writes); `gone` is the number of its requests
    /// already sent.
    turn: usize,
    gone: u32,
    window: SimSpan,
    samples: SampleRule,
    wake: SimSpan,
    alarm: Option<SimTime>,
}

impl Kyber {
    /// Adjusts the depths according to the latencies since the last adjustment.
    fn adjust(&mut self, now: SimTime) {
        self.alarm = None;
        let samples = self.samples;
        let of_drive = self.sides.each_mut().map(|side| side.percentile_of_drive(&samples, now));
        let is_congested = of_drive.iter().flatten().any(|&bucket| bucket >= GOOD_BUCKETS);
        for side in &mut self.sides {
            let of_all = side.percentile_of_all(&samples, now);
            side.adjust(of_all, is_congested);
        }
    }
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
            samples: SampleRule {
                enough: own.kyber_samples,
                patience: SimSpan::from_us_f64(own.kyber_patience_ms * 1e3),
            },
            wake: SimSpan::from_us_f64(own.kyber_wake_us),
            alarm: None,
        }
    }
}

impl HostScheduler for Kyber {
    fn add(&mut self, queued: QueuedRequest) {
        self.sides[side_of(queued.op)].line.push_back(queued);
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let goes_on = self.gone < self.sides[self.turn].batch;
        if let Some(queued) = goes_on.then(|| self.sides[self.turn].take(now, room)).flatten() {
            self.gone += 1;
            return Some(queued);
        }
        let other = 1 - self.turn;
        for side in [other, self.turn] {
            if let Some(queued) = self.sides[side].take(now, room) {
                (self.turn, self.gone) = (side, 1);
                return Some(queued);
            }
        }
        None
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        self.sides[side_of(done.op)].complete(&done, self.wake, now);
        self.alarm.get_or_insert(now + self.window);
    }

    fn wakes_at(&self) -> Option<SimTime> {
        let freed = self.sides.iter().filter_map(|side| side.freed.front().copied());
        freed.chain(self.alarm).min()
    }

    fn woken(&mut self, now: SimTime) {
        self.sides.iter_mut().for_each(|side| side.free(now));
        if self.alarm.is_some_and(|alarm| alarm <= now) {
            self.adjust(now);
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
            samples: SampleRule { enough: own.kyber_samples, patience: SimSpan::from_us(1000) },
            wake: SimSpan::ZERO,
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
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 16], "writes took half of their target");
        complete(&mut kyber, 0, 10, 150, now);
        complete(&mut kyber, 1, 10, 20, now);
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 4], "then the first quarter of it");
        complete(&mut kyber, 1, 10, 190, now);
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 8], "then nearly twice");
    }

    #[test]
    fn depths_do_not_change_while_targets_are_met_or_samples_are_few() {
        let mut kyber = kyber();
        let now = SimTime::ZERO;
        complete(&mut kyber, 0, 10, 100, now);
        complete(&mut kyber, 1, 10, 100, now);
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 32]);
        complete(&mut kyber, 0, 9, 101, now);
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 32], "nine samples are too few");
        kyber.adjust(now + SimSpan::from_us(1000));
        assert_eq!(depths(&kyber), [64, 32], "writes took all of their target before");
        complete(&mut kyber, 0, 10, 101, now);
        complete(&mut kyber, 1, 1, 10, now);
        kyber.adjust(now);
        assert_eq!(depths(&kyber), [64, 32], "one write is too few, and what it was before is used up");
    }

    #[test]
    fn one_slow_read_of_ten_is_congestion_only_for_the_tail() {
        let mut kyber = kyber();
        complete(&mut kyber, 0, 9, 10, SimTime::ZERO);
        complete(&mut kyber, 0, 1, 190, SimTime::ZERO);
        complete(&mut kyber, 1, 10, 10, SimTime::ZERO);
        kyber.adjust(SimTime::ZERO);
        assert_eq!(depths(&kyber), [64, 32], "the 90th percentile is good, and reads have all they may");
    }
    #[test]
    fn a_target_of_zero_is_always_missed_and_throttles_the_other_kind_only() {
        let own = KyberParameters { kyber_write_target_us: 0.0, ..KyberParameters::default() };
        let mut kyber = kyber();
        kyber.sides[1] = DirectionState::new(own.kyber_write_target_us, 32, own.kyber_write_batch);
        for (reads, writes) in [(32, 32), (16, 32), (8, 32)] {
            complete(&mut kyber, 0, 10, 50, SimTime::ZERO);
            complete(&mut kyber, 1, 10, 1, SimTime::ZERO);
            kyber.adjust(SimTime::ZERO);
            assert_eq!(depths(&kyber), [reads, writes]);
        }
        complete(&mut kyber, 0, 10, 50, SimTime::ZERO);
        kyber.adjust(SimTime::ZERO);
        assert_eq!(depths(&kyber), [8, 32], "without writes there is no congestion");
    }

    #[test]
    fn the_total_time_begins_when_a_request_enters_the_queue() {
        let late = SimTime::ZERO + SimSpan::from_us(10_000);
        let depth_of_writes = |waits_us: u64| {
            let mut kyber = kyber();
            complete(&mut kyber, 0, 10, 150, late);
            for _ in 0..10 {
                kyber.add(queued(0, Op::Write, 0, 1, late));
                let sent_at = late + SimSpan::from_us(waits_us);
                let sent = kyber.next(sent_at, &DriveCapacity::unlimited()).expect("a request");
                let in_drive = SimSpan::from_us(100);
                let latency = SimSpan::from_us(9_000);
                kyber.completed(
                    CompletedRequest { latency, in_drive, ..CompletedRequest::at_once(&sent) },
                    sent_at + in_drive,
                );
            }
            kyber.adjust(late);
            kyber.sides[1].depth
        };
        assert_eq!(depth_of_writes(0), 8, "100 of 1,000 µs, though the latency was 9,000 µs");
        assert_eq!(depth_of_writes(650), 24, "750 of 1,000 µs");
    }

    #[test]
    fn with_few_samples_the_time_in_the_drive_ends_the_patience_and_the_total_time_waits_on() {
        let mut kyber = kyber();
        let at = |us| SimTime::ZERO + SimSpan::from_us(us);
        complete(&mut kyber, 1, 10, 50, at(0));
        kyber.adjust(at(0));
        complete(&mut kyber, 0, 1, 150, at(0));
        kyber.adjust(at(1));
        assert_eq!(depths(&kyber), [64, 32], "one read is too few");
        kyber.adjust(at(1001));
        assert_eq!(depths(&kyber), [64, 16], "its time in the drive shows congestion");
        assert_eq!((kyber.sides[0].of_drive.samples(), kyber.sides[0].of_all.samples()), (0, 1));
        kyber.sides[0].depth = 32;
        for n in 0..9 {
            complete(&mut kyber, 0, 1, 150, at(1002));
            let depth = kyber.sides[0].depth;
            assert_eq!(depth, 32, "after {n} more reads");
            kyber.adjust(at(1002 + n));
        }
        assert_eq!(kyber.sides[0].depth, 48, "the tenth total time");
    }

    #[test]
    fn a_request_that_waits_for_the_depth_is_sent_a_wake_up_after_a_completion() {
        let us = |us| SimTime::ZERO + SimSpan::from_us(us);
        let room = DriveCapacity::unlimited();
        let mut kyber = kyber();
        kyber.wake = SimSpan::from_us(4);
        kyber.sides[1].depth = 1;
        for number in 0..2 {
            kyber.add(queued(number, Op::Write, 0, 1, us(0)));
        }
        let first = kyber.next(us(0), &room).expect("the first write");
        assert_eq!(kyber.next(us(0), &room), None, "one at a time");
        kyber.completed(CompletedRequest::at_once(&first), us(10));
        assert_eq!((kyber.next(us(13), &room), kyber.wakes_at()), (None, Some(us(14))));
        kyber.woken(us(14));
        assert_eq!(kyber.wakes_at(), Some(us(110)), "the adjustment, which is not due yet");
        let second = kyber.next(us(14), &room).expect("the second write");
        kyber.completed(CompletedRequest::at_once(&second), us(20));
        kyber.add(queued(2, Op::Write, 0, 1, us(20)));
        assert!(kyber.next(us(20), &room).is_some(), "nothing waited at the completion");
    }
}
