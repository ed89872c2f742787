//! Regions that MQSim's preconditioning fills, one for each flow.
//!
//! # What it models
//! Preconditioning fills part of each flow's address space, as given by its initial occupancy, within its
//! working set if that is large enough. Overwrites are distributed over the flows in proportion to their
//! filled pages.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `FTL.cpp` and `IO_Flow_Synthetic.cpp`.
//!
//! # Parameters
//! `Initial_Occupancy_Percentage`, `Working_Set_Percentage`, `Address_Distribution`,
//! `Percentage_of_Hot_Region`

use venice_drive::ftl::{DrawnRequests, DrawnSize, PageRegion, WritePattern};
use venice_requests::SECTOR_BYTES;
use venice_sim::assembly::{DriveSettings, Simulation};

use super::execution::Execution;
use super::partition::{FlowSpace, spaces};
use super::workload::{
    AddressDistribution, FlowOrigin, FlowParameters, Scenario, SizeDistribution, SyntheticParameters,
};

/// Returns the regions that preconditioning fills for the flows of a scenario, in scenario order.
pub fn precondition(execution: &Execution, scenario: &Scenario, drive: &DriveSettings) -> Vec<PageRegion> {
    let page_sectors = u64::from(drive.geometry.page_bytes / SECTOR_BYTES);
    let all = (Simulation::capacity_sectors(drive) / page_sectors) as u32;
    let flows = scenario.flows.iter().zip(spaces(execution, scenario, &Simulation::address_ranges(drive)));
    flows.map(|(flow, space)| region(flow, space, page_sectors, all)).collect()
}

fn region(flow: &FlowParameters, space: FlowSpace, page_sectors: u64, all: u32) -> PageRegion {
    let page = |sector: u64| u32::try_from(sector.div_ceil(page_sectors)).map_or(all, |page| page.min(all));
    let pages = page(space.start_sector)..page(space.start_sector + space.sectors);
    let length = pages.end - pages.start;
    let occupancy = f64::from(flow.common.initial_occupancy_percentage.value) / 100.0;
    let (share, pattern, drawn) = match &flow.origin {
        FlowOrigin::Synthetic(synthetic) => {
            let percentage = synthetic.working_set_percentage.value;
            let share = if (1..=100).contains(&percentage) { f64::from(percentage) / 100.0 } else { 1.0 };
            let hot = f64::from(synthetic.percentage_of_hot_region.value) / 100.0;
            let pattern = match synthetic.address_distribution.value {
                AddressDistribution::Streaming => WritePattern::Sequential,
                AddressDistribution::RandomHotcold => {
                    WritePattern::HotCold { region: hot, traffic: 1.0 - hot }
                }
                AddressDistribution::RandomUniform => WritePattern::Uniform,
            };
            (share, pattern, Some(drawn(synthetic, space, share)))
        }
        FlowOrigin::Trace(_) => (1.0, WritePattern::Uniform, None),
    };
    PageRegion {
        working_set: (f64::from(length) * share) as u32,
        occupancy,
        pattern,
        drawn,
        traffic: f64::from(length) * occupancy,
        pages,
    }
}

fn drawn(flow: &SyntheticParameters, space: FlowSpace, working_set_ratio: f64) -> DrawnRequests {
    let (mean, deviation) = (flow.average_request_size.value, flow.variance_request_size.value);
    DrawnRequests {
        first_sector: space.mqsim_start_sector,
        sectors: space.sectors,
        working_set_ratio,
        seed: flow.seed.value.unsigned_abs(),
        has_hot_seeds: flow.address_distribution.value == AddressDistribution::RandomHotcold,
        alignment: flow.aligned.value.then(|| flow.alignment_unit.value.into()),
        size: match flow.size_distribution.value {
            SizeDistribution::Fixed => DrawnSize::Fixed(mean.into()),
            SizeDistribution::Normal => DrawnSize::Normal { mean: mean.into(), deviation: deviation.into() },
        },
    }
}
