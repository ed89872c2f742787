//! Checks of the pSLC cache (`ftl.slc_static_pct`, `ftl.slc_dynamic_pct`).

use venice_drive::ftl::{Placement, WhenFull};
use venice_params::Conflict;

use crate::settings::{slots, units};
use crate::table::Config;

/// Requirement of the pSLC cache that a configuration violates.
struct Requirement {
    keys: &'static [&'static str],
    is_violated: fn(&Config) -> bool,
    message: &'static str,
    expected: &'static str,
}

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        keys: &["ftl.placement", "ftl.slc_static_pct", "ftl.slc_dynamic_pct"],
        is_violated: |config| config.ftl.allocation.placement != Placement::Superblock,
        message: "a pSLC cache consists of lines, but `ftl.placement` is `\"plane\"`",
        expected: "`ftl.placement = \"superblock\"`, or no pSLC cache",
    },
    Requirement {
        keys: &["ftl.write_streams", "ftl.slc_when_full"],
        is_violated: |config| config.ftl.slc.when_full == WhenFull::Wait && config.ftl.write_streams > 1,
        message: "`ftl.slc_when_full = \"wait\"` supports one write stream",
        expected: "`ftl.write_streams = 1`, or `ftl.slc_when_full = \"direct\"`",
    },
    Requirement {
        keys: &["flash.pages_per_block", "ftl.slc_bits_per_cell"],
        is_violated: |config| {
            slots(config).pages_per_block / config.ftl.slc.bits_per_cell < units(config).per_program()
        },
        message: "a block in SLC mode has no page, or not all pages of a program operation",
        expected: "more `flash.pages_per_block`",
    },
    Requirement {
        keys: &["ecc.decoders", "ftl.slc_static_pct", "ftl.slc_dynamic_pct"],
        is_violated: |config| config.ecc.decoders > 0,
        message: "read errors are not modelled for blocks in SLC mode",
        expected: "no decoders, or no pSLC cache",
    },
];

/// Reports all requirements of the pSLC cache that are violated.
pub(super) fn unsupported(config: &Config) -> impl Iterator<Item = Conflict> {
    let is_enabled = config.ftl.slc.is_enabled();
    let violated = REQUIREMENTS.iter().filter(move |one| is_enabled && (one.is_violated)(config));
    violated.map(|one| Conflict {
        keys: one.keys,
        message: one.message.to_owned(),
        note: Some(format!("expected: {}", one.expected)),
    })
}
