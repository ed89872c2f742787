//! What a run measures: latencies, their parts, paths, occupation.

use venice_kernel::{SimSpan, SimTime, TimeSeries};

use crate::accounting::{STAGES, Stage, StageClock};
use crate::fabric::Delivery;
use crate::geometry::{ChipId, DieId, RequestId, SECTOR_BYTES};
use crate::host::Request;
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::{Behind, Blame, CHORES, ChipTimes, HOST_COMMANDS, Latencies, LoadRecord, Violation};

/// Latencies of one direction on one host queue.
#[derive(Clone, Debug, Default)]
pub struct OpLatencies {
    /// From issue by the host to completion.
    pub host: Latencies,
    /// From entry into the drive's queue to completion.
    pub device: Latencies,
    /// Bytes, and time by stage.
    pub sums: OpSums,
    /// Pages that its requests had flash read or program.
    pub pages: PageSums,
}

/// Sums over the pages of requests, each with all of its own time.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageSums {
    /// How many.
    pub count: u64,
    /// From its coming to its end, in picoseconds.
    pub whole_ps: u128,
    /// At work in the array, in picoseconds.
    pub array_ps: u128,
    /// On its way over the fabric, in picoseconds.
    pub transfer_ps: u128,
}

impl PageSums {
    #[inline]
    fn add(&mut self, clock: &StageClock) {
        let span = |stage: Stage| u128::from(clock.spans[stage as usize].as_ps());
        self.count += 1;
        self.whole_ps += u128::from(clock.total().as_ps());
        self.array_ps += span(Stage::Array);
        self.transfer_ps += span(Stage::Transfer);
    }
}

/// One host queue.
#[derive(Clone, Debug, Default)]
pub struct QueueRecord {
    /// Reads.
    pub read: OpLatencies,
    /// Writes.
    pub write: OpLatencies,
    /// Gathers of operands.
    pub gather: OpLatencies,
}

impl QueueRecord {
    #[inline]
    fn of(&mut self, op: Op) -> &mut OpLatencies {
        match op {
            Op::Read => &mut self.read,
            Op::Write => &mut self.write,
            Op::Gather => &mut self.gather,
        }
    }

    /// Each operation's.
    pub const fn each(&self) -> [&OpLatencies; 3] {
        [&self.read, &self.write, &self.gather]
    }
}

/// Sums over the requests of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpSums {
    /// Time by stage, in picoseconds.
    pub stage_ps: [u128; STAGES.len()],
    /// Requests with a path conflict.
    pub conflicted: u64,
    /// Bytes.
    pub bytes: u128,
}

/// Requests of one direction, before and after the host's scheduler handed them over.
#[derive(Clone, Debug, Default)]
pub struct ScheduledLatencies {
    /// From issue to hand-over.
    pub waiting: Latencies,
    /// From hand-over to completion.
    pub processing: Latencies,
}

/// What is recorded where the host has a scheduler.
#[derive(Clone, Debug)]
pub struct ScheduledRecord {
    /// Reads.
    pub read: ScheduledLatencies,
    /// Writes.
    pub write: ScheduledLatencies,
    /// Chips with a die at work, over time.
    pub chips: TimeSeries,
    /// Intervals of that, at most.
    points: u32,
}

impl ScheduledRecord {
    /// Nothing recorded, from this instant on, with so many intervals at most.
    pub fn new(start: SimTime, points: u32) -> Self {
        let (read, write) = Default::default();
        Self { read, write, chips: TimeSeries::new(start, points), points }
    }

    #[cold]
    fn record(&mut self, request: &Request, now: SimTime) {
        let of = match request.host.op {
            Op::Read | Op::Gather => &mut self.read,
            Op::Write => &mut self.write,
        };
        of.waiting.record(request.handed_over.since(request.host.arrival));
        of.processing.record(now.since(request.handed_over));
    }
}

/// One line of the request log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// Number in order of issue, from zero.
    pub number: u64,
    /// Host queue.
    pub queue: u16,
    /// Read, write or gather.
    pub op: Op,
    /// First sector.
    pub start_sector: u64,
    /// Sectors.
    pub sectors: u32,
    /// Issued by the host.
    pub arrival: SimTime,
    /// Handed over by the host's scheduler; without one, issued.
    pub handed_over: SimTime,
    /// What waited or was served on its units when it was issued, if the host has a scheduler.
    pub met: Met,
    /// The number of its batch, from 1, among those of its kind; 0 where there are no batches.
    pub batch: u64,
    /// Entered the drive's queue; without rings, fetched by the drive.
    pub fetched: SimTime,
    /// Completed.
    pub completed: SimTime,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether it ended with an error.
    pub has_failed: bool,
    /// Time by stage.
    pub stages: [SimSpan; STAGES.len()],
    /// Of its wait for a chip, the part behind the drive's own work.
    pub behind: Behind,
}

impl RequestRow {
    /// From issue by the host to completion.
    pub fn latency(&self) -> SimSpan {
        self.completed.since(self.arrival)
    }

    /// What it owes its latency to: the stages, but the wait for the chip split by whom it waited for.
    pub fn owed(&self) -> impl Iterator<Item = (&'static str, SimSpan)> {
        let chip_wait = self.stages[Stage::ChipWait as usize];
        let host = (HOST_COMMANDS, chip_wait.saturating_sub(self.behind.total()));
        let stages = STAGES.iter().zip(self.stages).filter(|((stage, _), _)| *stage != Stage::ChipWait);
        let chores = CHORES.iter().zip(self.behind.spans);
        stages
            .map(|(&(_, name), span)| (name, span))
            .chain([host])
            .chain(chores.map(|(&(_, name), span)| (name, span)))
    }

    /// What it owes most of its latency to; of equals, the one that is named first.
    pub fn owes_most_to(&self) -> &'static str {
        let most = self.owed().fold(("", SimSpan::ZERO), |most, one| if one.1 > most.1 { one } else { most });
        if most.0.is_empty() { STAGES[0].1 } else { most.0 }
    }
}

/// Time for which planes' arrays worked, summed over planes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayTime {
    /// Reading.
    pub read: SimSpan,
    /// Programming.
    pub program: SimSpan,
    /// Erasing.
    pub erase: SimSpan,
    /// Coming to rest for a suspension, and going on after it.
    pub settling: SimSpan,
}

impl ArrayTime {
    /// What is done of operations.
    pub fn working(&self) -> SimSpan {
        self.read + self.program + self.erase
    }

    /// All of it.
    pub fn total(&self) -> SimSpan {
        self.working() + self.settling
    }
}

/// How much of a run is not measured: requests as long as either of the two says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmUp {
    /// Requests that are warm-up, counted in order of issue.
    pub requests: u64,
    /// Requests issued earlier than this are warm-up.
    pub until: SimTime,
}

/// A phase that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseRecord {
    /// When its first request was issued.
    pub start: SimTime,
    /// When the phase after it began.
    pub end: SimTime,
    /// Requests issued in it.
    pub requests: u64,
}

/// What costs time to record, and is only where it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Closely {
    /// What chips spend their time on.
    pub chip_times: Option<ChipTimes>,
    /// Behind whom requests wait.
    pub blame: Option<Blame>,
    /// Of reads, of writes and of gathers: for how long they waited behind each of the drive's chores, in picoseconds.
    pub behind_ps: [[u128; CHORES.len()]; 3],
}

/// Everything that is measured during a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// By host queue number; a number never used has nothing recorded.
    pub queues: Vec<QueueRecord>,
    /// What is still to be warm-up; none in the measured phase.
    pub warm_up: Option<WarmUp>,
    /// The warm-up that is over, if there was one. The requests before are not measured.
    pub warmed_up: Option<PhaseRecord>,
    /// When the first request of the phase was issued.
    pub first_request: Option<SimTime>,
    /// How requests came and went.
    pub load: LoadRecord,
    /// When the last request was completed.
    pub last_completion: SimTime,
    /// Requests that ended with an error.
    pub failed: u64,
    /// Transfers over the fabric.
    pub transfers: u64,
    /// Of these, those that met a path conflict.
    pub conflicted_transfers: u64,
    /// Links crossed by all transfers.
    pub hops: u64,
    /// Transfers by the number of links that they crossed.
    pub hop_counts: Vec<u64>,
    /// Waiting in the host's I/O queue and what follows; none where the host has no scheduler.
    pub scheduled: Option<Box<ScheduledRecord>>,
    /// Operations that began while another die of the chip was at work.
    pub interleaved: u64,
    /// Time for which chips had a die at work, summed over chips.
    pub chip_busy: SimSpan,
    /// The same by chip; a chip that never worked, and those behind it, may be missing.
    pub chip_busy_by_chip: Vec<SimSpan>,
    /// Time for which plane arrays read, programmed and erased, summed over planes.
    pub arrays: ArrayTime,
    /// Time for which transfers were under way, summed over transfers.
    pub transfer_time: SimSpan,
    /// Bytes of pages into the drive's memory and out of it on the flash's side.
    pub memory_bytes: u64,
    /// When an array or a transfer was done last, whoever it was for.
    pub last_work: SimTime,
    /// By chip: pages that the host read there, and their time from the drive's queue to a controller.
    pub reads_of: Vec<(u64, SimSpan)>,
    /// What is recorded for who looks closely; none where nobody does.
    pub closely: Option<Box<Closely>>,
    /// Suspensions of an erase, of one or several planes.
    pub suspended_erases: u64,
    /// Suspensions of a program.
    pub suspended_programs: u64,
    /// A wrong sum, should one ever be found.
    pub violation: Option<Violation>,
    /// Rows of the request log since they were last taken; none when no log is kept.
    pub log: Option<Vec<RequestRow>>,
}

impl Recorder {
    /// Nothing recorded; with or without a request log.
    pub fn new(log: bool, warm_up: WarmUp) -> Self {
        let warm_up = Some(warm_up).filter(|warm_up| *warm_up != WarmUp::default());
        Self { log: log.then(Vec::new), warm_up, ..Self::default() }
    }

    /// Whether the request with this number, issued now, is the first that is measured after a warm-up.
    #[inline]
    pub fn ends_warm_up(&self, number: u64, now: SimTime) -> bool {
        self.warm_up.is_some_and(|warm_up| number >= warm_up.requests && now >= warm_up.until)
    }

    /// From now on, beginning with the request of this number, it is measured.
    pub fn begin_measuring(&mut self, number: u64, now: SimTime) {
        let start = self.first_request.unwrap_or(now);
        *self = Self {
            warmed_up: Some(PhaseRecord { start, end: now, requests: number }),
            violation: self.violation.take(),
            log: self.log.take(),
            closely: self.closely.take(),
            scheduled: self.scheduled.take().map(|before| Box::new(ScheduledRecord::new(now, before.points))),
            ..Self::default()
        };
        if let Some(closely) = &mut self.closely {
            closely.restart(now);
        }
    }

    /// A chip's array begins to work.
    #[inline]
    pub fn array_begins(&mut self, chip: ChipId, now: SimTime) {
        if let Some(closely) = &mut self.closely {
            closely.array_begins(chip, now);
        }
    }

    /// A chip's array has done what it did.
    #[inline]
    pub fn array_ends(&mut self, chip: ChipId, now: SimTime) {
        if let Some(closely) = &mut self.closely {
            closely.array_ends(chip, now);
        }
    }

    /// Something of a die sets out for its chip, or from it.
    #[inline]
    pub fn pins_are_taken(&mut self, (die, chip): (DieId, ChipId), now: SimTime) {
        if let Some(closely) = &mut self.closely {
            closely.pins_are_taken(die, chip, now);
        }
    }

    /// It has arrived.
    #[inline]
    pub fn pins_are_free(&mut self, chip: ChipId, now: SimTime) {
        if let Some(closely) = &mut self.closely {
            closely.pins_are_free(chip, now);
        }
    }

    /// Behind whom requests wait, if anybody asks.
    #[inline]
    pub fn blame(&mut self) -> Option<&mut Blame> {
        self.closely.as_mut().and_then(|closely| closely.blame.as_mut())
    }

    /// The host issues a request.
    #[inline]
    pub fn issued(&mut self, now: SimTime) {
        self.first_request.get_or_insert(now);
        self.load.issued(now);
    }

    /// A chip has had a die at work from one instant to another.
    #[inline]
    pub fn chip_worked(&mut self, chip: ChipId, from: SimTime, to: SimTime) {
        self.chip_busy += to.since(from);
        if self.chip_busy_by_chip.len() <= chip.index() {
            self.chip_busy_by_chip.resize(chip.index() + 1, SimSpan::ZERO);
        }
        self.chip_busy_by_chip[chip.index()] += to.since(from);
        if let Some(scheduled) = &mut self.scheduled {
            scheduled.chips.add(from, to, 1);
        }
    }

    /// Sums over all reads, over all writes, and over all gathers.
    pub fn sums(&self) -> [OpSums; 3] {
        self.queues.iter().fold([OpSums::default(); 3], |mut sums, queue| {
            for (sum, of) in sums.iter_mut().zip(queue.each()) {
                sum.merge(&of.sums);
            }
            sums
        })
    }

    /// Requests that are not measured, from the run's first on.
    #[inline]
    fn unmeasured(&self) -> u64 {
        if self.warm_up.is_some() { u64::MAX } else { self.warmed_up.map_or(0, |phase| phase.requests) }
    }

    /// A transfer that took `time` ended; `conflict` says whether it found no path at its first attempt. A wait inside
    /// the fabric is a conflict too.
    #[inline]
    pub fn transfer_ended(&mut self, delivery: &Delivery, time: SimSpan, conflict: bool) {
        self.transfers += 1;
        self.transfer_time += time;
        self.conflicted_transfers += u64::from(conflict || !delivery.path_wait.is_zero());
        self.hops += u64::from(delivery.hops);
        let hops = delivery.hops as usize;
        if hops >= self.hop_counts.len() {
            self.hop_counts.resize(hops + 1, 0);
        }
        self.hop_counts[hops] += 1;
    }

    /// A page of a request is done with flash.
    #[inline]
    pub fn page_finished(&mut self, request: &Request, clock: &StageClock) {
        if request.number < self.unmeasured() {
            return;
        }
        self.queue_mut(request).of(request.host.op).pages.add(clock);
    }

    #[inline]
    fn queue_mut(&mut self, request: &Request) -> &mut QueueRecord {
        let queue = usize::from(request.host.queue);
        if queue >= self.queues.len() {
            self.queues.resize_with(queue + 1, QueueRecord::default);
        }
        &mut self.queues[queue]
    }

    /// A page that the host reads has come from a chip, so long after it was asked for.
    #[inline]
    pub fn page_read(&mut self, chip: ChipId, time: SimSpan) {
        if chip.index() >= self.reads_of.len() {
            self.reads_of.resize(chip.index() + 1, (0, SimSpan::ZERO));
        }
        let (pages, sum) = &mut self.reads_of[chip.index()];
        *pages += 1;
        *sum += time;
    }

    /// A request is complete. Of one that is warm-up only the log has a row.
    #[inline]
    pub fn record(
        &mut self,
        (id, request): (RequestId, &Request),
        (latency, device_latency): (SimSpan, SimSpan),
        now: SimTime,
    ) {
        if self.log.is_some() {
            self.log_request(id, request, now);
        }
        if request.number < self.unmeasured() {
            return;
        }
        self.load.completed(request.host.arrival, now);
        if request.has_failed {
            // An error is no service: it has no part in latencies and throughput.
            self.failed += 1;
            self.last_completion = now;
            return;
        }
        let latencies = self.queue_mut(request).of(request.host.op);
        latencies.host.record(latency);
        latencies.device.record(device_latency);
        latencies.sums.add(request);
        if let Some(scheduled) = &mut self.scheduled {
            scheduled.record(request, now);
        }
        self.last_completion = now;
    }

    #[cold]
    fn log_request(&mut self, id: RequestId, request: &Request, now: SimTime) {
        let behind = self.blame().map(|blame| blame.take(id)).unwrap_or_default();
        let is_measured = request.number >= self.unmeasured() && !request.has_failed;
        let waited = request.clock.spans[Stage::ChipWait as usize];
        if behind.total() > waited {
            let (behind_ps, waited_ps) = (behind.total().as_ps(), waited.as_ps());
            self.violation.get_or_insert(Violation::TooMuchBlame { behind_ps, waited_ps });
        }
        if let (Some(closely), true) = (&mut self.closely, is_measured) {
            closely.count(request.host.op, &behind);
        }
        if let Some(log) = &mut self.log {
            log.push(row(request, behind, now));
        }
    }
}

impl Closely {
    fn restart(&mut self, now: SimTime) {
        self.behind_ps = Default::default();
        if let Some(times) = &mut self.chip_times {
            times.restart(now);
        }
    }

    #[cold]
    fn array_begins(&mut self, chip: ChipId, now: SimTime) {
        if let Some(times) = &mut self.chip_times {
            times.array_begins(chip, now);
        }
    }

    #[cold]
    fn array_ends(&mut self, chip: ChipId, now: SimTime) {
        if let Some(times) = &mut self.chip_times {
            times.array_ends(chip, now);
        }
    }

    #[cold]
    fn pins_are_taken(&mut self, die: DieId, chip: ChipId, now: SimTime) {
        if let Some(times) = &mut self.chip_times {
            times.transfers(chip, true, now);
        }
        if let Some(blame) = &mut self.blame {
            blame.pins_are_taken(die, now);
        }
    }

    #[cold]
    fn pins_are_free(&mut self, chip: ChipId, now: SimTime) {
        if let Some(times) = &mut self.chip_times {
            times.transfers(chip, false, now);
        }
        if let Some(blame) = &mut self.blame {
            blame.pins_are_free(chip, now);
        }
    }

    fn count(&mut self, op: Op, behind: &Behind) {
        for (sum, span) in self.behind_ps[op as usize].iter_mut().zip(behind.spans) {
            *sum += u128::from(span.as_ps());
        }
    }
}

impl OpSums {
    #[inline]
    fn add(&mut self, request: &Request) {
        for (sum, span) in self.stage_ps.iter_mut().zip(request.clock.spans) {
            *sum += u128::from(span.as_ps());
        }
        self.conflicted += u64::from(request.conflicted);
        self.bytes += u128::from(request.host.sectors) * u128::from(SECTOR_BYTES);
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.stage_ps.iter_mut().zip(other.stage_ps) {
            *sum += more;
        }
        self.conflicted += other.conflicted;
        self.bytes += other.bytes;
    }

    /// Time given to `stage`, in picoseconds.
    pub fn stage(&self, stage: Stage) -> u128 {
        self.stage_ps[stage as usize]
    }
}

fn row(request: &Request, behind: Behind, completed: SimTime) -> RequestRow {
    RequestRow {
        number: request.number,
        queue: request.host.queue,
        op: request.host.op,
        start_sector: request.host.start_sector,
        sectors: request.host.sectors,
        arrival: request.host.arrival,
        handed_over: request.handed_over,
        met: request.met,
        batch: request.batch,
        fetched: request.enqueued,
        completed,
        conflicted: request.conflicted,
        has_failed: request.has_failed,
        stages: request.clock.spans,
        behind,
    }
}
