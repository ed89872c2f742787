//! Tests of measurements over time: intervals add up to the run, memory is bounded, and observation does not
//! change a run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use venice_drive::ftl::PageAllocation;
use venice_drive::observe::{IntervalSettings, LogRows, RequestRow, WarmUp};
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::chip::{Suspension, SuspensionRule};
use venice_requests::{Flow, HostRequest, LoopMode, Op, SteadyFigure, SteadyStateCriterion};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{FlashReport, Provenance, Report, TimeSeriesReport};
use venice_sim::testkit::drive::small_drive;
use venice_sim::testkit::shares::impossible_shares;

const LONG: u32 = 1 << 20;

fn intervals_of(us: u64, most: u32) -> RunOptions {
    let intervals = Some(IntervalSettings { length: SimSpan::from_us(us), most });
    RunOptions { intervals, slowest: 5, ..RunOptions::default() }
}

fn run(
    settings: &DriveSettings,
    mode: LoopMode,
    requests: &[HostRequest],
    options: RunOptions,
) -> (Report, Vec<RequestRow>) {
    let flow = Flow::new(Box::new(Script::new(requests.to_vec())), mode);
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    simulation.run().unwrap();
    let provenance = Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 };
    (simulation.report(provenance), simulation.take_log())
}

/// Creates overwrites of a full drive with reads between them, so that garbage collection runs.
fn mixed(count: u64, seed: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(seed, "mixed");
    let mut arrival = SimTime::ZERO;
    (0..count)
        .map(|_| {
            arrival = arrival + SimSpan::from_us(random.below(120));
            let op = if random.chance(0.4) { Op::Read } else { Op::Write };
            pages(op, random.below(300), 1 + random.below(3) as u32, arrival)
        })
        .collect()
}

fn series(report: &Report) -> &TimeSeriesReport {
    report.time_series.as_ref().unwrap()
}

/// Returns the lengths of the intervals, in microseconds.
fn lengths(series: &TimeSeriesReport) -> Vec<f64> {
    let ends = series.start_us.iter().skip(1).chain([&series.end_us]);
    series.start_us.iter().zip(ends).map(|(start, end)| end - start).collect()
}

/// Returns the sum of share × length over the intervals.
fn integral(series: &TimeSeriesReport, shares: &[Option<f64>]) -> f64 {
    lengths(series).iter().zip(shares).map(|(length, share)| length * share.unwrap_or(0.0)).sum()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

/// Asserts that each figure over time adds up to the figure of the run.
fn assert_adds_up(report: &Report, settings: &DriveSettings) {
    let series = series(report);
    let [read, write] = [&series.read, &series.write];
    assert_eq!(read.count.iter().sum::<u64>(), report.requests.reads);
    assert_eq!(write.count.iter().sum::<u64>(), report.requests.writes);
    assert_eq!(series.issued.iter().sum::<u64>(), report.requests.submitted);
    let (flash, after) = (report.flash, report.after_last_completion);
    let found =
        [&series.flash.programs, &series.flash.gc_moves, &series.flash.wear_moves, &series.flash.erases];
    let sums = found.map(|column| column.iter().sum::<u64>());
    let of = |flash: FlashReport| [flash.programs, flash.gc_moves, flash.wear_moves, flash.erases];
    let both = of(flash).into_iter().zip(of(after.flash)).map(|(served, after)| served + after);
    assert!(sums.into_iter().eq(both), "{sums:?} in intervals, {flash:?}, {after:?}");
    let latencies: f64 = [(read, &report.latency_us.read), (write, &report.latency_us.write)]
        .iter()
        .map(|(_, whole)| whole.mean.unwrap_or(0.0) * whole.count as f64)
        .sum();
    assert_close(integral(series, &series.queue_depth), latencies, "Little's law: depth and latencies");
    let run_us = report.makespan_us;
    let planes = f64::from(settings.geometry.planes());
    let busy = |served: Option<f64>, afterwards: Option<f64>| {
        served.unwrap_or(0.0) * run_us + afterwards.unwrap_or(0.0) * after.duration_us
    };
    assert_close(
        integral(series, &series.chip_pct),
        busy(report.utilisation.chip_pct, after.chip_pct),
        "chips",
    );
    assert_close(
        integral(series, &series.plane_pct) * planes,
        busy(report.utilisation.plane_pct, after.plane_pct) * planes,
        "planes",
    );
    let paths = busy(report.utilisation.channel_pct, after.channel_pct);
    assert_close(integral(series, &series.channel_pct), paths, "paths");
    let worst = |columns: [&Vec<Option<f64>>; 2]| {
        columns.into_iter().flatten().flatten().copied().fold(0.0, f64::max)
    };
    assert_eq!(Some(worst([&read.max_us, &write.max_us])), report.latency_us.all.max);
    let behind: f64 = [read, write]
        .iter()
        .flat_map(|side| side.behind_us.iter().zip(&side.count))
        .map(|(mean, &count)| mean.unwrap_or(0.0) * count as f64)
        .sum();
    let whole = |(name, chores): (&&str, &BTreeMap<&str, f64>)| {
        let count = if *name == "read" { report.requests.reads } else { report.requests.writes };
        chores.values().sum::<f64>() * count as f64
    };
    let expected: f64 = report.chip_wait_behind_us.as_ref().unwrap().iter().map(whole).sum();
    assert_close(behind, expected, "waits behind the drive's own work");
}

/// Returns drives that together cover all time-dependent mechanisms.
fn drives() -> Vec<(&'static str, DriveSettings)> {
    let plain = small_drive(FabricKind::Bus, 2, 2);
    let suspends = {
        let yielding = SuspensionRule {
            suspend: SimSpan::from_us(5),
            pulses: 0,
            for_read: SimSpan::ZERO,
            for_write: None,
        };
        let mut drive = small_drive(FabricKind::Venice, 2, 2);
        drive.flash.suspension = Some(Suspension {
            erase: Some(yielding),
            program: Some(yielding),
            resume: SimSpan::from_us(7),
            most_times: 3,
            most_commands: 4,
        });
        drive
    };
    let mut copies = plain.clone();
    copies.ftl.gc_copyback = true;
    let mut early = plain.clone();
    early.ftl.page_allocation = PageAllocation::AtArrival;
    let mut wears = plain.clone();
    wears.ftl.static_wear_levelling = Some(2);
    let mut dies = small_drive(FabricKind::NoSsd, 2, 2);
    dies.geometry.dies_per_chip = 2;
    let mut turns = dies.clone();
    turns.flash.die_work = venice_nand::chip::DieWork::OneAtATime;
    let mut stubborn = plain.clone();
    stubborn.ftl.gc_yields_to_host = false;
    vec![
        ("plain", plain),
        ("suspension", suspends),
        ("copyback", copies),
        ("pages given out early", early),
        ("wear levelling", wears),
        ("two dies", dies),
        ("dies that take turns", turns),
        ("collection first", stubborn),
    ]
}

#[test]
fn the_time_series_adds_up_to_the_totals() {
    for (what, settings) in drives() {
        for length_us in [30, 5000, 10_000_000] {
            let (report, _) = run(&settings, LoopMode::Open, &mixed(1500, 5), intervals_of(length_us, LONG));
            assert!(report.flash.erases > 15, "{what}: {} erases", report.flash.erases);
            assert_adds_up(&report, &settings);
            assert_close(series(&report).interval_us, length_us as f64, what);
        }
    }
}

#[test]
fn a_run_that_is_looked_at_is_the_run_that_is_not() {
    for (what, settings) in drives() {
        for mode in [LoopMode::Open, LoopMode::Closed { depth: 8 }] {
            let requests = mixed(1000, 9);
            let (plain, _) = run(&settings, mode, &requests, RunOptions::default());
            let watched = RunOptions { log_rows: LogRows::WithCauses, ..intervals_of(50, 64) };
            let (mut report, rows) = run(&settings, mode, &requests, watched);
            assert_eq!(rows.len(), 1000, "{what}");
            (report.time_series, report.slowest) = (None, None);
            (report.chip_wait_causes_us, report.cache_causes_us) = (None, None);
            report.chip_wait_behind_us = None;
            let text = |report: &Report| serde_json::to_string(report).unwrap();
            assert_eq!(text(&report), text(&plain), "{what}");
        }
    }
}

#[test]
fn a_warm_up_is_in_no_interval() {
    let settings = small_drive(FabricKind::Bus, 2, 2);
    for warm_up in [
        WarmUp { requests: 700, until: SimTime::ZERO },
        WarmUp { requests: 0, until: SimTime::ZERO + SimSpan::from_us(9_000) },
    ] {
        for mode in [LoopMode::Open, LoopMode::Closed { depth: 6 }] {
            let options = RunOptions { warm_up, ..intervals_of(250, LONG) };
            let (report, _) = run(&settings, mode, &mixed(2000, 3), options);
            let series = series(&report);
            assert_close(series.start_us[0], report.phases[1].start_us, "the first begins with the phase");
            assert_eq!(series.read.count.iter().sum::<u64>(), report.requests.reads);
            assert_eq!(series.issued.iter().sum::<u64>(), report.requests.submitted);
            let erases = report.flash.erases + report.after_last_completion.flash.erases;
            assert_eq!(series.flash.erases.iter().sum::<u64>(), erases);
            assert_eq!(impossible_shares(&report), [""; 0]);
        }
    }
}

#[test]
fn array_time_is_cut_exactly_where_an_interval_ends() {
    let settings = small_drive(FabricKind::Ideal, 1, 1);
    let erasing_nothing = [pages(Op::Write, 0, 1, SimTime::ZERO)];
    let (report, rows) = run(
        &settings,
        LoopMode::Open,
        &erasing_nothing,
        RunOptions { log_rows: LogRows::WithCauses, ..intervals_of(30, LONG) },
    );
    let array = rows[0].stages[venice_nand::latency::Stage::Array as usize];
    let begins = rows[0].completed.as_us() - array.as_us();
    let series = series(&report);
    for (place, share) in series.plane_pct.iter().enumerate() {
        let start = 30.0 * place as f64;
        let end = (start + 30.0).min(series.end_us);
        let busy = (end - begins.max(start)).clamp(0.0, end - start);
        // Only one of the two planes is busy.
        assert_close(share.unwrap(), busy / (end - start) * 50.0, "a program, interval by interval");
    }
    assert!(series.plane_pct.len() > 3, "the program spans several");
}

#[test]
fn the_number_of_intervals_is_limited_by_doubling_their_length() {
    let settings = small_drive(FabricKind::Bus, 2, 2);
    for most in [2, 4, 64] {
        let (report, _) = run(&settings, LoopMode::Open, &mixed(2000, 4), intervals_of(1, most));
        let series = series(&report);
        assert!(series.start_us.len() <= most as usize, "{} of {most}", series.start_us.len());
        assert!(2 * series.start_us.len() + 1 >= most as usize, "{} of {most}", series.start_us.len());
        assert_close(series.interval_us, f64::from(1 << series.joined), "the length doubles");
        assert_adds_up(&report, &settings);
    }
}

#[test]
fn the_slowest_requests_are_the_slowest_and_their_parts_add_up() {
    let settings = small_drive(FabricKind::Bus, 2, 2);
    let options = RunOptions { log_rows: LogRows::WithCauses, ..intervals_of(1000, 64) };
    let (report, mut rows) = run(&settings, LoopMode::Open, &mixed(3000, 8), options);
    rows.sort_by_key(|row| (std::cmp::Reverse(row.latency()), row.number));
    let slowest = report.slowest.unwrap();
    assert_eq!(slowest.len(), 5);
    for (slow, row) in slowest.iter().zip(&rows) {
        assert_eq!((slow.number, slow.latency_us), (row.number, row.latency().as_us()));
        assert_close(slow.stages_us.values().sum(), slow.latency_us, "stages");
        assert!(slow.chip_wait_behind_us.values().sum::<f64>() <= slow.stages_us["chip_wait"] + 1e-9);
        let most = row.owed().map(|(_, span)| span).max().unwrap();
        assert!(row.owed().any(|(name, span)| name == slow.owes_most_to && span == most));
        assert_eq!(
            row.owed().map(|(_, span)| span).sum::<SimSpan>(),
            row.latency(),
            "what is owed is the latency"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn joining_intervals_loses_nothing(seed in 0_u64..1000, length_us in 1_u64..400, half in 1_u32..40) {
        let settings = small_drive(FabricKind::Bus, 2, 2);
        let (report, _) = run(&settings, LoopMode::Open, &mixed(600, seed), intervals_of(length_us, 2 * half));
        prop_assert!(series(&report).start_us.len() <= 2 * half as usize);
        let flash = &series(&report).flash;
        let programs = report.flash.programs + report.after_last_completion.flash.programs;
        prop_assert_eq!(flash.programs.iter().sum::<u64>(), programs);
        prop_assert_eq!(series(&report).read.count.iter().sum::<u64>(), report.requests.reads);
        let depth = integral(series(&report), &series(&report).queue_depth);
        let latencies = report.latency_us.all.mean.unwrap() * report.latency_us.all.count as f64;
        prop_assert!((depth - latencies).abs() < 1e-6 * latencies);
    }
}

#[test]
fn distributions_cover_all_requests_and_blocks_without_side_effects() {
    let (settings, requests) = (small_drive(FabricKind::Bus, 2, 2), mixed(3000, 5));
    let mode = LoopMode::Closed { depth: 6 };
    let asked = RunOptions {
        distributions: true,
        warm_up: WarmUp { requests: 500, until: SimTime::ZERO },
        ..RunOptions::default()
    };
    let (report, _) = run(&settings, mode, &requests, asked);
    let (plain, _) = run(&settings, mode, &requests, RunOptions { distributions: false, ..asked });
    let found = report.distributions.clone().unwrap();
    let [read, write] = ["read", "write"].map(|name| &found.queues[0].latency[name]);
    assert_eq!((read.count, write.count), (report.requests.reads, report.requests.writes));
    for (one, told) in [(read, &report.latency_us.read), (write, &report.latency_us.write)] {
        assert_eq!(one.histogram.iter().map(|&(_, count)| count).sum::<u64>(), one.count);
        assert_eq!((Some(one.mean_us), Some(one.max_us)), (told.mean, told.max));
        assert!(one.min_us <= one.mean_us && one.stdev_us > 0.0);
        let least = one.histogram[0].0;
        assert!(least <= one.min_us && one.min_us < least * 1.001, "{least} and {}", one.min_us);
    }
    let bytes = (report.queues[0].read_bytes, report.queues[0].written_bytes);
    assert_eq!((read.bytes, write.bytes), bytes);
    assert_eq!(found.requests_by_depth.values().sum::<u64>(), 2500);
    assert!(found.requests_by_depth[&4] > 2400, "{:?}", found.requests_by_depth);
    assert_eq!(found.blocks_by_erases.values().sum::<u64>(), u64::from(settings.geometry.blocks()));
    let ends = [found.blocks_by_erases.keys().next(), found.blocks_by_erases.keys().last()];
    assert_eq!(ends, [Some(&report.flash.min_block_erases), Some(&report.flash.max_block_erases)]);
    assert!((found.busy_us - report.makespan_us).abs() < 1e-6, "some are outstanding all along");
    let busy: Vec<f64> = report.places.as_ref().unwrap().iter().filter_map(|place| place.busy_pct).collect();
    let mean = busy.iter().sum::<f64>() / busy.len() as f64;
    assert!(
        (mean - report.utilisation.channel_pct.unwrap()).abs() < 1e-9,
        "places share the time of the paths"
    );
    let bare = |report: &Report| {
        let mut json = serde_json::to_value(report).unwrap();
        let causes = ["chip_wait_causes_us", "chip_wait_behind_us"];
        for name in ["distributions", "places", "slowest"].into_iter().chain(causes) {
            json.as_object_mut().unwrap().remove(name);
        }
        json
    };
    assert_eq!(bare(&report), bare(&plain));
}

#[test]
fn requests_that_come_one_by_one_are_alone_and_leave_the_drive_idle_between() {
    let read = |place: u64| pages(Op::Read, place, 1, SimTime::ZERO + SimSpan::from_us(place * 10_000));
    let asked = RunOptions { distributions: true, ..RunOptions::default() };
    let (report, _) = run(
        &small_drive(FabricKind::Bus, 2, 2),
        LoopMode::Open,
        &(0..5).map(read).collect::<Vec<_>>(),
        asked,
    );
    let found = report.distributions.unwrap();
    assert_eq!(found.requests_by_depth, BTreeMap::from([(1, 5)]));
    let mean = report.latency_us.all.mean.unwrap();
    assert!((found.busy_us - 5.0 * mean).abs() < 1e-6, "{} and five times {mean}", found.busy_us);
}

/// Runs a flow of reads that ends when its IOPS stay within `limit` percent of their mean over four intervals
/// of 500 µs.
fn steady_reads(limit: f64) -> Report {
    let goal = SteadyStateCriterion {
        figure: SteadyFigure::Iops,
        by_slope: false,
        limit,
        limit_is_pct: true,
        window: SimSpan::from_us(2000),
        interval: SimSpan::from_us(500),
        ramp: SimSpan::from_us(1000),
        group: 0,
    };
    let reads = (0..2000).map(|place| pages(Op::Read, place % 7, 1, SimTime::ZERO)).collect();
    let flow = Flow::new(Box::new(Script::new(reads)), LoopMode::Closed { depth: 1 }).until_steady(goal);
    let mut simulation =
        Simulation::new(&small_drive(FabricKind::Bus, 2, 2), vec![flow], RunOptions::default()).unwrap();
    simulation.run().unwrap();
    simulation.report(Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 })
}

#[test]
fn a_steady_flow_stops_issuing_and_an_unsteady_one_continues() {
    let report = steady_reads(20.0);
    let steady = &report.steady.as_ref().unwrap()[0];
    assert_eq!((steady.attained, steady.attained_at_us), (true, Some(3000.0)), "a ramp and a window");
    assert!(steady.criterion.unwrap() < 20.0);
    let latency = report.latency_us.all.mean.unwrap();
    assert!((3000.0..3000.0 + 2.0 * latency).contains(&report.makespan_us), "{}", report.makespan_us);
    assert!(report.chip_wait_behind_us.is_none() && report.slowest.is_none(), "nobody asked");
    let unsteady = steady_reads(0.0);
    assert_eq!((unsteady.requests.completed, unsteady.steady.unwrap()[0].attained), (2000, false));
}
