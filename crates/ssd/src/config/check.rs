//! Stage two, part two: what single values cannot show, because it takes several to be wrong.

mod faults;
mod partition;
mod unused;

use crate::cache::{CacheMode, CacheParameters};
use crate::fabric::FabricError;
use crate::ftl::{
    Mapping, logical_pages_per_plane, most_logical_pages_per_plane, translation_pages_per_plane,
};
use crate::geometry::Geometry;
use crate::parameters::Conflict;
use crate::registry::FabricKind;

use super::entry::Entries;
use super::error::Problem;
use super::settings::{fabric_settings, geometry};
use super::table::Config;

pub(super) use unused::scheduler_without_a_scheme;

impl Conflict {
    /// The problem at the place of the key's value, if a layer set it.
    pub(super) fn located(self, entries: &Entries) -> Problem {
        let mut problem = Problem::new(self.message).at(entries.latest_place(self.keys));
        if let Some(note) = self.note {
            problem = problem.note(note);
        }
        problem
    }
}

/// Every set of values that do not go together.
pub(super) fn conflicts(config: &Config) -> Vec<Conflict> {
    let first = [
        too_many_pages,
        faults::of_another_fabric,
        faults::no_such_part,
        faults::no_such_link,
        faults::no_such_router,
        faults::two_instants,
        partition::wrong_count,
        partition::beyond_the_drive,
        partition::twice,
    ];
    if let Some(conflict) = first.iter().find_map(|check| check(config)) {
        return vec![conflict];
    }
    let checks: &[fn(&Config) -> Option<Conflict>] = &[
        |config| config.flash.array.conflict(),
        too_little_spare,
        |config| config.precondition.conflict(),
        partition::no_page,
        partition::overfull,
        |config| config.ftl.mapping.conflict(config.partition.count),
        packet_too_large,
        late_collection,
        |config| config.ftl.collection.conflict(),
        partition::too_many_modes,
        |config| config.cache.conflict(),
        small_cache,
        faults::lost_map,
        |config| config.fabrics.venice.attachment.conflict(),
        fabric,
    ];
    checks.iter().filter_map(|check| check(config)).collect()
}

/// Physical page numbers have 32 bits.
fn too_many_pages(config: &Config) -> Option<Conflict> {
    let (array, flash) = (&config.array, &config.flash);
    let dies = u64::from(array.rows) * u64::from(array.cols) * u64::from(flash.dies_per_chip);
    let blocks = dies * u64::from(flash.planes_per_die) * u64::from(flash.blocks_per_plane);
    let pages = blocks * u64::from(flash.pages_per_block);
    if u32::try_from(pages).is_ok() {
        return None;
    }
    let message = format!("the drive has {pages} pages, and at most {} can be numbered", u32::MAX);
    let note = format!(
        "{} rows x {} chips x {} dies x {} planes x {} blocks x {} pages: make one of them smaller",
        array.rows,
        array.cols,
        flash.dies_per_chip,
        flash.planes_per_die,
        flash.blocks_per_plane,
        flash.pages_per_block,
    );
    Some(Conflict {
        keys: &[
            "flash.blocks_per_plane",
            "flash.pages_per_block",
            "flash.planes_per_die",
            "flash.dies_per_chip",
            "array.rows",
            "array.cols",
        ],
        message,
        note: Some(note),
    })
}

/// Garbage collection needs room.
fn too_little_spare(config: &Config) -> Option<Conflict> {
    let plane = geometry(config);
    let pct = config.ftl.over_provisioning_pct;
    let mapping = config.ftl.mapping.costs(config.flash.page_bytes);
    if leaves_room(&plane, &mapping, pct) {
        return None;
    }
    let of_map = match map_pages(&plane, &mapping, pct) {
        0 => String::new(),
        pages => format!(" besides {pages} of the map"),
    };
    let message = format!(
        "{pct} % over-provisioning lets the host fill {} pages of a plane{of_map}, and garbage collection has room \
         for at most {} of its {}",
        logical_pages(&plane, pct),
        room(&plane),
        plane.pages_per_plane(),
    );
    let note = format!(
        "a plane has {} blocks of {} pages and needs one block and one page spare: {} % would do",
        plane.blocks_per_plane,
        plane.pages_per_block,
        enough_pct(&plane, &mapping),
    );
    let keys = &["ftl.over_provisioning_pct", "flash.blocks_per_plane", "ftl.mapping"];
    Some(Conflict { keys, message, note: Some(note) })
}

/// Most logical pages of a plane.
fn room(plane: &Geometry) -> u64 {
    u64::from(most_logical_pages_per_plane(plane))
}

fn logical_pages(plane: &Geometry, over_provisioning_pct: f64) -> u64 {
    u64::from(logical_pages_per_plane(plane, over_provisioning_pct / 100.0))
}

/// Pages of a plane that hold the map itself.
fn map_pages(plane: &Geometry, mapping: &Mapping, over_provisioning_pct: f64) -> u64 {
    let logical = logical_pages_per_plane(plane, over_provisioning_pct / 100.0);
    u64::from(translation_pages_per_plane(plane, mapping, logical))
}

fn leaves_room(plane: &Geometry, mapping: &Mapping, over_provisioning_pct: f64) -> bool {
    let logical = logical_pages(plane, over_provisioning_pct);
    logical + map_pages(plane, mapping, over_provisioning_pct) <= room(plane)
}

/// The smallest sufficient percentage with two decimals.
fn enough_pct(plane: &Geometry, mapping: &Mapping) -> f64 {
    let hundredths = (1e4 / f64::from(plane.blocks_per_plane)).floor() as u32;
    let mut candidates = (hundredths..=10_000).map(|n| f64::from(n) / 100.0);
    candidates.find(|pct| leaves_room(plane, mapping, *pct)).unwrap_or(100.0)
}

/// Of a fabric that is not there, what it says itself; NoSSD itself demands more.
fn packet_too_large(config: &Config) -> Option<Conflict> {
    if config.fabric.name == FabricKind::NoSsd { None } else { config.fabrics.nossd.conflict() }
}

/// A plane cannot have more free blocks than blocks.
fn late_collection(config: &Config) -> Option<Conflict> {
    let (least, blocks) = (config.ftl.collection.gc_start_free_blocks_min, config.flash.blocks_per_plane);
    if least < blocks {
        return None;
    }
    let message =
        format!("collection would start below {least} free blocks, and a plane has {blocks} blocks");
    let note = Some(format!("expected: less than {blocks}"));
    Some(Conflict { keys: &["ftl.gc_start_free_blocks_min", "flash.blocks_per_plane"], message, note })
}

/// Whether the data cache does anything at all.
fn has_cache(cache: &CacheParameters) -> bool {
    cache.mode != CacheMode::Off || cache.modes.iter().any(|mode| *mode != CacheMode::Off)
}

/// Each part of the data cache has room for a page.
fn small_cache(config: &Config) -> Option<Conflict> {
    let (cache, page) = (&config.cache, u64::from(config.flash.page_bytes));
    let least = page * u64::from(cache.partitions);
    if !has_cache(cache) || cache.capacity_bytes >= least {
        return None;
    }
    let message = format!(
        "a cache of {} bytes has no room for a page of {page} bytes in each of its {} parts",
        cache.capacity_bytes, cache.partitions,
    );
    let keys = &["cache.capacity_bytes", "cache.partitions", "cache.mode", "flash.page_bytes"];
    Some(Conflict { keys, message, note: Some(format!("expected: at least {least}")) })
}

/// What the shape of the array depends on, and the fabric's liking for it.
const SHAPE: &[&str] = &["fabric.name", "array.rows", "array.cols"];
/// What a port's buffer of NoSSD depends on.
const BUFFER: &[&str] = &[
    "fabric.nossd.port_buffer_bytes",
    "fabric.nossd.max_payload_bytes",
    "fabric.nossd.header_bytes",
    "fabric.name",
];

/// What decides whether chips are reached.
const FAULTS: &[&str] = &[
    "fabric.mesh.failed_links",
    "fabric.mesh.failed_routers",
    "fabric.faults.channels",
    "fabric.faults.chip_channels",
    "fabric.faults.row_buses",
    "fabric.faults.column_buses",
    "fabric.faults.ring_links",
    "fabric.hlnand.links_turn",
    "fabric.venice.routing",
    "fabric.venice.controller",
    "fabric.nossd.controller",
    "fabric.nossd.reply",
    "fabric.name",
];
const REACHABLE: &str = "expected: fewer failures, a routing with more paths, data elsewhere (partition.channels, partition.ways), or a drive that goes on without those chips (fabric.faults.degraded_mode)";

/// What the fabric itself demands, such as an array of a certain shape.
fn fabric(config: &Config) -> Option<Conflict> {
    let error = config.fabric.name.validate(&fabric_settings(config)).err()?;
    let (keys, note) = match error {
        FabricError::BufferTooSmall { .. } => (BUFFER, None),
        FabricError::Unreachable { .. } => (FAULTS, Some(REACHABLE.to_owned())),
        FabricError::NotSquare { .. } | FabricError::Own(_) => (SHAPE, None),
    };
    Some(Conflict { keys, message: error.to_string(), note })
}
