//! Time series of a run: operations, busy times and latencies in a bounded number of intervals of equal
//! length.
//!
//! # How
//! The caller reports cumulative counters ([`Sample`]) at the end of every interval, each change of the
//! number of outstanding requests, and each completion. Intervals contain sums and distributions instead of
//! rates, so that neighbouring intervals can be merged. When the number of intervals or the memory of their
//! distributions reaches its limit, each pair of intervals is merged into one of twice the length. This
//! limits the memory for a run of any length.
//!
//! A request counts in the interval in which it completes, with its whole latency. A busy time that spans
//! several intervals is divided among them.

use venice_kernel::{SimSpan, SimTime};

use venice_requests::{Op, SECTOR_BYTES};

use super::{Latencies, PackedLatencies, RequestRow};

/// Maximum number of histogram parts with latencies, over all intervals of a run (64 MiB).
const MAX_PARTS: usize = 1 << 22;

/// Initial length and maximum number of the intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalSettings {
    /// Initial length of the intervals.
    pub length: SimSpan,
    /// Maximum number of intervals; an even number of at least 2.
    pub most: u32,
}

venice_kernel::counters! {
    /// Number of operations of the drive on pages, mapping units and blocks, by kind.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FlashWork {
        /// Number of pages read.
        pub reads: u64,
        /// Number of pages programmed.
        pub programs: u64,
        /// Number of mapping units programmed for the host.
        pub host_programs: u64,
        /// Number of mapping units moved by garbage collection to gain free blocks.
        pub gc_moves: u64,
        /// Number of mapping units moved by garbage collection in idle time.
        pub idle_moves: u64,
        /// Number of mapping units moved by static wear levelling.
        pub wear_moves: u64,
        /// Number of mapping units moved by read reclaim.
        pub reclaim_moves: u64,
        /// Number of mapping units moved by refresh.
        pub refresh_moves: u64,
        /// Number of mapping units moved by folding of the pSLC cache.
        pub fold_moves: u64,
        /// Number of blocks erased.
        pub erases: u64,
        /// Number of blocks whose data was moved by read reclaim.
        pub reclaim_executions: u64,
        /// Number of blocks whose data was moved by refresh.
        pub refresh_executions: u64,
        /// Number of uncorrectable reads for the host.
        pub uncorrectable_host_reads: u64,
    }
}

impl FlashWork {
    fn with(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            programs: self.programs + other.programs,
            host_programs: self.host_programs + other.host_programs,
            gc_moves: self.gc_moves + other.gc_moves,
            idle_moves: self.idle_moves + other.idle_moves,
            wear_moves: self.wear_moves + other.wear_moves,
            reclaim_moves: self.reclaim_moves + other.reclaim_moves,
            refresh_moves: self.refresh_moves + other.refresh_moves,
            fold_moves: self.fold_moves + other.fold_moves,
            erases: self.erases + other.erases,
            reclaim_executions: self.reclaim_executions + other.reclaim_executions,
            refresh_executions: self.refresh_executions + other.refresh_executions,
            uncorrectable_host_reads: self.uncorrectable_host_reads + other.uncorrectable_host_reads,
        }
    }
}

/// Cumulative counters of the drive, and its state, at a given instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Number of requests issued.
    pub issued: u64,
    /// Active time of chips, summed over all chips, in picoseconds.
    pub chips_ps: u128,
    /// Busy time of arrays, summed over all planes, in picoseconds.
    pub planes_ps: u128,
    /// Busy time of paths, summed over all paths, in picoseconds.
    pub paths_ps: u128,
    /// Page and block operations up to the given instant.
    pub work: FlashWork,
    /// Number of free blocks at the given instant.
    pub free_blocks: u64,
    /// Number of valid mapping units in the pSLC cache at the given instant.
    pub cached_units: u64,
    /// Number of spare blocks left for failed blocks at the given instant.
    pub spare_blocks: u64,
}

/// Reads or writes that completed in an interval.
#[derive(Clone, Debug, Default)]
pub struct CompletedRequests {
    /// Latency distribution of the requests.
    pub latencies: PackedLatencies,
    /// Bytes transferred by the requests.
    pub bytes: u128,
    /// Total waiting time caused by the drive's internal work, such as garbage collection, in picoseconds.
    pub behind_ps: u128,
}

impl CompletedRequests {
    fn join(&mut self, later: &Self) {
        self.latencies.merge(&later.latencies);
        self.bytes += later.bytes;
        self.behind_ps += later.behind_ps;
    }
}

/// Counters and latencies of one interval. Busy times are sums in picoseconds.
#[derive(Clone, Debug, Default)]
pub struct IntervalRecord {
    /// Number of requests issued in the interval.
    pub issued: u64,
    /// Reads completed in the interval, including gathers.
    pub read: CompletedRequests,
    /// Writes completed in the interval.
    pub write: CompletedRequests,
    /// Number of completed requests without data: trims, flushes and write-zeroes commands.
    pub without_data: u64,
    /// Number of requests that ended with an error in the interval.
    pub failed: u64,
    /// Integral of the number of outstanding requests over time, in requests × picoseconds.
    pub outstanding_ps: u128,
    /// Active time of chips, summed over all chips, in picoseconds.
    pub chips_ps: u128,
    /// Busy time of arrays, summed over all planes, in picoseconds.
    pub planes_ps: u128,
    /// Busy time of paths, summed over all paths, in picoseconds.
    pub paths_ps: u128,
    /// Page and block operations in the interval.
    pub work: FlashWork,
    /// Number of free blocks at the end of the interval.
    pub free_blocks: u64,
    /// Number of valid mapping units in the pSLC cache at the end of the interval.
    pub cached_units: u64,
    /// Number of spare blocks left for failed blocks at the end of the interval.
    pub spare_blocks: u64,
}

impl IntervalRecord {
    fn parts(&self) -> usize {
        self.read.latencies.parts() + self.write.latencies.parts()
    }

    fn joined(mut self, later: &Self) -> Self {
        self.issued += later.issued;
        self.read.join(&later.read);
        self.write.join(&later.write);
        self.without_data += later.without_data;
        self.failed += later.failed;
        self.outstanding_ps += later.outstanding_ps;
        self.chips_ps += later.chips_ps;
        self.planes_ps += later.planes_ps;
        self.paths_ps += later.paths_ps;
        self.work = self.work.with(later.work);
        self.free_blocks = later.free_blocks;
        self.cached_units = later.cached_units;
        self.spare_blocks = later.spare_blocks;
        self
    }
}

/// Current interval, which has not ended.
#[derive(Clone, Debug, Default)]
struct OpenInterval {
    read: OpenSide,
    write: OpenSide,
    without_data: u64,
    failed: u64,
    outstanding_ps: u128,
}

/// Reads, or writes, that have completed in the current interval.
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

    fn pack(&self) -> CompletedRequests {
        CompletedRequests { latencies: self.latencies.pack(), bytes: self.bytes, behind_ps: self.behind_ps }
    }
}

/// Time series of a run, in intervals of equal length.
#[derive(Clone, Debug)]
pub struct Intervals {
    settings: IntervalSettings,
    start: SimTime,
    length: SimSpan,
    over: Vec<IntervalRecord>,
    /// Number of histogram parts with latencies, over all completed intervals.
    parts: usize,
    open: OpenInterval,
    /// Cumulative counters at the start of the current interval.
    before: Sample,
    outstanding: (u64, SimTime),
    end: SimTime,
    joined: u32,
}

impl Intervals {
    /// Creates the time series. Its first interval starts at `start`; `before` contains the cumulative
    /// counters at that time.
    pub fn new(settings: IntervalSettings, start: SimTime, before: Sample) -> Self {
        Self {
            settings,
            start,
            length: settings.length,
            over: Vec::new(),
            parts: 0,
            open: OpenInterval::default(),
            before,
            outstanding: (0, start),
            end: start,
            joined: 0,
        }
    }

    /// Returns the start time of the first interval.
    pub const fn start(&self) -> SimTime {
        self.start
    }

    /// Returns the length of the intervals. The last one may be shorter.
    pub const fn length(&self) -> SimSpan {
        self.length
    }

    /// Returns the number of times that the intervals have been merged in pairs.
    pub const fn joined(&self) -> u32 {
        self.joined
    }

    /// Returns the end of the last interval.
    pub const fn end(&self) -> SimTime {
        self.end
    }

    /// Returns the completed intervals.
    pub fn all(&self) -> &[IntervalRecord] {
        &self.over
    }

    /// Returns the time at which the current interval ends.
    pub fn next_end(&self) -> SimTime {
        self.start + self.length * (self.over.len() as u64 + 1)
    }

    /// Records that `requests` requests are outstanding from `now` on.
    pub fn outstanding(&mut self, requests: u64, now: SimTime) {
        let (before, since) = self.outstanding;
        self.open.outstanding_ps += u128::from(before) * u128::from(now.since(since).as_ps());
        self.outstanding = (requests, now);
    }

    /// Adds a completed or failed request to the current interval.
    pub fn completed(&mut self, row: &RequestRow) {
        match row.op {
            _ if row.has_failed => self.open.failed += 1,
            Op::Write | Op::FuaWrite => self.open.write.add(row),
            Op::Read | Op::Gather => self.open.read.add(row),
            _ => self.open.without_data += 1,
        }
    }

    /// Ends the current interval. `sample` contains the cumulative counters at its end.
    pub fn close(&mut self, sample: Sample) {
        self.close_at(self.next_end(), sample);
        while self.over.len() >= 2 && self.over.len().is_multiple_of(2) && self.is_full() {
            self.join_neighbours();
        }
    }

    /// Ends the series at `end`. `sample` contains the cumulative counters at that instant.
    pub fn finish(&mut self, end: SimTime, sample: Sample) {
        if end > self.end || self.over.is_empty() {
            self.close_at(end, sample);
        }
    }

    fn is_full(&self) -> bool {
        self.over.len() >= self.settings.most as usize || self.parts > MAX_PARTS
    }

    fn close_at(&mut self, end: SimTime, sample: Sample) {
        self.outstanding(self.outstanding.0, end);
        let open = std::mem::take(&mut self.open);
        let before = self.before;
        let record = IntervalRecord {
            issued: sample.issued - before.issued,
            read: open.read.pack(),
            write: open.write.pack(),
            without_data: open.without_data,
            failed: open.failed,
            outstanding_ps: open.outstanding_ps,
            chips_ps: sample.chips_ps - before.chips_ps,
            planes_ps: sample.planes_ps - before.planes_ps,
            paths_ps: sample.paths_ps - before.paths_ps,
            work: sample.work - before.work,
            free_blocks: sample.free_blocks,
            cached_units: sample.cached_units,
            spare_blocks: sample.spare_blocks,
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
