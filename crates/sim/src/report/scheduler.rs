//! Figures of the host scheduler in the report.

use std::collections::BTreeMap;

use venice_drive::device::{Device, WindowWork};
use venice_drive::observe::{DispatchRecord, Latencies, OpLatencies, QueueRecord};
use venice_fabric::Fabric;
use venice_host::scheduler::{ConflictCounters, SchedulerSettings};
use venice_host::{IoQueue, IoQueueCounters, QueueHistory};
use venice_kernel::SimTime;
use venice_nand::geometry::Geometry;

use venice_requests::Op;

use super::quantiles::{distribution, latency_report, ratio};
use super::{AdvancedCommands, Backlog, BatchSizes, FlowSlowdown, History, SchedulerReport};

/// Number of bytes of the time stamp that the host scheduler's I/O queue stores for each request.
const STAMP_BYTES: u64 = 8;

/// Minimum time to drain the queue after the last arrival that indicates saturation, in % of the measured
/// phase.
pub(super) const LONG_DRAIN_PCT: f64 = 5.0;
/// Minimum ratio of the mean queue length in the second half of the arrival period to that in the first half
/// that indicates saturation.
pub(super) const GROWTH: f64 = 1.5;

pub(super) fn scheduler_report(
    device: &Device<dyn Fabric>,
    served: &WindowWork,
    geometry: &Geometry,
    total: &QueueRecord,
) -> Option<SchedulerReport> {
    let io_queue = device.host().io_queue()?;
    let (settings, queue) = (io_queue.settings(), io_queue.history());
    let IoQueueCounters { scheduler: done, conflicts: met } = io_queue.counters();
    let recorder = device.recorder();
    let record = device.probes().scheduled.as_deref()?;
    let flows = flows(&recorder.queues());
    let busy = device.host().outstanding_time();
    let while_busy = served.while_outstanding(busy)?;
    Some(SchedulerReport {
        scheme: io_queue.scheduler_name().to_owned(),
        conflicted_reads_pct: percent(met.conflicted_reads, met.reads),
        conflicted_writes_pct: percent(met.conflicted_writes, met.writes),
        read_read_conflicts: met.read_read,
        write_write_conflicts: met.write_write,
        read_write_conflicts: met.read_write + met.write_read,
        conflicts_pct: shares(&met),
        read_batches: done.read_batches,
        write_batches: done.write_batches,
        prioritised_write_batches: done.prioritised_write_batches,
        prioritised_write_batches_pct: percent(done.prioritised_write_batches, done.write_batches),
        prioritised_reads: done.prioritised_reads,
        prioritised_reads_pct: percent(done.prioritised_reads, done.reads),
        batch_sizes: batch_sizes(io_queue),
        vector_tests: done.vector_tests,
        memory_bytes: memory_bytes(settings),
        waiting_us: by_direction(&waiting(record), latency_report),
        processing_us: by_direction(&[&record.read.processing, &record.write.processing], latency_report),
        waiting_cdf: by_direction(&waiting(record), distribution),
        latency_cdf: by_direction(&[&total.read.host, &total.write.host], distribution),
        busy_us: busy.as_us(),
        chip_while_busy_pct: while_busy.chip_pct,
        plane_while_busy_pct: while_busy.plane_pct,
        advanced_commands: advanced_commands(served),
        jain_index: jain_index(&flows),
        flows,
        history: history(queue, served, geometry.array.chips())?,
        backlog: backlog(queue, served.window().end()),
    })
}

fn batch_sizes(io_queue: &IoQueue) -> BTreeMap<&'static str, BatchSizes> {
    let of = |name, op| sizes_report(&io_queue.batch_sizes(op)).map(|sizes| (name, sizes));
    [of("read", Op::Read), of("write", Op::Write)].into_iter().flatten().collect()
}

fn sizes_report(sizes: &[u64]) -> Option<BatchSizes> {
    let histogram: BTreeMap<u64, u64> =
        (0..).zip(sizes.iter().copied()).filter(|&(_, count)| count > 0).collect();
    let (count, requests) = histogram
        .iter()
        .fold((0, 0), |(count, requests), (size, batches)| (count + batches, requests + size * batches));
    let &max = histogram.keys().last()?;
    Some(BatchSizes { count, mean: requests as f64 / count as f64, max, histogram })
}

fn flows(queues: &[QueueRecord]) -> Vec<FlowSlowdown> {
    let of = |(queue, record): (usize, &QueueRecord)| {
        let requests = record.each().iter().map(|op| op.host.count()).sum();
        let total = |part: fn(&OpLatencies) -> &Latencies| -> f64 {
            record.each().iter().map(|op| total_us(part(op))).sum()
        };
        let (all, in_drive) = (total(|op| &op.host), total(|op| &op.device));
        (in_drive > 0.0).then(|| FlowSlowdown { queue, requests, slowdown: all / in_drive })
    };
    queues.iter().enumerate().filter_map(of).collect()
}

fn total_us(latencies: &Latencies) -> f64 {
    latencies.mean_us().map_or(0.0, |mean| mean * latencies.count() as f64)
}

/// Returns Jain's index of the flows' slowdowns, (Σx)² / (n Σx²). Jain, Chiu, Hawe: "A Quantitative Measure
/// of Fairness and Discrimination", DEC-TR-301, 1984.
fn jain_index(flows: &[FlowSlowdown]) -> Option<f64> {
    let sum: f64 = flows.iter().map(|flow| flow.slowdown).sum();
    let squares: f64 = flows.iter().map(|flow| flow.slowdown.powi(2)).sum();
    (!flows.is_empty()).then(|| sum * sum / (flows.len() as f64 * squares))
}

/// Returns, in common intervals, the mean numbers of waiting requests and of requests in the drive, and the
/// share of busy chips.
fn history(queue: &QueueHistory, served: &WindowWork, chips: u32) -> Option<History> {
    let (at_work, end) = (served.work().chips_at_work()?, served.window().end().max(queue.start));
    let interval = queue.waiting.length().max(queue.in_drive.length()).max(at_work.length());
    let busy = at_work.means(interval, end);
    Some(History {
        start_us: queue.start.as_us(),
        interval_us: interval.as_us(),
        waiting: queue.waiting.means(interval, end),
        in_drive: queue.in_drive.means(interval, end),
        chip_pct: busy.into_iter().map(|at_work| at_work / f64::from(chips) * 100.0).collect(),
    })
}

fn backlog(queue: &QueueHistory, end: SimTime) -> Backlog {
    let length = queue.waiting.length().max(queue.in_drive.length());
    let arrivals = queue.last_arrival.max(queue.start);
    let (waiting, in_drive) = (queue.waiting.means(length, arrivals), queue.in_drive.means(length, arrivals));
    let mut outstanding: Vec<f64> =
        waiting.iter().zip(in_drive).map(|(waiting, in_drive)| waiting + in_drive).collect();
    // The last interval extends beyond the last arrival and is left out.
    outstanding.pop();
    let (first, second) = outstanding.split_at(outstanding.len() / 2);
    let (first_half, second_half) = (mean(first), mean(second));
    let phase = end.max(arrivals).since(queue.start);
    let drain = end.max(arrivals).since(arrivals);
    let drain_pct = if phase.is_zero() { 0.0 } else { drain.as_us() / phase.as_us() * 100.0 };
    let grows = drain_pct > LONG_DRAIN_PCT && second_half > GROWTH * first_half && !first.is_empty();
    Backlog { first_half, second_half, drain_pct, grows }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    ratio(part, whole).map(|ratio| ratio * 100.0)
}

fn shares(met: &ConflictCounters) -> BTreeMap<&'static str, Option<f64>> {
    [
        ("read_read", percent(met.read_read, met.reads)),
        ("read_write", percent(met.read_write, met.reads)),
        ("write_read", percent(met.write_read, met.writes)),
        ("write_write", percent(met.write_write, met.writes)),
    ]
    .into()
}

/// Returns the memory of the host scheduler's I/O queue in bytes, as Gao et al. compute it (PIQ, TCAD 2017,
/// §V). Each entry has one bit for each parallel unit and a time stamp.
fn memory_bytes(settings: &SchedulerSettings) -> u64 {
    let vector = u64::from(settings.units.units().div_ceil(8));
    u64::from(settings.queue_length) * (vector + STAMP_BYTES)
}

fn waiting(record: &DispatchRecord) -> [&Latencies; 2] {
    [&record.read.waiting, &record.write.waiting]
}

fn by_direction<T>(both: &[&Latencies; 2], figure: impl Fn(&Latencies) -> T) -> BTreeMap<&'static str, T> {
    [("read", figure(both[0])), ("write", figure(both[1]))].into()
}

fn advanced_commands(served: &WindowWork) -> AdvancedCommands {
    let counters = served.work().ftl();
    AdvancedCommands {
        multiplane_reads: counters.multiplane_reads,
        multiplane_programs: counters.multiplane_programs,
        interleaved: served.work().drive().interleaved,
        copybacks: counters.copybacks,
    }
}
