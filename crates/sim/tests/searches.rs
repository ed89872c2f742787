//! Searches during garbage collection, suspensions, losses of chips and losses of power.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    PageRegion, PatternSet, PreconditionMode, SearchLocation, SearchSettings, UnwrittenData, WritePattern,
};
use venice_drive::testkit::settings::{one_pattern, paper_search};
use venice_ecc::channel::SoftReads;
use venice_fabric::{FabricKind, FaultSettings};
use venice_host::testkit::{Script, pages};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::chip::{Suspension, SuspensionRule};
use venice_nand::geometry::Lpn;
use venice_requests::{Flow, HostRequest, LoopMode, Op, SECTOR_BYTES};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::SearchReport;
use venice_sim::testkit::drive::{RunOutcome, run, run_with_power_losses, small_drive};

/// Time in which a chip matches a page of 4 KiB.
const T_MATCH: SimSpan = SimSpan::from_us(10);
const SECTORS_PER_PAGE: u64 = 4096 / SECTOR_BYTES as u64;

fn drive(kind: FabricKind, location: SearchLocation) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.ftl.search = SearchSettings { location, pattern_sets: one_pattern(0.3), ..paper_search() };
    settings
}

fn page_count(settings: &DriveSettings) -> u64 {
    Simulation::capacity_sectors(settings) / SECTORS_PER_PAGE
}

fn at_us(us: u64, op: Op, first: u64, count: u64) -> HostRequest {
    pages(op, first, count as u32, SimTime::ZERO + SimSpan::from_us(us))
}

/// Returns the pages with a match of the drive's first pattern set, in any state.
fn matching_pages(settings: &DriveSettings) -> Vec<bool> {
    matching_passes(settings, 0).iter().map(Option::is_some).collect()
}

/// Returns for each page of the drive the pass in which searches for a pattern set find a match.
fn matching_passes(settings: &DriveSettings, pattern_set: u8) -> Vec<Option<u16>> {
    let flow = Flow::new(Box::new(Script::new(Vec::new())), LoopMode::Open);
    let simulation = Simulation::new(settings, vec![flow], RunOptions::default()).unwrap();
    let ftl = simulation.device().ftl();
    (0..page_count(settings) as u32).map(|lpn| ftl.matching_pass(pattern_set, Lpn(lpn))).collect()
}

fn found(outcome: &RunOutcome) -> SearchReport {
    outcome.report.search.unwrap()
}

/// Returns a drive with pattern sets of these match probabilities and numbers of patterns.
fn drive_with_sets(sets: &[(f64, u32)]) -> DriveSettings {
    let mut settings = drive(FabricKind::Bus, SearchLocation::Chips);
    settings.geometry.blocks_per_plane = 256;
    let set = |&(match_ratio, patterns)| PatternSet { match_ratio, patterns };
    settings.ftl.search.pattern_sets = sets.iter().map(set).collect();
    settings
}

/// Checks that `count` of `trials` is less than four standard deviations from a binomial mean.
#[track_caller]
fn check_share(count: usize, trials: usize, ratio: f64) {
    let mean = trials as f64 * ratio;
    let deviation = (mean * (1.0 - ratio)).sqrt();
    assert!((count as f64 - mean).abs() < 4.0 * deviation, "{count} of {trials}, expected {mean}");
}

#[test]
fn pattern_sets_match_independent_shares_of_pages() {
    let settings = drive_with_sets(&[(0.063, 1), (0.4, 1), (0.4, 8)]);
    let sets = [0, 1, 2].map(|set| matching_passes(&settings, set));
    let pages = sets[0].len();
    for (set, ratio) in sets.iter().zip([0.063, 0.4, 0.4]) {
        check_share(set.iter().flatten().count(), pages, ratio);
        assert!(set.iter().flatten().all(|&pass| pass == 0), "eight patterns need one pass");
    }
    for (one, other, ratio) in [(0, 1, 0.063 * 0.4), (1, 2, 0.4 * 0.4)] {
        let both = (0..pages).filter(|&page| sets[one][page].is_some() && sets[other][page].is_some());
        check_share(both.count(), pages, ratio);
    }
    assert_eq!(sets[0], matching_passes(&drive_with_sets(&[(0.063, 1)]), 0), "further sets change nothing");
}

#[test]
fn pass_of_a_match_has_the_share_of_its_patterns() {
    let passes = matching_passes(&drive_with_sets(&[(0.1, 1), (0.9, 20)]), 1);
    let matched = passes.iter().flatten().count();
    for (pass, ratio) in [(0, 0.4), (1, 0.4), (2, 0.2)] {
        check_share(passes.iter().filter(|&&found_in| found_in == Some(pass)).count(), matched, ratio);
    }
}

#[test]
fn searches_for_different_sets_find_the_pages_of_their_sets() {
    for location in SearchLocation::ALL {
        let mut settings = drive_with_sets(&[(0.1, 1), (0.7, 20)]);
        settings.ftl.search.location = location;
        let matched = [0, 1].map(|set| matching_passes(&settings, set)[..64].iter().flatten().count() as u64);
        for (set, matched) in (0..).zip(matched) {
            let search = HostRequest { pattern_set: set, ..at_us(0, Op::Search, 0, 64) };
            let outcome = run(&settings, LoopMode::Open, vec![search]);
            assert_eq!(found(&outcome).pages_matched, matched, "set {set}, {location:?}");
        }
        assert_ne!(matched[0], matched[1]);
    }
}

#[test]
fn pages_that_garbage_collection_moves_are_searched_once_in_their_new_location() {
    for location in SearchLocation::ALL {
        let mut settings = drive(FabricKind::Bus, location);
        (settings.geometry.blocks_per_plane, settings.geometry.pages_per_block) = (16, 8);
        let (all, matching) = (page_count(&settings), matching_pages(&settings));
        let mut random = RandomStream::new(4, "writes");
        let write =
            |number: u64, random: &mut RandomStream| at_us(number * 20, Op::Write, random.below(all), 1);
        let mut requests: Vec<HostRequest> = (0..4000).map(|number| write(number, &mut random)).collect();
        requests.extend((0..20).map(|number| at_us(1000 + number * 4000, Op::Search, 0, all)));
        requests.sort_by_key(|request| request.arrival);
        let outcome = run(&settings, LoopMode::Open, requests);
        assert!(outcome.report.flash.gc_moves > 1000, "{}", outcome.report.flash.gc_moves);
        let found = found(&outcome);
        let expected = 20 * matching.iter().filter(|&&matches| matches).count() as u64;
        assert_eq!((found.pages, found.pages_matched), (20 * all, expected), "{location:?}");
        assert_eq!((found.pages_failed, found.pages_deallocated), (0, 0), "{location:?}");
    }
}

/// Returns settings in which reads suspend programs and erases at any time.
fn that_suspends() -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.ftl.search = SearchSettings { pattern_sets: one_pattern(0.0), table_bytes: 0, ..paper_search() };
    let rule =
        SuspensionRule { suspend: SimSpan::from_us(5), pulses: 0, for_read: SimSpan::ZERO, for_write: None };
    settings.flash.suspension = Some(Suspension {
        erase: Some(rule),
        program: Some(rule),
        resume: SimSpan::from_us(5),
        most_times: 4,
        most_commands: 16,
    });
    settings
}

#[test]
fn search_neither_suspends_a_program_nor_runs_while_one_is_suspended() {
    let settings = that_suspends();
    let latencies = |requests: &[HostRequest]| run(&settings, LoopMode::Open, requests.to_vec());
    let [write, search, read] = [(0, Op::Write, 0), (10, Op::Search, 0), (20, Op::Read, 2)]
        .map(|(us, op, page)| at_us(us, op, page, 1));
    let [program, searched] = [write, search].map(|request| latencies(&[request]).latencies()[0]);
    let pair = latencies(&[write, search]);
    assert_eq!(pair.report.flash.suspended_programs, 0);
    assert_eq!(pair.latencies(), [program, program - SimSpan::from_us(10) + searched]);
    // The read suspends the program. The search, which is older than the read, waits until the program has ended.
    let all = latencies(&[write, search, read]);
    assert_eq!(all.report.flash.suspended_programs, 1);
    let [of_write, of_search, of_read] = *all.latencies() else { panic!("three requests") };
    assert!(of_read < SimSpan::from_us(40) && of_write > program, "{of_read:?}, {of_write:?}");
    assert_eq!(of_search + SimSpan::from_us(10), of_write + searched);
}

/// Creates a drive of two channels, one of which is lost 1.1 ms after the start.
fn degraded(kind: FabricKind, location: SearchLocation) -> DriveSettings {
    let mut settings = drive(kind, location);
    settings.fabric.faults = FaultSettings {
        paths: vec![0],
        at: SimTime::ZERO + SimSpan::from_us(1000),
        detection: SimSpan::from_us(100),
        degraded_mode: true,
        ..FaultSettings::default()
    };
    settings
}

#[test]
fn pages_on_lost_chips_fail_and_all_others_are_searched() {
    for kind in [FabricKind::Bus, FabricKind::PSsd, FabricKind::Decoupled, FabricKind::HlNand] {
        for location in SearchLocation::ALL {
            let settings = degraded(kind, location);
            let (all, told) = (page_count(&settings), format!("{kind}, {location:?}"));
            let outcome = run(&settings, LoopMode::Open, vec![at_us(5000, Op::Search, 0, all)]);
            let SearchReport { pages, pages_matched, pages_not_matched, pages_failed, .. } = found(&outcome);
            // Pages with even numbers are on the lost channel.
            let matching = matching_pages(&settings).into_iter().skip(1).step_by(2);
            let expected = matching.filter(|&matches| matches).count() as u64;
            assert_eq!((pages, pages_failed), (all, all / 2), "{told}");
            assert_eq!((pages_matched, pages_not_matched), (expected, all / 2 - expected), "{told}");
            let (raw, answers) = (4608, if location == SearchLocation::Chips { 4 } else { 0 });
            let sent = if location == SearchLocation::Chips { expected } else { all / 2 };
            assert_eq!(found(&outcome).bytes_from_chips, all / 2 * answers + sent * raw, "{told}");
            if location == SearchLocation::Chips {
                let busy = T_MATCH.as_us() * (all / 2) as f64;
                assert!((found(&outcome).chip_matchers_busy_us - busy).abs() < 1e-6, "{told}");
                assert_eq!(found(&outcome).tables_sent, 2, "{told}");
            }
            let failed = outcome.report.faults.as_ref().unwrap().requests_failed;
            assert_eq!((outcome.report.requests.completed, failed), (0, 1), "{told}");
        }
    }
}

#[test]
fn loss_of_a_chip_during_a_search_fails_only_pages_without_an_outcome() {
    for location in SearchLocation::ALL {
        let settings = degraded(FabricKind::Bus, location);
        let all = page_count(&settings);
        let outcome = run(&settings, LoopMode::Open, vec![at_us(300, Op::Search, 0, all)]);
        let found = found(&outcome);
        assert!(found.pages_failed > 0 && found.pages_failed < all / 2, "{location:?}: {found:?}");
        assert_eq!(found.pages_matched + found.pages_not_matched + found.pages_failed, all, "{location:?}");
        let failed = outcome.report.faults.as_ref().unwrap().requests_failed;
        assert_eq!((outcome.report.requests.completed, failed), (0, 1), "{location:?}");
    }
}

#[test]
fn uncorrectable_pages_fail_their_search_and_stay_as_they_are() {
    for location in SearchLocation::ALL {
        let mut settings = drive(FabricKind::Bus, location);
        let all = page_count(&settings);
        settings.precondition.mode = PreconditionMode::Fill;
        settings.precondition.regions = vec![PageRegion {
            pages: 0..all as u32,
            working_set: all as u32,
            occupancy: 1.0,
            pattern: WritePattern::Uniform,
            drawn: None,
            traffic: 1.0,
        }];
        // No decoder corrects a page of this age.
        (settings.ecc.decoders, settings.ecc.pe_cycles, settings.ecc.retention_days) = (1, 3_000.0, 1e6);
        (settings.ecc.retries, settings.ecc.soft_reads) = (0, SoftReads::None);
        settings.ftl.unwritten_data = UnwrittenData::Absent;
        let unreadable = |requests| {
            let outcome = run(&settings, LoopMode::Open, requests);
            let ecc = outcome.report.ecc.as_ref().unwrap();
            let search = outcome.report.search.unwrap();
            assert_eq!(ecc.uncorrectable_search_reads, Some(search.pages_failed), "{location:?}: {ecc:?}");
            let uncorrectable = search.pages_failed + ecc.uncorrectable_host_reads;
            assert_eq!(ecc.pages, ecc.corrected_by_step.iter().sum::<u64>() + uncorrectable, "{location:?}");
            (ecc.unreadable_units, search.pages_failed)
        };
        let search = at_us(0, Op::Search, 0, all);
        assert_eq!(unreadable(vec![search]), (0, all), "{location:?}");
        let read = at_us(1_000_000, Op::Read, 0, 1);
        assert_eq!(unreadable(vec![search, read]), (1, all), "{location:?}");
    }
}

/// Returns a drive without data from before the run, whose data of the run has no errors, and on which a partial write
/// of a page fails.
fn drive_with_lost_old_data(location: SearchLocation) -> DriveSettings {
    let mut settings = drive(FabricKind::Bus, location);
    (settings.ecc.decoders, settings.ecc.retention_days) = (1, 1e6);
    (settings.ecc.retries, settings.ecc.soft_reads) = (0, SoftReads::None);
    settings.wear.cells.disturb = 0.0;
    settings
}

#[test]
fn search_of_data_known_to_be_unreadable_counts_as_uncorrectable() {
    for location in SearchLocation::ALL {
        let settings = drive_with_lost_old_data(location);
        let lost = HostRequest { sectors: 2, ..at_us(0, Op::Write, 0, 1) };
        let written = at_us(0, Op::Write, 1, 1);
        let outcome = run(&settings, LoopMode::Open, vec![lost, written, at_us(10_000, Op::Search, 0, 2)]);
        let (search, ecc) = (found(&outcome), outcome.report.ecc.as_ref().unwrap());
        assert_eq!((search.pages, search.pages_failed), (2, 1), "{location:?}: {search:?}");
        assert_eq!(ecc.uncorrectable_search_reads, Some(1), "{location:?}: {ecc:?}");
        let in_chips = u64::from(location == SearchLocation::Chips);
        assert_eq!(search.pages_failed_in_chips, in_chips, "{location:?}: {search:?}");
    }
}

#[test]
fn loss_of_power_ends_a_search_without_a_result_and_loses_no_data() {
    for location in SearchLocation::ALL {
        let mut settings = drive(FabricKind::Bus, location);
        settings.ftl.restart.keep_old_versions = true;
        let all = page_count(&settings);
        let search = at_us(500, Op::Search, 0, all);
        let instants: Vec<SimTime> = (0..400).map(|n| SimTime::ZERO + SimSpan::from_us(n * 50)).collect();
        let alone = run_with_power_losses(&settings, LoopMode::Open, vec![search], &instants);
        assert_eq!((alone.report.flash.programs, alone.report.flash.erases), (0, 0), "{location:?}");
        let mut requests: Vec<HostRequest> =
            (0..400).map(|n| at_us(n * 20, Op::Write, n * 7 % all, 1)).collect();
        requests.extend([search, at_us(20_000, Op::Write, 0, 1)]);
        requests.sort_by_key(|request| request.arrival);
        let mixed = run_with_power_losses(&settings, LoopMode::Open, requests, &instants);
        for outcome in [alone, mixed] {
            let ends = outcome.rows.iter().find(|row| row.op == Op::Search).unwrap().completed;
            let losses = outcome.report.power_losses.unwrap();
            assert!(losses.iter().all(|loss| loss.lost_pages == Some(0)), "{location:?}");
            let in_progress: Vec<_> = losses.iter().map(|loss| loss.search_pages_in_progress).collect();
            assert_eq!(in_progress[..10], [None; 10], "{location:?}: before the search");
            let interrupted = losses.iter().filter(|loss| loss.search_pages_in_progress > Some(0)).count();
            assert!(interrupted > 10, "{location:?}: {in_progress:?}");
            let after = losses.iter().filter(|loss| loss.at_us > ends.as_us());
            assert!(after.clone().count() > 0, "{location:?}");
            assert!(after.into_iter().all(|loss| loss.search_pages_in_progress == Some(0)), "{location:?}");
        }
    }
}
