//! Tests of the flash translation layer alone. The test acts as the host, and a mock drive executes commands
//! in fixed times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::controller::CommandSource;
use venice_drive::ftl::{
    Allocation, CachedMapping, FtlSettings, HierarchyLevel, Mapping, MappingWriteBack, PageAllocation,
    TableSharing,
};
use venice_drive::testkit::ftl::{FtlBench, StartedCommand, WHOLE};
use venice_drive::testkit::settings::CWDP;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::Operation;
use venice_nand::geometry::{Lpn, PlaneId};
use venice_nand::transactions::{Origin, Purpose};

const PLANE: PlaneId = PlaneId(0);
const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);
/// Number of pages in a block.
const BLOCK: u32 = 4;

fn bench(page_allocation: PageAllocation) -> FtlBench {
    FtlBench::new(1, |ftl| ftl.page_allocation = page_allocation)
}

fn operations(begun: &[StartedCommand]) -> Vec<Operation> {
    begun.iter().map(|begun| begun.operation).collect()
}

fn at(span: SimSpan) -> SimTime {
    SimTime::ZERO + span
}

/// Returns a bench with one page that has been written once.
fn with_one_page(page_allocation: PageAllocation) -> FtlBench {
    let mut bench = bench(page_allocation);
    bench.write(5, WHOLE);
    bench.run();
    bench
}

#[test]
fn a_write_gives_its_old_page_up_when_its_program_starts_or_when_it_comes() {
    let mut bench = with_one_page(PageAllocation::AtStart);
    let old = bench.place(5);
    bench.write(5, WHOLE);
    assert_eq!(bench.place(5), old, "it waits for its die");
    bench.begin();
    assert_ne!(bench.place(5), old);

    let mut bench = with_one_page(PageAllocation::AtArrival);
    let old = bench.place(5);
    bench.write(5, WHOLE);
    assert_ne!(bench.place(5), old, "it has its page before its die knows of it");
}

#[test]
fn a_partial_write_reads_exactly_what_it_does_not_cover() {
    for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        for (written, read) in [(0x0f, Some(0xf0)), (0x7f, Some(0x80)), (WHOLE, None)] {
            let mut bench = with_one_page(page_allocation);
            bench.write(5, written);
            let begun = bench.run();
            let sectors = |operation| {
                let of_kind = begun.iter().find(|begun| begun.operation == operation);
                of_kind.map(|begun| begun.pages[0].sectors)
            };
            assert_eq!(sectors(Operation::Read), read, "{page_allocation:?}");
            assert_eq!(sectors(Operation::Program), Some(WHOLE));
            let reads = u64::from(read.is_some());
            assert_eq!(bench.ftl.stats().counters().update_reads, reads);
            let took = if read.is_some() { T_READ + T_PROGRAM } else { T_PROGRAM };
            assert_eq!(bench.now, at(T_PROGRAM + took), "the program follows its read at once");
            assert!(bench.is_sound());
        }
    }
}

#[test]
fn writes_of_one_page_follow_each_other_and_those_of_others_do_not_wait() {
    let mut bench = FtlBench::new(2, |ftl| ftl.allocation = Allocation::Dynamic(levels()));
    let first = bench.write(5, WHOLE);
    let second = bench.write(5, WHOLE);
    assert_eq!(bench.begin().len(), 1, "the other die is idle, and the second write waits for the first");
    let other = bench.write(6, WHOLE);
    assert_eq!(bench.begin().len(), 1);
    let mut done = Vec::new();
    while let Some(finished) = bench.end() {
        done.extend(finished.iter().map(|page| page.origin));
        bench.begin();
    }
    let expected = [first, other, second].map(Origin::Request);
    assert_eq!(done, expected);
    assert_eq!(bench.now, at(T_PROGRAM + T_PROGRAM));
}

fn levels() -> [HierarchyLevel; 4] {
    let Allocation::Static(levels) = CWDP else { unreachable!("CWDP is static") };
    levels
}

/// Overwrites a page until garbage collection starts. Asserts that the number of free blocks was not below
/// the threshold before.
fn overwrite_until_collection(bench: &mut FtlBench, start: u32, lpn: u32) {
    while bench.ftl.stats().counters().gc_executions == 0 {
        assert!(bench.free(PLANE) >= start, "a collection is due");
        bench.write(lpn, WHOLE);
        bench.begin();
        bench.end();
    }
}

#[test]
fn collection_begins_at_the_threshold_and_not_a_block_before() {
    for start in [3, 4, 5] {
        let mut bench = FtlBench::new(1, |ftl| ftl.gc_start_free_blocks = start);
        overwrite_until_collection(&mut bench, start, 5);
        assert_eq!(bench.free(PLANE), start - 1);
        bench.run();
        assert_eq!((bench.free(PLANE), bench.ftl.stats().counters().erases), (start, 1));
        assert!(bench.is_sound());
    }
}

#[test]
fn a_write_without_room_goes_on_at_the_erase() {
    for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        // Host requests precede garbage collection until the host has no free page.
        let mut bench = FtlBench::new(1, |ftl| {
            (ftl.page_allocation, ftl.gc_start_free_blocks, ftl.gc_hard_free_blocks) =
                (page_allocation, 2, 0);
        });
        let writes = 10 * BLOCK;
        for lpn in 0..writes {
            bench.write(lpn % 3, WHOLE);
        }
        let (mut erased, mut waited) = (None, false);
        loop {
            for begun in bench.begin() {
                if begun.operation == Operation::Erase {
                    assert!(bench.free(PLANE) <= 1, "the host had room");
                    erased = Some(begun.ends);
                } else if let Some(erased) = erased.take() {
                    assert_eq!((begun.operation, bench.now), (Operation::Program, erased));
                    waited = true;
                }
            }
            if bench.end().is_none() {
                break;
            }
        }
        assert!(waited, "{page_allocation:?}: no write had to wait");
        assert_eq!(bench.ftl.stats().counters().host_programs, u64::from(writes));
        assert!(bench.ftl.transactions().is_empty() && bench.is_sound());
    }
}

/// Sets a cached mapping table of two entries, with four entries in a translation page.
fn two_entries(ftl: &mut FtlSettings) {
    ftl.mapping = Mapping::Cached(CachedMapping {
        table_entries: 2,
        entries_per_page: 4,
        page_entry_bytes: 8,
        write_back: MappingWriteBack::Flash,
        sharing: TableSharing::Shared,
    });
}

#[test]
fn a_miss_reads_the_map_first_and_a_hit_does_not() {
    let mut bench = FtlBench::new(1, two_entries);
    bench.read(0, WHOLE);
    let begun = bench.run();
    let purposes: Vec<_> = begun.iter().map(|begun| begun.pages[0].purpose).collect();
    assert!(matches!(purposes[..], [Purpose::MappingRead { writes_back: false }, Purpose::HostRead(_)]));
    bench.read(0, WHOLE);
    assert_eq!(operations(&bench.run()), [Operation::Read], "its entry is in the table");
    for lpn in [1, 2] {
        bench.read(lpn, WHOLE);
        assert_eq!(bench.run().len(), 2);
    }
    bench.read(0, WHOLE);
    assert_eq!(bench.run().len(), 2, "two others have been used since");
    assert_eq!(bench.ftl.stats().counters().mapping_programs, 0, "flash knows all of them");
}

#[test]
fn a_changed_entry_that_makes_room_is_written_back_with_its_translation_page() {
    let mut bench = FtlBench::new(1, two_entries);
    bench.write(0, WHOLE);
    bench.run();
    assert_eq!(bench.ftl.stats().counters().mapping_programs, 0);
    bench.read(4, WHOLE);
    bench.run();
    assert_eq!(bench.ftl.stats().counters().mapping_programs, 0, "there was room");
    bench.read(8, WHOLE);
    let begun = bench.run();
    let of_map = |begun: &&StartedCommand| matches!(begun.pages[0].purpose, Purpose::MappingWrite);
    let written: Vec<_> = begun.iter().filter(of_map).map(|begun| begun.pages[0].lpn).collect();
    let first_translation_page = bench.ftl.translation().capacity_sectors() as u32 / 8;
    assert_eq!(written, [Some(Lpn(first_translation_page))]);
    assert!(bench.is_sound());
}
