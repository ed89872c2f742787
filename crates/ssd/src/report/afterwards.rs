//! Work of the drive after the last completion.

use schemars::JsonSchema;
use serde::Serialize;

use crate::device::{Device, Served};
use crate::fabric::Fabric;
use crate::geometry::Geometry;

use super::FlashReport;
use super::flash::flash_report;

/// Work of the drive from the last completion until it is idle: garbage collection, and what the data cache writes to flash.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct AfterwardsReport {
    /// From the last completion until the last array or transfer is done, in microseconds.
    pub duration_us: f64,
    /// Share of that time for which a chip has a die at work, in %, averaged over chips; absent if it is none.
    pub chip_pct: Option<f64>,
    /// Share of that time for which the array of a plane works, in %, averaged over planes.
    pub plane_pct: Option<f64>,
    /// Share of that time for which a path is in use, in %, averaged over paths.
    pub channel_pct: Option<f64>,
    /// Transfers in that time: commands and data.
    #[schemars(extend("unit" = "transfers"))]
    pub transfers: u64,
    /// Work of the flash in that time.
    pub flash: FlashReport,
}

pub(super) fn afterwards_report(
    device: &Device<dyn Fabric>,
    served: &Served,
    geometry: &Geometry,
) -> AfterwardsReport {
    let after = device.meters().afterwards(served);
    let occupation = after.occupation();
    AfterwardsReport {
        duration_us: after.window().span().as_us(),
        chip_pct: occupation.chip_pct,
        plane_pct: occupation.plane_pct,
        channel_pct: occupation.path_pct,
        transfers: after.work().drive().transfers(),
        flash: flash_report(device, after.work(), geometry),
    }
}
