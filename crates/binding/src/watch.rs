//! A run seen from outside: let go of the interpreter lock, come back often enough that Ctrl-C and the
//! progress bar feel immediate, and never so often that the run is slower for it.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use venice_kernel::Progress;
use venice_ssd::assembly::{Simulation, SimulationError};

use crate::columns::columns;
use crate::error;
use crate::guard::{Crash, guarded};

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
    /// Called with columns of the request log.
    pub log: Option<Bound<'py, PyAny>>,
}

/// Runs to the end and returns the seconds that took.
///
/// # Errors
/// `KeyboardInterrupt`, whatever a listener raises, and the run's own errors.
pub fn run(py: Python<'_>, run: &mut Simulation, listeners: &Listeners<'_>) -> PyResult<f64> {
    let started = now();
    let mut told = started;
    loop {
        let state = advance(py, run)?;
        listeners.take_log(py, run)?;
        if let Err(interrupt) = py.check_signals() {
            listeners.tell(run)?;
            return Err(interrupt);
        }
        if state == Progress::Idle || told.elapsed() >= PROGRESS_PERIOD {
            told = now();
            listeners.tell(run)?;
        }
        if state == Progress::Idle {
            return Ok(started.elapsed().as_secs_f64());
        }
    }
}

fn advance(py: Python<'_>, run: &mut Simulation) -> PyResult<Progress> {
    let sliced: Result<Result<Progress, SimulationError>, Crash> = py.detach(|| guarded(|| slice(run)));
    sliced.map_err(|crash| error::crash(&crash))?.map_err(|failure| error::simulation(&failure))
}

fn slice(run: &mut Simulation) -> Result<Progress, SimulationError> {
    let started = now();
    while run.step(EVENTS_PER_LOOK)? == Progress::More {
        if started.elapsed() >= SLICE {
            return Ok(Progress::More);
        }
    }
    Ok(Progress::Idle)
}

impl Listeners<'_> {
    fn tell(&self, run: &Simulation) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let host = run.device().host();
        progress.call1((host.completed(), host.total(), run.now_us()))?;
        Ok(())
    }

    fn take_log(&self, py: Python<'_>, run: &mut Simulation) -> PyResult<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let rows = run.take_log();
        if !rows.is_empty() {
            log.call1((columns(py, &rows)?,))?;
        }
        Ok(())
    }
}

/// Reads the clock on the wall.
#[expect(clippy::disallowed_methods, reason = "wall time: of the person who waits, not of the model")]
pub fn now() -> Instant {
    Instant::now()
}
