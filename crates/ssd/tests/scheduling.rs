//! Transaction scheduling by priority class: who is served, and how often.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_kernel::SimTime;
use venice_ssd::assembly::DriveSettings;
use venice_ssd::flash::DieWork;
use venice_ssd::ftl::Scheduling;
use venice_ssd::geometry::Priority;
use venice_ssd::host::{HostRequest, LoopMode, Op};
use venice_ssd::observe::RequestRow;
use venice_ssd::registry::FabricKind;
use venice_ssd::testkit::drive::{pages, paper_flash, run, small_drive};

const CLASSES: [Priority; 4] = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];

/// One chip of dies of one plane, all of whose work is by class: queue 0 is urgent, 1 high, 2 medium, 3 low.
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

/// Requests of these queues in turn, all issued at once.
fn crowd(op: Op, queues: &[u16], of_each: u64) -> Vec<HostRequest> {
    let turn = |n: u64| queues.iter().zip(0..).map(move |(&queue, k)| request(op, queue, n * 4 + k));
    (0..of_each).flat_map(turn).collect()
}

fn served(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<RequestRow> {
    run(settings, LoopMode::Open, requests).rows
}

/// How many of the first `count` completions were of each queue.
fn shares(rows: &[RequestRow], count: usize) -> [usize; 4] {
    std::array::from_fn(|queue| rows.iter().take(count).filter(|row| usize::from(row.queue) == queue).count())
}

#[test]
fn under_saturation_reads_and_writes_have_exactly_their_weights_and_none_starves() {
    for op in [Op::Read, Op::Write] {
        let rows = served(&drive(1), crowd(op, &[3, 2, 1], 50));
        // The first, of the low class, found the die idle; after it, rounds of 4, 2 and 1.
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
