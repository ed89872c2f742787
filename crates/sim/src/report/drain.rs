//! Operations of the drive after the last completion, until the drive is idle.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WindowWork};
use venice_fabric::Fabric;
use venice_nand::geometry::Geometry;

use super::FlashReport;
use super::flash::flash_report;

/// Operations of the drive from the last completion until the drive is idle: garbage collection, and destages
/// of the data cache.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct DrainReport {
    /// Time from the last completion until the last array operation or transfer ends, in microseconds.
    pub duration_us: f64,
    /// Mean share of `duration_us` in which a chip has an active die, in %; absent if the duration is zero.
    pub chip_pct: Option<f64>,
    /// Mean share of `duration_us` in which the array of a plane is busy, in %.
    pub plane_pct: Option<f64>,
    /// Mean share of `duration_us` in which a path is in use, in %.
    pub channel_pct: Option<f64>,
    /// Number of transfers of commands and data after the last completion.
    #[schemars(extend("unit" = "transfers"))]
    pub transfers: u64,
    /// Flash operations after the last completion.
    pub flash: FlashReport,
}

pub(super) fn afterwards_report(
    device: &Device<dyn Fabric>,
    served: &WindowWork,
    geometry: &Geometry,
) -> DrainReport {
    let after = device.meters().afterwards(served);
    let occupation = after.occupation();
    DrainReport {
        duration_us: after.window().span().as_us(),
        chip_pct: occupation.chip_pct,
        plane_pct: occupation.plane_pct,
        channel_pct: occupation.path_pct,
        transfers: after.work().drive().transfers(),
        flash: flash_report(device, after.work(), geometry),
    }
}
