//! Checks of two-pass programming (`flash.program_scheme = "two_pass"`).

use venice_drive::controller::scheduling::Scheduling;
use venice_drive::ftl::{PageAllocation, UnwrittenData};
use venice_nand::chip::ProgramScheme;
use venice_params::Conflict;

use crate::table::Config;

const SCHEME: &str = "flash.program_scheme";

/// Setting that cannot be combined with two-pass programming.
struct Excluded {
    keys: &'static [&'static str],
    is_set: fn(&Config) -> bool,
    expected: &'static str,
}

const EXCLUDED: &[Excluded] = &[
    Excluded {
        keys: &["ftl.page_allocation", SCHEME],
        is_set: |config| config.ftl.page_allocation != PageAllocation::AtStart,
        expected: "`ftl.page_allocation = \"at_start\"`",
    },
    Excluded {
        keys: &["ftl.gc_copyback", SCHEME],
        is_set: |config| config.ftl.collection.gc_copyback,
        expected: "`ftl.gc_copyback = false`, as both passes need the data",
    },
    Excluded {
        keys: &["ftl.unwritten_data", SCHEME],
        is_set: |config| config.ftl.unwritten_data == UnwrittenData::MappedOnRead,
        expected: "`ftl.unwritten_data = \"present\"` or `\"absent\"`",
    },
    Excluded {
        keys: &["ftl.scheduling", SCHEME],
        is_set: |config| config.ftl.scheduling.kind == Scheduling::PriorityTurns,
        expected: "another `ftl.scheduling`, as turns do not keep the order of the passes",
    },
    Excluded {
        keys: &["ftl.rain_data_units", SCHEME],
        is_set: |config| config.ftl.rain_data_units > 0,
        expected: "`ftl.rain_data_units = 0`",
    },
    Excluded {
        keys: &["fabric.faults.degraded_mode", SCHEME],
        is_set: |config| config.fabric_faults.degraded_mode,
        expected: "`fabric.faults.degraded_mode = false`",
    },
];

/// Reports all settings that cannot be combined with two-pass programming.
pub(super) fn unsupported(config: &Config) -> impl Iterator<Item = Conflict> {
    let has_two_passes = config.flash.array.scheme == ProgramScheme::TwoPass;
    EXCLUDED.iter().filter(move |excluded| has_two_passes && (excluded.is_set)(config)).map(|excluded| {
        let message = format!("`{}` has a value that `{SCHEME} = \"two_pass\"` excludes", excluded.keys[0]);
        let note = format!("expected: `{SCHEME} = \"one_pass\"`, or {}", excluded.expected);
        Conflict { keys: excluded.keys, message, note: Some(note) }
    })
}
