//! Validation across parameters: reports combinations of values that are valid individually but inconsistent
//! together.

mod bad_blocks;
mod cache_operations;
mod chip_function;
mod faults;
mod idle_settings;
mod mapping_unit;
mod parity;
mod partition;
mod program_planes;
mod redirected_requests;
mod slc_cache;
mod superblock;
mod trims;
mod two_pass;
mod unused_options;

use venice_drive::cache::{CacheMode, CacheParameters};
use venice_drive::ftl::{
    Mapping, logical_pages_per_plane, most_logical_pages_per_plane, translation_pages_per_plane,
};
use venice_fabric::{FabricError, FabricKind};
use venice_nand::geometry::{Geometry, MappingUnits};
use venice_params::Conflict;

use super::entry::Entries;
use super::error::Problem;
use super::settings::{fabric_settings, slots, units};
use super::table::Config;

pub(super) use chip_function::over_budget_of_searches;
pub(super) use idle_settings::{idle_settings, idle_settings_of_file_searches};
pub(super) use unused_options::scheduler_without_a_scheme;

/// Returns the problem that reports a conflict. Its location is the key of the conflict that was set by the
/// latest layer; without a location if all values are defaults.
pub(super) fn located(conflict: Conflict, entries: &Entries) -> Problem {
    let problem = Problem::new(conflict.message).at(entries.latest_place(conflict.keys));
    match conflict.note {
        Some(note) => problem.note(note),
        None => problem,
    }
}

/// Returns all inconsistent combinations of values.
pub(super) fn conflicts(config: &Config) -> Vec<Conflict> {
    let units = mapping_unit::no_fraction(config).or_else(|| mapping_unit::no_program_units(config));
    if let Some(conflict) = units {
        return vec![conflict];
    }
    let mut unsupported = mapping_unit::unsupported(config);
    unsupported.extend(superblock::unsupported(config));
    unsupported.extend(slc_cache::unsupported(config));
    unsupported.extend(bad_blocks::unsupported(config));
    unsupported.extend(parity::unsupported(config));
    unsupported.extend(cache_operations::unsupported(config));
    unsupported.extend(two_pass::unsupported(config));
    if !unsupported.is_empty() {
        return unsupported;
    }
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
        page_type_factors,
        too_little_spare,
        bad_blocks::too_many,
        superblock::too_few_lines,
        |config| config.precondition.conflict(),
        partition::no_page,
        partition::overfull,
        |config| config.ftl.mapping.conflict(config.partition.count),
        packet_too_large,
        late_collection,
        |config| config.ftl.collection.conflict(),
        |config| config.ftl.collection.idle_conflict(),
        |config| config.ftl.collection.refresh.conflict(config.ecc.decoders),
        partition::too_many_modes,
        |config| config.cache.conflict(),
        small_cache,
        |config| config.search.conflict(),
        chip_function::over_budget,
        chip_function::columns_beyond_record,
        faults::lost_map,
        trims::inexact_sectors,
        program_planes::unsupported,
        redirected_requests::beyond_the_drive,
        |config| config.fabrics.venice.attachment.conflict(),
        fabric,
    ];
    checks.iter().filter_map(|check| check(config)).collect()
}

/// Reports a list of factors of the raw bit error rate whose length is not the number of page types.
fn page_type_factors(config: &Config) -> Option<Conflict> {
    let slc = &config.ftl.slc;
    let bits_per_cell = slc.is_enabled().then_some(slc.bits_per_cell);
    config.flash_wear.conflict(config.flash.array.read.len(), bits_per_cell)
}

/// Reports a drive with more pages than 32-bit physical page numbers can address.
fn too_many_pages(config: &Config) -> Option<Conflict> {
    let (array, flash) = (&config.array, &config.flash);
    let dies = u64::from(array.rows) * u64::from(array.cols) * u64::from(flash.dies_per_chip);
    let blocks = dies * u64::from(flash.planes_per_die) * u64::from(flash.blocks_per_plane);
    let pages = blocks * u64::from(slots(config).pages_per_block);
    if u32::try_from(pages).is_ok() {
        return None;
    }
    let message =
        format!("the drive has {pages} pages, but physical page numbers allow at most {}", u32::MAX);
    let note = format!(
        "expected: a smaller product of {} rows x {} chips x {} dies x {} planes x {} blocks x {} pages",
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

/// Reports over-provisioning that leaves no free block for garbage collection.
fn too_little_spare(config: &Config) -> Option<Conflict> {
    let (plane, units) = (slots(config), units(config));
    let pct = config.ftl.over_provisioning_pct;
    let mapping = config.ftl.mapping.costs(plane.page_bytes);
    if leaves_room(&plane, units, &mapping, pct) {
        return None;
    }
    let of_map = match map_pages(&plane, &mapping, pct) {
        0 => String::new(),
        pages => format!(" and {pages} translation pages"),
    };
    let message = format!(
        "{pct} % over-provisioning allows {} host pages{of_map} per plane, but garbage collection needs at most {} \
         of the plane's {} pages to hold data",
        logical_pages(&plane, pct),
        room(&plane, units),
        plane.pages_per_plane(),
    );
    let note = format!(
        "expected: one spare block and one spare page per plane of {} blocks of {} pages, that is at least {} %",
        plane.blocks_per_plane,
        plane.pages_per_block,
        enough_pct(&plane, units, &mapping),
    );
    let keys = &["ftl.over_provisioning_pct", "flash.blocks_per_plane", "ftl.mapping"];
    Some(Conflict { keys, message, note: Some(note) })
}

/// Returns the maximum number of logical pages in a plane that leaves enough space for garbage collection.
fn room(plane: &Geometry, units: MappingUnits) -> u64 {
    u64::from(most_logical_pages_per_plane(plane, units))
}

fn logical_pages(plane: &Geometry, over_provisioning_pct: f64) -> u64 {
    u64::from(logical_pages_per_plane(plane, over_provisioning_pct / 100.0))
}

/// Returns the number of translation pages (pages of the mapping table) in a plane.
fn map_pages(plane: &Geometry, mapping: &Mapping, over_provisioning_pct: f64) -> u64 {
    let logical = logical_pages_per_plane(plane, over_provisioning_pct / 100.0);
    u64::from(translation_pages_per_plane(plane, mapping, logical))
}

fn leaves_room(plane: &Geometry, units: MappingUnits, mapping: &Mapping, over_provisioning_pct: f64) -> bool {
    let logical = logical_pages(plane, over_provisioning_pct);
    logical + map_pages(plane, mapping, over_provisioning_pct) <= room(plane, units)
}

/// Returns the smallest over-provisioning, in steps of 0.01 %, that leaves enough space for garbage
/// collection.
fn enough_pct(plane: &Geometry, units: MappingUnits, mapping: &Mapping) -> f64 {
    let hundredths = (1e4 / f64::from(plane.blocks_per_plane)).floor() as u32;
    let mut candidates = (hundredths..=10_000).map(|n| f64::from(n) / 100.0);
    candidates.find(|pct| leaves_room(plane, units, mapping, *pct)).unwrap_or(100.0)
}

/// Reports a packet larger than a port buffer of the fabric `nossd`, on drives with another fabric. On a
/// `nossd` drive, the constructor of the fabric makes a stricter check.
fn packet_too_large(config: &Config) -> Option<Conflict> {
    if config.fabric.name == FabricKind::NoSsd { None } else { config.fabrics.nossd.conflict() }
}

/// Reports a garbage collection threshold that is not below the number of blocks of a plane.
fn late_collection(config: &Config) -> Option<Conflict> {
    let (least, blocks) = (config.ftl.collection.gc_start_free_blocks_min, config.flash.blocks_per_plane);
    if least < blocks {
        return None;
    }
    let message = format!(
        "the start threshold of garbage collection is {least} free blocks, but a plane has {blocks} blocks"
    );
    let note = Some(format!("expected: below {blocks}"));
    Some(Conflict { keys: &["ftl.gc_start_free_blocks_min", "flash.blocks_per_plane"], message, note })
}

/// True if any address range uses the data cache.
fn has_cache(cache: &CacheParameters) -> bool {
    cache.mode != CacheMode::Off || cache.modes.iter().any(|mode| *mode != CacheMode::Off)
}

/// Reports a data cache with a partition smaller than a page or a mapping unit.
fn small_cache(config: &Config) -> Option<Conflict> {
    let (cache, unit) = (&config.cache, config.ftl.mapping_unit_bytes);
    let page = u64::from(config.flash.page_bytes.max(unit));
    let what = if page > u64::from(config.flash.page_bytes) { "mapping unit" } else { "page" };
    let least = page * u64::from(cache.partitions);
    if !has_cache(cache) || cache.capacity_bytes >= least {
        return None;
    }
    let message = format!(
        "a cache of {} bytes is too small for a {what} of {page} bytes in each of its {} partitions",
        cache.capacity_bytes, cache.partitions,
    );
    let keys = &[
        "cache.capacity_bytes",
        "cache.partitions",
        "cache.mode",
        "flash.page_bytes",
        "ftl.mapping_unit_bytes",
    ];
    Some(Conflict { keys, message, note: Some(format!("expected: at least {least} bytes")) })
}

/// Keys of the array's shape, which the error names if the fabric does not support this shape.
const SHAPE: &[&str] = &["fabric.name", "array.rows", "array.cols"];
/// Keys of packet and buffer sizes of the fabric `nossd`, which the error names if a buffer is too small.
const BUFFER: &[&str] = &[
    "fabric.nossd.port_buffer_bytes",
    "fabric.nossd.max_payload_bytes",
    "fabric.nossd.header_bytes",
    "fabric.name",
];

/// Keys of faults and paths, which the error names if a chip is unreachable.
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
const REACHABLE: &str = "expected: fewer failures, a routing with more paths, data on other chips (partition.channels, partition.ways), or degraded mode (fabric.faults.degraded_mode)";

fn larger_buffer(need_bytes: u64) -> String {
    format!(
        "expected: `port_buffer_bytes` of at least {need_bytes}, or smaller packets (`max_payload_bytes`)"
    )
}

/// Reports settings that the constructor of the fabric rejects, such as an unsupported shape of the array.
fn fabric(config: &Config) -> Option<Conflict> {
    let error = config.fabric.name.validate(&fabric_settings(config)).err()?;
    let (keys, note) = match &error {
        FabricError::BufferTooSmall { need_bytes, .. } => (BUFFER, Some(larger_buffer(*need_bytes))),
        FabricError::Unreachable { .. } => (FAULTS, Some(REACHABLE.to_owned())),
        FabricError::NotSquare { .. } | FabricError::External(_) => (SHAPE, None),
    };
    Some(Conflict { keys, message: error.to_string(), note })
}
