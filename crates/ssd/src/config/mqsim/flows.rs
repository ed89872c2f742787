//! A scenario's flows as sources of requests: made up, from a trace, or from a list of recorded requests.
//!
//! Queue numbers are the flows' places in the scenario. Addresses are moved as `partition` says; what lies
//! beyond a flow's space is folded into it and counted. Flows that begin at one instant begin in their order, or, with a list, in
//! the order in which the list has their first requests.

use std::ops::Range;
use std::path::{Path, PathBuf};

use venice_kernel::SimTime;

use super::execution::Execution;
use super::generator::Drawn;
use super::partition::{FlowSpace, spaces};
use super::workload::{FlowOrigin, FlowParameters, Generator, Scenario, SyntheticParameters, Workload};
use crate::ftl::PageCuts;
use venice_requests::adapters::{Folded, Limited, Moved};
use venice_requests::traces::{RequestList, TraceError, replay_trace};
use venice_requests::workloads::WorkloadError;
use venice_requests::{LoopMode, RequestSource, SECTOR_BYTES, SourceError};

type Source = Box<dyn RequestSource + Send>;

/// A flow, ready to run.
pub struct FlowPlan {
    /// Its queue: its place in the scenario.
    pub queue: u16,
    /// What people call it.
    pub name: String,
    /// Its requests.
    pub source: Source,
    /// When they are issued.
    pub mode: LoopMode,
    /// When it ends, though there be further requests.
    pub stop: Option<SimTime>,
}

/// The flows of a scenario on a drive of these address ranges that cuts requests so, in the order in which they begin. With a list, each flow gives the requests that
/// the list has of it; one that is driven by depth issues them by completions, others at their arrivals.
///
/// # Errors
/// [`SourceError`], when a trace or the list cannot be had or does not fit the scenario.
pub fn flows(
    execution: &Execution,
    workload: &Workload,
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
        let builder = Builder { workload, flow, number, space, page_sectors, cuts };
        builder.plan(list.as_ref())
    };
    let mut plans = numbered.map(plan).collect::<Result<Vec<_>, _>>()?;
    if let Some(list) = &list {
        plans.sort_by_key(|plan| list.place_of_first(plan.queue));
    }
    Ok(plans)
}

/// One flow of a scenario, by its number, with the requests that it makes up or replays.
///
/// # Errors
/// As [`flows`].
pub fn flow(
    execution: &Execution,
    workload: &Workload,
    scenario: &Scenario,
    ranges: &[Range<u64>],
    number: u16,
    cuts: PageCuts,
) -> Result<FlowPlan, SourceError> {
    let number = usize::from(number);
    let space = spaces(execution, scenario, ranges)[number];
    let page_sectors = execution.flash.page_capacity.value / SECTOR_BYTES;
    Builder { workload, flow: &scenario.flows[number], number, space, page_sectors, cuts }.plan(None)
}

/// What a flow's plan is made from.
struct Builder<'a> {
    workload: &'a Workload,
    flow: &'a FlowParameters,
    number: usize,
    space: FlowSpace,
    page_sectors: u32,
    cuts: PageCuts,
}

impl Builder<'_> {
    fn plan(&self, list: Option<&RequestList>) -> Result<FlowPlan, SourceError> {
        let capacity = self.capacity()?;
        let inner = match (list, &self.flow.origin) {
            (Some(list), _) => self.recorded(list)?,
            (None, FlowOrigin::Synthetic(synthetic)) => self.made_up(synthetic),
            (None, FlowOrigin::Trace(_)) => self.replayed()?,
        };
        let folded = Folded::new(inner, capacity, self.page_sectors);
        let source: Source = Box::new(Moved::new(folded, self.space.start_sector));
        let stop = if list.is_some() { None } else { self.stop() };
        Ok(FlowPlan {
            queue: self.number as u16,
            name: source.label().to_owned(),
            source,
            mode: self.mode(),
            stop,
        })
    }

    /// Sectors of the flow's space that the drive has; the space may stand out by less than a page of every plane.
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

    /// Requests of the list, from device sectors to sectors of the flow.
    fn recorded(&self, list: &RequestList) -> Result<Source, SourceError> {
        let requests = list.requests_of(self.number as u16)?;
        Ok(Box::new(self.moved(requests)))
    }

    fn made_up(&self, synthetic: &SyntheticParameters) -> Source {
        Box::new(self.moved(Drawn::new(synthetic, &self.space, self.name())))
    }

    /// Requests in sectors of the device, as sectors of the flow.
    fn moved<S: RequestSource>(&self, requests: S) -> Moved<S> {
        let FlowSpace { mqsim_start_sector, start_sector, .. } = self.space;
        // A space that lies here where it lies there has its pages there, too.
        let is_exact = self.cuts == PageCuts::Device || start_sector == mqsim_start_sector;
        let pages = if is_exact { 1 } else { self.page_sectors };
        Moved::back(requests, mqsim_start_sector, pages)
    }

    fn replayed(&self) -> Result<Source, SourceError> {
        let FlowOrigin::Trace(trace) = &self.flow.origin else { unreachable!("asked of trace flows only") };
        let path = self.trace_path(&trace.file_path.value)?;
        let replay = replay_trace(&path, trace.relay_count.value)?;
        if trace.relay_count.value > 1 || trace.percentage_to_be_executed.value == 100 {
            return Ok(Box::new(replay));
        }
        let lines = u128::from(replay_trace(&path, 1)?.count()?);
        let executed = lines * u128::from(trace.percentage_to_be_executed.value) / 100;
        Ok(Box::new(Limited::new(replay, executed as u64)))
    }

    /// Returns the trace's path: in the workload file's folder or, as in MQSim, in the working folder. A path in Windows's notation
    /// is also tried with `/`.
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
