//! Random pSLC caches of drives with lines (superblocks).

use proptest::prelude::*;
use venice_drive::ftl::{SlcCacheSettings, WhenFull};
use venice_kernel::SimSpan;
use venice_sim::assembly::DriveSettings;

/// Number of lines that remain free while a line of the static cache is folded.
const LINES_OF_STATIC_CACHE: u32 = 2;

/// Generates a pSLC cache for three quarters of the drives; drives without lines have none.
pub fn slc_options() -> impl Strategy<Value = Option<SlcCacheSettings>> {
    let sizes = (0_u32..=3, prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0], 2_u32..=4);
    let folding = (any::<bool>(), 0_u64..=2_000, prop_oneof![Just(0.0), 0.0..=2.0]);
    let drawn = (sizes, folding).prop_map(|((lines, dynamic_share, bits_per_cell), folding)| {
        let (waits, idle_us, fold_share) = folding;
        SlcCacheSettings {
            static_lines: if dynamic_share == 0.0 { lines.max(1) } else { lines },
            dynamic_share,
            bits_per_cell,
            when_full: if waits { WhenFull::Wait } else { WhenFull::Direct },
            idle: SimSpan::from_us(idle_us),
            fold_share,
            endurance: 1_000,
        }
    });
    prop::option::weighted(0.75, drawn)
}

/// Adds a cache to a drive. Returns the number of further lines that the drive needs.
pub fn apply(cache: SlcCacheSettings, settings: &mut DriveSettings) -> u32 {
    settings.geometry.pages_per_block *= cache.bits_per_cell;
    settings.ftl.over_provisioning_ratio =
        1.0 - (1.0 - settings.ftl.over_provisioning_ratio) / f64::from(cache.bits_per_cell);
    if cache.when_full == WhenFull::Wait {
        settings.ftl.write_streams = 1;
    }
    settings.ftl.slc = Some(cache);
    if cache.static_lines > 0 { cache.static_lines + LINES_OF_STATIC_CACHE } else { 0 }
}
