//! Control of a run from Python. The engine periodically returns to Python, to check for Ctrl-C and to report
//! progress, at negligible cost.

use std::mem;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use venice_drive::observe::RequestRow;
use venice_kernel::Progress;
use venice_sim::assembly::{Simulation, SimulationError};

use crate::arrays::RequestLogBuilder;
use crate::error;
use crate::guard::{CaughtPanic, guarded};
use crate::request_sink::RequestSink;
use crate::rows::{self, RowConsumers, RowTransport};
use crate::table::Table;

/// Time between two checks for Python signals, such as Ctrl-C.
const SLICE: Duration = Duration::from_millis(40);

/// Time between two progress reports.
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// Number of events between two readings of the wall clock. Processing these events takes a few milliseconds
/// in a typical run.
const EVENTS_PER_LOOK: u64 = 1 << 13;

/// Number of events between two readings of the wall clock if rows are logged. These events produce less than
/// a block of rows.
const EVENTS_PER_ROWS: u64 = 1 << 11;

/// Callables and sinks that receive information during a run.
pub struct Listeners<'py> {
    /// Callable that receives the number of completed requests, the total number if known, and the simulated
    /// time in microseconds.
    pub progress: Option<Bound<'py, PyAny>>,
    /// Receiver of request rows, if there is one.
    pub log: Option<RowListener<'py>>,
    /// Sinks that receive request rows.
    pub files: Vec<Py<RequestSink>>,
}

/// Python receiver of request rows.
pub struct RowListener<'py> {
    /// Callable that receives tables with the new rows.
    pub call: Bound<'py, PyAny>,
    /// Names of the columns in the tables.
    pub columns: Vec<String>,
    /// True if `call` is called only once, with all rows.
    pub wants_all: bool,
}

/// Maximum number of rows per table. A column of 64-bit numbers then takes 2 MiB.
const ROWS_TOGETHER: usize = 1 << 18;

/// Maximum number of rows for which address space is reserved. A column of 64-bit numbers then takes half a
/// GiB.
const MAX_EXPECTED_ROWS: u64 = 1 << 26;

/// Runs `build` on a separate thread. After an interrupt, the thread is not joined and ends by itself.
///
/// # Errors
///
/// Returns `KeyboardInterrupt`, and exceptions of listeners.
pub fn build<T: Send + 'static>(
    py: Python<'_>,
    build: impl FnOnce() -> T + Send + 'static,
    listeners: &Listeners<'_>,
) -> PyResult<T> {
    let (done, mut built) = mpsc::channel();
    let work = move || {
        // After an interrupt nothing receives the result.
        let _ = done.send(guarded(build));
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?;
    loop {
        let waited = py.detach(move || {
            let outcome = built.recv_timeout(SLICE);
            (built, outcome)
        });
        built = waited.0;
        match waited.1 {
            Ok(outcome) => return outcome.map_err(|crash| error::crash(&crash)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("a panic is caught and sent"),
        }
        py.check_signals()?;
        listeners.tell_of_building()?;
    }
}

/// Stack size of the thread, in bytes. It equals the usual stack size of a process's main thread.
const STACK_BYTES: usize = 8 << 20;

/// Runs the simulation to its end.
///
/// # Errors
/// Returns `KeyboardInterrupt`, exceptions of listeners, and errors of the run.
pub fn run(py: Python<'_>, run: &mut Simulation, listeners: &Listeners<'_>) -> PyResult<()> {
    run_until(py, run, listeners, |_| false)
}

/// Runs the simulation to its end, or until `is_enough` returns true.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn run_until(
    py: Python<'_>,
    run: &mut Simulation,
    listeners: &Listeners<'_>,
    is_enough: impl Fn(&Simulation) -> bool,
) -> PyResult<()> {
    let mut last_report = now();
    let mut rows = listeners.rows_of(py, run)?;
    loop {
        let state = advance(py, run, &mut rows)?;
        listeners.tell_of_rows(py, &mut rows, last_rows(run, state))?;
        if let Err(interrupt) = py.check_signals() {
            listeners.tell(run)?;
            return Err(interrupt);
        }
        if state == Progress::QueueEmpty || last_report.elapsed() >= PROGRESS_PERIOD {
            last_report = now();
            listeners.tell(run)?;
        }
        if state == Progress::QueueEmpty || is_enough(run) {
            return Ok(());
        }
    }
}

/// Returns the rows that have not been sent yet, or `None` before the end of the run.
fn last_rows(run: &mut Simulation, state: Progress) -> Option<Vec<RequestRow>> {
    (state == Progress::QueueEmpty).then(|| run.log_mut().map(mem::take).unwrap_or_default())
}

fn advance(py: Python<'_>, run: &mut Simulation, rows: &mut Option<RowTransport>) -> PyResult<Progress> {
    let sliced: Result<Result<Progress, WatchFailure>, CaughtPanic> =
        py.detach(|| guarded(|| slice(run, rows)));
    sliced.map_err(|crash| error::crash(&crash))?.map_err(|failure| match failure {
        WatchFailure::Run(failure) => error::simulation(&failure),
        WatchFailure::Rows(failure) => no_rows(failure),
    })
}

/// Error that ended a time slice of the run: of the simulation, or of the transport of request rows.
enum WatchFailure {
    Run(SimulationError),
    Rows(rows::TransportFailure),
}

fn no_rows(failure: rows::TransportFailure) -> PyErr {
    match failure {
        rows::TransportFailure::Memory(wrong) => error::no_memory_for_rows(&wrong),
        rows::TransportFailure::Raised(raised) => raised,
        rows::TransportFailure::Crash(crash) => error::crash(&crash),
    }
}

fn slice(run: &mut Simulation, rows: &mut Option<RowTransport>) -> Result<Progress, WatchFailure> {
    let started = now();
    let events = if rows.is_some() { EVENTS_PER_ROWS } else { EVENTS_PER_LOOK };
    loop {
        let state = run.step(events).map_err(WatchFailure::Run)?;
        take_rows(run, rows).map_err(WatchFailure::Rows)?;
        if state == Progress::QueueEmpty || started.elapsed() >= SLICE {
            return Ok(state);
        }
    }
}

/// Sends the rows of the run to their consumers. Returns the error of the transport if it has failed.
fn take_rows(run: &mut Simulation, rows: &mut Option<RowTransport>) -> Result<(), rows::TransportFailure> {
    let (Some(taker), Some(made)) = (rows.as_mut(), run.log_mut()) else { return Ok(()) };
    if !taker.take(made) {
        rows.take().map_or(Ok(Vec::new()), |rows| rows.finish(Vec::new()))?;
    }
    Ok(())
}

impl Listeners<'_> {
    /// Reports zero completed requests to the progress listener while the drive is built. The listener can
    /// abort the run by raising an exception.
    fn tell_of_building(&self) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        progress.call1((0, None::<u64>, 0.0))?;
        Ok(())
    }

    fn tell(&self, run: &Simulation) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let host = run.device().host();
        progress.call1((host.completed(), host.flows.total(), run.now_us()))?;
        Ok(())
    }
}

impl Listeners<'_> {
    fn rows_of(&self, py: Python<'_>, run: &Simulation) -> PyResult<Option<RowTransport>> {
        if self.log.is_none() && self.files.is_empty() {
            return Ok(None);
        }
        let arrays = self.log.as_ref().map(|log| log.arrays_of(run)).transpose()?;
        let files = self.files.iter().map(|file| file.clone_ref(py)).collect();
        Ok(Some(RowTransport::begin(RowConsumers { arrays, files })?))
    }

    /// Passes completed batches of rows to the log listener. After the last rows, passes the incomplete
    /// batch, too, even if it is empty.
    fn tell_of_rows(
        &self,
        py: Python<'_>,
        rows: &mut Option<RowTransport>,
        last: Option<Vec<RequestRow>>,
    ) -> PyResult<()> {
        while let Some(batch) = rows.as_ref().and_then(RowTransport::batch) {
            self.hand_over(batch)?;
        }
        let Some((last, rows)) = last.and_then(|last| Some((last, rows.take()?))) else { return Ok(()) };
        let left = py.detach(|| rows.finish(last)).map_err(no_rows)?;
        left.into_iter().try_for_each(|batch| self.hand_over(batch))
    }

    fn hand_over(&self, batch: RecordBatch) -> PyResult<()> {
        let Some(log) = &self.log else { return Ok(()) };
        log.call.call1((Table::new(batch),)).map(drop)
    }
}

impl RowListener<'_> {
    fn arrays_of(&self, run: &Simulation) -> PyResult<RequestLogBuilder> {
        let most = if self.wants_all { usize::MAX } else { ROWS_TOGETHER };
        let total = run.device().host().flows.total().unwrap_or(0).min(MAX_EXPECTED_ROWS);
        RequestLogBuilder::new(&self.columns, (total as usize).min(most), most)
    }
}

/// Reads the wall clock.
#[expect(clippy::disallowed_methods, reason = "wall time: of the person who waits, not of the model")]
pub fn now() -> Instant {
    Instant::now()
}
