//! Tests of demand-paged mapping: exact times of look-ups.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    CachedMapping, Mapping, MappingWriteBack, PageAllocation, Resources, TableSharing, UnwrittenData,
};
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{RunOutcome, run, small_drive};

const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);

/// Creates a drive with a cached mapping table of `table_entries` entries, and eight entries in a translation
/// page.
fn drive(table_entries: u32, write_back: MappingWriteBack) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries,
        entries_per_page: 8,
        page_entry_bytes: 512,
        write_back,
        sharing: TableSharing::Shared,
    });
    settings
}

fn transfer(bytes: u64) -> SimSpan {
    Rate::from_mb_per_s(1200.0).time_for(bytes)
}

/// Returns the time to read a translation page: command, array, and transfer of one sector.
fn map_read() -> SimSpan {
    COMMAND + T_READ + transfer(512)
}

fn data_read() -> SimSpan {
    COMMAND + T_READ + transfer(4096)
}

fn data_write() -> SimSpan {
    COMMAND + transfer(4096) + T_PROGRAM
}

/// Runs requests for whole pages one after another.
fn in_turn(settings: &DriveSettings, of: &[(Op, u64)]) -> RunOutcome {
    let requests: Vec<HostRequest> = of.iter().map(|&(op, page)| pages(op, page, 1, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth: 1 }, requests)
}

fn hits_and_misses(outcome: &RunOutcome) -> (u64, u64) {
    (outcome.report.mapping.hits, outcome.report.mapping.misses)
}

#[test]
fn a_miss_costs_a_mapping_read_in_front_of_the_data_read_and_a_hit_afterwards_nothing() {
    let found = in_turn(&drive(4, MappingWriteBack::Flash), &[(Op::Read, 0), (Op::Read, 0)]);
    assert_eq!(found.latencies(), [map_read() + data_read(), data_read()]);
    assert_eq!(hits_and_misses(&found), (1, 1));
    assert_eq!((found.report.flash.mapping_reads, found.report.flash.reads), (1, 3));
    let mapping: Vec<SimSpan> = found.rows.iter().map(|row| row.stages[Stage::Mapping as usize]).collect();
    assert_eq!(mapping, [map_read(), SimSpan::ZERO]);
}

#[test]
fn a_write_that_misses_waits_for_the_map_too() {
    let found = in_turn(&drive(4, MappingWriteBack::Flash), &[(Op::Write, 0), (Op::Write, 0)]);
    assert_eq!(found.latencies(), [map_read() + data_write(), data_write()]);
    assert_eq!(hits_and_misses(&found), (1, 1));
}

#[test]
fn the_least_recently_used_entry_makes_room_and_clean_entries_leave_without_a_trace() {
    // Entries 0, 8, 16 and 24 fill the table. Entry 0 is used again, so entry 32 replaces entry 8.
    let order = [0, 8, 16, 24, 0, 32, 0, 8].map(|page| (Op::Read, page));
    let found = in_turn(&drive(4, MappingWriteBack::Flash), &order);
    let (miss, hit) = (map_read() + data_read(), data_read());
    assert_eq!(found.latencies(), [miss, miss, miss, miss, hit, miss, hit, miss]);
    assert_eq!(found.report.flash.mapping_programs, 0);
}

#[test]
fn misses_of_one_translation_page_share_one_read() {
    let settings = drive(4, MappingWriteBack::Flash);
    // Pages 0 and 2 are in the same plane, and their entries are in the same translation page.
    let both = [0, 2].map(|page| pages(Op::Read, page, 1, SimTime::ZERO)).to_vec();
    let found = run(&settings, LoopMode::Open, both);
    assert_eq!(hits_and_misses(&found), (0, 2));
    assert_eq!(found.report.flash.mapping_reads, 1);
    assert_eq!(found.latencies(), [map_read() + data_read(), map_read() + data_read() + data_read()]);
}

#[test]
fn a_dirty_entry_that_makes_room_has_its_translation_page_read_and_programmed() {
    let order = [(Op::Write, 0), (Op::Read, 8), (Op::Read, 8)];
    let found = in_turn(&drive(1, MappingWriteBack::Flash), &order);
    let flash = &found.report.flash;
    // The reads are those of two translation pages for look-ups, and one of the first page for its
    // write-back.
    assert_eq!((flash.mapping_reads, flash.mapping_programs, flash.host_programs), (3, 1, 1));
    assert_eq!(found.report.write_amplification, Some(2.0));
    let settings = drive(1, MappingWriteBack::ReadOnly);
    let compatible = in_turn(&settings, &order).report.flash;
    assert_eq!((compatible.mapping_reads, compatible.mapping_programs), (3, 0));
}

#[test]
fn what_was_written_back_is_read_where_it_was_programmed() {
    // The write-back of page 0's entry ends long before the next look-up of page 0. The audit compares each
    // read of a translation page with its contents.
    let order = [(Op::Write, 0), (Op::Read, 8), (Op::Write, 16), (Op::Write, 24), (Op::Read, 0)];
    let found = in_turn(&drive(1, MappingWriteBack::Flash), &order);
    // The entry of page 0 replaces that of page 24, whose whole translation page is read first.
    assert_eq!(*found.latencies().last().unwrap(), map_read() + data_read() + data_read());
    let flash = &found.report.flash;
    assert_eq!((flash.mapping_reads, flash.mapping_programs), (5 + 3, 3));
    assert_eq!(found.report.audit.unwrap().reads_checked, 8 + 2);
}

#[test]
fn without_real_write_backs_an_evicted_translation_page_costs_nothing() {
    let order = [(Op::Write, 0), (Op::Write, 8), (Op::Read, 0), (Op::Read, 1)];
    let found = in_turn(&drive(1, MappingWriteBack::ReadOnly), &order);
    assert_eq!(hits_and_misses(&found), (0, 4));
    assert_eq!(found.rows[3].stages[Stage::Mapping as usize], SimSpan::ZERO);
}

/// Issues a write of the first half of a page and a read of the other half, which miss the same translation
/// page. Returns the number of reads of sectors that the write does not cover.
fn update_reads_of_a_write_before_a_read(write_back: MappingWriteBack) -> u64 {
    let mut settings = drive(4, write_back);
    settings.ftl.unwritten_data = UnwrittenData::MappedOnRead;
    settings.ftl.page_allocation = PageAllocation::AtArrivalAnyOrder;
    let half =
        |op, start_sector| HostRequest { op, start_sector, sectors: 4, ..pages(op, 0, 1, SimTime::ZERO) };
    let found = run(&settings, LoopMode::Open, vec![half(Op::Write, 0), half(Op::Read, 4)]);
    assert_eq!((found.report.mapping.misses, found.report.flash.mapping_reads), (2, 1), "{write_back:?}");
    found.report.flash.update_reads
}

#[test]
fn reads_of_a_page_go_before_its_writes_when_the_map_comes_as_in_mqsim_alone() {
    // The read maps its page with the requested sectors, so the following write must read these sectors.
    assert_eq!(update_reads_of_a_write_before_a_read(MappingWriteBack::ReadOnly), 1);
    assert_eq!(update_reads_of_a_write_before_a_read(MappingWriteBack::Flash), 0);
}

#[test]
fn a_table_that_holds_every_entry_misses_once_for_each_page() {
    let settings = drive(10_000, MappingWriteBack::Flash);
    let order: Vec<(Op, u64)> = (0..3).flat_map(|_| (0..40).map(|page| (Op::Write, page))).collect();
    let found = in_turn(&settings, &order);
    assert_eq!(hits_and_misses(&found), (80, 40));
    assert_eq!(found.report.flash.mapping_programs, 0);
}

#[test]
fn address_ranges_share_a_table_or_have_equal_parts_of_it_or_one_each() {
    let mut settings = drive(4, MappingWriteBack::Flash);
    settings.ftl.partitions = vec![Resources::default(); 2];
    let other = 96;
    let of: Vec<(Op, u64)> =
        [0, 1, 2, 3, other, other + 1, other + 2, other + 3, 3, 2, 0].map(|page| (Op::Read, page)).to_vec();
    let mut found = |sharing| {
        let Mapping::Cached(cached) = &mut settings.ftl.mapping else { unreachable!("it is cached") };
        cached.sharing = sharing;
        let ranges = in_turn(&settings, &of).report.mapping.ranges;
        ranges.iter().map(|range| (range.hits, range.misses)).collect::<Vec<_>>()
    };
    assert_eq!(found(TableSharing::Shared), [(0, 7), (0, 4)], "the second range takes all four entries");
    assert_eq!(found(TableSharing::Equal), [(2, 5), (0, 4)], "two entries each");
    assert_eq!(found(TableSharing::Whole), [(3, 4), (0, 4)], "four entries each");
}
