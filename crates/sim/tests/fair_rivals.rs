//! Best configuration of each rival fabric: on these loads no setting of the fabric's own options is faster
//! than its default, except by the stated margin. Also the arithmetic of the paper's example of two reads.
//!
//! The drive is `venice-performance` without a limit of the host link, so that the fabric is the bottleneck.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_config as config;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::run;

/// Random reads of several pages, aligned to their size, at a queue depth.
#[derive(Clone, Copy, Debug)]
struct Load {
    name: &'static str,
    pages: u32,
    depth: u32,
    /// Stride of the read positions: with 4, single pages are on two channels of eight.
    stride: u64,
    reads: f64,
    sets: &'static [&'static str],
}

const EVEN: Load =
    Load { name: "16 KiB, 64 outstanding", pages: 4, depth: 64, stride: 1, reads: 1.0, sets: &[] };
const LOADS: [Load; 6] = [
    EVEN,
    Load { name: "4 KiB, 16 outstanding", pages: 1, depth: 16, ..EVEN },
    Load { name: "4 KiB, 64 outstanding", pages: 1, ..EVEN },
    Load { name: "strided", pages: 1, stride: 4, ..EVEN },
    Load { name: "16 KiB on two channels", sets: &["partition.channels=[[0,1]]"], ..EVEN },
    Load { name: "70 % reads of 4 KiB", pages: 1, reads: 0.7, ..EVEN },
];

fn drive(fabric: &str, sets: &[&str]) -> DriveSettings {
    let mut all = vec!["host.link_rate_mb_per_s=unlimited".to_owned()];
    all.extend(sets.iter().map(|&set| set.to_owned()));
    config::load("venice-performance", Some(fabric), &all, None).unwrap().settings().clone()
}

fn requests(settings: &DriveSettings, load: &Load) -> Vec<HostRequest> {
    let all_pages = Simulation::capacity_sectors(settings) / 8;
    let places = all_pages / (u64::from(load.pages) * load.stride);
    let mut random = RandomStream::new(1, "requests");
    (0..1500)
        .map(|_| {
            let op = if random.chance(load.reads) { Op::Read } else { Op::Write };
            let first = random.below(places) * load.stride * u64::from(load.pages);
            pages(op, first, load.pages, SimTime::ZERO)
        })
        .collect()
}

/// Returns the makespan of the load on this fabric with these options.
fn time(fabric: &str, load: &Load, options: &[&str]) -> f64 {
    let settings = drive(fabric, &[load.sets, options].concat());
    let outcome = run(&settings, LoopMode::Closed { depth: load.depth }, requests(&settings, load));
    outcome.report.makespan_us
}

/// Returns for each load the reduction in time of each of `others` against the default, as a share of the
/// default's time.
fn gains(fabric: &str, others: &[&[&str]]) -> Vec<(&'static str, Vec<f64>)> {
    let of = |load: &Load| {
        let default = time(fabric, load, &[]);
        (load.name, others.iter().map(|options| 1.0 - time(fabric, load, options) / default).collect())
    };
    LOADS.iter().map(of).collect()
}

#[test]
fn no_fabric_gains_by_holding_its_path_for_an_operation() {
    for fabric in ["bus", "pssd", "pnssd", "ideal", "hlnand", "decoupled"] {
        for (load, gains) in gains(fabric, &[&["fabric.hold=operation"]]) {
            assert!(gains[0] < 0.01, "{fabric}, {load}: {gains:?}");
            let loses_much = load != "70 % reads of 4 KiB" && fabric != "ideal" && fabric != "pnssd";
            assert!(!loses_much || gains[0] < -0.2, "{fabric}, {load}: {gains:?}");
        }
    }
}

#[test]
fn pnssd_is_at_its_best_with_either_bus_and_both_at_once() {
    let by_chip = "fabric.pnssd.path_choice=by_chip";
    let one = "fabric.pnssd.transfers_per_controller=1";
    for (load, gains) in gains("pnssd", &[&[by_chip], &[one], &[by_chip, one]]) {
        assert!(gains.iter().all(|&gain| gain < 0.01), "{load}: {gains:?}");
    }
}

/// Replies on the command's route are at least as good everywhere, and so is a free choice of controller;
/// with uneven channels it is much better than each row's own controller.
#[test]
fn nossd_is_at_its_best_with_any_controller_and_replies_that_retrace_their_commands() {
    let (home, row_first) = ("fabric.nossd.controller=home", "fabric.nossd.reply=x_then_y");
    for (load, gains) in gains("nossd", &[&[home], &[row_first], &[home, row_first]]) {
        let [home, row_first, both] = gains[..] else { panic!() };
        assert!(row_first < 0.005 && home < 0.01, "{load}: {gains:?}");
        assert!((home - both).abs() < 1e-9, "{load}: a row's own controller has one way back only");
        let is_uneven = matches!(load, "strided" | "16 KiB on two channels");
        assert!(!is_uneven || home < -2.0, "{load}: {gains:?}");
    }
}

/// Independent of output arbitration, and not only for one column; injection of data in order of readiness is
/// slower.
#[test]
fn nossd_is_at_its_best_when_old_data_enters_first_and_columns_carry_one_reply() {
    let (as_ready, by_age) = ("fabric.nossd.injection=as_ready", "fabric.nossd.arbitration=oldest_first");
    for (load, gains) in gains("nossd", &[&[as_ready], &[by_age]]) {
        assert!(gains.iter().all(|&gain| gain < 0.01), "{load}: {gains:?}");
        assert!(load != "16 KiB, 64 outstanding" || gains[0] < -0.04, "{load}: {gains:?}");
    }
}

/// Returns the latencies of two one-page reads of two chips of channel 0, issued at once, on an idle drive.
fn two_reads(preset: &str, hold: &str) -> [SimSpan; 2] {
    let sets = ["host.link_rate_mb_per_s=unlimited".to_owned(), format!("fabric.hold={hold}")];
    let settings = config::load(preset, Some("bus"), &sets, None).unwrap().settings().clone();
    // CWDP: page 8 is on the next chip of channel 0.
    let both = [0, 8].map(|page| pages(Op::Read, page, 1, SimTime::ZERO));
    run(&settings, LoopMode::Open, both.to_vec()).latencies().try_into().unwrap()
}

/// Nadig et al., "Venice", ISCA 2023, §3.1 and Figure 3: 10 ns, 3 µs and 4 µs add up to 7.01 µs for one read
/// and 11.01 µs for two on one channel, 57 % more. This corresponds to a channel of 1.0 GB/s and parallel
/// arrays.
#[test]
fn the_paper_s_example_of_two_reads_is_a_channel_of_1_0_gb_per_s_that_is_held_for_transfers() {
    let [array, command] = [SimSpan::from_us(3), SimSpan::from_ns(10)];
    let more = |[first, second]: [SimSpan; 2]| second.as_ps() as f64 / first.as_ps() as f64 - 1.0;

    let page_at_1000 = SimSpan::from_ns(4096);
    let reads = two_reads("venice-performance-1000", "transfer");
    assert_eq!(reads, [command + array + page_at_1000, command + array + page_at_1000 * 2]);
    assert!((more(reads) - (11.01 / 7.01 - 1.0)).abs() < 0.006, "{}", more(reads));

    let page_at_1200 = SimSpan::from_ps(3_413_334);
    let reads = two_reads("venice-performance", "transfer");
    assert_eq!(reads, [command + array + page_at_1200, command + array + page_at_1200 * 2]);
    assert!((0.53..0.532).contains(&more(reads)), "Table 1's 1.2 GB/s: {}", more(reads));

    // Held from command to data, the second array waits for the first read's data: twice the time, unlike the
    // figure.
    let reads = two_reads("venice-performance-1000", "operation");
    assert_eq!(reads[1], reads[0] * 2);
}

/// MQSim's times are whole nanoseconds: two bytes at 1,000 MT/s take 2 ns, and at Table 1's 1,200 MT/s 1.67
/// ns.
#[test]
fn the_two_rates_of_the_paper_differ_by_a_sixth() {
    let page = |preset: &str| {
        let drive = config::load(preset, None, &[], None).unwrap();
        drive.settings().fabric.bus.rate.time_for(4096)
    };
    assert_eq!(page("venice-performance-1000"), SimSpan::from_ps(4_096_000));
    assert_eq!(page("venice-performance"), SimSpan::from_ps(3_413_334), "4096 × 2500 / 3, rounded up");
    assert_eq!(page("venice-cost"), page("venice-performance"));
}
