//! Figures of the controller's cores and of the rate limit of writes in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::controller::AdmissionCounters;
use venice_drive::device::WindowWork;

/// Figures of the controller's cores.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct ControllerReport {
    /// Number of cores.
    #[schemars(extend("unit" = "cores"))]
    pub cores: u32,
    /// Number of commands that arrived in the measured window.
    #[schemars(extend("unit" = "commands"))]
    pub commands: u64,
    /// Mean share of the measured window in which a core was busy, in %; absent if no time passed.
    pub utilisation_pct: Option<f64>,
    /// Share of commands that arrived when no core was free, in %; absent without commands.
    pub delayed_pct: Option<f64>,
    /// Mean wait of a command for a core, in microseconds; absent without commands.
    pub mean_wait_us: Option<f64>,
    /// Rate limit of writes; absent for a drive without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_admission: Option<WriteAdmissionReport>,
}

/// Figures of the rate limit of writes.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct WriteAdmissionReport {
    /// Number of writes that arrived in the measured window.
    #[schemars(extend("unit" = "commands"))]
    pub writes: u64,
    /// Share of writes that waited for their admission, in %; absent without writes.
    pub delayed_pct: Option<f64>,
    /// Mean wait of a write for its admission, in microseconds; absent without writes.
    pub mean_wait_us: Option<f64>,
}

/// Returns the figures of the cores, or `None` for a drive without cores.
pub(super) fn controller_report(served: &WindowWork) -> Option<ControllerReport> {
    let counters = served.work().cores()?;
    let mean = |sum: f64| (counters.commands > 0).then(|| sum / counters.commands as f64);
    Some(ControllerReport {
        cores: served.work().core_count(),
        commands: counters.commands,
        utilisation_pct: served.of_cores(),
        delayed_pct: mean(counters.delayed as f64 * 100.0),
        mean_wait_us: mean(counters.wait_ps as f64 / 1e6),
        write_admission: counters.admission.as_ref().map(write_admission),
    })
}

fn write_admission(counters: &AdmissionCounters) -> WriteAdmissionReport {
    let mean = |sum: f64| (counters.writes > 0).then(|| sum / counters.writes as f64);
    WriteAdmissionReport {
        writes: counters.writes,
        delayed_pct: mean(counters.delayed as f64 * 100.0),
        mean_wait_us: mean(counters.wait_ps as f64 / 1e6),
    }
}
