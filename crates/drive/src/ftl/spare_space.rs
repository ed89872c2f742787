//! Over-provisioning that garbage collection can use.
//!
//! # What it models
//! Over-provisioning counts all pages of flash that hold no host data. Garbage collection cannot use all of
//! them: some stay erased ahead of the host, and the open blocks are half empty on average.
//!
//! # How
//! Per plane, in blocks: B blocks, of which host data would fill U and translation pages M. R blocks are not
//! available to data:
//!
//! - with a start threshold of T free blocks, T − 1 are free and the two open ones, of the host and of
//!   garbage collection, are half full on average: R = T;
//! - with the least threshold (2), or one that the plane cannot reach (T > B − U − M), garbage collection
//!   starts when the host has no free page left: the reserved block is free and the open GC block half full,
//!   R = 1½; if both fill one block, R = 1;
//! - with lines, garbage collection follows the opening of a line of the host, which is empty then, and starts at
//!   the latest when the host opens the last line that it may take: R = T + ½, at least 2½;
//! - every further open block (streams of the host, of the map, of cold data) adds ½.
//!
//! Over-provisioning is (B − U) / U, the effective one (B − R − M − U) / U. Planes share the host's data
//! evenly under static allocation, and on average under dynamic allocation; if address ranges differ, these
//! are means over the drive.
//!
//! # What is left out
//! Blocks that wear levelling opens, and garbage collection that falls behind its threshold because it yields
//! to the host.
//!
//! # Source
//! Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: pages of the write frontiers and of
//! the free list hold no data that could be collected.
//!
//! # Parameters
//! `ftl.over_provisioning_pct`, `ftl.gc_start_free_blocks_*`, `ftl.write_frontiers`, `ftl.write_streams`,
//! `ftl.gc_destination`, `ftl.mapping`, `ftl.placement`

use venice_nand::geometry::Geometry;
use venice_requests::SECTOR_BYTES;

use super::settings::{FtlSettings, Mapping, WriteFrontiers};
use super::{GcDestination, address_ranges, logical_pages_per_plane, translation_pages_per_plane};

/// Share of an open block that is empty on average.
const EMPTY_OF_OPEN_BLOCK: f64 = 0.5;
/// Least start threshold, at which garbage collection waits until the host has no free page.
const LEAST_START_FREE_BLOCKS: u32 = 2;

/// Mapping units of a drive by use; means over planes that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpareSpace {
    /// Flash pages on reachable chips.
    pub flash_pages: f64,
    /// Pages that the host can address.
    pub host_pages: f64,
    /// Translation pages on flash.
    pub map_pages: f64,
    /// Pages that never hold data: those of free blocks, and the empty ones of open blocks.
    pub reserved_pages: f64,
}

impl SpareSpace {
    /// Returns the pages of a drive on which the host has written all its pages.
    pub fn of(flash: &Geometry, settings: &FtlSettings) -> Self {
        let geometry = &settings.units.slots(flash);
        let chips = geometry.array.chips();
        let reached = f64::from(chips - settings.lost_chips.len() as u32) / f64::from(chips);
        let planes = f64::from(geometry.planes()) * reached;
        let page_sectors = u64::from(geometry.page_bytes / SECTOR_BYTES);
        let sectors = address_ranges(flash, settings).last().map_or(0, |range| range.end);
        Self {
            flash_pages: geometry.pages() as f64 * reached,
            host_pages: (sectors / page_sectors) as f64,
            map_pages: f64::from(map_pages_per_plane(geometry, settings)) * planes,
            reserved_pages: reserved_blocks(geometry, settings)
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

    /// Returns the ratio α for `written` pages of uniformly overwritten data: the pages available to this
    /// data per page of it, if `other` pages hold other data.
    pub fn alpha(&self, written: f64, other: f64) -> f64 {
        (self.flash_pages - self.reserved_pages - other) / written
    }
}

fn map_pages_per_plane(geometry: &Geometry, settings: &FtlSettings) -> u32 {
    let logical = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
    translation_pages_per_plane(geometry, &settings.mapping, logical)
}

/// Returns the number of blocks of a plane that are not available to data.
fn reserved_blocks(geometry: &Geometry, settings: &FtlSettings) -> f64 {
    let logical = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
    let filled = f64::from(logical + map_pages_per_plane(geometry, settings));
    let spare_blocks = f64::from(geometry.blocks_per_plane) - filled / f64::from(geometry.pages_per_block);
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

/// Returns the number of open blocks of a plane in addition to one of the host and one of GC.
fn further_open_blocks(settings: &FtlSettings) -> u32 {
    let streams = settings.streams();
    let of_map = if settings.mapping == Mapping::Ideal { 0 } else { u32::from(streams.map) };
    let of_cold_data = u32::from(settings.gc_destination == GcDestination::ColdApart);
    u32::from(streams.host) - 1 + of_map + of_cold_data
}
