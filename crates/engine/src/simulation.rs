//! Simulation of one drive, created and controlled by Python.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use venice_config::ResolvedDrive;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::Flow;
use venice_requests::traces::SharedTraces;
use venice_sim::assembly::{self, DriveSettings, ExternalPolicies, RunOptions, SimulationError};
use venice_sim::report::{Provenance, Report};
use venice_sim::state;

use crate::POLICY_CRATE;
use crate::columns::log_rows;
use crate::drive::Drive;
use crate::error;
use crate::guard::guarded;
use crate::json::to_json;
use crate::observation::ObservationOptions;
use crate::python_policies::{PolicyFailure, PolicyOptions};
use crate::request_sink::RequestSink;
use crate::requests::{AnySource, RequestOptions};
use crate::slices::{table_of, table_of_scouts};
use crate::table::Table;
use crate::watch::{self, Listeners, RowListener};

/// Number of requests per batch when requests are checked before the run.
const BATCH: usize = 4096;

/// Prepared simulation, which runs once.
#[pyclass(frozen, module = "venice._native")]
#[pyo3(name = "Simulation")]
pub struct PythonSimulation {
    /// Inputs of the run, or `None` once the run has started. A failed run can thus not be repeated.
    run: Mutex<Option<RunInputs>>,
    config: serde_json::Value,
    seed: u64,
    /// First exception raised by a policy in Python, which ended the run.
    failure: PolicyFailure,
}

/// Data shared by several runs: preconditioned drives and decoded traces.
#[pyclass(frozen, module = "venice._native")]
pub struct Preparations {
    drives: Arc<assembly::PreparedDrives>,
    traces: Arc<SharedTraces>,
}

#[pymethods]
impl Preparations {
    /// Creates an empty store. `most_bytes` limits the memory for drives, and separately the memory for trace
    /// requests. The least recently used drives are removed first. The most recent one is always kept.
    #[new]
    fn new(most_bytes: u64) -> Self {
        let drives = Arc::new(assembly::PreparedDrives::new(most_bytes));
        Self { drives, traces: Arc::new(SharedTraces::new(most_bytes)) }
    }

    /// Returns the number of preconditioned drives in the store.
    fn __len__(&self) -> usize {
        self.drives.count()
    }
}

/// Options of the drive that are not part of its configuration. The fields are attributes of
/// `venice.options.engine_options.EngineOptions`.
#[derive(FromPyObject)]
struct DriveOptions {
    /// File with the initial state of the drive.
    load_state: Option<PathBuf>,
    /// Instants at which a loss of power is examined, in microseconds.
    power_loss_us: Vec<f64>,
}

/// Inputs of a run.
struct RunInputs {
    settings: DriveSettings,
    flows: Vec<Flow>,
    /// Second source of the run's requests. It is read to its end before the run, so that invalid requests
    /// are found early.
    ahead: Option<AnySource>,
    options: RunOptions,
    state: Option<PathBuf>,
    /// Store of preconditioned drives, shared with other runs.
    preparations: Option<Arc<assembly::PreparedDrives>>,
    /// User-defined policies.
    external: ExternalPolicies,
    /// Instants at which a loss of power is examined.
    power_losses: Vec<SimTime>,
}

impl RunInputs {
    /// Builds the drive and preconditions it, or loads its initial state.
    fn build(self) -> Result<assembly::Simulation, SimulationError> {
        let Self { settings, flows, ahead, options, state, preparations, external, power_losses } = self;
        ahead.map_or(Ok(()), read_to_end)?;
        let built = match (state, preparations) {
            (Some(path), _) => {
                assembly::Simulation::with_external_from_state(external, &settings, flows, options, &path)
            }
            (None, Some(all)) if external.is_empty() => {
                assembly::Simulation::prepared_among(&all, &settings, flows, options)
            }
            (None, _) => assembly::Simulation::with_external(external, &settings, flows, options),
        };
        let mut simulation = built?;
        simulation.examine_power_losses(&power_losses);
        Ok(simulation)
    }
}

/// Reads all requests, so that errors are found before the drive is built.
fn read_to_end(mut source: AnySource) -> Result<(), SimulationError> {
    let mut batch = Vec::with_capacity(BATCH);
    while source.fill(&mut batch, BATCH)? > 0 {
        batch.clear();
    }
    Ok(())
}

#[pymethods]
impl PythonSimulation {
    /// Creates a simulation, and opens its trace or workload.
    ///
    /// `options` has the attributes of [`RequestOptions`], [`DriveOptions`] and [`PolicyOptions`].
    ///
    /// `observing` is a mapping with the keys of [`ObservationOptions`]; by default, the whole run is
    /// measured and nothing else is recorded.
    ///
    /// Runs with the same `preparations` share preconditioned drives and decoded traces.
    #[new]
    #[pyo3(signature = (drive, options, observing=None, *, preparations=None))]
    fn new(
        py: Python<'_>,
        drive: &Drive,
        options: &Bound<'_, PyAny>,
        observing: Option<ObservationOptions>,
        preparations: Option<&Preparations>,
    ) -> PyResult<Self> {
        let resolved = drive.resolved();
        let requests: RequestOptions = options.extract()?;
        let DriveOptions { load_state, power_loss_us } = options.extract()?;
        let policies: PolicyOptions<'_> = options.extract()?;
        let failure = PolicyFailure::default();
        let external = policies.create(resolved.settings().host.scheduler.as_ref(), &failure)?;
        // A single run reads its trace at most twice, which does not justify keeping the decoded requests in
        // memory.
        let traces =
            preparations.map_or_else(|| Arc::new(SharedTraces::new(0)), |all| Arc::clone(&all.traces));
        if requests.has_searches()? {
            resolved.check_searches().map_err(|wrong| error::config(&wrong))?;
        }
        let flows = requests.open(py, resolved, &traces)?;
        let observed = observing.unwrap_or_default().options(&flows)?;
        let ahead = requests.look_ahead(py, resolved, &traces)?;
        let simulation = Self::over(resolved, resolved.settings().clone(), flows, observed, load_state);
        let power_losses = power_loss_us.into_iter().map(|us| SimTime::ZERO + SimSpan::from_us_f64(us));
        let preparations = preparations.map(|all| Arc::clone(&all.drives));
        let simulation = simulation.after(ahead, preparations, external, power_losses.collect());
        Ok(Self { failure, ..simulation })
    }

    /// Builds the drive, runs to the end and returns the report as JSON text.
    ///
    /// `progress(completed, total, simulated_us)` is called about ten times a second and at the end. `log` is
    /// called with `Table`s of new rows of the request log, with the columns `columns`. If `whole_log` is
    /// true, it is called once, with all rows. The sinks `files` receive the same rows, each with its own
    /// columns. An exception of these callables ends the run and is raised here. With `save_state`, the state
    /// of the drive is written to that file at the end.
    ///
    /// If slices are recorded, `events(file, slices, full_at_ps)` is called at the end. Its arguments are a
    /// trace file for Perfetto, the number of slices, and the time from which slices are missing because
    /// their maximum number was reached. `slices(table, scouts, full_at_ps)` is called with tables of the
    /// slices and of the scouts.
    ///
    /// Raises `StateError` before the run if the state file is not writable or cannot describe the drive, or if the
    /// initial state is missing, damaged or of another drive. Raises `SimulationError` if the state cannot be written at the
    /// end, for instance on a full disk.
    #[allow(clippy::too_many_arguments, reason = "each is an argument of its own in Python")]
    #[pyo3(signature = (
        progress=None, log=None, save_state=None, *, columns=Vec::new(), whole_log=false, files=Vec::new(), events=None,
        slices=None
    ))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        progress: Option<Bound<'py, PyAny>>,
        log: Option<Bound<'py, PyAny>>,
        save_state: Option<PathBuf>,
        columns: Vec<String>,
        whole_log: bool,
        files: Vec<Py<RequestSink>>,
        events: Option<Bound<'py, PyAny>>,
        slices: Option<Bound<'py, PyAny>>,
    ) -> PyResult<String> {
        let writable = save_state.as_deref().map_or(Ok(()), state::check_writable);
        writable.map_err(|wrong| error::state(&wrong))?;
        let mut planned = self.take()?;
        if log.is_some() || !files.is_empty() {
            let names = columns.iter().chain(files.iter().flat_map(|file| file.get().columns()));
            planned.options.log_rows = log_rows(&names.collect::<Vec<_>>());
        }
        let log = log.map(|call| RowListener { call, columns, wants_all: whole_log });
        let listeners = Listeners { progress, log, files };
        let started = watch::now();
        let built = watch::build(py, || planned.build(), &listeners)?;
        let mut run = built.map_err(|wrong| self.failure.or(error::simulation(&wrong)))?;
        let savable = save_state.as_deref().map_or(Ok(()), |path| run.check_savable(path));
        savable.map_err(|wrong| error::state(&wrong))?;
        watch::run(py, &mut run, &listeners).map_err(|wrong| self.failure.or(wrong))?;
        let wall_s = started.elapsed().as_secs_f64();
        let provenance = Provenance { config: self.config.clone(), seed: self.seed, wall_s };
        let reported = py.detach(|| guarded(|| text_of(run.report(provenance))));
        let report = reported.map_err(|crash| error::crash(&crash))?;
        if let Some(events) = &events {
            hand_over_events(py, &mut run, events)?;
        }
        if let Some(slices) = &slices {
            hand_over_slices(&run, slices)?;
        }
        let saved = save_state.as_deref().map_or(Ok(()), |path| run.save_state(path));
        saved.map_err(|failure| error::late(&failure))?;
        Ok(report)
    }

    /// Runs until the time window of recorded slices, and all activities that began in it, have ended. Then
    /// calls `slices` as [`Self::run`] does.
    ///
    /// There is no report, since the run is incomplete.
    #[pyo3(signature = (slices, progress=None))]
    fn look(
        &self,
        py: Python<'_>,
        slices: &Bound<'_, PyAny>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let planned = self.take()?;
        let listeners = Listeners { progress, log: None, files: Vec::new() };
        let built = watch::build(py, || planned.build(), &listeners)?;
        let mut run = built.map_err(|wrong| self.failure.or(error::simulation(&wrong)))?;
        let looked = watch::run_until(py, &mut run, &listeners, assembly::Simulation::slices_are_over);
        looked.map_err(|wrong| self.failure.or(wrong))?;
        hand_over_slices(&run, slices)
    }
}

impl PythonSimulation {
    /// Creates a simulation of the configured drive `drive`, with the engine settings `settings` and the
    /// request flows `flows`.
    pub fn over(
        drive: &ResolvedDrive,
        settings: DriveSettings,
        flows: Vec<Flow>,
        options: RunOptions,
        state: Option<PathBuf>,
    ) -> Self {
        let (config, seed) = (drive.to_json(), settings.seed);
        let external = ExternalPolicies::default();
        let planned = RunInputs {
            settings,
            flows,
            ahead: None,
            options,
            state,
            preparations: None,
            external,
            power_losses: Vec::new(),
        };
        Self { run: Mutex::new(Some(planned)), config, seed, failure: PolicyFailure::default() }
    }

    /// Adds further inputs to the simulation: requests to be checked before the run (`ahead`), shared
    /// preparations, user-defined policies, and losses of power to be examined.
    fn after(
        self,
        ahead: Option<AnySource>,
        preparations: Option<Arc<assembly::PreparedDrives>>,
        external: ExternalPolicies,
        power_losses: Vec<SimTime>,
    ) -> Self {
        let planned = self.run.into_inner().ok().flatten();
        let run = planned.map(|planned| RunInputs { ahead, preparations, external, power_losses, ..planned });
        Self { run: Mutex::new(run), ..self }
    }

    fn take(&self) -> PyResult<RunInputs> {
        let mut slot =
            self.run.lock().map_err(|_| error::usage("a simulation that failed cannot run again"))?;
        slot.take().ok_or_else(|| {
            error::usage("the simulation has already run; expected: a new simulation for each run")
        })
    }
}

/// Calls `slices` with the tables of slices and of scouts.
fn hand_over_slices(run: &assembly::Simulation, slices: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(kept) = run.slices() else { return Ok(()) };
    let table = Table::new(table_of(kept.kept(), &run.row_names()));
    let scouts = Table::new(table_of_scouts(kept.trips()));
    slices.call1((table, scouts, kept.full_at().map(SimTime::as_ps)))?;
    Ok(())
}

/// Calls `events` with the Perfetto trace file.
fn hand_over_events(
    py: Python<'_>,
    run: &mut assembly::Simulation,
    events: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let made = py.detach(|| guarded(|| run.trace_events()));
    let Some((file, slices)) = made.map_err(|crash| error::crash(&crash))?.zip(run.slices()) else {
        return Ok(());
    };
    let full_at_ps = slices.full_at().map(SimTime::as_ps);
    events.call1((PyBytes::new(py, &file), slices.kept().len(), full_at_ps))?;
    Ok(())
}

fn text_of(mut report: Report) -> String {
    report.build.policies = POLICY_CRATE.get().copied();
    to_json(&report).expect("a report has only names for keys and only finite numbers or none")
}
