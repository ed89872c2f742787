//! Tests of the flash translation layer alone, while a page is moved: host requests at the same time, and the
//! lifetime of the victim.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::controller::CommandSource;
use venice_drive::ftl::{FtlSettings, PageAllocation};
use venice_drive::testkit::ftl::{FtlBench, StartedCommand, WHOLE};
use venice_kernel::SimSpan;
use venice_nand::chip::Operation;
use venice_nand::geometry::{DieId, PlaneId};
use venice_nand::transactions::Purpose;

const PLANE: PlaneId = PlaneId(0);
const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);
/// Page that is overwritten again and again.
const HOT: u32 = 0;
/// Number of free blocks below which garbage collection starts.
const START: u32 = 5;

/// Creates a bench of one chip. `is_first` is true if garbage collection precedes host requests.
fn bench(is_first: bool, set: impl FnOnce(&mut FtlSettings)) -> FtlBench {
    bench_of(1, is_first, set)
}

fn bench_of(chips: u32, is_first: bool, set: impl FnOnce(&mut FtlSettings)) -> FtlBench {
    FtlBench::new(chips, |ftl| {
        ftl.gc_start_free_blocks = START;
        ftl.gc_yields_to_host = true;
        ftl.gc_hard_free_blocks = if is_first { START } else { 0 };
        set(ftl);
    })
}

fn is_move(begun: &StartedCommand) -> bool {
    matches!(begun.pages[0].purpose, Purpose::GcRead | Purpose::GcWrite)
}

/// Fills blocks, each with one cold page and three overwrites of the hot page, until `is_enough` returns true
/// for the started commands.
fn fill_until(bench: &mut FtlBench, is_enough: impl Fn(&[StartedCommand]) -> bool) -> Vec<StartedCommand> {
    for cold in 1..16 {
        for lpn in [cold, HOT, HOT, HOT] {
            bench.write(lpn, WHOLE);
            loop {
                let begun = bench.begin();
                if is_enough(&begun) {
                    return begun;
                }
                if bench.end().is_none() {
                    break;
                }
            }
        }
    }
    panic!("no collection has begun");
}

/// Writes until the first move starts. Returns the page that is moved.
fn until_a_move_begins(bench: &mut FtlBench) -> u32 {
    let begun = fill_until(bench, |begun| begun.iter().any(is_move));
    begun.iter().find(|begun| is_move(begun)).unwrap().pages[0].lpn.unwrap().0
}

/// Runs until the erase of the victim starts. Returns all commands in the order of their starts.
fn until_the_erase_begins(bench: &mut FtlBench) -> Vec<StartedCommand> {
    let mut all = bench.begin();
    while all.iter().all(|begun| begun.operation != Operation::Erase) {
        assert!(bench.end().is_some(), "the victim is never erased");
        all.extend(bench.begin());
    }
    all
}

/// Returns the purposes of the programs of a page, in order.
fn programs_of(begun: &[StartedCommand], lpn: u32) -> Vec<Purpose> {
    let programs = begun.iter().filter(|begun| begun.operation == Operation::Program);
    let pages = programs.flat_map(|begun| &begun.pages);
    pages.filter(|page| page.lpn.is_some_and(|it| it.0 == lpn)).map(|page| page.purpose).collect()
}

#[test]
fn a_page_that_the_host_overwrites_before_its_move_is_programmed_is_moved_no_more() {
    for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
        let mut bench = bench(false, |ftl| ftl.page_allocation = page_allocation);
        let page = until_a_move_begins(&mut bench);
        bench.write(page, WHOLE);
        let begun = bench.run();
        assert!(matches!(programs_of(&begun, page)[..], [Purpose::HostWrite(_)]), "{page_allocation:?}");
        let erases = begun.iter().filter(|begun| begun.operation == Operation::Erase).count();
        assert_eq!((erases, bench.free(PLANE)), (1, START), "the victim is erased all the same");
        assert_eq!(bench.ftl.stats().counters().gc_moves, 0);
        bench.read(page, WHOLE);
        bench.run();
        assert!(bench.ftl.transactions().is_empty() && bench.is_sound(), "the host reads what it wrote last");
    }
}

#[test]
fn a_page_that_the_host_overwrites_behind_its_move_is_programmed_twice_and_the_hosts_is_the_last() {
    let mut bench = bench(true, |_| ());
    let page = until_a_move_begins(&mut bench);
    let from = bench.place(page);
    bench.write(page, WHOLE);
    assert_eq!(bench.end().map(|done| done.len()), Some(0), "the read of a move ends no request");
    let [move_] = &bench.begin()[..] else { panic!("collection goes first") };
    assert_eq!(move_.pages[0].purpose, Purpose::GcWrite);
    let moved = bench.place(page);
    assert_ne!(moved, from, "it has its new place when its program starts");
    until_the_erase_begins(&mut bench);
    assert_eq!(bench.ftl.stats().counters().gc_moves, 1);
    let begun = bench.run();
    assert_eq!(programs_of(&begun, page).iter().filter(|it| matches!(it, Purpose::HostWrite(_))).count(), 1);
    assert_ne!(bench.place(page), moved);
    bench.read(page, WHOLE);
    bench.run();
    assert!(bench.is_sound());
}

#[test]
fn a_victim_is_erased_when_the_last_read_of_it_is_over_and_not_before() {
    let mut bench = bench(true, |_| ());
    let page = until_a_move_begins(&mut bench);
    // Both reads wait for the page at its old location, and garbage collection precedes them.
    bench.read(page, WHOLE);
    bench.read(page, WHOLE);
    let mut left = Vec::new();
    while bench.count(|purpose| purpose == Purpose::GcErase) == 0 {
        left.push(bench.count(|purpose| matches!(purpose, Purpose::HostRead(_))));
        assert!(bench.end().is_some(), "the victim is never erased");
        if bench.count(|purpose| purpose == Purpose::GcErase) == 0 {
            bench.begin();
        }
    }
    // The numbers are those during the read of the page, during its program, and during the host's reads of
    // the old location.
    assert_eq!(left, [2, 2, 2, 1]);
    assert_eq!(bench.count(|purpose| matches!(purpose, Purpose::HostRead(_))), 0);
    bench.run();
    assert!(bench.is_sound());
}

#[test]
fn a_victim_without_reads_is_erased_after_its_last_move() {
    let mut bench = bench(true, |_| ());
    until_a_move_begins(&mut bench);
    bench.end();
    let [move_] = &bench.begin()[..] else { panic!("collection goes on") };
    assert_eq!(move_.ends, bench.now + T_PROGRAM);
    assert_eq!(bench.count(|purpose| purpose == Purpose::GcErase), 0);
    bench.end();
    assert_eq!(bench.count(|purpose| purpose == Purpose::GcErase), 1);
}

#[test]
fn a_copyback_reads_and_programs_in_one_command_moves_no_byte_and_stays_in_its_plane() {
    let mut bench = bench_of(2, true, |ftl| ftl.gc_copyback = true);
    let begun = fill_until(&mut bench, |begun| begun.iter().any(is_move));
    let copyback = begun.iter().find(|begun| is_move(begun)).unwrap();
    let page = copyback.pages[0].lpn.unwrap().0;
    assert_eq!((copyback.operation, copyback.ends), (Operation::Copyback, bench.now + T_READ + T_PROGRAM));
    assert_eq!((copyback.pages[0].bytes, copyback.die), (0, DieId(0)));
    assert_eq!(bench.plane(page), Some(PLANE), "the other chip has room, too");
    let rest = until_the_erase_begins(&mut bench);
    assert_eq!(rest.len(), 1, "nothing but the erase follows");
    let counters = bench.ftl.stats().counters();
    assert_eq!((counters.copybacks, counters.gc_moves), (1, 1));
    bench.run();
    bench.read(page, WHOLE);
    bench.run();
    assert!(bench.is_sound());
}

/// Keeps two host writes queued until a move is queued as well.
fn fill_until_a_move_waits(bench: &mut FtlBench) {
    for lpn in (1..16).flat_map(|cold| [cold, HOT, HOT, HOT]) {
        bench.write(lpn, WHOLE);
        bench.begin();
        if bench.count(|purpose| matches!(purpose, Purpose::HostWrite(_))) == 2 {
            bench.end();
        }
        if bench.count(|purpose| purpose == Purpose::GcWrite) > 0 {
            return;
        }
        bench.begin();
    }
    panic!("no collection has begun");
}

#[test]
fn a_copyback_of_a_page_that_the_host_overwrites_first_is_not_done() {
    let mut bench = bench(false, |ftl| ftl.gc_copyback = true);
    fill_until_a_move_waits(&mut bench);
    let waiting = bench.ftl.transactions().iter().find(|waiting| waiting.purpose == Purpose::GcWrite);
    let page = waiting.unwrap().lpn.unwrap().0;
    bench.write(page, WHOLE);
    let begun = until_the_erase_begins(&mut bench);
    assert!(matches!(programs_of(&begun, page)[..], [Purpose::HostWrite(_)]));
    assert_eq!(bench.ftl.stats().counters().copybacks, 0);
    bench.run();
    bench.read(page, WHOLE);
    bench.run();
    assert!(bench.ftl.transactions().is_empty() && bench.is_sound());
}
