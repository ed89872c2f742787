//! Random bad blocks of drives.

use proptest::prelude::*;
use venice_drive::ftl::{FactoryBadBlocks, GrownBadBlockSettings, logical_pages_per_plane};
use venice_sim::assembly::DriveSettings;

/// Bad blocks of a drive.
#[derive(Clone, Copy, Debug, Default)]
pub struct BadBlockOptions {
    /// Share of factory bad blocks.
    factory: Option<f64>,
    /// Failures of erases.
    grown: Option<GrownBadBlockSettings>,
}

/// Generates factory bad blocks for a third of the drives, and failures of erases for more.
pub fn bad_block_options() -> impl Strategy<Value = BadBlockOptions> {
    let failures = (prop_oneof![Just(0.0), 0.001..=0.5], 1_u32..=4)
        .prop_map(|(erase_failure, reserve_blocks)| GrownBadBlockSettings { erase_failure, reserve_blocks });
    let options = (prop::option::weighted(0.35, 0.005..=0.3), prop::option::weighted(0.6, failures));
    options.prop_map(|(factory, grown)| BadBlockOptions { factory, grown })
}

/// Adds bad blocks to a drive, and as many blocks to each plane as the worst plane may lose.
pub fn apply(options: BadBlockOptions, settings: &mut DriveSettings) {
    let grown = options.grown;
    if options.factory.is_none() && grown.is_none() {
        return;
    }
    let slots = settings.ftl.units.slots(&settings.geometry);
    let logical = logical_pages_per_plane(&slots, settings.ftl.over_provisioning_ratio);
    let needed = settings.geometry.blocks_per_plane;
    settings.ftl.bad_blocks = options.factory.map_or(FactoryBadBlocks::None, FactoryBadBlocks::of_share);
    settings.ftl.grown_bad_blocks = grown;
    while settings.ftl.usable_geometry(&settings.geometry).blocks_per_plane < needed {
        settings.geometry.blocks_per_plane += 1;
    }
    let pages = settings.ftl.units.slots(&settings.geometry).pages_per_plane();
    settings.ftl.over_provisioning_ratio = 1.0 - (f64::from(logical) + 0.5) / pages as f64;
}
