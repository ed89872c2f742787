//! Checks of bad blocks (`flash.bad_block_pct`, `flash.erase_failure_ppm`).

use venice_drive::ftl::{
    FactoryBadBlocks, FtlSettings, PreconditionMode, logical_pages_per_plane, most_logical_pages_per_plane,
    translation_pages_per_plane,
};
use venice_params::Conflict;

use crate::settings::{ftl, slots};
use crate::table::Config;

const SHARE: &str = "flash.bad_block_pct";
const FAILURES: &str = "flash.erase_failure_ppm";
const RESERVE: &str = "flash.grown_bad_block_reserve_pct";

/// Reports bad blocks on a drive that is preconditioned by MQSim's method (`precondition.mode = "mqsim"`),
/// which does not support them.
pub(super) fn unsupported(config: &Config) -> Option<Conflict> {
    let is_mqsim = config.precondition.mode == PreconditionMode::Mqsim;
    let has_bad =
        config.flash.bad_blocks.factory_pct > 0.0 || config.flash.bad_blocks.erase_failure_ppm > 0.0;
    (is_mqsim && has_bad).then(|| Conflict {
        keys: &["precondition.mode", SHARE, FAILURES],
        message: "`precondition.mode = \"mqsim\"` cannot be combined with bad blocks".to_owned(),
        note: Some(format!(
            "expected: `precondition.mode = \"steady_state\"`, or `{SHARE} = 0` and `{FAILURES} = 0`"
        )),
    })
}

/// Reports bad blocks, and blocks reserved for bad ones, that leave a plane too little space for garbage
/// collection.
pub(super) fn too_many(config: &Config) -> Option<Conflict> {
    let (settings, raw): (FtlSettings, _) = (ftl(config), slots(config));
    if settings.bad_blocks == FactoryBadBlocks::None && settings.grown_bad_blocks.is_none() {
        return None;
    }
    let usable = settings.usable_geometry(&raw);
    let logical = logical_pages_per_plane(&raw, settings.over_provisioning_ratio);
    let data = logical + translation_pages_per_plane(&raw, &settings.mapping, logical);
    let most = |plane| most_logical_pages_per_plane(plane, settings.units);
    // Without bad blocks, the check of the over-provisioning reports the plane.
    if data <= most(&usable) || data > most(&raw) {
        return None;
    }
    let message = format!(
        "{} of {} blocks of a plane are bad or reserved for bad blocks, which leaves too little space for {data} pages \
         of data and for garbage collection",
        raw.blocks_per_plane - usable.blocks_per_plane,
        raw.blocks_per_plane,
    );
    let note = format!("expected: a smaller `{SHARE}` or `{RESERVE}`, or more `ftl.over_provisioning_pct`");
    Some(Conflict {
        keys: &[SHARE, FAILURES, RESERVE, "ftl.over_provisioning_pct", "flash.blocks_per_plane"],
        message,
        note: Some(note),
    })
}
