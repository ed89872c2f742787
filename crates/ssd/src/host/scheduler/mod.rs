//! The host's I/O scheduler: in which order requests go from the host's I/O queue to the drive.
//!
//! # The contract
//! 1. A request that was [`HostScheduler::add`]ed comes out of [`HostScheduler::next`] exactly once.
//! 2. `next` may hold requests back only while others that came out of it are not complete; when all
//!    are, and a request waits, it gives one. So nothing waits for ever without a reason.
//! 3. A scheduler decides by what it is told: operation, first sector, [`Location`], arrival. It does
//!    not know the drive. Its belief of how many units the drive has may be wrong; requests are served
//!    all the same.
//! 4. With one request at a time in the queue, all schedulers are alike.
//!
//! # What is modelled
//! The schemes of Gao et al., "Exploiting Parallelism for Access Conflict Minimization in Flash-based
//! Solid State Drives" (PIQ), TCAD 2017, §III and §IV, a deadline scheduler, and one that queues by unit. Their decisions take
//! no simulated time.

mod batches;
mod by_unit;
mod conflicts;
mod deadline;
mod location;
mod noop;
mod reads_first;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::RequestId;

use super::request::Op;

pub use batches::Batches;
pub use by_unit::ByUnit;
pub use conflicts::{ConflictCounters, ConflictMeter, Met};
pub use deadline::Deadline;
pub use location::{Location, UnitMap, UnitSet};
pub use noop::Noop;
pub use reads_first::ReadsFirst;

/// A request that waits in the host's I/O queue, as far as schedulers look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Which request.
    pub id: RequestId,
    /// Read or write.
    pub op: Op,
    /// First sector.
    pub start_sector: u64,
    /// The parallel units that it is believed to touch.
    pub location: Location,
    /// Which units of the drive it does touch; schedulers do not look at it.
    pub in_drive: Location,
    /// When it entered the I/O queue.
    pub since: SimTime,
}

/// The seam: see the module's contract.
pub trait HostScheduler {
    /// Takes in a request.
    fn add(&mut self, queued: Queued);

    /// The request that goes to the drive next, if one may go now.
    fn next(&mut self, now: SimTime) -> Option<Queued>;

    /// A request that came out of `next`, and touched these units, is complete.
    fn completed(&mut self, location: Location);

    /// Requests that wait.
    fn waiting(&self) -> usize;

    /// What was counted so far.
    fn counters(&self) -> SchedulerCounters;
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
        /// Reads that went before a write that had come earlier.
        pub prioritised_reads: u64,
    }
}

/// Which scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// First come, first served.
    Noop,
    /// Reads before writes.
    Rws,
    /// Reads before writes; reads in batches without conflicts.
    PiqR,
    /// Reads before writes; writes in batches without conflicts.
    PiqW,
    /// Reads before writes; both in batches.
    Piq,
    /// As `Piq`; a batch of writes that has waited long goes first.
    PiqPlus,
    /// By sector in one direction, with expiry.
    Deadline,
    /// As they came, past those that wait for other units.
    ByUnit,
}

/// Names of what may stand between host and drive, as users write them; without a scheduler there is no I/O queue.
pub const SCHEDULER_NAMES: &[&str] =
    &["none", "noop", "rws", "piq_r", "piq_w", "piq", "piq_plus", "deadline", "by_unit"];

impl Scheme {
    /// Every scheme, in the order of [`SCHEDULER_NAMES`].
    pub const ALL: [Self; 8] = [
        Self::Noop,
        Self::Rws,
        Self::PiqR,
        Self::PiqW,
        Self::Piq,
        Self::PiqPlus,
        Self::Deadline,
        Self::ByUnit,
    ];

    /// The name, as users write it.
    pub fn name(self) -> &'static str {
        SCHEDULER_NAMES[self as usize + 1]
    }

    /// The scheme of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// Builds the scheduler.
    pub fn build(self, settings: &SchedulerSettings) -> AnyScheduler {
        let (units, next) = (settings.units.units(), settings.next_batch);
        let reads_first = |reads, writes, threshold| {
            AnyScheduler::ReadsFirst(ReadsFirst::new(units, (reads, writes), threshold, next))
        };
        match self {
            Self::Noop => AnyScheduler::Noop(Noop::default()),
            Self::Rws => reads_first(false, false, None),
            Self::PiqR => reads_first(true, false, None),
            Self::PiqW => reads_first(false, true, None),
            Self::Piq => reads_first(true, true, None),
            Self::PiqPlus => reads_first(true, true, Some(settings.write_threshold)),
            Self::Deadline => AnyScheduler::Deadline(Deadline::new(settings.deadline)),
            Self::ByUnit => AnyScheduler::ByUnit(ByUnit::new(units)),
        }
    }
}

/// Whether requests are handed over that touch a unit which one in the drive touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Issue {
    /// They are: the drive lets those that wait for a unit be passed.
    Freely,
    /// They wait in the host, and everything behind them: the drive takes requests in order, and none passes one that
    /// waits for a unit.
    WithoutConflicts,
}

/// When the batch after the one that is being handed over begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextBatch {
    /// When every request of the last one is complete.
    AfterCompletion,
    /// As soon as the drive has room.
    AsSlotsFree,
}

/// How long a deadline scheduler lets requests wait, and how many it takes in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineSettings {
    /// A read that has waited so long goes next.
    pub read_expire: SimSpan,
    /// A write that has waited so long goes next, when it is the writes' turn.
    pub write_expire: SimSpan,
    /// Requests in order of their sectors before expiry is looked at again.
    pub batch: u32,
    /// Turns that reads may take while writes wait.
    pub writes_starved: u32,
}

/// What a host scheduler is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerSettings {
    /// Which one.
    pub scheme: Scheme,
    /// Requests in the I/O queue and in the drive together; further ones wait behind, in order.
    pub queue_length: u32,
    /// Requests handed to the drive and not complete.
    pub drive_slots: u32,
    /// How sectors are believed to be spread over parallel units.
    pub units: UnitMap,
    /// What is handed over while a unit of the drive that it touches is in use.
    pub issue: Issue,
    /// How sectors are spread over those units of the drive.
    pub drive_units: UnitMap,
    /// When the next batch begins.
    pub next_batch: NextBatch,
    /// The age at which a batch of writes goes first.
    pub write_threshold: SimSpan,
    /// For `deadline`.
    pub deadline: DeadlineSettings,
}

/// Any of the schedulers, dispatched by `match`.
#[derive(Clone, Debug)]
pub enum AnyScheduler {
    /// First come, first served.
    Noop(Noop),
    /// Reads first, and the batches of PIQ.
    ReadsFirst(ReadsFirst),
    /// By sector, with expiry.
    Deadline(Deadline),
    /// By unit.
    ByUnit(ByUnit),
}

macro_rules! forward {
    ($self:ident, $scheduler:ident => $call:expr) => {
        match $self {
            Self::Noop($scheduler) => $call,
            Self::ReadsFirst($scheduler) => $call,
            Self::Deadline($scheduler) => $call,
            Self::ByUnit($scheduler) => $call,
        }
    };
}

impl HostScheduler for AnyScheduler {
    fn add(&mut self, queued: Queued) {
        forward!(self, scheduler => scheduler.add(queued));
    }

    fn next(&mut self, now: SimTime) -> Option<Queued> {
        forward!(self, scheduler => scheduler.next(now))
    }

    fn completed(&mut self, location: Location) {
        forward!(self, scheduler => scheduler.completed(location));
    }

    fn waiting(&self) -> usize {
        forward!(self, scheduler => scheduler.waiting())
    }

    fn counters(&self) -> SchedulerCounters {
        forward!(self, scheduler => scheduler.counters())
    }
}
