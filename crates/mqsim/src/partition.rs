//! Address ranges of flows, and translation of sectors from MQSim's device to the simulated drive.
//!
//! # What it models
//! In MQSim each flow has a range of consecutive device sectors, and page numbers within the range start at
//! zero: the first page of a flow is always on the first plane of its lists of resources. Recorded requests
//! contain device sectors. With SATA, MQSim's drive does not distinguish flows. The lists are then ignored,
//! and page numbers are consecutive over all ranges.
//!
//! # How
//! A flow receives part of each plane in its lists. The plane's sectors without over-provisioning are divided
//! by the number of flows that list the plane, and the result is rounded down. In Venice each flow has an
//! address range of the drive on the same planes, with the same size rounded to whole pages of a plane. A
//! device sector is translated by adding the difference of the two start addresses.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `Logical_Address_Partitioning_Unit.cpp`.
//!
//! # Parameters
//! `Channel_IDs`, `Chip_IDs`, `Die_IDs`, `Plane_IDs`, `Overprovisioning_Ratio` and the geometry.

use std::ops::Range;

use venice_requests::SECTOR_BYTES;

use super::execution::{Execution, HostInterface};
use super::tag_types::{IdList, TaggedValue};
use super::workload::{FlowParameters, Scenario};

/// Address space of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSpace {
    /// First device sector of the flow in MQSim.
    pub mqsim_start_sector: u64,
    /// Number of sectors of the flow's address space in MQSim.
    pub sectors: u64,
    /// First sector of the flow on the simulated drive.
    pub start_sector: u64,
    /// Number of sectors of the flow's address space on the simulated drive, in whole pages.
    pub capacity_sectors: u64,
}

/// Returns the address spaces of a scenario's flows, in scenario order, for a drive with the address ranges
/// `ranges`. If all flows share one address range, their spaces are consecutive up to the end of the drive.
pub fn spaces(execution: &Execution, scenario: &Scenario, ranges: &[Range<u64>]) -> Vec<FlowSpace> {
    let page_sectors = u64::from(execution.flash.page_capacity.value / SECTOR_BYTES).max(1);
    let planes: Vec<PlaneSet> = scenario.flows.iter().map(|flow| PlaneSet::of(execution, flow)).collect();
    let end = ranges.last().map_or(0, |range| range.end);
    let mut mqsim_start_sector = 0;
    let mut spaces = Vec::with_capacity(planes.len());
    for (number, set) in planes.iter().enumerate() {
        let sectors = sectors_of(execution, set, &planes);
        let own = if ranges.len() == planes.len() {
            ranges[number].clone()
        } else {
            mqsim_start_sector.min(end)..end
        };
        let capacity_sectors = sectors.next_multiple_of(page_sectors).min(own.end - own.start);
        spaces.push(FlowSpace { mqsim_start_sector, sectors, start_sector: own.start, capacity_sectors });
        mqsim_start_sector += sectors;
    }
    spaces
}

/// Returns the offset, in sectors, from MQSim's page boundaries to Venice's, for each address range. A flow's
/// requests are split at MQSim's boundaries. The list is empty if all offsets are zero.
pub fn page_cuts(execution: &Execution, scenario: &Scenario, ranges: &[Range<u64>]) -> Vec<u32> {
    let page_sectors = u64::from(execution.flash.page_capacity.value / SECTOR_BYTES).max(1);
    let cut = |space: &FlowSpace| (space.mqsim_start_sector % page_sectors) as u32;
    let cuts: Vec<u32> = spaces(execution, scenario, ranges).iter().map(cut).collect();
    let is_cut = ranges.len() == cuts.len() && cuts.iter().any(|&cut| cut != 0);
    if is_cut { cuts } else { Vec::new() }
}

/// True if some flow has planes that are shared by different numbers of flows.
pub(super) fn shares_are_uneven(execution: &Execution, scenario: &Scenario) -> bool {
    let planes: Vec<PlaneSet> = scenario.flows.iter().map(|flow| PlaneSet::of(execution, flow)).collect();
    let sharers = |plane| planes.iter().filter(|set| set.has(plane)).count();
    planes.iter().any(|set| {
        let mut counts = set.planes().map(sharers);
        let first = counts.next();
        counts.any(|count| Some(count) != first)
    })
}

/// Planes of a flow: the product of its lists of channels, chips, dies and planes.
struct PlaneSet([Vec<u16>; 4]);

impl PlaneSet {
    fn of(execution: &Execution, flow: &FlowParameters) -> Self {
        if execution.device.host_interface_type.value == HostInterface::Sata {
            return Self(execution.shape().map(|count| listed(None, count)));
        }
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

fn listed(list: Option<&TaggedValue<IdList>>, count: u32) -> Vec<u16> {
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
