//! Queues and activities of each chip, reported on request.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::WindowWork;
use venice_drive::observe::ChipQueue;
use venice_kernel::SimSpan;
use venice_nand::geometry::{ChipId, Geometry};

/// Queues and activity of one chip in the measured window.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChipReport {
    /// Row of the chip in the array. This is the channel number if there are channels.
    #[schemars(extend("unit" = ""))]
    pub row: u32,
    /// Column of the chip in the array.
    #[schemars(extend("unit" = ""))]
    pub col: u32,
    /// Share of time in which the array of at least one of the chip's dies is busy, in %.
    pub array_pct: f64,
    /// Share of time in which a command or data is transferred to or from the chip, in %.
    pub transfer_pct: f64,
    /// Share of time in which an array is busy while a transfer is in progress, in %.
    pub array_and_transfer_pct: f64,
    /// Share of time in which neither an array is busy nor a transfer is in progress, in %.
    pub idle_pct: f64,
    /// Queues of the chip's dies by class of transactions. If priority classes have separate queues, the
    /// queues are also divided by priority class.
    pub queues: Vec<ChipQueueReport>,
}

/// Queue of a chip with transactions that wait to be included in a command. Each transaction is for one page
/// or block. A write whose page is allocated on arrival also waits for the read of its missing sectors. An
/// erase waits from the start of its garbage collection.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ChipQueueReport {
    /// Class of the queue's transactions.
    pub work: &'static str,
    /// Priority class of the queue, if priority classes have separate queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<&'static str>,
    /// Number of transactions that entered the queue.
    #[schemars(extend("unit" = "transactions"))]
    pub enqueued: u64,
    /// Number of transactions that left the queue.
    #[schemars(extend("unit" = "transactions"))]
    pub dequeued: u64,
    /// Mean length of the queue.
    #[schemars(extend("unit" = "transactions"))]
    pub mean_length: f64,
    /// Standard deviation of the queue's length.
    #[schemars(extend("unit" = "transactions"))]
    pub stdev_length: f64,
    /// Maximum length of the queue.
    #[schemars(extend("unit" = "transactions"))]
    pub max_length: u32,
    /// Mean waiting time of the transactions that left the queue; absent if none did.
    pub mean_wait_us: Option<f64>,
    /// Maximum waiting time of the transactions that left the queue; absent if none did.
    pub max_wait_us: Option<f64>,
}

pub(super) fn chip_reports(served: &WindowWork, geometry: &Geometry) -> Option<Vec<ChipReport>> {
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
