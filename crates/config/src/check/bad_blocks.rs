//! Checks of bad blocks (`flash.bad_block_pct`).

use venice_drive::ftl::{
    FactoryBadBlocks, FtlSettings, PreconditionMode, logical_pages_per_plane, most_logical_pages_per_plane,
    translation_pages_per_plane,
};
use venice_params::Conflict;

use crate::settings::{ftl, slots};
use crate::table::Config;

const SHARE: &str = "flash.bad_block_pct";

/// Reports preconditioning that cannot be combined with bad blocks.
pub(super) fn unsupported(config: &Config) -> Option<Conflict> {
    let is_mqsim = config.precondition.mode == PreconditionMode::Mqsim;
    (is_mqsim && config.flash.bad_blocks.factory_pct > 0.0).then(|| Conflict {
        keys: &["precondition.mode", SHARE],
        message: "`precondition.mode = \"mqsim\"` cannot be combined with `flash.bad_block_pct`".to_owned(),
        note: Some(
            "expected: `precondition.mode = \"steady_state\"`, or `flash.bad_block_pct = 0`".to_owned(),
        ),
    })
}

/// Reports bad blocks that leave a plane too little space for garbage collection.
pub(super) fn too_many(config: &Config) -> Option<Conflict> {
    let (settings, raw): (FtlSettings, _) = (ftl(config), slots(config));
    if settings.bad_blocks == FactoryBadBlocks::None {
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
        "a plane has {} bad blocks of {}, which leaves too little space for {data} pages of data and for garbage \
         collection",
        raw.blocks_per_plane - usable.blocks_per_plane,
        raw.blocks_per_plane,
    );
    let note = "expected: a smaller `flash.bad_block_pct`, or more `ftl.over_provisioning_pct`".to_owned();
    Some(Conflict {
        keys: &[SHARE, "ftl.over_provisioning_pct", "flash.blocks_per_plane"],
        message,
        note: Some(note),
    })
}
