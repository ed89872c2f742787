//! Scrub: number of its reads in closed form, priority below the host, and refresh of the pages that it finds.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    Allocation, HierarchyLevel, PageRegion, PreconditionMode, RefreshSettings, SearchSettings, WritePattern,
};
use venice_drive::observe::WaitCause;
use venice_drive::testkit::settings::{one_pattern, paper_search};
use venice_fabric::{FabricKind, Hold, Routing};
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];
const PAGES_PER_BLOCK: u64 = 16;
/// Number of sectors of a page.
const SECTORS: u64 = 8;
/// Time between two requests, in µs.
const PACE_US: u64 = 1_000;

/// Returns a drive of `chips` channels with one plane each, which are full of data from before the run, and its
/// number of data pages.
fn full_drive(chips: u32, pages_per_s: f64) -> (DriveSettings, u64) {
    full_channels(chips, 1, pages_per_s)
}

/// Returns a drive like [`full_drive`] with `channels` channels of `chips` chips.
fn full_channels(channels: u32, chips: u32, pages_per_s: f64) -> (DriveSettings, u64) {
    full_array(FabricKind::Bus, channels, chips, pages_per_s)
}

/// Returns a drive like [`full_channels`] with another fabric.
fn full_array(fabric: FabricKind, channels: u32, chips: u32, pages_per_s: f64) -> (DriveSettings, u64) {
    let mut settings = small_drive(fabric, channels, chips);
    let geometry = &mut settings.geometry;
    (geometry.planes_per_die, geometry.blocks_per_plane) = (1, 32);
    geometry.pages_per_block = PAGES_PER_BLOCK as u32;
    (settings.ftl.allocation, settings.ftl.scrub_pages_per_s) = (Allocation::Static(ORDER), pages_per_s);
    settings.ftl.over_provisioning_ratio = 0.25;
    let data = Simulation::capacity_sectors(&settings) / SECTORS;
    settings.precondition.mode = PreconditionMode::Fill;
    settings.precondition.regions = vec![PageRegion {
        pages: 0..data as u32,
        working_set: data as u32,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    }];
    (settings, data)
}

/// Reads the first page at regular intervals.
fn reads(count: u64) -> Vec<HostRequest> {
    let at = |n: u64| SimTime::ZERO + SimSpan::from_us(n * PACE_US);
    (0..count).map(|n| pages(Op::Read, 0, 1, at(n))).collect()
}

fn scrub_reads(outcome: &RunOutcome) -> u64 {
    outcome.whole_flash().scrub_reads.unwrap()
}

#[test]
fn reads_are_the_rate_times_the_time() {
    for (pages_per_s, per_s) in [(100.0, 100), (2_000.0, 2_000), (333.3, 333)] {
        let (settings, _) = full_drive(2, pages_per_s);
        let outcome = run(&settings, LoopMode::Open, reads(3_001));
        let found = scrub_reads(&outcome);
        assert!(found.abs_diff(3 * per_s) <= 1, "{pages_per_s} pages/s: {found} in 3 s");
        let flash = outcome.whole_flash();
        assert_eq!((flash.reads, flash.erases), (3_001 + found, 0));
    }
}

#[test]
fn reads_of_a_saturated_drive_wait_for_the_host() {
    let (settings, _) = full_drive(1, 1e6);
    let requests: Vec<_> = (0..2_000).map(|n| pages(Op::Read, n % 64, 1, SimTime::ZERO)).collect();
    let without = DriveSettings { ftl: full_drive(1, 0.0).0.ftl, ..settings.clone() };
    let times = |settings: &DriveSettings, depth: u32| {
        let outcome = run(settings, LoopMode::Closed { depth }, requests.clone());
        (outcome.report.latency_us.read.max.unwrap(), outcome)
    };
    // Two requests are always outstanding, so that one waits for the die at the end of the other.
    let (alone, _) = times(&without, 4);
    let (beside, outcome) = times(&settings, 4);
    let one_read = times(&without, 1).0;
    assert!(beside <= alone + one_read, "{beside} {alone} {one_read}");
    assert!(scrub_reads(&outcome) <= 20, "{}", scrub_reads(&outcome));
    // A single request finds the die at most one read away from idle.
    let (single, outcome) = times(&settings, 1);
    assert!(single <= 2.0 * one_read + 0.1, "{single} {one_read}");
    assert!(scrub_reads(&outcome) >= 1_000);
    let waited: SimSpan = outcome.rows.iter().map(|row| row.behind.spans[WaitCause::Scrub as usize]).sum();
    assert!(waited > SimSpan::from_us(1_000), "{}", waited.as_us());
}

/// The channel of sixteen chips is saturated by scrub. A host read waits for at most one scrub read of its die, and for
/// a transfer in progress before its command and before its data.
#[test]
fn host_read_waits_for_no_pages_of_scrub_of_other_chips() {
    let (settings, _) = full_channels(1, 16, 1e6);
    let without = DriveSettings { ftl: full_channels(1, 16, 0.0).0.ftl, ..settings.clone() };
    let requests: Vec<_> = (0..2_000).map(|n| pages(Op::Read, n % 64, 1, SimTime::ZERO)).collect();
    let read = |settings: &DriveSettings| {
        let outcome = run(settings, LoopMode::Closed { depth: 1 }, requests.clone());
        (outcome.report.latency_us.read.max.unwrap(), outcome.whole_flash().scrub_reads)
    };
    let (alone_us, _) = read(&without);
    let (beside_us, found) = read(&settings);
    assert!(found > Some(4_000), "{found:?} scrub reads");
    let transfer_us = 4.096;
    assert!(beside_us <= 2.0 * alone_us + 2.0 * transfer_us + 0.1, "{beside_us} {alone_us}");
}

/// Each die holds its path from a scrub read's command to the end of its transfer, so the channel is never free for
/// long. A search of 64 pages waits for at most one scrub read before each of its commands and results.
#[test]
fn results_of_searches_go_before_commands_of_scrub() {
    let search_us = |pages_per_s: f64| {
        let (mut settings, _) = full_channels(1, 4, pages_per_s);
        settings.fabric.hold = Hold::Request;
        settings.ftl.search =
            SearchSettings { pattern_sets: one_pattern(1.0), table_bytes: 0, ..paper_search() };
        let searches = vec![pages(Op::Search, 0, 64, SimTime::ZERO); 4];
        let latencies = run(&settings, LoopMode::Closed { depth: 1 }, searches).latencies();
        latencies.into_iter().map(SimSpan::as_us).fold(0.0, f64::max)
    };
    let (alone_us, beside_us) = (search_us(0.0), search_us(1e6));
    let scrub_read_us = 3.0 + 4.096 + 0.1;
    assert!(beside_us > alone_us, "{beside_us} {alone_us}");
    assert!(beside_us <= alone_us + 2.0 * 64.0 * scrub_read_us, "{beside_us} {alone_us}");
}

/// Scrub keeps all chips of a mesh busy, and each read holds its path. A host read waits for the scrub read of its die,
/// then for those that block its path, but for none that would start while it waits.
#[test]
fn host_read_on_a_mesh_waits_for_no_scrub_that_starts_after_it() {
    for routing in [Routing::NonMinimalAdaptive, Routing::DimensionOrder] {
        let longest_us = |pages_per_s: f64| {
            let (mut settings, data) = full_array(FabricKind::Venice, 4, 2, pages_per_s);
            settings.fabric.hold = Hold::Operation;
            settings.fabric.own.venice.routing = routing;
            let requests = (0..400).map(|n| pages(Op::Read, n * 37 % data, 1, SimTime::ZERO)).collect();
            let outcome = run(&settings, LoopMode::Closed { depth: 1 }, requests);
            outcome.report.latency_us.read.max.unwrap()
        };
        let (alone_us, beside_us) = (longest_us(0.0), longest_us(1e7));
        assert!(beside_us > 2.0 * alone_us, "{routing:?}: {beside_us} {alone_us}");
        assert!(beside_us <= 3.0 * alone_us + 0.1, "{routing:?}: {beside_us} {alone_us}");
    }
}

#[test]
fn each_block_with_bit_errors_is_found_and_refreshed_once() {
    let (mut settings, data) = full_drive(2, 1_000.0);
    settings.ecc.decoders = 1;
    settings.ftl.refresh = RefreshSettings { age_days: 0.0, error_share: 0.5 };
    // All codewords of old data have far more than 43 raw bit errors, and those of new data far fewer.
    (settings.ecc.pe_cycles, settings.ecc.retention_days) = (1_800.0, 300.0);
    // Reads of one page by the host would disturb its block.
    (settings.wear.cells.cycling, settings.wear.cells.disturb) = (0.0, 0.0);
    let outcome = run(&settings, LoopMode::Open, reads(3_000));
    let flash = outcome.whole_flash();
    assert!(scrub_reads(&outcome) > 2 * data, "all pages are read twice");
    assert_eq!(flash.refresh_executions, Some(data / PAGES_PER_BLOCK));
    assert_eq!(flash.refresh_moves, Some(data));
}

#[test]
fn uncorrectable_page_is_lost_when_scrub_finds_it() {
    let (mut settings, _) = full_drive(2, 1_000.0);
    settings.ecc.decoders = 1;
    settings.ecc.retention_days = 1e6;
    settings.ecc.retry_error_pct = 100.0;
    let outcome = run(&settings, LoopMode::Open, reads(200));
    let ecc = outcome.report.ecc.as_ref().unwrap();
    let found = ecc.uncorrectable_scrub_reads.unwrap();
    assert!(found.abs_diff(198) <= 2, "{ecc:?}");
    assert!(ecc.unreadable_units.abs_diff(found) <= 2, "{ecc:?}");
}

#[test]
fn drive_without_the_setting_reads_nothing() {
    let (settings, _) = full_drive(2, 0.0);
    let outcome = run(&settings, LoopMode::Open, reads(100));
    assert_eq!((outcome.whole_flash().scrub_reads, outcome.whole_flash().reads), (None, 100));
}

/// Returns the settings of an erased drive with scrub.
fn erased_drive(pages_per_s: f64) -> DriveSettings {
    let (mut settings, _) = full_drive(2, pages_per_s);
    settings.precondition.mode = PreconditionMode::None;
    settings
}

#[test]
fn timer_of_an_erased_drive_causes_no_events_without_data() {
    let events = |pages_per_s: f64| {
        let outcome = run(&erased_drive(pages_per_s), LoopMode::Open, reads(100));
        (outcome.report.events, outcome.whole_flash().scrub_reads.unwrap_or(0))
    };
    let (without, _) = events(0.0);
    let (with, found) = events(1e7);
    assert_eq!(found, 0);
    assert!(with <= without + 10, "{with} {without}");
}

#[test]
fn scrub_of_an_erased_drive_begins_with_the_first_full_block() {
    let mut requests: Vec<_> =
        (0..8 * PAGES_PER_BLOCK).map(|n| pages(Op::Write, n, 1, SimTime::ZERO)).collect();
    let end = SimTime::ZERO + SimSpan::from_us(1_000_000);
    requests.push(pages(Op::Read, 0, 1, end));
    let outcome = run(&erased_drive(1_000.0), LoopMode::Open, requests);
    let found = scrub_reads(&outcome);
    // The first blocks are full after the programs of their pages.
    assert!((900..1_000).contains(&found), "{found} in 1 s");
}
