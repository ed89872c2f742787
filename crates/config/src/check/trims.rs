//! Checks of `ftl.trim_partial_units`, the treatment of mapping units that a trim covers in part.

use venice_drive::ftl::{PartialUnits, SectorSets, UnwrittenData};
use venice_params::Conflict;

use crate::table::Config;

/// Reports settings that prevent an exact record of deallocated sectors. The value `trim_partial_units =
/// "zeroed"` excludes `sector_sets` and `unwritten_data` as in MQSim, and `dulbe` requires `"zeroed"`.
pub(super) fn inexact_sectors(config: &Config) -> Option<Conflict> {
    let ftl = &config.ftl;
    if ftl.trim.partial_units == PartialUnits::Kept {
        return ftl.trim.dulbe.then(unrecorded_sectors);
    }
    let (keys, found, expected): (&[&str], _, _) = if ftl.sector_sets == SectorSets::Shifted {
        let keys = &["ftl.trim_partial_units", "ftl.sector_sets"];
        (keys, "`ftl.sector_sets` is \"shifted\"", "`ftl.sector_sets = \"exact\"`")
    } else if ftl.unwritten_data == UnwrittenData::MappedOnRead {
        let keys = &["ftl.trim_partial_units", "ftl.unwritten_data"];
        (keys, "`ftl.unwritten_data` is \"mapped_on_read\"", "`ftl.unwritten_data = \"present\"`")
    } else {
        return None;
    };
    let message = format!("`ftl.trim_partial_units` is \"zeroed\", but {found}");
    let note = Some(format!("expected: {expected}, or `ftl.trim_partial_units = \"kept\"`"));
    Some(Conflict { keys, message, note })
}

fn unrecorded_sectors() -> Conflict {
    Conflict {
        keys: &["ftl.dulbe", "ftl.trim_partial_units"],
        message: "`ftl.dulbe` is true, but `ftl.trim_partial_units` is \"kept\"".to_owned(),
        note: Some(
            "expected: `ftl.trim_partial_units = \"zeroed\"`, which records deallocated sectors".to_owned(),
        ),
    }
}
