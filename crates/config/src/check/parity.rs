//! Checks of parity across dies (`ftl.rain_data_units`).

use venice_drive::ftl::Placement;
use venice_params::Conflict;

use crate::settings::geometry;
use crate::table::Config;

const UNITS: &str = "ftl.rain_data_units";

/// Reports parity without superblocks, and a number of dies that is not a multiple of the group size.
pub(super) fn unsupported(config: &Config) -> Option<Conflict> {
    let units = config.ftl.rain_data_units;
    if units == 0 {
        return None;
    }
    if config.ftl.allocation.placement != Placement::Superblock {
        return Some(Conflict {
            keys: &[UNITS, "ftl.placement"],
            message: "parity protects stripes of superblocks, but `ftl.placement` is `\"plane\"`".to_owned(),
            note: Some("expected: `ftl.placement = \"superblock\"`, or `ftl.rain_data_units = 0`".to_owned()),
        });
    }
    let dies = geometry(config).dies();
    if dies.is_multiple_of(units + 1) {
        return None;
    }
    let possible: Vec<String> = (2..=dies.min(256))
        .filter(|group| dies.is_multiple_of(*group))
        .map(|group| (group - 1).to_string())
        .collect();
    Some(Conflict {
        keys: &[UNITS, "array.rows", "array.cols", "flash.dies_per_chip"],
        message: format!(
            "stripes of {units} data units and parity need groups of {} dies, but the drive has {dies} dies",
            units + 1
        ),
        note: Some(format!(
            "expected: `{UNITS}` = {}",
            if possible.is_empty() { "0".to_owned() } else { possible.join(", ") }
        )),
    })
}
