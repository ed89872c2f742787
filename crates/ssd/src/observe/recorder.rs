//! What a run measures: latencies, their parts, paths, occupation.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{STAGES, Stage};
use crate::chip::Operation;
use crate::geometry::{ChipId, DieId};
use venice_requests::HostRequest;

use super::growing::entry;
use super::tally::{OpLatencies, OpSums, Tally};
use super::{Behind, CommandStart, Completion, PageEnd, Probe, Reasons, TransferEnd, Violation};

/// How many kinds of requests there are: reads, writes and gathers, in the order of [`venice_requests::Op`].
const OPERATIONS: usize = 3;

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
    /// Each operation's.
    pub const fn each(&self) -> [&OpLatencies; 3] {
        [&self.read, &self.write, &self.gather]
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
    /// Where the array time of an operation is added up; a copyback begins with reading, and combining pages is counted as reading.
    #[inline]
    const fn of(&mut self, operation: Operation) -> &mut SimSpan {
        match operation {
            Operation::Read | Operation::Copyback | Operation::Combine => &mut self.read,
            Operation::Program => &mut self.program,
            Operation::Erase => &mut self.erase,
        }
    }

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

/// Everything that is measured during a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Of each host queue by its number, that of reads, of writes and of gathers; a number never used has nothing recorded.
    tallies: Vec<Tally>,
    /// What is still to be warm-up; none in the measured phase.
    pub warm_up: Option<WarmUp>,
    /// The warm-up that is over, if there was one. The requests before are not measured.
    pub warmed_up: Option<PhaseRecord>,
    /// The first request that is measured, as far as is known.
    measured_from: u64,
    /// When the first request of the phase was issued.
    pub first_request: Option<SimTime>,
    /// When the last request was completed.
    pub last_completion: SimTime,
    /// Requests that ended with an error.
    pub failed: u64,
    /// Of transfers over the fabric, those that met a path conflict.
    pub conflicted_transfers: u64,
    /// Transfers by the number of links that they crossed.
    pub hop_counts: Vec<u64>,
    /// Operations that began while another die of the chip was at work.
    pub interleaved: u64,
    /// By chip, time for which it had a die at work; a chip that never worked, and those behind it, may be missing.
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
    /// Suspensions of an erase, of one or several planes.
    pub suspended_erases: u64,
    /// Suspensions of a program.
    pub suspended_programs: u64,
    /// A wrong sum, should one ever be found.
    pub violation: Option<Violation>,
}

impl Recorder {
    /// Nothing recorded.
    pub fn new(warm_up: WarmUp) -> Self {
        let warm_up = Some(warm_up).filter(|warm_up| *warm_up != WarmUp::default());
        let measured_from = if warm_up.is_some() { u64::MAX } else { 0 };
        Self { warm_up, measured_from, ..Self::default() }
    }

    /// Whether the request with this number, issued now, is the first that is measured after a warm-up.
    #[inline]
    pub fn ends_warm_up(&self, number: u64, now: SimTime) -> bool {
        self.warm_up.is_some_and(|warm_up| number >= warm_up.requests && now >= warm_up.until)
    }

    /// Makes the phase measured so far warm-up: the measured phase begins with the next request that is issued.
    pub fn measure_anew(&mut self, now: SimTime) {
        self.warm_up = Some(WarmUp { requests: 0, until: now });
    }

    /// Returns true if no request was issued that is measured.
    pub fn has_only_warm_up(&self) -> bool {
        self.measured_from == u64::MAX
    }

    /// Whether a request belongs to the measured phase: those before it are counted from the run's first on.
    #[inline]
    pub const fn is_measured(&self, number: u64) -> bool {
        number >= self.measured_from
    }

    /// What was recorded of each host queue, by its number.
    pub fn queues(&self) -> Vec<QueueRecord> {
        let of_queue = |tallies: &[Tally]| {
            let [read, write, gather] =
                [0, 1, 2].map(|op| tallies.get(op).map(Tally::latencies).unwrap_or_default());
            QueueRecord { read, write, gather }
        };
        self.tallies.chunks(OPERATIONS).map(of_queue).collect()
    }

    /// Sums over all reads, over all writes, and over all gathers.
    pub fn sums(&self) -> [OpSums; OPERATIONS] {
        let mut sums = [OpSums::default(); OPERATIONS];
        for (place, tally) in self.tallies.iter().enumerate() {
            sums[place % OPERATIONS].merge(&tally.sums());
        }
        sums
    }

    /// Returns the requests of each operation.
    pub fn counts(&self) -> [u64; OPERATIONS] {
        let mut counts = [0; OPERATIONS];
        for (place, tally) in self.tallies.iter().enumerate() {
            counts[place % OPERATIONS] += tally.count();
        }
        counts
    }

    /// Transfers over the fabric.
    pub fn transfers(&self) -> u64 {
        self.hop_counts.iter().sum()
    }

    /// Links crossed by all of them.
    pub fn hops(&self) -> u64 {
        (0..).zip(&self.hop_counts).map(|(hops, count): (u64, _)| hops * count).sum()
    }

    /// Time for which chips had a die at work, summed over chips.
    pub fn chip_busy(&self) -> SimSpan {
        self.chip_busy_by_chip.iter().copied().sum()
    }

    #[inline]
    fn tally(&mut self, request: &HostRequest) -> &mut Tally {
        entry(&mut self.tallies, usize::from(request.queue) * OPERATIONS + request.op as usize)
    }

    /// The parts of a latency always add up to it: checked for every request, audit or not.
    #[inline]
    fn check_stages(&mut self, stages: SimSpan, latency: SimSpan) {
        if stages != latency {
            let (stages_ps, latency_ps) = (stages.as_ps(), latency.as_ps());
            self.violation.get_or_insert(Violation::Unaccounted { stages_ps, latency_ps });
        }
    }
}

impl Recorder {
    /// Checks that the causes of a request's wait add up to the wait: all of that for a chip, at most all of that for the cache.
    #[cold]
    fn check_causes(&mut self, behind: &Behind, spans: &[SimSpan; STAGES.len()]) {
        let (stage, causes) = (behind.stage(spans), behind.total());
        let waited = spans[stage as usize];
        if causes > waited || (stage == Stage::ChipWait && causes < waited) {
            let (causes_ps, waited_ps) = (causes.as_ps(), waited.as_ps());
            self.violation.get_or_insert(Violation::Unexplained { causes_ps, waited_ps });
        }
    }
}

impl Probe for Recorder {
    fn on_measuring(&mut self, requests: u64, now: SimTime) {
        // A measured phase that begins anew has been warm-up from the run's first request on.
        let start = self.warmed_up.map(|phase| phase.start).or(self.first_request).unwrap_or(now);
        *self = Self {
            warmed_up: Some(PhaseRecord { start, end: now, requests }),
            measured_from: requests,
            violation: self.violation.take(),
            ..Self::default()
        };
    }

    #[inline]
    fn on_issue(&mut self, now: SimTime) {
        self.first_request.get_or_insert(now);
    }

    #[inline]
    fn on_command(&mut self, command: &CommandStart<'_>, _why: &impl Reasons, _now: SimTime) {
        self.interleaved += u64::from(command.is_interleaved);
        let planes = command.batch.len() as u64;
        *self.arrays.of(command.operation) += command.work.first * planes;
        self.arrays.program += command.work.program * planes;
    }

    /// A wait inside the fabric is a conflict, too.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it is told at one place")]
    fn on_transfer(&mut self, transfer: &TransferEnd<'_>, now: SimTime) {
        let delivery = transfer.delivery;
        self.transfer_time += transfer.took;
        self.conflicted_transfers += u64::from(transfer.conflicted || !delivery.path_wait.is_zero());
        *entry(&mut self.hop_counts, delivery.hops as usize) += 1;
        self.memory_bytes += u64::from(transfer.memory_bytes);
        self.last_work = now;
    }

    #[inline]
    fn on_array_end(&mut self, _die: DieId, now: SimTime) {
        self.last_work = now;
    }

    fn on_settling(&mut self, _die: DieId, span: SimSpan, _now: SimTime) {
        self.arrays.settling += span;
    }

    fn on_suspension(&mut self, _die: DieId, operation: Operation, _now: SimTime) {
        match operation {
            Operation::Erase => self.suspended_erases += 1,
            _ => self.suspended_programs += 1,
        }
    }

    #[inline]
    fn on_chip_rest(&mut self, chip: ChipId, since: SimTime, now: SimTime) {
        *entry(&mut self.chip_busy_by_chip, chip.index()) += now.since(since);
    }

    #[inline]
    fn on_flash_read(&mut self, chip: ChipId, time: SimSpan, _now: SimTime) {
        let (pages, sum) = entry(&mut self.reads_of, chip.index());
        *pages += 1;
        *sum += time;
    }

    #[inline]
    fn on_page(&mut self, page: &PageEnd<'_>, _now: SimTime) {
        if page.is_measured {
            self.tally(&page.request.host).add_page(page.clock);
        }
    }

    #[inline]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        let request = completion.request;
        self.check_stages(request.clock.given(), completion.latency);
        if let Some(behind) = completion.behind {
            self.check_causes(behind, &request.clock.spans);
        }
        if !completion.is_measured {
            return;
        }
        self.last_completion = now;
        if request.has_failed {
            // An error is no service: it has no part in latencies and throughput.
            self.failed += 1;
            return;
        }
        self.tally(&request.host).add(completion);
    }
}
