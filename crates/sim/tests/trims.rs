//! Tests of trims: times in closed form, freed pages, and their order among writes of the same page.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_drive::ftl::{
    CachedMapping, Mapping, MappingWriteBack, PageAllocation, PartialUnits, TableSharing, UnwrittenData,
};
use venice_fabric::FabricKind;
use venice_host::Protocol;
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{run, small_drive};

/// Time between requests, long enough that they do not affect each other.
const APART: SimSpan = SimSpan::from_us(1000);

/// Returns requests of pages, one each millisecond.
fn one_by_one(requests: &[(Op, u64, u32)]) -> Vec<HostRequest> {
    let arrivals = (0..).map(|number: u64| SimTime::ZERO + APART * number);
    requests.iter().zip(arrivals).map(|(&(op, first, count), at)| pages(op, first, count, at)).collect()
}

/// Returns a drive with 10 µs of latency and 1 ns per byte in each direction of the link.
fn linked(protocol: Protocol) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.host.protocol = protocol;
    settings.host.link.rate = Rate::from_mb_per_s(1000.0);
    settings.host.link.latency = SimSpan::from_us(10);
    settings.host.sizes.doorbell_bytes = 4;
    settings.host.sizes.read_request_bytes = 4;
    settings.host.sizes.command_bytes = 64;
    settings.host.sizes.completion_bytes = 16;
    settings
}

#[test]
fn trim_takes_the_link_and_its_units() {
    let mut settings = linked(Protocol::Direct);
    settings.ftl.trim.base = SimSpan::from_ns(700);
    settings.ftl.trim.unit = SimSpan::from_ns(50);
    let mut requests = one_by_one(&[(Op::Write, 0, 8), (Op::Trim, 0, 8), (Op::Trim, 40, 1)]);
    // Units that are covered in part take their time, too.
    requests.push(HostRequest { start_sector: 4, sectors: 8, ..requests[1] });
    requests[3].arrival = requests[2].arrival + APART;
    let outcome = run(&settings, LoopMode::Open, requests);
    // Command, range list of 16 bytes, completion.
    let link = SimSpan::from_ns(64 + 16 + 16) + SimSpan::from_us(20);
    let expected = [8, 1, 2].map(|units| link + SimSpan::from_ns(700 + 50 * units));
    assert_eq!(outcome.latencies()[1..], expected);
    let found = outcome.report.deallocation.unwrap();
    assert_eq!((found.units, found.units_kept, found.pages_freed, found.bytes), (9, 2, 8, 10 * 4096));
    assert_eq!(outcome.report.requests.trims, Some(3));
    assert_eq!(outcome.report.requests.written_bytes, 8 * 4096);
}

/// Returns the requests of a trim that deallocates these ranges of sectors at `arrival`.
fn trim_of(ranges: &[(u64, u32)], arrival: SimTime) -> Vec<HostRequest> {
    let last = ranges.len() - 1;
    let range = |(place, &(start_sector, sectors)): (usize, &(u64, u32))| {
        let op = if place == last { Op::Trim } else { Op::TrimRange };
        HostRequest { arrival, start_sector, sectors, queue: 0, op, pattern_set: 0 }
    };
    ranges.iter().enumerate().map(range).collect()
}

#[test]
fn trim_with_several_ranges_takes_the_link_once_and_the_units_of_each_range() {
    for protocol in [Protocol::Direct, Protocol::Nvme] {
        for several in [2, 3, 256] {
            let mut settings = linked(protocol);
            settings.ftl.trim.base = SimSpan::from_ns(700);
            settings.ftl.trim.unit = SimSpan::from_ns(50);
            let mut requests = one_by_one(&[(Op::Write, 0, 8)]);
            // Pages 0 and 2 completely, page 5 in part; the others are empty pages.
            let mut ranges = vec![(0, 8), (16, 8), (41, 3)];
            ranges.resize(256, (800, 8));
            requests.extend(trim_of(&ranges[..several], SimTime::ZERO + APART));
            requests.push(pages(Op::Read, 0, 1, SimTime::ZERO + APART * 2));
            requests.push(pages(Op::Read, 1, 1, SimTime::ZERO + APART * 3));
            let outcome = run(&settings, LoopMode::Open, requests);
            let list = 16 * several as u64;
            let link = match protocol {
                Protocol::Direct => SimSpan::from_ns(64 + list + 16) + SimSpan::from_us(20),
                // Doorbell, requests for entry and list, entry, list, completion.
                _ => SimSpan::from_ns(4 + 4 + 64 + 4 + list + 16) + SimSpan::from_us(60),
            };
            let latencies = outcome.latencies();
            assert_eq!(latencies.len(), 4, "a trim is one request");
            assert_eq!(latencies[1], link + SimSpan::from_ns(700 + 50 * several as u64), "{protocol:?}");
            assert!(
                latencies[2] + SimSpan::from_us(3) < latencies[3],
                "page 0 is deallocated, page 1 is not"
            );
            let found = outcome.report.deallocation.unwrap();
            assert_eq!((found.ranges, found.pages_freed), (Some(several as u64), 2));
            assert_eq!(found.units_kept, u64::from(several > 2));
            let sectors: u64 = ranges[..several].iter().map(|range| u64::from(range.1)).sum();
            assert_eq!(found.bytes, 512 * sectors);
            assert_eq!(outcome.report.requests.trims, Some(1));
            let of_trim = outcome.rows.iter().filter(|row| row.number == 1);
            let logged: Vec<_> = of_trim.map(|row| (row.op, row.start_sector, row.sectors)).collect();
            let expected = trim_of(&ranges[..several], SimTime::ZERO);
            let expected: Vec<_> =
                expected.iter().map(|range| (range.op, range.start_sector, range.sectors)).collect();
            assert_eq!(logged, expected);
        }
    }
}

#[test]
fn deallocated_read_takes_the_link_alone() {
    for unwritten in [UnwrittenData::Present, UnwrittenData::Absent, UnwrittenData::MappedOnRead] {
        for protocol in [Protocol::Direct, Protocol::Nvme] {
            let mut settings = linked(protocol);
            settings.ftl.unwritten_data = unwritten;
            let requests = one_by_one(&[
                (Op::Write, 3, 2),
                (Op::Trim, 0, 16),
                (Op::Read, 3, 1),
                (Op::Read, 9, 4),
                (Op::Write, 9, 1),
                (Op::Read, 9, 1),
            ]);
            let outcome = run(&settings, LoopMode::Open, requests);
            let latencies = outcome.latencies();
            let link = |data: u64| match protocol {
                Protocol::Direct => SimSpan::from_us(20) + SimSpan::from_ns(64 + 16 + data),
                // Doorbell, request for the entry, entry, data, completion; each request crosses the link.
                _ => SimSpan::from_us(40) + SimSpan::from_ns(4 + 4 + 64 + data + 16),
            };
            assert_eq!(latencies[2], link(4096), "{unwritten:?} {protocol:?}");
            assert_eq!(latencies[3], link(4 * 4096), "{unwritten:?} {protocol:?}");
            assert!(latencies[5] > link(4096) + SimSpan::from_us(3), "written again");
            let found = outcome.report.deallocation.unwrap();
            assert_eq!((found.units, found.pages_freed, found.reads_without_flash), (16, 2, 5));
            assert_eq!(outcome.report.flash.reads, 1);
        }
    }
}

/// Returns requests of sectors, one each millisecond.
fn of_sectors(requests: &[(Op, u64, u32)]) -> Vec<HostRequest> {
    let arrivals = (0..).map(|number: u64| SimTime::ZERO + APART * number);
    let request = |(&(op, start_sector, sectors), arrival)| HostRequest {
        arrival,
        start_sector,
        sectors,
        queue: 0,
        op,
        pattern_set: 0,
    };
    requests.iter().zip(arrivals).map(request).collect()
}

/// Returns a drive that zeroes the sectors of trims of a part of a mapping unit.
fn zeroing(unwritten: UnwrittenData, page_allocation: PageAllocation) -> DriveSettings {
    let mut settings = linked(Protocol::Direct);
    (settings.ftl.unwritten_data, settings.ftl.page_allocation) = (unwritten, page_allocation);
    settings.ftl.trim.partial_units = PartialUnits::Zeroed;
    settings
}

#[test]
fn zeroed_sectors_take_the_link_alone_and_free_their_unit_together() {
    for unwritten in [UnwrittenData::Present, UnwrittenData::Absent] {
        for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
            let settings = zeroing(unwritten, page_allocation);
            let requests = of_sectors(&[
                (Op::Write, 0, 8),
                (Op::Trim, 0, 4),
                (Op::Read, 0, 4),
                (Op::Read, 0, 8),
                (Op::Read, 4, 4),
                (Op::Trim, 2, 6),
                (Op::Read, 4, 4),
                (Op::Write, 1, 2),
                (Op::Read, 0, 1),
                (Op::Read, 1, 2),
            ]);
            let outcome = run(&settings, LoopMode::Open, requests);
            let latencies = outcome.latencies();
            let link = |sectors: u64| SimSpan::from_us(20) + SimSpan::from_ns(64 + 16 + 512 * sectors);
            for (read, sectors) in [(2, 4), (6, 4), (8, 1)] {
                assert_eq!(latencies[read], link(sectors), "{unwritten:?} {page_allocation:?} {read}");
            }
            // Of eight sectors, only four are read from flash.
            assert_eq!(latencies[3] + link(4), latencies[4] + link(8));
            assert!(latencies[4] > link(4) + SimSpan::from_us(3) && latencies[9] > link(2));
            let found = outcome.report.deallocation.unwrap();
            assert_eq!((found.units, found.units_kept, found.units_zeroed), (1, 0, Some(2)));
            assert_eq!((found.pages_freed, found.reads_without_flash), (1, 3));
            assert_eq!(outcome.report.flash.update_reads, 0, "no sector is left beside the last write");
        }
    }
}

#[test]
fn partial_write_beside_zeroed_sectors_reads_only_those_with_data() {
    for (trimmed, update_reads) in [(4, 1), (6, 0)] {
        let settings = zeroing(UnwrittenData::Present, PageAllocation::AtStart);
        let requests = of_sectors(&[
            (Op::Write, 0, 8),
            (Op::Trim, 0, trimmed),
            (Op::Write, 6, 2),
            (Op::Read, 0, 4),
            (Op::Read, 6, 2),
        ]);
        let outcome = run(&settings, LoopMode::Open, requests);
        assert_eq!(outcome.report.flash.update_reads, update_reads);
        assert_eq!(outcome.report.deallocation.unwrap().reads_without_flash, 1, "the write keeps the zeroes");
    }
}

#[test]
fn unwritten_unit_of_which_a_part_is_trimmed_keeps_the_rest() {
    let settings = zeroing(UnwrittenData::Present, PageAllocation::AtStart);
    let requests = of_sectors(&[
        (Op::Trim, 0, 4),
        (Op::Read, 0, 4),
        (Op::Read, 4, 4),
        (Op::Trim, 4, 4),
        (Op::Read, 4, 4),
    ]);
    let outcome = run(&settings, LoopMode::Open, requests);
    let found = outcome.report.deallocation.unwrap();
    assert_eq!((found.units, found.pages_freed, found.reads_without_flash), (1, 0, 2));
    assert_eq!(outcome.report.flash.reads, 1);
}

#[test]
fn read_of_a_deallocated_sector_ends_with_an_error_after_the_link() {
    for (unwritten, refused) in [(UnwrittenData::Present, 3), (UnwrittenData::Absent, 4)] {
        let mut settings = zeroing(unwritten, PageAllocation::AtStart);
        settings.ftl.trim.dulbe = true;
        let requests = of_sectors(&[
            (Op::Write, 0, 16),
            (Op::Trim, 4, 1),
            (Op::Read, 0, 16),
            (Op::Read, 4, 1),
            (Op::Read, 0, 4),
            (Op::Write, 4, 1),
            (Op::Read, 0, 16),
            (Op::Trim, 8, 8),
            (Op::Read, 7, 2),
            (Op::Read, 24, 1),
        ]);
        let outcome = run(&settings, LoopMode::Open, requests);
        let failed: Vec<u64> =
            outcome.rows.iter().filter(|row| row.has_failed).map(|row| row.number).collect();
        assert_eq!(failed, [2, 3, 8, 9][..refused], "{unwritten:?}");
        // Command and completion, without data.
        let link = SimSpan::from_us(20) + SimSpan::from_ns(64 + 16);
        let latencies = outcome.latencies();
        assert!(failed.iter().all(|&number| latencies[number as usize] == link), "{unwritten:?}");
        assert_eq!(outcome.report.deallocation.unwrap().reads_refused, Some(refused as u64));
        assert_eq!(outcome.report.requests.completed, 10 - refused as u64);
    }
}

#[test]
fn cache_forgets_zeroed_sectors() {
    for mode in [CacheMode::Write, CacheMode::ReadWrite, CacheMode::Read] {
        let mut settings = zeroing(UnwrittenData::Present, PageAllocation::AtStart);
        (settings.cache.mode, settings.cache.pages) = (mode, 4);
        let requests = of_sectors(&[
            (Op::Write, 0, 8),
            (Op::Write, 0, 8),
            (Op::Read, 0, 8),
            (Op::Trim, 0, 4),
            (Op::Read, 0, 4),
            (Op::Read, 4, 4),
            (Op::Trim, 4, 4),
            (Op::Read, 0, 8),
        ]);
        let outcome = run(&settings, LoopMode::Open, requests);
        let found = outcome.report.deallocation.unwrap();
        assert_eq!((found.units, found.reads_without_flash), (1, 2), "{mode:?}");
    }
}

#[test]
fn partial_write_of_a_deallocated_page_reads_nothing() {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        settings.ftl.page_allocation = page_allocation;
        let mut requests =
            one_by_one(&[(Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Trim, 0, 1), (Op::Write, 0, 1)]);
        (requests[1].sectors, requests[3].sectors) = (3, 3);
        let outcome = run(&settings, LoopMode::Open, requests);
        assert_eq!(outcome.report.flash.update_reads, 1, "{page_allocation:?}: the write before the trim");
    }
}

#[test]
fn trim_behind_a_write_of_its_page_waits_for_it() {
    for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        let mut settings = small_drive(FabricKind::Bus, 1, 1);
        settings.ftl.page_allocation = page_allocation;
        let mut requests = one_by_one(&[(Op::Write, 0, 1), (Op::Trim, 0, 1), (Op::Read, 0, 1)]);
        requests[1].arrival = SimTime::ZERO;
        let outcome = run(&settings, LoopMode::Open, requests);
        let latencies = outcome.latencies();
        let waits = page_allocation == PageAllocation::AtStart;
        assert_eq!(latencies[1] == latencies[0], waits, "{page_allocation:?}");
        assert_eq!(latencies[2], SimSpan::ZERO, "{page_allocation:?}: nothing is left to read");
        assert_eq!(outcome.report.deallocation.unwrap().pages_freed, 1);
    }
}

#[test]
fn trimmed_drive_collects_without_moves() {
    let paged = CachedMapping {
        table_entries: 16,
        entries_per_page: 12,
        page_entry_bytes: 4,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    };
    for mapping in [Mapping::Ideal, Mapping::Cached(paged)] {
        let mut settings = small_drive(FabricKind::Bus, 2, 2);
        settings.ftl.mapping = mapping;
        let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
        // Each round writes every page and trims all of them.
        let rounds = 6;
        let requests = [(Op::Write, 0, all), (Op::Trim, 0, all)].repeat(rounds);
        let far_apart = one_by_one(&requests).into_iter().enumerate().map(|(number, request)| HostRequest {
            arrival: SimTime::ZERO + SimSpan::from_us(1_000_000) * number as u64,
            ..request
        });
        let outcome = run(&settings, LoopMode::Open, far_apart.collect());
        let flash = outcome.whole_flash();
        assert!(flash.erases > 0);
        if mapping == Mapping::Ideal {
            assert_eq!(flash.gc_moves, 0);
        }
        let found = outcome.report.deallocation.unwrap();
        assert_eq!(found.pages_freed, u64::from(all) * rounds as u64);
    }
}

#[test]
fn trim_drops_what_the_cache_holds() {
    for mode in [CacheMode::Write, CacheMode::ReadWrite, CacheMode::Read] {
        let mut settings = small_drive(FabricKind::Bus, 1, 1);
        (settings.cache.mode, settings.cache.pages) = (mode, 4);
        let mut requests = one_by_one(&[
            (Op::Write, 0, 1),
            (Op::Write, 0, 1),
            (Op::Read, 0, 1),
            (Op::Trim, 0, 1),
            (Op::Read, 0, 1),
            (Op::Write, 1, 1),
            (Op::Trim, 1, 1),
            (Op::Read, 1, 1),
        ]);
        // The last trim finds its page on the way to flash.
        requests[6].arrival = requests[5].arrival;
        let outcome = run(&settings, LoopMode::Open, requests);
        let found = outcome.report.deallocation.unwrap();
        assert_eq!((found.units, found.reads_without_flash), (2, 2), "{mode:?}");
        assert_eq!(outcome.report.flash.reads, u64::from(mode == CacheMode::Read), "{mode:?}");
    }
}
