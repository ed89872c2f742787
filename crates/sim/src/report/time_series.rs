//! Time series of a run in the report, in intervals of equal length.

use venice_drive::device::Device;
use venice_drive::observe::{CompletedRequests, IntervalRecord, Intervals, RequestRow, SlowestRequests};
use venice_fabric::Fabric;
use venice_kernel::SimSpan;
use venice_nand::geometry::Geometry;
use venice_nand::latency::STAGES;
use venice_requests::SECTOR_BYTES;

use super::build::is_shown;
use super::causes::{of_request, own_work_of_request};
use super::quantiles::ratio;
use super::{CompletedOverTime, SlowRequest, TimeSeriesReport, WorkOverTime};

/// Returns the time series of a run.
pub(super) fn time_series(
    intervals: &Intervals,
    device: &Device<dyn Fabric>,
    geometry: &Geometry,
) -> TimeSeriesReport {
    let all = intervals.all();
    let units = device.ftl().settings.units;
    let spans: Vec<SimSpan> = (0..all.len()).map(|place| length(intervals, place)).collect();
    let (chips, planes) = (geometry.array.chips() as usize, geometry.planes() as usize);
    let has_failed = all.iter().any(|one| one.failed > 0);
    let paths = device.meters().path_busy(intervals.end()).len();
    let share = |of: fn(&IntervalRecord) -> u128, units: usize| -> Vec<Option<f64>> {
        all.iter().zip(&spans).map(|(one, &span)| percent(of(one), units, span)).collect()
    };
    TimeSeriesReport {
        interval_us: intervals.length().as_us(),
        joined: intervals.joined(),
        start_us: (0..)
            .zip(all)
            .map(|(place, _)| (intervals.start() + intervals.length() * place).as_us())
            .collect(),
        end_us: intervals.end().as_us(),
        issued: all.iter().map(|one| one.issued).collect(),
        iops: per_second(all, &spans, |one| {
            (one.read.latencies.count() + one.write.latencies.count() + one.without_data) as f64
        }),
        failed: has_failed.then(|| all.iter().map(|one| one.failed).collect()),
        read: completed(all, &spans, |one| &one.read),
        write: completed(all, &spans, |one| &one.write),
        queue_depth: all
            .iter()
            .zip(&spans)
            .map(|(one, span)| (!span.is_zero()).then(|| one.outstanding_ps as f64 / span.as_ps() as f64))
            .collect(),
        chip_pct: share(|one| one.chips_ps, chips),
        plane_pct: share(|one| one.planes_ps, planes),
        channel_pct: share(|one| one.paths_ps, paths),
        flash: flash_work(all, device, geometry),
        write_amplification: all.iter().map(|one| amplification(one, geometry)).collect(),
        pages_per_written_page: all
            .iter()
            .map(|one| ratio(units.slots_of_pages(one.work.programs), one.work.host_programs))
            .collect(),
    }
}

/// Returns the flash operations by interval. Figures of mechanisms that the drive does not have are absent.
fn flash_work(all: &[IntervalRecord], device: &Device<dyn Fabric>, geometry: &Geometry) -> WorkOverTime {
    let settings = &device.ftl().settings;
    let column = |of: fn(&IntervalRecord) -> u64| -> Vec<u64> { all.iter().map(of).collect() };
    let column_if = |exists: bool, of: fn(&IntervalRecord) -> u64| exists.then(|| column(of));
    let (reclaims, refreshes) = (settings.read_reclaim_reads > 0, settings.refresh.is_some());
    let has_cache = device.ftl().slc_cache().is_some();
    let decodes = device.ftl().read_errors().is_some();
    let can_fail = device.ftl().space().blocks().grown_bad_blocks().is_some();
    WorkOverTime {
        reads: column(|one| one.work.reads),
        programs: column(|one| one.work.programs),
        host_programs: column(|one| one.work.host_programs),
        programmed_bytes: all.iter().map(|one| programmed_bytes(one, geometry)).collect(),
        gc_moves: column(|one| one.work.gc_moves),
        wear_moves: column(|one| one.work.wear_moves),
        reclaim_moves: column_if(reclaims, |one| one.work.reclaim_moves),
        reclaim_executions: column_if(reclaims, |one| one.work.reclaim_executions),
        refresh_moves: column_if(refreshes, |one| one.work.refresh_moves),
        refresh_executions: column_if(refreshes, |one| one.work.refresh_executions),
        uncorrectable_host_reads: column_if(decodes, |one| one.work.uncorrectable_host_reads),
        idle_moves: column_if(settings.gc_idle.is_some(), |one| one.work.idle_moves),
        fold_moves: column_if(has_cache, |one| one.work.fold_moves),
        erases: column(|one| one.work.erases),
        free_blocks: column(|one| one.free_blocks),
        slc_cached_units: column_if(has_cache, |one| one.cached_units),
        spare_blocks: column_if(can_fail, |one| one.spare_blocks),
    }
}

/// Returns the bytes programmed in an interval, divided by the bytes of its completed writes; `None` without
/// completed writes.
fn amplification(one: &IntervalRecord, geometry: &Geometry) -> Option<f64> {
    (one.write.bytes > 0).then(|| programmed_bytes(one, geometry) as f64 / one.write.bytes as f64)
}

fn programmed_bytes(one: &IntervalRecord, geometry: &Geometry) -> u64 {
    one.work.programs * u64::from(geometry.page_bytes)
}

/// Returns the length of the interval with the index `place`. The last interval may be shorter than the
/// others.
fn length(intervals: &Intervals, place: usize) -> SimSpan {
    let start = intervals.start() + intervals.length() * place as u64;
    intervals.end().since(start).min(intervals.length())
}

fn percent(busy_ps: u128, units: usize, span: SimSpan) -> Option<f64> {
    let available = span.as_ps() as f64 * units as f64;
    (available > 0.0).then(|| busy_ps as f64 / available * 100.0)
}

fn per_second(
    all: &[IntervalRecord],
    spans: &[SimSpan],
    of: impl Fn(&IntervalRecord) -> f64,
) -> Vec<Option<f64>> {
    let rate =
        |(one, span): (&IntervalRecord, &SimSpan)| (!span.is_zero()).then(|| of(one) / span.as_us() * 1e6);
    all.iter().zip(spans).map(rate).collect()
}

fn completed(
    all: &[IntervalRecord],
    spans: &[SimSpan],
    of: fn(&IntervalRecord) -> &CompletedRequests,
) -> CompletedOverTime {
    let mut found = CompletedOverTime {
        count: all.iter().map(|one| of(one).latencies.count()).collect(),
        bytes: all.iter().map(|one| of(one).bytes as u64).collect(),
        mb_per_s: per_second(all, spans, |one| of(one).bytes as f64 / 1e6),
        mean_us: all.iter().map(|one| of(one).latencies.mean_us()).collect(),
        max_us: all.iter().map(|one| of(one).latencies.max_us()).collect(),
        behind_us: all.iter().map(|one| mean_us(of(one))).collect(),
        ..CompletedOverTime::default()
    };
    for one in all {
        let distribution = of(one).latencies.distribution();
        let mut quantiles = distribution.iter().flat_map(|all| all.quantiles_us([0.5, 0.99, 0.999]));
        found.p50_us.push(quantiles.next());
        found.p99_us.push(quantiles.next());
        found.p999_us.push(quantiles.next());
    }
    found
}

fn mean_us(completed: &CompletedRequests) -> Option<f64> {
    let count = completed.latencies.count();
    (count > 0).then(|| completed.behind_ps as f64 / count as f64 / 1e6)
}

/// Returns the slowest requests in descending order of latency.
pub(super) fn slow_requests(slowest: &SlowestRequests) -> Vec<SlowRequest> {
    slowest.rows().iter().map(slow_request).collect()
}

fn slow_request(row: &RequestRow) -> SlowRequest {
    let shown = STAGES.iter().zip(row.stages).filter(|((stage, _), span)| is_shown(*stage, span.as_ps()));
    SlowRequest {
        number: row.number,
        queue: row.queue,
        operation: row.op.name(),
        start_sector: row.start_sector,
        size_bytes: u64::from(row.sectors) * u64::from(SECTOR_BYTES),
        arrival_us: row.arrival.as_us(),
        latency_us: row.latency().as_us(),
        stages_us: shown.map(|(&(_, name), span)| (name, span.as_us())).collect(),
        causes_us: of_request(&row.behind),
        chip_wait_behind_us: own_work_of_request(&row.behind),
        chip: row.behind.chip.map(|chip| chip.0),
        owes_most_to: row.owes_most_to(),
    }
}
