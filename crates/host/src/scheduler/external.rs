//! Wrapper of a user-defined scheduler that checks the contract of host schedulers.
//!
//! # How
//!
//! The wrapper records which requests the scheduler holds. The scheduler violates the contract if it sends a
//! request that is not waiting, or that the drive does not accept. After a violation the wrapper sends
//! nothing and reports a [`SchedulerFailure`], which ends the run.

use std::error::Error;
use std::fmt;

use venice_kernel::SimTime;
use venice_nand::geometry::RequestId;
use venice_requests::{LAST_ISSUE, Op};

use super::{CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters};

/// Maximum number of consecutive alarms without an arrival, dispatch or completion; a scheduler that exceeds
/// it has failed.
const MAX_IDLE_WAKE_UPS: u32 = 1_000_000;

/// Error of a user-defined scheduler, which ends the run.
pub type SchedulerFailure = Box<dyn Error + Send + Sync>;

/// User-defined scheduler, with checks of its contract.
pub struct ExternalScheduler {
    scheduler: Box<dyn HostScheduler + Send>,
    name: String,
    /// Flag for each request, by id: true if it waits.
    waits: Vec<bool>,
    waiting: usize,
    failure: Option<SchedulerFailure>,
    has_failed: bool,
    woken_at: Option<SimTime>,
    idle_wake_ups: u32,
}

impl ExternalScheduler {
    /// Wraps a scheduler that holds no requests yet.
    pub fn new(name: String, scheduler: impl HostScheduler + Send + 'static) -> Self {
        Self {
            scheduler: Box::new(scheduler),
            name,
            waits: Vec::new(),
            waiting: 0,
            failure: None,
            has_failed: false,
            woken_at: None,
            idle_wake_ups: 0,
        }
    }

    /// Returns the name of the scheduler.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn fail(&mut self, failure: SchedulerFailure) {
        if !self.has_failed {
            (self.has_failed, self.failure) = (true, Some(failure));
        }
    }

    /// Checks whether the scheduler reports a failure or an alarm out of range after a call.
    fn ask(&mut self) {
        if let Some(failure) = self.scheduler.failure() {
            self.fail(failure);
        }
        if let Some(at) = self.scheduler.wakes_at().filter(|&at| at > LAST_ISSUE) {
            self.fail(format!("`wakes_at` is {at}; expected: at most {LAST_ISSUE}, or none").into());
        }
    }

    /// Counts an alarm without an arrival, dispatch or completion since the previous one.
    fn count_idle_wake_up(&mut self) {
        self.idle_wake_ups += 1;
        if self.idle_wake_ups >= MAX_IDLE_WAKE_UPS {
            let wrong = format!(
                "it was woken {MAX_IDLE_WAKE_UPS} times in a row without an arrival, dispatch or completion, while {} requests wait",
                self.waiting
            );
            self.fail(wrong.into());
        }
    }

    fn wait_of(&mut self, id: RequestId) -> &mut bool {
        let index = id.0 as usize;
        if self.waits.len() <= index {
            self.waits.resize(index + 1, false);
        }
        &mut self.waits[index]
    }

    /// Returns a description of the contract violation if the scheduler may not send `queued`.
    fn objection(&mut self, queued: &QueuedRequest, room: &DriveCapacity) -> Option<&'static str> {
        if !*self.wait_of(queued.id) {
            return Some("which is not waiting");
        }
        (!room.takes(queued)).then_some("which the drive does not accept now")
    }
}

impl HostScheduler for ExternalScheduler {
    fn add(&mut self, queued: QueuedRequest) {
        *self.wait_of(queued.id) = true;
        self.waiting += 1;
        self.idle_wake_ups = 0;
        if !self.has_failed {
            self.scheduler.add(queued);
            self.ask();
        }
    }

    fn next(&mut self, now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.has_failed {
            return None;
        }
        let given = self.scheduler.next(now, room);
        self.ask();
        let queued = given.filter(|_| !self.has_failed)?;
        if let Some(objection) = self.objection(&queued, room) {
            self.fail(format!("it dispatched request {}, {objection}", queued.id.0).into());
            return None;
        }
        *self.wait_of(queued.id) = false;
        self.waiting -= 1;
        self.idle_wake_ups = 0;
        Some(queued)
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        self.idle_wake_ups = 0;
        if !self.has_failed {
            self.scheduler.completed(done, now);
            self.ask();
        }
    }

    /// Returns the alarm time that the wrapped scheduler requests, unless the scheduler was already woken at
    /// this time or has failed.
    fn wakes_at(&self) -> Option<SimTime> {
        let wakes_at = self.scheduler.wakes_at().filter(|&at| self.woken_at.is_none_or(|woken| at > woken));
        wakes_at.filter(|_| !self.has_failed)
    }

    fn woken(&mut self, now: SimTime) {
        self.woken_at = Some(now);
        self.scheduler.woken(now);
        self.ask();
        self.count_idle_wake_up();
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn counters(&self) -> SchedulerCounters {
        self.scheduler.counters()
    }

    fn batch_sizes(&self, op: Op) -> &[u64] {
        self.scheduler.batch_sizes(op)
    }

    fn failure(&mut self) -> Option<SchedulerFailure> {
        self.failure.take()
    }
}

impl fmt::Debug for ExternalScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalScheduler").field("name", &self.name).finish_non_exhaustive()
    }
}
