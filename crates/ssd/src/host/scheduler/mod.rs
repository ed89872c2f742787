//! The host's I/O scheduler: in which order requests go from the host's I/O queue to the drive.
//!
//! # The contract
//! 1. A request that was [`HostScheduler::add`]ed comes out of [`HostScheduler::next`] exactly once, and only when the
//!    drive takes it ([`DriveRoom::takes`]).
//! 2. `next` may hold requests back only while others that came out of it are not complete; when all
//!    are, and a request waits, it gives one. So nothing waits for ever without a reason.
//! 3. A scheduler decides by what it is told: operation, first sector, [`Location`], arrival, and what the drive takes now. It
//!    does not know the drive. Its belief of how many units the drive has may be wrong; requests are served
//!    all the same.
//! 4. It decides when a request may go, not before: what comes in the meantime is considered.
//! 5. With one request at a time in the queue, all schedulers are alike.
//!
//! # What is modelled
//! The schemes of Gao et al., "Exploiting Parallelism for Access Conflict Minimization in Flash-based
//! Solid State Drives" (PIQ), TCAD 2017, §III and §IV, a deadline scheduler, one that queues by unit, and the ideal without
//! conflicts. Their decisions take no simulated time.

mod batches;
mod by_unit;
mod conflict_free;
mod conflicts;
mod deadline;
mod location;
mod noop;
mod reads_first;
mod room;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::RequestId;

use venice_requests::Op;

pub use batches::{Batches, Taken};
pub use by_unit::ByUnit;
pub use conflict_free::ConflictFree;
pub use conflicts::{ConflictCounters, ConflictMeter, Met};
pub use deadline::Deadline;
pub use location::{Location, UnitMap, UnitSet};
pub use noop::Noop;
pub use reads_first::ReadsFirst;
pub use room::DriveRoom;

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
}

impl From<&Queued> for Done {
    fn from(queued: &Queued) -> Self {
        let Queued { op, location, batch, .. } = *queued;
        Self { op, location, batch }
    }
}

/// The seam: see the module's contract.
pub trait HostScheduler {
    /// Takes in a request.
    fn add(&mut self, queued: Queued);

    /// The request that goes to the drive next, if one may go now.
    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued>;

    /// A request that came out of `next` is complete.
    fn completed(&mut self, done: Done);

    /// Requests that wait.
    fn waiting(&self) -> usize;

    /// What was counted so far.
    fn counters(&self) -> SchedulerCounters;

    /// By number of requests: batches of this kind that are complete.
    fn batch_sizes(&self, _op: Op) -> &[u64] {
        &[]
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
        /// Reads that went before a write that had entered the queue earlier.
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
    /// As they came, to whichever units are idle.
    ConflictFree,
}

/// Names of what may stand between host and drive, as users write them; without a scheduler there is no I/O queue.
pub const SCHEDULER_NAMES: &[&str] =
    &["none", "noop", "rws", "piq_r", "piq_w", "piq", "piq_plus", "deadline", "by_unit", "conflict_free"];

impl Scheme {
    /// Every scheme, in the order of [`SCHEDULER_NAMES`].
    pub const ALL: [Self; 9] = [
        Self::Noop,
        Self::Rws,
        Self::PiqR,
        Self::PiqW,
        Self::Piq,
        Self::PiqPlus,
        Self::Deadline,
        Self::ByUnit,
        Self::ConflictFree,
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
        let (units, next) = (settings.units.units(), (settings.batches, settings.next_batch));
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
            Self::ConflictFree => AnyScheduler::ConflictFree(ConflictFree::default()),
        }
    }
}

/// Whether requests are handed over that touch a unit which one in the drive touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Issue {
    /// They are: the drive lets those that wait for a unit be passed.
    Freely,
    /// They wait in the host, and so does what the scheme puts behind them: the drive takes requests in order, and none passes
    /// one that waits for a unit.
    WithoutConflicts,
}

/// Which requests a batch takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchRule {
    /// All that share no unit with it, until it is complete.
    Open,
    /// Those that come before the first of it goes.
    Closed,
}

/// What the entries of the I/O queue are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueCounts {
    /// Requests that wait.
    Waiting,
    /// Requests that wait, reads and writes each.
    WaitingByKind,
    /// Requests that wait, and those in the drive.
    Outstanding,
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
    /// Entries of the I/O queue; further requests wait behind, in order.
    pub queue_length: u32,
    /// Which requests have one.
    pub queue_counts: QueueCounts,
    /// Requests handed to the drive and not complete.
    pub drive_slots: u32,
    /// How sectors are believed to be spread over parallel units.
    pub units: UnitMap,
    /// What is handed over while a unit of the drive that it touches is in use.
    pub issue: Issue,
    /// How sectors are spread over those units of the drive.
    pub drive_units: UnitMap,
    /// Which requests a batch takes in.
    pub batches: BatchRule,
    /// When the next batch begins.
    pub next_batch: NextBatch,
    /// The age at which a batch of writes goes first.
    pub write_threshold: SimSpan,
    /// Intervals in which the queue's history is told, at most.
    pub history_points: u32,
    /// For `deadline`.
    pub deadline: DeadlineSettings,
}

/// Any of the schedulers, dispatched by `match`.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a run has one of them")]
pub enum AnyScheduler {
    /// First come, first served.
    Noop(Noop),
    /// Reads first, and the batches of PIQ.
    ReadsFirst(ReadsFirst),
    /// By sector, with expiry.
    Deadline(Deadline),
    /// By unit.
    ByUnit(ByUnit),
    /// The ideal.
    ConflictFree(ConflictFree),
}

macro_rules! forward {
    ($self:ident, $scheduler:ident => $call:expr) => {
        match $self {
            Self::Noop($scheduler) => $call,
            Self::ReadsFirst($scheduler) => $call,
            Self::Deadline($scheduler) => $call,
            Self::ByUnit($scheduler) => $call,
            Self::ConflictFree($scheduler) => $call,
        }
    };
}

impl HostScheduler for AnyScheduler {
    fn add(&mut self, queued: Queued) {
        forward!(self, scheduler => scheduler.add(queued));
    }

    fn next(&mut self, now: SimTime, room: &DriveRoom) -> Option<Queued> {
        forward!(self, scheduler => scheduler.next(now, room))
    }

    fn completed(&mut self, done: Done) {
        forward!(self, scheduler => scheduler.completed(done));
    }

    fn waiting(&self) -> usize {
        forward!(self, scheduler => scheduler.waiting())
    }

    fn counters(&self) -> SchedulerCounters {
        forward!(self, scheduler => scheduler.counters())
    }

    fn batch_sizes(&self, op: Op) -> &[u64] {
        forward!(self, scheduler => scheduler.batch_sizes(op))
    }
}
