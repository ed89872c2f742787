//! Figures of parity across dies (RAIN) in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WorkDone};
use venice_fabric::Fabric;

use super::quantiles::ratio;

/// Parity across dies (RAIN).
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ParityReport {
    /// Number of data units in a stripe.
    #[schemars(extend("unit" = "units"))]
    pub data_units: u32,
    /// Raw capacity of the dies that contain only parity.
    #[schemars(extend("unit" = "bytes"))]
    pub raw_bytes: u64,
    /// Share of parity in the programmed pages; absent without programs.
    #[schemars(extend("unit" = "%"))]
    pub programs_pct: Option<f64>,
    /// Uncorrectable pages whose data was rebuilt from the other pages of their stripes.
    #[schemars(extend("unit" = "pages"))]
    pub rebuilt_pages: u64,
    /// Uncorrectable pages whose rebuild failed, since another page of the stripe was uncorrectable.
    #[schemars(extend("unit" = "pages"))]
    pub failed_rebuilds: u64,
    /// Pages of stripes that were read to rebuild other pages.
    #[schemars(extend("unit" = "pages"))]
    pub rebuild_reads: u64,
    /// Write amplification without the programs of parity; absent if `write_amplification` is absent.
    #[schemars(extend("unit" = "bytes/byte"))]
    pub write_amplification_of_data: Option<f64>,
}

/// Returns the figures of parity; `None` for a drive without parity. The function `write_amplification`
/// returns the write amplification that includes the programs of parity.
pub(super) fn parity_report(
    device: &Device<dyn Fabric>,
    work: &WorkDone,
    write_amplification: impl FnOnce() -> Option<f64>,
) -> Option<ParityReport> {
    let (ftl, counters) = (device.ftl(), work.ftl());
    let layout = ftl.settings.parity_layout(ftl.geometry())?;
    let of_parity = ratio(counters.parity_programs, counters.programs);
    let plane_bytes = ftl.geometry().pages_per_plane() * u64::from(ftl.geometry().page_bytes);
    Some(ParityReport {
        data_units: ftl.settings.rain_data_units,
        raw_bytes: layout.parity_planes().len() as u64 * plane_bytes,
        rebuilt_pages: counters.rebuilt_pages,
        failed_rebuilds: counters.failed_rebuilds,
        rebuild_reads: counters.rebuild_reads,
        programs_pct: of_parity.map(|share| share * 100.0),
        write_amplification_of_data: write_amplification()
            .zip(of_parity)
            .map(|(all, share)| all * (1.0 - share)),
    })
}
