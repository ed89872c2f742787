//! Tests of searches: exact times of single pages, the pipeline of a chip, and counters under any load.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{PatternSet, SearchLocation, SearchSettings};
use venice_drive::testkit::settings::{one_pattern, paper_search};
use venice_fabric::{Direction, FabricKind, Hold};
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, Rate, SimSpan, SimTime};
use venice_nand::chip::DieWork;
use venice_nand::geometry::Lpn;
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{Report, SearchReport};
use venice_sim::testkit::drive::{run as run_and_report, small_drive};

use crate::timed_chip::{Bench, T_PROGRAM, T_READ, at, us};

/// Time in which a chip matches a page of 4 KiB: a quarter of that of a page of 16 KiB.
const T_MATCH: SimSpan = us(10);
/// Size of a page of 4 KiB with its code, in bytes.
const RAW: u32 = 4608;
const ANSWER: u32 = 4;
const TABLES: u32 = 5120;

fn drive(kind: FabricKind, location: SearchLocation, match_ratio: f64) -> DriveSettings {
    let mut settings = small_drive(kind, 4, 4);
    settings.ftl.search =
        SearchSettings { location, pattern_sets: one_pattern(match_ratio), ..paper_search() };
    settings
}

/// Searches one page of an idle drive.
fn latency_of_one(settings: DriveSettings) -> (SimSpan, SimSpan) {
    let bench = Bench::new(settings, 0);
    let ran = bench.run(vec![bench.request(Op::Search, SimTime::ZERO)]);
    (ran.latency(0), ran.stage(0, Stage::Decoding))
}

#[test]
fn one_page_takes_the_closed_form_of_its_location_on_every_fabric() {
    let controller = Rate::from_mb_per_s(1200.0).time_for(4096);
    let host = Rate::from_mb_per_s(4000.0).time_for(4096);
    for &kind in FabricKind::ALL {
        for (location, ratio, tables, sent, matching) in [
            (SearchLocation::Chips, 0.0, TABLES, ANSWER, T_MATCH),
            (SearchLocation::Chips, 1.0, TABLES, ANSWER + RAW, T_MATCH),
            (SearchLocation::Controller, 0.0, 0, RAW, controller),
            (SearchLocation::Controller, 1.0, 0, RAW, controller),
            (SearchLocation::Host, 0.0, 0, RAW, host),
        ] {
            let settings = drive(kind, location, ratio);
            let page = Bench::new(settings.clone(), 0);
            let command = page.transfer(Direction::ToChip, COMMAND, tables);
            let out = page.transfer(Direction::FromChip, SimSpan::ZERO, sent);
            let (latency, decoding) = latency_of_one(settings);
            assert_eq!(latency, command + T_READ + matching + out, "{kind}, {location:?}, {ratio}");
            assert_eq!(decoding, matching, "{kind}, {location:?}, {ratio}");
        }
    }
}

/// Returns a drive with one pattern set.
fn drive_with_patterns(location: SearchLocation, match_ratio: f64, patterns: u32) -> DriveSettings {
    let mut settings = drive(FabricKind::Bus, location, match_ratio);
    settings.ftl.search.pattern_sets = vec![PatternSet { match_ratio, patterns }];
    settings
}

/// Returns for each of the first `pages` pages the pass in which searches find a match in it.
fn matching_passes(settings: &DriveSettings, pages: u32) -> Vec<Option<u16>> {
    let simulation = Simulation::new(settings, Vec::new(), RunOptions::default()).unwrap();
    (0..pages).map(|lpn| simulation.device().ftl().matching_pass(0, Lpn(lpn))).collect()
}

#[test]
fn chip_searches_a_page_once_per_eight_patterns_until_it_matches() {
    let mut seen = [0; 2];
    for (match_ratio, patterns, passes) in [(0.0, 8, 1), (0.0, 9, 2), (0.0, 64, 8), (1.0, 16, 2)] {
        for seed in 1..=8 {
            let mut settings = drive_with_patterns(SearchLocation::Chips, match_ratio, patterns);
            (settings.seed, settings.ftl.seed) = (seed, seed);
            let found_in = matching_passes(&settings, 1)[0];
            let page = Bench::new(settings.clone(), 0);
            let pass = page.transfer(Direction::ToChip, COMMAND, TABLES) + T_READ + T_MATCH;
            let answer = page.transfer(Direction::FromChip, SimSpan::ZERO, ANSWER);
            let match_sent = page.transfer(Direction::FromChip, SimSpan::ZERO, ANSWER + RAW);
            let expected = match found_in {
                None => (pass + answer) * passes,
                Some(earlier) => (pass + answer) * u64::from(earlier) + pass + match_sent,
            };
            let (latency, decoding) = latency_of_one(settings);
            assert_eq!(latency, expected, "{patterns} patterns, seed {seed}: {found_in:?}");
            assert_eq!(decoding, T_MATCH * found_in.map_or(passes, |earlier| u64::from(earlier) + 1));
            if let Some(earlier) = found_in {
                seen[usize::from(earlier)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "matches in both passes: {seen:?}");
}

#[test]
fn controller_matches_a_page_once_per_eight_patterns_and_the_host_once() {
    let controller = Rate::from_mb_per_s(1200.0).time_for(4096 * 2);
    let host = Rate::from_mb_per_s(4000.0).time_for(4096);
    for (location, matching) in [(SearchLocation::Controller, controller), (SearchLocation::Host, host)] {
        for match_ratio in [0.0, 1.0] {
            let settings = drive_with_patterns(location, match_ratio, 9);
            let page = Bench::new(settings.clone(), 0);
            let out = page.transfer(Direction::FromChip, SimSpan::ZERO, RAW);
            let (latency, decoding) = latency_of_one(settings);
            assert_eq!(latency, page.command(COMMAND) + T_READ + out + matching, "{location:?}");
            assert_eq!(decoding, matching, "{location:?}");
        }
    }
}

/// The range has 16 pages on each of 16 chips.
#[test]
fn every_chip_receives_the_tables_once_per_pass_and_skips_pages_that_have_matched() {
    let settings = drive_with_patterns(SearchLocation::Chips, 0.5, 20);
    let passes = matching_passes(&settings, 256);
    let senses: u64 = passes.iter().map(|found_in| u64::from(found_in.map_or(3, |pass| pass + 1))).sum();
    let matched = passes.iter().flatten().count() as u64;
    let request = pages(Op::Search, 0, 256, SimTime::ZERO);
    let report = run_and_report(&settings, LoopMode::Closed { depth: 1 }, vec![request]).report;
    let found = report.search.unwrap();
    assert_eq!((found.pages, found.pages_matched), (256, matched));
    assert_eq!((found.tables_sent, report.flash.reads), (3 * 16, senses));
    assert!((found.chip_matchers_busy_us - 10.0 * senses as f64).abs() < 1e-6, "{found:?}");
    let bytes = senses * u64::from(ANSWER) + matched * u64::from(RAW);
    assert_eq!((found.bytes_from_chips, found.bytes_to_host), (bytes, matched * 4096));
}

/// A chip matches one page while it senses the next one.
#[test]
fn chip_searches_at_the_rate_of_the_slower_of_sensing_and_matching() {
    for (t_match, period) in [(us(8), T_READ), (us(40), us(10))] {
        let mut settings = drive(FabricKind::Bus, SearchLocation::Chips, 0.0);
        (settings.ftl.search.matching, settings.ftl.search.table_bytes) = (t_match, 0);
        let page = Bench::new(settings.clone(), 0);
        let matching = SimSpan::from_ps(t_match.as_ps() / 4);
        // One page for each of 16 chips, in each of ten rounds.
        let rounds = 10;
        let request = pages(Op::Search, 0, 16 * rounds, SimTime::ZERO);
        let ran = page.run(vec![request]);
        let first = page.command(COMMAND) + T_READ + matching;
        let out = page.transfer(Direction::FromChip, SimSpan::ZERO, ANSWER);
        let least = first + period * u64::from(rounds - 1) + out;
        // The four chips of a channel receive their first commands and send their last answers one by one.
        let most = least + (page.command(COMMAND) + out) * 3;
        let latency = ran.latency(0);
        assert!(latency >= least && latency <= most, "{latency:?} from {least:?} to {most:?}");
    }
}

#[test]
fn read_waits_for_the_page_that_its_die_senses_but_not_for_further_ones() {
    let mut settings = drive(FabricKind::Bus, SearchLocation::Chips, 0.0);
    (settings.ftl.search.matching, settings.ftl.search.table_bytes) = (us(8), 0);
    let page = Bench::new(settings, 0);
    // Five pages of the search are on the first chip.
    let search = pages(Op::Search, 0, 80, SimTime::ZERO);
    let begin = page.command(COMMAND);
    let read = page.request(Op::Read, at(begin + T_READ + us(1)));
    let ran = page.run(vec![search, read]);
    assert_eq!(ran.latency(1), us(2) + page.read());
    assert_eq!(ran.stage(1, Stage::ChipWait), us(2));
}

#[test]
fn search_waits_for_queued_reads_and_writes() {
    let mut settings = drive(FabricKind::Bus, SearchLocation::Chips, 0.0);
    settings.ftl.search.table_bytes = 0;
    let page = Bench::new(settings, 0);
    let other = |op, at| pages(op, 16, 1, at);
    let requests = vec![
        page.request(Op::Write, SimTime::ZERO),
        page.request(Op::Search, at(us(1))),
        other(Op::Write, at(us(2))),
        other(Op::Read, at(us(3))),
    ];
    let ran = page.run(requests);
    assert!(ran.completed(1) > ran.completed(3), "the read is first");
    assert!(ran.completed(1) > at(T_PROGRAM * 2), "both writes are first");
}

/// Creates searches, reads and writes of random pages.
fn mixed(settings: &DriveSettings, count: u64) -> Vec<HostRequest> {
    let logical = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(5, "mixed");
    let one = |n: u64| match n % 4 {
        0 => pages(Op::Search, random.below(logical - 40), 1 + random.below(40) as u32, SimTime::ZERO),
        1 => pages(Op::Read, random.below(logical), 1, SimTime::ZERO),
        _ => pages(Op::Write, random.below(logical), 1, SimTime::ZERO),
    };
    (0..count).map(one).collect()
}

fn check_sums(report: &Report, requests: &[HostRequest], location: SearchLocation, told: &str) {
    let found @ SearchReport { pages_matched: matched, pages, .. } = report.search.unwrap();
    let searches = requests.iter().filter(|request| request.op == Op::Search);
    let wanted: u64 = searches.clone().map(|search| u64::from(search.sectors / 8)).sum();
    assert_eq!((pages, found.searches), (wanted, searches.count() as u64), "{told}");
    assert_eq!(report.requests.searches, Some(found.searches), "{told}");
    assert_eq!(report.latency_us.search.as_ref().unwrap().count, found.searches, "{told}");
    assert_eq!(matched + found.pages_not_matched, pages, "{told}: {found:?}");
    let raw = u64::from(RAW);
    let (from_chips, to_host) = match location {
        SearchLocation::Chips => (pages * u64::from(ANSWER) + matched * raw, matched * 4096),
        SearchLocation::Controller => (pages * raw, matched * 4096),
        SearchLocation::Host => (pages * raw, pages * 4096),
    };
    assert_eq!((found.bytes_from_chips, found.bytes_to_host), (from_chips, to_host), "{told}");
    assert_eq!(found.bytes_to_chips, found.tables_sent * u64::from(TABLES), "{told}");
}

#[test]
fn searches_among_reads_writes_and_collection_all_end_and_find_the_same_pages() {
    for &kind in FabricKind::ALL {
        let mut matched = Vec::new();
        for location in SearchLocation::ALL {
            for (hold, one_at_a_time) in [(Hold::Transfer, false), (Hold::Operation, true)] {
                let mut settings = drive(kind, location, 0.2);
                settings.geometry.dies_per_chip = 2;
                settings.geometry.blocks_per_plane = 8;
                settings.fabric.hold = hold;
                if one_at_a_time {
                    settings.flash.die_work = DieWork::OneAtATime;
                }
                let requests = mixed(&settings, 2000);
                let mode = LoopMode::Closed { depth: 24 };
                let report = run_and_report(&settings, mode, requests.clone()).report;
                let told = format!("{kind}, {location:?}, {hold:?}");
                check_sums(&report, &requests, location, &told);
                assert!(report.audit.is_some() && report.flash.programs >= 900, "{told}");
                matched.push(report.search.unwrap().pages_matched);
            }
        }
        assert!(matched.iter().all(|&pages| pages == matched[0] && pages > 0), "{kind}: {matched:?}");
    }
}
