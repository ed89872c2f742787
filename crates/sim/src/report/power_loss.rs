//! Effects of a loss of power, in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, PowerLoss};
use venice_drive::ftl::RestartWork;
use venice_fabric::Fabric;
use venice_kernel::SimSpan;
use venice_nand::geometry::Geometry;
use venice_requests::SECTOR_BYTES;

/// Loss of power examined at an instant of the run. The run itself continued.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[schemars(extend("unit" = "pages"))]
#[serde(rename = "PowerLoss")]
pub struct PowerLossReport {
    /// Instant in microseconds since the start of the run.
    pub at_us: f64,
    /// True if the data of the cache survives (`cache.power_loss_protection`).
    #[schemars(extend("unit" = ""))]
    pub protected: bool,
    /// Number of pages without a complete version on flash: the old version was being erased with its block
    /// while the new version was still being programmed (`ftl.keep_old_versions` prevents this). Absent
    /// without audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_pages: Option<u64>,
    /// Number of pages with data that only the cache held. Unless the cache is protected, this data is lost.
    pub volatile_pages: u64,
    /// Amount of data that only the cache held, in bytes.
    #[schemars(extend("unit" = "bytes"))]
    pub volatile_bytes: u64,
    /// Number of pages whose program was queued or in progress.
    pub programs_in_progress: u64,
    /// Number of pages of searches that had not been searched. Their searches end without a result. Absent
    /// before the first search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_pages_in_progress: Option<u64>,
    /// Time to rebuild the mapping table (`ftl.restart`), in microseconds.
    pub restart_us: f64,
}

/// Returns the effects of each examined loss of power, or `None` if none was examined.
pub fn power_loss_reports(
    device: &Device<dyn Fabric>,
    geometry: &Geometry,
    t_read: SimSpan,
) -> Option<Vec<PowerLossReport>> {
    let report = |loss: &PowerLoss| {
        let work = RestartWork {
            most_programmed: loss.most_programmed,
            most_in_open_blocks: loss.most_in_open_blocks,
            logical_pages: device.ftl().translation().capacity_sectors()
                / u64::from(device.ftl().translation().sectors_per_page()),
            page_bytes: geometry.page_bytes,
            planes: geometry.planes(),
        };
        PowerLossReport {
            at_us: loss.at.as_us(),
            protected: loss.is_protected,
            lost_pages: loss.lost_pages,
            volatile_pages: loss.volatile_pages,
            volatile_bytes: loss.volatile_sectors * u64::from(SECTOR_BYTES),
            programs_in_progress: loss.programs,
            search_pages_in_progress: loss.search_pages,
            restart_us: device.ftl().settings.restart.restart.time(&work, t_read).as_us(),
        }
    };
    let losses = device.power_losses();
    (!losses.is_empty()).then(|| losses.iter().map(report).collect())
}
