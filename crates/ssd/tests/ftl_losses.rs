//! The translation layer alone, when a chip is lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_ssd::ftl::Allocation;
use venice_ssd::geometry::{ChipId, DieId, PlaneId};
use venice_ssd::testkit::drive::CWDP;
use venice_ssd::testkit::ftl::{FtlBench, WHOLE};
use venice_ssd::work::Origin;

#[test]
fn writes_that_wait_for_a_lost_chip_go_to_the_other_one_and_what_is_under_way_there_fails() {
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
    let counters = bench.ftl.space().losses().unwrap().counters;
    assert_eq!((counters.writes_sent_elsewhere, counters.writes_without_room), (2, 0));
    assert_eq!(bench.ftl.counters().host_programs, 6, "no page was programmed twice");
    assert!(bench.ftl.in_flight() == 0 && bench.is_sound());
}
