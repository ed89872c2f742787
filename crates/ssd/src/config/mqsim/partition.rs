//! Which sectors of the drive belong to which flow: in MQSim, and here.
//!
//! # What it models
//! MQSim gives each flow a range of device sectors, one after another, and inside it page numbers that begin
//! at zero: the plane of a flow's first page is always the first of its lists. Recorded requests name device sectors.
//! With SATA the drive knows no flows: lists do not count, and page numbers run through all ranges.
//!
//! # How
//! A flow gets from each plane that its lists name the plane's share: sectors times (1 - over-provisioning)
//! over the number of flows that name the plane, rounded down for each plane. Here, each flow has an address range
//! of the drive, of the same planes and, to whole pages of a plane, as large; a device sector moves by the difference
//! of the two starts.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `Logical_Address_Partitioning_Unit.cpp`.
//!
//! # Parameters
//! `Channel_IDs`, `Chip_IDs`, `Die_IDs`, `Plane_IDs`, `Overprovisioning_Ratio` and the geometry.

use std::ops::Range;

use super::execution::{Execution, HostInterface};
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
    /// Sectors of the flow that the drive has: whole pages.
    pub capacity_sectors: u64,
}

/// The spaces of a scenario's flows, in their order, on a drive of these address ranges. Without a range for each
/// flow, they lie one behind the other as far as the drive reaches.
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

/// By address range: how many sectors before its pages end a flow's requests are cut where pages of MQSim's device end.
/// None if that is nowhere else.
pub fn page_cuts(execution: &Execution, scenario: &Scenario, ranges: &[Range<u64>]) -> Vec<u32> {
    let page_sectors = u64::from(execution.flash.page_capacity.value / SECTOR_BYTES).max(1);
    let cut = |space: &FlowSpace| (space.mqsim_start_sector % page_sectors) as u32;
    let cuts: Vec<u32> = spaces(execution, scenario, ranges).iter().map(cut).collect();
    let is_cut = ranges.len() == cuts.len() && cuts.iter().any(|&cut| cut != 0);
    if is_cut { cuts } else { Vec::new() }
}

/// Whether the planes of some flow are shared with different numbers of others.
pub(super) fn shares_are_uneven(execution: &Execution, scenario: &Scenario) -> bool {
    let planes: Vec<PlaneSet> = scenario.flows.iter().map(|flow| PlaneSet::of(execution, flow)).collect();
    let sharers = |plane| planes.iter().filter(|set| set.has(plane)).count();
    planes.iter().any(|set| {
        let mut counts = set.planes().map(sharers);
        let first = counts.next();
        counts.any(|count| Some(count) != first)
    })
}

/// The planes that a flow names: those whose channel, chip, die and plane are all in its lists.
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
