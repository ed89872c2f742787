//! Schedulers that prefer reads, with or without the batches of PIQ.
//!
//! # How
//! Reads and writes each have a FIFO queue, or [`RequestBatches`]. When the drive accepts a request, reads
//! precede writes. With an age threshold (PIQ+), writes of the first batch that have reached that age go
//! first ([`OverdueWrites`]) for a limited share of the time ([`WriteTurns`]), followed by reads. From a FIFO
//! queue only the head can be sent, from a batch any request that the drive accepts. No write overtakes a
//! read that waits for its unit, unless the write is overdue.
//!
//! A closed batch is sent as a whole once begun, even if writes are overdue, and no other request overtakes
//! it. With [`NextBatch::AfterCompletion`] this applies to every batch; until it is complete, only requests
//! that join it are sent.
//!
//! # What is left out
//! Without a threshold, writes can starve while reads keep arriving, as in the published schemes.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-B: RWS, `PIQ_R`, `PIQ_W`, PIQ, PIQ+.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};
use venice_params::{choices, declare, number, one_of, whole};
use venice_requests::request::Op;

use super::batches::{BatchRule, BatchedRequest, RequestBatches};
use super::overdue::{OVERDUE_TAG, OverdueWrites};
use super::write_turns::WriteTurns;
use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme,
};

/// Condition for starting the next batch of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextBatch {
    /// The next batch starts when all requests of the current batch are complete.
    AfterCompletion,
    /// The next batch starts as soon as the drive has free slots.
    AsSlotsFree,
}

choices! {
    NextBatch, "start of the next batch":
        "after_completion" => AfterCompletion, "as_slots_free" => AsSlotsFree;
}

/// Maximum age threshold, in microseconds.
const LONGEST_US: f64 = 1e6;

declare! {
    /// Parameters of the PIQ schemes.
    pub struct ReadsFirstParameters in "host.scheduler." {
        /// Period in which further requests may join a batch of PIQ.
        ///
        /// A request joins a batch if it shares no parallel unit (see `level`) with the batch's requests.
        /// `open`: until all requests of the batch are complete. `closed`: until its first request is sent.
        batches: BatchRule = one_of::<BatchRule>(), unit "", default "open",
            source "Gao et al., PIQ, TCAD 2017, §IV-A1 and §IV-B2: outstanding requests are counted, and new ones join the batch";
        /// Time at which the next batch of reads or of writes starts.
        ///
        /// `after_completion`: when every request of the current batch is complete. `as_slots_free`: as soon
        /// as the drive has free slots (`drive_slots`).
        next_batch: NextBatch = one_of::<NextBatch>(), unit "", default "as_slots_free",
            source "Gao et al., PIQ, TCAD 2017, §IV-A1: requests are outstanding while others are scheduled";
        /// Age at which the writes of a batch become overdue and precede reads, for `piq_plus`.
        write_threshold_us: f64 = number(0.0, LONGEST_US), unit "µs", default "1000",
            source "Gao et al., PIQ, TCAD 2017, §V-B1 (1 ms)";
        /// Number of batches of reads that may overtake overdue writes, for `piq_plus`.
        ///
        /// Reads of later batches overtake an overdue write only if they share no parallel unit (see `level`)
        /// with it.
        passing_read_batches: u32 = whole(0, 65_536), unit "batches", default "8",
            source "ours: Gao et al., PIQ, TCAD 2017, §V-B1, have reads almost as with PIQ";
        /// Maximum share of the time with waiting reads in which overdue writes go first, for `piq_plus`;
        /// 100: no limit.
        ///
        /// With a share s (0 to 1), reads of a saturated drive take about s / (1 − s) longer. The limit does
        /// not apply to batches that are sent as a whole.
        overdue_share_pct: f64 = number(0.01, 100.0), unit "%", default "9",
            source "ours: 9 / 91 is below 10 %; Gao et al., PIQ, TCAD 2017, §V-B1, have reads almost as with PIQ";
    }
}

#[derive(Clone, Debug)]
enum DirectionRequests {
    Plain(VecDeque<QueuedRequest>),
    Batched(RequestBatches),
}

impl DirectionRequests {
    fn new(is_batched: bool, rule: BatchRule, settings: &SchedulerSettings) -> Self {
        if is_batched {
            let batches = RequestBatches::new(settings.units.units(), rule);
            Self::Batched(batches.over_channels(settings.channels))
        } else {
            Self::Plain(VecDeque::new())
        }
    }

    fn push(&mut self, queued: QueuedRequest) {
        match self {
            Self::Plain(line) => line.push_back(queued),
            Self::Batched(batches) => batches.push(queued),
        }
    }

    fn take(&mut self, room: &DriveCapacity) -> Option<BatchedRequest> {
        match self {
            Self::Plain(line) => {
                let queued = line.front().filter(|queued| room.takes(queued)).copied()?;
                line.pop_front();
                Some(BatchedRequest { queued, begins: false, empties: false })
            }
            Self::Batched(batches) => batches.take(room),
        }
    }

    fn completed(&mut self, batch: u64) {
        if let Self::Batched(batches) = self {
            batches.completed(batch);
        }
    }

    fn is_in_a_batch(&self) -> bool {
        matches!(self, Self::Batched(batches) if batches.has_begun())
    }

    fn first_since(&self) -> Option<SimTime> {
        match self {
            Self::Plain(line) => line.front().map(|queued| queued.since),
            Self::Batched(batches) => batches.first_since(),
        }
    }

    fn waiting(&self) -> usize {
        match self {
            Self::Plain(line) => line.len(),
            Self::Batched(batches) => batches.waiting(),
        }
    }

    fn vector_tests(&self) -> u64 {
        match self {
            Self::Plain(_) => 0,
            Self::Batched(batches) => batches.vector_tests(),
        }
    }

    fn sizes(&self) -> &[u64] {
        match self {
            Self::Plain(_) => &[],
            Self::Batched(batches) => batches.sizes(),
        }
    }
}

/// Exception to the rule that reads precede writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OrderException {
    /// No exception: reads precede writes.
    Open,
    /// Writes of a batch have reached the age threshold and are being sent.
    Writes,
    /// Overdue writes have been sent; a batch of reads follows even if other writes are overdue.
    Reads,
}

/// Scheduler that prefers reads, with or without batches.
#[derive(Clone, Debug)]
pub struct ReadsFirst {
    reads: DirectionRequests,
    writes: DirectionRequests,
    write_threshold: Option<SimSpan>,
    /// True if a batch that has begun is sent before any other request.
    goes_whole: bool,
    next_batch: NextBatch,
    turn: OrderException,
    /// Overdue writes; unused if batches are sent as a whole.
    overdue: OverdueWrites,
    /// Times at which writes may become overdue; unused if batches are sent as a whole.
    write_turns: WriteTurns,
    /// Number of requests in the drive.
    in_drive: u32,
    /// Operation of the batch (reads or writes) that must be complete before requests outside the batch
    /// are sent.
    drains: Option<Op>,
    counters: SchedulerCounters,
}

impl SchedulerModel for ReadsFirst {
    type Parameters = ReadsFirstParameters;

    fn new(scheme: Scheme, own: &ReadsFirstParameters, settings: &SchedulerSettings) -> Self {
        let ReadsFirstParameters {
            batches: rule,
            next_batch,
            write_threshold_us,
            passing_read_batches,
            overdue_share_pct,
        } = *own;
        let units = settings.units.units();
        let batched_reads = matches!(scheme, Scheme::PiqR | Scheme::Piq | Scheme::PiqPlus);
        let batched_writes = matches!(scheme, Scheme::PiqW | Scheme::Piq | Scheme::PiqPlus);
        Self {
            reads: DirectionRequests::new(batched_reads, rule, settings),
            writes: DirectionRequests::new(batched_writes, rule, settings),
            write_threshold: (scheme == Scheme::PiqPlus).then(|| SimSpan::from_us_f64(write_threshold_us)),
            goes_whole: rule == BatchRule::Closed || next_batch == NextBatch::AfterCompletion,
            next_batch,
            turn: OrderException::Open,
            overdue: OverdueWrites::none(units, passing_read_batches),
            write_turns: WriteTurns::new(overdue_share_pct),
            in_drive: 0,
            drains: None,
            counters: SchedulerCounters::default(),
        }
    }
}

impl ReadsFirst {
    fn line(&mut self, op: Op) -> &mut DirectionRequests {
        match op {
            Op::Read | Op::Gather | Op::Search => &mut self.reads,
            _ => &mut self.writes,
        }
    }

    /// True if the oldest writes have reached the age threshold.
    fn writes_are_due(&self, now: SimTime) -> bool {
        let Some(threshold) = self.write_threshold else { return false };
        self.turn == OrderException::Open
            && self.write_turns.may_begin(now)
            && self.writes.first_since().is_some_and(|since| now.since(since) >= threshold)
    }

    fn choose(&mut self, now: SimTime) -> Op {
        if self.goes_whole && self.reads.is_in_a_batch() {
            return Op::Read;
        }
        if self.goes_whole && self.writes.is_in_a_batch() || self.reads.waiting() == 0 {
            return Op::Write;
        }
        if self.writes_are_due(now) {
            self.turn = OrderException::Writes;
            self.select_overdue(now);
        }
        if self.turn == OrderException::Writes { Op::Write } else { Op::Read }
    }

    fn select_overdue(&mut self, now: SimTime) {
        if let (false, Some(threshold), DirectionRequests::Batched(writes)) =
            (self.goes_whole, self.write_threshold, &self.writes)
        {
            self.overdue.select(writes, threshold, now);
            self.write_turns.begin(now);
        }
    }

    fn take(&mut self, op: Op, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.overdue.is_empty() {
            let taken = self.line(op).take(room)?;
            return Some(self.sent(op, taken));
        }
        self.take_with_overdue(room)
    }

    /// Returns the next request while writes are overdue. Only schemes with batches of reads and of writes
    /// have overdue writes.
    fn take_with_overdue(&mut self, room: &DriveCapacity) -> Option<QueuedRequest> {
        let (DirectionRequests::Batched(reads), DirectionRequests::Batched(writes)) =
            (&mut self.reads, &mut self.writes)
        else {
            return None;
        };
        let (op, taken) = self.overdue.next(reads, writes, room)?;
        if taken.queued.tag == OVERDUE_TAG {
            self.write_turns.sent();
        }
        let queued = self.sent(op, taken);
        if self.overdue.is_empty() {
            self.turn = OrderException::Reads;
        }
        Some(queued)
    }

    /// Records the dispatch of a request.
    fn sent(&mut self, op: Op, taken: BatchedRequest) -> QueuedRequest {
        let BatchedRequest { queued, begins, empties } = taken;
        match op {
            Op::Read | Op::Gather | Op::Search => {
                self.counters.reads += 1;
                self.counters.read_batches += u64::from(begins);
            }
            _ => {
                let is_prioritised = begins && self.turn == OrderException::Writes;
                self.counters.write_batches += u64::from(begins);
                self.counters.prioritised_write_batches += u64::from(is_prioritised);
            }
        }
        if empties {
            self.batch_has_gone(op);
        }
        self.in_drive += 1;
        if op == Op::Read && self.writes.first_since().is_some_and(|since| since < queued.since) {
            self.counters.prioritised_reads += 1;
        }
        queued
    }

    /// Updates the state when the last waiting request of a batch has been sent.
    fn batch_has_gone(&mut self, op: Op) {
        self.turn = match (op, self.turn) {
            (Op::Write, OrderException::Writes) if self.goes_whole => OrderException::Reads,
            (Op::Read, OrderException::Reads) => OrderException::Open,
            (_, turn) => turn,
        };
        self.drains = (self.next_batch == NextBatch::AfterCompletion).then_some(op);
    }

    /// Returns the next request of the current batch, while only requests of this batch may be sent.
    fn take_what_joined(&mut self, op: Op, room: &DriveCapacity) -> Option<QueuedRequest> {
        self.line(op).is_in_a_batch().then(|| self.take(op, room)).flatten()
    }
}

impl HostScheduler for ReadsFirst {
    fn add(&mut self, queued: QueuedRequest) {
        self.line(queued.op).push(queued);
        if self.reads.waiting() > 0 {
            self.write_turns.reads_wait(queued.since);
        }
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.waiting() == 0 {
            return None;
        }
        if let Some(op) = self.drains.filter(|_| self.in_drive > 0) {
            return self.take_what_joined(op, room);
        }
        self.drains = None;
        let op = self.choose(now);
        let taken = self.take(op, room);
        if self.reads.waiting() == 0 {
            self.write_turns.no_reads_wait(now);
        }
        taken
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        self.in_drive -= 1;
        if done.tag == OVERDUE_TAG {
            self.write_turns.completed(!self.overdue.is_empty(), now);
        }
        self.line(done.op).completed(done.batch);
    }

    fn waiting(&self) -> usize {
        self.reads.waiting() + self.writes.waiting()
    }

    fn counters(&self) -> SchedulerCounters {
        let vector_tests = self.reads.vector_tests() + self.writes.vector_tests();
        SchedulerCounters { vector_tests, ..self.counters }
    }

    fn batch_sizes(&self, op: Op) -> &[u64] {
        match op {
            Op::Read | Op::Gather | Op::Search => self.reads.sizes(),
            _ => self.writes.sizes(),
        }
    }
}
