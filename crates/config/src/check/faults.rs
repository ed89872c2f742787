//! Validation of fault settings: each failed part exists in the configured fabric, and the fault times agree.

use venice_drive::ftl::MappingMode;
use venice_fabric::FabricKind;
use venice_params::Conflict;

use super::super::table::Config;

const LINKS: &[&str] = &["fabric.mesh.failed_links", "array.rows", "array.cols"];
const ROUTERS: &[&str] = &["fabric.mesh.failed_routers", "array.rows", "array.cols"];

/// Reports a failed link whose two chips are not neighbours in the array.
pub(super) fn no_such_link(config: &Config) -> Option<Conflict> {
    let wrong = |link: &&Vec<u32>| match link[..] {
        [row, column, other_row, other_column] => {
            let apart = row.abs_diff(other_row) + column.abs_diff(other_column);
            apart != 1 || !is_there(config, row, column) || !is_there(config, other_row, other_column)
        }
        _ => true,
    };
    let link = config.fabric_mesh.failed_links.iter().find(wrong)?;
    let message =
        format!("`{}` contains {link:?}, which is not a link of an array of {}", LINKS[0], shape(config));
    let note =
        "expected: row and column of a router, then row and column of a neighbouring router".to_owned();
    Some(Conflict { keys: LINKS, message, note: Some(note) })
}

/// Reports a failed router outside the array.
pub(super) fn no_such_router(config: &Config) -> Option<Conflict> {
    let wrong = |router: &&Vec<u32>| match router[..] {
        [row, column] => !is_there(config, row, column),
        _ => true,
    };
    let router = config.fabric_mesh.failed_routers.iter().find(wrong)?;
    let message = format!(
        "`{}` contains {router:?}, which is not a router of an array of {}",
        ROUTERS[0],
        shape(config)
    );
    Some(Conflict { keys: ROUTERS, message, note: Some("expected: row and column of a router".to_owned()) })
}

/// Type of part that can fail, such as channels: its configuration keys, the fabrics that have such parts,
/// and the format of its names in messages.
struct FaultyPart {
    keys: &'static [&'static str],
    fabrics: &'static [FabricKind],
    named: fn(&Config) -> &[Vec<u32>],
    /// Returns true if an array with the given numbers of rows and columns has the part with the given
    /// numbers.
    is_there: fn(&[u32], u32, u32) -> bool,
    expected: &'static str,
}

/// All kinds of parts that can fail, over all fabrics.
const PARTS: &[FaultyPart] = &[
    FaultyPart {
        keys: &["fabric.faults.channels", "fabric.name", "array.rows"],
        fabrics: &[FabricKind::Bus, FabricKind::PSsd, FabricKind::Decoupled],
        named: |config| &config.fabric_faults.channels,
        is_there: |numbers, rows, _| numbers.iter().all(|&row| row < rows),
        expected: "numbers of rows",
    },
    FaultyPart {
        keys: &["fabric.faults.chip_channels", "fabric.name", "array.rows", "array.cols"],
        fabrics: &[FabricKind::Ideal],
        named: |config| &config.fabric_faults.chip_channels,
        is_there: |numbers, rows, cols| matches!(*numbers, [row, col] if row < rows && col < cols),
        expected: "row and column of a chip",
    },
    FaultyPart {
        keys: &["fabric.faults.row_buses", "fabric.name", "array.rows"],
        fabrics: &[FabricKind::PnSsd],
        named: |config| &config.fabric_faults.row_buses,
        is_there: |numbers, rows, _| numbers.iter().all(|&row| row < rows),
        expected: "numbers of rows",
    },
    FaultyPart {
        keys: &["fabric.faults.column_buses", "fabric.name", "array.cols"],
        fabrics: &[FabricKind::PnSsd],
        named: |config| &config.fabric_faults.column_buses,
        is_there: |numbers, _, cols| numbers.iter().all(|&col| col < cols),
        expected: "numbers of columns",
    },
    FaultyPart {
        keys: &["fabric.faults.ring_links", "fabric.name", "array.rows", "array.cols"],
        fabrics: &[FabricKind::HlNand],
        named: |config| &config.fabric_faults.ring_links,
        is_there: |numbers, rows, cols| matches!(*numbers, [row, link] if row < rows && link <= cols),
        expected: "row of a ring and number of a link, 0 (from the controller) to the number of columns (back to it)",
    },
    FaultyPart {
        keys: &["fabric.mesh.failed_links", "fabric.name"],
        fabrics: &[FabricKind::NoSsd, FabricKind::Venice],
        named: |config| &config.fabric_mesh.failed_links,
        // Checked by `no_such_link` and `no_such_router`.
        is_there: |_, _, _| true,
        expected: "",
    },
    FaultyPart {
        keys: &["fabric.mesh.failed_routers", "fabric.name"],
        fabrics: &[FabricKind::NoSsd, FabricKind::Venice],
        named: |config| &config.fabric_mesh.failed_routers,
        is_there: |_, _, _| true,
        expected: "",
    },
];

fn names(fabrics: &[FabricKind]) -> String {
    fabrics.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// Reports a failed part that the configured fabric does not have, such as a mesh link on a bus.
pub(super) fn of_another_fabric(config: &Config) -> Option<Conflict> {
    let kind = config.fabric.name;
    let part = PARTS.iter().find(|part| !(part.named)(config).is_empty() && !part.fabrics.contains(&kind))?;
    let ours = PARTS.iter().filter(|part| part.fabrics.contains(&kind));
    let keys: Vec<String> = ours.map(|part| format!("`{}`", part.keys[0])).collect();
    let fabrics = if part.fabrics.len() == 1 { "fabric" } else { "fabrics" };
    let message = format!(
        "`{}` applies to the {fabrics} {}, but the drive has the fabric {kind}",
        part.keys[0],
        names(part.fabrics)
    );
    let note = format!("expected: {} for {kind}, or another `fabric.name`", keys.join(" or "));
    Some(Conflict { keys: part.keys, message, note: Some(note) })
}

/// Reports a failed channel, bus or ring link outside the array.
pub(super) fn no_such_part(config: &Config) -> Option<Conflict> {
    PARTS.iter().find_map(|part| {
        let (rows, cols) = (config.array.rows, config.array.cols);
        let wrong = (part.named)(config).iter().find(|numbers| !(part.is_there)(numbers, rows, cols))?;
        let message =
            format!("`{}` contains {wrong:?}, which is outside an array of {}", part.keys[0], shape(config));
        Some(Conflict { keys: part.keys, message, note: Some(format!("expected: {}", part.expected)) })
    })
}

/// Reports two configuration keys that set the time of the failure to different values.
pub(super) fn two_instants(config: &Config) -> Option<Conflict> {
    let (mesh, all) = (config.fabric_mesh.fail_at_us, config.fabric_faults.at_us);
    if mesh <= 0.0 || all <= 0.0 || (mesh - all).abs() <= f64::EPSILON * all {
        return None;
    }
    let keys = &["fabric.faults.at_us", "fabric.mesh.fail_at_us"];
    let message =
        format!("`{}` is {all} and `{}` is {mesh}, but both set the time of the fault", keys[0], keys[1]);
    Some(Conflict { keys, message, note: Some("expected: one of them, or equal values".to_owned()) })
}

/// Reports a mapping table on flash combined with faults in degraded mode, since its translation pages would
/// be lost.
pub(super) fn lost_map(config: &Config) -> Option<Conflict> {
    let faults = &config.fabric_faults;
    let in_the_run = faults.at_us.max(config.fabric_mesh.fail_at_us) > 0.0;
    let fails = PARTS.iter().any(|part| !(part.named)(config).is_empty());
    if !(faults.degraded_mode && in_the_run && fails && config.ftl.mapping.mode == MappingMode::Cached) {
        return None;
    }
    let keys = &["fabric.faults.degraded_mode", "ftl.mapping", "fabric.faults.at_us"];
    let message =
        "a mapping table on flash cannot be combined with chips that fail during the run: translation pages would be lost"
            .to_owned();
    let note =
        "expected: `ftl.mapping = \"ideal\"`, `fabric.faults.at_us = 0`, or no `degraded_mode`".to_owned();
    Some(Conflict { keys, message, note: Some(note) })
}

fn is_there(config: &Config, row: u32, column: u32) -> bool {
    row < config.array.rows && column < config.array.cols
}

fn shape(config: &Config) -> String {
    format!("{} rows × {} columns", config.array.rows, config.array.cols)
}
