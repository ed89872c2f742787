//! Figures of searches in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WindowWork};
use venice_drive::ftl::SearchLocation;
use venice_fabric::Fabric;

/// Searches of the host in the measured phase.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct SearchReport {
    /// Location of the search: `pif` (chips), `pis` (controller) or `host`.
    pub location: &'static str,
    /// Function that was computed on each page (`search.function`).
    pub function: &'static str,
    /// Number of searches that reached the drive.
    #[schemars(extend("unit" = "searches"))]
    pub searches: u64,
    /// Number of searched pages: the sum of `pages_matched`, `pages_not_matched`, `pages_computed`,
    /// `pages_deallocated` and `pages_failed`.
    #[schemars(extend("unit" = "pages"))]
    pub pages: u64,
    /// Number of pages with a match.
    #[schemars(extend("unit" = "pages"))]
    pub pages_matched: u64,
    /// Number of pages without a match.
    #[schemars(extend("unit" = "pages"))]
    pub pages_not_matched: u64,
    /// Number of pages computed by a function other than `match`.
    #[schemars(extend("unit" = "pages"))]
    pub pages_computed: u64,
    /// Number of deallocated pages, which were not read.
    #[schemars(extend("unit" = "pages"))]
    pub pages_deallocated: u64,
    /// Number of pages that could not be read: uncorrectable, or on a lost chip.
    #[schemars(extend("unit" = "pages"))]
    pub pages_failed: u64,
    /// Number of pages that chips could not decode. They were sent to the controller with their errors. A
    /// page counts once for each pass of the search.
    #[schemars(extend("unit" = "pages"))]
    pub pages_failed_in_chips: u64,
    /// Number of transfers of tables or operands to chips.
    #[schemars(extend("unit" = "transfers"))]
    pub tables_sent: u64,
    /// Number of results for all pages of a chip together, which the functions `count` and `top_k` return.
    #[schemars(extend("unit" = "results"))]
    pub chip_results: u64,
    /// Bytes of tables or operands sent to chips.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_to_chips: u64,
    /// Bytes that chips sent: pages with their parity, results, and short answers.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_from_chips: u64,
    /// Bytes of pages and results sent to the host, without packet headers.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_to_host: u64,
    /// Busy time of the chips' matchers, summed over all chips, in microseconds.
    pub chip_matchers_busy_us: f64,
    /// Busy time of the controller's matchers, summed over all matchers, in microseconds.
    pub controller_matchers_busy_us: f64,
    /// Time for which the host searched, in microseconds.
    pub host_busy_us: f64,
    /// Power of the decoder and the function's unit in a chip, while active; absent if chips do not search.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "mW"))]
    pub chip_units_mw: Option<f64>,
    /// Area of the decoder and the function's unit in a chip; absent if chips do not search.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "mm²"))]
    pub chip_units_mm2: Option<f64>,
    /// Energy of decoders and matchers in the chips, in microjoules. It is not part of `energy_uj`.
    pub chip_matchers_uj: f64,
    /// Energy of the controller's matchers, in microjoules. It is not part of `energy_uj`.
    pub controller_matchers_uj: f64,
    /// Energy of the host while it searches, in microjoules. It is not part of `energy_uj`.
    pub host_uj: f64,
}

/// Returns the figures of searches, or `None` if there were none.
pub(super) fn search_report(device: &Device<dyn Fabric>, served: &WindowWork) -> Option<SearchReport> {
    let (counters, settings) = (served.work().searches(), device.ftl().search_settings());
    let pages = counters.pages();
    let in_chips = settings.location == SearchLocation::Chips;
    let us = |ps: u64| ps as f64 / 1e6;
    let uj = |mw: f64, ps: u64| mw * us(ps) / 1e3;
    (counters.searches + pages > 0).then(|| SearchReport {
        location: settings.location.name(),
        function: settings.function.name(),
        searches: counters.searches,
        pages,
        pages_matched: counters.matched,
        pages_not_matched: counters.not_matched,
        pages_computed: counters.computed,
        pages_deallocated: counters.deallocated,
        pages_failed: counters.failed,
        pages_failed_in_chips: counters.failed_in_chips,
        tables_sent: counters.tables,
        chip_results: counters.chip_results,
        bytes_to_chips: counters.bytes_to_chips,
        bytes_from_chips: counters.bytes_from_chips,
        bytes_to_host: counters.bytes_to_host,
        chip_matchers_busy_us: us(counters.chips_busy_ps),
        controller_matchers_busy_us: us(counters.controller_busy_ps),
        host_busy_us: us(counters.host_busy_ps),
        chip_units_mw: in_chips.then_some(settings.chip_mw),
        chip_units_mm2: in_chips.then_some(settings.chip_mm2),
        chip_matchers_uj: uj(settings.chip_mw, counters.chips_busy_ps),
        controller_matchers_uj: settings.controller_pj_per_byte * counters.controller_bytes as f64 / 1e6,
        host_uj: uj(settings.host_mw, counters.host_busy_ps),
    })
}
