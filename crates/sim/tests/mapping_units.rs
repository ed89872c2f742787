//! Mapping units smaller than a page: packing of writes, shared reads, and write amplification.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    Allocation, CachedMapping, FilledSectors, GcPace, HierarchyLevel, Mapping, MappingWriteBack, PageRegion,
    PreconditionMode, PreconditionSettings, TableSharing, UnwrittenData, VictimPolicy, WritePattern,
    pages_per_written_page,
};
use venice_fabric::FabricKind;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::MappingUnits;
use venice_nand::testkit::paper_flash;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

/// Order of the planes of dynamic allocation.
const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];

/// Returns an erased drive of 2 × 2 chips with 4-KiB pages and units of `unit_bytes`.
fn drive(unit_bytes: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.ftl.units = MappingUnits::of(unit_bytes, settings.geometry.page_bytes);
    settings.ftl.page_fill_wait = SimSpan::from_us(50);
    settings.ftl.unwritten_data = UnwrittenData::Absent;
    settings
}

fn request(op: Op, start_sector: u64, sectors: u32) -> HostRequest {
    HostRequest { start_sector, sectors, ..venice_host::testkit::pages(op, 0, 1, SimTime::ZERO) }
}

/// Returns random requests of one unit of `sectors` sectors.
fn random_units(settings: &DriveSettings, op: Op, sectors: u32, count: u64) -> Vec<HostRequest> {
    let units = Simulation::capacity_sectors(settings) / u64::from(sectors);
    let mut random = RandomStream::new(7, "units");
    (0..count).map(|_| request(op, random.below(units) * u64::from(sectors), sectors)).collect()
}

fn at_depth(settings: &DriveSettings, depth: u32, requests: Vec<HostRequest>) -> RunOutcome {
    run(settings, LoopMode::Closed { depth }, requests)
}

#[test]
fn random_writes_of_sectors_fill_pages_in_order_of_arrival() {
    let mut settings = drive(512);
    settings.ftl.allocation = Allocation::Dynamic(ORDER);
    let outcome = at_depth(&settings, 64, random_units(&settings, Op::Write, 1, 1600));
    let flash = outcome.whole_flash();
    assert_eq!((flash.host_programs, flash.update_reads), (1600, 0));
    let per_program = flash.units.unwrap().per_program.unwrap();
    assert!(per_program > 7.8, "{per_program}");
    let mut pages = drive(4096);
    pages.ftl.allocation = Allocation::Dynamic(ORDER);
    let outcome = at_depth(&pages, 64, random_units(&pages, Op::Write, 1, 1600));
    assert!(outcome.whole_flash().programs >= 1600, "a page of its own for each write");
}

#[test]
fn lone_write_waits_for_its_page_to_fill() {
    for wait_us in [0, 50] {
        let mut settings = drive(512);
        settings.ftl.page_fill_wait = SimSpan::from_us(wait_us);
        let pages = at_depth(&drive(4096), 1, vec![request(Op::Write, 0, 1)]);
        let units = at_depth(&settings, 1, vec![request(Op::Write, 0, 1)]);
        assert_eq!(units.latencies()[0], pages.latencies()[0] + SimSpan::from_us(wait_us));
        assert_eq!(units.whole_flash().units.unwrap().empty_slots, 7);
    }
}

#[test]
fn units_of_a_page_are_sensed_once() {
    let settings = drive(512);
    let mut requests: Vec<_> = (0..8).map(|unit| request(Op::Write, unit, 1)).collect();
    requests.extend((0..8).map(|unit| request(Op::Read, unit, 1)));
    let flash = at_depth(&settings, 8, requests).whole_flash();
    // The die begins with the first read; the others join the second.
    assert_eq!((flash.programs, flash.reads, flash.units.unwrap().shared_reads), (1, 2, 6));
    let requests = vec![request(Op::Write, 0, 64), request(Op::Read, 0, 64)];
    let flash = at_depth(&settings, 1, requests).whole_flash();
    assert_eq!((flash.programs, flash.reads), (8, 8), "neighbours share pages");
}

#[test]
fn part_of_a_unit_is_read_before_it_is_written() {
    let settings = drive(2048);
    let requests = vec![request(Op::Write, 0, 8), request(Op::Write, 1, 2), request(Op::Write, 4, 4)];
    let flash = at_depth(&settings, 1, requests).whole_flash();
    assert_eq!((flash.host_programs, flash.update_reads, flash.reads), (4, 1, 1));
}

#[test]
fn blocks_written_per_plane_count_bytes_whatever_the_unit() {
    for unit_bytes in [512, 4096, 16_384] {
        let settings = drive(unit_bytes);
        let block = u64::from(settings.geometry.planes() * settings.geometry.pages_per_block);
        let written_bytes = 512 * 16_384;
        let requests =
            random_units(&settings, Op::Write, unit_bytes / 512, written_bytes / u64::from(unit_bytes));
        let found = at_depth(&settings, 64, requests).report.steadiness.blocks_written_per_plane;
        let expected = written_bytes as f64 / f64::from(settings.geometry.page_bytes) / block as f64;
        assert!((found / expected - 1.0).abs() < 0.02, "{unit_bytes}: {found} for {expected}");
    }
}

#[test]
fn translation_pages_have_the_size_of_a_unit_and_share_pages() {
    let mut settings = drive(1024);
    settings.ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries: 16,
        entries_per_page: 170,
        page_entry_bytes: 6,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    });
    let requests = random_units(&settings, Op::Write, 2, 2000);
    let flash = at_depth(&settings, 64, requests).whole_flash();
    let units = flash.units.unwrap();
    assert_eq!(flash.host_programs, 2000);
    assert!(flash.mapping_programs > 100, "{flash:?}");
    let filled = flash.host_programs + flash.mapping_programs + flash.gc_moves;
    assert_eq!(filled + units.empty_slots, flash.programs * 4);
}

/// Returns an erased drive of 4-KiB pages and 64-KiB units.
fn drive_of_long_units() -> DriveSettings {
    let mut settings = drive(65_536);
    (settings.geometry.blocks_per_plane, settings.geometry.pages_per_block) = (16, 128);
    settings
}

#[test]
fn small_writes_of_long_units_are_amplified_by_their_ratio() {
    for unwritten in [UnwrittenData::Present, UnwrittenData::Absent] {
        let mut settings = drive_of_long_units();
        settings.ftl.unwritten_data = unwritten;
        // Each unit is written at most once, so that there is neither collection nor coalescing.
        let requests: Vec<_> =
            (0..200).map(|unit| request(Op::Write, unit * 128 + unit % 16 * 8, 8)).collect();
        let outcome = at_depth(&settings, 16, requests);
        let flash = outcome.whole_flash();
        assert_eq!(outcome.report.write_amplification, Some(16.0));
        let reads = if unwritten == UnwrittenData::Present { 200 * 15 } else { 0 };
        assert_eq!((flash.programs, flash.reads, flash.gc_moves), (200 * 16, reads, 0), "{unwritten:?}");
    }
}

#[test]
fn read_of_a_long_unit_senses_the_pages_that_it_needs() {
    let settings = drive_of_long_units();
    let reads = [(0, 8, 1), (4, 8, 2), (0, 128, 16), (120, 16, 2), (3, 1, 1)];
    for (start, sectors, pages) in reads {
        let requests = vec![request(Op::Write, 0, 256), request(Op::Read, start, sectors)];
        let flash = at_depth(&settings, 1, requests).whole_flash();
        assert_eq!((flash.programs, flash.reads), (32, pages), "{start} {sectors}");
    }
}

#[test]
fn pages_of_a_unit_take_their_times_one_after_the_other() {
    let latency = |settings: &DriveSettings, op: Op, sectors: u32| {
        let requests = vec![request(Op::Write, 0, 128), request(op, 0, sectors)];
        at_depth(settings, 1, requests).latencies()[1]
    };
    let (long, pages) = (drive_of_long_units(), drive(4096));
    let array = paper_flash(1).array;
    let one = latency(&pages, Op::Read, 8);
    assert_eq!(latency(&long, Op::Read, 8), one);
    let (read, write) = (latency(&long, Op::Read, 128), latency(&long, Op::Write, 128));
    let moved = read - array.read_of(0) * 16;
    assert_eq!(write - array.program_of(0) * 16, moved, "both move 64 KiB");
}

#[test]
fn pages_of_a_program_unit_are_programmed_in_one_program_time() {
    let latency = |program_pages: u32| {
        let mut settings = drive_of_long_units();
        settings.flash.array.program_pages = program_pages;
        at_depth(&settings, 1, vec![request(Op::Write, 0, 128)]).latencies()[0]
    };
    let program = paper_flash(1).array.program_of(0);
    for (program_pages, programs) in [(2, 8), (4, 4), (16, 1)] {
        assert_eq!(latency(1) - latency(program_pages), program * (16 - programs), "{program_pages}");
    }
}

/// Each die programs a unit on each of its planes per program time; the transfers take little time in
/// comparison.
#[test]
fn written_bandwidth_is_a_program_unit_of_each_plane_per_program_time() {
    let mut settings = drive_of_long_units();
    settings.ftl.allocation = Allocation::InTurn([
        HierarchyLevel::Plane,
        HierarchyLevel::Channel,
        HierarchyLevel::Way,
        HierarchyLevel::Die,
    ]);
    settings.flash.array.program_pages = 16;
    settings.flash.array.program = vec![SimSpan::from_us(40_000)];
    let (planes, rounds) = (u64::from(settings.geometry.planes()), 60);
    let requests: Vec<_> = (0..rounds * planes).map(|unit| request(Op::Write, unit * 128, 128)).collect();
    let outcome = at_depth(&settings, 2 * planes as u32, requests);
    let makespan = outcome.rows.iter().map(|row| row.completed).max().unwrap();
    // The first program of a die finds a unit for one plane only.
    let found = makespan.since(SimTime::ZERO).as_us() / 40_000.0 / rounds as f64;
    assert!((1.0..1.03).contains(&found), "{found}");
}

/// Returns an erased drive of 4-KiB pages, three of which are programmed together, with units of `unit_bytes`.
fn drive_of_word_lines(unit_bytes: u32) -> DriveSettings {
    let mut settings = drive(unit_bytes);
    settings.ftl.units = settings.ftl.units.programmed_in(3);
    settings.flash.array.program_pages = 3;
    settings.geometry.pages_per_block = 96;
    settings.ftl.allocation = Allocation::Striped(ORDER);
    settings
}

#[test]
fn units_of_a_word_line_are_programmed_in_one_program_time() {
    let latency_of_last = |settings: &DriveSettings, unit_sectors: u32, count: u64| {
        let writes = (0..count).map(|unit| request(Op::Write, unit * u64::from(unit_sectors), unit_sectors));
        let outcome = at_depth(settings, 64, writes.collect());
        let units = outcome.whole_flash().units.unwrap();
        (outcome.latencies().into_iter().max().unwrap(), outcome.whole_flash().programs, units.empty_slots)
    };
    let program = paper_flash(1).array.program_of(0);
    for unit_bytes in [4096, 1024] {
        let sectors = unit_bytes / 512;
        let of_word_line = u64::from(3 * 4096 / unit_bytes);
        let settings = drive_of_word_lines(unit_bytes);
        let (latency, programs, empty) = latency_of_last(&settings, sectors, of_word_line);
        assert_eq!((programs, empty), (3, 0), "{unit_bytes}");
        assert!(latency > program && latency < program * 2, "{unit_bytes}: {latency:?}");
        // A word line that does not become full is padded after the maximum wait.
        let (latency, programs, empty) = latency_of_last(&settings, sectors, 1);
        assert_eq!((programs, empty), (3, of_word_line - 1), "{unit_bytes}");
        assert!(latency > program + settings.ftl.page_fill_wait && latency < program * 2, "{unit_bytes}");
    }
}

#[test]
fn written_bandwidth_of_packed_units_is_a_word_line_of_each_plane_per_program_time() {
    for unit_bytes in [4096, 1024] {
        let mut settings = drive_of_word_lines(unit_bytes);
        settings.flash.array.program = vec![SimSpan::from_us(10_000)];
        let (planes, rounds) = (u64::from(settings.geometry.planes()), 60);
        let requests: Vec<_> =
            (0..rounds * planes).map(|word_line| request(Op::Write, word_line * 24, 24)).collect();
        let outcome = at_depth(&settings, 4 * planes as u32, requests);
        assert_eq!(outcome.whole_flash().units.unwrap().empty_slots, 0);
        let makespan = outcome.rows.iter().map(|row| row.completed).max().unwrap();
        let found = makespan.since(SimTime::ZERO).as_us() / 10_000.0 / rounds as f64;
        assert!((1.0..1.03).contains(&found), "{unit_bytes}: {found}");
    }
}

/// Returns a drive of one plane of `blocks` blocks of `pages` pages of 16 KiB with 4-KiB units, in the steady state
/// of random writes.
fn plane_of_units(
    blocks: u32,
    pages: u32,
    over_provisioning_ratio: f64,
    victim: VictimPolicy,
) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.planes_per_die = 1;
    settings.geometry.blocks_per_plane = blocks;
    settings.geometry.pages_per_block = pages;
    settings.geometry.page_bytes = 16_384;
    settings.flash = paper_flash(1);
    settings.ftl.units = MappingUnits::of(4096, 16_384);
    settings.ftl.page_fill_wait = SimSpan::from_us(10_000);
    settings.ftl.over_provisioning_ratio = over_provisioning_ratio;
    settings.ftl.gc_start_free_blocks = 2;
    settings.ftl.victim = victim;
    let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
    let region = PageRegion {
        pages: 0..all,
        working_set: all,
        occupancy: 1.0,
        pattern: WritePattern::Uniform,
        drawn: None,
        traffic: 1.0,
    };
    settings.precondition = PreconditionSettings {
        mode: PreconditionMode::SteadyState,
        filled: FilledSectors::WholePage,
        regions: vec![region],
        settling_turns: 4.0,
        gc_pace: GcPace::AtOnce,
        seed: 3,
    };
    settings
}

/// Asserts that as many random writes as there are units, on `planes` planes of `blocks` blocks, of which
/// `reserved` hold no data, have the write amplification of the closed form for `collected` pages per victim.
fn assert_write_amplification(settings: &DriveSettings, reserved: f64, collected: u32) {
    let (ftl, geometry) = (&settings.ftl, &settings.geometry);
    let logical = Simulation::capacity_sectors(settings) / 8;
    let outcome = at_depth(settings, 64, random_units(settings, Op::Write, 8, logical));
    let flash = outcome.report.flash;
    let found = flash.programs as f64 * 4.0 / flash.host_programs as f64;
    let blocks = (f64::from(geometry.blocks_per_plane) - reserved) * f64::from(geometry.planes());
    let alpha = blocks * f64::from(geometry.pages_per_block * 4) / logical as f64;
    let expected = pages_per_written_page(ftl.victim, alpha, collected * 4).unwrap();
    let error = found / expected - 1.0;
    let (victim, ratio) = (ftl.victim, ftl.over_provisioning_ratio);
    assert!(error.abs() < 0.05, "{victim:?} {ratio}: {found:.3} measured, {expected:.3} expected");
}

#[test]
fn write_amplification_by_bytes_is_that_of_the_units() {
    let (blocks, pages) = (256, 64);
    for victim in [VictimPolicy::Greedy, VictimPolicy::Fifo] {
        for ratio in [0.07, 0.15, 0.28] {
            let settings = plane_of_units(blocks, pages, ratio, victim);
            assert_write_amplification(&settings, 1.5, pages);
        }
    }
}

/// One line is free, the open line for relocated data is half full on average, and the open line of the host
/// is empty, since garbage collection begins when the host opens its last line.
#[test]
fn write_amplification_with_lines_is_that_of_blocks_of_their_size() {
    let (planes, pages) = (4, 16);
    for victim in [VictimPolicy::Greedy, VictimPolicy::Fifo] {
        for ratio in [0.07, 0.15, 0.28] {
            let settings = lines_of_units(plane_of_units(256, pages, ratio, victim), planes);
            assert_write_amplification(&settings, 2.5, planes * pages);
        }
    }
}

/// Changes a drive of one plane to `planes` planes, whose blocks form lines (superblocks).
fn lines_of_units(mut settings: DriveSettings, planes: u32) -> DriveSettings {
    settings.geometry.array.cols = 2;
    settings.fabric.array.cols = 2;
    settings.geometry.planes_per_die = planes / 2;
    settings.flash = paper_flash(planes / 2);
    settings.ftl.allocation = Allocation::Striped(ORDER);
    let all = (Simulation::capacity_sectors(&settings) / 8) as u32;
    let region = &mut settings.precondition.regions[0];
    (region.pages, region.working_set, region.traffic) = (0..all, all, f64::from(all));
    settings
}

#[test]
fn units_written_in_order_stripe_a_line_over_all_planes() {
    let mut settings = lines_of_units(plane_of_units(16, 4, 0.5, VictimPolicy::Greedy), 4);
    settings.precondition = PreconditionSettings::none();
    // Two lines of 4 planes of 4 pages of 4 units.
    let requests: Vec<_> = (0..32).map(|page| request(Op::Write, page * 32, 32)).collect();
    let flash = at_depth(&settings, 16, requests).whole_flash();
    assert_eq!((flash.programs, flash.units.unwrap().empty_slots), (32, 0));
    // The first page of each die finds it idle.
    assert!(flash.multiplane_programs >= 14, "both planes of each die together: {flash:?}");
}

#[test]
fn garbage_collection_of_a_line_erases_a_block_of_each_plane() {
    for victim in VictimPolicy::ALL {
        let settings = lines_of_units(plane_of_units(32, 4, 0.28, *victim), 4);
        let logical = Simulation::capacity_sectors(&settings) / 8;
        let flash = at_depth(&settings, 64, random_units(&settings, Op::Write, 8, logical)).whole_flash();
        assert!(flash.erases > 0 && flash.erases.is_multiple_of(4), "{victim:?}: {}", flash.erases);
        let empty = flash.units.unwrap().empty_slots;
        let pages_of_host = flash.host_programs / 4;
        assert!(empty <= flash.erases / 4 * 3 + pages_of_host / 20, "{victim:?}: {empty} of {flash:?}");
    }
}
