//! Reads before writes, and the batches of PIQ.
//!
//! # How
//! Reads and writes each wait in a line: a plain one, or [`Batches`]. A batch that has begun is handed over whole before
//! anything else. Then reads go before writes; but with a threshold (PIQ+), the first batch of writes goes first when its
//! oldest request has waited that long; one such batch at a time, then reads have a turn. With [`NextBatch::AfterCompletion`], nothing follows a batch before all of it is
//! complete.
//!
//! # What is left out
//! Without a threshold writes can wait as long as reads keep coming: that is what the schemes are.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV: RWS, `PIQ_R`, `PIQ_W`, PIQ, PIQ+.

use std::collections::VecDeque;

use venice_kernel::{SimSpan, SimTime};

use super::{Batches, HostScheduler, Location, NextBatch, Queued, SchedulerCounters};
use crate::host::request::Op;

#[derive(Clone, Debug)]
enum Line {
    Plain(VecDeque<Queued>),
    Batched(Batches),
}

impl Line {
    fn new(is_batched: bool, units: u32) -> Self {
        if is_batched { Self::Batched(Batches::new(units)) } else { Self::Plain(VecDeque::new()) }
    }

    fn push(&mut self, queued: Queued) {
        match self {
            Self::Plain(line) => line.push_back(queued),
            Self::Batched(batches) => batches.push(queued),
        }
    }

    /// The next request, and whether a batch ends with it.
    fn pop(&mut self) -> Option<(Queued, bool)> {
        match self {
            Self::Plain(line) => line.pop_front().map(|queued| (queued, false)),
            Self::Batched(batches) => batches.pop(),
        }
    }

    fn is_in_a_batch(&self) -> bool {
        matches!(self, Self::Batched(batches) if batches.has_begun())
    }

    fn is_batched(&self) -> bool {
        matches!(self, Self::Batched(_))
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
}

/// Reads before writes, either in batches or not.
#[derive(Clone, Debug)]
pub struct ReadsFirst {
    reads: Line,
    writes: Line,
    write_threshold: Option<SimSpan>,
    next_batch: NextBatch,
    /// Whether the last writes went because of their age, and no read since.
    is_reads_turn: bool,
    /// Handed over and not complete.
    in_drive: u32,
    /// Whether everything handed over has to be complete before anything else goes.
    must_drain: bool,
    counters: SchedulerCounters,
}

impl ReadsFirst {
    /// Over `units` units, with batches of reads and of writes or without.
    pub fn new(
        units: u32,
        (batched_reads, batched_writes): (bool, bool),
        write_threshold: Option<SimSpan>,
        next_batch: NextBatch,
    ) -> Self {
        Self {
            reads: Line::new(batched_reads, units),
            writes: Line::new(batched_writes, units),
            write_threshold,
            next_batch,
            is_reads_turn: false,
            in_drive: 0,
            must_drain: false,
            counters: SchedulerCounters::default(),
        }
    }

    /// Whether the writes at the head have waited so long that they go first.
    fn writes_are_due(&self, now: SimTime) -> bool {
        let Some(threshold) = self.write_threshold else { return false };
        self.writes.first_since().is_some_and(|since| now.since(since) >= threshold)
    }

    fn choose(&mut self, now: SimTime) -> Op {
        if self.reads.is_in_a_batch() {
            return Op::Read;
        }
        if self.writes.is_in_a_batch() || self.reads.waiting() == 0 {
            return Op::Write;
        }
        self.is_reads_turn = !self.is_reads_turn && self.writes_are_due(now);
        if !self.is_reads_turn {
            return Op::Read;
        }
        self.counters.prioritised_write_batches += 1;
        Op::Write
    }

    fn take(&mut self, op: Op) -> Option<Queued> {
        let (line, batches) = match op {
            Op::Read => (&mut self.reads, &mut self.counters.read_batches),
            Op::Write => (&mut self.writes, &mut self.counters.write_batches),
        };
        let begins = line.is_batched() && !line.is_in_a_batch();
        let (queued, ends) = line.pop()?;
        *batches += u64::from(begins);
        self.must_drain = ends && self.next_batch == NextBatch::AfterCompletion;
        self.in_drive += 1;
        if op == Op::Read && self.writes.first_since().is_some_and(|since| since < queued.since) {
            self.counters.prioritised_reads += 1;
        }
        Some(queued)
    }
}

impl HostScheduler for ReadsFirst {
    fn add(&mut self, queued: Queued) {
        match queued.op {
            Op::Read => self.reads.push(queued),
            Op::Write => self.writes.push(queued),
        }
    }

    fn next(&mut self, now: SimTime) -> Option<Queued> {
        if self.must_drain && self.in_drive > 0 {
            return None;
        }
        if self.waiting() == 0 {
            return None;
        }
        let op = self.choose(now);
        self.take(op)
    }

    fn completed(&mut self, _location: Location) {
        self.in_drive -= 1;
    }

    fn waiting(&self) -> usize {
        self.reads.waiting() + self.writes.waiting()
    }

    fn counters(&self) -> SchedulerCounters {
        let vector_tests = self.reads.vector_tests() + self.writes.vector_tests();
        SchedulerCounters { vector_tests, ..self.counters }
    }
}
