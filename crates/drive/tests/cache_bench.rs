//! Tests of the data cache alone, between a host and a lower layer that the test controls: exact times.
//!
//! An access to the cache's DRAM takes 26 ns plus 5 ns per byte. A page has eight sectors of 512 bytes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::{CacheMechanism, CacheMode, CacheSettings};
use venice_drive::testkit::cache::CacheBench;
use venice_drive::testkit::settings::SmallDrive;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Lpn, Priority};
use venice_nand::transactions::Origin;

/// Time to read or write a page in the cache's DRAM: 13 + 13 + 4096 × 5 ns.
const PAGE: SimSpan = SimSpan::from_ns(20_506);
/// Time to read or write half a page in the cache's DRAM: 13 + 13 + 2048 × 5 ns.
const HALF: SimSpan = SimSpan::from_ns(10_266);
const ALL: u64 = 0xff;

fn settings(mode: CacheMode, pages: u32) -> CacheSettings {
    CacheSettings { mode, pages, ..SmallDrive::new(1, 1).cache }
}

fn bench(mode: CacheMode, pages: u32) -> CacheBench {
    CacheBench::new(&settings(mode, pages), 1000)
}

fn us(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

fn just_before(at: SimTime) -> SimTime {
    SimTime::from_ps(at.as_ps() - 1)
}

/// Writes pages 0 to `pages` (exclusive) twice and completes their first destages, so that only the cache has
/// the current contents.
fn dirty(bench: &mut CacheBench, pages: u64) {
    for page in (0..pages).chain(0..pages) {
        bench.write(0, page * 8..(page + 1) * 8, us(100 * page));
    }
    (0..pages as usize).for_each(|index| bench.flash_has(index, us(900)));
    assert_eq!(bench.below.writes.len(), pages as usize, "only first writes go to flash at once");
}

#[test]
fn a_read_takes_cached_sectors_from_memory_and_requests_the_others_from_flash() {
    let mut bench = bench(CacheMode::Write, 4);
    let (written, parts) = bench.write(0, 0..4, us(0));
    assert_eq!(parts, 1);
    let (read, parts) = bench.read(0, 0..8, us(100));
    assert_eq!(parts, 2, "the memory's and flash's");
    let [asked] = bench.below.reads[..] else { panic!("{:?}", bench.below.reads) };
    assert_eq!(
        (asked.origin, asked.lpn, asked.sectors, asked.at),
        (Origin::Request(read), Lpn(0), 0xf0, us(100))
    );
    bench.run_until(us(1000));
    assert_eq!(bench.served, [(us(0) + HALF, written), (us(100) + HALF, read)]);
    let counters = bench.cache.counters();
    assert_eq!((counters.read_hit_sectors, counters.read_miss_sectors), (4, 4));
}

#[test]
fn an_uncached_read_is_served_from_flash_only() {
    let mut bench = bench(CacheMode::Write, 4);
    assert_eq!(bench.read(0, 4..20, us(0)).1, 3, "three pages");
    let asked: Vec<_> = bench.below.reads.iter().map(|asked| (asked.lpn.0, asked.sectors)).collect();
    assert_eq!(asked, [(0, 0xf0), (1, ALL), (2, 0x0f)]);
    bench.run_until(us(1000));
    assert!(bench.served.is_empty(), "{:?}", bench.served);
}

#[test]
fn the_memory_serves_one_access_after_another() {
    let mut bench = bench(CacheMode::Write, 8);
    let requests: Vec<_> = (0..3).map(|page| bench.write(0, page * 8..page * 8 + 8, us(0)).0).collect();
    bench.run_until(just_before(us(0) + PAGE * 3));
    assert_eq!(bench.served, [(us(0) + PAGE, requests[0]), (us(0) + PAGE * 2, requests[1])]);
    bench.run_until(us(0) + PAGE * 3);
    assert_eq!(bench.served[2], (us(0) + PAGE * 3, requests[2]));
}

#[test]
fn queues_of_the_simple_cache_do_not_wait_for_each_other_at_the_memory() {
    let simple = CacheSettings { mechanism: CacheMechanism::Simple, ..settings(CacheMode::Write, 8) };
    let mut bench = CacheBench::new(&simple, 1000);
    let [first, second] = [0_u16, 1].map(|queue| {
        let page = u64::from(queue);
        bench.write(queue, page * 8..page * 8 + 8, us(0)).0
    });
    bench.run_until(us(1000));
    assert_eq!(bench.served, [(us(0) + PAGE, first), (us(0) + PAGE, second)]);
}

#[test]
fn an_access_of_more_than_a_row_opens_row_after_row() {
    let mut narrow = settings(CacheMode::Write, 4);
    narrow.dram.row_bytes = 2048;
    let mut bench = CacheBench::new(&narrow, 1000);
    let (request, _) = bench.write(0, 0..8, us(0));
    bench.run_until(us(1000));
    // Two rows are opened and read, and the first one is closed, which takes another 26 + 13 ns.
    assert_eq!(bench.served, [(us(0) + PAGE + SimSpan::from_ns(26 + 13), request)]);
}

#[test]
fn the_first_write_of_a_page_is_destaged_at_once_and_the_second_stays_cached() {
    let mut bench = bench(CacheMode::Write, 4);
    bench.write(0, 0..8, us(0));
    let [first] = bench.below.writes[..] else { panic!("{:?}", bench.below.writes) };
    assert_eq!((first.at, first.lpn, first.sectors), (us(0), Lpn(0), ALL));
    bench.write(0, 0..4, us(100));
    bench.flash_has(0, us(200));
    bench.run_until(us(1000));
    assert_eq!(bench.below.writes.len(), 1);
    assert_eq!(bench.read(0, 0..8, us(1000)).1, 1, "all of it is here still, as it was written again");
    assert!(bench.below.reads.is_empty());
}

#[test]
fn a_page_that_flash_has_and_that_was_not_written_again_is_given_up() {
    let mut bench = bench(CacheMode::Write, 4);
    bench.write(0, 0..8, us(0));
    bench.read(0, 0..8, us(100));
    assert!(bench.below.reads.is_empty(), "while it is on its way, it is found");
    bench.flash_has(0, us(200));
    bench.read(0, 0..8, us(300));
    assert_eq!(bench.below.reads.len(), 1);
}

#[test]
fn a_full_cache_reads_out_the_page_used_longest_ago_and_then_writes_it() {
    let mut bench = bench(CacheMode::Write, 2);
    dirty(&mut bench, 2);
    bench.read(0, 0..8, us(1000));
    let (request, _) = bench.write(0, 16..24, us(2000));
    bench.run_until(us(3000));
    let asked: Vec<_> = bench.below.writes[2..].iter().map(|asked| (asked.at, asked.lpn.0)).collect();
    // Page 0 has been read since, so page 1 is evicted when it has been read from the DRAM. The new page is
    // written to flash at once.
    assert_eq!(asked, [(us(2000), 2), (us(2000) + PAGE, 1)]);
    assert_eq!(bench.below.writes[3].priority, Priority::Urgent, "a write waits for its room");
    assert_eq!(bench.served.last(), Some(&(us(2000) + PAGE * 2, request)), "behind what is read out");
    assert_eq!(bench.cache.counters().evictions, 1);
}

#[test]
fn a_page_on_its_way_to_flash_is_found_though_its_room_has_been_given_away() {
    let mut bench = bench(CacheMode::Write, 1);
    bench.write(0, 0..8, us(0));
    bench.write(0, 8..16, us(100));
    assert_eq!(bench.read(0, 0..8, us(200)).1, 1, "the memory still has it");
    assert!(bench.below.reads.is_empty());
    bench.flash_has(0, us(300));
    assert_eq!(bench.read(0, 0..8, us(400)).1, 1);
    assert_eq!(bench.below.reads.len(), 1, "now flash alone has it");
}

#[test]
fn a_write_waits_while_too_much_is_on_its_way_and_goes_on_when_flash_has_a_page() {
    let few = CacheSettings { in_flight_sectors: 8, ..settings(CacheMode::Write, 8) };
    let mut bench = CacheBench::new(&few, 1000);
    let (first, _) = bench.write(0, 0..8, us(0));
    let (second, _) = bench.write(0, 8..24, us(100));
    bench.run_until(us(999));
    assert_eq!(bench.served, [(us(0) + PAGE, first)]);
    assert_eq!(bench.cache.counters().writes_held_up, 1);
    bench.flash_has(0, us(1000));
    assert_eq!(bench.below.writes[1].at, us(1000), "its first page is taken");
    bench.run_until(us(1999));
    assert_eq!(bench.served.len(), 1, "its second is not");
    bench.flash_has(1, us(2000));
    bench.run_until(us(3000));
    assert_eq!(bench.served[1], (us(2000) + PAGE, second));
}

#[test]
fn a_write_that_is_taken_in_part_stays_before_those_that_wait_behind_it() {
    let few = CacheSettings { in_flight_sectors: 8, ..settings(CacheMode::Write, 8) };
    let mut bench = CacheBench::new(&few, 1000);
    for sectors in [0..8, 8..24, 24..32] {
        bench.write(0, sectors, us(0));
    }
    for index in 0..3 {
        bench.flash_has(index, us(1000 + 1000 * index as u64));
    }
    let pages: Vec<_> = bench.below.writes.iter().map(|asked| asked.lpn.0).collect();
    assert_eq!(pages, [0, 1, 2, 3]);
}

#[test]
fn a_page_is_cold_again_behind_the_write_that_ends_its_window() {
    let window = SimSpan::from_us(1000);
    let mut bench =
        CacheBench::new(&CacheSettings { hot_window: window, ..settings(CacheMode::Write, 4) }, 1000);
    let to_flash = |bench: &mut CacheBench, at| {
        let before = bench.below.writes.len();
        bench.write(0, 0..8, at);
        let sent = bench.below.writes.len() > before;
        if sent {
            bench.flash_has(before, at);
        }
        sent
    };
    // The first write after the end time of a window still belongs to it, and ends it.
    let end = us(1000);
    let times = [us(0), us(400), end, SimTime::from_ps(end.as_ps() + 1), us(1100), us(1200)];
    let sent = times.map(|at| to_flash(&mut bench, at));
    assert_eq!(sent, [true, false, false, false, true, false]);
}

#[test]
fn what_came_from_flash_is_kept_if_it_is_still_the_page_s_content() {
    for is_current in [true, false] {
        let mut bench = bench(CacheMode::Read, 4);
        bench.below.is_current = is_current;
        bench.read(0, 0..8, us(0));
        bench.flash_gives(0, us(100));
        bench.read(0, 0..8, us(200));
        assert_eq!(bench.below.reads.len(), if is_current { 1 } else { 2 });
    }
}

#[test]
fn a_read_waits_for_the_memory_while_it_stores_flash_data() {
    let mut bench = bench(CacheMode::Read, 4);
    bench.read(0, 0..8, us(0));
    bench.flash_gives(0, us(100));
    let (again, _) = bench.read(0, 0..8, us(100));
    bench.run_until(us(1000));
    assert_eq!(bench.served, [(us(100) + PAGE * 2, again)]);
}

#[test]
fn clean_read_data_is_evicted_without_a_program() {
    let mut bench = bench(CacheMode::Read, 1);
    for (index, page) in [0, 1].into_iter().enumerate() {
        bench.read(0, page * 8..page * 8 + 8, us(100 * page));
        bench.flash_gives(index, us(100 * page + 50));
    }
    assert_eq!(bench.read(0, 0..8, us(500)).1, 1);
    assert_eq!((bench.below.reads.len(), bench.below.writes.len()), (3, 0));
    assert_eq!(bench.cache.counters().evictions, 1);
}

#[test]
fn a_copy_does_not_outlive_a_write_past_the_cache() {
    let mut bench = bench(CacheMode::Read, 4);
    bench.read(0, 0..8, us(0));
    bench.flash_gives(0, us(50));
    assert_eq!(bench.write(0, 0..8, us(100)).1, 1);
    assert_eq!(bench.below.past, [(0, 8)]);
    bench.cache.written_past(Lpn(0));
    bench.read(0, 0..8, us(200));
    assert_eq!(bench.below.reads.len(), 2);
}
