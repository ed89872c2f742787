//! Checks of drives whose blocks form superblocks (`ftl.placement = "superblock"`).

use venice_drive::ftl::{
    AllocationMode, GcDestination, GcTrigger, MappingMode, MappingWriteBack, PageAllocation, Placement,
    PreconditionMode, UnwrittenData, WearMeasure, WriteFrontiers, logical_pages_per_plane,
    translation_pages_per_plane,
};
use venice_params::Conflict;

use crate::settings::{ftl, slots, units};
use crate::table::Config;

const PLACEMENT: &str = "ftl.placement";

/// Number of superblocks (lines) that host data cannot fill: the reserved one, the open one for pages moved
/// by garbage collection, and the open one for cold data.
const LINES_OF_COLLECTION: u32 = 3;

/// Number of further superblocks (lines) that must stay free while a line of the static pSLC cache is folded
/// (moved to blocks with more bits per cell).
const LINES_OF_STATIC_CACHE: u32 = 2;

/// Setting that cannot be combined with superblock placement.
struct Excluded {
    keys: &'static [&'static str],
    is_set: fn(&Config) -> bool,
    expected: &'static str,
}

const EXCLUDED: &[Excluded] = &[
    Excluded {
        keys: &["ftl.allocation_mode", PLACEMENT],
        is_set: |config| config.ftl.allocation.mode != AllocationMode::InTurn,
        expected: "`ftl.allocation_mode = \"in_turn\"`",
    },
    Excluded {
        keys: &["ftl.page_allocation", PLACEMENT],
        is_set: |config| config.ftl.page_allocation != PageAllocation::AtStart,
        expected: "`ftl.page_allocation = \"at_start\"`",
    },
    Excluded {
        keys: &["ftl.gc_copyback", PLACEMENT],
        is_set: |config| config.ftl.collection.gc_copyback,
        expected: "`ftl.gc_copyback = false`",
    },
    Excluded {
        keys: &["ftl.gc_destination", PLACEMENT],
        is_set: |config| config.ftl.collection.gc_destination != GcDestination::SamePlane,
        expected: "`ftl.gc_destination = \"same_plane\"`, which stands for the line of moves",
    },
    Excluded {
        keys: &["ftl.gc_trigger", PLACEMENT],
        is_set: |config| config.ftl.collection.gc_trigger == GcTrigger::FullBlock,
        expected: "`ftl.gc_trigger = \"shortage\"`",
    },
    Excluded {
        keys: &["ftl.write_frontiers", PLACEMENT],
        is_set: |config| config.ftl.collection.write_frontiers == WriteFrontiers::Shared,
        expected: "`ftl.write_frontiers = \"separate\"`",
    },
    Excluded {
        keys: &["ftl.wear_measure", PLACEMENT],
        is_set: |config| config.ftl.wear.wear_measure == WearMeasure::BlockNumbers,
        expected: "`ftl.wear_measure = \"erases\"`",
    },
    Excluded {
        keys: &["ftl.unwritten_data", PLACEMENT],
        is_set: |config| config.ftl.unwritten_data == UnwrittenData::MappedOnRead,
        expected: "`ftl.unwritten_data = \"present\"` or `\"absent\"`",
    },
    Excluded {
        keys: &["ftl.mapping_writeback", PLACEMENT],
        is_set: |config| {
            let mapping = &config.ftl.mapping;
            mapping.mode == MappingMode::Cached && mapping.write_back == MappingWriteBack::ReadOnly
        },
        expected: "`ftl.mapping_writeback = \"flash\"`",
    },
    Excluded {
        keys: &["precondition.mode", PLACEMENT],
        is_set: |config| config.precondition.mode == PreconditionMode::Mqsim,
        expected: "`precondition.mode = \"steady_state\"`",
    },
    Excluded {
        keys: &["partition.count", PLACEMENT],
        is_set: |config| config.partition.count > 1,
        expected: "`partition.count = 1`",
    },
    Excluded {
        keys: &["partition.channels", "partition.ways", "partition.dies", "partition.planes", PLACEMENT],
        is_set: |config| {
            let partition = &config.partition;
            let lists = [&partition.channels, &partition.ways, &partition.dies, &partition.planes];
            lists.iter().any(|list| !list.is_empty())
        },
        expected: "no resources of address ranges, as a line has a block of each plane",
    },
    Excluded {
        keys: &["fabric.faults.degraded_mode", PLACEMENT],
        is_set: |config| config.fabric_faults.degraded_mode,
        expected: "`fabric.faults.degraded_mode = false`, as a line has a block of each plane",
    },
];

fn has_lines(config: &Config) -> bool {
    config.ftl.allocation.placement == Placement::Superblock
}

/// Reports all settings that cannot be combined with superblock placement.
pub(super) fn unsupported(config: &Config) -> Vec<Conflict> {
    if !has_lines(config) {
        return Vec::new();
    }
    EXCLUDED.iter().filter(|excluded| (excluded.is_set)(config)).map(refused).collect()
}

fn refused(excluded: &Excluded) -> Conflict {
    let message = format!("`{}` has a value that `{PLACEMENT} = \"superblock\"` excludes", excluded.keys[0]);
    let note = format!("expected: `{PLACEMENT} = \"plane\"`, or {}", excluded.expected);
    Conflict { keys: excluded.keys, message, note: Some(note) }
}

/// Reports a drive with so few superblocks that all superblocks without data may be open or reserved at the
/// same time.
pub(super) fn too_few_lines(config: &Config) -> Option<Conflict> {
    if !has_lines(config) {
        return None;
    }
    let (plane, units) = (slots(config), units(config));
    let mapping = config.ftl.mapping.costs(plane.page_bytes);
    let logical = logical_pages_per_plane(&plane, config.ftl.over_provisioning_pct / 100.0);
    let pages = u64::from(logical) + u64::from(translation_pages_per_plane(&plane, &mapping, logical));
    let of_map = u32::from(config.ftl.mapping.mode == MappingMode::Cached);
    let open = config.ftl.write_streams + of_map + LINES_OF_COLLECTION;
    let static_lines = config.ftl.slc.static_lines(plane.blocks_per_plane);
    let open = open + if static_lines > 0 { LINES_OF_STATIC_CACHE } else { 0 };
    let usable = ftl(config).usable_geometry(&plane).blocks_per_plane;
    let lines = usable.saturating_sub(static_lines);
    // Garbage collection gains space from a line only if the line has at least as many invalid units as one
    // program operation writes.
    let planes = u64::from(ftl(config).data_planes(&plane));
    let filled = u64::from(plane.pages_per_block) * planes - u64::from(units.per_program() - 1);
    if pages * planes < u64::from(lines.saturating_sub(open)) * filled {
        return None;
    }
    let message = format!(
        "data fills {:.1} of {lines} lines, but {open} lines are open or reserved for garbage collection",
        pages as f64 / f64::from(plane.pages_per_block)
    );
    let note = format!(
        "expected: more `flash.blocks_per_plane` or `ftl.over_provisioning_pct`, so that data fills less than {} lines",
        lines.saturating_sub(open)
    );
    let keys = &[
        "ftl.over_provisioning_pct",
        "flash.blocks_per_plane",
        "ftl.write_streams",
        "ftl.slc_static_pct",
        "flash.bad_block_pct",
        PLACEMENT,
    ];
    Some(Conflict { keys, message, note: Some(note) })
}
