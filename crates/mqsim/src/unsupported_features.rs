//! Remarks on features that MQSim's files request but Venice does not have, one line each.

use std::sync::Arc;

use venice_requests::SECTOR_BYTES;

use super::execution::{
    AddressMapping, CachingMechanism, Execution, HostInterface, Scheduling, VictimSelection,
};
use super::finding::{Notice, Severity};
use super::partition::shares_are_uneven;
use super::tag_types::{IdList, TagType, TaggedValue};
use super::workload::{
    CachingMode, FlowOrigin, FlowParameters, Generator, MqsimWorkload, PriorityClass, Scenario,
    SizeDistribution, TimeUnit,
};
use venice_config::Document;

/// Relative error of a transfer rate above which a remark states that MQSim truncates transfer times to whole
/// nanoseconds.
pub(super) const REPORTED_RATE_DIFFERENCE: f64 = 0.01;

/// Ratio of mean to standard deviation of a size below which negative sizes are common. At this ratio, one
/// size in 740 is negative.
const RARE_DEVIATIONS: u64 = 3;

/// Parameters that MQSim reads and ignores.
const UNUSED_BY_MQSIM: &[&str] = &[
    "Block_PE_Cycles_Limit",
    "Page_Metadat_Capacity",
    "CMD_Suspension_Support",
    "Suspend_Erase_Time",
    "Suspend_Program_Time",
    "Preferred_suspend_erase_time_for_read",
    "Preferred_suspend_erase_time_for_write",
    "Preferred_suspend_write_time_for_read",
    "Dynamic_Wearleveling_Enabled",
    "Static_Wearleveling_Enabled",
    "Static_Wearleveling_Threshold",
];

/// Returns the remarks on a device configuration without its workload.
pub(super) fn of_execution(execution: &Execution) -> Vec<Notice> {
    let rules =
        [address_mapping, scheduling, channel_rate, plane_order, large_pages, turns_of_blocks, logging];
    let mut remarks: Vec<Notice> = rules.iter().filter_map(|rule| rule(execution)).collect();
    remarks.push(unused());
    remarks
}

/// Returns the remarks on a scenario's flows for a device configuration.
pub(super) fn of_scenario(
    execution: &Execution,
    workload: &MqsimWorkload,
    scenario: &Scenario,
) -> Vec<Notice> {
    let document = &workload.document;
    let mut remarks = Vec::new();
    for flow in &scenario.flows {
        remarks.extend(partition(document, execution, flow));
        remarks.extend(time_unit(document, flow));
        remarks.extend(working_set(document, flow));
        remarks.extend(sizes_below_zero(document, flow));
        remarks.extend(mean_gap(document, flow));
    }
    remarks.extend(simple_cache(execution, scenario));
    remarks.extend(classes(document, execution, scenario));
    remarks.extend(filled_for_traces(execution, scenario));
    remarks.extend(uneven_shares(document, execution, scenario));
    remarks
}

fn unused() -> Notice {
    let tags = UNUSED_BY_MQSIM.join(", ");
    let text = format!("parameters without effect, as in MQSim: {tags}");
    Notice { level: Severity::Note, file: None, lines: Vec::new(), text }
}

/// Returns a warning of the form "Tag = value: substitute", located at the value.
fn warning<T: TagType>(document: &Arc<Document>, setting: &TaggedValue<T>, instead: &str) -> Notice {
    let text = format!("{} = {}: {instead}", setting.tag, setting.value.text());
    Notice::about(Severity::Warning, document, setting.span.as_ref(), text)
}

fn address_mapping(execution: &Execution) -> Option<Notice> {
    let setting = &execution.device.address_mapping;
    let instead = "the mapping granularity is one page";
    (setting.value == AddressMapping::Hybrid).then(|| warning(&execution.document, setting, instead))
}

fn scheduling(execution: &Execution) -> Option<Notice> {
    let setting = &execution.device.transaction_scheduling_policy;
    let instead =
        "transactions of all flows are scheduled out of order; in MQSim the policy is commented out";
    (setting.value == Scheduling::Flin).then(|| warning(&execution.document, setting, instead))
}

fn channel_rate(execution: &Execution) -> Option<Notice> {
    let setting = &execution.device.channel_transfer_rate;
    let truncated_ns = 1000 / setting.value;
    let ratio = f64::from(truncated_ns) * f64::from(setting.value) / 1e3;
    let instead =
        format!("transfers have their exact duration; MQSim rounds 1000/rate down to {truncated_ns} ns");
    ((1.0 - ratio).abs() > REPORTED_RATE_DIFFERENCE).then(|| warning(&execution.document, setting, &instead))
}

fn logging(execution: &Execution) -> Option<Notice> {
    let setting = &execution.host.enable_response_time_logging;
    let text =
        format!("{} = true: the log of each flow is written with --xml, beside the result file", setting.tag);
    setting.value.then(|| Notice::about(Severity::Note, &execution.document, setting.span.as_ref(), text))
}

/// Warns of the allocation order `DWCP`, with which MQSim reads unwritten pages from other planes than those
/// to which it writes them.
fn plane_order(execution: &Execution) -> Option<Notice> {
    let setting = &execution.device.plane_allocation_scheme;
    let instead = "pages read before they are written are placed like written pages; MQSim takes their plane from the \
                   list of dies (reproduced by --set ftl.unwritten_place=plane_by_die)";
    (setting.value.0 == "DWCP").then(|| warning(&execution.document, setting, instead))
}

/// Warns of pages of 64 sectors, for which the sector bitmap of MQSim overflows.
fn large_pages(execution: &Execution) -> Option<Notice> {
    let setting = &execution.flash.page_capacity;
    let instead = "a write of all 64 sectors of a page replaces it; MQSim treats it as a write of no sectors and reads the old \
                   page (reproduced by --set ftl.sector_sets=shifted)";
    (setting.value / SECTOR_BYTES == u64::BITS).then(|| warning(&execution.document, setting, instead))
}

/// Warns of FIFO victim selection, because MQSim also selects open blocks.
fn turns_of_blocks(execution: &Execution) -> Option<Notice> {
    let setting = &execution.device.gc_block_selection_policy;
    let instead = "the block that became full first is collected; MQSim selects the one opened first, and collects nothing \
                   if that one is open or has no invalid page";
    (setting.value == VictimSelection::Fifo).then(|| warning(&execution.document, setting, instead))
}

/// Warns of flows with different priority classes, if the transaction scheduling policy serves classes by
/// weight.
fn classes(document: &Arc<Document>, execution: &Execution, scenario: &Scenario) -> Option<Notice> {
    let policy = execution.device.transaction_scheduling_policy.value;
    let is_sata = execution.device.host_interface_type.value == HostInterface::Sata;
    if policy != Scheduling::PriorityOutOfOrder || is_sata {
        return None;
    }
    let first = scenario.flows.first()?.common.priority_class.value;
    let is_reported =
        |class: &&TaggedValue<PriorityClass>| class.value != first || class.value == PriorityClass::Low;
    let other = scenario.flows.iter().map(|flow| &flow.common.priority_class).find(is_reported)?;
    let instead = "classes share a die by weight, and a single class has all of it; in MQSim, turns expire while the chip \
                   is busy, and a chip with low-class work only may wait (reproduced by --set ftl.scheduling=priority_turns)";
    Some(warning(document, other, instead))
}

/// Returns a note that MQSim preconditions the pages that the trace accesses, while Venice preconditions
/// arbitrary pages.
fn filled_for_traces(execution: &Execution, scenario: &Scenario) -> Option<Notice> {
    let setting = &execution.device.enabled_preconditioning;
    let has_trace = scenario.flows.iter().any(|flow| matches!(flow.origin, FlowOrigin::Trace(_)));
    let instead = "preconditioning of a trace flow fills arbitrary pages, as many as MQSim does; MQSim fills those that \
                   the trace accesses first";
    (setting.value && has_trace).then(|| warning(&execution.document, setting, instead))
}

/// Warns of normally distributed sizes that are often negative.
fn sizes_below_zero(document: &Arc<Document>, flow: &FlowParameters) -> Option<Notice> {
    let FlowOrigin::Synthetic(synthetic) = &flow.origin else { return None };
    let (mean, deviation) = (&synthetic.average_request_size, &synthetic.variance_request_size);
    let is_normal = synthetic.size_distribution.value == SizeDistribution::Normal;
    let is_near = u64::from(mean.value) < RARE_DEVIATIONS * u64::from(deviation.value);
    let instead =
        "sizes below one sector become one sector; MQSim interprets negative sizes as about 65,536 sectors";
    (is_normal && is_near).then(|| warning(document, deviation, instead))
}

/// Warns of a bandwidth for which the mean gap is zero in MQSim's integer division.
fn mean_gap(document: &Arc<Document>, flow: &FlowParameters) -> Option<Notice> {
    let FlowOrigin::Synthetic(synthetic) = &flow.origin else { return None };
    let bandwidth =
        synthetic.bandwidth.as_ref().filter(|_| synthetic.generator.value == Generator::Bandwidth)?;
    let per_second = bandwidth.value / SECTOR_BYTES / synthetic.average_request_size.value.max(1);
    let instead = "below one request per second: the mean gap is exact; MQSim divides by zero";
    (per_second == 0).then(|| warning(document, bandwidth, instead))
}

/// Warns of the simple cache, with which MQSim stops with an error.
fn simple_cache(execution: &Execution, scenario: &Scenario) -> Option<Notice> {
    let setting = &execution.device.caching_mechanism;
    let is_used = scenario.caching_mode() != CachingMode::TurnedOff;
    let instead = if scenario.caching_mode() == CachingMode::WriteCache {
        "writes are buffered; MQSim stops at the first request"
    } else {
        "the cache works as with ADVANCED, since reads are to be cached; MQSim stops at the first request"
    };
    (is_used && setting.value == CachingMechanism::Simple)
        .then(|| warning(&execution.document, setting, instead))
}

/// Warns of flows that share only some of their planes, or whose planes are shared by different numbers of
/// flows.
fn uneven_shares(document: &Arc<Document>, execution: &Execution, scenario: &Scenario) -> Option<Notice> {
    let mut lists = scenario.flows.iter().flat_map(|flow| id_lists(execution, flow)).map(|(list, _)| list);
    let instead = "planes of a flow have shares of different sizes, and pages beyond a small one go to the others; MQSim \
                   distributes pages evenly, even beyond the size of a plane";
    let list = lists.next()?;
    shares_are_uneven(execution, scenario).then(|| warning(document, list, instead))
}

/// Returns the flow's lists of resource identifiers, each with the number of such resources in the drive.
pub(super) fn id_lists<'a>(
    execution: &Execution,
    flow: &'a FlowParameters,
) -> impl Iterator<Item = (&'a TaggedValue<IdList>, u32)> {
    let common = &flow.common;
    let lists = [&common.channel_ids, &common.chip_ids, &common.die_ids, &common.plane_ids];
    lists.into_iter().zip(execution.shape()).filter_map(|(list, count)| Some((list.as_ref()?, count)))
}

/// Warns of lists of resource identifiers for a drive with SATA, which cannot distinguish flows.
fn partition(document: &Arc<Document>, execution: &Execution, flow: &FlowParameters) -> Vec<Notice> {
    if execution.device.host_interface_type.value == HostInterface::Nvme {
        return Vec::new();
    }
    let instead = "with SATA, the flow's pages are distributed over the whole drive, as in MQSim";
    let partial = |(list, count): &(&TaggedValue<IdList>, u32)| (list.value.0.len() as u32) < *count;
    id_lists(execution, flow).filter(partial).map(|(list, _)| warning(document, list, instead)).collect()
}

fn time_unit(document: &Arc<Document>, flow: &FlowParameters) -> Option<Notice> {
    let FlowOrigin::Trace(trace) = &flow.origin else { return None };
    let instead = "times are in nanoseconds, as in MQSim, which ignores the unit";
    (trace.time_unit.value != TimeUnit::Nanosecond).then(|| warning(document, &trace.time_unit, instead))
}

fn working_set(document: &Arc<Document>, flow: &FlowParameters) -> Option<Notice> {
    let FlowOrigin::Synthetic(synthetic) = &flow.origin else { return None };
    let setting = &synthetic.working_set_percentage;
    let is_inside = (1..=100).contains(&setting.value);
    (!is_inside).then(|| warning(document, setting, "100 is assumed, as in MQSim"))
}
