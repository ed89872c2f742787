//! Tests of transaction scheduling by priority classes: order and shares of service.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::controller::scheduling::Scheduling;
use venice_drive::ftl::{Allocation, HierarchyLevel};
use venice_drive::observe::RequestRow;
use venice_fabric::FabricKind;
use venice_host::scheduler::{DispatchRule, QueueCounts, SchedulerSettings, Scheme, UnitMap};
use venice_host::testkit::contract::settings as scheduler_settings;
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::DieWork;
use venice_nand::geometry::Priority;
use venice_nand::testkit::paper_flash;
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, RunOptions, Simulation};
use venice_sim::report::{Provenance, Report};
use venice_sim::testkit::drive::{run, small_drive, try_run};

const CLASSES: [Priority; 4] = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];

/// Creates one chip of dies with one plane, and scheduling by priority classes. Queues 0 to 3 have the
/// classes urgent, high, medium and low.
fn drive(dies: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.dies_per_chip = dies;
    settings.geometry.planes_per_die = 1;
    settings.geometry.blocks_per_plane = 64;
    settings.flash = paper_flash(1);
    settings.ftl.scheduling.kind = Scheduling::PriorityOutOfOrder;
    settings.host.priorities = CLASSES.to_vec();
    settings
}

fn request(op: Op, queue: u16, page: u64) -> HostRequest {
    HostRequest { queue, ..pages(op, page, 1, SimTime::ZERO) }
}

/// Creates `of_each` requests for each of these queues, in turn, all issued at once.
fn crowd(op: Op, queues: &[u16], of_each: u64) -> Vec<HostRequest> {
    let turn = |n: u64| queues.iter().zip(0..).map(move |(&queue, k)| request(op, queue, n * 4 + k));
    (0..of_each).flat_map(turn).collect()
}

fn served(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<RequestRow> {
    run(settings, LoopMode::Open, requests).rows
}

fn latency(row: &RequestRow) -> SimSpan {
    row.completed.since(row.arrival)
}

/// Returns the number of each queue's requests among the first `count` completions.
fn shares(rows: &[RequestRow], count: usize) -> [usize; 4] {
    std::array::from_fn(|queue| rows.iter().take(count).filter(|row| usize::from(row.queue) == queue).count())
}

#[test]
fn under_saturation_reads_and_writes_have_exactly_their_weights_and_none_starves() {
    for op in [Op::Read, Op::Write] {
        let rows = served(&drive(1), crowd(op, &[3, 2, 1], 50));
        // The first request, of the class low, finds the die idle. Rounds of 4, 2 and 1 follow.
        assert_eq!(shares(&rows, 1 + 84), [0, 48, 24, 1 + 12], "{op:?}");
        let mut settings = drive(1);
        settings.ftl.scheduling.weights = [1, 1, 3];
        assert_eq!(
            shares(&served(&settings, crowd(op, &[3, 2, 1], 50)), 1 + 50),
            [0, 10, 10, 1 + 30],
            "{op:?}"
        );
    }
}

#[test]
fn with_turns_that_go_by_low_reads_alone_are_missed_by_every_other_look() {
    let time = |kind: Scheduling, queue: u16| {
        let mut settings = drive(1);
        settings.ftl.scheduling.kind = kind;
        latency(&served(&settings, crowd(Op::Read, &[queue], 1))[0])
    };
    for queue in 0..4 {
        let alone = time(Scheduling::PriorityTurns, queue);
        assert_eq!(
            alone,
            time(Scheduling::PriorityOutOfOrder, queue),
            "an idle chip's first look finds queue {queue}"
        );
    }
    // The second request arrives during the array operation of the first one. The scheduler then queries the
    // chip and cannot start the request. At the next query, when the chip is idle, the class low is skipped.
    // A later read of another class causes one more query.
    let second = |kind: Scheduling, queue: u16| {
        let mut settings = drive(1);
        settings.ftl.scheduling.kind = kind;
        let at = |us: u64, request| HostRequest { arrival: SimTime::from_ps(us * 1_000_000), ..request };
        let low = |page| request(Op::Read, queue, page);
        let rows = served(&settings, vec![low(0), at(2, low(4)), at(1_000, request(Op::Read, 1, 9))]);
        latency(rows.iter().find(|row| row.number == 1).unwrap())
    };
    for queue in [0, 1, 2] {
        let (turns, weights) =
            (second(Scheduling::PriorityTurns, queue), second(Scheduling::PriorityOutOfOrder, queue));
        assert_eq!(turns, weights, "queue {queue}");
    }
    let late = second(Scheduling::PriorityTurns, 3);
    assert!(
        late > SimSpan::from_us(990),
        "the second of the low class waits for a look from elsewhere: {late}"
    );
    assert!(second(Scheduling::PriorityOutOfOrder, 3) < SimSpan::from_us(20));
}

#[test]
fn with_priority_turns_low_writes_alone_starve_and_the_run_reports_it() {
    let mut settings = drive(1);
    settings.ftl.scheduling.kind = Scheduling::PriorityTurns;
    let Err(error) = try_run(&settings, LoopMode::Open, crowd(Op::Write, &[3], 4)) else {
        panic!("low writes alone were served");
    };
    let said = error.to_string();
    assert!(
        said.starts_with("4 requests are never served") && said.contains("priority_out_of_order"),
        "{said}"
    );
    assert_eq!(served(&settings, crowd(Op::Write, &[2], 4)).len(), 4, "the medium class alone is");
}

#[test]
fn without_classes_requests_are_served_in_their_order() {
    let mut settings = drive(1);
    settings.ftl.scheduling.kind = Scheduling::OutOfOrder;
    let rows = served(&settings, crowd(Op::Read, &[3, 2, 1], 50));
    assert!(rows.iter().map(|row| row.number).eq(0..150));
}

#[test]
fn urgent_requests_go_first_but_no_write_before_a_read() {
    let mut requests = crowd(Op::Read, &[3, 1], 20);
    requests.extend(crowd(Op::Write, &[0], 20));
    requests.extend(crowd(Op::Read, &[0], 20));
    let rows = served(&drive(1), requests);
    let order: Vec<_> = rows.iter().skip(1).map(|row| (row.op, row.queue)).collect();
    assert!(order[..20].iter().all(|&it| it == (Op::Read, 0)), "{order:?}");
    assert!(order[20..59].iter().all(|&(op, queue)| op == Op::Read && queue != 0), "{order:?}");
    assert!(order[59..].iter().all(|&it| it == (Op::Write, 0)), "{order:?}");
}

#[test]
fn dies_of_a_chip_that_take_turns_share_one_round() {
    let mut settings = drive(2);
    settings.flash.die_work = DieWork::OneAtATime;
    let rows = served(&settings, crowd(Op::Read, &[3, 2, 1], 50));
    assert_eq!(shares(&rows, 1 + 84), [0, 48, 24, 1 + 12]);
}

const ORDER: [HierarchyLevel; 4] =
    [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];

/// Creates one row of chips with one die of two planes, and scheduling by physically addressed queueing.
fn queue_of_addresses(chips: u32, most_passes: u32) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Ideal, 1, chips);
    settings.ftl.scheduling.kind = Scheduling::Paq;
    settings.ftl.scheduling.parameters.paq.paq_most_passes = most_passes;
    settings
}

/// Returns the numbers of the requests in the order of their completion.
fn completed(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<u64> {
    served(settings, requests).iter().map(|row| row.number).collect()
}

#[test]
fn a_queue_of_addresses_gives_reads_no_precedence_over_writes() {
    let ops = [Op::Write, Op::Write, Op::Read, Op::Write, Op::Read];
    // All requests go to one plane. With two chips, the other plane is not used.
    let requests = || ops.iter().zip(0..).map(|(&op, n)| request(op, 0, n * 4)).collect();
    let mut settings = queue_of_addresses(2, 0);
    assert_eq!(completed(&settings, requests()), [0, 1, 2, 3, 4]);
    settings.ftl.scheduling.kind = Scheduling::OutOfOrder;
    assert_eq!(completed(&settings, requests()), [0, 2, 4, 1, 3]);
}

#[test]
fn a_group_with_more_planes_goes_first_until_the_oldest_was_passed_over_often_enough() {
    // Pages 0, 2, 4, … are on one chip, alternately in plane 0 and plane 1. Page n of a plane has the offset
    // n / 2.
    let read = |plane: u64, offset: u64| request(Op::Read, 0, offset * 2 + plane);
    // The first read finds the die idle. No other read has the offset of the second one. The next four reads
    // form two pairs.
    let requests = || vec![read(0, 7), read(0, 0), read(0, 1), read(1, 1), read(0, 2), read(1, 2)];
    let order = |most_passes| completed(&queue_of_addresses(1, most_passes), requests());
    assert_eq!(order(0), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order(1), [0, 2, 3, 1, 4, 5]);
    assert_eq!(order(2), [0, 2, 3, 4, 5, 1]);
}

#[test]
fn nothing_is_passed_over_more_often_than_is_allowed_while_pairs_keep_coming() {
    let read = |plane: u64, offset: u64| request(Op::Read, 0, offset * 2 + plane);
    let mut requests = vec![read(0, 7), read(0, 0)];
    let pairs = |n: u64| [read(0, 1 + n % 6), read(1, 1 + n % 6)];
    requests.extend((0..40).flat_map(pairs));
    for most_passes in [1, 3, 7, 20] {
        let done = completed(&queue_of_addresses(1, most_passes), requests.clone());
        let place = done.iter().position(|&number| number == 1).unwrap() as u32;
        assert_eq!(place, 1 + 2 * most_passes, "the one before it, and two pages for each group");
    }
}

#[test]
fn every_policy_reads_and_programs_the_same_pages_on_every_fabric() {
    let op = |n: u64| if n.is_multiple_of(3) { Op::Write } else { Op::Read };
    let requests: Vec<_> =
        (0..300).map(|n| pages(op(n), n * 37 % 400, 1 + n as u32 % 5, SimTime::ZERO)).collect();
    for &fabric in FabricKind::ALL {
        let pages_of = |kind| {
            let mut settings = small_drive(fabric, 4, 4);
            settings.ftl.scheduling.kind = kind;
            let report = run(&settings, LoopMode::Closed { depth: 64 }, requests.clone()).report;
            (report.requests.completed, report.flash.reads, report.flash.host_programs)
        };
        let expected = pages_of(Scheduling::OutOfOrder);
        assert_eq!(expected.0, 300);
        for &kind in Scheduling::ALL {
            assert_eq!(pages_of(kind), expected, "{kind:?} over {fabric}");
        }
    }
}

/// Writes six pages with the same home chip, which dynamic allocation places on six chips. Then reads all of
/// them at once.
fn read_back_where_they_really_are(settings: &DriveSettings) -> Vec<SimSpan> {
    let us = |us| SimTime::ZERO + SimSpan::from_us(us);
    let (chips, later) = (8, us(10_000));
    let page = |n: u64| n * 2 * chips;
    let mut requests: Vec<_> = (0..6).map(|n| pages(Op::Write, page(n), 1, us(n))).collect();
    requests.extend((0..6).map(|n| pages(Op::Read, page(n), 1, later)));
    run(settings, LoopMode::Open, requests).latencies().split_off(6)
}

#[test]
fn the_drive_queue_uses_actual_and_the_host_queue_assumed_locations() {
    let mut drive = queue_of_addresses(8, 7);
    drive.ftl.allocation = Allocation::Dynamic(ORDER);
    let in_drive = read_back_where_they_really_are(&drive);
    assert!(in_drive.iter().all(|&latency| latency == in_drive[0]), "they are on six chips: {in_drive:?}");
    let mut believed = drive.clone();
    believed.ftl.scheduling.kind = Scheduling::OutOfOrder;
    believed.host.scheduler = Some(by_unit(8));
    let in_host = read_back_where_they_really_are(&believed);
    let one_by_one: Vec<_> = (1..=6).map(|turn| in_drive[0] * turn).collect();
    assert_eq!(in_host, one_by_one, "the host believes them on one chip");
    // The opposite case: with static allocation the pages are on one chip, whatever the host assumes.
    drive.ftl.allocation = Allocation::Static(ORDER);
    assert_eq!(read_back_where_they_really_are(&drive), one_by_one);
    drive.host.scheduler = Some(by_unit(7));
    assert_eq!(read_back_where_they_really_are(&drive), one_by_one);
}

/// Returns a host scheduler with a queue for each parallel unit. It assumes `units` parallel units and
/// dispatches without limit.
fn by_unit(units: u32) -> SchedulerSettings {
    SchedulerSettings {
        scheme: Scheme::ByUnit,
        queue_length: 64,
        queue_counts: QueueCounts::Outstanding,
        drive_slots: 64,
        units: UnitMap::new(units, 8),
        issue: DispatchRule::Freely,
        drive_units: UnitMap::new(8, 8),
        history_points: 2,
        ..scheduler_settings()
    }
}

/// Runs requests, and measures the queues of chips.
fn watched(settings: &DriveSettings, mode: LoopMode, requests: Vec<HostRequest>) -> (Simulation, Report) {
    let options = RunOptions { audit: true, watch_chips: true, ..RunOptions::default() };
    let flow = Flow::new(Box::new(Script::new(requests)), mode);
    let mut simulation = Simulation::new(settings, vec![flow], options).unwrap();
    simulation.run().unwrap();
    let provenance = Provenance { config: serde_json::Value::Null, seed: settings.seed, wall_s: 0.0 };
    let report = simulation.report(provenance);
    (simulation, report)
}

#[test]
fn of_two_reads_on_one_plane_the_second_waits_while_the_first_is_served() {
    let mut drive = small_drive(FabricKind::Bus, 1, 1);
    drive.geometry.planes_per_die = 1;
    let reads = [0, 1].map(|page| pages(Op::Read, page, 1, SimTime::ZERO));
    let (simulation, report) = watched(&drive, LoopMode::Closed { depth: 2 }, reads.to_vec());
    let chip = &report.chips.as_ref().unwrap()[0];
    let queue = chip.queues.iter().find(|queue| queue.work == "host_reads").unwrap();
    assert_eq!((queue.enqueued, queue.dequeued, queue.priority), (2, 2, None));
    let us = |pct: f64| pct / 100.0 * report.energy_window_us;
    let transfers_us = simulation.device().recorder().drive.transfer_time.as_us();
    assert!((us(chip.array_pct) - 6.0).abs() < 1e-9, "{chip:?}");
    assert!((us(chip.transfer_pct) - transfers_us).abs() < 1e-9, "{chip:?}");
    assert!((us(chip.idle_pct) - (report.energy_window_us - 6.0 - transfers_us)).abs() < 1e-9, "{chip:?}");
    // The second read arrives later than the first, by the transfer time of its command over the link.
    let (served_us, waited_us) = (f64::midpoint(6.0, transfers_us), queue.max_wait_us.unwrap());
    assert!(waited_us < served_us && waited_us > served_us - 0.5, "{waited_us} of {served_us}");
    assert!((queue.mean_wait_us.unwrap() - waited_us / 2.0).abs() < 1e-9);
    assert!((queue.mean_length * report.energy_window_us - waited_us).abs() < 1e-9, "Little's law");
    let nothing = chip.queues.iter().filter(|queue| queue.work != "host_reads");
    assert!(nothing.clone().all(|queue| queue.enqueued == 0 && queue.mean_wait_us.is_none()));
    assert_eq!(nothing.count(), 7);
}

#[test]
fn what_joins_the_queues_of_a_drive_that_collects_leaves_them_and_erases_wait_for_their_moves() {
    let mut drive = small_drive(FabricKind::Bus, 1, 2);
    drive.geometry.blocks_per_plane = 8;
    let capacity = Simulation::capacity_sectors(&drive) / 8;
    let page = |n: u64| if n < capacity { n } else { ((n * 2_654_435_761) >> 7) % capacity };
    let writes = (0..6 * capacity).map(|n| pages(Op::Write, page(n), 1, SimTime::ZERO)).collect();
    let (_, report) = watched(&drive, LoopMode::Closed { depth: 8 }, writes);
    let chips = report.chips.as_ref().unwrap();
    let sum = |work: &str| -> u64 {
        let queues = chips.iter().flat_map(|chip| &chip.queues).filter(|queue| queue.work == work);
        queues.map(|queue| queue.dequeued).sum()
    };
    assert!(chips.iter().flat_map(|chip| &chip.queues).all(|queue| queue.enqueued >= queue.dequeued));
    // Transactions whose command is being sent at the end of the window have left their queue and are not
    // counted yet.
    let on_their_way = 2 * u64::from(drive.geometry.planes());
    assert!(sum("erases") - report.flash.erases <= on_their_way);
    assert!(sum("gc_writes") + sum("host_writes") - report.flash.programs <= on_their_way);
    assert!(report.flash.erases > 20 && report.flash.gc_moves > 20, "{:?}", report.flash);
    for chip in chips {
        let wait = |work| chip.queues.iter().find(|queue| queue.work == work).unwrap().mean_wait_us.unwrap();
        assert!(wait("erases") > wait("gc_writes") + 100.0, "{chip:?}");
    }
}

#[test]
fn a_log_fills_the_planes_of_a_die_together_whatever_pages_are_written() {
    let order = [HierarchyLevel::Plane, HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die];
    let commands = |allocation| {
        let mut drive = small_drive(FabricKind::Bus, 2, 2);
        (drive.geometry.planes_per_die, drive.flash) = (4, paper_flash(4));
        drive.ftl.allocation = allocation;
        // All these pages have the same home plane.
        let writes = (0..128).map(|n| pages(Op::Write, n * 16 % 1024, 1, SimTime::ZERO)).collect();
        let ran = run(&drive, LoopMode::Closed { depth: 64 }, writes);
        assert_eq!(ran.report.flash.programs, 128);
        ran.report.flash.program_commands
    };
    let [fixed, least_busy, log] =
        [Allocation::Static(order), Allocation::Dynamic(order), Allocation::InTurn(order)].map(commands);
    assert_eq!(fixed, 128, "one plane has them all");
    // An idle die programs the first page alone and later pages together.
    assert!((32..40).contains(&log), "{log}");
    assert!(least_busy > 2 * log, "{least_busy} for {log}");
}
