//! MQSim's `workload.xml`: scenarios, which are simulated one after another, each with concurrent flows.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::finding::{Findings, Severity};
use super::parameters::{parameter_sets, report_unknown};
use super::tag_types::{IdList, TaggedValue, ValueLimits, names};
use super::tree::Element;
use venice_config::Document;
use venice_config::Problem;

names! {
    /// Priority class of a flow's requests.
    PriorityClass {
        /// Strict priority over all other classes.
        Urgent = "URGENT",
        /// Priority class with weight 4.
        High = "HIGH",
        /// Priority class with weight 2.
        Medium = "MEDIUM",
        /// Priority class with weight 1.
        Low = "LOW",
    }
    /// Use of the data cache by a flow.
    CachingMode {
        /// The flow does not use the cache.
        TurnedOff = "TURNED_OFF",
        /// The cache buffers writes.
        WriteCache = "WRITE_CACHE",
        /// The cache keeps data that was read.
        ReadCache = "READ_CACHE",
        /// The cache buffers writes and keeps data that was read.
        WriteReadCache = "WRITE_READ_CACHE",
    }
    /// Request generation of a synthetic flow.
    Generator {
        /// Open loop, at a mean bandwidth.
        Bandwidth = "BANDWIDTH",
        /// Closed loop, at a constant queue depth.
        QueueDepth = "QUEUE_DEPTH",
    }
    /// Distribution of start addresses: uniform, streaming or hot/cold.
    AddressDistribution {
        /// Each request starts at the end of the previous one.
        Streaming = "STREAMING",
        /// Random addresses in a hot and a cold region.
        RandomHotcold = "RANDOM_HOTCOLD",
        /// Uniformly random addresses.
        RandomUniform = "RANDOM_UNIFORM",
    }
    /// Distribution of request sizes.
    SizeDistribution {
        /// All requests have the same size.
        Fixed = "FIXED",
        /// Normally distributed sizes.
        Normal = "NORMAL",
    }
    /// Time unit of a trace. MQSim reads this tag but always uses nanoseconds.
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
    /// Parameters of every flow, synthetic or from a trace.
    CommonParameters {
        /// Priority class of the flow's requests.
        priority_class: TaggedValue<PriorityClass> = "Priority_Class", ValueLimits::ANY, assumed(PriorityClass::High);
        /// Use of the data cache by the flow.
        caching_mode: TaggedValue<CachingMode> =
            "Device_Level_Data_Caching_Mode", ValueLimits::ANY, assumed(CachingMode::TurnedOff);
        /// Channels that hold the flow's data; all if absent.
        channel_ids: Option<TaggedValue<IdList>> = "Channel_IDs", ValueLimits::ANY, optional;
        /// Chips of each channel that hold the flow's data; all if absent.
        chip_ids: Option<TaggedValue<IdList>> = "Chip_IDs", ValueLimits::ANY, optional;
        /// Dies of each chip that hold the flow's data; all if absent.
        die_ids: Option<TaggedValue<IdList>> = "Die_IDs", ValueLimits::ANY, optional;
        /// Planes of each die that hold the flow's data; all if absent.
        plane_ids: Option<TaggedValue<IdList>> = "Plane_IDs", ValueLimits::ANY, optional;
        /// Share of the flow's pages that preconditioning writes, in %.
        initial_occupancy_percentage: TaggedValue<u32> =
            "Initial_Occupancy_Percentage", ValueLimits::within(0, 100), assumed(0);
    }

    /// Parameters of a synthetic flow.
    SyntheticParameters {
        /// Working set as a share of the flow's address space, in %. MQSim replaces values outside 1 to 100
        /// by 100.
        working_set_percentage: TaggedValue<u32> = "Working_Set_Percentage", ValueLimits::ANY, assumed(100);
        /// Source of the requests: a generator with a given bandwidth, a generator with a given queue
        /// depth, or a trace.
        generator: TaggedValue<Generator> = "Synthetic_Generator_Type", ValueLimits::ANY, required;
        /// Share of reads, in %.
        read_percentage: TaggedValue<u32> = "Read_Percentage", ValueLimits::within(0, 100), required;
        /// Distribution of start addresses: uniform, streaming or hot/cold.
        address_distribution: TaggedValue<AddressDistribution> = "Address_Distribution", ValueLimits::ANY, required;
        /// Size H of the hot region, in %: the first H % of the address space receive 100 - H % of the
        /// requests.
        percentage_of_hot_region: TaggedValue<u32> =
            "Percentage_of_Hot_Region", ValueLimits::within(0, 100), assumed(0);
        /// True if requests start at multiples of the alignment unit.
        aligned: TaggedValue<bool> = "Generated_Aligned_Addresses", ValueLimits::ANY, assumed(false);
        /// Alignment unit, in sectors of 512 bytes.
        alignment_unit: TaggedValue<u32> = "Address_Alignment_Unit", ValueLimits::within(1, 131_072), assumed(1);
        /// Distribution of request sizes.
        size_distribution: TaggedValue<SizeDistribution> =
            "Request_Size_Distribution", ValueLimits::ANY, assumed(SizeDistribution::Fixed);
        /// Mean request size, in sectors of 512 bytes; the limit is that of an NVMe command.
        average_request_size: TaggedValue<u32> = "Average_Request_Size", ValueLimits::within(1, 65_535), required;
        /// Standard deviation of a normally distributed size, in sectors. It is not the variance, despite the
        /// tag.
        variance_request_size: TaggedValue<u32> = "Variance_Request_Size", ValueLimits::within(0, 65_535), assumed(0);
        /// Seed of the flow's random number generators.
        seed: TaggedValue<i32> = "Seed", ValueLimits::ANY, assumed(0);
        /// Number of outstanding requests, for the generator type `QUEUE_DEPTH`.
        queue_depth: Option<TaggedValue<u32>> = "Average_No_of_Reqs_in_Queue", ValueLimits::within(1, 65_535), optional;
        /// Mean data rate in bytes per second, for the generator type `BANDWIDTH`.
        bandwidth: Option<TaggedValue<u32>> = "Bandwidth", ValueLimits::ANY, optional;
        /// End time of the flow, in ns; 0 for a flow that ends by its number of requests.
        stop_time: TaggedValue<u64> = "Stop_Time", ValueLimits::within(0, 10_000_000_000_000_000), assumed(0);
        /// Number of requests of a flow with stop time 0.
        total_requests: TaggedValue<u32> = "Total_Requests_To_Generate", ValueLimits::ANY, assumed(0);
    }

    /// Parameters of a flow that replays a trace.
    TraceParameters {
        /// Path of the trace, a file of five columns: time in ns, device, first sector, number of sectors,
        /// and type (0: write, 1: read).
        file_path: TaggedValue<String> = "File_Path", ValueLimits::ANY, required;
        /// Share of the trace that is replayed, in %. Has an effect only if the trace is replayed once.
        percentage_to_be_executed: TaggedValue<u32> =
            "Percentage_To_Be_Executed", ValueLimits::within(0, 100), assumed(100);
        /// Number of times that the trace is replayed. The tag is misspelt in MQSim.
        relay_count: TaggedValue<u32> = "Relay_Count", ValueLimits::within(1, 1_000_000), assumed(1);
        /// Time unit of the trace; MQSim always uses nanoseconds.
        time_unit: TaggedValue<TimeUnit> = "Time_Unit", ValueLimits::ANY, assumed(TimeUnit::Nanosecond);
    }
}

/// Tag in MQSim's files that MQSim itself does not read.
const UNREAD: &str = "Intensity";
const ROOT: &str = "MQSim_IO_Scenarios";
const SCENARIO: &str = "IO_Scenario";
const SYNTHETIC: &str = "IO_Flow_Parameter_Set_Synthetic";
const TRACE: &str = "IO_Flow_Parameter_Set_Trace_Based";

/// Content of `workload.xml`.
#[derive(Clone, Debug, PartialEq)]
pub struct MqsimWorkload {
    /// Scenarios, at least one. They are simulated one after another, each on a new drive.
    pub scenarios: Vec<Scenario>,
    /// Source file.
    pub(super) document: Arc<Document>,
    /// Folder of the file, in which traces are searched first.
    pub(super) folder: PathBuf,
}

/// Scenario with concurrent flows.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Flows in file order, which is the order of their queues; at least one.
    pub flows: Vec<FlowParameters>,
}

/// Parameters of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowParameters {
    /// Parameters of every flow, synthetic or from a trace.
    pub common: CommonParameters,
    /// Source of the requests.
    pub origin: FlowOrigin,
    /// Position of the flow's tag name.
    pub(super) span: Range<usize>,
}

/// Source of a flow's requests.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowOrigin {
    /// Flow with synthetic requests.
    Synthetic(Box<SyntheticParameters>),
    /// Flow with the requests of a trace.
    Trace(TraceParameters),
}

impl Scenario {
    /// Returns a copy of the scenario in which each synthetic flow ends after `requests` requests, regardless
    /// of the limits in the file.
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

impl MqsimWorkload {
    /// Name of the outermost tag.
    pub(super) const ROOT: &'static str = ROOT;

    /// Reads all scenarios.
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
                Problem::new("the file has no scenario").note(format!("expected: at least one <{SCENARIO}>"));
            findings.refuse(&root.name_span, problem);
        }
        let scenarios: Option<Vec<Scenario>> = scenarios.into_iter().collect();
        Some(Self { scenarios: scenarios?, document: Arc::clone(document), folder })
    }
}

impl FlowParameters {
    /// Returns the name of the flow in MQSim's result files.
    pub fn result_name(&self, number: usize) -> String {
        match &self.origin {
            FlowOrigin::Synthetic(_) => format!("Host.IO_Flow.Synth.No_{number}"),
            FlowOrigin::Trace(trace) => format!("Host.IO_Flow.Trace.{}", trace.file_path.value),
        }
    }
}

impl Scenario {
    /// Returns the combined cache mode of all flows: writes or reads are cached if the mode of at least one
    /// flow caches them.
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
        let text = format!("{UNREAD} has no effect in MQSim and here; the rate of a flow is <Bandwidth>");
        findings.remark(Severity::Note, Some(&child.name_span), text);
    }
}

impl SyntheticParameters {
    /// Checks that the generator, the end and the hot region of the flow are consistent. Returns false and
    /// reports the problems if they are not.
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
            Problem::new("the flow has no requests: `Stop_Time` and `Total_Requests_To_Generate` are 0");
        let note =
            "expected: one of them above 0; with a stop time of 0, the number of requests ends the flow";
        Some((self.total_requests.span.clone(), problem.note(note)))
    }

    fn hot_region(&self) -> Option<(Option<Range<usize>>, Problem)> {
        let is_inside = (1..=99).contains(&self.percentage_of_hot_region.value);
        if self.address_distribution.value != AddressDistribution::RandomHotcold || is_inside {
            return None;
        }
        let problem = Problem::new("`Percentage_of_Hot_Region` leaves one region empty");
        Some((
            self.percentage_of_hot_region.span.clone(),
            problem.note("expected: 1 to 99 for RANDOM_HOTCOLD"),
        ))
    }
}
