//! Random bad blocks of drives.

use proptest::prelude::*;
use venice_drive::ftl::{FactoryBadBlocks, logical_pages_per_plane};
use venice_sim::assembly::DriveSettings;

/// Generates the share of bad blocks for a third of the drives.
pub fn bad_block_options() -> impl Strategy<Value = Option<f64>> {
    prop::option::weighted(0.35, 0.005..=0.3)
}

/// Adds bad blocks to a drive, and as many blocks to each plane as the worst plane has bad ones.
pub fn apply(share: f64, settings: &mut DriveSettings) {
    let slots = settings.ftl.units.slots(&settings.geometry);
    let logical = logical_pages_per_plane(&slots, settings.ftl.over_provisioning_ratio);
    let needed = settings.geometry.blocks_per_plane;
    settings.ftl.bad_blocks = FactoryBadBlocks::of_share(share);
    while settings.ftl.usable_geometry(&settings.geometry).blocks_per_plane < needed {
        settings.geometry.blocks_per_plane += 1;
    }
    let pages = settings.ftl.units.slots(&settings.geometry).pages_per_plane();
    settings.ftl.over_provisioning_ratio = 1.0 - (f64::from(logical) + 0.5) / pages as f64;
}
