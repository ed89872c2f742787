//! Contract of host schedulers, rules of PIQ, and drives with host schedulers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;
use venice_drive::controller::scheduling::Scheduling;
use venice_drive::ftl::{Allocation, HierarchyLevel};
use venice_drive::observe::WarmUp;
use venice_fabric::FabricKind;
use venice_host::scheduler::{
    AnyScheduler, BatchRule, CompletedRequest, ConflictMeter, DeadlineParameters, DispatchRule,
    DriveCapacity, HostScheduler, KyberParameters, NextBatch, QueueCounts, QueuedRequest,
    ReadsFirstParameters, RequestBatches, SchedulerParameters, SchedulerSettings, Scheme, UnitMap,
};
use venice_host::testkit::contract::{self as contract, UNITS, queued, settings as told};
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{LoopMode, Op};
use venice_sim::testkit::drive::{run, small_drive, try_run_after};

const THRESHOLD: SimSpan = SimSpan::from_us(20);

/// Returns settings with closed batches.
fn settings(scheme: Scheme, next_batch: NextBatch) -> SchedulerSettings {
    SchedulerSettings {
        scheme,
        queue_counts: QueueCounts::Outstanding,
        parameters: parameters(BatchRule::Closed, next_batch),
        ..told()
    }
}

fn parameters(batches: BatchRule, next_batch: NextBatch) -> SchedulerParameters {
    SchedulerParameters {
        reads_first: ReadsFirstParameters {
            batches,
            next_batch,
            write_threshold_us: THRESHOLD.as_us(),
            passing_read_batches: 1,
            overdue_share_pct: 100.0,
        },
        deadline: DeadlineParameters {
            read_expire_ms: 0.05,
            write_expire_ms: 0.5,
            fifo_batch: 4,
            writes_starved: 2,
        },
        ..SchedulerParameters::default()
    }
}

/// Returns settings with open batches, in which the next batch starts as soon as the drive has free slots.
fn open(scheme: Scheme) -> SchedulerSettings {
    SchedulerSettings {
        parameters: parameters(BatchRule::Open, NextBatch::AsSlotsFree),
        queue_counts: QueueCounts::Waiting,
        ..settings(scheme, NextBatch::AsSlotsFree)
    }
}

/// Returns the next dispatch to a drive without limits.
fn take_next(scheduler: &mut AnyScheduler, now: SimTime) -> Option<QueuedRequest> {
    scheduler.next(now, &DriveCapacity::unlimited())
}

fn at(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

fn units_of(queued: &QueuedRequest) -> BTreeSet<usize> {
    queued.location.units(UNITS).collect()
}

/// Returns the requests dispatched in each microsecond, if each request takes exactly one and their number is
/// not limited.
fn served_in_cycles(
    scheduler: &mut AnyScheduler,
    coming: Vec<(u64, QueuedRequest)>,
) -> Vec<Vec<QueuedRequest>> {
    contract::served_in_cycles(scheduler, coming, DriveCapacity::unlimited())
}

fn ids(cycles: &[Vec<QueuedRequest>]) -> Vec<Vec<u32>> {
    cycles.iter().map(|cycle| cycle.iter().map(|queued| queued.id.0).collect()).collect()
}

fn all_at_once(requests: &[(Op, u64, u32)]) -> Vec<(u64, QueuedRequest)> {
    let build = |(number, &(op, page, count))| (0, queued(number, op, page, count, at(0)));
    requests.iter().enumerate().map(build).collect()
}

#[test]
fn a_request_joins_the_first_batch_that_it_does_not_conflict_with() {
    let requests = [(Op::Read, 0, 2), (Op::Read, 1, 1), (Op::Read, 2, 2), (Op::Read, 0, 1), (Op::Read, 3, 1)];
    let mut piq = Scheme::Piq.build(&settings(Scheme::Piq, NextBatch::AfterCompletion));
    // 0: units 0, 1. 1: unit 1, a second batch. 2: units 2, 3, with the first. 3: unit 0, with the second. 4:
    // unit 3, also with the second.
    assert_eq!(ids(&served_in_cycles(&mut piq, all_at_once(&requests))), [vec![0, 2], vec![1, 3, 4]]);
}

#[test]
fn over_channels_a_request_prefers_a_batch_without_its_channel_and_never_shares_a_chip() {
    // Eight chips on four channels: pages 0 and 4 are on channel 0, 1 and 5 on channel 1.
    let requests = [0, 4, 1, 5, 0].map(|page| (Op::Read, page, 1));
    let cycles = |channels, units| {
        let (base, units) = (settings(Scheme::Piq, NextBatch::AfterCompletion), UnitMap::new(units, 8));
        let told = SchedulerSettings { channels, units, ..base };
        let locate = |(when, queued): (u64, QueuedRequest)| {
            (when, QueuedRequest { location: units.locate(queued.start_sector, queued.sectors), ..queued })
        };
        let coming = all_at_once(&requests).into_iter().map(locate).collect();
        ids(&served_in_cycles(&mut Scheme::Piq.build(&told), coming))
    };
    assert_eq!(cycles(None, 8), [vec![0, 1, 2, 3], vec![4]]);
    assert_eq!(cycles(None, 4), [vec![0, 2], vec![1, 3], vec![4]], "vectors of channels");
    // The second has no batch without channel 0, and joins the first; the third and fourth likewise. The last
    // shares a chip with the first.
    assert_eq!(cycles(Some(4), 8), [vec![0, 1, 2, 3], vec![4]]);
    // With a second batch on channel 0 alone, a request on channel 1 goes there if the first has it.
    let requests = [(0, 1), (0, 1), (1, 1), (5, 1)].map(|(page, count)| (Op::Read, page, count));
    let told = SchedulerSettings { channels: Some(4), ..settings(Scheme::Piq, NextBatch::AfterCompletion) };
    let found = served_in_cycles(&mut Scheme::Piq.build(&told), all_at_once(&requests));
    assert_eq!(ids(&found), [vec![0, 2], vec![1, 3]]);
}

#[test]
fn batches_send_requests_for_chips_that_do_not_collect_first_also_those_of_the_next_batch() {
    let room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::Freely, 64);
    let mut room = room.with_notices(told().chips, true);
    // Page 0 is on the chip that collects; the third and fourth request begin a second batch.
    let requests = [0, 1, 1, 0].map(|page| (Op::Read, page, 1));
    let order = |room: &DriveCapacity| {
        let mut piq = Scheme::Piq.build(&open(Scheme::Piq));
        for (_, queued) in all_at_once(&requests) {
            piq.add(queued);
        }
        std::iter::from_fn(|| piq.next(at(0), room)).map(|queued| queued.id.0).collect::<Vec<_>>()
    };
    assert_eq!(order(&room), [0, 1, 2, 3]);
    room.note_collection(0, true);
    assert_eq!(order(&room), [1, 2, 0, 3]);
    room.note_collection(0, false);
    assert_eq!(order(&room), [0, 1, 2, 3]);
}

#[test]
fn reads_go_before_writes_and_each_kind_has_batches_of_its_own() {
    let requests =
        [(Op::Write, 0, 1), (Op::Read, 0, 1), (Op::Write, 1, 1), (Op::Read, 0, 1), (Op::Write, 0, 1)];
    let cycles = |scheme: Scheme| {
        let mut scheduler = scheme.build(&settings(scheme, NextBatch::AfterCompletion));
        ids(&served_in_cycles(&mut scheduler, all_at_once(&requests)))
    };
    assert_eq!(cycles(Scheme::Noop), [[0, 1, 2, 3, 4]]);
    assert_eq!(cycles(Scheme::Rws), [[1, 3, 0, 2, 4]]);
    assert_eq!(cycles(Scheme::PiqR), [vec![1], vec![3], vec![0, 2, 4]]);
    assert_eq!(cycles(Scheme::PiqW), [vec![1, 3, 0, 2], vec![4]]);
    assert_eq!(cycles(Scheme::Piq), [vec![1], vec![3], vec![0, 2], vec![4]]);
}

/// Returns the first unit and the number of units of a location vector in the paper's notation, with unit 0
/// as the most significant bit.
fn units_of_vector(vector: u32, units: u32) -> (u64, u32) {
    let first = units - vector.ilog2() - 1;
    let run = (1 << vector.count_ones()) - 1;
    assert_eq!(vector, run << (units - first - vector.count_ones()), "a vector is a run of bits");
    (u64::from(first), vector.count_ones())
}

fn of_vectors(requests: &[(Op, u32)], units: u32) -> Vec<(Op, u64, u32)> {
    let locate = |&(op, vector)| {
        let (first, count) = units_of_vector(vector, units);
        (op, first, count)
    };
    requests.iter().map(locate).collect()
}

/// Gao et al., PIQ, Figure 5: five requests over eight units, with the printed vectors.
const FIGURE_5: [(Op, u32); 5] =
    [(Op::Read, 12), (Op::Read, 64), (Op::Read, 6), (Op::Read, 96), (Op::Read, 3)];

/// Figures 6 and 7: six requests over four units, alternating reads and writes, each in conflict with the
/// previous one. The text gives the vectors of the reads; those of the writes are read off the drawing.
const FIGURE_6: [(Op, u32); 6] =
    [(Op::Read, 3), (Op::Write, 3), (Op::Read, 6), (Op::Write, 6), (Op::Read, 12), (Op::Write, 12)];

#[test]
fn the_five_requests_of_figure_5_conflict_where_the_paper_says() {
    let requests = of_vectors(&FIGURE_5, UNITS);
    assert_eq!(requests.iter().map(|&(_, first, _)| first).collect::<Vec<_>>(), [4, 1, 5, 1, 6]);
    let meets = |one: usize, other: usize| {
        let mut meter = ConflictMeter::new(UNITS);
        for (number, &(op, first, count)) in [&requests[one], &requests[other]].into_iter().enumerate() {
            meter.came(op, queued(number, op, first, count, at(0)).location);
        }
        meter.counters().read_read == 1
    };
    let pairs = (0..5).flat_map(|one| (one + 1..5).map(move |other| (one, other)));
    let found: Vec<_> = pairs.filter(|&(one, other)| meets(one, other)).collect();
    assert_eq!(found, [(0, 2), (1, 3), (2, 4)], "1 and 3 at unit 5, 2 and 4 at unit 1, 3 and 5 at unit 6");
}

/// Returns the length of a run in hundredths of a cycle, and the batch sizes of reads and of writes, on a
/// drive whose operations take one cycle with negligible transfer times. All requests arrive at once.
fn cycles(requests: &[(Op, u64, u32)], units: u32, scheduler: &SchedulerSettings) -> (u64, [Vec<u64>; 2]) {
    let cycle = SimSpan::from_us(100_000);
    let mut drive = small_drive(FabricKind::Ideal, 1, units);
    drive.geometry.planes_per_die = 1;
    (drive.flash.array.read, drive.flash.array.program) = (vec![cycle], vec![cycle]);
    let map = UnitMap::new(units, 8);
    drive.host.scheduler = Some(SchedulerSettings { units: map, drive_units: map, ..*scheduler });
    let requests = requests.iter().map(|&(op, page, count)| pages(op, page, count, at(0))).collect();
    let report = run(&drive, LoopMode::Open, requests).report;
    let scheduled = report.scheduler.unwrap();
    let sizes = |kind| {
        let histogram =
            scheduled.batch_sizes.get(kind).map(|sizes| sizes.histogram.clone()).unwrap_or_default();
        histogram.into_iter().flat_map(|(size, count)| vec![size; count as usize]).collect()
    };
    ((report.makespan_us / cycle.as_us() * 100.0).round() as u64, [sizes("read"), sizes("write")])
}

fn in_order(scheduler: &SchedulerSettings) -> SchedulerSettings {
    SchedulerSettings { issue: DispatchRule::WithoutConflicts, ..*scheduler }
}

#[test]
fn figure_5_takes_three_cycles_as_they_came_and_two_in_two_batches() {
    let requests = of_vectors(&FIGURE_5, UNITS);
    let found = |scheme| cycles(&requests, UNITS, &in_order(&open(scheme)));
    assert_eq!(found(Scheme::Noop), (300, [vec![], vec![]]));
    assert_eq!(found(Scheme::Piq), (200, [vec![2, 3], vec![]]));
    assert_eq!(found(Scheme::PiqPlus).0, 200);
    assert_eq!(found(Scheme::ConflictFree).0, 200, "nine units' worth of work for eight units");
}

#[test]
fn figure_6_takes_six_cycles_under_noop_and_figure_7_four_in_batches_of_two_and_one() {
    let requests = of_vectors(&FIGURE_6, 4);
    let found = |scheme| cycles(&requests, 4, &in_order(&open(scheme)));
    assert_eq!(found(Scheme::Noop), (600, [vec![], vec![]]));
    assert_eq!(found(Scheme::Piq), (400, [vec![1, 2], vec![1, 2]]));
    assert_eq!(found(Scheme::PiqPlus), found(Scheme::Piq));
    assert_eq!(found(Scheme::PiqR).1, [vec![1, 2], vec![]]);
    assert_eq!(found(Scheme::PiqW).1, [vec![], vec![1, 2]]);
    assert_eq!(found(Scheme::ConflictFree).0, 300, "twelve units' worth of work for four units");
}

#[test]
fn closed_batches_need_a_fifth_cycle_for_figure_7_and_a_third_cycle_for_figure_5() {
    let closed = |next| in_order(&settings(Scheme::Piq, next));
    for (next, batches) in [(NextBatch::AsSlotsFree, 4), (NextBatch::AfterCompletion, 3)] {
        // The first read is dispatched before the arrival of the third, which conflicts with the second's
        // batch as well.
        let (figure_7, [reads, _]) = cycles(&of_vectors(&FIGURE_6, 4), 4, &closed(next));
        assert_eq!((figure_7, reads), (500, vec![1, 1, 1]), "{next:?}");
        let (figure_5, [reads, _]) = cycles(&of_vectors(&FIGURE_5, UNITS), UNITS, &closed(next));
        assert_eq!((figure_5, reads.len()), (300, batches), "{next:?}");
    }
}

#[test]
fn a_request_joins_a_batch_in_the_drive_and_goes_before_batches_that_wait() {
    let mut piq = Scheme::Piq.build(&open(Scheme::Piq));
    let mut room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::WithoutConflicts, 64);
    piq.add(queued(0, Op::Read, 0, 1, at(0)));
    let first = piq.next(at(0), &room).unwrap();
    room.enter(first.in_drive);
    piq.add(queued(1, Op::Read, 0, 2, at(1)));
    assert_eq!(piq.next(at(1), &room), None, "its unit is in use");
    piq.add(queued(2, Op::Read, 3, 1, at(2)));
    let joined = piq.next(at(2), &room).unwrap();
    room.enter(joined.in_drive);
    assert_eq!((joined.id.0, joined.batch), (2, first.batch));
    // Unit 0 is free again, but the batch has served it: the next request for unit 0 joins another batch.
    room.leave(first.in_drive);
    piq.completed(CompletedRequest::at_once(&first), SimTime::ZERO);
    piq.add(queued(3, Op::Read, 0, 1, at(3)));
    let second = piq.next(at(3), &room).unwrap();
    assert_eq!((second.id.0, second.batch), (1, 2));
    assert_eq!(piq.counters().read_batches, 2);
}

#[test]
fn of_a_batch_any_goes_that_the_drive_takes_and_none_of_the_next_passes_one_that_waits() {
    let mut piq = Scheme::Piq.build(&open(Scheme::Piq));
    let mut room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::WithoutConflicts, 64);
    let busy = queued(9, Op::Write, 0, 1, at(0)).in_drive;
    room.enter(busy);
    for (number, op, page) in [(0, Op::Read, 0), (1, Op::Read, 1), (2, Op::Read, 1), (3, Op::Write, 5)] {
        piq.add(queued(number, op, page, 1, at(0)));
    }
    let mut goes = |room: &mut DriveCapacity| {
        let queued = piq.next(at(1), room)?;
        room.enter(queued.in_drive);
        Some(queued.id.0)
    };
    assert_eq!(goes(&mut room), Some(1), "the first of the batch waits for its unit, the second does not");
    assert_eq!(goes(&mut room), None, "nor does anything pass the batch");
    room.leave(busy);
    assert_eq!(goes(&mut room), Some(0));
    assert_eq!(goes(&mut room), None, "unit 1 is in use, and a write does not pass a read");
}

#[test]
fn a_read_that_comes_goes_before_a_write_that_waits_for_its_unit() {
    for scheme in [Scheme::Rws, Scheme::Piq, Scheme::PiqPlus] {
        let mut scheduler = scheme.build(&open(scheme));
        let mut room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::WithoutConflicts, 64);
        room.enter(queued(9, Op::Read, 0, 1, at(0)).in_drive);
        scheduler.add(queued(0, Op::Write, 0, 1, at(0)));
        assert_eq!(scheduler.next(at(0), &room), None);
        scheduler.add(queued(1, Op::Read, 4, 1, at(1)));
        assert_eq!(scheduler.next(at(1), &room).map(|queued| queued.id.0), Some(1), "{scheme:?}");
    }
}

#[test]
fn queue_entries_count_waiting_or_outstanding_requests_as_configured() {
    // Two reads of different units; with one entry for both, the second waits for the first.
    let requests = [(Op::Read, 0, 1), (Op::Read, 1, 1)];
    let found = |queue_counts| {
        let one = SchedulerSettings { queue_length: 1, queue_counts, ..in_order(&open(Scheme::Noop)) };
        cycles(&requests, 2, &one).0
    };
    assert_eq!((found(QueueCounts::Waiting), found(QueueCounts::Outstanding)), (100, 200));
    assert_eq!(found(QueueCounts::WaitingByKind), 100);
}

/// Returns the total latency of all reads in cycles, on a drive of one unit in order. All requests arrive at
/// once.
fn read_cycles(requests: &[(Op, u64, u32)], scheduler: &SchedulerSettings) -> u64 {
    let cycle = SimSpan::from_us(1000);
    let mut drive = small_drive(FabricKind::Ideal, 1, 1);
    drive.geometry.planes_per_die = 1;
    (drive.flash.array.read, drive.flash.array.program) = (vec![cycle], vec![cycle]);
    let map = UnitMap::new(1, 8);
    drive.host.scheduler = Some(SchedulerSettings { units: map, drive_units: map, ..in_order(scheduler) });
    let requests: Vec<_> = requests.iter().map(|&(op, page, count)| pages(op, page, count, at(0))).collect();
    let reads = requests.iter().filter(|request| request.op == Op::Read).count();
    let mean_us = run(&drive, LoopMode::Open, requests).report.latency_us.read.mean.unwrap();
    (mean_us * reads as f64 / cycle.as_us()).round() as u64
}

#[test]
fn with_an_entry_of_each_kind_a_read_passes_writes_that_wait_and_with_one_it_waits_behind_them() {
    // Three writes of one unit, then a read of it: after the first write, or after all of them.
    let requests = [(Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Write, 0, 1), (Op::Read, 0, 1)];
    let found = |queue_counts| {
        read_cycles(&requests, &SchedulerSettings { queue_length: 1, queue_counts, ..open(Scheme::Rws) })
    };
    assert_eq!([QueueCounts::WaitingByKind, QueueCounts::Waiting].map(found), [2, 4]);
}

#[test]
fn age_counts_from_entry_into_the_queue() {
    // The second write waits from 0 on and is dispatched at its deadline, 3. The third enters at 3 with
    // deadline 6: at 4 it is the reads' turn, at 5 the write has waited for two cycles. Reads end after 2, 3,
    // 5 and 6 cycles.
    let requests = [[(Op::Write, 0, 1); 3].as_slice(), &[(Op::Read, 0, 1); 4]].concat();
    let found = |queue_length| {
        let mut by_kind = SchedulerSettings {
            queue_length,
            queue_counts: QueueCounts::WaitingByKind,
            ..open(Scheme::PiqPlus)
        };
        by_kind.parameters.reads_first.write_threshold_us = 2500.0;
        by_kind.parameters.reads_first.passing_read_batches = 0;
        read_cycles(&requests, &by_kind)
    };
    assert_eq!(found(1), 2 + 3 + 5 + 6);
    // With entries for all, the third also waits from 0 on, and is dispatched at 5.
    assert_eq!(found(8), 2 + 3 + 5 + 7);
}

#[test]
fn the_ideal_sends_requests_to_idle_units_and_the_drive_still_serves_each() {
    // Five reads of one unit among eight: five cycles at their unit, one cycle if redirected.
    let requests = [(Op::Read, 3, 1); 5];
    let found = |scheme| cycles(&requests, UNITS, &in_order(&open(scheme))).0;
    assert_eq!((found(Scheme::Noop), found(Scheme::Piq), found(Scheme::ConflictFree)), (500, 500, 100));
    let freely = |scheme| cycles(&requests, UNITS, &open(scheme)).0;
    assert_eq!(freely(Scheme::ConflictFree), 100, "whatever the drive would let pass");
}

#[test]
fn a_queue_by_unit_lets_requests_pass_those_that_wait_for_other_units_only() {
    let mut by_unit = Scheme::ByUnit.build(&settings(Scheme::ByUnit, NextBatch::AsSlotsFree));
    let requests = [(0, 2), (1, 2), (2, 1), (3, 1), (0, 1)].map(|(page, count)| (Op::Read, page, count));
    let coming = all_at_once(&requests);
    // Unit 2 is idle, but the second request arrived first and needs it; no request precedes the fourth.
    assert_eq!(ids(&served_in_cycles(&mut by_unit, coming)), [vec![0, 3], vec![1, 4], vec![2]]);
}

/// Returns the mean latency in cycles of reads that arrive every five cycles beside two hundred writes, on a
/// drive of one unit with service in order of arrival.
fn reads_beside_writes(read_target_cycles: f64) -> f64 {
    let cycle = SimSpan::from_us(1000);
    let mut drive = small_drive(FabricKind::Ideal, 1, 1);
    drive.geometry.planes_per_die = 1;
    (drive.flash.array.read, drive.flash.array.program) = (vec![cycle], vec![cycle]);
    drive.ftl.scheduling.kind = Scheduling::Paq;
    let mut scheduler = open(Scheme::Kyber);
    scheduler.queue_length = 1024;
    scheduler.parameters.kyber = KyberParameters {
        kyber_read_target_us: read_target_cycles * cycle.as_us(),
        kyber_write_target_us: 900_000.0,
        kyber_write_depth: 32,
        kyber_window_ms: 2.0,
        kyber_samples: 1,
        ..KyberParameters::default()
    };
    drive.host.scheduler = Some(scheduler);
    let writes = (0..200).map(|n| pages(Op::Write, n % 16, 1, at(0)));
    let reads = (0..40).map(|n| pages(Op::Read, 16 + n % 4, 1, at(n * 5000)));
    let mut requests: Vec<_> = writes.chain(reads).collect();
    requests.sort_by_key(|request| request.arrival);
    run(&drive, LoopMode::Open, requests).report.latency_us.read.mean.unwrap() / cycle.as_us()
}

#[test]
fn kyber_has_few_writes_in_the_drive_while_reads_miss_their_target_and_as_many_as_it_may_otherwise() {
    let (missed, kept) = (reads_beside_writes(4.0), reads_beside_writes(900.0));
    assert!(kept > 15.0 && kept < 34.0, "up to 32 writes stand before each read: {kept}");
    assert!(missed > 2.0 && missed < 8.0, "after the first reads, one or two do: {missed}");
}

#[test]
fn a_batch_that_has_begun_takes_no_more() {
    let mut piq = Scheme::Piq.build(&settings(Scheme::Piq, NextBatch::AsSlotsFree));
    piq.add(queued(0, Op::Read, 0, 1, at(0)));
    piq.add(queued(1, Op::Read, 1, 1, at(0)));
    assert_eq!(take_next(&mut piq, at(0)).unwrap().id.0, 0);
    piq.add(queued(2, Op::Read, 2, 1, at(0)));
    piq.add(queued(3, Op::Write, 2, 1, at(0)));
    let rest: Vec<u32> =
        std::iter::from_fn(|| take_next(&mut piq, at(0))).map(|queued| queued.id.0).collect();
    assert_eq!(rest, [1, 2, 3]);
    assert_eq!(piq.counters().read_batches, 2);
}

#[test]
fn the_next_batch_waits_for_completion_or_a_slot_as_configured() {
    for (next_batch, goes) in [(NextBatch::AfterCompletion, false), (NextBatch::AsSlotsFree, true)] {
        let mut piq = Scheme::Piq.build(&settings(Scheme::Piq, next_batch));
        piq.add(queued(0, Op::Read, 0, 1, at(0)));
        piq.add(queued(1, Op::Read, 0, 1, at(0)));
        let first = take_next(&mut piq, at(0)).unwrap();
        assert_eq!(take_next(&mut piq, at(0)).is_some(), goes, "{next_batch:?}");
        piq.completed(CompletedRequest::at_once(&first), SimTime::ZERO);
        assert_eq!(take_next(&mut piq, at(1)).is_some(), !goes, "{next_batch:?}");
    }
}

#[test]
fn a_batch_of_writes_goes_first_exactly_at_the_threshold() {
    for (now, first) in [(19, Op::Read), (20, Op::Write)] {
        let mut plus = Scheme::PiqPlus.build(&settings(Scheme::PiqPlus, NextBatch::AfterCompletion));
        plus.add(queued(0, Op::Write, 0, 1, at(0)));
        plus.add(queued(1, Op::Read, 0, 1, at(1)));
        assert_eq!(take_next(&mut plus, at(now)).unwrap().op, first, "after {now} µs");
        assert_eq!(plus.counters().prioritised_write_batches, u64::from(first == Op::Write));
        assert_eq!(plus.counters().prioritised_reads, u64::from(first == Op::Read));
    }
}

#[test]
fn between_two_batches_of_writes_that_are_due_reads_have_a_turn() {
    let mut plus = Scheme::PiqPlus.build(&settings(Scheme::PiqPlus, NextBatch::AsSlotsFree));
    for number in 0..4 {
        plus.add(queued(number, Op::Write, 0, 1, at(0)));
        plus.add(queued(4 + number, Op::Read, 0, 1, at(1)));
    }
    let order: Vec<u32> =
        std::iter::from_fn(|| take_next(&mut plus, at(20))).map(|queued| queued.id.0).collect();
    assert_eq!(order, [0, 4, 1, 5, 2, 6, 3, 7]);
    assert_eq!(plus.counters().prioritised_write_batches, 4);
}

/// Returns PIQ+ with these requests, each with its arrival in µs, and a drive in order with a request on unit
/// 0.
fn overdue_writes(requests: &[(Op, u64, u32, u64)]) -> (AnyScheduler, DriveCapacity) {
    let mut plus = Scheme::PiqPlus.build(&open(Scheme::PiqPlus));
    let mut room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::WithoutConflicts, 64);
    room.enter(queued(99, Op::Read, 0, 1, at(0)).in_drive);
    for (number, &(op, page, count, since)) in requests.iter().enumerate() {
        plus.add(queued(number, op, page, count, at(since)));
    }
    (plus, room)
}

/// Returns the requests dispatched at the threshold of a write that arrived at 0.
fn dispatched(plus: &mut AnyScheduler, room: &mut DriveCapacity) -> Vec<u32> {
    let next = || {
        let queued = plus.next(at(0) + THRESHOLD, room)?;
        room.enter(queued.in_drive);
        Some(queued.id.0)
    };
    std::iter::from_fn(next).collect()
}

fn leave(room: &mut DriveCapacity, page: u64, count: u32) {
    room.leave(queued(0, Op::Read, page, count, at(0)).in_drive);
}

#[test]
fn one_batch_of_reads_passes_a_blocked_overdue_write_and_later_ones_only_on_other_units() {
    // The write needs units 0 and 1. Reads 1 to 3 are a batch, and 4 to 6 the next one.
    let reads = [2, 0, 1, 0, 2, 1].map(|page| (Op::Read, page, 1, 1));
    let (mut plus, mut room) = overdue_writes(&[&[(Op::Write, 0, 2, 0)], &reads[..]].concat());
    let none: [u32; 0] = [];
    assert_eq!(dispatched(&mut plus, &mut room), [1, 3], "unit 0 is in use");
    leave(&mut room, 0, 1);
    assert_eq!(dispatched(&mut plus, &mut room), [2], "a read of the first batch goes before the write");
    leave(&mut room, 2, 1);
    assert_eq!(dispatched(&mut plus, &mut room), [5]);
    leave(&mut room, 1, 1);
    assert_eq!(dispatched(&mut plus, &mut room), none, "unit 1 is the write's, which waits for unit 0");
    leave(&mut room, 0, 1);
    assert_eq!(dispatched(&mut plus, &mut room), [0]);
    leave(&mut room, 0, 2);
    assert_eq!(dispatched(&mut plus, &mut room), [4, 6]);
}

#[test]
fn of_a_batch_only_the_writes_that_were_overdue_when_it_was_selected_precede_reads() {
    // All three writes are in one batch; the second is as old as the threshold, the third is not. Read 3 is in
    // the batch that passes, read 4 in the next.
    let requests = [
        (Op::Write, 1, 1, 0),
        (Op::Write, 2, 1, 0),
        (Op::Write, 3, 1, 1),
        (Op::Read, 4, 1, 1),
        (Op::Read, 4, 1, 1),
    ];
    let (mut plus, _) = overdue_writes(&requests);
    assert_eq!(dispatched(&mut plus, &mut DriveCapacity::unlimited()), [3, 0, 1, 4, 2]);
    assert_eq!(plus.counters().prioritised_write_batches, 1);
}

#[test]
fn after_overdue_writes_reads_wait_for_the_configured_share_before_further_ones_precede_them() {
    // Each write and each read is a batch of its own.
    for (share_pct, pause_us) in [(20.0, 40), (50.0, 10)] {
        let mut settings = open(Scheme::PiqPlus);
        settings.parameters.reads_first.overdue_share_pct = share_pct;
        settings.parameters.reads_first.passing_read_batches = 0;
        let mut plus = Scheme::PiqPlus.build(&settings);
        for number in 0..2 {
            plus.add(queued(number, Op::Write, 1, 1, at(0)));
        }
        for number in 2..6 {
            plus.add(queued(number, Op::Read, 1, 1, at(0)));
        }
        let begun = at(0) + THRESHOLD;
        let write = take_next(&mut plus, begun).unwrap();
        let ended = begun + SimSpan::from_us(10);
        plus.completed(CompletedRequest::at_once(&write), ended);
        let mut next = |after: u64| take_next(&mut plus, ended + SimSpan::from_us(after)).unwrap().id.0;
        assert_eq!((write.id.0, next(0), next(pause_us - 1)), (0, 2, 3), "{share_pct} %");
        assert_eq!((next(pause_us), next(pause_us)), (1, 4), "{share_pct} %");
    }
}

#[test]
fn a_write_that_joins_an_overdue_batch_waits_for_the_reads() {
    let (mut plus, mut room) = overdue_writes(&[(Op::Write, 0, 1, 0), (Op::Read, 1, 1, 1)]);
    assert_eq!(dispatched(&mut plus, &mut room), [1]);
    for (number, op, page) in [(2, Op::Write, 2), (3, Op::Read, 1)] {
        plus.add(queued(number, op, page, 1, at(0)));
    }
    let none: [u32; 0] = [];
    assert_eq!(dispatched(&mut plus, &mut room), none, "write 2 joined later and does not pass read 3");
    leave(&mut room, 0, 1);
    assert_eq!(dispatched(&mut plus, &mut room), [0]);
    leave(&mut room, 1, 1);
    assert_eq!(dispatched(&mut plus, &mut room), [3, 2]);
}

#[test]
fn between_two_overdue_writes_of_one_unit_reads_have_a_turn() {
    let requests: Vec<_> = (0..3).flat_map(|_| [(Op::Write, 1, 1, 0), (Op::Read, 1, 1, 1)]).collect();
    let (mut plus, _) = overdue_writes(&requests);
    // Read 1 passes write 0, read 3 has its turn, read 5 passes write 2.
    assert_eq!(dispatched(&mut plus, &mut DriveCapacity::unlimited()), [1, 0, 3, 5, 2, 4]);
}

#[test]
fn a_deadline_scheduler_goes_upwards_and_lets_the_expired_go_first() {
    let mut deadline = Scheme::Deadline.build(&settings(Scheme::Deadline, NextBatch::AsSlotsFree));
    for (number, page) in [(0, 5), (1, 3), (2, 7), (3, 1)] {
        deadline.add(queued(number, Op::Read, page, 1, at(number as u64)));
    }
    assert_eq!(take_next(&mut deadline, at(10)).unwrap().start_sector, 8);
    // A run of four is in progress; a lower sector waits until its end.
    deadline.add(queued(4, Op::Read, 0, 1, at(10)));
    let rest: Vec<u64> = std::iter::from_fn(|| take_next(&mut deadline, at(11)))
        .map(|queued| queued.start_sector / 8)
        .collect();
    assert_eq!(rest, [3, 5, 7, 0]);
    // The second run has three left; then the oldest request has expired and precedes the next sector.
    for (number, page, since) in [(5, 2, 12), (6, 4, 12), (7, 6, 12), (8, 8, 30), (9, 9, 20)] {
        deadline.add(queued(number, Op::Read, page, 1, at(since)));
    }
    let next: Vec<u32> = (0..4).map(|_| take_next(&mut deadline, at(70)).unwrap().id.0).collect();
    assert_eq!(next, [5, 6, 7, 9]);
}

#[test]
fn a_deadline_scheduler_passes_writes_over_a_number_of_times_and_begins_with_the_oldest_where_none_is_higher()
{
    let mut deadline = Scheme::Deadline.build(&settings(Scheme::Deadline, NextBatch::AsSlotsFree));
    deadline.add(queued(0, Op::Write, 0, 1, at(0)));
    for number in 1..=12 {
        deadline.add(queued(number, Op::Read, 40 - number as u64, 1, at(number as u64)));
    }
    // Two runs of reads precede: the lowest sectors, then the following ones. The write is served before the
    // third run.
    let next: Vec<u32> = (0..13).map(|_| take_next(&mut deadline, at(13)).unwrap().id.0).collect();
    assert_eq!(next, [12, 11, 10, 9, 8, 7, 6, 5, 0, 4, 3, 2, 1]);
    deadline.add(queued(13, Op::Read, 5, 1, at(15)));
    deadline.add(queued(14, Op::Read, 3, 1, at(16)));
    assert_eq!(take_next(&mut deadline, at(20)).unwrap().id.0, 13, "no sector is higher, and it came first");
}

fn scheme() -> impl Strategy<Value = Scheme> {
    proptest::sample::select(Scheme::ALL.to_vec())
}

fn next_batch() -> impl Strategy<Value = NextBatch> {
    proptest::sample::select(vec![NextBatch::AfterCompletion, NextBatch::AsSlotsFree])
}

prop_compose! {
    fn arrivals()(list in proptest::collection::vec((0_u64..60, any::<bool>(), 0_u64..40, 1_u32..6), 1..80))
        -> Vec<(u64, QueuedRequest)>
    {
        let mut list = list;
        list.sort_by_key(|&(when, ..)| when);
        let build = |(number, (when, is_read, page, count))| {
            let op = if is_read { Op::Read } else { Op::Write };
            (when, queued(number, op, page, count, at(when)))
        };
        list.into_iter().enumerate().map(build).collect()
    }
}

/// Batch of a reference implementation, which searches the list linearly.
#[derive(Default)]
struct Walked {
    waiting: Vec<u32>,
    units: BTreeSet<usize>,
    has_begun: bool,
    in_drive: u32,
}

impl Walked {
    fn is_complete(&self) -> bool {
        self.has_begun && self.waiting.is_empty() && self.in_drive == 0
    }
}

fn rule() -> impl Strategy<Value = BatchRule> {
    proptest::sample::select(vec![BatchRule::Open, BatchRule::Closed])
}

proptest! {
    #[test]
    fn every_request_goes_exactly_once(
        scheme in scheme(), batches in rule(), next in next_batch(), coming in arrivals()
    ) {
        let mut scheduler = scheme
            .build(&SchedulerSettings { parameters: parameters(batches, next), ..settings(scheme, next) });
        let count = coming.len();
        let cycles = served_in_cycles(&mut scheduler, coming);
        contract::goes_exactly_once(scheme.name(), &cycles, count);
    }

    #[test]
    fn requests_of_one_batch_share_no_unit(coming in arrivals(), plus in any::<bool>()) {
        let scheme = if plus { Scheme::PiqPlus } else { Scheme::Piq };
        let mut scheduler = scheme.build(&settings(scheme, NextBatch::AfterCompletion));
        for cycle in served_in_cycles(&mut scheduler, coming) {
            // All requests dispatched in one cycle belong to one batch, since the next batch waits until this
            // one is complete.
            let mut taken = BTreeSet::new();
            for queued in &cycle {
                prop_assert_eq!(queued.op, cycle[0].op);
                for unit in units_of(queued) {
                    prop_assert!(taken.insert(unit), "unit {} twice", unit);
                }
            }
        }
    }

    #[test]
    fn batches_are_those_of_a_walk_from_the_head_and_as_many_comparisons_are_counted(
        coming in arrivals(),
        is_open in any::<bool>(),
        steps in proptest::collection::vec((0_usize..4, any::<proptest::sample::Index>()), 80),
    ) {
        let rule = if is_open { BatchRule::Open } else { BatchRule::Closed };
        let mut batches = RequestBatches::new(UNITS, rule);
        let mut walked: Vec<Walked> = Vec::new();
        let (mut comparisons, mut in_drive) = (0, Vec::new());
        for ((_, queued), (goes, completes)) in coming.into_iter().zip(steps) {
            let units = units_of(&queued);
            let is_free = |batch: &Walked| {
                let is_looked_at = !batch.is_complete() && (is_open || !batch.has_begun);
                comparisons += u64::from(is_looked_at);
                is_looked_at && batch.units.is_disjoint(&units)
            };
            let place = walked.iter().position(is_free).unwrap_or(walked.len());
            if place == walked.len() {
                walked.push(Walked::default());
            }
            walked[place].waiting.push(queued.id.0);
            walked[place].units.extend(units);
            batches.push(queued);
            for _ in 0..goes {
                let Some(current) = walked.iter().position(|batch| !batch.waiting.is_empty()) else { break };
                let batch = &mut walked[current];
                let (id, begins) = (batch.waiting.remove(0), !batch.has_begun);
                batch.has_begun = true;
                batch.in_drive += 1;
                let taken = batches.take(&DriveCapacity::unlimited()).unwrap();
                let found = (taken.queued.id.0, taken.queued.batch, taken.begins, taken.empties);
                prop_assert_eq!(found, (id, current as u64 + 1, begins, batch.waiting.is_empty()));
                in_drive.push(taken.queued);
            }
            if !in_drive.is_empty() {
                let done = in_drive.swap_remove(completes.index(in_drive.len()));
                walked[done.batch as usize - 1].in_drive -= 1;
                batches.completed(done.batch);
            }
            prop_assert_eq!(batches.vector_tests(), comparisons);
        }
        let complete = walked.iter().filter(|batch| batch.is_complete()).count() as u64;
        prop_assert_eq!(batches.sizes().iter().sum::<u64>(), complete);
    }

    #[test]
    fn of_an_open_batch_no_two_requests_ever_share_a_unit(
        coming in arrivals(), writes_too in any::<bool>(), slots in 1_usize..9,
    ) {
        let scheme = if writes_too { Scheme::PiqPlus } else { Scheme::PiqR };
        let mut scheduler = scheme.build(&open(scheme));
        let mut room = DriveCapacity::new(UnitMap::new(UNITS, 8), DispatchRule::WithoutConflicts, 64);
        let (mut taken, mut in_drive) = (BTreeSet::new(), VecDeque::new());
        for (when, queued) in coming {
            scheduler.add(queued);
            while in_drive.len() < slots && let Some(goes) = scheduler.next(at(when), &room) {
                room.enter(goes.in_drive);
                for unit in units_of(&goes).into_iter().filter(|_| goes.batch > 0) {
                    prop_assert!(taken.insert((goes.op == Op::Read, goes.batch, unit)), "unit {} twice", unit);
                }
                in_drive.push_back(goes);
            }
            if in_drive.len() == slots && let Some(done) = in_drive.pop_front() {
                room.leave(done.in_drive);
                scheduler.completed(CompletedRequest::at_once(&done), SimTime::ZERO);
            }
        }
    }

    #[test]
    fn by_unit_agrees_with_a_search_from_the_head_of_the_queue(
        coming in arrivals(),
        steps in proptest::collection::vec((0_usize..4, any::<proptest::sample::Index>()), 80),
    ) {
        let mut by_unit = Scheme::ByUnit.build(&settings(Scheme::ByUnit, NextBatch::AsSlotsFree));
        let (mut queue, mut in_drive): (Vec<QueuedRequest>, Vec<QueuedRequest>) = (Vec::new(), Vec::new());
        for ((_, queued), (goes, completes)) in coming.into_iter().zip(steps) {
            by_unit.add(queued);
            queue.push(queued);
            for _ in 0..goes {
                let mut wanted: BTreeSet<usize> = in_drive.iter().flat_map(units_of).collect();
                let may_go = |queued: &QueuedRequest| {
                    let units = units_of(queued);
                    let is_free = wanted.is_disjoint(&units);
                    wanted.extend(units);
                    is_free
                };
                let found = queue.iter().position(may_go).map(|place| queue.remove(place));
                in_drive.extend(found);
                prop_assert_eq!(take_next(&mut by_unit, at(0)), found);
            }
            prop_assert_eq!(by_unit.waiting(), queue.len());
            if !in_drive.is_empty() {
                let done = in_drive.swap_remove(completes.index(in_drive.len()));
                by_unit.completed(CompletedRequest::at_once(&done), SimTime::ZERO);
            }
        }
    }

    #[test]
    fn the_first_batch_of_writes_waits_for_the_threshold_and_one_batch_at_most(coming in arrivals()) {
        let mut scheduler = Scheme::PiqPlus.build(&settings(Scheme::PiqPlus, NextBatch::AfterCompletion));
        // A batch takes one cycle. After its oldest request has waited for the threshold, only older batches
        // of writes precede it.
        let cycles = served_in_cycles(&mut scheduler, coming);
        let mut previous_write = None;
        for (now, cycle) in cycles.iter().enumerate() {
            if cycle.first().is_none_or(|queued| queued.op == Op::Read) {
                continue;
            }
            let oldest = cycle.iter().map(|queued| queued.since).min().unwrap();
            let due = oldest + THRESHOLD;
            let became_head = previous_write.map_or(SimTime::ZERO, |cycle: usize| at(cycle as u64 + 1));
            prop_assert!(at(now as u64) <= due.max(became_head) + SimSpan::from_us(1));
            previous_write = Some(now);
        }
    }

    #[test]
    fn with_one_outstanding_request_all_schemes_are_equal(scheme in scheme(), coming in arrivals()) {
        let mut scheduler = scheme.build(&settings(scheme, NextBatch::AfterCompletion));
        contract::a_single_request_is_dispatched_at_once(scheme.name(), &mut scheduler, coming);
    }
}

#[test]
fn all_requests_are_served_under_every_scheduler_fabric_and_host_assumption() {
    let op = |n: u64| if n.is_multiple_of(3) { Op::Write } else { Op::Read };
    for &kind in FabricKind::ALL {
        for &scheme in Scheme::ALL {
            for believed_units in [1, 16, 50, 4096] {
                let mut drive = small_drive(kind, 4, 4);
                let scheduler = SchedulerSettings {
                    units: UnitMap::new(believed_units, 8),
                    queue_length: 16,
                    drive_slots: 8,
                    ..settings(scheme, NextBatch::AfterCompletion)
                };
                drive.host.scheduler = Some(scheduler);
                let requests =
                    (0..150).map(|n| pages(op(n), n * 37 % 400, 1 + n as u32 % 3, at(n))).collect();
                let found = run(&drive, LoopMode::Open, requests);
                assert_eq!(found.report.requests.completed, 150, "{kind}, {scheme:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn with_one_queue_entry_all_schemes_are_equal(
        fabric in proptest::sample::select(FabricKind::ALL.to_vec()),
        slots in 1_u32..9,
        next in next_batch(),
        list in proptest::collection::vec((any::<bool>(), 0_u64..300, 1_u32..6, 0_u64..400), 1..60),
    ) {
        let mut list = list;
        list.sort_by_key(|&(.., when)| when);
        let build = |&(is_read, page, count, when): &(bool, u64, u32, u64)| {
            pages(if is_read { Op::Read } else { Op::Write }, page, count, at(when))
        };
        let requests: Vec<_> = list.iter().map(build).collect();
        let answers = |scheme| {
            let mut drive = small_drive(fabric, 4, 4);
            let alone = SchedulerSettings { queue_length: 1, drive_slots: slots, ..settings(scheme, next) };
            drive.host.scheduler = Some(alone);
            run(&drive, LoopMode::Open, requests.clone()).latencies()
        };
        let noop = answers(Scheme::Noop);
        for &scheme in Scheme::ALL {
            prop_assert_eq!(&answers(scheme), &noop, "{:?}", scheme);
        }
    }

    #[test]
    fn all_requests_are_served_for_any_host_assumption_and_queue_length(
        scheme in scheme(),
        (batches, next) in (rule(), next_batch()),
        fabric in proptest::sample::select(FabricKind::ALL.to_vec()),
        queue_counts in proptest::sample::select(vec![QueueCounts::Waiting, QueueCounts::WaitingByKind, QueueCounts::Outstanding]),
        (is_dynamic, is_in_order) in any::<(bool, bool)>(),
        (units, queue_length, slots) in (1_u32..4097, 1_u32..513, 1_u32..65),
        list in proptest::collection::vec((any::<bool>(), 0_u64..400, 1_u32..6, 0_u64..2_000), 1..150),
    ) {
        let mut drive = small_drive(fabric, 4, 4);
        if is_dynamic {
            drive.ftl.allocation = Allocation::Dynamic([HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane]);
        }
        let units = UnitMap::new(units, 8);
        let issue = if is_in_order { DispatchRule::WithoutConflicts } else { DispatchRule::Freely };
        drive.host.scheduler =
            Some(SchedulerSettings {
                units, queue_length, queue_counts, drive_slots: slots, issue, parameters: parameters(batches, next),
                ..settings(scheme, next)
            });
        let count = list.len() as u64;
        let mut list = list;
        list.sort_by_key(|&(.., when)| when);
        let requests = list.into_iter().map(|(is_read, page, count, when)| {
            pages(if is_read { Op::Read } else { Op::Write }, page, count, at(when))
        });
        let found = run(&drive, LoopMode::Open, requests.collect());
        prop_assert_eq!(found.report.requests.completed, count);
    }
}

#[test]
fn conflicts_are_counted_on_arrival_against_waiting_and_served_requests() {
    let mut drive = small_drive(FabricKind::Bus, 4, 4);
    let scheduler = settings(Scheme::Noop, NextBatch::AfterCompletion);
    drive.host.scheduler = Some(SchedulerSettings { units: UnitMap::new(16, 8), ..scheduler });
    // Reads of units 0 and 1; a write to unit 1, in conflict with a read; a read of 0 and 1, in conflict with
    // both; one of 5.
    let requests = vec![
        pages(Op::Read, 0, 2, at(0)),
        pages(Op::Write, 1, 1, at(0)),
        pages(Op::Read, 0, 2, at(0)),
        pages(Op::Read, 5, 1, at(0)),
        pages(Op::Read, 0, 1, at(10_000)),
    ];
    let met = run(&drive, LoopMode::Open, requests).report.scheduler.unwrap();
    assert_eq!(met.conflicted_reads_pct, Some(25.0));
    assert_eq!(met.conflicted_writes_pct, Some(100.0));
    assert_eq!((met.read_read_conflicts, met.write_write_conflicts, met.read_write_conflicts), (1, 0, 2));
    assert_eq!(met.conflicts_pct["read_write"], Some(25.0));
    assert_eq!(met.conflicts_pct["write_read"], Some(100.0));
}

#[test]
fn waiting_and_processing_are_separate_and_busy_time_excludes_idle_time() {
    let mut drive = small_drive(FabricKind::Ideal, 4, 4);
    let scheduler = settings(Scheme::Piq, NextBatch::AfterCompletion);
    drive.host.scheduler = Some(SchedulerSettings { units: UnitMap::new(16, 8), ..scheduler });
    // Two reads of one unit, the second of which waits for the first, and much later a third.
    let requests =
        vec![pages(Op::Read, 0, 1, at(0)), pages(Op::Read, 16, 1, at(0)), pages(Op::Read, 0, 1, at(10_000))];
    let report = run(&drive, LoopMode::Open, requests).report;
    let found = report.scheduler.unwrap();
    let (waiting, processing) = (&found.waiting_us["read"], &found.processing_us["read"]);
    let one = processing.max.unwrap();
    assert_eq!((waiting.count, processing.count), (3, 3));
    assert_eq!((waiting.max, processing.mean.unwrap()), (Some(one), one));
    assert!((found.busy_us - 3.0 * one).abs() < 1e-6, "{} of {}", found.busy_us, report.makespan_us);
    assert_eq!(report.latency_us.read.max, Some(2.0 * one));
    assert_eq!(found.waiting_cdf["read"].last(), Some(&(100.0, one)));
    let chip_us = report.utilisation.chip_pct.unwrap() * report.makespan_us;
    assert!((found.chip_while_busy_pct.unwrap() * found.busy_us / chip_us - 1.0).abs() < 1e-9);
    assert_eq!(found.memory_bytes, 64 * (2 + 8), "16 bits and a time stamp for each of 64");
}

#[test]
fn operations_beside_another_die_of_the_chip_are_counted() {
    let mut drive = small_drive(FabricKind::Ideal, 1, 1);
    drive.geometry.dies_per_chip = 2;
    drive.host.scheduler = Some(settings(Scheme::Noop, NextBatch::AfterCompletion));
    let interleaved = |count| {
        let report = run(&drive, LoopMode::Open, vec![pages(Op::Read, 0, count, at(0))]).report;
        report.scheduler.unwrap().advanced_commands.interleaved
    };
    assert_eq!((interleaved(1), interleaved(2)), (0, 1), "CWDP: the second page is on the other die");
}

#[test]
fn what_came_before_the_measured_phase_is_not_in_the_scheduler_s_figures() {
    let mut drive = small_drive(FabricKind::Bus, 4, 4);
    drive.host.scheduler = Some(settings(Scheme::PiqPlus, NextBatch::AfterCompletion));
    let requests: Vec<_> = (0..100).map(|n| pages(Op::Read, n % 4, 1, at(n))).collect();
    let warm_up = WarmUp { requests: 60, ..WarmUp::default() };
    let report = try_run_after(warm_up, &drive, LoopMode::Open, requests).unwrap().report;
    let found = report.scheduler.unwrap();
    assert_eq!(found.waiting_us["read"].count, 40);
    assert!(found.read_batches <= 41, "{} batches", found.read_batches);
    assert!(found.busy_us <= report.makespan_us + 1e-6);
}
