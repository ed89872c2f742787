//! Record of a run: latencies, their stages, and busy times of the drive.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, Operation};
use venice_nand::geometry::{ChipId, DieId};
use venice_nand::latency::{STAGES, Stage};

use venice_requests::{HostRequest, Op};

use super::drive_record::DriveRecord;
use super::tally::{OpLatencies, OpSums, OperationTally, ServicePeriod};
use super::vec_growth::entry;
use super::{
    CausedWait, CommandStart, Completion, PageCompletion, Probe, TransactionOrigins, TransferEnd, Violation,
};

/// Number of kinds of operations in [`QueueRecord::each`].
const CLASSES: usize = 7;

/// Operations of each class of requests, in the order of [`QueueRecord::each`].
const OPERATIONS: [&[Op]; CLASSES] = [
    &[Op::Read],
    &[Op::Write, Op::FuaWrite],
    &[Op::Gather],
    &[Op::Trim],
    &[Op::Flush],
    &[Op::WriteZeroes, Op::DeallocateZeroes],
    &[Op::Search],
];

/// Latencies of the requests of a host queue, by kind of operation.
#[derive(Clone, Debug, Default)]
pub struct QueueRecord {
    /// Latencies of reads.
    pub read: OpLatencies,
    /// Latencies of writes, with and without forced unit access.
    pub write: OpLatencies,
    /// Latencies of gathers.
    pub gather: OpLatencies,
    /// Latencies of trims. Their bytes are the size of the deallocated sectors.
    pub trim: OpLatencies,
    /// Latencies of flushes.
    pub flush: OpLatencies,
    /// Latencies of write-zeroes commands, with and without deallocation.
    pub write_zeroes: OpLatencies,
    /// Latencies of searches. Their bytes are the size of the searched range.
    pub search: OpLatencies,
    /// Latencies of writes with forced unit access, which also count in `write`.
    pub write_fua: OpLatencies,
}

impl QueueRecord {
    /// Adds the latencies of the requests of another host queue to this record.
    pub fn merge(&mut self, other: &Self) {
        let Self { read, write, gather, trim, flush, write_zeroes, search, write_fua } = self;
        write_fua.merge(&other.write_fua);
        let kinds = [read, write, gather, trim, flush, write_zeroes, search];
        for (to, from) in kinds.into_iter().zip(other.each()) {
            to.merge(from);
        }
    }

    /// Returns the latencies of each class of operations.
    pub const fn each(&self) -> [&OpLatencies; CLASSES] {
        [&self.read, &self.write, &self.gather, &self.trim, &self.flush, &self.write_zeroes, &self.search]
    }

    /// Returns the latencies of each class of operations that transfer data.
    pub const fn with_data(&self) -> [&OpLatencies; 3] {
        [&self.read, &self.write, &self.gather]
    }

    /// Returns the number of requests per second, or `None` if no time has passed.
    pub fn requests_per_second(&self) -> Option<f64> {
        self.per_second(self.each().iter().map(|op| op.host.count() as f64).sum())
    }

    /// Returns the transferred data in megabytes (10^6 bytes) per second, or `None` if no time has passed.
    pub fn megabytes_per_second(&self) -> Option<f64> {
        self.per_second(self.with_data().iter().map(|op| op.sums.bytes as f64 / 1e6).sum())
    }

    /// Returns `amount` divided by the time, in seconds, from the first issue to the last completion of any
    /// operation.
    fn per_second(&self, amount: f64) -> Option<f64> {
        let span =
            self.each().iter().fold(ServicePeriod::default(), |window, op| window.joined(op.window)).span();
        (!span.is_zero()).then(|| amount / span.as_us() * 1e6)
    }
}

/// Length of the warm-up. A request is part of the warm-up if the condition of at least one field is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmUp {
    /// Number of requests at the start of the run, in the order of issue, that are part of the warm-up.
    pub requests: u64,
    /// Instant before which all issued requests are part of the warm-up.
    pub until: SimTime,
}

/// Completed phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseRecord {
    /// Time of issue of the first request in the phase.
    pub start: SimTime,
    /// Start of the following phase.
    pub end: SimTime,
    /// Number of requests issued in the phase.
    pub requests: u64,
}

/// Record of the latencies and busy times of a run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Counters of each operation, indexed by host queue. The counters of unused queue numbers are empty.
    tallies: [Vec<OperationTally>; Op::ALL.len()],
    /// Conditions that end the warm-up, or `None` in the measured phase.
    pub warm_up: Option<WarmUp>,
    /// Completed warm-up, if there was one. Its requests are not measured.
    pub warmed_up: Option<PhaseRecord>,
    /// Number of the first measured request; `u64::MAX` during the warm-up.
    measured_from: u64,
    /// Time of issue of the first request in the current phase.
    pub first_request: Option<SimTime>,
    /// Time of the last completion in the measured phase. The completed request may be one of the warm-up.
    pub last_completion: SimTime,
    /// Number of requests that completed with an error.
    pub failed: u64,
    /// Number of pages that the host read from each chip, and their total time from arrival in the drive's
    /// queue to arrival at a flash controller.
    pub reads_of: Vec<(u64, SimSpan)>,
    /// Counters and busy times of chips and fabric.
    pub drive: DriveRecord,
    /// First latency whose stages or causes do not add up, if there was one.
    pub violation: Option<Violation>,
}

impl Recorder {
    /// Creates an empty record of a run with this warm-up.
    pub fn new(warm_up: WarmUp) -> Self {
        let warm_up = Some(warm_up).filter(|warm_up| *warm_up != WarmUp::default());
        let measured_from = if warm_up.is_some() { u64::MAX } else { 0 };
        Self { warm_up, measured_from, ..Self::default() }
    }

    /// Returns true if the request with this number, issued at `now`, is the first one after the warm-up.
    #[inline]
    pub fn ends_warm_up(&self, number: u64, now: SimTime) -> bool {
        self.warm_up.is_some_and(|warm_up| number >= warm_up.requests && now >= warm_up.until)
    }

    /// Reclassifies all requests so far as warm-up. The measured phase starts with the next issued request.
    pub fn measure_anew(&mut self, now: SimTime) {
        self.warm_up = Some(WarmUp { requests: 0, until: now });
    }

    /// Returns true if no measured request has been issued.
    pub fn has_only_warm_up(&self) -> bool {
        self.measured_from == u64::MAX
    }

    /// Returns true if the request with this number belongs to the measured phase.
    #[inline]
    pub const fn is_measured(&self, number: u64) -> bool {
        number >= self.measured_from
    }

    /// Returns the latencies of each host queue, indexed by its number.
    pub fn queues(&self) -> Vec<QueueRecord> {
        let queues = self.tallies.iter().map(Vec::len).max().unwrap_or(0);
        (0..queues).map(|queue| self.queue(queue)).collect()
    }

    fn queue(&self, queue: usize) -> QueueRecord {
        let of =
            |op: Op| self.tallies[op as usize].get(queue).map(OperationTally::latencies).unwrap_or_default();
        let [read, write, gather, trim, flush, write_zeroes, search] = OPERATIONS.map(|operations| {
            let mut sum = OpLatencies::default();
            for &op in operations {
                sum.merge(&of(op));
            }
            sum
        });
        let write_fua = of(Op::FuaWrite);
        QueueRecord { read, write, gather, trim, flush, write_zeroes, search, write_fua }
    }

    /// Returns, for each kind of operation, the stage times and bytes summed over all requests.
    pub fn sums(&self) -> [OpSums; CLASSES] {
        OPERATIONS.map(|operations| {
            let mut sum = OpSums::default();
            for &op in operations {
                sum.merge(&self.sums_of(op));
            }
            sum
        })
    }

    /// Returns the stage times and bytes of an operation, summed over all requests.
    pub fn sums_of(&self, op: Op) -> OpSums {
        let mut sum = OpSums::default();
        for tally in &self.tallies[op as usize] {
            sum.merge(&tally.sums());
        }
        sum
    }

    /// Returns the number of requests of each class of operations.
    pub fn counts(&self) -> [u64; CLASSES] {
        let of = |op: &Op| self.tallies[*op as usize].iter().map(OperationTally::count).sum::<u64>();
        OPERATIONS.map(|operations| operations.iter().map(of).sum())
    }

    #[inline]
    fn tally(&mut self, request: &HostRequest) -> &mut OperationTally {
        entry(&mut self.tallies[request.op as usize], usize::from(request.queue))
    }

    /// Checks that the stages of a request add up to its latency. The check is made for every request, also
    /// without the audit.
    #[inline]
    fn check_stages(&mut self, stages: SimSpan, latency: SimSpan) {
        if stages != latency {
            let (stages_ps, latency_ps) = (stages.as_ps(), latency.as_ps());
            self.violation.get_or_insert(Violation::Unaccounted { stages_ps, latency_ps });
        }
    }
}

impl Recorder {
    /// Checks that the causes of a request's chip waits add up to the stage `chip_wait`, and that the causes
    /// of its cache waits do not exceed the stage `cache`.
    #[cold]
    fn check_causes(&mut self, behind: &CausedWait, spans: &[SimSpan; STAGES.len()]) {
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
        // If the measured phase starts again, the warm-up covers everything since the first request of the
        // run.
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
    fn on_command(&mut self, command: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime) {
        self.drive.on_command(command, why, now);
    }

    fn on_next_page(&mut self, page: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime) {
        self.drive.on_next_page(page, why, now);
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
    fn on_page(&mut self, page: &PageCompletion<'_>, _now: SimTime) {
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
            // A failed request counts in neither latencies nor throughput.
            self.failed += 1;
            return;
        }
        self.tally(&request.host).add(completion, now);
    }
}
