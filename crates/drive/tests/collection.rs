//! Tests of garbage collection within a plane: start, priority, and exact times on all fabrics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::timed_chip::{Bench, Ran, T_ERASE, T_PROGRAM, T_READ, at, us};
use venice_drive::observe::WaitCause;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::PageTypeOrder;
use venice_nand::geometry::Geometry;
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_requests::{LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run as run_and_report, small_drive};

/// Number of free blocks in the plane after the last write of [`fill_and_read`].
const FREE: u32 = 5;
/// Time between two writes.
const PAUSE: SimSpan = us(200);

/// Creates a drive with one plane of eight blocks of two pages, four of which are logical pages.
fn drive(kind: FabricKind) -> DriveSettings {
    let mut settings = small_drive(kind, 1, 1);
    settings.geometry =
        Geometry { planes_per_die: 1, blocks_per_plane: 8, pages_per_block: 2, ..settings.geometry };
    settings.ftl.over_provisioning_ratio = 0.75;
    settings.ftl.gc_start_free_blocks = FREE + 1;
    settings
}

/// Writes pages 0, 1, 0, 2, 0. Block 0 then contains valid data of page 1, block 1 of page 2, and five blocks
/// are free. Page 2 is read during the last write, so that the read and garbage collection compete for the
/// die.
fn fill_and_read(settings: DriveSettings) -> (Bench, Ran) {
    let bench = Bench::new(settings, 0);
    let write = |(n, page)| pages(Op::Write, page, 1, at(PAUSE * n));
    let mut requests: Vec<_> = (0..).zip([0, 1, 0, 2, 0]).map(write).collect();
    requests.push(pages(Op::Read, 2, 1, at(PAUSE * 4 + us(50))));
    let ran = bench.run(requests);
    (bench, ran)
}

/// Returns the time for which the read waits for the last write.
fn rest_of_the_write(bench: &Bench) -> SimSpan {
    bench.write() - us(50)
}

#[test]
fn a_plane_collects_with_one_free_block_less_than_the_soft_threshold_and_not_with_as_many() {
    for &kind in FabricKind::ALL {
        let mut settings = drive(kind);
        settings.ftl.gc_yields_to_host = false;
        settings.ftl.gc_start_free_blocks = FREE;
        let (bench, enough) = fill_and_read(settings.clone());
        assert_eq!(enough.latency(5), rest_of_the_write(&bench) + bench.read(), "{kind}");
        assert_eq!(enough.plane_busy, T_PROGRAM * 5 + T_READ, "{kind}: nothing was collected");
        settings.ftl.gc_start_free_blocks = FREE + 1;
        let (_, short) = fill_and_read(settings);
        assert_eq!(short.plane_busy, T_PROGRAM * 6 + T_READ * 2 + T_ERASE, "{kind}: a page was moved");
    }
}

#[test]
fn collection_yields_with_as_many_free_blocks_as_the_hard_threshold_and_not_with_one_less() {
    for &kind in FabricKind::ALL {
        let mut settings = drive(kind);
        settings.ftl.gc_hard_free_blocks = FREE;
        let (bench, enough) = fill_and_read(settings.clone());
        assert_eq!(
            enough.latency(5),
            rest_of_the_write(&bench) + bench.read(),
            "{kind}: the read goes first"
        );
        settings.ftl.gc_hard_free_blocks = FREE + 1;
        let (_, short) = fill_and_read(settings.clone());
        let collection = bench.read() + bench.write() + bench.command(COMMAND) + T_ERASE;
        let last = rest_of_the_write(&bench) + collection + bench.read();
        assert_eq!(short.latency(5), last, "{kind}: collection goes first");
        settings.ftl.gc_hard_free_blocks = 2;
        settings.ftl.gc_yields_to_host = false;
        let (_, never) = fill_and_read(settings);
        assert_eq!(never.latency(5), last, "{kind}: without yielding, whatever the threshold");
    }
}

#[test]
fn a_copyback_takes_two_commands_and_two_array_times_and_moves_no_data() {
    for &kind in FabricKind::ALL {
        let mut settings = drive(kind);
        settings.ftl.gc_yields_to_host = false;
        settings.flash.commands.program = vec![SimSpan::from_ns(17)];
        let (bench, moved) = fill_and_read(settings.clone());
        settings.ftl.gc_copyback = true;
        let (_, copied) = fill_and_read(settings);
        let program = bench.command(SimSpan::from_ns(17));
        let copyback = bench.command(COMMAND) + T_READ + program + T_PROGRAM;
        let erase = bench.command(COMMAND) + T_ERASE;
        let write = bench.program_of(SimSpan::from_ns(17), 1) + T_PROGRAM;
        let rest = write - us(50);
        assert_eq!(copied.latency(5), rest + copyback + erase + bench.read(), "{kind}");
        assert_eq!(moved.latency(5), rest + bench.read() + write + erase + bench.read(), "{kind}");
        assert_eq!(copied.transfers + 1, moved.transfers, "{kind}: no data out");
        assert_eq!(copied.plane_busy, moved.plane_busy, "{kind}: the array does the same");
        let saved = bench.data_out() + bench.program_of(SimSpan::from_ns(17), 1) - program;
        assert_eq!(moved.latency(5) - copied.latency(5), saved, "{kind}: the page's two ways");
        if kind == FabricKind::Bus {
            assert_eq!(moved.path_busy - copied.path_busy, saved);
        }
    }
}

#[test]
fn copybacks_of_two_planes_join_and_count_as_reads_programs_and_moves() {
    let mut settings = drive(FabricKind::Bus);
    settings.geometry.planes_per_die = 2;
    settings.flash.commands.read = vec![COMMAND; 2];
    settings.ftl.gc_yields_to_host = false;
    settings.ftl.gc_copyback = true;
    // Both planes are written together, so garbage collection starts in both of them at the end of the last
    // write.
    let writes = (0..).zip([0, 2, 0, 4, 0]).map(|(n, page)| pages(Op::Write, page, 2, at(PAUSE * n)));
    let outcome = run_and_report(&settings, LoopMode::Open, writes.collect());
    let flash = outcome.whole_flash();
    assert_eq!((flash.copybacks, flash.gc_moves), (2, 2));
    assert_eq!((flash.reads, flash.programs, flash.host_programs), (2, 12, 10));
    assert_eq!((flash.multiplane_reads, flash.multiplane_programs), (1, 6));
    assert_eq!(flash.erases, 2);
}

#[test]
fn without_copyback_none_are_counted() {
    let writes = (0..).zip([0, 1, 0, 2, 0]).map(|(n, page)| pages(Op::Write, page, 1, at(PAUSE * n)));
    let outcome = run_and_report(&drive(FabricKind::Bus), LoopMode::Open, writes.collect());
    assert_eq!((outcome.whole_flash().copybacks, outcome.whole_flash().gc_moves), (0, 1));
}

#[test]
fn pages_take_the_times_of_their_types_in_the_order_that_is_asked_for() {
    let (programs, reads) = ([us(1), us(10), us(100)], [us(2), us(20), us(150)]);
    for (order, types) in [
        (PageTypeOrder::Cyclic, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]),
        (PageTypeOrder::Mqsim, [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 0, 0]),
    ] {
        let mut settings = drive(FabricKind::Bus);
        settings.geometry.pages_per_block = 16;
        settings.flash.array.page_types = order;
        settings.flash.array.program = programs.to_vec();
        settings.flash.array.read = reads.to_vec();
        let bench = Bench::new(settings, 0);
        let first = (0..16).map(|n| pages(Op::Write, n, 1, at(PAUSE * n)));
        let then = (0..16).map(|n| pages(Op::Read, n, 1, at(PAUSE * (20 + n))));
        let ran = bench.run(first.chain(then).collect());
        for (n, kind) in types.into_iter().enumerate() {
            assert_eq!(ran.latency(n), bench.program_transfer(1) + programs[kind], "{order:?}: page {n}");
            let read = bench.command(COMMAND) + reads[kind] + bench.data_out();
            assert_eq!(ran.latency(16 + n), read, "{order:?}: page {n}");
        }
    }
}

#[test]
fn collection_that_yields_still_gets_its_turn_before_the_plane_is_full() {
    for hard in [2, 4, 6] {
        let mut settings = small_drive(FabricKind::Bus, 1, 1);
        settings.ftl.gc_hard_free_blocks = hard;
        settings.ftl.gc_start_free_blocks = 6;
        let writes = (0..2000).map(|n| pages(Op::Write, n * 7 % 100, 1, SimTime::ZERO));
        let outcome = run_and_report(&settings, LoopMode::Closed { depth: 8 }, writes.collect());
        assert_eq!(outcome.report.requests.completed, 2000, "{hard}");
        assert!(outcome.report.flash.erases > 0, "{hard}");
    }
}

#[test]
fn the_wait_of_a_read_is_attributed_to_each_step_of_garbage_collection() {
    for &kind in FabricKind::ALL {
        let mut settings = drive(kind);
        settings.ftl.gc_yields_to_host = false;
        let (bench, ran) = fill_and_read(settings);
        let behind = ran.rows[5].behind;
        let of = |cause: WaitCause| behind.spans[cause as usize];
        assert_eq!(of(WaitCause::CollectionRead), bench.read(), "{kind}");
        assert_eq!(of(WaitCause::CollectionProgram), bench.write(), "{kind}");
        assert_eq!(of(WaitCause::Erase), bench.command(COMMAND) + T_ERASE, "{kind}");
        let of_host = ran.stage(5, Stage::ChipWait) - behind.own_work();
        assert_eq!(of_host, rest_of_the_write(&bench), "{kind}: the rest is behind the host's write");
        assert_eq!((ran.rows[5].owes_most_to(), behind.chip), ("erases", Some(bench.chip)), "{kind}");
        assert_eq!(ran.rows[4].behind.own_work(), SimSpan::ZERO, "{kind}: nothing was collected before");
    }
}
