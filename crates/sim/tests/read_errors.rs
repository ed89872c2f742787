//! Read errors, decoders and read retries: latencies in closed form, uncorrectable pages, every fabric.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::controller::EccParameters;
use venice_drive::ftl::{PageAllocation, PageRegion, PreconditionMode, WritePattern};
use venice_ecc::channel::{ExtraReads, SoftReads};
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimTime};
use venice_nand::chip::PageTypeOrder;
use venice_nand::wear::{PageWear, WearModel};
use venice_requests::{HostRequest, LoopMode, Op, SECTOR_BYTES};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::report::EccReport;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

/// Number of codewords in a 4-KiB page.
const CODEWORDS: u32 = 4;
const PAGE_BYTES: u64 = 4096;

fn drive(kind: FabricKind, change: impl FnOnce(&mut EccParameters)) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.ecc.decoders = 1;
    change(&mut settings.ecc);
    settings
}

/// Returns `count` reads of random pages of a drive.
fn random_reads(settings: &DriveSettings, count: usize) -> Vec<HostRequest> {
    let mut random = RandomStream::new(11, "pages");
    let page_sectors = PAGE_BYTES / u64::from(SECTOR_BYTES);
    let all = Simulation::capacity_sectors(settings) / page_sectors;
    let mut next = |_| pages(Op::Read, random.below(all), 1, SimTime::ZERO);
    (0..count).map(&mut next).collect()
}

/// Step between the pages of [`reads_of_distinct_pages`], a prime number.
const PAGE_STEP: u64 = 7_919;

/// Returns `count` reads of different pages of a drive.
fn reads_of_distinct_pages(settings: &DriveSettings, count: usize) -> Vec<HostRequest> {
    let all = Simulation::capacity_sectors(settings) * u64::from(SECTOR_BYTES) / PAGE_BYTES;
    assert!(count as u64 <= all && !all.is_multiple_of(PAGE_STEP), "{all} pages");
    (0..count as u64).map(|number| pages(Op::Read, number * PAGE_STEP % all, 1, SimTime::ZERO)).collect()
}

fn ecc(outcome: &RunOutcome) -> &EccReport {
    outcome.report.ecc.as_ref().unwrap()
}

/// Latency of a page by the step that corrects it, with the probability of that step.
struct Mixture {
    /// Latency in microseconds, and probability.
    steps: Vec<(f64, f64)>,
    uncorrectable: f64,
}

impl Mixture {
    /// Returns the closed form for a read that takes `read_us` without errors, at raw bit error rate `rate`.
    fn of(settings: &DriveSettings, read_us: f64, rate: f64) -> Self {
        let it = &settings.ecc;
        let time = |rate: venice_kernel::Rate, latency: venice_kernel::SimSpan| {
            rate.time_for(PAGE_BYTES).as_us() + latency.as_us()
        };
        let (hard, soft) = (time(it.hard_rate, it.hard_latency), time(it.soft_rate, it.soft_latency));
        let factor = |retry: u32| (it.retry_error_pct / 100.0).powf(f64::from(retry));
        let step = |decoder, retry, reads: f64, decoding| {
            let fails = FailureCurve::measured(decoder).page_failure(rate * factor(retry), CODEWORDS);
            (fails, reads * read_us + decoding)
        };
        let mut steps: Vec<_> =
            (0..=it.retries).map(|retry| step(CurveDecoder::MinSum, retry, 1.0, hard)).collect();
        if it.soft_reads > SoftReads::None {
            steps.push(step(CurveDecoder::SoftMinSum(ExtraReads::Two), it.retries, 2.0, soft));
        }
        if it.soft_reads > SoftReads::Two {
            steps.push(step(CurveDecoder::SoftMinSum(ExtraReads::Six), it.retries, 6.0, soft));
        }
        let (mut reached, mut latency, mut mixture) = (1.0, 0.0, Vec::new());
        for (fails, time) in steps {
            latency += time;
            mixture.push((latency, reached * (1.0 - fails)));
            reached *= fails;
        }
        Self { steps: mixture, uncorrectable: reached }
    }

    /// Returns the mean latency of corrected pages.
    fn mean(&self) -> f64 {
        self.steps.iter().map(|(latency, p)| latency * p).sum::<f64>() / (1.0 - self.uncorrectable)
    }

    /// Returns the latency at a quantile of the corrected pages, and the distance of the quantile from the
    /// steps of the distribution.
    fn quantile(&self, share: f64) -> (f64, f64) {
        let (mut below, mut distance) = (0.0, f64::INFINITY);
        let mut found = None;
        for &(latency, p) in &self.steps {
            below += p / (1.0 - self.uncorrectable);
            distance = distance.min((below - share).abs());
            if found.is_none() && below >= share {
                found = Some(latency);
            }
        }
        (found.unwrap(), distance)
    }
}

/// States of wear: program/erase cycles, days of retention, reads of the block.
const STATES: [(f64, f64, f64); 6] = [
    (0.0, 0.0, 0.0),
    (1_000.0, 540.0, 0.0),
    (2_000.0, 180.0, 0.0),
    (2_000.0, 320.0, 0.0),
    (3_000.0, 730.0, 0.0),
    (1_500.0, 90.0, 1_200.0),
];

#[test]
fn latencies_are_the_mixture_over_the_steps_of_the_recovery() {
    const READS: usize = 40_000;
    for (pe_cycles, retention_days, block_reads) in STATES {
        let mut settings = drive(FabricKind::Bus, |it| {
            (it.pe_cycles, it.retention_days, it.block_reads) = (pe_cycles, retention_days, block_reads);
            (it.retries, it.retry_error_pct) = (2, 90.0);
        });
        // With this many blocks, the run adds few reads to each.
        settings.geometry.blocks_per_plane = 4_096;
        if block_reads == 0.0 {
            settings.wear.cells.disturb = 0.0;
        }
        let plain = DriveSettings { ecc: EccParameters::default(), ..settings.clone() };
        let one = vec![pages(Op::Read, 0, 1, SimTime::ZERO)];
        let read_us = run(&plain, LoopMode::Open, one).latencies()[0].as_us();
        let wear = PageWear { program_erase_cycles: pe_cycles, retention_days, reads: block_reads };
        let rate = WearModel { disturb: settings.wear.cells.disturb, ..WearModel::default() }
            .raw_bit_error_rate(wear);
        let expected = Mixture::of(&settings, read_us, rate);
        let outcome =
            run(&settings, LoopMode::Closed { depth: 1 }, reads_of_distinct_pages(&settings, READS));
        let found = &outcome.report.latency_us.read;
        let state = format!("{pe_cycles} cycles, {retention_days} days, {block_reads} reads");
        assert!((found.mean.unwrap() / expected.mean() - 1.0).abs() < 0.03, "{state}: {found:?}");
        let (p999, distance) = expected.quantile(0.999);
        assert!(
            distance > 4.0 * (0.001 / READS as f64).sqrt(),
            "{state}: the quantile lies between two steps: {:?}",
            expected.steps
        );
        assert!((found.p999.unwrap() / p999 - 1.0).abs() < 0.03, "{state}: {found:?} for {p999}");
        let (p, n) = (expected.uncorrectable, READS as f64);
        let uncorrectable = ecc(&outcome).uncorrectable_host_reads;
        let failed = uncorrectable as f64;
        assert!(
            (failed - n * p).abs() <= 4.0 * (n * p * (1.0 - p)).sqrt() + 1e-6,
            "{state}: {failed} of {p}"
        );
        assert_eq!(ecc(&outcome).requests_failed, uncorrectable);
    }
}

#[test]
fn each_page_type_fails_at_its_own_rate() {
    const READS: usize = 40_000;
    let factors = [0.7, 1.0, 1.15, 1.3];
    for (types, order) in [
        (2, PageTypeOrder::Cyclic),
        (3, PageTypeOrder::Mqsim),
        (3, PageTypeOrder::Cyclic),
        (4, PageTypeOrder::Cyclic),
    ] {
        let mut settings = drive(FabricKind::Bus, |it| {
            (it.pe_cycles, it.retention_days) = (2_000.0, 300.0);
            (it.retries, it.retry_error_pct) = (1, 60.0);
        });
        settings.geometry.blocks_per_plane = 4_096;
        settings.wear.cells.disturb = 0.0;
        settings.wear.type_factors = factors[..types].to_vec();
        settings.flash.array.page_types = order;
        let wear = PageWear { program_erase_cycles: 2_000.0, retention_days: 300.0, reads: 0.0 };
        let rate = settings.wear.cells.raw_bit_error_rate(wear);
        let count = settings.geometry.pages_per_block;
        let mean = |of: &dyn Fn(f64) -> f64| {
            let page = |offset| of(factors[order.page_type(offset, types)]);
            (0..count).map(page).sum::<f64>() / f64::from(count)
        };
        let curve = FailureCurve::measured(CurveDecoder::MinSum);
        let p = mean(&|factor| curve.page_failure(rate * factor, CODEWORDS));
        let outcome =
            run(&settings, LoopMode::Closed { depth: 1 }, reads_of_distinct_pages(&settings, READS));
        let (ecc, n) = (ecc(&outcome), READS as f64);
        let retried = (READS as u64 - ecc.corrected_by_step[0]) as f64;
        assert!(
            (retried - n * p).abs() <= 4.0 * (n * p * (1.0 - p)).sqrt(),
            "{types} types, {order:?}: {retried} of {p}"
        );
        let expected = rate * mean(&|factor| factor);
        assert!(
            (ecc.mean_raw_bit_error_rate.unwrap() / expected - 1.0).abs() < 0.01,
            "{types} types, {order:?}: {ecc:?}"
        );
    }
}

#[test]
fn retries_are_reads_of_chip_and_path_on_every_fabric() {
    for kind in FabricKind::ALL.iter().copied() {
        let settings = drive(kind, |it| {
            (it.pe_cycles, it.retention_days) = (2_000.0, 365.0);
            (it.retries, it.retry_error_pct) = (1, 95.0);
        });
        let outcome = run(&settings, LoopMode::Closed { depth: 8 }, random_reads(&settings, 2_000));
        let (report, ecc) = (&outcome.report, ecc(&outcome));
        assert_eq!(ecc.pages, 2_000, "{kind:?}");
        assert!(ecc.retry_reads > 100 && ecc.soft_reads > 10, "{kind:?}: {ecc:?}");
        assert_eq!(report.flash.reads, ecc.pages + ecc.retry_reads + ecc.soft_reads, "{kind:?}: {ecc:?}");
        let transfers = report.flash.read_commands + report.flash.reads;
        assert_eq!(report.path.transfers, transfers, "{kind:?}: a transfer for each command and each page");
        assert_eq!(report.requests.completed + ecc.requests_failed, 2_000, "{kind:?}");
        assert_eq!(ecc.corrected_by_step.iter().sum::<u64>() + ecc.uncorrectable_host_reads, 2_000);
    }
}

#[test]
fn decoding_is_a_stage_of_its_own() {
    let settings = drive(FabricKind::Bus, |_| {});
    let plain = drive(FabricKind::Bus, |it| it.decoders = 0);
    let read = || vec![pages(Op::Read, 0, 1, SimTime::ZERO)];
    let (with, without) = (run(&settings, LoopMode::Open, read()), run(&plain, LoopMode::Open, read()));
    let own = settings.ecc.hard_rate.time_for(PAGE_BYTES) + settings.ecc.hard_latency;
    assert_eq!(with.latencies()[0], without.latencies()[0] + own);
    let stage = |outcome: &RunOutcome| outcome.report.breakdown_us["read"].get("decoding").copied();
    assert!((stage(&with).unwrap() - own.as_us()).abs() < 1e-9);
    assert_eq!(stage(&without), None);
    assert!(without.report.ecc.is_none());
}

/// Returns a drive on which all data from before the run is uncorrectable, and data written in the run has no
/// errors.
fn drive_with_lost_data() -> DriveSettings {
    let mut settings = drive(FabricKind::Bus, |it| (it.retention_days, it.retry_error_pct) = (1e6, 100.0));
    settings.wear.cells.disturb = 0.0;
    settings
}

/// Returns a request for some sectors from the start of a page.
fn part(op: Op, page: u64, sectors: u32) -> HostRequest {
    HostRequest { sectors, ..pages(op, page, 1, SimTime::ZERO) }
}

/// Runs requests one after the other. Returns true for each that failed.
fn failures(settings: &DriveSettings, requests: &[HostRequest]) -> Vec<bool> {
    let failed = |count: usize| {
        let outcome = run(settings, LoopMode::Closed { depth: 1 }, requests[..count].to_vec());
        ecc(&outcome).requests_failed
    };
    (0..requests.len())
        .map(|count| failed(count + 1) > failed(count.max(1)) || (count == 0 && failed(1) > 0))
        .collect()
}

#[test]
fn uncorrectable_page_fails_until_it_is_written_again() {
    for allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        let mut settings = drive_with_lost_data();
        settings.ftl.page_allocation = allocation;
        let requests = [
            part(Op::Read, 3, 8),
            // The rest of the page is lost, so that the write and the page fail.
            part(Op::Write, 3, 2),
            part(Op::Read, 3, 2),
            part(Op::Write, 3, 8),
            part(Op::Read, 3, 8),
            part(Op::Write, 3, 2),
            part(Op::Read, 3, 8),
        ];
        let expected = [true, true, true, false, false, false, false];
        assert_eq!(failures(&settings, &requests), expected, "{allocation:?}");
    }
}

/// Returns the number of uncorrectable page reads of all kinds.
fn uncorrectable(ecc: &EccReport) -> u64 {
    ecc.uncorrectable_host_reads
        + ecc.uncorrectable_update_reads
        + ecc.uncorrectable_gc_reads
        + ecc.uncorrectable_mapping_reads
        + ecc.uncorrectable_scrub_reads.unwrap_or(0)
        + ecc.uncorrectable_search_reads.unwrap_or(0)
        + ecc.uncorrectable_rebuild_reads.unwrap_or(0)
}

#[test]
fn read_of_data_known_to_be_unreadable_counts_as_uncorrectable() {
    let settings = drive_with_lost_data();
    // The write programs a page without errors that lacks the sectors of the old page.
    let write = part(Op::Write, 3, 2);
    let reads = [part(Op::Read, 3, 8), part(Op::Read, 3, 8), part(Op::Read, 3, 2)];
    let outcome = run(&settings, LoopMode::Closed { depth: 1 }, [&[write], &reads[..]].concat());
    let ecc = ecc(&outcome);
    assert_eq!((ecc.uncorrectable_update_reads, ecc.uncorrectable_host_reads), (1, 3), "{ecc:?}");
    assert_eq!((ecc.corrected_by_step.iter().sum::<u64>(), ecc.pages), (0, 4), "{ecc:?}");
    // A write of the whole page makes it readable.
    let whole = run(&settings, LoopMode::Closed { depth: 1 }, vec![part(Op::Write, 3, 8), reads[0]]);
    let ecc = self::ecc(&whole);
    assert_eq!((ecc.corrected_by_step[0], uncorrectable(ecc)), (1, 0), "{ecc:?}");
}

#[test]
fn uncorrectable_page_stays_unreadable_with_and_without_data_from_before_the_run() {
    let read = part(Op::Read, 3, 8);
    for mode in [PreconditionMode::None, PreconditionMode::Fill] {
        let mut begins_readable = false;
        for seed in 0..4 {
            let mut settings = drive(FabricKind::Bus, |it| {
                (it.pe_cycles, it.retention_days) = (2_000.0, 250.0);
                (it.retries, it.soft_reads) = (0, SoftReads::None);
            });
            (settings.seed, settings.precondition.mode) = (seed, mode);
            settings.precondition.regions = filled(&settings);
            let failed = failures(&settings, &[read; 24]);
            let first = failed.iter().position(|&failed| failed).unwrap();
            assert!(failed[first..].iter().all(|&failed| failed), "{mode:?}, {seed}: {failed:?}");
            begins_readable |= first > 0;
            let outcome = run(&settings, LoopMode::Closed { depth: 1 }, vec![read; 24]);
            let (ecc, good) = (ecc(&outcome), first as u64);
            assert_eq!(
                (ecc.unreadable_units, uncorrectable(ecc)),
                (1, 24 - good),
                "{mode:?}, {seed}: {ecc:?}"
            );
            assert_eq!(ecc.corrected_by_step, [good], "{mode:?}, {seed}: {ecc:?}");
        }
        assert!(begins_readable, "{mode:?}: no drive could read the page at first");
    }
}

/// Returns one region of the whole drive, which preconditioning fills.
fn filled(settings: &DriveSettings) -> Vec<PageRegion> {
    let all = (Simulation::capacity_sectors(settings) * u64::from(SECTOR_BYTES) / PAGE_BYTES) as u32;
    vec![PageRegion {
        pages: 0..all,
        working_set: all,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    }]
}

#[test]
fn page_written_into_a_block_that_was_open_before_the_run_is_not_old() {
    const WRITTEN: u64 = 8;
    let mut settings = drive_with_lost_data();
    settings.precondition.mode = PreconditionMode::Fill;
    let mut region = filled(&settings).remove(0);
    // Three pages of each plane's last block stay free.
    region.pages.end -= 3 * settings.geometry.planes();
    region.working_set = region.pages.end;
    let per_plane = u64::from(region.working_set) / u64::from(settings.geometry.planes());
    settings.precondition.regions = vec![region];
    let in_block = u64::from(settings.geometry.pages_per_block);
    assert!(!per_plane.is_multiple_of(in_block), "preconditioning leaves no open block: {per_plane} pages");
    let written = (0..WRITTEN).flat_map(|page| [part(Op::Write, page, 8), part(Op::Read, page, 8)]);
    let requests: Vec<_> = written.chain([part(Op::Read, WRITTEN, 8)]).collect();
    let outcome = run(&settings, LoopMode::Closed { depth: 1 }, requests);
    let ecc = ecc(&outcome);
    assert_eq!((ecc.corrected_by_step[0], ecc.uncorrectable_host_reads), (WRITTEN, 1), "{ecc:?}");
}

#[test]
fn lost_page_without_data_of_the_run_is_readable_after_a_trim() {
    let settings = drive_with_lost_data();
    let requests = [part(Op::Read, 3, 8), part(Op::Trim, 3, 8), part(Op::Read, 3, 8), part(Op::Read, 4, 8)];
    assert_eq!(failures(&settings, &requests), [true, false, false, true]);
    let outcome = run(&settings, LoopMode::Closed { depth: 1 }, requests.to_vec());
    assert_eq!(ecc(&outcome).unreadable_units, 1);
}
