//! Flows of a scenario as request sources: synthetic, from a trace, or from a list of recorded requests.
//!
//! The queue number of a flow is its position in the scenario. The module `partition` translates addresses.
//! An address beyond the flow's address space is wrapped around that space and counted. Flows that start at
//! the same time start in scenario order or, with a list, in the order of their first requests in the list.

use std::ops::Range;
use std::path::{Path, PathBuf};

use venice_drive::ftl::PageCuts;
use venice_kernel::SimTime;
use venice_requests::adapters::{LimitedSource, ShiftedSource, WrappedSource};
use venice_requests::request::BoxedSource;
use venice_requests::traces::{RequestList, TraceError, replay_trace};
use venice_requests::workloads::WorkloadError;
use venice_requests::{LoopMode, RequestSource, SECTOR_BYTES, SourceError};

use super::execution::Execution;
use super::generator::MqsimRequests;
use super::partition::{FlowSpace, spaces};
use super::workload::{FlowOrigin, FlowParameters, Generator, MqsimWorkload, Scenario, SyntheticParameters};

/// Flow of a scenario, with its request source and its issue policy.
pub struct FlowPlan {
    /// Queue number: the flow's position in the scenario.
    pub queue: u16,
    /// Name of the flow in reports.
    pub name: String,
    /// Source of the flow's requests.
    pub source: BoxedSource,
    /// Issue policy of the flow: open or closed loop.
    pub mode: LoopMode,
    /// Time at which the flow ends even if it has further requests; `None` for no limit.
    pub stop: Option<SimTime>,
}

/// Returns the flows of a scenario in the order of their starts, for a drive with these address ranges.
/// `cuts` defines how requests are split into pages ([`page_cuts`](super::page_cuts)).
///
/// With a list of recorded requests, each flow has its requests from that list. A flow with a queue depth
/// issues them on completions, other flows at their arrival times.
///
/// # Errors
///
/// Returns a [`SourceError`] if a trace or the list cannot be read or does not fit the scenario.
pub fn flows(
    execution: &Execution,
    workload: &MqsimWorkload,
    scenario: &Scenario,
    ranges: &[Range<u64>],
    list: Option<&Path>,
    cuts: PageCuts,
) -> Result<Vec<FlowPlan>, SourceError> {
    let list = list.map(|path| RequestList::open(path, scenario.flows.len())).transpose()?;
    let spaces = spaces(execution, scenario, ranges);
    let page_sectors = execution.flash.page_capacity.value / SECTOR_BYTES;
    let numbered = scenario.flows.iter().zip(spaces).enumerate();
    let plan = |(number, (flow, space)): (usize, (&FlowParameters, FlowSpace))| {
        let builder = FlowBuilder { workload, flow, number, space, page_sectors, cuts };
        builder.plan(list.as_ref())
    };
    let mut plans = numbered.map(plan).collect::<Result<Vec<_>, _>>()?;
    if let Some(list) = &list {
        plans.sort_by_key(|plan| list.place_of_first(plan.queue));
    }
    Ok(plans)
}

/// Returns the flow with the given number. Its requests are synthetic or come from its trace.
///
/// # Errors
/// Returns the errors of [`flows`].
pub fn flow(
    execution: &Execution,
    workload: &MqsimWorkload,
    scenario: &Scenario,
    ranges: &[Range<u64>],
    number: u16,
    cuts: PageCuts,
) -> Result<FlowPlan, SourceError> {
    let number = usize::from(number);
    let space = spaces(execution, scenario, ranges)[number];
    let page_sectors = execution.flash.page_capacity.value / SECTOR_BYTES;
    FlowBuilder { workload, flow: &scenario.flows[number], number, space, page_sectors, cuts }.plan(None)
}

/// Parameters from which a flow is built.
struct FlowBuilder<'a> {
    workload: &'a MqsimWorkload,
    flow: &'a FlowParameters,
    number: usize,
    space: FlowSpace,
    page_sectors: u32,
    cuts: PageCuts,
}

impl FlowBuilder<'_> {
    fn plan(&self, list: Option<&RequestList>) -> Result<FlowPlan, SourceError> {
        let capacity = self.capacity()?;
        let inner = match (list, &self.flow.origin) {
            (Some(list), _) => self.recorded(list)?,
            (None, FlowOrigin::Synthetic(synthetic)) => self.made_up(synthetic),
            (None, FlowOrigin::Trace(_)) => self.replayed()?,
        };
        let folded = WrappedSource::new(inner, capacity, self.page_sectors);
        let source: BoxedSource = Box::new(ShiftedSource::new(folded, self.space.start_sector));
        let stop = if list.is_some() { None } else { self.stop() };
        Ok(FlowPlan {
            queue: self.number as u16,
            name: source.label().to_owned(),
            source,
            mode: self.mode(),
            stop,
        })
    }

    /// Returns the number of sectors of the flow's address space. The space may exceed the drive by less than
    /// one page for each plane.
    fn capacity(&self) -> Result<u64, SourceError> {
        let FlowSpace { start_sector, capacity_sectors, .. } = self.space;
        let page_sectors = u64::from(self.page_sectors);
        if capacity_sectors >= page_sectors {
            return Ok(capacity_sectors);
        }
        Err(WorkloadError::FootprintBeyondDrive {
            label: self.name(),
            needed_sectors: start_sector + page_sectors,
            capacity_sectors: start_sector + capacity_sectors,
        }
        .into())
    }

    fn name(&self) -> String {
        format!("{}, flow {}", self.file(), self.number)
    }

    fn file(&self) -> String {
        let path = Path::new(&self.workload.document.name);
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Returns the flow's requests from the list, with device sectors translated to sectors of the flow's
    /// address space.
    fn recorded(&self, list: &RequestList) -> Result<BoxedSource, SourceError> {
        let requests = list.requests_of(self.number as u16)?;
        Ok(Box::new(self.moved(requests)))
    }

    fn made_up(&self, synthetic: &SyntheticParameters) -> BoxedSource {
        Box::new(self.moved(MqsimRequests::new(synthetic, &self.space, self.name())))
    }

    /// Translates the requests' device sectors to sectors of the flow's address space.
    fn moved<S: RequestSource>(&self, requests: S) -> ShiftedSource<S> {
        let FlowSpace { mqsim_start_sector, start_sector, .. } = self.space;
        // If the address space starts at the same sector as in MQSim, it also has the same page boundaries.
        let is_exact = self.cuts == PageCuts::Device || start_sector == mqsim_start_sector;
        let pages = if is_exact { 1 } else { self.page_sectors };
        ShiftedSource::back(requests, mqsim_start_sector, pages)
    }

    fn replayed(&self) -> Result<BoxedSource, SourceError> {
        let FlowOrigin::Trace(trace) = &self.flow.origin else { unreachable!("asked of trace flows only") };
        let path = self.trace_path(&trace.file_path.value)?;
        let replay = replay_trace(&path, trace.relay_count.value)?;
        if trace.relay_count.value > 1 || trace.percentage_to_be_executed.value == 100 {
            return Ok(Box::new(replay));
        }
        let lines = u128::from(replay_trace(&path, 1)?.count()?);
        let executed = lines * u128::from(trace.percentage_to_be_executed.value) / 100;
        Ok(Box::new(LimitedSource::new(replay, executed as u64)))
    }

    /// Returns the path of the trace. Relative paths refer to the folder of the workload file or, as in
    /// MQSim, to the working folder. If a path in Windows notation does not exist, `/` is tried as its
    /// separator.
    fn trace_path(&self, file_path: &str) -> Result<PathBuf, TraceError> {
        let mut spellings = vec![file_path.to_owned(), file_path.replace('\\', "/")];
        spellings.dedup();
        let places = spellings.iter().flat_map(|path| [self.workload.folder.join(path), PathBuf::from(path)]);
        let mut tried: Vec<PathBuf> = places.collect();
        tried.dedup();
        match tried.iter().find(|path| path.exists()) {
            Some(path) => Ok(path.clone()),
            None => Err(TraceError::NotFoundInFolders { path: file_path.to_owned(), tried }),
        }
    }

    fn mode(&self) -> LoopMode {
        match &self.flow.origin {
            FlowOrigin::Synthetic(synthetic) if synthetic.generator.value == Generator::QueueDepth => {
                let depth = synthetic.queue_depth.as_ref().map_or(1, |depth| depth.value);
                LoopMode::Closed { depth }
            }
            _ => LoopMode::Open,
        }
    }

    fn stop(&self) -> Option<SimTime> {
        let FlowOrigin::Synthetic(synthetic) = &self.flow.origin else { return None };
        let stop_ns = synthetic.stop_time.value;
        (stop_ns > 0).then(|| SimTime::from_ps(stop_ns * 1000))
    }
}
