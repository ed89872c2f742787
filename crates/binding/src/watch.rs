//! A run seen from outside: let go of the interpreter lock, come back often enough that Ctrl-C and the
//! progress bar feel immediate, and never so often that the run is slower for it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use venice_kernel::Progress;
use venice_ssd::assembly::{Simulation, SimulationError};

use crate::columns::Columns;
use crate::error;
use crate::guard::{Crash, guarded};
use crate::table::Table;

/// How long a run goes on before signals are looked at.
const SLICE: Duration = Duration::from_millis(40);

/// How often progress is told.
const PROGRESS_PERIOD: Duration = Duration::from_millis(100);

/// Events between two looks at the clock: a few milliseconds at the engine's usual pace.
const EVENTS_PER_LOOK: u64 = 1 << 13;

/// Who is told what during a run.
pub struct Listeners<'py> {
    /// Called with (requests completed, requests in all if known, simulated microseconds).
    pub progress: Option<Bound<'py, PyAny>>,
    /// Called with further rows of the request log.
    pub log: Option<Bound<'py, PyAny>>,
    /// Whether the log is called once, with all rows.
    pub whole_log: bool,
}

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
    let mut rows = listeners.log.is_some().then(Columns::new);
    loop {
        let state = advance(py, run, rows.as_mut())?;
        listeners.tell_rows(rows.as_mut(), state == Progress::Idle)?;
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

fn advance(py: Python<'_>, run: &mut Simulation, rows: Option<&mut Columns>) -> PyResult<Progress> {
    let sliced: Result<Result<Progress, SimulationError>, Crash> = py.detach(|| guarded(|| slice(run, rows)));
    sliced.map_err(|crash| error::crash(&crash))?.map_err(|failure| error::simulation(&failure))
}

fn slice(run: &mut Simulation, mut rows: Option<&mut Columns>) -> Result<Progress, SimulationError> {
    let started = now();
    loop {
        let state = run.step(EVENTS_PER_LOOK)?;
        // So often that the rows are still in the processor's cache.
        if let Some(columns) = &mut rows {
            columns.extend(&run.take_log());
        }
        if state == Progress::Idle || started.elapsed() >= SLICE {
            return Ok(state);
        }
    }
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

    /// Hands over further rows, at the end even if there are none.
    fn tell_rows(&self, rows: Option<&mut Columns>, is_last: bool) -> PyResult<()> {
        let Some((log, rows)) = self.log.as_ref().zip(rows) else { return Ok(()) };
        if is_last || !(self.whole_log || rows.is_empty()) {
            log.call1((Table::new(rows.finish()),))?;
        }
        Ok(())
    }
}

/// Reads the clock on the wall.
#[expect(clippy::disallowed_methods, reason = "wall time: of the person who waits, not of the model")]
pub fn now() -> Instant {
    Instant::now()
}
