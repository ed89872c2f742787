//! Assembly of a report from the records of a run.

use std::collections::BTreeMap;
use std::ops::Add;

use venice_drive::cache::CacheCounters;
use venice_drive::device::{Device, MeasurementWindow, WindowWork};
use venice_drive::observe::{
    FlowSteadyState, Intervals, Latencies, OpLatencies, OpSums, PageSums, QueueRecord, Recorder,
    SlowestRequests, SteadyStateTest,
};
use venice_fabric::Fabric;
use venice_kernel::SimSpan;
use venice_nand::geometry::{ChipId, Geometry};
use venice_nand::latency::{STAGES, Stage};
use venice_requests::{DeviceUse, Flow, FormatChoice, LoopMode, Op, ReadCounters, SECTOR_BYTES};

use crate::power::{AreaSettings, Energy, PowerSettings};

use super::chips::chip_reports;
use super::controller::controller_report;
use super::demand::demand_report;
use super::distributions::distributions;
use super::drain::afterwards_report;
use super::ecc::ecc_report;
use super::energy::{activity, energy_report};
use super::flash::flash_report;
use super::flow_steady_state::steady_report;
use super::parts::{FinishedRun, Parts};
use super::path_utilisation::place_reports;
use super::protection::ProtectionReport;
use super::quantiles::{OPERATIONS, distribution, latency_report, ratio};
use super::scheduler::scheduler_report;
use super::search::search_report;
use super::slc_cache::slc_cache_report;
use super::stop_criterion::until_report;
use super::tenants::{fairness, queue_names};
use super::time_series::{slow_requests, time_series};
use super::{
    BuildInfo, CacheReport, DeallocationReport, FaultReport, FlashReport, GatherReport, LatencyTriple,
    MappingReport, PageReads, PageTimes, PathReport, PhaseReport, QueueReport, RangeLookUps, Report,
    Requests, SCHEMA_VERSION, Utilisation, WorkloadInfo,
};

/// Data of a report that does not come from the run.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Resolved configuration.
    pub config: serde_json::Value,
    /// Seed of every random stream.
    pub seed: u64,
    /// Wall-clock time of the run, in seconds.
    pub wall_s: f64,
}

/// Measurements of a run that several sections of its report use.
struct Measurements {
    served: WindowWork,
    /// Latencies and sums over the requests of all host queues.
    total: QueueRecord,
    /// Latencies of all operations, from issue to completion.
    all_host: Latencies,
    steadiness: SteadyStateTest,
    flash: FlashReport,
    write_amplification: Option<f64>,
    energy: Energy,
    queue_reports: Vec<QueueReport>,
}

impl Measurements {
    fn of(run: &FinishedRun<'_>) -> Self {
        let FinishedRun { device, geometry, .. } = *run;
        let (served, queues) = (device.meters().window_work(), device.recorder().queues());
        let total = total(&queues);
        let steadiness = SteadyStateTest::of(&device.probes().rounds);
        let flash = flash_report(device, served.work(), geometry);
        Self {
            write_amplification: write_amplification(&flash, device.recorder(), &steadiness),
            all_host: merged(&total, |op| &op.host),
            steadiness,
            flash,
            energy: Energy::of(run.activity, run.power),
            queue_reports: queue_reports(device, &queues),
            total,
            served,
        }
    }
}

impl Report {
    /// Creates the report of a finished run.
    pub fn new(
        device: &Device<dyn Fabric>,
        geometry: &Geometry,
        power: &PowerSettings,
        area: &AreaSettings,
        events: u64,
        provenance: Provenance,
    ) -> Self {
        let activity = activity(device, geometry);
        let run = FinishedRun { device, geometry, power, area, activity: &activity };
        Self::of_run(&run, Measurements::of(&run), events, provenance)
    }

    /// Fills all sections of the report that do not depend on options.
    fn of_run(
        run @ &FinishedRun { device, geometry, .. }: &FinishedRun<'_>,
        Measurements {
            served,
            total,
            all_host,
            steadiness,
            flash,
            write_amplification,
            energy,
            queue_reports,
        }: Measurements,
        events: u64,
        provenance: Provenance,
    ) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            venice_version: env!("CARGO_PKG_VERSION"),
            build: BuildInfo::built_in(),
            fabric: device.fabric_name().to_owned(),
            config: provenance.config,
            seed: provenance.seed,
            capacity_bytes: device.ftl().translation().capacity_sectors() * u64::from(SECTOR_BYTES),
            workload: workload_info(device),
            phases: phases(device.recorder(), served.window(), all_host.count()),
            requests: requests(device, &total),
            demand: demand_report(&device.probes().load, is_open(device)),
            steadiness: (&steadiness).into(),
            until: until_report(device),
            ended_by_clock: device.host().flows.are_cut_by_clock().then_some(true),
            makespan_us: served.window().span().as_us(),
            iops: served.window().per_second(all_host.count() as f64),
            bandwidth_mb_per_s: served.window().per_second(host_bytes(device) as f64 / 1e6),
            latency_cdf: distribution(&all_host),
            latency_us: triple(&total, |op| &op.host),
            device_latency_us: triple(&total, |op| &op.device),
            breakdown_us: breakdown(device, &total),
            fairness: fairness(&queue_reports),
            queues: queue_reports,
            write_amplification,
            pages_per_written_page: pages_per_written_page(device, &flash),
            gather: gather_report(&served, device.recorder().sums()[2].bytes as u64),
            search: search_report(device, &served),
            deallocation: deallocation_report(device, &served, &total),
            controller: controller_report(&served),
            ecc: ecc_report(device, &served),
            slc_cache: slc_cache_report(device, served.work()),
            protection: ProtectionReport::of(device, served.work(), || write_amplification),
            power_losses: None,
            flash,
            path: path_report(device, &served, all_host.count()),
            page_reads: page_reads(geometry, device.recorder()),
            utilisation: utilisation(&served),
            after_last_completion: afterwards_report(device, &served, geometry),
            chips: chip_reports(&served, geometry),
            places: None,
            chip_wait_causes_us: None,
            cache_causes_us: None,
            chip_wait_behind_us: None,
            slowest: None,
            time_series: None,
            distributions: None,
            steady: None,
            energy_window_us: run.activity.until_drained.as_us(),
            mean_power_mw: energy.mean_power_mw(run.activity),
            energy_uj: energy_report(&energy),
            parts: Parts::of(run),
            mapping: mapping_report(device, &served),
            cache: served.work().cache().map(cache_report),
            scheduler: scheduler_report(device, &served, geometry, &total),
            faults: fault_report(device, geometry),
            audit: None,
            wall_s: provenance.wall_s,
            events,
        }
    }

    /// Adds the time series.
    pub fn add_time_series(
        &mut self,
        intervals: &Intervals,
        device: &Device<dyn Fabric>,
        geometry: &Geometry,
    ) {
        self.time_series = Some(time_series(intervals, device, geometry));
    }

    /// Adds complete distributions. `depths` is the number of requests for each queue depth at their issue.
    /// `busy` is the time with outstanding requests.
    pub fn add_distributions(
        &mut self,
        device: &Device<dyn Fabric>,
        depths: &BTreeMap<u64, u64>,
        busy: SimSpan,
    ) {
        self.distributions = Some(distributions(device, depths, busy));
    }

    /// Adds the utilisation of each path of the fabric (channel, bus or link).
    pub fn add_places(&mut self, device: &Device<dyn Fabric>) {
        self.places = Some(place_reports(device));
    }

    /// Adds the results of flows that end in steady state, if there are such flows.
    pub fn add_steady(&mut self, judges: &[FlowSteadyState]) {
        self.steady = (!judges.is_empty()).then(|| judges.iter().map(steady_report).collect());
    }

    /// Adds the slowest requests.
    pub fn add_slowest(&mut self, slowest: &SlowestRequests) {
        self.slowest = slowest.are_wanted().then(|| slow_requests(slowest));
    }
}

/// Returns the bytes that the host read and wrote.
fn host_bytes(device: &Device<dyn Fabric>) -> u128 {
    let [read, write, gathered, ..] = device.recorder().sums();
    let sends_gathered = u128::from(device.host().transport.gathers_send_results);
    read.bytes + write.bytes + gathered.bytes * sends_gathered
}

fn fault_report(device: &Device<dyn Fabric>, geometry: &Geometry) -> Option<FaultReport> {
    let (faults, array) = (device.losses().faults(), geometry.array);
    if faults.is_empty() {
        return None;
    }
    let chips = (0..array.chips()).map(ChipId);
    let lost: Vec<ChipId> = chips.filter(|&chip| !device.fabric().reaches(chip)).collect();
    let chip_bytes = geometry.raw_bytes() / u64::from(array.chips());
    let raw_capacity_lost_bytes = lost.len() as u64 * chip_bytes;
    let losses = device.ftl().stats().losses;
    let failures = device.losses().failures();
    Some(FaultReport {
        failed_at_us: faults.at.as_us(),
        known_at_us: faults.known_at().as_us(),
        chips_lost: lost.iter().map(|&chip| (array.row(chip), array.col(chip))).collect(),
        raw_capacity_bytes: geometry.raw_bytes() - raw_capacity_lost_bytes,
        raw_capacity_lost_bytes,
        host_capacity_bytes: device.ftl().translation().capacity_sectors() * u64::from(SECTOR_BYTES),
        pages_lost: losses.pages_lost,
        page_reads_failed: failures.page_reads,
        page_programs_failed: failures.page_programs,
        writes_without_room: losses.writes_without_room,
        writes_sent_elsewhere: losses.writes_sent_elsewhere,
        requests_failed: device.recorder().failed,
    })
}

fn mapping_report(device: &Device<dyn Fabric>, served: &WindowWork) -> MappingReport {
    let looked_up = served.work().ftl();
    let has_buffer = device.ftl().settings.host_buffer.is_some();
    MappingReport {
        hits: looked_up.map_lookups - looked_up.map_misses,
        misses: looked_up.map_misses,
        read_hits: looked_up.map_read_lookups - looked_up.map_read_misses,
        read_misses: looked_up.map_read_misses,
        host_buffer_hits: has_buffer.then_some(looked_up.host_buffer_hits),
        host_buffer_misses: has_buffer.then_some(looked_up.host_buffer_misses),
        ranges: look_ups_by_range(device),
    }
}

fn look_ups_by_range(device: &Device<dyn Fabric>) -> Vec<RangeLookUps> {
    match device.ftl().stats().look_ups.as_slice() {
        [_] => Vec::new(),
        ranges => ranges
            .iter()
            .map(|range| RangeLookUps { hits: range.lookups - range.misses, misses: range.misses })
            .collect(),
    }
}

/// Merges the latencies of all operations. `side` selects total latency or device latency.
fn merged(record: &QueueRecord, side: impl Fn(&OpLatencies) -> &Latencies) -> Latencies {
    let [first, others @ ..] = record.each();
    let mut all = side(first).clone();
    for other in others {
        all.merge(side(other));
    }
    all
}

fn total(queues: &[QueueRecord]) -> QueueRecord {
    let mut sum = QueueRecord::default();
    for queue in queues {
        sum.merge(queue);
    }
    sum
}

/// Returns the mean times of page reads by row and by column of the array.
fn page_reads(geometry: &Geometry, recorder: &Recorder) -> PageReads {
    let array = geometry.array;
    let mean = |is_there: &dyn Fn(ChipId) -> bool| {
        let of = (0..).map(ChipId).zip(&recorder.reads_of).filter(|(chip, _)| is_there(*chip));
        let (pages, time) =
            of.fold((0, SimSpan::ZERO), |(pages, time), (_, &(more, took))| (pages + more, time + took));
        (pages > 0).then(|| time.as_us() / pages as f64)
    };
    PageReads {
        by_row_us: (0..array.rows).map(|row| mean(&|chip| array.row(chip) == row)).collect(),
        by_column_us: (0..array.cols).map(|col| mean(&|chip| array.col(chip) == col)).collect(),
    }
}

/// Returns the warm-up, if there was one, and the measured phase.
fn phases(recorder: &Recorder, window: MeasurementWindow, measured: u64) -> Vec<PhaseReport> {
    let warm_up = recorder.warmed_up.map(|phase| PhaseReport {
        name: "warmup",
        start_us: phase.start.as_us(),
        end_us: phase.end.as_us(),
        requests: phase.requests,
    });
    let measure = PhaseReport {
        name: "measure",
        start_us: window.start().as_us(),
        end_us: window.end().as_us(),
        requests: measured,
    };
    warm_up.into_iter().chain([measure]).collect()
}

/// Returns the bytes programmed per byte written by the host. Returns `None` if the host wrote nothing, or
/// too little to determine write amplification.
fn write_amplification(flash: &FlashReport, recorder: &Recorder, found: &SteadyStateTest) -> Option<f64> {
    let [_, write, ..] = recorder.sums();
    let written_bytes = write.bytes;
    let is_known = written_bytes > 0 && found.has_settled_writes();
    is_known.then(|| flash.programmed_bytes as f64 / written_bytes as f64)
}

fn requests(device: &Device<dyn Fabric>, total: &QueueRecord) -> Requests {
    let [read, write, ..] = device.recorder().sums();
    let warm_up = device.recorder().warmed_up.map_or(0, |phase| phase.requests);
    Requests {
        submitted: device.host().submitted() - warm_up,
        completed: total.each().iter().map(|op| op.host.count()).sum(),
        failed: some_if_any(device.recorder().failed),
        reads: total.read.host.count(),
        writes: total.write.host.count(),
        gathers: some_if_any(total.gather.host.count()),
        searches: some_if_any(total.search.host.count()),
        trims: some_if_any(total.trim.host.count()),
        flushes: some_if_any(total.flush.host.count()),
        fua_writes: some_if_any(total.write_fua.host.count()),
        zero_writes: some_if_any(total.write_zeroes.host.count()),
        read_bytes: read.bytes as u64,
        written_bytes: write.bytes as u64,
    }
}

fn workload_info(device: &Device<dyn Fabric>) -> WorkloadInfo {
    let flows = device.host().flows.all();
    let counters = || flows.iter().map(|flow| flow.source().counters());
    let names: Vec<&str> = flows.iter().map(|flow| flow.source().label()).collect();
    let depths: Vec<u32> = flows.iter().filter_map(closed_loop_depth).collect();
    WorkloadInfo {
        name: names.join(" + "),
        synthetic: flows.iter().any(|flow| flow.source().is_synthetic()),
        r#loop: match depths.len() {
            0 => "open",
            all if all == flows.len() => "closed",
            _ => "mixed",
        },
        queue_depth: (!depths.is_empty()).then(|| depths.iter().sum()),
        format_choice: format_choice(flows),
        read: counters().map(|counters| counters.read).fold(ReadCounters::default(), Add::add),
        devices: counters().map(|counters| counters.devices).fold(DeviceUse::default(), Add::add),
        folded: counters().map(|counters| counters.folded).sum(),
    }
}

/// Returns the format of the first flow that reads a trace file.
fn format_choice(flows: &[Flow]) -> FormatChoice {
    let mut found = flows.iter().map(|flow| flow.source().format_choice());
    found.find(|choice| choice.format.is_some()).unwrap_or_default()
}

fn is_open(device: &Device<dyn Fabric>) -> bool {
    device.host().flows.all().iter().all(|flow| flow.mode() == LoopMode::Open)
}

fn closed_loop_depth(flow: &Flow) -> Option<u32> {
    match flow.mode() {
        LoopMode::Open => None,
        LoopMode::Closed { depth } => Some(depth),
    }
}

fn triple(record: &QueueRecord, side: impl Fn(&OpLatencies) -> &Latencies + Copy) -> LatencyTriple {
    let [read, write, gather, trim, flush, write_zeroes, search] = record.each().map(&side);
    let if_any = |latencies: &Latencies| (latencies.count() > 0).then(|| latency_report(latencies));
    LatencyTriple {
        all: latency_report(&merged(record, side)),
        read: latency_report(read),
        write: latency_report(write),
        gather: if_any(gather),
        search: if_any(search),
        trim: if_any(trim),
        flush: if_any(flush),
        write_zeroes: if_any(write_zeroes),
        write_fua: if_any(side(&record.write_fua)),
    }
}

/// Returns the number, or `None` if it is zero.
fn some_if_any(count: u64) -> Option<u64> {
    (count > 0).then_some(count)
}

fn queue_reports(device: &Device<dyn Fabric>, queues: &[QueueRecord]) -> Vec<QueueReport> {
    let is_used = |record: &QueueRecord| record.each().iter().any(|op| op.host.count() > 0);
    let used: Vec<usize> = (0..queues.len()).filter(|&queue| is_used(&queues[queue])).collect();
    let names = queue_names(device.host().flows.all(), &used);
    used.iter()
        .map(|&queue| (queue, &queues[queue]))
        .zip(names)
        .map(|((queue, record), name)| QueueReport {
            queue,
            name,
            latency_us: triple(record, |op| &op.host),
            device_latency_us: triple(record, |op| &op.device),
            min_latency_us: least(record, |op| &op.host),
            min_device_latency_us: least(record, |op| &op.device),
            read_bytes: record.read.sums.bytes as u64,
            written_bytes: record.write.sums.bytes as u64,
            iops: record.requests_per_second(),
            bandwidth_mb_per_s: record.megabytes_per_second(),
            alone: None,
            breakdown_us: stages_by_operation(&record.each().map(|op| op.sums), record),
            pages: page_times(record),
        })
        .collect()
}

/// Returns the mean times of pages by operation, for operations with pages.
fn page_times(queue: &QueueRecord) -> BTreeMap<&'static str, PageTimes> {
    let pages = queue.each().map(|op| op.pages);
    let named = OPERATIONS.into_iter().zip(pages).filter(|(_, pages)| pages.count > 0);
    named.map(|(name, pages)| (name, pages.into())).collect()
}

impl From<PageSums> for PageTimes {
    fn from(pages: PageSums) -> Self {
        let mean_us = |ps: u128| ps as f64 / pages.count as f64 / 1e6;
        Self {
            count: pages.count,
            turnaround_us: mean_us(pages.whole_ps),
            array_us: mean_us(pages.array_ps),
            transfer_us: mean_us(pages.transfer_ps),
        }
    }
}

fn least(queue: &QueueRecord, of: impl Fn(&OpLatencies) -> &Latencies) -> Option<f64> {
    let all = queue.each().map(of).into_iter().filter_map(Latencies::min_us);
    all.min_by(f64::total_cmp)
}

fn breakdown(
    device: &Device<dyn Fabric>,
    total: &QueueRecord,
) -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
    stages_by_operation(&device.recorder().sums(), total)
}

fn stages_by_operation(
    sums: &[OpSums; OPERATIONS.len()],
    total: &QueueRecord,
) -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
    let counts = total.each().map(|op| op.host.count());
    let named = OPERATIONS.into_iter().zip(sums.iter().zip(counts)).filter(|(_, (_, count))| *count > 0);
    named.map(|(name, (sums, count))| (name, mean_stages(sums, count))).collect()
}

fn mean_stages(sums: &OpSums, count: u64) -> BTreeMap<&'static str, f64> {
    let mean = |&(stage, name): &(Stage, _)| (name, sums.stage(stage) as f64 / count as f64 / 1e6);
    STAGES.iter().filter(|(stage, _)| is_shown(*stage, sums.stage(*stage))).map(mean).collect()
}

/// Returns true if a report lists the latency stage `stage`. `sum` is the total time of the stage. The stages
/// of cores and decoders, which a drive may not have, are listed only if their time is above zero.
pub(super) fn is_shown(stage: Stage, sum: impl Into<u128>) -> bool {
    !matches!(stage, Stage::Firmware | Stage::Decoding) || sum.into() > 0
}

fn pages_per_written_page(device: &Device<dyn Fabric>, flash: &FlashReport) -> Option<f64> {
    ratio(device.ftl().settings.units.slots_of_pages(flash.programs), flash.host_programs)
}

/// Returns the figures of gathers whose results have `bytes` bytes, or `None` if there were none.
fn gather_report(served: &WindowWork, bytes: u64) -> Option<GatherReport> {
    let counters = served.work().ftl();
    let errors = served.work().decoding().map(|work| work.errors).filter(|errors| errors.gather_results > 0);
    let raw_bit_error_rate = errors.map(|errors| errors.gather_rate_sum / errors.gather_results as f64);
    let result_bits = bytes as f64 * 8.0 / counters.gathers as f64;
    (counters.gathers > 0).then(|| GatherReport {
        gathers: counters.gathers,
        operands: counters.operands_in_place + counters.operands_copied + counters.operands_by_controller,
        in_place: counters.operands_in_place,
        senses: counters.operand_senses,
        sensed_together: counters.operands_sensed_together,
        copied_between_chips: counters.operands_copied,
        by_controller: counters.operands_by_controller,
        bytes_between_chips: counters.operand_bytes_copied,
        bytes_by_controller: counters.operand_bytes_by_controller,
        raw_bit_error_rate,
        wrong_bits_per_result: raw_bit_error_rate.map(|rate| rate * result_bits),
    })
}

/// Returns the figures of deallocation, or `None` if there were neither trims nor reads of deallocated pages.
fn deallocation_report(
    device: &Device<dyn Fabric>,
    served: &WindowWork,
    total: &QueueRecord,
) -> Option<DeallocationReport> {
    let counters = served.work().ftl();
    let trims = device.recorder().sums_of(Op::Trim);
    let has_any = total.trim.host.count()
        + counters.units_deallocated
        + counters.deallocated_reads
        + counters.reads_refused
        > 0;
    has_any.then(|| DeallocationReport {
        bytes: trims.bytes as u64,
        ranges: (trims.further_ranges > 0).then(|| trims.further_ranges + total.trim.host.count()),
        units: counters.units_deallocated,
        units_kept: counters.units_kept,
        units_zeroed: some_if_any(counters.units_zeroed),
        reads_refused: some_if_any(counters.reads_refused),
        pages_freed: counters.pages_freed,
        reads_without_flash: counters.deallocated_reads,
        units_in_use: device.ftl().translation().host_pages_in_use(),
    })
}

fn cache_report(counters: &CacheCounters) -> CacheReport {
    CacheReport {
        read_hit_sectors: counters.read_hit_sectors,
        read_miss_sectors: counters.read_miss_sectors,
        writes: counters.writes,
        write_hits: counters.write_hits,
        writes_held_up: counters.writes_held_up,
        evictions: counters.evictions,
        destages: counters.destages,
        flushes_waited: some_if_any(counters.flushes_waited),
        read_ahead_pages: some_if_any(counters.read_ahead_pages),
        read_ahead_waits: some_if_any(counters.read_ahead_waits),
    }
}

fn path_report(device: &Device<dyn Fabric>, served: &WindowWork, requests: u64) -> PathReport {
    let (drive, counters) = (served.work().drive(), served.work().fabric());
    let conflicted = device.recorder().sums().iter().map(|sums| sums.conflicted).sum();
    let percent = |part, whole| ratio(part, whole).map(|ratio| ratio * 100.0);
    PathReport {
        rate_mb_per_s: device.fabric().wiring().path_rate.mb_per_s(),
        transfers: drive.transfers(),
        conflict_pct: percent(drive.conflicted_transfers, drive.transfers()),
        requests_conflict_pct: percent(conflicted, requests),
        hop_counts: drive.hop_counts.clone(),
        mean_hops: ratio(drive.hops(), drive.transfers()),
        scout_retries: counters.scout_failures,
        mean_detour_hops: ratio(counters.detour_hops, drive.transfers()),
    }
}

fn utilisation(served: &WindowWork) -> Utilisation {
    let occupation = served.occupation();
    Utilisation {
        chip_pct: occupation.chip_pct,
        plane_pct: occupation.plane_pct,
        channel_pct: occupation.path_pct,
        chip_pct_by_chip: served.by_chip().map(Option::unwrap_or_default).collect(),
    }
}
