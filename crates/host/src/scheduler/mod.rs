//! Host I/O schedulers: the order in which requests go from the host's I/O queue to the drive.
//!
//! # The contract
//! 1. Each request passed to [`HostScheduler::add`] is returned by [`HostScheduler::next`] exactly once, and
//!    only when the drive accepts it ([`DriveCapacity::takes`]).
//! 2. `next` may hold requests back only while requests that it returned earlier are incomplete, or until an
//!    alarm that the scheduler has requested ([`HostScheduler::wakes_at`]). Otherwise it returns a request if
//!    any waits. No request waits forever.
//! 3. A scheduler has no access to the drive. It sees each waiting request ([`QueuedRequest`]), the requests
//!    that the drive currently accepts ([`DriveCapacity`]), and each completed request
//!    ([`CompletedRequest`]). The number of units that it assumes may be wrong; requests are served
//!    nevertheless.
//! 4. A scheduler selects a request only when it can be sent, so that requests which arrive before that time
//!    are considered.
//! 5. With one flow and one request at a time in the queue, all schedulers behave alike.
//! 6. A scheduler may request an [alarm](HostScheduler::wakes_at); requests may be dispatched at an alarm as
//!    after a completion.
//!
//! To add a scheduler, write its module with [`HostScheduler`] and [`SchedulerModel`], and add its `mod` line
//! and its line of the catalogue in this file. Configuration, reference and contract tests include it
//! automatically, with the parameters that its module declares. A user-defined scheduler in another crate
//! implements only [`HostScheduler`] and is wrapped in [`ExternalScheduler`].
//!
//! # What is modelled
//! The schemes of Gao et al., "Exploiting Parallelism for Access Conflict Minimization in Flash-based Solid
//! State Drives" (PIQ), TCAD 2017, §III and §IV, a deadline scheduler, a scheduler with a queue per unit, the
//! ideal without conflicts, a scheduler with two latency targets (kyber), and schedulers that the paper
//! discusses in §II-B: FIOS, `FlashFQ`, CFQ and one with the idle-unit test of SAC. Their decisions take no
//! simulated time.

mod batches;
mod by_unit;
mod capacity;
mod cfq;
mod conflict_free;
mod conflicts;
mod deadline;
mod external;
mod fios;
mod flashfq;
mod kyber;
mod location;
mod noop;
mod overdue;
mod reads_first;
mod sac;
mod settings;
mod write_turns;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Priority, RequestId};
use venice_params::{ParameterSet, catalogue, gather};
use venice_requests::Op;

pub use batches::{BatchRule, BatchedRequest, RequestBatches};
pub use by_unit::UnitQueues;
pub use capacity::DriveCapacity;
pub use cfq::{Cfq, CfqParameters};
pub use conflict_free::ConflictFree;
pub use conflicts::{ConflictCounters, ConflictKinds, ConflictMeter};
pub use deadline::{Deadline, DeadlineParameters};
pub use external::{ExternalScheduler, SchedulerFailure};
pub use fios::{Fios, FiosParameters};
pub use flashfq::{FlashFq, FlashFqParameters};
pub use kyber::{Kyber, KyberParameters};
pub use location::{ChipStripes, UnitMap, UnitRange, UnitSet};
pub use noop::Noop;
pub use reads_first::{NextBatch, ReadsFirst, ReadsFirstParameters};
pub use sac::{Sac, SacParameters};
pub use settings::{
    DispatchRule, IoQueueParameters, QueueCounts, SchedulerChoice, SchedulerSettings, UnitLevel, VectorLevel,
};

/// Request in the host's I/O queue, as visible to schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedRequest {
    /// Id of the request.
    pub id: RequestId,
    /// Operation of the request.
    pub op: Op,
    /// First sector of the request.
    pub start_sector: u64,
    /// Length of the request in sectors.
    pub sectors: u32,
    /// Number of the request's queue, which corresponds to a device of a trace or to a flow.
    pub queue: u16,
    /// Priority class of the request's queue.
    pub priority: Priority,
    /// Parallel units of the request, as assumed by the host.
    pub location: UnitRange,
    /// Units that the request uses in the drive. Schedulers must not read this field.
    pub in_drive: UnitRange,
    /// Time at which the request entered the I/O queue, possibly after a wait for a free entry: T in the
    /// paper on PIQ (§IV-A2).
    pub since: SimTime,
    /// Number of the request's batch among the batches of its kind, from 1; 0 without batches. Set when the
    /// request is sent.
    pub batch: u64,
    /// Value that the scheduler can set when it sends the request, and receives in [`CompletedRequest::tag`].
    pub tag: u64,
}

/// Completed request, as visible to schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedRequest {
    /// Operation of the request.
    pub op: Op,
    /// Number of the request's queue.
    pub queue: u16,
    /// Parallel units of the request, as assumed by the host.
    pub location: UnitRange,
    /// Number of the request's batch.
    pub batch: u64,
    /// Value that the scheduler set when it sent the request.
    pub tag: u64,
    /// Time from the issue of the request to its completion.
    pub latency: SimSpan,
    /// Time from the dispatch of the request to the drive to its completion.
    pub in_drive: SimSpan,
}

impl CompletedRequest {
    /// Creates the completion record of a request that takes no time.
    pub fn at_once(queued: &QueuedRequest) -> Self {
        let QueuedRequest { op, queue, location, batch, tag, .. } = *queued;
        Self { op, queue, location, batch, tag, latency: SimSpan::ZERO, in_drive: SimSpan::ZERO }
    }
}

/// Host I/O scheduler; the module documentation states the contract.
pub trait HostScheduler {
    /// Adds a request to the waiting requests.
    fn add(&mut self, queued: QueuedRequest);

    /// Removes and returns the next request for the drive, if one may be sent.
    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest>;

    /// Processes the completion of a request returned by `next`.
    fn completed(&mut self, done: CompletedRequest, now: SimTime);

    /// Returns the time of the requested alarm, if there is one. Called after each arrival, dispatch and
    /// completion.
    fn wakes_at(&self) -> Option<SimTime> {
        None
    }

    /// Processes an alarm that the scheduler has requested.
    fn woken(&mut self, _now: SimTime) {}

    /// Returns the number of waiting requests.
    fn waiting(&self) -> usize;

    /// Returns the counters of the scheduler.
    fn counters(&self) -> SchedulerCounters;

    /// Returns the number of complete batches of reads or of writes, indexed by their number of requests.
    fn batch_sizes(&self, _op: Op) -> &[u64] {
        &[]
    }

    /// Returns the scheduler's failure, which ends the run. Only user-defined schedulers fail.
    fn failure(&mut self) -> Option<SchedulerFailure> {
        None
    }
}

venice_kernel::counters! {
    /// Counters of a host scheduler.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SchedulerCounters {
        /// Number of comparisons of a request's location vector with that of a batch.
        pub vector_tests: u64,
        /// Number of batches of reads from which a request has been sent.
        pub read_batches: u64,
        /// Number of batches of writes from which a request has been sent.
        pub write_batches: u64,
        /// Number of batches of writes that were sent before reads because of their age.
        pub prioritised_write_batches: u64,
        /// Number of reads that were sent.
        pub reads: u64,
        /// Number of reads that were sent before a write that had entered the queue earlier.
        pub prioritised_reads: u64,
    }
}

/// Constructor interface of the schedulers in the catalogue.
pub trait SchedulerModel: HostScheduler + Sized {
    /// Scheduler-specific parameters; `()` if there are none.
    type Parameters: ParameterSet;

    /// Creates a scheduler without requests. `scheme` selects a variant if several schemes share the
    /// implementation.
    fn new(scheme: Scheme, own: &Self::Parameters, settings: &SchedulerSettings) -> Self;
}

catalogue! {
    /// Host scheduling schemes.
    pub enum Scheme, match_scheme!;

    /// Host scheduler of any kind. Calls are dispatched statically by `match`.
    #[derive(Debug)]
    pub enum AnyScheduler, match_scheduler! {
        /// User-defined scheduler from another crate.
        External(ExternalScheduler)
    };

    noop::Noop: "noop" => Noop, "in order of arrival";
    reads_first::ReadsFirst:
        "rws" => Rws, "reads before writes";
        "piq_r" => PiqR, "also reads in batches without unit conflicts";
        "piq_w" => PiqW, "also writes in batches without unit conflicts";
        "piq" => Piq, "also reads and writes in batches without unit conflicts";
        "piq_plus" => PiqPlus, "like `piq`, with priority for a batch of writes after its deadline";
    deadline::Deadline: "deadline" => Deadline, "in order of sectors, with deadlines";
    by_unit::UnitQueues: "by_unit" => ByUnit, "in order of arrival per unit, overtaking requests that wait for other units";
    conflict_free::ConflictFree:
        "conflict_free" => ConflictFree, "in order of arrival, each request moved to idle units: an unattainable ideal";
    kyber::Kyber:
        "kyber" => Kyber, "reads and writes in turns, with numbers of outstanding requests limited by two latency targets";
    fios::Fios: "fios" => Fios, "equal timeslices for flows, reads before writes, with anticipation";
    flashfq::FlashFq: "flashfq" => FlashFq, "fair queueing by start time, with throttled dispatch and anticipation";
    sac::Sac: "sac" => Sac, "in order of arrival, overtaken by reads of idle units";
    cfq::Cfq: "cfq" => Cfq, "a time slice for each flow in turn, by class";

    => gather! {
        /// Parameters of all host schedulers.
        pub struct SchedulerParameters of SchedulerModel
    }
}

impl Scheme {
    /// Builds the scheduler.
    pub fn build(self, settings: &SchedulerSettings) -> AnyScheduler {
        match_scheme!(self, Scheduler, own in settings.parameters => Scheduler::new(self, own, settings).into())
    }
}

impl HostScheduler for AnyScheduler {
    fn add(&mut self, queued: QueuedRequest) {
        match_scheduler!(self, scheduler => scheduler.add(queued));
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        match_scheduler!(self, scheduler => scheduler.next(now, room))
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        match_scheduler!(self, scheduler => scheduler.completed(done, now));
    }

    fn wakes_at(&self) -> Option<SimTime> {
        match_scheduler!(self, scheduler => scheduler.wakes_at())
    }

    fn woken(&mut self, now: SimTime) {
        match_scheduler!(self, scheduler => scheduler.woken(now));
    }

    fn waiting(&self) -> usize {
        match_scheduler!(self, scheduler => scheduler.waiting())
    }

    fn counters(&self) -> SchedulerCounters {
        match_scheduler!(self, scheduler => scheduler.counters())
    }

    fn batch_sizes(&self, op: Op) -> &[u64] {
        match_scheduler!(self, scheduler => scheduler.batch_sizes(op))
    }

    fn failure(&mut self) -> Option<SchedulerFailure> {
        match_scheduler!(self, scheduler => scheduler.failure())
    }
}
