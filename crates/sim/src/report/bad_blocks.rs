//! Figures of bad blocks in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_drive::ftl::{FactoryBadBlocks, GrownBadBlocks};
use venice_fabric::Fabric;

/// Bad blocks of the drive.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct BadBlockReport {
    /// Factory bad blocks, which never hold data.
    #[schemars(extend("unit" = "blocks"))]
    pub factory_blocks: u64,
    /// Largest number of factory bad blocks in a plane.
    #[schemars(extend("unit" = "blocks"))]
    pub most_factory_blocks_of_plane: u32,
    /// Raw capacity that holds no data: factory bad blocks, the reserve for blocks that fail during the run
    /// and, with superblocks, blocks that are left over in planes with fewer bad blocks than others.
    #[schemars(extend("unit" = "bytes"))]
    pub unused_bytes: u64,
    /// Blocks that became bad during the run; absent if erases cannot fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grown: Option<GrownBadBlockReport>,
}

/// Blocks that became bad during the run.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct GrownBadBlockReport {
    /// Blocks whose erase has failed.
    #[schemars(extend("unit" = "blocks"))]
    pub failed_blocks: u64,
    /// Remaining share of the reserve in the plane where it is smallest, in % (available spare of NVMe).
    #[schemars(extend("unit" = "%"))]
    pub available_spare_pct: f64,
    /// True if the drive has become read-only, because a plane has used up its reserve.
    pub is_read_only: bool,
    /// Requests of the measured phase that ended with an error: commands that a read-only drive refused, and
    /// uncorrectable reads.
    #[schemars(extend("unit" = "requests"))]
    pub requests_failed: u64,
}

impl GrownBadBlockReport {
    fn of(grown: &GrownBadBlocks, requests_failed: u64) -> Self {
        Self {
            failed_blocks: grown.failed_blocks(),
            available_spare_pct: grown.reserve_left() * 100.0,
            is_read_only: grown.is_read_only(),
            requests_failed,
        }
    }
}

/// Returns the figures of bad blocks; `None` for a drive without any.
pub(super) fn bad_block_report(device: &Device<dyn Fabric>) -> Option<BadBlockReport> {
    let (ftl, geometry) = (device.ftl(), device.ftl().geometry());
    if ftl.settings.bad_blocks == FactoryBadBlocks::None && ftl.settings.grown_bad_blocks.is_none() {
        return None;
    }
    let grown = ftl.space().blocks().grown_bad_blocks();
    let factory = ftl.settings.factory_bad_blocks(geometry);
    let unused: u64 = ftl.settings.unused_blocks(geometry).into_iter().map(u64::from).sum();
    let block_bytes = u64::from(geometry.pages_per_block) * u64::from(geometry.page_bytes);
    Some(BadBlockReport {
        factory_blocks: factory.iter().copied().map(u64::from).sum(),
        most_factory_blocks_of_plane: factory.iter().copied().max().unwrap_or(0),
        unused_bytes: unused * block_bytes,
        grown: grown.map(|grown| GrownBadBlockReport::of(grown, device.recorder().failed)),
    })
}
