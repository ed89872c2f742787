//! Request streams from the options of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use venice_config::ResolvedDrive;
use venice_kernel::SimSpan;
use venice_requests::adapters::{
    BlockLength, FilteredSource, LimitedSource, RateScale, RateScaledSource, Reopen, RequestFilter,
    ResampledSource, Resampling, ResamplingMethod, SearchCheck, SearchSupport, WrappedSource,
};
use venice_requests::traces::{
    BlockLayerEvent, DeviceCheck, DeviceLayout, ParquetDecoder, ReopenTrace, SharedTraces, TraceError,
    TraceOptions,
};
use venice_requests::workloads::{OpenedFlow, Pacing};
use venice_requests::{Flow, LoopMode, RequestSource, SECTOR_BYTES, SourceError};
use venice_sim::assembly::{self, DriveSettings};

use crate::error;
use crate::guard::guarded;
use crate::parquet;
use crate::python_source::PythonSource;
use crate::workloads::WorkloadOption;

/// Request source of any kind.
pub type AnySource = Box<dyn RequestSource + Send>;

/// Request options of a run. The fields are attributes of `venice.options.engine_options.EngineOptions`.
#[derive(FromPyObject)]
pub struct RequestOptions {
    trace: Option<PathBuf>,
    format: Option<String>,
    columns: Option<String>,
    event: Option<String>,
    skip_bad: Option<u64>,
    devices: Option<String>,
    trace_resample: Option<String>,
    trace_block: Option<BlockLengthOption>,
    trace_seed: Option<u64>,
    workload: Option<WorkloadOption>,
    source: Option<Py<PyAny>>,
    closed_loop: Option<u32>,
    rate_scale: Option<f64>,
    requests: Option<u64>,
    most_folded_pct: Option<f64>,
    /// Host queue to which the run is restricted, if any.
    only_queue: Option<u16>,
}

impl RequestOptions {
    /// Opens the trace or loads the workload. A trace may be shared with other runs.
    ///
    /// # Errors
    /// Returns `UsageError` for options that exclude each other, and `TraceError` or `WorkloadError` for
    /// invalid input.
    pub fn open(
        &self,
        py: Python<'_>,
        drive: &ResolvedDrive,
        traces: &Arc<SharedTraces>,
    ) -> PyResult<Vec<Flow>> {
        let opened = py.detach(|| guarded(|| self.open_unguarded(drive, traces)));
        opened.map_err(|crash| error::crash(&crash))?
    }

    /// Returns true if the workload has searches.
    ///
    /// # Errors
    /// Returns `WorkloadError` for an invalid workload.
    pub fn has_searches(&self) -> PyResult<bool> {
        let workload = self.workload.as_ref().map(WorkloadOption::load).transpose();
        Ok(workload.map_err(|wrong| error::source(&wrong))?.is_some_and(|workload| workload.has_searches()))
    }

    /// Opens the requests of a trace a second time, to be read before the run. The run thus finds out early
    /// if requests exceed the drive's capacity, and if the addresses of devices overlap. Returns `None` if
    /// neither is checked, or if the trace can be read only once.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`RequestOptions::open`].
    pub fn look_ahead(
        &self,
        py: Python<'_>,
        drive: &ResolvedDrive,
        traces: &Arc<SharedTraces>,
    ) -> PyResult<Option<AnySource>> {
        let Some(path) = self.trace.as_ref().filter(|path| path.is_file()) else { return Ok(None) };
        let checks_devices = self.devices.is_none();
        if self.most_folded_pct.is_none() && !checks_devices {
            return Ok(None);
        }
        let trace = self.trace_requests(path, drive, traces)?;
        // The interpreter lock is released here, since another run that decodes the same trace may wait for
        // it.
        let source = py.detach(|| trace.open()).map_err(|wrong| error::source(&wrong))?;
        let source: AnySource = if checks_devices { trace.checked(source, true) } else { source };
        Ok(Some(self.folded(source, drive)))
    }

    fn open_unguarded(&self, drive: &ResolvedDrive, traces: &Arc<SharedTraces>) -> PyResult<Vec<Flow>> {
        match (&self.trace, &self.workload, &self.source) {
            (Some(path), None, None) => Ok(vec![self.trace_flow(path, drive, traces)?]),
            (None, Some(workload), None) => self.workload_flows(workload, drive),
            (None, None, Some(source)) => Ok(vec![self.made_flow(source, drive)?]),
            _ => Err(error::usage("nothing to run; expected: a trace, a workload or a source")),
        }
    }

    fn trace_options(&self) -> PyResult<TraceOptions> {
        let devices = self.devices.as_deref();
        trace_options(
            self.format.clone(),
            self.columns.clone(),
            self.event.as_deref(),
            self.skip_bad,
            devices,
        )
    }

    fn trace_requests(
        &self,
        path: &Path,
        drive: &ResolvedDrive,
        traces: &Arc<SharedTraces>,
    ) -> PyResult<TraceRequests> {
        Ok(TraceRequests {
            path: path.to_owned(),
            options: self.trace_options()?,
            traces: Arc::clone(traces),
            resampling: self.resampling(drive.settings().seed)?,
            requests: self.requests,
            address_ranges: assembly::Simulation::address_ranges(drive.settings()).len(),
        })
    }

    /// Returns the resampling of the trace, if enabled. Its default seed is the seed of the run.
    fn resampling(&self, seed: u64) -> PyResult<Option<Resampling>> {
        let block = self.trace_block.map(BlockLengthOption::length);
        let method = match self.trace_resample.as_deref() {
            None => return Ok(None),
            Some("offset") => ResamplingMethod::Offset,
            Some("blocks") => ResamplingMethod::Blocks(block),
            Some(other) => {
                return Err(error::usage(&format!(
                    "unknown resampling `{other}`; expected: offset or blocks"
                )));
            }
        };
        Ok(Some(Resampling { method, seed: self.trace_seed.unwrap_or(seed) }))
    }

    fn trace_flow(&self, path: &Path, drive: &ResolvedDrive, traces: &Arc<SharedTraces>) -> PyResult<Flow> {
        let trace = self.trace_requests(path, drive, traces)?;
        let source = trace.open().map_err(|wrong| error::source(&wrong))?;
        let is_unchecked = self.devices.is_none() && !path.is_file();
        let source: AnySource = if is_unchecked { trace.checked(source, false) } else { source };
        self.flow(self.of_selected_queue(source), LoopMode::Open, drive)
    }

    fn made_flow(&self, source: &Py<PyAny>, drive: &ResolvedDrive) -> PyResult<Flow> {
        let made = Python::attach(|py| PythonSource::new(source.bind(py)))?;
        self.flow(self.of_selected_queue(limited(Box::new(made), self.requests)), LoopMode::Open, drive)
    }

    /// Restricts requests to the requests of the queue `only_queue`, if it is set.
    fn of_selected_queue(&self, source: AnySource) -> AnySource {
        match self.only_queue {
            Some(queue) => Box::new(FilteredSource::new(
                source,
                RequestFilter { queues: vec![queue], ..RequestFilter::default() },
            )),
            None => source,
        }
    }

    fn workload_flows(&self, workload: &WorkloadOption, drive: &ResolvedDrive) -> PyResult<Vec<Flow>> {
        let opened = self.load_workload(workload, drive.settings()).map_err(|wrong| error::source(&wrong))?;
        let several = opened.len() > 1;
        let is_selected = |opened: &OpenedFlow| self.only_queue.is_none_or(|only| only == opened.queue);
        let flow = |opened: OpenedFlow| {
            let flow = self.flow(opened.source, mode_of(opened.pacing), drive)?;
            let flow = flow.measured_from(opened.measured_from);
            let flow = opened.steady.into_iter().fold(flow, Flow::until_steady);
            let flow = if several { flow.on_queue(opened.queue) } else { flow };
            let flow = if self.closed_loop.is_some() { flow } else { flow.at_pace(opened.pace) };
            Ok(opened.stop.into_iter().fold(flow, Flow::until))
        };
        opened.into_iter().filter(is_selected).map(flow).collect()
    }

    fn load_workload(
        &self,
        workload: &WorkloadOption,
        settings: &DriveSettings,
    ) -> Result<Vec<OpenedFlow>, SourceError> {
        let workload = workload.load()?;
        workload.check_cache(settings.cache.takes_writes())?;
        workload.check_pattern_sets(settings.ftl.search.pattern_sets.len())?;
        let workload = match self.requests {
            Some(requests) => workload.with_requests(requests.max(1)),
            None => workload,
        };
        // Workloads use the first address range, which is the whole drive unless it is partitioned.
        let capacity_sectors = assembly::Simulation::address_ranges(settings)[0].end;
        let flows = workload.open(capacity_sectors, settings.seed)?;
        // A run without requests only prepares the state of the drive.
        let none = (self.requests == Some(0)).then_some(0);
        Ok(flows.into_iter().map(|flow| OpenedFlow { source: limited(flow.source, none), ..flow }).collect())
    }

    fn flow(&self, source: AnySource, mode: LoopMode, drive: &ResolvedDrive) -> PyResult<Flow> {
        let source = match (self.rate_scale, mode) {
            (None, _) => source,
            (Some(factor), LoopMode::Open) => {
                scaled(source, factor).map_err(|wrong| error::source(&wrong))?
            }
            (Some(_), LoopMode::Closed { .. }) => {
                let text = "a rate scale cannot be combined with a closed loop, which has no arrival times; expected: an open loop";
                return Err(error::usage(text));
            }
        };
        let mode = self.closed_loop.map_or(mode, |depth| LoopMode::Closed { depth });
        Ok(Flow::new(self.folded(source, drive), mode))
    }

    fn folded(&self, source: AnySource, drive: &ResolvedDrive) -> AnySource {
        let settings = drive.settings();
        let page_sectors = settings.geometry.page_bytes / SECTOR_BYTES;
        let ranges = assembly::Simulation::address_ranges(settings);
        // Workloads are checked when they are loaded.
        let source: AnySource = if self.workload.is_some() {
            source
        } else {
            Box::new(SearchCheck::new(source, search_support(drive)))
        };
        Box::new(WrappedSource::into_ranges(source, ranges, page_sectors).at_most(self.most_folded_pct))
    }
}

/// Length of a block of a trace, for resampling. It is a time in picoseconds if the flag is true, otherwise a
/// number of requests.
#[derive(Clone, Copy, FromPyObject)]
struct BlockLengthOption(u64, bool);

impl BlockLengthOption {
    fn length(self) -> BlockLength {
        let Self(length, is_time) = self;
        if is_time { BlockLength::Time(SimSpan::from_ps(length)) } else { BlockLength::Requests(length) }
    }
}

/// Trace as the request source of a run, with its options.
#[derive(Clone)]
struct TraceRequests {
    path: PathBuf,
    options: TraceOptions,
    traces: Arc<SharedTraces>,
    resampling: Option<Resampling>,
    requests: Option<u64>,
    /// Number of address ranges of the drive.
    address_ranges: usize,
}

impl TraceRequests {
    fn open(&self) -> Result<AnySource, SourceError> {
        let source = match self.resampling {
            None => self.traces.open(&self.path, &self.options)?,
            Some(resampling) => self.resampled(resampling)?,
        };
        Ok(limited(source, self.requests))
    }

    fn resampled(&self, resampling: Resampling) -> Result<AnySource, SourceError> {
        if !self.path.is_file() {
            let path = self.path.clone();
            return Err(TraceError::OnceOnly { path, option: "--trace-resample" }.into());
        }
        let Self { path, options, traces, .. } = self.clone();
        let reopen: Reopen = Arc::new(move || traces.open(&path, &options));
        Ok(Box::new(ResampledSource::new(reopen, resampling)?))
    }

    /// Adds a check to a request source. If the addresses of two devices of the trace overlap, the requests
    /// end with an error.
    fn checked(self, source: AnySource, is_read_again: bool) -> AnySource {
        let ranges = self.address_ranges;
        let reopen = is_read_again.then(|| -> ReopenTrace { Box::new(move || self.open()) });
        Box::new(DeviceCheck::new(source, ranges, reopen))
    }
}

/// Returns the kinds of searches that a drive can execute.
fn search_support(drive: &ResolvedDrive) -> SearchSupport {
    let settings = drive.settings();
    if settings.cache.takes_writes() {
        return SearchSupport::WriteCache;
    }
    match drive.check_searches() {
        Ok(()) => SearchSupport::PatternSets(settings.ftl.search.pattern_sets.len()),
        Err(wrong) => SearchSupport::Chips(wrong.to_string().into()),
    }
}

fn mode_of(pacing: Pacing) -> LoopMode {
    match pacing {
        Pacing::ClosedLoop { depth, .. } => LoopMode::Closed { depth },
        Pacing::OpenLoop(_) => LoopMode::Open,
    }
}

fn limited(source: AnySource, requests: Option<u64>) -> AnySource {
    match requests {
        Some(requests) => Box::new(LimitedSource::new(source, requests)),
        None => source,
    }
}

fn scaled(source: AnySource, factor: f64) -> Result<AnySource, SourceError> {
    Ok(Box::new(RateScaledSource::new(source, RateScale::new(factor)?)))
}

/// Returns the options for reading a trace.
///
/// # Errors
/// `UsageError` for an unknown event.
pub fn trace_options(
    format: Option<String>,
    columns: Option<String>,
    event: Option<&str>,
    skip_bad: Option<u64>,
    devices: Option<&str>,
) -> PyResult<TraceOptions> {
    let event = event.map_or(Ok(BlockLayerEvent::default()), str::parse);
    let event = event.map_err(|wrong: String| error::usage(&wrong))?;
    Ok(TraceOptions {
        format,
        columns,
        event,
        skip_bad: skip_bad.unwrap_or(0),
        devices: devices.map(DeviceLayout::from),
        parquet: Some(ParquetDecoder(parquet::open)),
    })
}
