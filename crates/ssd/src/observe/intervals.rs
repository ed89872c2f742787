//! A run over time: what the drive did in each of a bounded number of intervals of one length.
//!
//! # How
//! Whoever steps through the run says what the drive has done so far ([`Sample`]) at the end of every interval, how many requests
//! are outstanding whenever that changes, and which requests complete. An interval keeps sums and distributions, no rates, so that
//! neighbours can be joined: whenever there are as many intervals as may be, or their distributions take more than so much memory,
//! each pair becomes one of twice the length. So a run of any length costs the same, and its end need not be known.
//!
//! A request counts where it completes, with all of its latency. Time at work is cut exactly where an interval ends.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::SECTOR_BYTES;
use venice_requests::Op;

use super::{Latencies, PackedLatencies, RequestRow};

/// Latencies of one length that all distributions together may tell apart: 64 MiB.
const MOST_PARTS: usize = 1 << 22;

/// How a run is cut into intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalSettings {
    /// How long intervals are before any are joined.
    pub length: SimSpan,
    /// How many there are at most; at least two, and an even number.
    pub most: u32,
}

venice_kernel::counters! {
    /// Pages and blocks that the drive worked on.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Work {
        /// Pages read.
        pub reads: u64,
        /// Pages programmed.
        pub programs: u64,
        /// Of these, pages of the host.
        pub host_programs: u64,
        /// Pages that collection moved for want of free blocks.
        pub gc_moves: u64,
        /// Pages that static wear levelling moved.
        pub wear_moves: u64,
        /// Blocks erased.
        pub erases: u64,
    }
}

impl Work {
    fn with(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            programs: self.programs + other.programs,
            host_programs: self.host_programs + other.host_programs,
            gc_moves: self.gc_moves + other.gc_moves,
            wear_moves: self.wear_moves + other.wear_moves,
            erases: self.erases + other.erases,
        }
    }
}

/// What the drive has done up to an instant, since whenever it was first asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Requests issued.
    pub issued: u64,
    /// Time for which chips had a die at work, summed over chips, in picoseconds.
    pub chips_ps: u128,
    /// Time for which planes' arrays worked, summed over planes, in picoseconds.
    pub planes_ps: u128,
    /// Time for which paths were in use, summed over paths, in picoseconds.
    pub paths_ps: u128,
    /// Pages and blocks.
    pub work: Work,
    /// Free blocks at the instant.
    pub free_blocks: u64,
}

/// Requests of one direction that completed in an interval.
#[derive(Clone, Debug, Default)]
pub struct Completed {
    /// Their latencies.
    pub latencies: PackedLatencies,
    /// Their bytes.
    pub bytes: u128,
    /// For how long they waited behind the drive's own work, in picoseconds.
    pub behind_ps: u128,
}

impl Completed {
    fn join(&mut self, later: &Self) {
        self.latencies.merge(&later.latencies);
        self.bytes += later.bytes;
        self.behind_ps += later.behind_ps;
    }
}

/// What happened in an interval. The times at work are in picoseconds, summed over what works.
#[derive(Clone, Debug, Default)]
pub struct IntervalRecord {
    /// Requests that were issued.
    pub issued: u64,
    /// Reads, gathers of operands included, that completed.
    pub read: Completed,
    /// Writes that completed.
    pub write: Completed,
    /// Requests outstanding, times picoseconds.
    pub outstanding_ps: u128,
    /// Of chips.
    pub chips_ps: u128,
    /// Of planes' arrays.
    pub planes_ps: u128,
    /// Of paths.
    pub paths_ps: u128,
    /// Pages and blocks.
    pub work: Work,
    /// Free blocks at its end.
    pub free_blocks: u64,
}

impl IntervalRecord {
    fn parts(&self) -> usize {
        self.read.latencies.parts() + self.write.latencies.parts()
    }

    fn joined(mut self, later: &Self) -> Self {
        self.issued += later.issued;
        self.read.join(&later.read);
        self.write.join(&later.write);
        self.outstanding_ps += later.outstanding_ps;
        self.chips_ps += later.chips_ps;
        self.planes_ps += later.planes_ps;
        self.paths_ps += later.paths_ps;
        self.work = self.work.with(later.work);
        self.free_blocks = later.free_blocks;
        self
    }
}

/// The interval that is not over.
#[derive(Clone, Debug, Default)]
struct Open {
    read: OpenSide,
    write: OpenSide,
    outstanding_ps: u128,
}

/// Requests of one direction that completed in it.
#[derive(Clone, Debug, Default)]
struct OpenSide {
    latencies: Latencies,
    bytes: u128,
    behind_ps: u128,
}

impl OpenSide {
    fn add(&mut self, row: &RequestRow) {
        self.latencies.record(row.latency());
        self.bytes += u128::from(row.sectors) * u128::from(SECTOR_BYTES);
        self.behind_ps += u128::from(row.behind.own_work().as_ps());
    }

    fn pack(&self) -> Completed {
        Completed { latencies: self.latencies.pack(), bytes: self.bytes, behind_ps: self.behind_ps }
    }
}

/// The intervals of a run.
#[derive(Clone, Debug)]
pub struct Intervals {
    settings: IntervalSettings,
    start: SimTime,
    length: SimSpan,
    over: Vec<IntervalRecord>,
    /// Parts of all distributions of those that are over.
    parts: usize,
    open: Open,
    /// At the beginning of the interval that is not over.
    before: Sample,
    outstanding: (u64, SimTime),
    end: SimTime,
    joined: u32,
}

impl Intervals {
    /// None yet; the first begins at `start`, up to when the drive had done `before`.
    pub fn new(settings: IntervalSettings, start: SimTime, before: Sample) -> Self {
        Self {
            settings,
            start,
            length: settings.length,
            over: Vec::new(),
            parts: 0,
            open: Open::default(),
            before,
            outstanding: (0, start),
            end: start,
            joined: 0,
        }
    }

    /// When the first begins.
    pub const fn start(&self) -> SimTime {
        self.start
    }

    /// How long each is; the last may be shorter.
    pub const fn length(&self) -> SimSpan {
        self.length
    }

    /// How often pairs were joined.
    pub const fn joined(&self) -> u32 {
        self.joined
    }

    /// When the last ends.
    pub const fn end(&self) -> SimTime {
        self.end
    }

    /// Those that are over.
    pub fn all(&self) -> &[IntervalRecord] {
        &self.over
    }

    /// The instant at which the interval ends that is not over.
    pub fn next_end(&self) -> SimTime {
        self.start + self.length * (self.over.len() as u64 + 1)
    }

    /// From now on so many requests are outstanding.
    pub fn outstanding(&mut self, requests: u64, now: SimTime) {
        let (before, since) = self.outstanding;
        self.open.outstanding_ps += u128::from(before) * u128::from(now.since(since).as_ps());
        self.outstanding = (requests, now);
    }

    /// A request is complete.
    pub fn completed(&mut self, row: &RequestRow) {
        match row.op.side() {
            Op::Write => self.open.write.add(row),
            Op::Read | Op::Gather => self.open.read.add(row),
        }
    }

    /// The interval is over: up to its end the drive has done this.
    pub fn close(&mut self, sample: Sample) {
        self.close_at(self.next_end(), sample);
        while self.over.len() >= 2 && self.over.len().is_multiple_of(2) && self.is_full() {
            self.join_neighbours();
        }
    }

    /// The run is over: up to this instant the drive has done this.
    pub fn finish(&mut self, end: SimTime, sample: Sample) {
        if end > self.end || self.over.is_empty() {
            self.close_at(end, sample);
        }
    }

    fn is_full(&self) -> bool {
        self.over.len() >= self.settings.most as usize || self.parts > MOST_PARTS
    }

    fn close_at(&mut self, end: SimTime, sample: Sample) {
        self.outstanding(self.outstanding.0, end);
        let open = std::mem::take(&mut self.open);
        let before = self.before;
        let record = IntervalRecord {
            issued: sample.issued - before.issued,
            read: open.read.pack(),
            write: open.write.pack(),
            outstanding_ps: open.outstanding_ps,
            chips_ps: sample.chips_ps - before.chips_ps,
            planes_ps: sample.planes_ps - before.planes_ps,
            paths_ps: sample.paths_ps - before.paths_ps,
            work: sample.work - before.work,
            free_blocks: sample.free_blocks,
        };
        self.parts += record.parts();
        self.over.push(record);
        (self.before, self.end) = (sample, end);
    }

    fn join_neighbours(&mut self) {
        let mut later = std::mem::take(&mut self.over).into_iter();
        while let Some(first) = later.next() {
            self.over.push(match later.next() {
                Some(second) => first.joined(&second),
                None => first,
            });
        }
        self.parts = self.over.iter().map(IntervalRecord::parts).sum();
        self.length = self.length * 2;
        self.joined += 1;
    }
}
