//! Latencies in the report, as quantiles (p50, p90, p99, p99.9) or as the complete distribution.
//!
//! The drive counts each latency in a histogram with three significant digits
//! (`venice_drive::observe::Latencies`). `Distribution::quantiles_us` computes the quantiles by nearest rank:
//! the quantile of a share (such as 99 %) is the smallest latency that at least this share of the requests
//! does not exceed. Confidence intervals over seeds are computed in Python (`venice.stats`).

use venice_drive::observe::Latencies;

use super::LatencyReport;

/// Names of the kinds of operations, in the order of
/// [`QueueRecord::each`](venice_drive::observe::QueueRecord::each).
pub(super) const OPERATIONS: [&str; 7] =
    ["read", "write", "gather", "trim", "flush", "write_zeroes", "search"];

/// Returns the mean and the quantiles of a latency distribution.
pub(super) fn latency_report(latencies: &Latencies) -> LatencyReport {
    let distribution = latencies.distribution();
    let mut quantiles = distribution.iter().flat_map(|all| all.quantiles_us([0.5, 0.9, 0.99, 0.999]));
    LatencyReport {
        count: latencies.count(),
        mean: latencies.mean_us(),
        p50: quantiles.next(),
        p90: quantiles.next(),
        p99: quantiles.next(),
        p999: quantiles.next(),
        max: latencies.max_us(),
    }
}

/// Returns a latency distribution as pairs of a share of requests (%) and a latency in microseconds. The
/// shares are every percent up to 99 %, and finer steps above.
pub(super) fn distribution(latencies: &Latencies) -> Vec<(f64, f64)> {
    let Some(all) = latencies.distribution() else { return Vec::new() };
    let percents =
        (0..=99).map(f64::from).chain((1..=9).map(|n| 99.0 + f64::from(n) / 10.0)).chain([99.99, 100.0]);
    percents.clone().zip(all.quantiles_us(percents.map(|percent| percent / 100.0))).collect()
}

/// Returns the ratio of a part to a whole, or `None` if the whole is zero.
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
