//! The record of a run: latencies, their parts, and the work of the drive.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{STAGES, Stage};
use crate::chip::{ArrayWork, Operation};
use crate::geometry::{ChipId, DieId};
use venice_requests::HostRequest;

use super::drive_record::DriveRecord;
use super::growing::entry;
use super::tally::{OpLatencies, OpSums, Tally, Window};
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

    /// Returns an amount of all operations per second, from the first issue to the last completion; `None` if no time passed.
    pub fn per_second(&self, amount: impl Fn(&OpLatencies) -> f64) -> Option<f64> {
        let span = self.each().iter().fold(Window::default(), |window, op| window.joined(op.window)).span();
        let sum: f64 = self.each().into_iter().map(amount).sum();
        (!span.is_zero()).then(|| sum / span.as_us() * 1e6)
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
    /// Completion of the last request, warm-up requests included that end in the measured phase.
    pub last_completion: SimTime,
    /// Requests that ended with an error.
    pub failed: u64,
    /// By chip: pages that the host read there, and their time from the drive's queue to a controller.
    pub reads_of: Vec<(u64, SimSpan)>,
    /// Work of chips and of the fabric.
    pub drive: DriveRecord,
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
    fn on_command(&mut self, command: &CommandStart<'_>, why: &impl Reasons, now: SimTime) {
        self.drive.on_command(command, why, now);
    }

    fn on_void_command(&mut self, operation: Operation, work: ArrayWork, planes: u64, now: SimTime) {
        self.drive.on_void_command(operation, work, planes, now);
    }

    fn on_transfer(&mut self, transfer: &TransferEnd<'_>, now: SimTime) {
        self.drive.on_transfer(transfer, now);
    }

    #[inline]
    fn on_array_end(&mut self, die: DieId, now: SimTime) {
        self.drive.on_array_end(die, now);
    }

    fn on_settling(&mut self, die: DieId, span: SimSpan, now: SimTime) {
        self.drive.on_settling(die, span, now);
    }

    fn on_suspension(&mut self, die: DieId, operation: Operation, now: SimTime) {
        self.drive.on_suspension(die, operation, now);
    }

    #[inline]
    fn on_chip_rest(&mut self, chip: ChipId, since: SimTime, now: SimTime) {
        self.drive.on_chip_rest(chip, since, now);
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
        self.last_completion = now;
        if !completion.is_measured {
            return;
        }
        if request.has_failed {
            // An error is no service: it has no part in latencies and throughput.
            self.failed += 1;
            return;
        }
        self.tally(&request.host).add(completion, now);
    }
}
