//! Tests of the flash translation layer alone, when a chip is lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::controller::CommandSource;
use venice_drive::ftl::Allocation;
use venice_drive::testkit::ftl::{FtlBench, WHOLE};
use venice_drive::testkit::settings::CWDP;
use venice_nand::geometry::{ChipId, DieId, PlaneId};
use venice_nand::transactions::Origin;

#[test]
fn waiting_writes_of_a_lost_chip_are_redirected_and_its_commands_fail() {
    let Allocation::Static(levels) = CWDP else { unreachable!("CWDP is static") };
    let mut bench = FtlBench::new(2, |ftl| ftl.allocation = Allocation::Dynamic(levels));
    let first = bench.write(0, WHOLE);
    for lpn in 1..6 {
        bench.write(lpn, WHOLE);
    }
    assert_eq!(bench.begin().iter().map(|begun| begun.die).collect::<Vec<_>>(), [DieId(0), DieId(1)]);
    bench.lose(&[ChipId(0)]);
    let (mut failed, mut dies) = (Vec::new(), Vec::new());
    while let Some(done) = bench.end() {
        failed.extend(done.iter().filter(|page| page.has_failed).map(|page| page.origin));
        dies.extend(bench.begin().iter().map(|begun| begun.die));
    }
    assert_eq!((failed, dies), (vec![Origin::Request(first)], vec![DieId(1); 4]));
    assert!((1..6).all(|lpn| bench.plane(lpn) == Some(PlaneId(1))));
    let counters = bench.ftl.stats().losses;
    assert_eq!((counters.writes_sent_elsewhere, counters.writes_without_room), (2, 0));
    assert_eq!(bench.ftl.stats().counters().host_programs, 6, "no page was programmed twice");
    assert!(bench.ftl.transactions().is_empty() && bench.is_sound());
}

#[test]
fn what_is_left_takes_pages_of_a_lost_chip_while_collection_can_go_on_and_not_one_more() {
    let mut bench = FtlBench::new(2, |_| ());
    for lpn in (1..32).step_by(2) {
        bench.write(lpn, WHOLE);
        bench.run();
    }
    bench.lose(&[ChipId(0)]);
    let mut failed = Vec::new();
    for lpn in (0..32).step_by(2) {
        bench.write(lpn, WHOLE);
        failed.extend(bench.give_up().iter().map(|page| (page.lpn.0, page.has_failed)));
        bench.run();
    }
    // One block and one further page of the 32 pages stay free, so that some full block has an invalid page.
    // Sixteen pages contain the plane's own data.
    let taken = 32 - 4 - 1 - 16;
    let expected: Vec<_> = (taken..16).map(|place| (2 * place, true)).collect();
    assert_eq!(failed, expected);
    let counters = bench.ftl.stats().losses;
    assert_eq!(counters.writes_without_room, u64::from(16 - taken));
    assert!((0..taken).all(|place| bench.plane(2 * place) == Some(PlaneId(1))));
    // Pages that exist can be overwritten as before.
    bench.write(0, WHOLE);
    assert!(bench.give_up().is_empty());
    bench.run();
    assert!(bench.ftl.transactions().is_empty() && bench.is_sound());
}
