//! `workload.xml`: scenarios, run one after another, of flows, run side by side.
//!
//! # Source
//! Tags and units are those of MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3. It has no defaults here.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::document::Document;
use super::super::error::Problem;
use super::finding::{Findings, Level};
use super::parameters::{parameter_sets, report_unknown};
use super::tagged::{IdList, Limits, Setting, names};
use super::tree::Element;

names! {
    /// Which requests go first.
    PriorityClass {
        /// Before all others.
        Urgent = "URGENT",
        /// Four shares.
        High = "HIGH",
        /// Two shares.
        Medium = "MEDIUM",
        /// One share.
        Low = "LOW",
    }
    /// What the data cache does for a flow.
    CachingMode {
        /// Nothing.
        TurnedOff = "TURNED_OFF",
        /// Takes writes.
        WriteCache = "WRITE_CACHE",
        /// Keeps what was read.
        ReadCache = "READ_CACHE",
        /// Both.
        WriteReadCache = "WRITE_READ_CACHE",
    }
    /// What makes the next request come.
    Generator {
        /// The clock, at a mean bandwidth.
        Bandwidth = "BANDWIDTH",
        /// A completion.
        QueueDepth = "QUEUE_DEPTH",
    }
    /// Where requests start.
    AddressDistribution {
        /// Each where the one before ended.
        Streaming = "STREAMING",
        /// A hot and a cold region.
        RandomHotcold = "RANDOM_HOTCOLD",
        /// Anywhere.
        RandomUniform = "RANDOM_UNIFORM",
    }
    /// How long requests are.
    SizeDistribution {
        /// All the same.
        Fixed = "FIXED",
        /// Normally distributed.
        Normal = "NORMAL",
    }
    /// The unit of a trace's times. MQSim reads it and takes nanoseconds.
    TimeUnit {
        /// 10^-12 s.
        Picosecond = "PICOSECOND",
        /// 10^-9 s.
        Nanosecond = "NANOSECOND",
        /// 10^-6 s.
        Microsecond = "MICROSECOND",
    }
}

parameter_sets! {
    /// What every flow has.
    CommonParameters {
        /// Which requests go first.
        priority_class: Setting<PriorityClass> = "Priority_Class", Limits::ANY, assumed(PriorityClass::High);
        /// What the data cache does for the flow.
        caching_mode: Setting<CachingMode> =
            "Device_Level_Data_Caching_Mode", Limits::ANY, assumed(CachingMode::TurnedOff);
        /// Channels that hold the flow's data; all of them when not given.
        channel_ids: Option<Setting<IdList>> = "Channel_IDs", Limits::ANY, optional;
        /// Chips of each channel that hold the flow's data; all of them when not given.
        chip_ids: Option<Setting<IdList>> = "Chip_IDs", Limits::ANY, optional;
        /// Dies of each chip that hold the flow's data; all of them when not given.
        die_ids: Option<Setting<IdList>> = "Die_IDs", Limits::ANY, optional;
        /// Planes of each die that hold the flow's data; all of them when not given.
        plane_ids: Option<Setting<IdList>> = "Plane_IDs", Limits::ANY, optional;
        /// Share of the flow's pages that preconditioning writes, in %.
        initial_occupancy_percentage: Setting<u32> =
            "Initial_Occupancy_Percentage", Limits::within(0, 100), assumed(0);
    }

    /// A flow that is made up.
    SyntheticParameters {
        /// Share of the flow's space that is touched, in %; outside 1 to 100, MQSim takes 100.
        working_set_percentage: Setting<u32> = "Working_Set_Percentage", Limits::ANY, assumed(100);
        /// What makes the next request come.
        generator: Setting<Generator> = "Synthetic_Generator_Type", Limits::ANY, required;
        /// Reads among the requests, in %.
        read_percentage: Setting<u32> = "Read_Percentage", Limits::within(0, 100), required;
        /// Where requests start.
        address_distribution: Setting<AddressDistribution> = "Address_Distribution", Limits::ANY, required;
        /// H of hot and cold, in %: the first H % of the space get 100 - H % of the requests.
        percentage_of_hot_region: Setting<u32> =
            "Percentage_of_Hot_Region", Limits::within(0, 100), assumed(0);
        /// Whether requests start at multiples of the alignment.
        aligned: Setting<bool> = "Generated_Aligned_Addresses", Limits::ANY, assumed(false);
        /// The alignment, in sectors of 512 bytes.
        alignment_unit: Setting<u32> = "Address_Alignment_Unit", Limits::within(1, 131_072), assumed(1);
        /// How long requests are.
        size_distribution: Setting<SizeDistribution> =
            "Request_Size_Distribution", Limits::ANY, assumed(SizeDistribution::Fixed);
        /// Mean length, in sectors of 512 bytes; the longest that an NVMe command can say.
        average_request_size: Setting<u32> = "Average_Request_Size", Limits::within(1, 65_535), required;
        /// Standard deviation of a normally distributed length, in sectors; not its square, whatever the tag says.
        variance_request_size: Setting<u32> = "Variance_Request_Size", Limits::within(0, 65_535), assumed(0);
        /// Seed of the flow's random choices.
        seed: Setting<i32> = "Seed", Limits::ANY, assumed(0);
        /// Requests kept outstanding, for `QUEUE_DEPTH`.
        queue_depth: Option<Setting<u32>> = "Average_No_of_Reqs_in_Queue", Limits::within(1, 65_535), optional;
        /// Mean rate in bytes per second, for `BANDWIDTH`.
        bandwidth: Option<Setting<u32>> = "Bandwidth", Limits::ANY, optional;
        /// When the flow ends, in ns; 0 for a flow that ends by its number of requests.
        stop_time: Setting<u64> = "Stop_Time", Limits::within(0, 10_000_000_000_000_000), assumed(0);
        /// Number of requests of a flow whose stop time is 0.
        total_requests: Setting<u32> = "Total_Requests_To_Generate", Limits::ANY, assumed(0);
    }

    /// A flow that replays a trace.
    TraceParameters {
        /// The trace: five columns (time in ns, device, first sector, sectors, 0 for a write).
        file_path: Setting<String> = "File_Path", Limits::ANY, required;
        /// Share of the trace that is replayed, in %, when it is replayed once.
        percentage_to_be_executed: Setting<u32> =
            "Percentage_To_Be_Executed", Limits::within(0, 100), assumed(100);
        /// How often the trace is replayed; the tag is spelt so.
        relay_count: Setting<u32> = "Relay_Count", Limits::within(1, 1_000_000), assumed(1);
        /// The unit of the trace's times; MQSim takes nanoseconds in any case.
        time_unit: Setting<TimeUnit> = "Time_Unit", Limits::ANY, assumed(TimeUnit::Nanosecond);
    }
}

/// Read by no code of MQSim, although its files have it.
const UNREAD: &str = "Intensity";
const ROOT: &str = "MQSim_IO_Scenarios";
const SCENARIO: &str = "IO_Scenario";
const SYNTHETIC: &str = "IO_Flow_Parameter_Set_Synthetic";
const TRACE: &str = "IO_Flow_Parameter_Set_Trace_Based";

/// The whole of `workload.xml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Run one after another, each on a fresh drive; at least one.
    pub scenarios: Vec<Scenario>,
    /// The file.
    pub(super) document: Arc<Document>,
    /// The folder of the file, where traces are looked for first.
    pub(super) folder: PathBuf,
}

/// Flows that run side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// In the order of the file, which is that of their queues; at least one.
    pub flows: Vec<FlowParameters>,
}

/// One flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowParameters {
    /// What every flow has.
    pub common: CommonParameters,
    /// Where its requests come from.
    pub origin: FlowOrigin,
    /// The name of its tag.
    pub(super) span: Range<usize>,
}

/// Where the requests of a flow come from.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowOrigin {
    /// They are made up.
    Synthetic(Box<SyntheticParameters>),
    /// From a trace.
    Trace(TraceParameters),
}

impl Scenario {
    /// Returns the same scenario with synthetic flows that end after `requests` requests instead of where the file ends them.
    #[must_use]
    pub fn lasting(&self, requests: u32) -> Self {
        let mut longer = self.clone();
        for flow in &mut longer.flows {
            if let FlowOrigin::Synthetic(synthetic) = &mut flow.origin {
                synthetic.stop_time.value = 0;
                synthetic.total_requests.value = requests;
            }
        }
        longer
    }
}

impl Workload {
    /// The name of the outermost tag.
    pub(super) const ROOT: &'static str = ROOT;

    /// Reads every scenario.
    pub(super) fn read(
        root: &Element,
        document: &Arc<Document>,
        folder: PathBuf,
        findings: &mut Findings,
    ) -> Option<Self> {
        report_unknown(root, &[&[SCENARIO]], findings);
        let scenarios: Vec<_> =
            root.named(SCENARIO).map(|element| Scenario::read(element, findings)).collect();
        if scenarios.is_empty() {
            let problem =
                Problem::new("there is no scenario").note(format!("expected: at least one <{SCENARIO}>"));
            findings.refuse(&root.name_span, problem);
        }
        let scenarios: Option<Vec<Scenario>> = scenarios.into_iter().collect();
        Some(Self { scenarios: scenarios?, document: Arc::clone(document), folder })
    }
}

impl FlowParameters {
    /// What MQSim calls the flow in its results.
    pub fn result_name(&self, number: usize) -> String {
        match &self.origin {
            FlowOrigin::Synthetic(_) => format!("Host.IO_Flow.Synth.No_{number}"),
            FlowOrigin::Trace(trace) => format!("Host.IO_Flow.Trace.{}", trace.file_path.value),
        }
    }
}

impl Scenario {
    /// What the data cache does for any of the flows.
    pub fn caching_mode(&self) -> CachingMode {
        let modes = || self.flows.iter().map(|flow| flow.common.caching_mode.value);
        let takes_writes =
            modes().any(|mode| matches!(mode, CachingMode::WriteCache | CachingMode::WriteReadCache));
        let keeps_reads =
            modes().any(|mode| matches!(mode, CachingMode::ReadCache | CachingMode::WriteReadCache));
        match (takes_writes, keeps_reads) {
            (false, false) => CachingMode::TurnedOff,
            (true, false) => CachingMode::WriteCache,
            (false, true) => CachingMode::ReadCache,
            (true, true) => CachingMode::WriteReadCache,
        }
    }

    fn read(element: &Element, findings: &mut Findings) -> Option<Self> {
        report_unknown(element, &[&[SYNTHETIC, TRACE]], findings);
        let is_flow = |child: &&Element| child.name == SYNTHETIC || child.name == TRACE;
        let flows: Vec<_> = element
            .children
            .iter()
            .filter(is_flow)
            .map(|child| FlowParameters::read(child, findings))
            .collect();
        if flows.is_empty() {
            let problem = Problem::new("the scenario has no flow");
            findings
                .refuse(&element.name_span, problem.note(format!("expected: <{SYNTHETIC}> or <{TRACE}>")));
        }
        let flows: Option<Vec<FlowParameters>> = flows.into_iter().collect();
        Some(Self { flows: flows? })
    }
}

impl FlowParameters {
    fn read(element: &Element, findings: &mut Findings) -> Option<Self> {
        let is_trace = element.name == TRACE;
        let own = if is_trace { TraceParameters::TAGS } else { SyntheticParameters::TAGS };
        report_unknown(element, &[CommonParameters::TAGS, own, &[UNREAD]], findings);
        report_unread(element, findings);
        let common = CommonParameters::read(element, findings);
        let origin = if is_trace {
            TraceParameters::read(element, findings).map(FlowOrigin::Trace)
        } else {
            SyntheticParameters::read(element, findings)
                .filter(|flow| flow.goes_together(element, findings))
                .map(|flow| FlowOrigin::Synthetic(Box::new(flow)))
        };
        Some(Self { common: common?, origin: origin?, span: element.name_span.clone() })
    }
}

fn report_unread(element: &Element, findings: &mut Findings) {
    if let Some(child) = element.named(UNREAD).next() {
        let text =
            format!("{UNREAD} is read by no code of MQSim, nor here; the rate of a flow is <Bandwidth>");
        findings.remark(Level::Note, Some(&child.name_span), text);
    }
}

impl SyntheticParameters {
    /// Whether the values make a flow; what is wrong is told.
    fn goes_together(&self, element: &Element, findings: &mut Findings) -> bool {
        let faults = [self.pace(), self.end(), self.hot_region()];
        let mut is_sound = true;
        for (setting_span, problem) in faults.into_iter().flatten() {
            is_sound = false;
            findings.refuse(&setting_span.unwrap_or_else(|| element.name_span.clone()), problem);
        }
        is_sound
    }

    fn pace(&self) -> Option<(Option<Range<usize>>, Problem)> {
        let missing = match self.generator.value {
            Generator::QueueDepth if self.queue_depth.is_none() => "Average_No_of_Reqs_in_Queue",
            Generator::Bandwidth if self.bandwidth.as_ref().is_none_or(|rate| rate.value == 0) => "Bandwidth",
            _ => return None,
        };
        let problem = Problem::new(format!("`{missing}` is missing or 0"));
        let note = match self.generator.value {
            Generator::QueueDepth => {
                "expected: requests kept outstanding, since the generator is QUEUE_DEPTH"
            }
            Generator::Bandwidth => "expected: bytes per second, since the generator is BANDWIDTH",
        };
        Some((self.generator.span.clone(), problem.note(note)))
    }

    fn end(&self) -> Option<(Option<Range<usize>>, Problem)> {
        if self.stop_time.value > 0 || self.total_requests.value > 0 {
            return None;
        }
        let problem =
            Problem::new("the flow has no request: `Stop_Time` and `Total_Requests_To_Generate` are 0");
        let note = "expected: one of them above 0; a stop time of 0 leaves the end to the number of requests";
        Some((self.total_requests.span.clone(), problem.note(note)))
    }

    fn hot_region(&self) -> Option<(Option<Range<usize>>, Problem)> {
        let is_inside = (1..=99).contains(&self.percentage_of_hot_region.value);
        if self.address_distribution.value != AddressDistribution::RandomHotcold || is_inside {
            return None;
        }
        let problem = Problem::new("`Percentage_of_Hot_Region` leaves nothing on one side");
        Some((
            self.percentage_of_hot_region.span.clone(),
            problem.note("expected: 1 to 99 for RANDOM_HOTCOLD"),
        ))
    }
}
