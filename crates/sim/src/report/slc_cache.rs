//! Figures of the pSLC cache in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WorkDone};
use venice_fabric::Fabric;

use super::quantiles::ratio;

/// pSLC cache: host writes to the cache and past the cache, and folding.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SlcCacheReport {
    /// Size of the cache at the end of the run. A dynamic cache shrinks as the drive fills.
    #[schemars(extend("unit" = "bytes"))]
    pub capacity_bytes: u64,
    /// Valid data in the cache at the end of the run.
    #[schemars(extend("unit" = "bytes"))]
    pub cached_bytes: u64,
    /// Host data that was programmed into the cache.
    #[schemars(extend("unit" = "bytes"))]
    pub host_bytes: u64,
    /// Host data programmed directly into blocks with all bits per cell.
    #[schemars(extend("unit" = "bytes"))]
    pub direct_bytes: u64,
    /// Data that folding moved from the cache to blocks with all bits per cell.
    #[schemars(extend("unit" = "bytes"))]
    pub folded_bytes: u64,
    /// Data programmed into the cache and by folding, divided by the host data programmed into the cache;
    /// absent without such host data.
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification: Option<f64>,
    /// Blocks whose folding has begun.
    #[schemars(extend("unit" = "blocks"))]
    pub folded_blocks: u64,
    /// Pages read from blocks in SLC mode.
    #[schemars(extend("unit" = "pages"))]
    pub reads: u64,
    /// Erases of blocks in SLC mode. They do not count in `flash.max_block_erases`.
    #[schemars(extend("unit" = "erases"))]
    pub erases: u64,
    /// Largest number of erases of a block in SLC mode, since the drive was new.
    #[schemars(extend("unit" = "erases"))]
    pub max_block_erases: u32,
    /// Share of the rated cycles (`ftl.slc_endurance_cycles`) that the most worn block has used in SLC mode.
    #[schemars(extend("unit" = "%"))]
    pub endurance_used_pct: f64,
}

/// Returns the figures of the pSLC cache; `None` for a drive without one.
pub(super) fn slc_cache_report(device: &Device<dyn Fabric>, work: &WorkDone) -> Option<SlcCacheReport> {
    let (ftl, counters) = (device.ftl(), work.ftl());
    let cache = ftl.slc_cache()?;
    let blocks = ftl.space().blocks();
    let bytes = |units: u64| units * u64::from(ftl.geometry().page_bytes);
    let most = cache.erases().iter().copied().max().unwrap_or(0);
    Some(SlcCacheReport {
        capacity_bytes: bytes(blocks.cache_units()),
        cached_bytes: bytes(blocks.cached_units()),
        host_bytes: bytes(counters.slc_programs),
        direct_bytes: bytes(counters.host_programs - counters.slc_programs),
        folded_bytes: bytes(counters.fold_moves),
        write_amplification: ratio(counters.slc_programs + counters.fold_moves, counters.slc_programs),
        folded_blocks: counters.fold_executions,
        reads: counters.slc_reads,
        erases: counters.slc_erases,
        max_block_erases: most,
        endurance_used_pct: f64::from(most) * 100.0 / f64::from(cache.settings().endurance),
    })
}
