//! Which sectors of the drive belong to which flow: in MQSim, and here.
//!
//! # What it models
//! MQSim gives each flow a range of device sectors, one after another, and inside it page numbers that begin
//! at zero: the plane of a flow's first page is always the first. Recorded requests name device sectors.
//!
//! # How
//! A flow gets from each plane that its lists name the plane's share: sectors times (1 - over-provisioning)
//! over the number of flows that name the plane, rounded down for each plane. Here, each flow's range begins
//! at a multiple of one page of every plane, so that its pages lie on the planes on which MQSim has them; a
//! device sector moves by the difference of the two starts.
//!
//! # What is left out
//! The data itself is not kept to the flow's planes.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `Logical_Address_Partitioning_Unit.cpp`.
//!
//! # Parameters
//! `Channel_IDs`, `Chip_IDs`, `Die_IDs`, `Plane_IDs`, `Overprovisioning_Ratio` and the geometry.

use super::execution::Execution;
use super::tagged::{IdList, Setting};
use super::workload::{FlowParameters, Scenario};
use crate::geometry::SECTOR_BYTES;

/// The sectors of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSpace {
    /// MQSim's first device sector of the flow.
    pub mqsim_start_sector: u64,
    /// Sectors of the flow.
    pub sectors: u64,
    /// The first sector of the flow here.
    pub start_sector: u64,
}

/// The spaces of a scenario's flows, in their order.
pub fn spaces(execution: &Execution, scenario: &Scenario) -> Vec<FlowSpace> {
    let page_sectors = u64::from(execution.flash.page_capacity.value / SECTOR_BYTES).max(1);
    let stripe_sectors =
        page_sectors * execution.shape().iter().map(|&count| u64::from(count)).product::<u64>();
    let planes: Vec<PlaneSet> = scenario.flows.iter().map(|flow| PlaneSet::of(execution, flow)).collect();
    let (mut mqsim_start_sector, mut start_sector) = (0, 0);
    let mut spaces = Vec::with_capacity(planes.len());
    for set in &planes {
        let sectors = sectors_of(execution, set, &planes);
        spaces.push(FlowSpace { mqsim_start_sector, sectors, start_sector });
        mqsim_start_sector += sectors;
        start_sector = (start_sector + sectors).next_multiple_of(stripe_sectors);
    }
    spaces
}

/// The planes that a flow names: those whose channel, chip, die and plane are all in its lists.
struct PlaneSet([Vec<u16>; 4]);

impl PlaneSet {
    fn of(execution: &Execution, flow: &FlowParameters) -> Self {
        let common = &flow.common;
        let lists = [&common.channel_ids, &common.chip_ids, &common.die_ids, &common.plane_ids];
        let shape = execution.shape();
        Self(std::array::from_fn(|level| listed(lists[level].as_ref(), shape[level])))
    }

    fn has(&self, plane: [u16; 4]) -> bool {
        self.0.iter().zip(plane).all(|(list, id)| list.contains(&id))
    }

    fn planes(&self) -> impl Iterator<Item = [u16; 4]> {
        let [channels, chips, dies, planes] = &self.0;
        channels.iter().flat_map(move |&channel| {
            chips.iter().flat_map(move |&chip| {
                dies.iter().flat_map(move |&die| planes.iter().map(move |&plane| [channel, chip, die, plane]))
            })
        })
    }
}

fn listed(list: Option<&Setting<IdList>>, count: u32) -> Vec<u16> {
    let all = || (0..u16::try_from(count).unwrap_or(u16::MAX)).collect();
    list.map_or_else(all, |list| list.value.0.clone())
}

fn sectors_of(execution: &Execution, set: &PlaneSet, all: &[PlaneSet]) -> u64 {
    let flash = &execution.flash;
    let page_sectors = f64::from(flash.page_capacity.value / SECTOR_BYTES);
    let raw =
        f64::from(flash.block_no_per_plane.value) * f64::from(flash.page_no_per_block.value) * page_sectors;
    let usable = raw * (1.0 - execution.device.overprovisioning_ratio.value);
    let share = |plane| {
        let sharers = all.iter().filter(|other| other.has(plane)).count();
        (usable * (1.0 / sharers as f64)) as u64
    };
    set.planes().map(share).sum()
}
