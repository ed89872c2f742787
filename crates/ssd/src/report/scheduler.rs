//! What the host's scheduler did.

use std::collections::BTreeMap;

use crate::device::Device;
use crate::geometry::Geometry;
use crate::host::IoQueueCounters;
use crate::host::scheduler::{ConflictCounters, SchedulerSettings};
use crate::observe::{Latencies, QueueRecord, ScheduledRecord};

use super::build::{distribution, flash_report, latency_report, ratio};
use super::{AdvancedCommands, SchedulerReport};

/// Bytes of a time stamp.
const STAMP_BYTES: u64 = 8;

pub(super) fn scheduler_report(
    device: &Device,
    geometry: &Geometry,
    total: &QueueRecord,
) -> Option<SchedulerReport> {
    let settings = device.host().scheduler_settings()?;
    let IoQueueCounters { scheduler: done, conflicts: met, busy } = device.host().scheduler_counters()?;
    let recorder = device.recorder();
    let record = recorder.scheduled.as_deref()?;
    let while_busy =
        |of_us: f64, units: u32| (!busy.is_zero()).then(|| of_us / (busy.as_us() * f64::from(units)) * 100.0);
    Some(SchedulerReport {
        scheme: settings.scheme.name(),
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
        prioritised_reads_pct: percent(done.prioritised_reads, met.reads),
        vector_tests: done.vector_tests,
        memory_bytes: memory_bytes(&settings),
        waiting_us: by_direction(&waiting(record), latency_report),
        processing_us: by_direction(&[&record.read.processing, &record.write.processing], latency_report),
        waiting_cdf: by_direction(&waiting(record), distribution),
        latency_cdf: by_direction(&[&total.read.host, &total.write.host], distribution),
        busy_us: busy.as_us(),
        chip_while_busy_pct: while_busy(recorder.chip_busy.as_us(), geometry.array.chips()),
        plane_while_busy_pct: while_busy(recorder.arrays.total().as_us(), geometry.planes()),
        advanced_commands: advanced_commands(device),
    })
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

/// Gao et al., PIQ, TCAD 2017, §V: a bit for each unit, and a time stamp, of each entry of the queue.
fn memory_bytes(settings: &SchedulerSettings) -> u64 {
    let vector = u64::from(settings.units.units().div_ceil(8));
    u64::from(settings.queue_length) * (vector + STAMP_BYTES)
}

fn waiting(record: &ScheduledRecord) -> [&Latencies; 2] {
    [&record.read.waiting, &record.write.waiting]
}

fn by_direction<T>(both: &[&Latencies; 2], figure: impl Fn(&Latencies) -> T) -> BTreeMap<&'static str, T> {
    [("read", figure(both[0])), ("write", figure(both[1]))].into()
}

fn advanced_commands(device: &Device) -> AdvancedCommands {
    let flash = flash_report(device);
    AdvancedCommands {
        multiplane_reads: flash.multiplane_reads,
        multiplane_programs: flash.multiplane_programs,
        interleaved: device.recorder().interleaved,
        copybacks: flash.copybacks,
    }
}
