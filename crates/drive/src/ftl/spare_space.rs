//! Effective over-provisioning: the part of the over-provisioning that garbage collection can use.
//!
//! # What it models
//! Over-provisioning counts all flash pages without host data. Garbage collection (GC) cannot use all of
//! them: some blocks are kept free for the host, and open blocks are half empty on average.
//!
//! # How
//! A plane has B blocks, of which host data fills U and translation pages fill M. A number R of blocks is not
//! available to data:
//!
//! - With a start threshold of T free blocks, T − 1 blocks are free, and the open blocks of the host and of
//!   GC are half full on average: R = T.
//! - With the smallest threshold (2), or one that the plane cannot reach (T > B − U − M), GC starts when the
//!   host has no free page left. The reserved block is then free and the open GC block is half full: R = 1½.
//!   If host and GC share one open block, R = 1.
//! - With lines (superblocks), GC starts when the host opens a line, which is then empty, and at the latest
//!   when the host opens the last line available to it: R = T + ½, at least 2½.
//! - Factory bad blocks, and the reserve for grown ones, are not available to data.
//! - Every further open block (for streams of the host, translation pages or cold data) adds ½.
//!
//! Over-provisioning is (B − U) / U; effective over-provisioning is (B − R − M − U) / U. With static
//! allocation, every plane has the same amount of host data; with dynamic allocation, this is so on average.
//! If address ranges differ, the values are means over the drive.
//!
//! # What is left out
//! Blocks that wear levelling opens. GC that falls behind its threshold because it yields to the host.
//!
//! # Source
//! Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: free blocks and the empty pages of
//! open blocks contain no data that could be collected.
//!
//! # Parameters
//! `ftl.over_provisioning_pct`, `ftl.gc_start_free_blocks_*`, `ftl.write_frontiers`, `ftl.write_streams`,
//! `ftl.gc_destination`, `ftl.mapping`, `ftl.placement`

use venice_nand::geometry::Geometry;
use venice_requests::SECTOR_BYTES;

use super::settings::{FtlSettings, Mapping, WriteFrontiers};
use super::{GcDestination, address_ranges, logical_pages_per_plane, translation_pages_per_plane};

/// Share of an open block that is empty, on average over time.
const EMPTY_OF_OPEN_BLOCK: f64 = 0.5;
/// Smallest start threshold. Garbage collection then starts only when the host has no free page left.
const LEAST_START_FREE_BLOCKS: u32 = 2;

/// Numbers of mapping units in a drive, by their use. If planes differ, the numbers are computed from means
/// over the planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpareSpace {
    /// Pages of flash on reachable chips, without pages for parity.
    pub flash_pages: f64,
    /// Pages that the host can address.
    pub host_pages: f64,
    /// Translation pages on flash, which contain the map.
    pub map_pages: f64,
    /// Pages that never contain data, on average: pages of free blocks, and the empty pages of open blocks.
    pub reserved_pages: f64,
}

impl SpareSpace {
    /// Returns the numbers of mapping units for a drive on which the host has written all pages.
    pub fn of(flash: &Geometry, settings: &FtlSettings) -> Self {
        let geometry = &settings.units.slots(flash);
        let chips = geometry.array.chips();
        let of_data = f64::from(settings.data_planes(geometry)) / f64::from(geometry.planes());
        let reached = of_data * f64::from(chips - settings.lost_chips.len() as u32) / f64::from(chips);
        let planes = f64::from(geometry.planes()) * reached;
        let page_sectors = u64::from(geometry.page_bytes / SECTOR_BYTES);
        let sectors = address_ranges(flash, settings).last().map_or(0, |range| range.end);
        Self {
            flash_pages: geometry.pages() as f64 * reached,
            host_pages: (sectors / page_sectors) as f64,
            map_pages: f64::from(map_pages_per_plane(geometry, settings)) * planes,
            reserved_pages: (reserved_blocks(geometry, settings)
                + static_slc_blocks(settings)
                + unusable_blocks(geometry, settings))
                * f64::from(geometry.pages_per_block)
                * planes,
        }
    }

    /// Returns the over-provisioning in % of the host's capacity.
    pub fn over_provisioning_pct(&self) -> f64 {
        (self.flash_pages / self.host_pages - 1.0) * 100.0
    }

    /// Returns the over-provisioning that garbage collection can use, in % of the host's capacity.
    pub fn effective_pct(&self) -> f64 {
        (self.alpha(self.host_pages, self.map_pages) - 1.0) * 100.0
    }

    /// Returns the ratio α of physical to logical pages for `written` pages that are overwritten uniformly.
    /// `other` is the number of pages with other data.
    pub fn alpha(&self, written: f64, other: f64) -> f64 {
        (self.flash_pages - self.reserved_pages - other) / written
    }
}

fn map_pages_per_plane(geometry: &Geometry, settings: &FtlSettings) -> u32 {
    let logical = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
    translation_pages_per_plane(geometry, &settings.mapping, logical)
}

/// Returns the number of blocks in a plane that are not available to data.
fn reserved_blocks(geometry: &Geometry, settings: &FtlSettings) -> f64 {
    let logical = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
    let filled = f64::from(logical + map_pages_per_plane(geometry, settings));
    let usable = f64::from(geometry.blocks_per_plane) - unusable_blocks(geometry, settings);
    let spare_blocks = usable - filled / f64::from(geometry.pages_per_block);
    let threshold = settings.gc_start_free_blocks;
    let is_reached = threshold > LEAST_START_FREE_BLOCKS && f64::from(threshold) <= spare_blocks;
    let shares = settings.write_frontiers == WriteFrontiers::Shared || settings.gc_destination.leaves();
    let at_least = if shares { 1.0 } else { 1.0 + EMPTY_OF_OPEN_BLOCK };
    let kept = match (settings.allocation.is_striped(), is_reached) {
        (true, true) => f64::from(threshold) + EMPTY_OF_OPEN_BLOCK,
        (true, false) => f64::from(LEAST_START_FREE_BLOCKS) + EMPTY_OF_OPEN_BLOCK,
        (false, true) => f64::from(threshold),
        (false, false) => at_least,
    };
    kept + f64::from(further_open_blocks(settings)) * EMPTY_OF_OPEN_BLOCK
}

/// Returns the mean number of blocks of a plane that data cannot use: bad blocks, the reserve for blocks that
/// fail during the run and, with lines (superblocks), blocks left over because other blocks are bad.
fn unusable_blocks(geometry: &Geometry, settings: &FtlSettings) -> f64 {
    let usable: f64 = settings.usable_blocks(geometry).into_iter().map(f64::from).sum();
    f64::from(geometry.blocks_per_plane) - usable / f64::from(geometry.planes())
}

/// Returns the number of blocks in a plane that are always in SLC mode.
fn static_slc_blocks(settings: &FtlSettings) -> f64 {
    settings.slc.map_or(0.0, |slc| f64::from(slc.static_lines))
}

/// Returns the number of open blocks in a plane, without the first open block of the host and the open block
/// of garbage collection.
fn further_open_blocks(settings: &FtlSettings) -> u32 {
    let streams = settings.streams();
    let of_map = if settings.mapping == Mapping::Ideal { 0 } else { u32::from(streams.map) };
    let of_cold_data = u32::from(settings.gc_destination == GcDestination::ColdApart);
    u32::from(streams.host) - 1 + of_map + of_cold_data
}
