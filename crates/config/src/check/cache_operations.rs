//! Checks of the cache operations of flash chips (`flash.cache_program`, `flash.cache_read`).

use venice_fabric::{FabricKind, FirstOnPath, Hold};
use venice_nand::chip::{CacheOperations, DieWork};
use venice_params::Conflict;

use crate::table::Config;

/// Setting that cannot be combined with a cache operation.
struct Excluded {
    keys: &'static [&'static str],
    is_set: fn(&Config) -> bool,
    value: &'static str,
    expected: &'static str,
}

/// Settings that cannot be combined with cache program or with cache read.
const OF_BOTH: &[Excluded] = &[
    Excluded {
        keys: &["flash.die_work"],
        is_set: |config| config.flash.die_work == DieWork::OneAtATime,
        value: "`flash.die_work = \"one_at_a_time\"`",
        expected: "`flash.die_work = \"independent\"`",
    },
    Excluded {
        keys: &["fabric.hold"],
        is_set: |config| config.fabric.hold != Hold::Transfer,
        value: "a path that is held between transfers",
        expected: "`fabric.hold = \"transfer\"`",
    },
    Excluded {
        keys: &["fabric.chip_to_chip"],
        is_set: |config| config.fabric.chip_to_chip,
        value: "`fabric.chip_to_chip = true`",
        expected: "`fabric.chip_to_chip = false`",
    },
    Excluded {
        keys: &["fabric.name"],
        is_set: |config| config.fabric.name == FabricKind::Decoupled,
        value: "`fabric.name = \"decoupled\"`",
        expected: "another fabric",
    },
];

const FIRST: Excluded = Excluded {
    keys: &["fabric.first_on_path"],
    is_set: |config| config.fabric.first_on_path != FirstOnPath::Commands,
    value: "a path that serves read data first",
    expected: "`fabric.first_on_path = \"commands\"`, since the next read's command precedes the data",
};

/// Reports all settings that cannot be combined with the configured cache operations.
pub(super) fn unsupported(config: &Config) -> Vec<Conflict> {
    let CacheOperations { program, read } = config.flash.cache_operations;
    let operation = match (program, read) {
        (false, false) => return Vec::new(),
        (true, _) => "flash.cache_program",
        (false, true) => "flash.cache_read",
    };
    let of_both = OF_BOTH.iter().filter(|excluded| (excluded.is_set)(config));
    let mut conflicts: Vec<_> = of_both.map(|excluded| refused(excluded, operation)).collect();
    if read && (FIRST.is_set)(config) {
        conflicts.push(refused(&FIRST, "flash.cache_read"));
    }
    conflicts
}

fn refused(excluded: &Excluded, operation: &'static str) -> Conflict {
    let message = format!("{} cannot be combined with `{operation} = true`", excluded.value);
    let note = format!("expected: `{operation} = false`, or {}", excluded.expected);
    Conflict { keys: excluded.keys, message, note: Some(note) }
}
