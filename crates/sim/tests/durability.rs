//! Tests of flushes, writes with forced unit access, and writes of zeroes: times in closed form, and contents
//! of flash afterwards.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_fabric::FabricKind;
use venice_host::Protocol;
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::MappingUnits;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run, small_drive};

/// Time between requests, long enough that they do not affect each other.
const APART: SimSpan = SimSpan::from_us(10_000);

/// Returns requests of pages, with their distance from each other.
fn spaced(apart: SimSpan, requests: &[(Op, u64, u32)]) -> Vec<HostRequest> {
    let arrivals = (0..).map(|number: u64| SimTime::ZERO + apart * number);
    let request = |(&(op, first, count), at): (&(Op, u64, u32), SimTime)| match op {
        Op::Flush => HostRequest { arrival: at, start_sector: 0, sectors: 0, queue: 0, op, pattern_set: 0 },
        _ => pages(op, first, count, at),
    };
    requests.iter().zip(arrivals).map(request).collect()
}

fn drive(mode: CacheMode) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    (settings.cache.mode, settings.cache.pages) = (mode, 16);
    settings
}

/// Returns the latencies of requests, one after the other.
fn latencies(settings: &DriveSettings, apart: SimSpan, requests: &[(Op, u64, u32)]) -> Vec<SimSpan> {
    run(settings, LoopMode::Open, spaced(apart, requests)).latencies()
}

#[test]
fn flush_without_a_cache_takes_the_link_alone() {
    for protocol in [Protocol::Direct, Protocol::Nvme] {
        let mut settings = drive(CacheMode::Off);
        settings.host.protocol = protocol;
        settings.host.link.rate = Rate::from_mb_per_s(1000.0);
        settings.host.link.latency = SimSpan::from_us(10);
        let sizes = &mut settings.host.sizes;
        (sizes.doorbell_bytes, sizes.read_request_bytes) = (4, 4);
        (sizes.command_bytes, sizes.completion_bytes) = (64, 16);
        // A write is in flight when the second flush comes.
        let requests = [(Op::Flush, 0, 0), (Op::Write, 0, 1), (Op::Flush, 0, 0)];
        let mut requests = spaced(APART, &requests);
        requests[2].arrival = requests[1].arrival + SimSpan::from_us(60);
        let outcome = run(&settings, LoopMode::Open, requests);
        let expected = match protocol {
            Protocol::Direct => SimSpan::from_us(20) + SimSpan::from_ns(64 + 16),
            _ => SimSpan::from_us(40) + SimSpan::from_ns(4 + 4 + 64 + 16),
        };
        assert_eq!(outcome.latencies()[0], expected, "{protocol:?}");
        assert_eq!(outcome.latencies()[2], expected, "{protocol:?}");
        assert!(outcome.latencies()[1] > SimSpan::from_us(100), "{protocol:?}");
        assert_eq!(outcome.report.requests.flushes, Some(2));
        assert_eq!(outcome.report.latency_us.flush.unwrap().count, 2);
    }
}

#[test]
fn flush_ends_with_the_destages_in_progress_and_those_that_it_begins() {
    for mode in [CacheMode::Write, CacheMode::ReadWrite] {
        let through = latencies(&drive(CacheMode::Off), APART, &[(Op::Write, 0, 1)])[0];
        let in_memory = latencies(&drive(mode), APART, &[(Op::Write, 0, 1)])[0];
        assert!(in_memory < through);
        // The first write is being destaged when the flush comes at the same time; the second write of a page
        // stays dirty, so that the flush reads it from the memory before its program.
        let first = latencies(&drive(mode), SimSpan::ZERO, &[(Op::Write, 0, 1), (Op::Flush, 0, 0)]);
        assert_eq!(first, [in_memory, through], "{mode:?}");
        let again = [(Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Flush, 0, 0), (Op::Flush, 0, 0)];
        let again = latencies(&drive(mode), APART, &again);
        assert_eq!(again[2], in_memory + through, "{mode:?}");
        assert_eq!(again[3], SimSpan::ZERO, "{mode:?}: nothing is left");
    }
}

#[test]
fn flushes_destage_within_the_limit_and_end_in_order() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.in_flight_sectors = 8;
    let one = latencies(&settings, APART, &[(Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Flush, 0, 0)])[2];
    let mut requests = Vec::new();
    for page in [0, 1, 2, 0, 1, 2] {
        requests.push((Op::Write, page, 1));
    }
    requests.extend([(Op::Flush, 0, 0), (Op::Flush, 0, 0)]);
    let mut requests = spaced(APART, &requests);
    requests[7].arrival = requests[6].arrival + SimSpan::from_us(1);
    let found = run(&settings, LoopMode::Open, requests);
    assert_eq!(found.latencies()[6], one * 3, "one page after the other");
    assert_eq!(found.latencies()[7] + SimSpan::from_us(1), one * 3);
    assert_eq!(found.report.cache.unwrap().flushes_waited, Some(2));
}

#[test]
fn trim_of_dirty_data_ends_the_flush_that_waits_for_it() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.in_flight_sectors = 8;
    let writes = [(Op::Write, 0, 1), (Op::Write, 1, 1), (Op::Write, 0, 1), (Op::Write, 1, 1)];
    let one = latencies(&settings, APART, &[(Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Flush, 0, 0)])[2];
    let requests = [&writes[..], &[(Op::Flush, 0, 0), (Op::Trim, 1, 1)]].concat();
    let mut requests = spaced(APART, &requests);
    requests[5].arrival = requests[4].arrival + SimSpan::from_us(1);
    let found = run(&settings, LoopMode::Open, requests);
    assert_eq!(found.latencies()[4], one, "the second page is gone");
    assert_eq!(found.report.deallocation.unwrap().units, 1);
}

#[test]
fn forced_write_takes_the_time_of_its_program() {
    let through = latencies(&drive(CacheMode::Off), APART, &[(Op::FuaWrite, 0, 1), (Op::FuaWrite, 0, 1)]);
    for mode in [CacheMode::Write, CacheMode::ReadWrite] {
        // The last requests write a page that was already written in the measured window.
        let requests = [(Op::FuaWrite, 0, 1), (Op::FuaWrite, 0, 1), (Op::Write, 0, 1), (Op::FuaWrite, 0, 1)];
        let outcome = run(&drive(mode), LoopMode::Open, spaced(APART, &requests));
        let found = outcome.latencies();
        assert_eq!([found[0], found[1], found[3]], [through[0]; 3], "{mode:?}");
        let counts = outcome.report.requests;
        assert_eq!((counts.writes, counts.fua_writes), (4, Some(3)));
        assert_eq!(outcome.report.latency_us.write.count, 4);
        assert_eq!(outcome.report.latency_us.write_fua.as_ref().unwrap().count, 3);
    }
}

#[test]
fn forced_write_of_a_page_on_its_way_to_flash_follows_it() {
    let through = latencies(&drive(CacheMode::Off), APART, &[(Op::Write, 0, 1)])[0];
    let requests = [(Op::Write, 0, 1), (Op::FuaWrite, 0, 1), (Op::Read, 0, 1)];
    let outcome = run(&drive(CacheMode::Write), LoopMode::Open, spaced(SimSpan::from_us(1), &requests));
    assert!(outcome.latencies()[1] > through + through - SimSpan::from_us(60), "two programs of one page");
    assert_eq!(outcome.report.flash.programs, 2);
}

#[test]
fn protected_cache_flushes_at_once_and_ignores_forced_unit_access() {
    let mut settings = drive(CacheMode::Write);
    settings.cache.power_loss_protection = true;
    let plain = latencies(&settings, APART, &[(Op::Write, 0, 1)])[0];
    let requests = [(Op::FuaWrite, 0, 1), (Op::FuaWrite, 0, 1), (Op::Flush, 0, 0)];
    assert_eq!(latencies(&settings, APART, &requests), [plain, plain, SimSpan::ZERO]);
}

#[test]
fn zeroes_are_deallocated_or_programmed_without_their_data_on_the_link() {
    let mut settings = drive(CacheMode::Off);
    settings.host.link.rate = Rate::from_mb_per_s(1000.0);
    settings.ftl.trim.unit = SimSpan::from_ns(50);
    let requests = [
        (Op::Write, 0, 4),
        (Op::DeallocateZeroes, 0, 4),
        (Op::Read, 0, 4),
        (Op::WriteZeroes, 0, 4),
        (Op::Read, 0, 4),
    ];
    let outcome = run(&settings, LoopMode::Open, spaced(APART, &requests));
    let found = outcome.latencies();
    assert_eq!(found[1], SimSpan::from_ns(4 * 50));
    assert_eq!(found[2], SimSpan::from_ns(4 * 4096), "the link alone");
    assert_eq!(found[3] + SimSpan::from_ns(4 * 4096), found[0], "a write without its data on the link");
    assert_eq!((outcome.report.flash.host_programs, outcome.report.flash.reads), (8, 4));
    assert_eq!(outcome.report.requests.zero_writes, Some(2));
    settings.ftl.trim.zeroes_deallocate = false;
    let outcome = run(&settings, LoopMode::Open, spaced(APART, &requests));
    assert_eq!(outcome.latencies()[1], found[3], "the drive must not deallocate");
    assert_eq!(outcome.report.flash.host_programs, 12);
}

#[test]
fn zeroes_in_a_part_of_a_page_are_written() {
    for mode in [CacheMode::Off, CacheMode::Write] {
        let mut requests =
            spaced(APART, &[(Op::Write, 0, 3), (Op::DeallocateZeroes, 0, 2), (Op::Read, 0, 3)]);
        (requests[1].start_sector, requests[1].sectors) = (4, 16);
        let outcome = run(&drive(mode), LoopMode::Open, requests);
        let found = outcome.report.deallocation.unwrap();
        assert_eq!((found.units, found.pages_freed, found.reads_without_flash), (1, 1, 1), "{mode:?}");
        // With a write cache, pages that are written again stay in the cache.
        let parts = if mode == CacheMode::Off { 2 } else { 0 };
        assert_eq!(outcome.report.flash.host_programs, 3 + parts, "{mode:?}");
    }
}

#[test]
fn flush_and_forced_write_do_not_wait_for_other_planes() {
    for (op, requests) in
        [(Op::Flush, &[(Op::Write, 0, 1), (Op::Flush, 0, 0)][..]), (Op::FuaWrite, &[(Op::FuaWrite, 0, 1)])]
    {
        let mut settings = drive(CacheMode::Write);
        settings.ftl.page_fill_wait = SimSpan::from_us(100_000);
        let last = |settings: &DriveSettings| {
            run(settings, LoopMode::Open, spaced(SimSpan::from_us(100), requests)).latencies().pop().unwrap()
        };
        let at_once = last(&settings);
        settings.ftl.program_min_planes = 2;
        // The program of the write begins with the flush, which arrives later.
        let later = if op == Op::Flush { SimSpan::from_us(100) } else { SimSpan::ZERO };
        assert_eq!(last(&settings), at_once + later, "{op:?}");
    }
}

#[test]
fn flush_and_forced_write_do_not_wait_for_further_units_of_their_page() {
    for (op, requests) in
        [(Op::Flush, &[(Op::Write, 0, 1), (Op::Flush, 0, 0)][..]), (Op::FuaWrite, &[(Op::FuaWrite, 0, 1)])]
    {
        let mut settings = drive(CacheMode::Write);
        settings.ftl.units = MappingUnits::of(512, settings.geometry.page_bytes);
        settings.ftl.page_fill_wait = SimSpan::from_us(100_000);
        let mut requests = spaced(SimSpan::from_us(100), requests);
        requests.iter_mut().filter(|request| request.op != Op::Flush).for_each(|write| write.sectors = 1);
        let outcome = run(&settings, LoopMode::Open, requests);
        let last = outcome.latencies().pop().unwrap();
        assert!(last > SimSpan::from_us(50) && last < SimSpan::from_us(2_000), "{op:?}: {last:?}");
        assert_eq!(outcome.whole_flash().units.unwrap().empty_slots, 7, "{op:?}");
    }
}

#[test]
fn flush_and_forced_write_do_not_wait_for_units_whose_other_sectors_are_read_first() {
    let of_units = [1, 2];
    for (op, min_planes) in [Op::Flush, Op::FuaWrite].into_iter().flat_map(|op| of_units.map(|min| (op, min)))
    {
        let mut settings = drive(CacheMode::Write);
        settings.ftl.units = MappingUnits::of(2048, settings.geometry.page_bytes);
        settings.ftl.page_fill_wait = SimSpan::from_us(100_000);
        settings.ftl.program_min_planes = min_planes;
        let part = if op == Op::Flush { Op::Write } else { op };
        let mut requests = spaced(APART, &[(Op::FuaWrite, 0, 1), (part, 0, 1)]);
        requests[1].sectors = 1;
        if op == Op::Flush {
            // The read of the other sectors has begun.
            let arrival = requests[1].arrival + SimSpan::from_us(10);
            requests.push(HostRequest { op, arrival, start_sector: 0, sectors: 0, ..requests[1] });
        }
        let outcome = run(&settings, LoopMode::Open, requests);
        let last = outcome.latencies().pop().unwrap();
        assert!(last > SimSpan::from_us(50) && last < SimSpan::from_us(2_000), "{op:?}: {last:?}");
    }
}
