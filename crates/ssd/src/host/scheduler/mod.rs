//! The host's I/O scheduler: in which order requests go from the host's I/O queue to the drive.
//!
//! # The contract
//! 1. A request that was [`HostScheduler::add`]ed comes out of [`HostScheduler::next`] exactly once, and only when the
//!    drive takes it ([`DriveRoom::takes`]).
//! 2. `next` may hold requests back only while others that came out of it are not complete; when all
//!    are, and a request waits, it gives one. So nothing waits for ever without a reason.
//! 3. A scheduler decides by what it is told: of a request the operation, sectors, flow, class, [`Location`] and arrival; of the drive
//!    its free slots, what it takes now ([`DriveRoom`]), and how long what it has completed took ([`Done`]). It
//!    does not know the drive. Its belief of how many units the drive has may be wrong; requests are served
//!    all the same.
//! 4. It decides when a request may go, not before: what comes in the meantime is considered.
//! 5. With one request at a time in the queue, all schedulers are alike.
//! 6. A scheduler may ask to be [woken](HostScheduler::wakes_at) at an instant; then requests may go as after a completion.
//!
//! To add a scheduler: write its file with [`HostScheduler`] and [`Model`], and add its `mod` line and its line of the catalogue below.
//! Configuration, reference and the tests of the contract find it, and the parameters that its file declares, by themselves.
//! One from outside the catalogue needs [`HostScheduler`] alone: [`OwnScheduler`].
//!
//! # What is modelled
//! The schemes of Gao et al., "Exploiting Parallelism for Access Conflict Minimization in Flash-based
//! Solid State Drives" (PIQ), TCAD 2017, §III and §IV, a deadline scheduler, one that queues by unit, the ideal without
//! conflicts, and one that keeps to two latency targets (kyber). Their decisions take no simulated time.

mod batches;
mod by_unit;
mod conflict_free;
mod conflicts;
mod deadline;
mod kyber;
mod location;
mod noop;
mod own;
mod reads_first;
mod room;
mod settings;

use venice_kernel::{SimSpan, SimTime, catalogue};

use crate::geometry::{Priority, RequestId};
use crate::parameters::{Declared, gather};

use venice_requests::Op;

pub use batches::{BatchRule, Batches, Taken};
pub use by_unit::ByUnit;
pub use conflict_free::ConflictFree;
pub use conflicts::{ConflictCounters, ConflictMeter, Met};
pub use deadline::{Deadline, DeadlineParameters};
pub use kyber::{Kyber, KyberParameters};
pub use location::{Location, UnitMap, UnitSet};
pub use noop::Noop;
pub use own::{Failure, OwnScheduler};
pub use reads_first::{NextBatch, ReadsFirst, ReadsFirstParameters};
pub use room::DriveRoom;
pub use settings::{IoQueueParameters, Issue, QueueCounts, SchedulerChoice, SchedulerSettings, UnitLevel};

/// A request that waits in the host's I/O queue, as far as schedulers look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Which request.
    pub id: RequestId,
    /// Read or write.
    pub op: Op,
    /// First sector.
    pub start_sector: u64,
    /// How many sectors.
    pub sectors: u32,
    /// The number of its queue: a device of a trace, or a flow.
    pub queue: u16,
    /// The class of its queue.
    pub priority: Priority,
    /// The parallel units that it is believed to touch.
    pub location: Location,
    /// Which units of the drive it does touch; schedulers do not look at it.
    pub in_drive: Location,
    /// When it entered the I/O queue, after it had waited behind it: the paper's T (§IV-A2).
    pub since: SimTime,
    /// The number of its batch, from 1, among those of its kind; 0 for none. Known when it goes.
    pub batch: u64,
}

/// A request that is complete, as far as schedulers look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Read or write.
    pub op: Op,
    /// The units that it was believed to touch.
    pub location: Location,
    /// The number of its batch.
    pub batch: u64,
    /// From its issue until it was complete.
    pub latency: SimSpan,
    /// Of that, the time from when it was handed over.
    pub in_drive: SimSpan,
}

impl Done {
    /// A request that took no time.
    pub fn at_once(queued: &Queued) -> Self {
        let Queued { op, location, batch, .. } = *queued;
        Self { op, location, batch, latency: SimSpan::ZERO, in_drive: SimSpan::ZERO }
    }
}

/// The seam: see the module's contract.
pub trait HostScheduler {
    /// Takes in a request.
    fn add(&mut self, queued: Queued);

    /// The request that goes to the drive next, if one may go now.
    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued>;

    /// A request that came out of `next` is complete.
    fn completed(&mut self, done: Done, now: SimTime);

    /// When it wants to be woken, if it does; asked whenever something has come, gone, or been completed.
    fn wakes_at(&self) -> Option<SimTime> {
        None
    }

    /// The instant has come for which it asked.
    fn woken(&mut self, _now: SimTime) {}

    /// Requests that wait.
    fn waiting(&self) -> usize;

    /// What was counted so far.
    fn counters(&self) -> SchedulerCounters;

    /// By number of requests: batches of this kind that are complete.
    fn batch_sizes(&self, _op: Op) -> &[u64] {
        &[]
    }

    /// Why it cannot go on, if so: the run ends with that. Asked of schedulers from outside the catalogue.
    fn failure(&mut self) -> Option<Failure> {
        None
    }
}

venice_kernel::counters! {
    /// What schedulers count.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SchedulerCounters {
        /// Comparisons of a location vector with a batch's.
        pub vector_tests: u64,
        /// Batches of reads that began.
        pub read_batches: u64,
        /// Batches of writes that began.
        pub write_batches: u64,
        /// Of these, those that went before reads because of their age.
        pub prioritised_write_batches: u64,
        /// Reads that left the queue.
        pub reads: u64,
        /// Reads that left the queue before a write that had entered it earlier.
        pub prioritised_reads: u64,
    }
}

/// How a scheduler is made.
pub trait Model: HostScheduler + Sized {
    /// What it alone is told; `()` for nothing.
    type Parameters: Declared;

    /// Nothing waits. `scheme` says which of the schemes it is, where it has several.
    fn new(scheme: Scheme, own: &Self::Parameters, settings: &SchedulerSettings) -> Self;
}

catalogue! {
    /// In which order requests go from the host to the drive.
    pub enum Scheme, match_scheme!;

    /// Any of the schedulers, dispatched by `match`.
    #[derive(Debug)]
    pub enum AnyScheduler, match_scheduler! {
        /// A scheduler from outside the catalogue.
        Own(OwnScheduler)
    };

    noop::Noop: "noop" => Noop, "as they came";
    reads_first::ReadsFirst:
        "rws" => Rws, "reads before writes";
        "piq_r" => PiqR, "besides, reads in batches that touch no unit twice";
        "piq_w" => PiqW, "besides, writes in such batches";
        "piq" => Piq, "besides, both in such batches";
        "piq_plus" => PiqPlus, "as `piq`, and a batch of writes that has waited long goes first";
    deadline::Deadline: "deadline" => Deadline, "by sector, with expiry";
    by_unit::ByUnit: "by_unit" => ByUnit, "as they came, past those that wait for other units";
    conflict_free::ConflictFree:
        "conflict_free" => ConflictFree, "as they came, each moved to idle units: an ideal that no drive can be";
    kyber::Kyber:
        "kyber" => Kyber, "reads and writes by turns, each with as many in the drive as two latency targets allow";

    => gather! {
        /// Parameters of the host schedulers.
        pub struct SchedulerParameters of Model
    }
}

impl Scheme {
    /// Builds the scheduler.
    pub fn build(self, settings: &SchedulerSettings) -> AnyScheduler {
        match_scheme!(self, Scheduler, own in settings.parameters => Scheduler::new(self, own, settings).into())
    }
}

impl HostScheduler for AnyScheduler {
    fn add(&mut self, queued: Queued) {
        match_scheduler!(self, scheduler => scheduler.add(queued));
    }

    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued> {
        match_scheduler!(self, scheduler => scheduler.next(now, room))
    }

    fn completed(&mut self, done: Done, now: SimTime) {
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

    fn failure(&mut self) -> Option<Failure> {
        match_scheduler!(self, scheduler => scheduler.failure())
    }
}
