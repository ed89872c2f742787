//! Tests of the data cache: exact times, and dependences between requests.
//!
//! Each chip has one die with one plane, and its own bus. An access to the cache's DRAM takes 26 ns plus 5 ns
//! per byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::{CacheMechanism, CacheMode};
use venice_drive::ftl::{Resources, UnwrittenData};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);
/// Time to send a page over the bus, at one byte per nanosecond.
const PAGE_ON_BUS: SimSpan = SimSpan::from_ns(4096);
/// Time to read or write 4 KiB in the cache's DRAM: 13 + 13 + 4096 × 5 ns.
const PAGE_IN_DRAM: SimSpan = SimSpan::from_ns(20_506);
const FLASH_READ: SimSpan = SimSpan::from_ps(COMMAND.as_ps() + T_READ.as_ps() + PAGE_ON_BUS.as_ps());
const FLASH_WRITE: SimSpan = SimSpan::from_ps(COMMAND.as_ps() + PAGE_ON_BUS.as_ps() + T_PROGRAM.as_ps());

fn drive(mode: CacheMode) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 1);
    settings.geometry.planes_per_die = 1;
    settings.flash = venice_nand::testkit::paper_flash(1);
    settings.fabric.bus.rate = Rate::from_mb_per_s(1000.0);
    settings.cache.mode = mode;
    settings
}

fn at(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

fn write(page: u64, us: u64) -> HostRequest {
    pages(Op::Write, page, 1, at(us))
}

fn read(page: u64, us: u64) -> HostRequest {
    pages(Op::Read, page, 1, at(us))
}

fn open(settings: &DriveSettings, requests: Vec<HostRequest>) -> RunOutcome {
    run(settings, LoopMode::Open, requests)
}

/// Returns counters of the cache: sectors hit, sectors missed, pages written, pages destaged.
fn counted(outcome: &RunOutcome) -> (u64, u64, u64, u64) {
    let cache = outcome.report.cache.unwrap();
    (cache.read_hit_sectors, cache.read_miss_sectors, cache.writes, cache.destages)
}

#[test]
fn a_write_completes_in_memory_and_is_programmed_in_parallel() {
    let mut settings = drive(CacheMode::Write);
    settings.host.link.rate = Rate::from_mb_per_s(8000.0);
    settings.host.sizes.command_bytes = 64;
    settings.host.sizes.completion_bytes = 16;
    let outcome = open(&settings, vec![write(0, 0)]);
    let link = SimSpan::from_ps(125) * (64 + 4096 + 16);
    assert_eq!(outcome.latencies(), [link + PAGE_IN_DRAM]);
    assert_eq!(outcome.rows[0].stages[Stage::Cache as usize], PAGE_IN_DRAM);
    assert_eq!((outcome.report.flash.programs, counted(&outcome)), (1, (0, 0, 1, 1)));
}

#[test]
fn writes_follow_each_other_through_the_one_memory() {
    let outcome = open(&drive(CacheMode::Write), vec![write(0, 0), write(1, 0), write(2, 0)]);
    assert_eq!(outcome.latencies(), [PAGE_IN_DRAM, PAGE_IN_DRAM * 2, PAGE_IN_DRAM * 3]);
}

#[test]
fn a_read_of_a_destaged_page_is_served_from_memory_and_later_from_flash() {
    // At 50 µs the program, which takes 104 µs, is in progress. At 200 µs it has ended, and the cache is
    // empty.
    let outcome = open(&drive(CacheMode::Write), vec![write(0, 0), read(0, 50), read(0, 200)]);
    assert_eq!(outcome.latencies(), [PAGE_IN_DRAM, PAGE_IN_DRAM, FLASH_READ]);
}

#[test]
fn a_page_written_again_stays_and_is_never_programmed_twice() {
    let again = (1..=10).map(|n| write(0, 300 * n));
    let outcome = open(&drive(CacheMode::Write), [write(0, 0)].into_iter().chain(again).collect());
    assert_eq!(outcome.latencies(), [PAGE_IN_DRAM; 11]);
    assert_eq!((outcome.report.flash.programs, counted(&outcome)), (1, (0, 0, 11, 1)));
}

#[test]
fn a_page_counts_as_new_again_behind_the_first_write_after_the_window() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.hot_window = SimSpan::from_us(1000);
    let destages = |times: &[u64]| {
        let outcome = open(&settings, times.iter().map(|&us| write(0, us)).collect());
        assert_eq!(counted(&outcome).2, times.len() as u64);
        counted(&outcome).3
    };
    assert_eq!(destages(&[0, 500, 999, 1500]), 1, "the last one still belongs to the window, and ends it");
    assert_eq!(destages(&[0, 500, 999, 1500, 1600]), 2);
    assert_eq!(destages(&[0, 500, 999, 1500, 1600, 2400]), 2, "the next window has begun at 1500");
}

#[test]
fn a_read_takes_cached_sectors_from_memory_and_others_from_flash_in_parallel() {
    // Page 0 stays in the cache, since it is written twice. So does half of page 2.
    let half = |us| HostRequest { sectors: 4, ..write(2, us) };
    let requests = [write(0, 0), write(0, 300), half(600), half(900)];
    let found = |read: HostRequest| {
        let outcome = open(&drive(CacheMode::Write), requests.iter().copied().chain([read]).collect());
        (*outcome.latencies().last().unwrap(), counted(&outcome).0, counted(&outcome).1)
    };
    assert_eq!(found(read(0, 2000)), (PAGE_IN_DRAM, 8, 0));
    // The cache's DRAM is slower than flash in this case: 13 + 13 + 2048 × 5 ns.
    let half_in_dram = SimSpan::from_ns(26 + 10_240);
    assert_eq!(found(read(2, 2000)), (half_in_dram, 4, 4));
    let rest = HostRequest { start_sector: 20, sectors: 4, ..read(2, 2000) };
    assert_eq!(found(rest), (COMMAND + T_READ + SimSpan::from_ns(2048), 0, 4));
    // The parts of pages 0 to 2 in the cache, 8 and 4 sectors, are read in one access of 13 + 13 + 6144 × 5
    // ns.
    let all = pages(Op::Read, 0, 3, at(2000));
    assert_eq!(found(all), (SimSpan::from_ns(26 + 30_720), 12, 12));
}

#[test]
fn a_write_waits_when_too_much_is_on_its_way_to_flash_until_some_of_it_is_there() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.in_flight_sectors = 16;
    let outcome = open(&settings, vec![write(0, 0), write(2, 0), write(4, 1), write(6, 2)]);
    // All four pages are on one chip, so the programs end at multiples of 104.106 µs.
    let end = |n| FLASH_WRITE * n;
    let third = end(1) + PAGE_IN_DRAM - SimSpan::from_us(1);
    let fourth = end(2) + PAGE_IN_DRAM - SimSpan::from_us(2);
    assert_eq!(outcome.latencies(), [PAGE_IN_DRAM, PAGE_IN_DRAM * 2, third, fourth]);
    assert_eq!(outcome.report.cache.unwrap().writes_held_up, 2);
}

#[test]
fn a_long_write_is_taken_in_parts_and_answered_with_the_last() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.in_flight_sectors = 8;
    let outcome = open(&settings, vec![pages(Op::Write, 0, 2, at(0))]);
    assert_eq!(outcome.latencies(), [FLASH_WRITE + PAGE_IN_DRAM]);
}

#[test]
fn the_page_used_longest_ago_is_read_out_and_written_to_flash_when_its_room_is_needed() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.pages = 2;
    // Pages 0 and 2 are dirty and stay in the cache; page 0 is the one used last.
    let dirty = vec![write(0, 0), write(2, 200), write(0, 400), write(2, 600), write(0, 800)];
    let outcome = open(&settings, dirty.into_iter().chain([write(4, 1000), read(2, 1010)]).collect());
    // Page 2 is read from the DRAM in 20.5 µs, then page 4 is accepted. The read still hits page 2.
    let latencies = outcome.latencies();
    assert_eq!(latencies[5], PAGE_IN_DRAM * 2);
    assert_eq!(latencies[6], PAGE_IN_DRAM * 3 - SimSpan::from_us(10));
    let cache = outcome.report.cache.unwrap();
    assert_eq!((cache.evictions, cache.destages, outcome.whole_flash().programs), (1, 4, 4));
}

#[test]
fn what_was_read_is_kept_without_delay_for_who_read_it_and_found_by_the_next() {
    for mode in [CacheMode::Read, CacheMode::ReadWrite] {
        let outcome = open(&drive(mode), vec![read(0, 0), read(0, 100), read(2, 200)]);
        assert_eq!(outcome.latencies(), [FLASH_READ, PAGE_IN_DRAM, FLASH_READ], "{mode:?}");
    }
    let writes_only = open(&drive(CacheMode::Write), vec![read(0, 0), read(0, 100)]);
    assert_eq!(writes_only.latencies(), [FLASH_READ; 2]);
}

#[test]
fn a_write_past_the_cache_takes_as_long_as_without_one_and_ends_the_copy() {
    let outcome = open(&drive(CacheMode::Read), vec![read(0, 0), write(0, 100), read(0, 300), read(0, 400)]);
    assert_eq!(outcome.latencies(), [FLASH_READ, FLASH_WRITE, FLASH_READ, PAGE_IN_DRAM]);
}

#[test]
fn a_read_that_was_overtaken_by_a_write_is_not_kept() {
    // The write arrives after the array read of the old page. The read ends at 7.1 µs.
    let mut settings = drive(CacheMode::Read);
    settings.geometry.dies_per_chip = 1;
    let outcome = open(&settings, vec![read(0, 0), write(0, 1), read(0, 300)]);
    assert_eq!(outcome.latencies()[2], FLASH_READ);
}

#[test]
fn queues_with_their_own_part_of_the_cache_do_not_take_each_others_room_or_wait_for_each_other() {
    let on = |queue, request| HostRequest { queue, ..request };
    let hot = [write(0, 0), write(0, 300)];
    let others = (1..=4).map(|n| on(1, write(2 * n, 500 * n)));
    let requests: Vec<_> = hot.into_iter().chain(others).chain([read(0, 4000)]).collect();
    let last = |partitions| {
        let mut settings = drive(CacheMode::Write);
        (settings.cache.pages, settings.cache.partitions) = (2, partitions);
        settings.cache.in_flight_sectors = 8;
        *open(&settings, requests.clone()).latencies().last().unwrap()
    };
    assert_eq!(last(2), PAGE_IN_DRAM);
    let held_up = |partitions| {
        let mut settings = drive(CacheMode::Write);
        settings.cache.partitions = partitions;
        settings.cache.in_flight_sectors = 8;
        open(&settings, vec![write(0, 0), on(1, write(1, 0))]).latencies()[1]
    };
    assert_eq!(held_up(2), PAGE_IN_DRAM * 2);
    assert_eq!(held_up(1), FLASH_WRITE + PAGE_IN_DRAM);
}

#[test]
fn the_cache_is_off_by_default() {
    let outcome = open(&drive(CacheMode::Off), vec![write(0, 0), read(0, 300)]);
    assert_eq!(outcome.latencies(), [FLASH_WRITE, FLASH_READ]);
    assert!(outcome.report.cache.is_none());
}

#[test]
fn what_was_never_written_is_kept_only_where_it_counts_as_data() {
    let mut settings = drive(CacheMode::Read);
    let found = |settings: &DriveSettings, requests| counted(&open(settings, requests)).0;
    let twice = || vec![read(5, 0), read(5, 500)];
    settings.ftl.unwritten_data = UnwrittenData::Present;
    assert_eq!(found(&settings, twice()), 8);
    for nothing in [UnwrittenData::Absent, UnwrittenData::MappedOnRead] {
        settings.ftl.unwritten_data = nothing;
        assert_eq!(found(&settings, twice()), 0);
        let written = [read(5, 0), write(5, 500), read(5, 1000), read(5, 1500)];
        assert_eq!(found(&settings, written.into()), 8, "the first read after the write brings it");
    }
}

#[test]
fn each_address_range_has_its_mode() {
    let mut settings = drive(CacheMode::Off);
    settings.cache.modes = vec![CacheMode::Write, CacheMode::Read];
    settings.ftl.partitions = vec![Resources::default(); 2];
    let second = Simulation::address_ranges(&settings)[1].start / 8;
    let found = |of| open(&settings, of).latencies();
    assert_eq!(found(vec![write(0, 0), write(second, 0)])[..1], [PAGE_IN_DRAM]);
    assert_eq!(found(vec![write(second, 0)]), [FLASH_WRITE]);
    assert_eq!(found(vec![read(second, 0), read(second, 400)])[1], PAGE_IN_DRAM);
    assert_eq!(found(vec![read(0, 0), read(0, 400)]), [FLASH_READ; 2]);
    // The request crosses the boundary between both ranges: one page is in the cache, and one is on flash.
    let across = HostRequest { sectors: 16, ..write(second - 1, 0) };
    let outcome = open(&settings, vec![across]);
    assert_eq!(outcome.latencies(), [FLASH_WRITE]);
    let cache = outcome.report.cache.unwrap();
    assert_eq!((cache.writes, outcome.report.flash.host_programs), (1, 2));
    settings.cache.modes = vec![CacheMode::Off; 2];
    assert!(open(&settings, vec![write(0, 0)]).report.cache.is_none());
}

#[test]
fn queues_of_a_simple_cache_do_not_wait_for_each_other_at_the_memory_and_take_turns_when_it_is_full() {
    let on = |queue, request| HostRequest { queue, ..request };
    let mut settings = drive(CacheMode::Write);
    let together = vec![on(0, write(0, 0)), on(1, write(1, 0))];
    assert_eq!(open(&settings, together.clone()).latencies(), [PAGE_IN_DRAM, PAGE_IN_DRAM * 2]);
    settings.cache.mechanism = CacheMechanism::Simple;
    assert_eq!(open(&settings, together).latencies(), [PAGE_IN_DRAM; 2]);
    // Only one page can be destaged at a time. The second and third write of queue 0 wait, and then one of
    // queue 1. By round robin, the write of queue 1 is served between the other two.
    settings.cache.in_flight_sectors = 8;
    let order = |mechanism| {
        let mut settings = settings.clone();
        settings.cache.mechanism = mechanism;
        let waiting = [on(0, write(0, 0)), on(0, write(2, 1)), on(0, write(4, 2)), on(1, write(6, 3))];
        let mut rows = open(&settings, waiting.to_vec()).rows;
        rows.sort_by_key(|row| row.completed);
        rows.iter().map(|row| row.number).collect::<Vec<_>>()
    };
    assert_eq!(order(CacheMechanism::Advanced), [0, 1, 2, 3]);
    assert_eq!(order(CacheMechanism::Simple), [0, 3, 1, 2]);
}
