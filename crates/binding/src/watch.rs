//! A run seen from outside: let go of the interpreter lock, come back often enough that Ctrl-C and the
//! progress bar feel immediate, and never so often that the run is slower for it.

use std::mem;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use venice_kernel::Progress;
use venice_ssd::assembly::{Simulation, SimulationError};
use venice_ssd::observe::RequestRow;

use crate::arrays::Arrays;
use crate::error;
use crate::guard::{Crash, guarded};
use crate::request_sink::RequestSink;
use crate::rows::{self, Rows, Takers};
use crate::table::Table;

/// How long a run goes on before signals are looked at.
const SLICE: Duration = Duration::from_millis(40);

/// How often progress is told.
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// Events between two looks at the clock: a few milliseconds at the engine's usual pace.
const EVENTS_PER_LOOK: u64 = 1 << 13;

/// The same where rows are kept: no more than a part of a block of them.
const EVENTS_PER_ROWS: u64 = 1 << 11;

/// Who is told what during a run.
pub struct Listeners<'py> {
    /// Called with (requests completed, requests in all if known, simulated microseconds).
    pub progress: Option<Bound<'py, PyAny>>,
    /// Who wants rows of the request log.
    pub log: Option<RowListener<'py>>,
    /// Files that get them.
    pub files: Vec<Py<RequestSink>>,
}

/// Who wants rows of the request log.
pub struct RowListener<'py> {
    /// Called with further rows.
    pub call: Bound<'py, PyAny>,
    /// Names of their columns.
    pub columns: Vec<String>,
    /// Whether it is called once, with all rows.
    pub wants_all: bool,
}

/// Rows that are handed over together: 2 MiB of a column of wide numbers.
const ROWS_TOGETHER: usize = 1 << 18;

/// Rows of which room is made before they are there, at most: half a GiB of addresses for a column of wide numbers.
const MOST_EXPECTED_ROWS: u64 = 1 << 26;

/// Does `build` on a thread of its own, which nobody waits for if the user wants no more: it ends by itself.
///
/// # Errors
/// `KeyboardInterrupt`, and whatever a listener raises.
pub fn build<T: Send + 'static>(
    py: Python<'_>,
    build: impl FnOnce() -> T + Send + 'static,
    listeners: &Listeners<'_>,
) -> PyResult<T> {
    let (done, mut built) = mpsc::channel();
    let work = move || {
        // Nobody listens any more if the run was interrupted.
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

/// As much as a process's first thread has.
const STACK_BYTES: usize = 8 << 20;

/// Runs to the end.
///
/// # Errors
/// `KeyboardInterrupt`, whatever a listener raises, and the run's own errors.
pub fn run(py: Python<'_>, run: &mut Simulation, listeners: &Listeners<'_>) -> PyResult<()> {
    run_until(py, run, listeners, |_| false)
}

/// Runs to the end, or until enough was seen.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    py: Python<'_>,
    run: &mut Simulation,
    listeners: &Listeners<'_>,
    is_enough: impl Fn(&Simulation) -> bool,
) -> PyResult<()> {
    let mut told = now();
    let mut rows = listeners.rows_of(py, run)?;
    loop {
        let state = advance(py, run, &mut rows)?;
        listeners.tell_of_rows(py, &mut rows, last_rows(run, state))?;
        if let Err(interrupt) = py.check_signals() {
            listeners.tell(run)?;
            return Err(interrupt);
        }
        if state == Progress::Idle || told.elapsed() >= PROGRESS_PERIOD {
            told = now();
            listeners.tell(run)?;
        }
        if state == Progress::Idle || is_enough(run) {
            return Ok(());
        }
    }
}

/// Those that nobody has taken, if no further ones come.
fn last_rows(run: &mut Simulation, state: Progress) -> Option<Vec<RequestRow>> {
    (state == Progress::Idle).then(|| run.log_mut().map(mem::take).unwrap_or_default())
}

fn advance(py: Python<'_>, run: &mut Simulation, rows: &mut Option<Rows>) -> PyResult<Progress> {
    let sliced: Result<Result<Progress, Failure>, Crash> = py.detach(|| guarded(|| slice(run, rows)));
    sliced.map_err(|crash| error::crash(&crash))?.map_err(|failure| match failure {
        Failure::Run(failure) => error::simulation(&failure),
        Failure::Rows(failure) => no_rows(failure),
    })
}

/// Why a slice of a run ended before its time.
enum Failure {
    Run(SimulationError),
    Rows(rows::Failure),
}

fn no_rows(failure: rows::Failure) -> PyErr {
    match failure {
        rows::Failure::Memory(wrong) => error::no_memory_for_rows(&wrong),
        rows::Failure::Raised(raised) => raised,
        rows::Failure::Crash(crash) => error::crash(&crash),
    }
}

fn slice(run: &mut Simulation, rows: &mut Option<Rows>) -> Result<Progress, Failure> {
    let started = now();
    let events = if rows.is_some() { EVENTS_PER_ROWS } else { EVENTS_PER_LOOK };
    loop {
        let state = run.step(events).map_err(Failure::Run)?;
        take_rows(run, rows).map_err(Failure::Rows)?;
        if state == Progress::Idle || started.elapsed() >= SLICE {
            return Ok(state);
        }
    }
}

/// Hands on the rows that the run has made. If they are not taken any more, there is a reason.
fn take_rows(run: &mut Simulation, rows: &mut Option<Rows>) -> Result<(), rows::Failure> {
    let (Some(taker), Some(made)) = (rows.as_mut(), run.log_mut()) else { return Ok(()) };
    if !taker.take(made) {
        rows.take().map_or(Ok(Vec::new()), |rows| rows.finish(Vec::new()))?;
    }
    Ok(())
}

impl Listeners<'_> {
    /// Says that no request was served yet, so that whoever has lost interest can say so.
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
    fn rows_of(&self, py: Python<'_>, run: &Simulation) -> PyResult<Option<Rows>> {
        if self.log.is_none() && self.files.is_empty() {
            return Ok(None);
        }
        let arrays = self.log.as_ref().map(|log| log.arrays_of(run)).transpose()?;
        let files = self.files.iter().map(|file| file.clone_ref(py)).collect();
        Ok(Some(Rows::begin(Takers { arrays, files })?))
    }

    /// Hands over batches that are full; at the end, with the last rows, what is left, even if that is none.
    fn tell_of_rows(
        &self,
        py: Python<'_>,
        rows: &mut Option<Rows>,
        last: Option<Vec<RequestRow>>,
    ) -> PyResult<()> {
        while let Some(batch) = rows.as_ref().and_then(Rows::batch) {
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
    fn arrays_of(&self, run: &Simulation) -> PyResult<Arrays> {
        let most = if self.wants_all { usize::MAX } else { ROWS_TOGETHER };
        let total = run.device().host().flows.total().unwrap_or(0).min(MOST_EXPECTED_ROWS);
        Arrays::new(&self.columns, (total as usize).min(most), most)
    }
}

/// Reads the clock on the wall.
#[expect(clippy::disallowed_methods, reason = "wall time: of the person who waits, not of the model")]
pub fn now() -> Instant {
    Instant::now()
}
