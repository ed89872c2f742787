//! What waits for each chip and what each chip does, of runs in which that was asked for.

use schemars::JsonSchema;
use serde::Serialize;
use venice_kernel::SimSpan;

use crate::device::Served;
use crate::geometry::{ChipId, Geometry};
use crate::observe::ChipQueue;

/// One chip. Shares, counts and means are of the measured window.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChipReport {
    /// Its row in the array; a channel, where there are channels.
    #[schemars(extend("unit" = ""))]
    pub row: u32,
    /// Its column.
    #[schemars(extend("unit" = ""))]
    pub col: u32,
    /// Share of time with an array of one of its dies at work, in %.
    pub array_pct: f64,
    /// Share of time with a command or data on its way to it, or data on its way from it, in %.
    pub transfer_pct: f64,
    /// Share of time with both, in %.
    pub array_and_transfer_pct: f64,
    /// Share of time with neither, in %.
    pub idle_pct: f64,
    /// What waits for one of its dies, by kind of work and, where they wait apart, by priority class.
    pub queues: Vec<ChipQueueReport>,
}

/// One queue of a chip: transactions, each a page or a block, that wait for a command. A write whose page was given out at its arrival
/// waits while the rest of its page is read, and an erase from the beginning of its collection.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChipQueueReport {
    /// What waits in it.
    pub work: &'static str,
    /// Of which priority class, where classes wait apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<&'static str>,
    /// Transactions that joined it.
    #[schemars(extend("unit" = "transactions"))]
    pub enqueued: u64,
    /// Transactions that left it.
    #[schemars(extend("unit" = "transactions"))]
    pub dequeued: u64,
    /// Its mean length.
    #[schemars(extend("unit" = "transactions"))]
    pub mean_length: f64,
    /// Its standard deviation about that mean.
    #[schemars(extend("unit" = "transactions"))]
    pub stdev_length: f64,
    /// The most that waited at one time.
    #[schemars(extend("unit" = "transactions"))]
    pub max_length: u32,
    /// How long those waited that left it, on average; absent if none did.
    pub mean_wait_us: Option<f64>,
    /// The longest of these waits.
    pub max_wait_us: Option<f64>,
}

pub(super) fn chip_reports(served: &Served, geometry: &Geometry) -> Option<Vec<ChipReport>> {
    let time = served.window().span();
    let report = |chip| {
        let shares = served.of_chip(chip)?;
        Some(ChipReport {
            row: geometry.array.row(chip),
            col: geometry.array.col(chip),
            array_pct: shares.array_pct,
            transfer_pct: shares.transfer_pct,
            array_and_transfer_pct: shares.both_pct,
            idle_pct: shares.idle_pct,
            queues: served
                .work()
                .queues()
                .of_chip(chip)?
                .map(|named| queue_report(named.work, named.priority, &named.queue, time))
                .collect(),
        })
    };
    (0..geometry.array.chips()).map(ChipId).map(report).collect()
}

fn queue_report(
    work: &'static str,
    priority: Option<&'static str>,
    queue: &ChipQueue,
    time: SimSpan,
) -> ChipQueueReport {
    let (mean_length, stdev_length) = queue.lengths(time);
    let some_left = queue.dequeued > 0;
    ChipQueueReport {
        work,
        priority,
        enqueued: queue.enqueued,
        dequeued: queue.dequeued,
        mean_length,
        stdev_length,
        max_length: queue.max_length,
        mean_wait_us: some_left.then(|| queue.waited_ps as f64 / queue.dequeued as f64 / 1e6),
        max_wait_us: some_left.then(|| queue.longest_wait.as_us()),
    }
}
