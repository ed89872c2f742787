//! Complete distributions of latencies, outstanding requests and erases, reported on request.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_drive::observe::{OpLatencies, QueueRecord};
use venice_fabric::Fabric;
use venice_kernel::SimSpan;

use super::quantiles::OPERATIONS;

/// Complete distributions of latencies, outstanding requests and erases.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DistributionsReport {
    /// Distributions of each host queue, in the order of queue numbers; queues without requests are left out.
    pub queues: Vec<QueueDistributions>,
    /// Number of requests by queue depth (number of outstanding requests) at their issue, including the
    /// request itself. The depth classes are 1, 2 to 3, 4 to 7, and so on; the key is the lower bound.
    #[schemars(extend("unit" = "requests"))]
    pub requests_by_depth: BTreeMap<u64, u64>,
    /// Time for which requests of the measured phase were outstanding, in microseconds.
    pub busy_us: f64,
    /// Number of blocks by number of erases. Erases by preconditioning and warm-up count.
    #[schemars(extend("unit" = "blocks"))]
    pub blocks_by_erases: BTreeMap<u32, u64>,
}

/// Latency distributions of one host queue.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct QueueDistributions {
    /// Number of the queue.
    #[schemars(extend("unit" = ""))]
    pub queue: usize,
    /// Latencies of the measured phase by operation; operations without requests are left out.
    pub latency: BTreeMap<&'static str, LatencyDistribution>,
}

/// Latencies of one operation on one queue, from issue to completion.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LatencyDistribution {
    /// Number of requests with this operation.
    #[schemars(extend("unit" = "requests"))]
    pub count: u64,
    /// Bytes that the requests transferred.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: u64,
    /// Exact minimum of the latency.
    pub min_us: f64,
    /// Exact mean of the latency.
    pub mean_us: f64,
    /// Exact maximum of the latency.
    pub max_us: f64,
    /// Standard deviation, computed from the histogram.
    pub stdev_us: f64,
    /// Number of requests by latency. Keys are the lower bounds of classes, which are 0.1 % wide.
    #[schemars(extend("unit" = "µs, requests"))]
    pub histogram: Vec<(f64, u64)>,
}

pub(super) fn distributions(
    device: &Device<dyn Fabric>,
    depths: &BTreeMap<u64, u64>,
    busy: SimSpan,
) -> DistributionsReport {
    let queues = device.recorder().queues();
    DistributionsReport {
        queues: (0..)
            .zip(&queues)
            .map(|(queue, record)| QueueDistributions { queue, latency: by_operation(record) })
            .filter(|queue| !queue.latency.is_empty())
            .collect(),
        requests_by_depth: depths.clone(),
        busy_us: busy.as_us(),
        blocks_by_erases: device.ftl().space().blocks().table.blocks_by_erases(),
    }
}

fn by_operation(record: &QueueRecord) -> BTreeMap<&'static str, LatencyDistribution> {
    let named = OPERATIONS.into_iter().zip(record.each());
    named.filter_map(|(name, op)| Some((name, distribution(op)?))).collect()
}

fn distribution(op: &OpLatencies) -> Option<LatencyDistribution> {
    let latencies = &op.host;
    let (count, mean_us) = (latencies.count(), latencies.mean_us()?);
    let histogram: Vec<(f64, u64)> =
        latencies.parts().map(|(least_ps, count)| (least_ps as f64 / 1e6, count)).collect();
    Some(LatencyDistribution {
        count,
        bytes: op.sums.bytes as u64,
        min_us: latencies.min_us()?,
        mean_us,
        max_us: latencies.max_us()?,
        stdev_us: deviation(&histogram),
        histogram,
    })
}

/// Returns the standard deviation of a histogram around its own mean.
fn deviation(histogram: &[(f64, u64)]) -> f64 {
    let count: f64 = histogram.iter().map(|&(_, count)| count as f64).sum();
    let mean = histogram.iter().map(|&(us, count)| us * count as f64).sum::<f64>() / count;
    let squares: f64 = histogram.iter().map(|&(us, count)| (us - mean).powi(2) * count as f64).sum();
    (squares / count).sqrt()
}
