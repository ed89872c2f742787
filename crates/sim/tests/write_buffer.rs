//! Tests of a write buffer for mapping units of 64 KiB: times in closed form, read-modify-write, and coalescing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_fabric::FabricKind;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::MappingUnits;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, run_with_power_losses, small_drive};

/// Bytes of a mapping unit, whose 128 sectors are recorded in pairs.
const UNIT_BYTES: u32 = 65_536;
const UNIT_SECTORS: u64 = 128;
/// Time between requests, long enough that they do not affect each other.
const APART: SimSpan = SimSpan::from_us(20_000);

/// Returns a drive of 4-KiB pages and 64-KiB units with a write buffer of `units` units.
fn drive(units: u32, coalesces_writes: bool) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.ftl.units = MappingUnits::of(UNIT_BYTES, settings.geometry.page_bytes);
    (settings.geometry.blocks_per_plane, settings.geometry.pages_per_block) = (16, 128);
    (settings.cache.mode, settings.cache.pages) = (CacheMode::Write, units);
    settings.cache.coalesces_writes = coalesces_writes;
    settings
}

fn request(op: Op, start_sector: u64, sectors: u32) -> HostRequest {
    HostRequest { start_sector, sectors, ..venice_host::testkit::pages(op, 0, 1, SimTime::ZERO) }
}

/// Runs requests one after the other.
fn spaced(settings: &DriveSettings, mut requests: Vec<HostRequest>) -> RunOutcome {
    for (number, request) in (0..).zip(&mut requests) {
        request.arrival = SimTime::ZERO + APART * number;
    }
    run(settings, LoopMode::Open, requests)
}

/// Returns the time of a memory access of one row.
fn memory(settings: &DriveSettings, bytes: u64) -> SimSpan {
    let dram = &settings.cache.dram;
    dram.t_rcd + dram.t_cl + dram.rate.time_for(bytes)
}

#[test]
fn buffered_write_and_read_hit_take_the_link_and_the_memory() {
    let mut settings = drive(16, true);
    settings.host.link.latency = SimSpan::from_us(2);
    settings.host.link.rate = Rate::from_mb_per_s(1000.0);
    (settings.host.sizes.command_bytes, settings.host.sizes.completion_bytes) = (64, 16);
    let link = SimSpan::from_us(4) + SimSpan::from_ns(64 + 4096 + 16);
    let requests = vec![request(Op::Write, 8, 8), request(Op::Read, 8, 8)];
    let outcome = spaced(&settings, requests);
    assert_eq!(outcome.latencies(), [link + memory(&settings, 4096); 2]);
    assert_eq!(outcome.report.flash.programs + outcome.report.flash.reads, 0);
}

#[test]
fn read_of_one_sector_of_a_pair_counts_as_one_of_both() {
    let settings = drive(16, true);
    let outcome = spaced(&settings, vec![request(Op::Write, 8, 8), request(Op::Read, 15, 2)]);
    let cache = outcome.report.cache.unwrap();
    assert_eq!((cache.read_hit_sectors, cache.read_miss_sectors), (2, 2));
    // The memory returns the hit's pair while flash is read.
    assert_eq!(outcome.report.flash.reads, 1);
}

#[test]
fn writes_that_begin_or_end_within_a_pair_are_taken_completely() {
    for (start, sectors) in [(1, 1), (7, 246), (127, 2), (3, 126), (129, 124)] {
        let settings = drive(16, true);
        let outcome =
            spaced(&settings, vec![request(Op::Write, start, sectors), request(Op::Read, start, sectors)]);
        let cache = outcome.report.cache.unwrap();
        let pairs = (start + u64::from(sectors)).div_ceil(2) - start / 2;
        assert_eq!((cache.read_hit_sectors, cache.read_miss_sectors), (2 * pairs, 0), "{start} {sectors}");
    }
}

/// Writes each of 200 units once, at another offset.
fn scattered() -> Vec<HostRequest> {
    (0..200).map(|unit| request(Op::Write, unit * UNIT_SECTORS + unit % 16 * 8, 8)).collect()
}

#[test]
fn small_writes_without_coalescing_program_and_read_whole_units() {
    let outcome = spaced(&drive(16, false), scattered());
    let flash = outcome.whole_flash();
    assert_eq!((flash.programs, flash.reads), (200 * 16, 200 * 15), "16 times the written bytes");
}

#[test]
fn scattered_writes_are_coalesced_until_their_space_is_needed() {
    let outcome = spaced(&drive(16, true), scattered());
    let flash = outcome.whole_flash();
    let evicted = 200 - 16;
    assert_eq!((flash.programs, flash.reads), (evicted * 16, evicted * 15));
    assert_eq!(outcome.report.cache.unwrap().evictions, evicted);
}

#[test]
fn sequential_small_writes_are_coalesced_into_one_program_of_each_unit() {
    let writes = || (0..200 * 16).map(|page| request(Op::Write, page * 8, 8)).collect();
    let outcome = run(&drive(16, true), LoopMode::Closed { depth: 4 }, writes());
    let flash = outcome.whole_flash();
    assert_eq!((flash.programs, flash.update_reads), (200 * 16, 0));
    assert_eq!(outcome.report.write_amplification, Some(1.0));
    let apart = run(&drive(16, false), LoopMode::Closed { depth: 4 }, writes());
    assert!(apart.whole_flash().update_reads > 0, "the first part of a unit goes to flash alone");
    assert!(apart.report.write_amplification.unwrap() > 1.5);
}

#[test]
fn flush_and_forced_unit_access_write_incomplete_units() {
    let requests = vec![request(Op::Write, 0, 8), request(Op::Flush, 0, 0), request(Op::FuaWrite, 128, 8)];
    let outcome = spaced(&drive(16, true), requests);
    assert_eq!(outcome.whole_flash().host_programs, 2);
    let (program, latencies) =
        (venice_nand::testkit::paper_flash(1).array.program_of(0), outcome.latencies());
    assert!(latencies[0] < program && latencies[1] > program && latencies[2] > program);
}

#[test]
fn trim_of_one_sector_of_a_pair_keeps_both_in_the_buffer() {
    let mut settings = drive(16, true);
    settings.ftl.trim.partial_units = venice_drive::ftl::PartialUnits::Zeroed;
    let requests = vec![request(Op::Write, 8, 8), request(Op::Trim, 9, 3), request(Op::Read, 8, 8)];
    let outcome = spaced(&settings, requests);
    let cache = outcome.report.cache.unwrap();
    // The trim covers the sectors 10 and 11 as a pair.
    assert_eq!((cache.read_hit_sectors, cache.read_miss_sectors), (6, 2));
}

#[test]
fn loss_of_power_counts_the_sectors_of_the_buffer() {
    let settings = drive(16, true);
    let requests = vec![request(Op::Write, 0, 8), request(Op::Write, 128, 64)];
    let outcome = run_with_power_losses(&settings, LoopMode::Open, requests, &[SimTime::ZERO + APART]);
    let loss = &outcome.report.power_losses.unwrap()[0];
    assert_eq!((loss.volatile_pages, loss.volatile_bytes), (2, 72 * 512));
}
