//! Conversion of MQSim's own files to a drive and to runs.

use std::path::PathBuf;

use pyo3::prelude::*;
use venice_config::{ConfigError, ResolvedDrive};
use venice_drive::ftl::PageCuts;
use venice_mqsim::{self as mqsim, Execution, FlowPlan, MqsimWorkload, Notice, Scenario, Severity};
use venice_requests::Flow;
use venice_sim::assembly;

use crate::drive::Drive;
use crate::error;
use crate::guard::guarded;
use crate::observation::ObservationOptions;
use crate::simulation::PythonSimulation;

/// Severity (`warning` or `note`) and text of a remark.
type NoticeText = (&'static str, String);

/// Maximum number of requests of a synthetic flow if a stop criterion ends the run.
const MAX_REQUESTS: u32 = 10_000_000;

/// Validated configuration and workload of MQSim.
#[pyclass(frozen, module = "venice._native")]
pub struct MqsimFiles {
    execution: Execution,
    workload: MqsimWorkload,
    /// Configured drives, one for each scenario of the workload file.
    drives: Vec<ResolvedDrive>,
    remarks: Vec<Notice>,
}

#[pymethods]
impl MqsimFiles {
    /// Reads MQSim's configuration and workload files. `fabric`, `sets` and `seed` change the drive as in
    /// `resolve`.
    ///
    /// Raises `ConfigError` with all problems of the first invalid file.
    #[new]
    #[pyo3(signature = (config, workload, *, fabric=None, sets=Vec::new(), seed=None))]
    fn new(
        py: Python<'_>,
        config: PathBuf,
        workload: PathBuf,
        fabric: Option<&str>,
        sets: Vec<String>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let read = || {
            let (execution, mut remarks) = mqsim::read_config(&config)?;
            let (workload, found) = mqsim::read_workload(&workload, &execution)?;
            let drive = |scenario| mqsim::drive(&execution, Some(scenario), fabric, &sets, seed);
            let drives = workload.scenarios.iter().map(drive).collect::<Result<_, _>>()?;
            remarks.extend(found);
            Ok(Self { execution, workload, drives, remarks })
        };
        checked(py, read)
    }

    /// Returns the remarks on the files and on the given scenarios, each as a pair of severity (`warning` or
    /// `note`) and text.
    fn remarks(&self, scenarios: Vec<usize>) -> Vec<NoticeText> {
        let asked_for = mqsim::remarks(&self.execution, Some((&self.workload, &scenarios)));
        notice_texts(self.remarks.iter().chain(&asked_for))
    }

    /// Returns the drive of a scenario.
    ///
    /// Raises `UsageError` for an unknown scenario.
    fn drive(&self, scenario: usize) -> PyResult<Drive> {
        Ok(Drive::new(self.chosen(scenario)?.1.clone()))
    }

    /// Returns the number of flows for each scenario of the workload file.
    fn scenarios(&self) -> Vec<usize> {
        self.workload.scenarios.iter().map(|scenario| scenario.flows.len()).collect()
    }

    /// Returns the names of a scenario's flows in MQSim's results.
    ///
    /// Raises `UsageError` for an unknown scenario.
    fn result_names(&self, scenario: usize) -> PyResult<Vec<String>> {
        let flows = self.chosen(scenario)?.0.flows.iter().enumerate();
        Ok(flows.map(|(number, flow)| flow.result_name(number)).collect())
    }

    /// Returns the period of the response-time log in nanoseconds, or `None` without a log.
    fn log_period_ns(&self) -> Option<u64> {
        let host = &self.execution.host;
        host.enable_response_time_logging.value.then_some(host.response_time_logging_period_length.value)
    }

    /// Opens the inputs of a scenario, so that missing files are reported before the run.
    ///
    /// Raises the exceptions of `simulation`.
    #[pyo3(signature = (scenario, requests=None))]
    fn check(&self, py: Python<'_>, scenario: usize, requests: Option<PathBuf>) -> PyResult<()> {
        let (chosen, drive) = self.chosen(scenario)?;
        self.flows(py, chosen, drive, requests).map(|_| ())
    }

    /// Creates a run of the scenario with this index, counted from zero. If `requests` names a file, the run
    /// executes exactly the requests in the file. `observing` is a mapping with the keys of
    /// [`ObservationOptions`].
    ///
    /// Raises `TraceError` for a missing or invalid trace or request file, `WorkloadError` for a flow that
    /// does not fit the drive, `UsageError` for an unknown scenario.
    #[pyo3(signature = (scenario, requests=None, observing=None, *, load_state=None))]
    fn simulation(
        &self,
        py: Python<'_>,
        scenario: usize,
        requests: Option<PathBuf>,
        observing: Option<ObservationOptions>,
        load_state: Option<PathBuf>,
    ) -> PyResult<PythonSimulation> {
        let (chosen, drive) = self.chosen(scenario)?;
        let observing = observing.unwrap_or_default();
        let flows = if observing.has_criterion() {
            self.flows(py, &chosen.lasting(MAX_REQUESTS), drive, requests)?
        } else {
            self.flows(py, chosen, drive, requests)?
        };
        let mut settings = drive.settings().clone();
        settings.precondition.regions = mqsim::precondition(&self.execution, chosen, &settings);
        if drive.config().ftl.page_cuts == PageCuts::Device {
            let ranges = assembly::Simulation::address_ranges(&settings);
            settings.ftl.page_cuts = mqsim::page_cuts(&self.execution, chosen, &ranges);
        }
        let options = observing.options(&flows)?;
        Ok(PythonSimulation::over(drive, settings, flows, options, load_state))
    }
}

impl MqsimFiles {
    fn chosen(&self, scenario: usize) -> PyResult<(&Scenario, &ResolvedDrive)> {
        let found = self.workload.scenarios.get(scenario).zip(self.drives.get(scenario));
        found.ok_or_else(|| error::usage("unknown scenario"))
    }

    fn flows(
        &self,
        py: Python<'_>,
        chosen: &Scenario,
        drive: &ResolvedDrive,
        list: Option<PathBuf>,
    ) -> PyResult<Vec<Flow>> {
        let ranges = assembly::Simulation::address_ranges(drive.settings());
        let cuts = drive.config().ftl.page_cuts;
        let planned = py.detach(|| {
            guarded(|| mqsim::flows(&self.execution, &self.workload, chosen, &ranges, list.as_deref(), cuts))
        });
        let plans = planned.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::source(&wrong))?;
        Ok(plans.into_iter().map(flow).collect())
    }
}

fn flow(plan: FlowPlan) -> Flow {
    let flow = Flow::new(plan.source, plan.mode).on_queue(plan.queue);
    match plan.stop {
        Some(stop) => flow.until(stop),
        None => flow,
    }
}

/// Returns the drive of an MQSim configuration as a complete TOML file, and the remarks on it.
///
/// Raises `ConfigError` with all problems of the configuration.
#[pyfunction]
pub fn import_mqsim(py: Python<'_>, config: PathBuf) -> PyResult<(String, Vec<NoticeText>)> {
    checked(py, || {
        let (execution, mut remarks) = mqsim::read_config(&config)?;
        let resolved = mqsim::drive(&execution, None, None, &[], None)?;
        remarks.extend(mqsim::remarks(&execution, None));
        Ok((resolved.to_toml(), notice_texts(remarks.iter())))
    })
}

fn checked<T: Send>(py: Python<'_>, read: impl FnOnce() -> Result<T, ConfigError> + Send) -> PyResult<T> {
    let read = py.detach(|| guarded(read));
    read.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::config(&wrong))
}

fn notice_texts<'a>(remarks: impl Iterator<Item = &'a Notice>) -> Vec<NoticeText> {
    let level = |remark: &Notice| match remark.level {
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    remarks.map(|remark| (level(remark), remark.to_string())).collect()
}
