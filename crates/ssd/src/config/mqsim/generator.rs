//! MQSim's synthetic flows in the words of our workloads.
//!
//! # What it models
//! The generator (by depth or by bandwidth), the share of reads, the three address distributions, fixed and
//! normally distributed sizes, the working set and the alignment.
//!
//! # How
//! - `QUEUE_DEPTH`: a closed loop. `BANDWIDTH`: exponential gaps with a mean of size over bandwidth.
//! - `RANDOM_HOTCOLD` with a hot region of H %: 100 - H % of the requests start in the first H %.
//! - The working set is the first part of the flow's space.
//!
//! # What is left out
//! MQSim's random numbers: the requests have the same characteristics, not the same addresses; a list of
//! recorded requests has both. `STREAMING` begins at the first sector, where MQSim draws one. The mean gap is
//! exact, where MQSim divides in whole numbers. Sizes are cut off six standard deviations from the mean and
//! below one sector, where MQSim lets a negative size become a huge one.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `IO_Flow_Synthetic.cpp`.

use std::fmt::Write as _;

use super::workload::{AddressDistribution, Generator, SizeDistribution, SyntheticParameters};
use crate::host::workloads::parse_workload;
use crate::host::{RequestSource, SECTOR_BYTES, SourceError};

/// More requests than any flow that ends by its stop time can issue.
const UNTIL_STOPPED: u64 = 1_000_000_000_000;

/// The requests of a flow whose space has so many sectors, counted from the space's first.
pub(super) fn requests(
    flow: &SyntheticParameters,
    space_sectors: u64,
    name: &str,
) -> Result<Box<dyn RequestSource + Send>, SourceError> {
    let workload = parse_workload(&definition(flow, space_sectors), name, name)?;
    workload.source(space_sectors, flow.seed.value.unsigned_abs().into())
}

/// The flow as the text of a workload file.
fn definition(flow: &SyntheticParameters, space_sectors: u64) -> String {
    let requests = if flow.stop_time.value > 0 { UNTIL_STOPPED } else { flow.total_requests.value.into() };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "description = 'a synthetic flow of MQSim'\nsource = 'workload.xml'\nsynthetic = true"
    );
    let _ = writeln!(text, "requests = {requests}\nread_pct = {}", flow.read_percentage.value);
    if flow.generator.value == Generator::QueueDepth {
        let depth = flow.queue_depth.as_ref().map_or(1, |depth| depth.value);
        let _ = writeln!(text, "closed_loop_depth = {depth}");
    }
    let _ = writeln!(text, "size = {}\n[address]\npattern = {}", size(flow), pattern(flow));
    let align_bytes = if flow.aligned.value { flow.alignment_unit.value } else { 1 } * SECTOR_BYTES;
    let footprint_bytes = working_set(flow, space_sectors) * u64::from(SECTOR_BYTES);
    let _ = writeln!(text, "align_bytes = {align_bytes}\nfootprint = {{ bytes = {footprint_bytes} }}");
    if let Some(mean_gap_us) = mean_gap_us(flow) {
        let _ = writeln!(text, "[open_loop]\nmean_gap_us = {mean_gap_us:?}\ngaps = 'exponential'");
    }
    text
}

fn size(flow: &SyntheticParameters) -> String {
    let mean_bytes = flow.average_request_size.value * SECTOR_BYTES;
    let deviation_bytes = flow.variance_request_size.value * SECTOR_BYTES;
    match flow.size_distribution.value {
        SizeDistribution::Normal if deviation_bytes > 0 => {
            format!("{{ normal = {{ mean_bytes = {mean_bytes}, deviation_bytes = {deviation_bytes} }} }}")
        }
        _ => format!("{{ fixed_bytes = {mean_bytes} }}"),
    }
}

fn pattern(flow: &SyntheticParameters) -> String {
    let hot_pct = flow.percentage_of_hot_region.value;
    match flow.address_distribution.value {
        AddressDistribution::Streaming => "'sequential'".to_owned(),
        AddressDistribution::RandomUniform => "'uniform'".to_owned(),
        AddressDistribution::RandomHotcold => {
            format!("{{ hot_cold = {{ hot_access_pct = {}, hot_space_pct = {hot_pct} }} }}", 100 - hot_pct)
        }
    }
}

/// Sectors that are touched, counted as MQSim does: the last one moves, and the truncated one belongs to it.
fn working_set(flow: &SyntheticParameters, space_sectors: u64) -> u64 {
    let pct = flow.working_set_percentage.value;
    let ratio = if (1..=100).contains(&pct) { f64::from(pct) / 100.0 } else { 1.0 };
    (space_sectors.saturating_sub(1) as f64 * ratio) as u64 + 1
}

fn mean_gap_us(flow: &SyntheticParameters) -> Option<f64> {
    let bandwidth = flow.bandwidth.as_ref().filter(|_| flow.generator.value == Generator::Bandwidth)?;
    let mean_bytes = f64::from(flow.average_request_size.value) * f64::from(SECTOR_BYTES);
    Some(mean_bytes / f64::from(bandwidth.value) * 1e6)
}
