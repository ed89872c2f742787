//! Two-pass programming and pages of different program times: write bandwidth, bytes on the channel, order of
//! the passes, and reads between them, compared with closed forms.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{Allocation, HierarchyLevel, UnwrittenData};
use venice_fabric::FabricKind;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{CacheOperations, ProgramScheme};
use venice_nand::geometry::MappingUnits;
use venice_nand::testkit::paper_flash;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::report::TwoPassReport;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];
const PLANES: u64 = 2;
/// Pages of a word line in one plane.
const WORD_LINE: u64 = 4;
const WORD_LINES_OF_BLOCK: u64 = 16;
const READ: SimSpan = SimSpan::from_us(40);
const COARSE: SimSpan = SimSpan::from_us(300);
const FINE: SimSpan = SimSpan::from_us(700);

/// Returns an erased drive of one die with two planes, whose word lines of four pages are programmed together.
fn drive(has_two_passes: bool) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    let geometry = &mut settings.geometry;
    (geometry.planes_per_die, geometry.blocks_per_plane) = (PLANES as u32, 32);
    geometry.pages_per_block = (WORD_LINE * WORD_LINES_OF_BLOCK) as u32;
    settings.flash = paper_flash(PLANES as u32);
    let array = &mut settings.flash.array;
    (array.read, array.program, array.fine) = (vec![READ], vec![COARSE], FINE);
    array.program_pages = WORD_LINE as u32;
    let ftl = &mut settings.ftl;
    ftl.units = MappingUnits::PAGES.programmed_in(WORD_LINE as u32);
    ftl.allocation = Allocation::Striped(ORDER);
    ftl.page_fill_wait = SimSpan::from_us(1_000_000);
    let scheme = if has_two_passes { ProgramScheme::TwoPass } else { ProgramScheme::OnePass };
    (ftl.program_scheme, ftl.unwritten_data) = (scheme, UnwrittenData::Absent);
    settings
}

fn pages(op: Op, from: u64, count: u64) -> Vec<HostRequest> {
    (from..from + count).map(|page| venice_host::testkit::pages(op, page, 1, SimTime::ZERO)).collect()
}

fn fill(settings: &DriveSettings, word_lines: u64) -> RunOutcome {
    let requests = pages(Op::Write, 0, word_lines * WORD_LINE * PLANES);
    run(settings, LoopMode::Closed { depth: 64 }, requests)
}

fn figures(outcome: &RunOutcome) -> TwoPassReport {
    outcome.whole_flash().two_pass.unwrap()
}

/// Mean time of a word line of both planes, in µs, between the completions of two blocks.
fn time_per_word_line(outcome: &RunOutcome) -> f64 {
    let mut times: Vec<f64> =
        outcome.rows.iter().map(|row| row.completed.since(SimTime::ZERO).as_us()).collect();
    times.sort_by(f64::total_cmp);
    let of_block = (WORD_LINES_OF_BLOCK * WORD_LINE * PLANES) as usize;
    (times[3 * of_block] - times[of_block]) / (2 * WORD_LINES_OF_BLOCK) as f64
}

/// Time of the transfers of a word line of both planes, in µs. The word lines of an idle die are programmed one
/// after the other.
fn transfer() -> f64 {
    let lone = fill(&drive(false), 1);
    lone.latencies().last().unwrap().as_us() - 2.0 * COARSE.as_us()
}

/// Time in which the channel is busy, in µs, until the last operation has ended.
fn channel_us(outcome: &RunOutcome) -> f64 {
    let (report, after) = (&outcome.report, &outcome.report.after_last_completion);
    let of = |span: f64, share: Option<f64>| span * share.unwrap_or(0.0) / 100.0;
    of(report.makespan_us, report.utilisation.channel_pct) + of(after.duration_us, after.channel_pct)
}

#[test]
fn word_line_takes_both_passes_and_two_transfers() {
    let outcome = fill(&drive(true), 4 * WORD_LINES_OF_BLOCK);
    let expected = (COARSE + FINE).as_us() + 2.0 * transfer();
    let measured = time_per_word_line(&outcome);
    assert!((measured / expected - 1.0).abs() < 0.001, "{measured}, expected {expected}");
}

#[test]
fn cache_program_hides_the_transfers_of_both_passes() {
    let mut settings = drive(true);
    settings.flash.cache_operations = CacheOperations { program: true, read: false };
    let outcome = fill(&settings, 4 * WORD_LINES_OF_BLOCK);
    let (measured, expected) = (time_per_word_line(&outcome), (COARSE + FINE).as_us());
    assert!((measured / expected - 1.0).abs() < 0.03, "{measured}, expected {expected}");
}

/// Every word line but the last one of an open block has a second pass, which transfers it again.
#[test]
fn data_cross_the_channel_twice() {
    let settings = drive(true);
    for (word_lines, second) in [(1, 0), (2, 1), (15, 14), (16, 16), (17, 16), (64, 64)] {
        let outcome = fill(&settings, word_lines);
        let flash = outcome.whole_flash();
        let of_planes = WORD_LINE * PLANES;
        assert_eq!(flash.programs, word_lines * of_planes);
        assert_eq!(figures(&outcome).second_pass_pages, second * of_planes, "{word_lines} word lines");
    }
    let ratio = channel_us(&fill(&settings, 64)) / channel_us(&fill(&drive(false), 64));
    assert!((ratio - 2.0).abs() < 1e-4, "{ratio}");
}

/// After two word lines of each plane, the second one waits for the third, so that it is read from the buffer.
/// The first one has ended its second pass.
#[test]
fn word_lines_between_both_passes_are_read_without_flash() {
    let settings = drive(true);
    let written = 2 * WORD_LINE * PLANES;
    let mut requests = pages(Op::Write, 0, written);
    let at = SimTime::ZERO + SimSpan::from_us(1_000_000);
    requests.extend((0..written).map(|page| {
        let at = at + SimSpan::from_us(page * 1_000);
        venice_host::testkit::pages(Op::Read, page, 1, at)
    }));
    let outcome = run(&settings, LoopMode::Open, requests);
    let reads = outcome.latencies().split_off(written as usize);
    let from_buffer = reads.iter().filter(|latency| latency.is_zero()).count() as u64;
    let from_flash = reads.iter().filter(|latency| **latency > READ).count() as u64;
    assert_eq!((from_buffer, from_flash), (WORD_LINE * PLANES, WORD_LINE * PLANES));
    assert_eq!(figures(&outcome).buffer_reads, from_buffer);
    assert_eq!(outcome.report.flash.reads, from_flash);
}

/// Two word lines of both planes, for the host's open block and two of moved pages.
#[test]
fn buffer_holds_two_word_lines_of_each_open_block() {
    let outcome = fill(&drive(true), 1);
    assert_eq!(figures(&outcome).buffer_bytes, 2 * WORD_LINE * 4096 * PLANES * 3);
    assert!(fill(&drive(false), 1).whole_flash().two_pass.is_none());
}

/// Pages of MLC pairs are programmed one at a time, alternately in the times of both page types.
#[test]
fn pages_of_mlc_pairs_take_the_mean_of_both_program_times() {
    let mut settings = drive(false);
    let (fast, slow) = (SimSpan::from_us(300), SimSpan::from_us(1_100));
    settings.ftl.units = MappingUnits::PAGES;
    let array = &mut settings.flash.array;
    (array.read, array.program, array.program_pages) = (vec![READ, READ], vec![fast, slow], 1);
    let outcome = fill(&settings, 4 * WORD_LINES_OF_BLOCK);
    let of_page = fill(&settings, 1).latencies()[0].as_us() - fast.as_us();
    let expected = WORD_LINE as f64 * ((fast + slow).as_us() / 2.0 + PLANES as f64 * of_page);
    let measured = time_per_word_line(&outcome);
    assert!((measured / expected - 1.0).abs() < 0.001, "{measured}, expected {expected}");
}
