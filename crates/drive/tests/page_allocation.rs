//! Tests of page allocation for writes: its time, the allocated pages, and the consequences for multi-plane
//! commands.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    CachedMapping, Mapping, MappingWriteBack, PageAllocation, TableSharing, UnwrittenData, UpdateTransfer,
};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, Rate, SimSpan, SimTime};
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::report::FlashReport;
use venice_sim::testkit::drive::{run, small_drive};

const ALL: [PageAllocation; 3] =
    [PageAllocation::AtStart, PageAllocation::AtArrival, PageAllocation::AtArrivalAnyOrder];
const MILLISECOND: SimTime = SimTime::from_ps(1_000_000_000);

/// Creates one chip with one die of two planes. Even logical pages are in the first plane, odd ones in the
/// second.
fn one_die(page_allocation: PageAllocation) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.ftl.page_allocation = page_allocation;
    settings
}

/// Returns settings of a demand-paged mapping with write-back to flash.
fn cached(table_entries: u32, entries_per_page: u32) -> Mapping {
    let write_back = MappingWriteBack::Flash;
    let sharing = TableSharing::Shared;
    Mapping::Cached(CachedMapping {
        table_entries,
        entries_per_page,
        page_entry_bytes: 6,
        write_back,
        sharing,
    })
}

/// Returns an instant, in microseconds after the first millisecond.
fn at_us(us: u64) -> SimTime {
    MILLISECOND + SimSpan::from_us(us)
}

fn at(op: Op, page: u64, arrival: SimTime) -> HostRequest {
    pages(op, page, 1, arrival)
}

fn on_queue(queue: u16, request: HostRequest) -> HostRequest {
    HostRequest { queue, ..request }
}

fn flash(settings: &DriveSettings, requests: Vec<HostRequest>) -> FlashReport {
    run(settings, LoopMode::Open, requests).report.flash
}

#[test]
fn a_later_page_of_a_block_joins_a_command_only_if_programs_may_start_in_any_order() {
    // While its first page is programmed, the first plane receives a write for the second page. The second
    // plane receives writes for each of its first two pages.
    let writes = vec![
        at(Op::Write, 0, at_us(0)),
        at(Op::Write, 2, at_us(10)),
        at(Op::Write, 1, at_us(10)),
        at(Op::Write, 3, at_us(10)),
    ];
    let joined = ALL.map(|choice| flash(&one_die(choice), writes.clone()).multiplane_programs);
    assert_eq!(joined, [0, 0, 1]);
}

#[test]
fn a_page_that_is_written_again_while_it_waits_is_programmed_twice_and_read_as_written_last() {
    let requests = vec![
        at(Op::Write, 0, at_us(0)),
        at(Op::Write, 2, at_us(10)),
        at(Op::Write, 2, at_us(11)),
        at(Op::Read, 2, at_us(12)),
        at(Op::Read, 2, at_us(10_000)),
    ];
    for choice in ALL {
        let report = run(&one_die(choice), LoopMode::Open, requests.clone()).report;
        assert_eq!((report.flash.programs, report.flash.host_programs), (3, 3), "{choice:?}");
        assert_eq!(report.audit.unwrap().reads_checked, 2, "{choice:?}");
    }
}

#[test]
fn page_allocation_does_not_change_times_on_an_idle_drive() {
    // Complete writes, partial writes that read first, and reads, in long intervals.
    let mut random = RandomStream::new(3, "apart");
    let requests: Vec<HostRequest> = (0..200)
        .map(|n| HostRequest {
            arrival: SimTime::from_ps(n * MILLISECOND.as_ps() * 10),
            op: if random.chance(0.5) { Op::Write } else { Op::Read },
            start_sector: random.below(100) * 4,
            sectors: 4 * (1 + random.below(3)) as u32,
            queue: 0,
            pattern_set: 0,
        })
        .collect();
    let latencies = ALL.map(|choice| run(&one_die(choice), LoopMode::Open, requests.clone()).latencies());
    assert_eq!(latencies[0], latencies[1]);
    assert_eq!(latencies[0], latencies[2]);
}

#[test]
fn a_read_maps_an_unwritten_page_and_a_partial_write_then_reads_it() {
    // Both planes receive a write during the read.
    let requests = vec![
        HostRequest { sectors: 4, ..at(Op::Read, 0, at_us(0)) },
        at(Op::Write, 2, at_us(1)),
        at(Op::Write, 1, at_us(1)),
        HostRequest { sectors: 2, ..at(Op::Write, 0, at_us(1000)) },
    ];
    let found = |unwritten| {
        let mut settings = one_die(PageAllocation::AtArrivalAnyOrder);
        settings.ftl.unwritten_data = unwritten;
        let flash = flash(&settings, requests.clone());
        (flash.multiplane_programs, flash.update_reads, flash.programs)
    };
    assert_eq!(found(UnwrittenData::Absent), (1, 0, 3), "the planes are level");
    assert_eq!(found(UnwrittenData::MappedOnRead), (0, 1, 3), "the read took a page of the first");
}

#[test]
fn each_stream_fills_blocks_of_its_own_as_long_as_there_are_any() {
    // Queue 0 writes to the first plane. In the meantime queue 1 writes to both planes.
    let requests = vec![
        at(Op::Write, 0, at_us(0)),
        on_queue(1, at(Op::Write, 2, at_us(10))),
        on_queue(1, at(Op::Write, 1, at_us(10))),
    ];
    for choice in ALL {
        let joined = [1, 2].map(|streams| {
            let mut settings = one_die(choice);
            settings.ftl.write_streams = streams;
            flash(&settings, requests.clone()).multiplane_programs
        });
        assert_eq!(joined, [0, 1], "{choice:?}");
    }
}

#[test]
fn pages_of_one_command_leave_the_die_one_after_the_other() {
    // Two chips share a channel. A read keeps the first one busy until two more reads can share a command.
    // The second chip's data becomes ready during the first transfer of these reads.
    let settings = small_drive(FabricKind::Bus, 1, 2);
    let requests = vec![
        at(Op::Read, 0, at_us(0)),
        at(Op::Read, 4, at_us(1)),
        at(Op::Read, 6, at_us(2)),
        at(Op::Read, 1, at_us(8)),
    ];
    let outcome = run(&settings, LoopMode::Open, requests);
    assert_eq!(outcome.report.flash.multiplane_reads, 1);
    let order: Vec<u64> = outcome.rows.iter().map(|row| row.number).collect();
    assert_eq!(order, [0, 1, 2, 3]);
}

#[test]
fn data_for_a_look_up_goes_out_before_data_of_the_host_that_was_ready_earlier() {
    // Three chips share a channel. Pages 0 and 1 have been looked up before. Page 17, and the translation
    // page with its entry, are on the third chip.
    let mut settings = small_drive(FabricKind::Bus, 1, 3);
    settings.ftl.mapping = cached(64, 8);
    let requests = vec![
        at(Op::Read, 0, SimTime::ZERO),
        at(Op::Read, 1, SimTime::from_ps(1)),
        at(Op::Read, 0, at_us(0)),
        at(Op::Read, 1, at_us(1)),
        at(Op::Read, 17, at_us(2)),
    ];
    let outcome = run(&settings, LoopMode::Open, requests);
    let wire = |bytes| Rate::from_mb_per_s(1200.0).time_for(bytes);
    let first = COMMAND + SimSpan::from_us(3) + wire(4096);
    let latencies = outcome.latencies();
    assert_eq!(latencies[2], first);
    assert_eq!(latencies[3] + SimSpan::from_us(1), first + wire(512) + wire(4096));
}

#[test]
fn a_full_drive_overwritten_at_random_serves_everything_whenever_pages_are_given_out() {
    for choice in ALL {
        for mapping in [Mapping::Ideal, cached(16, 64)] {
            let mut settings = small_drive(FabricKind::Bus, 2, 2);
            settings.ftl.over_provisioning_ratio = 0.12;
            settings.ftl.page_allocation = choice;
            settings.ftl.write_streams = 2;
            settings.ftl.mapping = mapping;
            let logical = Simulation::capacity_sectors(&settings) / 8;
            let mut random = RandomStream::new(5, "full");
            let first = (0..logical).map(|page| at(Op::Write, page, SimTime::ZERO));
            let again = (0..3 * logical).map(|_| at(Op::Write, random.below(logical), SimTime::ZERO));
            let requests: Vec<_> =
                (0_u16..).zip(first.chain(again)).map(|(n, request)| on_queue(n % 2, request)).collect();
            let count = requests.len() as u64;
            let outcome = run(&settings, LoopMode::Closed { depth: 32 }, requests);
            assert_eq!(outcome.report.requests.completed, count, "{choice:?}");
            assert!(outcome.report.flash.gc_moves > 0, "{choice:?}");
        }
    }
}

#[test]
fn a_partner_is_found_however_many_wait_before_it() {
    // Even pages are in the first plane. The odd page with the offset of the sixth even page arrives last and
    // shares the command of that page's read.
    for waiting in [10, 40, 70, 150] {
        let even = (0..waiting).map(|n| at(Op::Read, 2 * n, at_us(0)));
        let requests = even.chain([at(Op::Read, 11, at_us(0))]).collect();
        let mut drive = one_die(PageAllocation::AtStart);
        drive.geometry.blocks_per_plane = 200;
        let read = flash(&drive, requests);
        assert_eq!((read.reads, read.multiplane_reads), (waiting + 1, 1), "behind {waiting}");
    }
}

#[test]
fn an_update_sends_the_merged_page_or_its_new_sectors_alone() {
    // A page of eight sectors is written completely. Later one sector of it is written, and the other seven
    // are read for this.
    let updated = |update_transfer| {
        let mut settings = one_die(PageAllocation::AtArrivalAnyOrder);
        settings.ftl.unwritten_data = UnwrittenData::Absent;
        settings.ftl.update_transfer = update_transfer;
        let part = HostRequest { sectors: 1, ..at(Op::Write, 0, at_us(10_000)) };
        let outcome = run(&settings, LoopMode::Open, vec![at(Op::Write, 0, at_us(0)), part]);
        assert_eq!(outcome.report.flash.update_reads, 1, "{update_transfer:?}");
        outcome.latencies()[1]
    };
    let (merged, new) = (updated(UpdateTransfer::Merged), updated(UpdateTransfer::NewSectors));
    // The bus transfers seven sectors less. Their time is the same as in the other direction.
    let read = |sectors| {
        let part = HostRequest { sectors, ..at(Op::Read, 0, at_us(0)) };
        run(&one_die(PageAllocation::AtStart), LoopMode::Open, vec![part]).latencies()[0]
    };
    assert_eq!(merged - new, read(8) - read(1));
    assert!(merged > new);
}
