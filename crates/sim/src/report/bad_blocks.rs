//! Bad blocks in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_drive::ftl::FactoryBadBlocks;
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
    /// Raw capacity that holds no data: that of factory bad blocks and, with superblocks, of the blocks that
    /// are left over in other planes.
    #[schemars(extend("unit" = "bytes"))]
    pub unused_bytes: u64,
}

/// Returns the figures of bad blocks; `None` for a drive without any.
pub(super) fn bad_block_report(device: &Device<dyn Fabric>) -> Option<BadBlockReport> {
    let (ftl, geometry) = (device.ftl(), device.ftl().geometry());
    if ftl.settings.bad_blocks == FactoryBadBlocks::None {
        return None;
    }
    let factory = ftl.settings.factory_bad_blocks(geometry);
    let unused: u64 = ftl.settings.unused_blocks(geometry).into_iter().map(u64::from).sum();
    let block_bytes = u64::from(geometry.pages_per_block) * u64::from(geometry.page_bytes);
    Some(BadBlockReport {
        factory_blocks: factory.iter().copied().map(u64::from).sum(),
        most_factory_blocks_of_plane: factory.iter().copied().max().unwrap_or(0),
        unused_bytes: unused * block_bytes,
    })
}
