//! Figures of read errors and of the controller's decoders in the report.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WindowWork};
use venice_drive::ftl::DecodedRead;
use venice_fabric::Fabric;

/// Read errors, their correction, and the decoders of the controller.
///
/// A page read is corrected or uncorrectable. A read of data that an earlier read could not correct, or that
/// a failed write left incomplete, is uncorrectable, whatever its decoder finds. A page that a chip decodes
/// for a search is included only if the chip sends it to the controller with its errors.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct EccReport {
    /// Number of decoders of the drive.
    #[schemars(extend("unit" = "decoders"))]
    pub decoders: u32,
    /// Number of page reads that were decoded: the sum of `corrected_by_step` and of all uncorrectable reads. Repeated
    /// reads for the recovery of a page count once.
    #[schemars(extend("unit" = "pages"))]
    pub pages: u64,
    /// Mean raw bit error rate of the decoded page reads, without the effect of retries; absent if no page
    /// was decoded.
    #[schemars(extend("unit" = "errors/bit"))]
    pub mean_raw_bit_error_rate: Option<f64>,
    /// Number of page reads that were corrected after their first read, after each retry, and after each step of
    /// soft decoding.
    #[schemars(extend("unit" = "pages"))]
    pub corrected_by_step: Vec<u64>,
    /// Number of reads that were repeated for retries.
    #[schemars(extend("unit" = "pages"))]
    pub retry_reads: u64,
    /// Number of reads that were repeated for soft decoding.
    #[schemars(extend("unit" = "pages"))]
    pub soft_reads: u64,
    /// Number of uncorrectable reads for the host, including reads of data that was known to be unreadable.
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_host_reads: u64,
    /// Number of uncorrectable reads of the sectors that a partial write leaves unchanged. The write fails.
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_update_reads: u64,
    /// Number of uncorrectable reads by garbage collection.
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_gc_reads: u64,
    /// Number of uncorrectable reads of translation pages. Their mapping entries are not lost.
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_mapping_reads: u64,
    /// Number of uncorrectable reads by scrub; absent if `ftl.scrub_pages_per_s` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_scrub_reads: Option<u64>,
    /// Number of uncorrectable reads by searches, which lose no data; absent without searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_search_reads: Option<u64>,
    /// Number of uncorrectable reads of stripes, to rebuild another page of the stripe; absent without parity
    /// (`ftl.rain_data_units`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "pages"))]
    pub uncorrectable_rebuild_reads: Option<u64>,
    /// Number of mapping units with unreadable data at the end of the run.
    #[schemars(extend("unit" = "units"))]
    pub unreadable_units: u64,
    /// Number of requests of the measured phase that ended with an error of any kind. They are not included
    /// in latencies or throughput.
    #[schemars(extend("unit" = "requests"))]
    pub requests_failed: u64,
    /// Mean share of the measured window in which a decoder was busy, in %; absent if no time passed.
    pub utilisation_pct: Option<f64>,
    /// Share of decoded pages that arrived when no decoder was free, in %; absent if no page was decoded.
    pub delayed_pct: Option<f64>,
    /// Mean wait of a page for a decoder, in microseconds; absent if no page was decoded.
    pub mean_wait_us: Option<f64>,
}

/// Returns the figures of read errors, or `None` for a drive without decoders.
pub(super) fn ecc_report(device: &Device<dyn Fabric>, served: &WindowWork) -> Option<EccReport> {
    let (work, errors) = (served.work().decoding()?, device.ftl().read_errors()?);
    let searches = served.work().searches();
    let (outcomes, times) = (&work.errors, &work.pages);
    let failed = |class: DecodedRead| outcomes.uncorrectable[class as usize];
    let mean = |sum: f64, of: u64| (of > 0).then(|| sum / of as f64);
    let pages = outcomes.pages();
    Some(EccReport {
        decoders: work.decoders,
        pages,
        mean_raw_bit_error_rate: mean(outcomes.rate_sum, pages),
        corrected_by_step: outcomes.corrected[..errors.step_count()].to_vec(),
        retry_reads: outcomes.retry_reads,
        soft_reads: outcomes.soft_reads,
        uncorrectable_host_reads: failed(DecodedRead::Host),
        uncorrectable_update_reads: failed(DecodedRead::Update),
        uncorrectable_gc_reads: failed(DecodedRead::Collection),
        uncorrectable_mapping_reads: failed(DecodedRead::Mapping),
        uncorrectable_scrub_reads: device.ftl().has_scrub().then(|| failed(DecodedRead::Scrub)),
        uncorrectable_search_reads: (searches.searches + searches.pages() > 0)
            .then(|| failed(DecodedRead::Search)),
        uncorrectable_rebuild_reads: device.ftl().has_parity().then(|| failed(DecodedRead::Rebuild)),
        unreadable_units: device.ftl().unreadable_units(),
        requests_failed: device.recorder().failed,
        utilisation_pct: served.of_decoders(),
        delayed_pct: mean(times.delayed as f64 * 100.0, times.pages),
        mean_wait_us: mean(times.wait_ps as f64 / 1e6, times.pages),
    })
}
