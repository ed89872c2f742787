//! Host scheduler implemented in Python, as an object with the methods of `venice.HostScheduler`.
//!
//! # How
//!
//! The Python object selects requests by id; the requests themselves are stored in this module. Every call
//! acquires Python's global interpreter lock. An exception is stored, and ends the run with an error.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use venice_host::scheduler::{
    CompletedRequest, DispatchRule, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters,
    SchedulerFailure, SchedulerSettings,
};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{LAST_ISSUE, Op, SECTOR_BYTES};

use crate::error;
use crate::python_policies::expect_methods;

/// Host scheduler that calls a Python object.
pub struct PythonScheduler {
    object: Py<PyAny>,
    /// Python class `venice.QueuedRequest` of waiting requests. `served` is the class of completed requests
    /// (`venice.ServedRequest`).
    queued: Py<PyAny>,
    served: Py<PyAny>,
    receives_completions: bool,
    wakes: bool,
    wakes_at: Option<SimTime>,
    /// Waiting requests, indexed by request id.
    requests: Vec<Option<QueuedRequest>>,
    waiting: usize,
    failure: Option<SchedulerFailure>,
}

impl PythonScheduler {
    /// Creates the scheduler from the Python object that `make` returns.
    ///
    /// # Errors
    /// Returns exceptions of `make`. Returns `UsageError` if `issue = "without_conflicts"` is configured,
    /// since Python has no access to the parallel units of the drive.
    pub fn create(make: &Bound<'_, PyAny>, settings: Option<&SchedulerSettings>) -> PyResult<Self> {
        if settings.is_some_and(|settings| settings.issue == DispatchRule::WithoutConflicts) {
            let wrong = "a host scheduler written in Python has no access to the units in use; expected: host.scheduler.issue = \"freely\"";
            return Err(error::usage(wrong));
        }
        Self::new(&make.call0()?)
    }

    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        expect_methods(object, "host_scheduler", &["add", "next"])?;
        let types = object.py().import("venice")?;
        Ok(Self {
            receives_completions: object.hasattr("completed")?,
            wakes: object.hasattr("wakes_at")?,
            object: object.clone().unbind(),
            queued: types.getattr("QueuedRequest")?.unbind(),
            served: types.getattr("ServedRequest")?.unbind(),
            wakes_at: None,
            requests: Vec::new(),
            waiting: 0,
            failure: None,
        })
    }

    /// Calls a method of the Python object with the arguments that `arguments` returns, then queries the
    /// scheduler's next wake-up time.
    fn call<T: Default>(
        &mut self,
        method: &str,
        arguments: impl for<'py> FnOnce(&Self, Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        answer: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        let called = Python::attach(|py| {
            let object = self.object.bind(py);
            let answered = answer(&object.call_method1(method, arguments(self, py)?)?)?;
            let wakes_at = if self.wakes { object.call_method0("wakes_at")?.extract()? } else { None };
            Ok((answered, wakes_at))
        });
        match called {
            Ok((answered, wakes_at)) => {
                self.wakes_at = self.instant(wakes_at);
                answered
            }
            Err(raised) => self.fail(raised),
        }
    }

    /// Converts the result of `wakes_at` from microseconds to simulated time. An invalid time ends the run
    /// with an error.
    fn instant(&mut self, us: Option<f64>) -> Option<SimTime> {
        let us = us?;
        let most = LAST_ISSUE.as_us();
        if us.is_nan() || us > most {
            let wrong =
                format!("`wakes_at` returned {us}; expected: at most {most:.0} microseconds, or None");
            self.failure.get_or_insert_with(|| wrong.into());
            return None;
        }
        Some(SimTime::ZERO + SimSpan::from_us_f64(us.max(0.0)))
    }

    fn fail<T: Default>(&mut self, raised: PyErr) -> T {
        self.failure.get_or_insert_with(|| raised.into());
        T::default()
    }

    /// Removes and returns the waiting request `id`.
    fn take(&mut self, id: u64) -> Option<QueuedRequest> {
        let waits = usize::try_from(id).ok().and_then(|id| self.requests.get_mut(id)?.take());
        if waits.is_none() {
            let wrong = format!("`next` returned {id}; expected: a waiting request");
            self.failure.get_or_insert_with(|| wrong.into());
        }
        self.waiting -= usize::from(waits.is_some());
        waits
    }
}

/// Returns the Python name of an operation.
const fn word(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        _ => "write",
    }
}

impl HostScheduler for PythonScheduler {
    fn add(&mut self, queued: QueuedRequest) {
        let id = queued.id.0 as usize;
        if self.requests.len() <= id {
            self.requests.resize(id + 1, None);
        }
        self.requests[id] = Some(queued);
        self.waiting += 1;
        let bytes = |sectors: u64| sectors * u64::from(SECTOR_BYTES);
        let (offset, size) = (bytes(queued.start_sector), bytes(u64::from(queued.sectors)));
        let fields = (queued.id.0, word(queued.op), offset, size, queued.queue, in_us(queued.since));
        self.call(
            "add",
            |scheduler, py| (scheduler.queued.bind(py).call1(fields)?,).into_pyobject(py),
            |_| Ok(()),
        );
    }

    fn next(&mut self, now: SimTime, _room: &DriveCapacity) -> Option<QueuedRequest> {
        if self.waiting == 0 {
            return None;
        }
        let chosen: Option<u64> = self.call(
            "next",
            |_, py| (in_us(now),).into_pyobject(py),
            |chosen| {
                let wrong = |_| error::wrong_result("next", chosen, "the `id` of a waiting request, or None");
                chosen.extract().map_err(wrong)
            },
        );
        chosen.and_then(|id| self.take(id))
    }

    fn completed(&mut self, done: CompletedRequest, now: SimTime) {
        if !self.receives_completions {
            return;
        }
        let fields = (word(done.op), done.latency.as_us(), done.in_drive.as_us());
        self.call(
            "completed",
            |scheduler, py| (scheduler.served.bind(py).call1(fields)?, in_us(now)).into_pyobject(py),
            |_| Ok(()),
        );
    }

    fn wakes_at(&self) -> Option<SimTime> {
        self.wakes_at
    }

    fn woken(&mut self, now: SimTime) {
        self.call("woken", |_, py| (in_us(now),).into_pyobject(py), |_| Ok(()));
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }

    fn failure(&mut self) -> Option<SchedulerFailure> {
        self.failure.take()
    }
}

/// Returns the time since the start of the run in microseconds.
fn in_us(at: SimTime) -> f64 {
    at.since(SimTime::ZERO).as_us()
}
