//! pSLC cache: rates of the three phases, size, folding, trims and refusals, compared with closed forms.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, HierarchyLevel, SlcCacheSettings, UnwrittenData, WhenFull};
use venice_fabric::FabricKind;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::testkit::paper_flash;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::report::SlcCacheReport;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];

/// Pages of the host.
const CAPACITY: u64 = 27_648;
/// Pages of a line with three bits per cell, and in SLC mode.
const LINE: [u64; 2] = [576, 192];
const BITS: f64 = 3.0;

/// Cache of `static_lines` lines that is folded neither while the host writes nor when it is idle.
fn cache(static_lines: u32) -> SlcCacheSettings {
    SlcCacheSettings {
        static_lines,
        dynamic_share: 0.0,
        bits_per_cell: 3,
        when_full: WhenFull::Direct,
        idle: SimSpan::from_us(1_000_000 * 1000),
        fold_share: 0.0,
        endurance: 100,
    }
}

/// Returns an erased drive of four channels with a die of one plane each, 64 lines of four blocks of 144 pages.
fn drive(slc: SlcCacheSettings) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 4, 1);
    let geometry = &mut settings.geometry;
    (geometry.planes_per_die, geometry.blocks_per_plane, geometry.pages_per_block) = (1, 64, 144);
    settings.flash = paper_flash(1);
    let array = &mut settings.flash.array;
    (array.read, array.program) = (vec![SimSpan::from_us(40)], vec![SimSpan::from_us(600)]);
    (array.slc_read, array.slc_program) = (SimSpan::from_us(20), SimSpan::from_us(100));
    let ftl = &mut settings.ftl;
    ftl.allocation = Allocation::Striped(ORDER);
    ftl.over_provisioning_ratio = 0.25;
    (ftl.gc_start_free_blocks, ftl.gc_hard_free_blocks, ftl.gc_moves_in_flight) = (2, 2, 4);
    ftl.static_wear_levelling = None;
    ftl.unwritten_data = UnwrittenData::Absent;
    ftl.slc = Some(slc);
    settings
}

fn page(op: Op, page: u64, at: SimTime) -> HostRequest {
    venice_host::testkit::pages(op, page, 1, at)
}

/// Writes `count` pages in order, 64 at a time.
fn fill(settings: &DriveSettings, count: u64) -> RunOutcome {
    let requests = (0..count).map(|number| page(Op::Write, number, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth: 64 }, requests)
}

fn report(outcome: &RunOutcome) -> &SlcCacheReport {
    outcome.report.slc_cache.as_ref().unwrap()
}

/// Times of completion, in µs, in order.
fn completions(outcome: &RunOutcome) -> Vec<f64> {
    let mut times: Vec<f64> =
        outcome.rows.iter().map(|row| row.completed.since(SimTime::ZERO).as_us()).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Mean time of a page, in µs, between two numbers of written pages.
fn time_per_page(times: &[f64], from: u64, to: u64) -> f64 {
    (times[to as usize] - times[from as usize]) / (to - from) as f64
}

/// Number of pages at which the time of a page changes from `before` to `after`, if it is constant otherwise.
fn knee(times: &[f64], last: u64, before: f64, after: f64) -> f64 {
    (times[last as usize] - last as f64 * after) / (before - after)
}

fn assert_near(measured: f64, expected: f64, what: &str) {
    assert!((measured / expected - 1.0).abs() < 0.03, "{what}: {measured}, expected {expected}");
}

/// Times of a page, in µs, over all four dies: program in SLC mode, program with all bits per cell, and
/// read in SLC mode.
struct PageTimes {
    slc: f64,
    tlc: f64,
    read: f64,
    /// Share of a page in the erase of its line.
    erase: f64,
}

impl PageTimes {
    /// Returns the times of the drive. A die works on a page at a time: the command and a transfer, then the
    /// array operation.
    fn of(settings: &DriveSettings) -> Self {
        let lone = fill(
            &DriveSettings {
                ftl: venice_drive::ftl::FtlSettings { slc: None, ..settings.ftl.clone() },
                ..settings.clone()
            },
            1,
        );
        let array = &settings.flash.array;
        let transfer = lone.latencies()[0].as_us() - array.program[0].as_us();
        let of = |work: SimSpan| (work.as_us() + transfer) / 4.0;
        Self {
            slc: of(array.slc_program),
            tlc: of(array.program[0]),
            read: of(array.slc_read),
            erase: array.slc_erase.as_us() / LINE[1] as f64,
        }
    }

    fn fold(&self) -> f64 {
        self.read + self.tlc + self.erase
    }
}

#[test]
fn writes_take_the_time_of_slc_programs_until_the_static_cache_is_full() {
    let settings = drive(cache(9));
    let times = PageTimes::of(&settings);
    let outcome = fill(&settings, 6000);
    let done = completions(&outcome);
    assert_near(time_per_page(&done, 100, 1600), times.slc, "in the cache");
    assert_near(time_per_page(&done, 2000, 5800), times.tlc, "directly");
    assert_near(knee(&done, 5800, times.slc, times.tlc), 9.0 * 192.0, "size");
    let figures = report(&outcome);
    assert_eq!((figures.host_bytes, figures.folded_bytes), (9 * 192 * 4096, 0));
    assert_eq!(figures.host_bytes + figures.direct_bytes, 6000 * 4096);
    assert_eq!((figures.capacity_bytes, figures.cached_bytes), (9 * 192 * 4096, 9 * 192 * 4096));
}

/// Folding removes a share of each line that the host writes, so that the cache is full when 1 / (1 - share)
/// times its size has been written.
#[test]
fn folding_beside_the_host_moves_the_knee() {
    for share in [0.25, 0.5] {
        let mut settings = drive(SlcCacheSettings { fold_share: share, ..cache(48) });
        settings.geometry.blocks_per_plane = 256;
        let times = PageTimes::of(&settings);
        let knee = 48.0 * LINE[1] as f64 * (1.0 + share / (1.0 - share));
        let direct_bytes = |factor: f64| report(&fill(&settings, (knee * factor) as u64)).direct_bytes;
        assert_eq!(direct_bytes(0.97), 0, "{share}");
        assert!(direct_bytes(1.03) > 0, "{share}");
        let done = completions(&fill(&settings, knee as u64));
        // A line is folded for every second or every fourth line of the host.
        let expected = times.slc + share * times.fold();
        assert_near(time_per_page(&done, 4 * LINE[1], 60 * LINE[1]), expected, "in the cache");
    }
}

#[test]
fn host_that_waits_for_a_full_cache_writes_at_the_rate_of_folding() {
    let settings = drive(SlcCacheSettings { when_full: WhenFull::Wait, ..cache(9) });
    let times = PageTimes::of(&settings);
    let outcome = fill(&settings, 7200);
    let done = completions(&outcome);
    let waiting = time_per_page(&done, 12 * LINE[1], 36 * LINE[1]);
    assert_near(waiting, times.slc + times.fold(), "full");
    assert_near(knee(&done, 36 * LINE[1] - 1, times.slc, waiting), 9.0 * LINE[1] as f64, "size");
    assert_eq!(report(&outcome).direct_bytes, 0);
}

/// Dynamic cache over the whole free capacity: a third of it is written in SLC mode. Then the free lines are
/// written directly, and then each line that is folded frees two thirds of a line.
#[test]
fn fill_of_a_drive_has_three_phases() {
    let settings = drive(SlcCacheSettings { dynamic_share: 1.0, ..cache(0) });
    let times = PageTimes::of(&settings);
    let outcome = fill(&settings, CAPACITY);
    let done = completions(&outcome);
    let size = CAPACITY as f64 / BITS;
    // One line is free for garbage collection, and folding opens another one.
    let free = (64.0 - 48.0 - 2.0) * LINE[0] as f64;
    let direct_end = size + free;
    let folding = times.tlc + times.fold() / (BITS - 1.0);
    assert_near(time_per_page(&done, 100, size as u64 - 100), times.slc, "SLC");
    assert_near(time_per_page(&done, size as u64 + 100, direct_end as u64 - 200), times.tlc, "direct");
    assert_near(time_per_page(&done, direct_end as u64 + 200, CAPACITY - 100), folding, "folding");
    let expected = size * times.slc + free * times.tlc + (CAPACITY as f64 - direct_end) * folding;
    assert_near(done[CAPACITY as usize - 1], expected, "fill");
    assert_near(report(&outcome).host_bytes as f64, size * 4096.0, "size");
}

/// Requests at twice the time of an SLC program, so that the drive keeps up with them.
fn paced(op: Op, pages: std::ops::Range<u64>, from_us: u64) -> Vec<HostRequest> {
    let first = pages.start;
    pages
        .map(|number| page(op, number, SimTime::ZERO + SimSpan::from_us(from_us + (number - first) * 100)))
        .collect()
}

#[test]
fn idle_drive_folds_the_cache_which_is_then_free_again() {
    for (idle_ms, direct) in [(50, 0), (5000, 9 * 192)] {
        let settings = drive(SlcCacheSettings { idle: SimSpan::from_us(idle_ms * 1000), ..cache(9) });
        let mut requests = paced(Op::Write, 0..9 * 192, 0);
        requests.extend(paced(Op::Write, 3000..3000 + 9 * 192, 1_000_000));
        let outcome = run(&settings, LoopMode::Open, requests);
        let figures = report(&outcome);
        let folded = 9 * 192 - direct;
        assert_eq!(
            (figures.direct_bytes, figures.folded_bytes),
            (direct * 4096, folded * 4096),
            "{idle_ms} ms"
        );
        assert_eq!(figures.erases, folded / 192 * 4);
    }
}

#[test]
fn trimmed_data_is_not_folded() {
    let settings = drive(SlcCacheSettings { idle: SimSpan::from_us(50 * 1000), ..cache(9) });
    let mut requests = paced(Op::Write, 0..4 * 192, 0);
    requests.extend(paced(Op::Trim, 0..3 * 192, 100_000));
    requests.push(page(Op::Write, 1000, SimTime::ZERO + SimSpan::from_us(1000 * 1000)));
    let outcome = run(&settings, LoopMode::Open, requests);
    assert_eq!(report(&outcome).folded_bytes, 192 * 4096);
    assert_eq!(report(&outcome).erases, 4 * 4);
}

#[test]
fn reads_of_cached_data_take_the_read_time_of_slc_blocks() {
    let settings = drive(cache(9));
    let requests = vec![page(Op::Write, 0, SimTime::ZERO), page(Op::Read, 0, SimTime::ZERO)];
    let cached = run(&settings, LoopMode::Closed { depth: 1 }, requests.clone()).latencies()[1];
    let mut without = drive(cache(0));
    without.ftl.slc = None;
    let plain = run(&without, LoopMode::Closed { depth: 1 }, requests).latencies()[1];
    assert_eq!(plain - cached, SimSpan::from_us(20));
}
