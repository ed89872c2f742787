//! From what the user asked for to a stream of requests.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use venice_ssd::assembly::{self, DriveSettings};
use venice_ssd::host::adapters::{Folded, Limited, RateScale, RateScaled};
use venice_ssd::host::workloads::{Pacing, load_workload};
use venice_ssd::host::{LoopMode, RequestSource, SECTOR_BYTES, SourceError, traces};

use crate::error;
use crate::guard::guarded;

type Source = Box<dyn RequestSource + Send>;

/// Where the requests come from, and how they are issued.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RequestOptions {
    trace: Option<PathBuf>,
    format: Option<String>,
    workload: Option<String>,
    closed_loop: Option<u32>,
    rate_scale: Option<f64>,
    requests: Option<u64>,
}

/// A stream of requests for one drive, and when they are issued.
pub struct Opened {
    /// The requests, all inside the drive.
    pub source: Source,
    /// By the clock or by completions.
    pub mode: LoopMode,
}

impl RequestOptions {
    /// Opens the trace or loads the workload.
    ///
    /// # Errors
    /// `UsageError` for options that do not go together, `TraceError` and `WorkloadError`.
    pub fn open(&self, py: Python<'_>, settings: &DriveSettings) -> PyResult<Opened> {
        let opened = py.detach(|| guarded(|| self.open_unguarded(settings)));
        opened.map_err(|crash| error::crash(&crash))?
    }

    fn open_unguarded(&self, settings: &DriveSettings) -> PyResult<Opened> {
        let Opened { source, mode } = match (&self.trace, &self.workload) {
            (Some(path), None) => self.open_trace(path),
            (None, Some(name)) => self.load_workload(name, settings),
            _ => return Err(error::usage("a run takes a trace or a workload")),
        }
        .map_err(|wrong| error::source(&wrong))?;
        self.adapt(source, mode, settings)
    }

    fn open_trace(&self, path: &Path) -> Result<Opened, SourceError> {
        let source = traces::open_trace(path, self.format.as_deref())?;
        Ok(Opened { source: limited(source, self.requests), mode: LoopMode::Open })
    }

    fn load_workload(&self, name: &str, settings: &DriveSettings) -> Result<Opened, SourceError> {
        let workload = load_workload(name)?;
        let workload = match self.requests {
            Some(requests) => workload.with_requests(requests),
            None => workload,
        };
        // A workload is on queue 0, which has the first address range.
        let capacity_sectors = assembly::Simulation::address_ranges(settings)[0].end;
        let source = workload.source(capacity_sectors, settings.seed)?;
        Ok(Opened { source, mode: mode_of(workload.pacing()) })
    }

    fn adapt(&self, source: Source, mode: LoopMode, settings: &DriveSettings) -> PyResult<Opened> {
        let source = match (self.rate_scale, mode) {
            (None, _) => source,
            (Some(factor), LoopMode::Open) => {
                scaled(source, factor).map_err(|wrong| error::source(&wrong))?
            }
            (Some(_), LoopMode::Closed { .. }) => {
                let text =
                    "the workload is a closed loop; it has no arrival times that a rate scale could change";
                return Err(error::usage(text));
            }
        };
        let mode = self.closed_loop.map_or(mode, |depth| LoopMode::Closed { depth });
        Ok(Opened { source: folded(source, settings), mode })
    }
}

fn mode_of(pacing: Pacing) -> LoopMode {
    match pacing {
        Pacing::ClosedLoop { depth } => LoopMode::Closed { depth },
        Pacing::OpenLoop(_) => LoopMode::Open,
    }
}

fn limited(source: Source, requests: Option<u64>) -> Source {
    match requests {
        Some(requests) => Box::new(Limited::new(source, requests)),
        None => source,
    }
}

fn scaled(source: Source, factor: f64) -> Result<Source, SourceError> {
    Ok(Box::new(RateScaled::new(source, RateScale::new(factor)?)))
}

fn folded(source: Source, settings: &DriveSettings) -> Source {
    let page_sectors = settings.geometry.page_bytes / SECTOR_BYTES;
    Box::new(Folded::into_ranges(source, assembly::Simulation::address_ranges(settings), page_sectors))
}

/// The characteristics of a trace, as JSON text.
///
/// Raises `TraceError` for a file that is missing, damaged or of no known format.
#[pyfunction]
#[pyo3(signature = (path, format=None))]
pub fn trace_info(py: Python<'_>, path: PathBuf, format: Option<String>) -> PyResult<String> {
    let surveyed = py.detach(|| guarded(|| traces::trace_info(&path, format.as_deref())));
    let info = surveyed.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::source(&wrong))?;
    Ok(serde_json::to_string(&info).expect("characteristics have only names for keys and finite numbers"))
}
