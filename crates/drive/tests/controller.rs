//! Tests of the queues of dies and of the formation of commands alone. The test acts as the host and the
//! dies, and sets the state of the layer above.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_drive::controller::queues::QueueSettings;
use venice_drive::controller::scheduling::{Scheduling, SchedulingParameters, SchedulingSettings};
use venice_drive::testkit::controller::{ControllerBench, GEOMETRY, PLAIN, PLANES};
use venice_kernel::SimTime;
use venice_nand::chip::{DieWork, FlashSettings, Operation};
use venice_nand::geometry::{ChipId, DieId, GatherId, PlaneId, Ppn, Priority, RequestId, TransactionId};
use venice_nand::testkit::paper_flash;
use venice_nand::transactions::{Origin, PageState, Purpose, Transaction, TransactionClass};

const DIE: DieId = DieId(0);
const READ: Purpose = Purpose::HostRead(Origin::Request(RequestId(0)));
const WRITE: Purpose = Purpose::HostWrite(Origin::Request(RequestId(0)));
const MAP_READ: Purpose = Purpose::MappingRead { writes_back: false };
const OPERAND: Purpose = Purpose::OperandLoad(GatherId(0));

fn scheduling(kind: Scheduling) -> SchedulingSettings {
    SchedulingSettings { kind, weights: [4, 2, 1], parameters: SchedulingParameters::default() }
}

fn bench_of(flash: &FlashSettings, settings: QueueSettings) -> ControllerBench {
    ControllerBench::new(flash, settings, &scheduling(Scheduling::OutOfOrder))
}

fn bench() -> ControllerBench {
    bench_of(&paper_flash(PLANES), PLAIN)
}

fn bench_with(kind: Scheduling) -> ControllerBench {
    ControllerBench::new(&paper_flash(PLANES), PLAIN, &scheduling(kind))
}

/// Returns the page at the offset `offset` of a block in the plane of a transaction.
fn page_of(transaction: &Transaction, offset: u32) -> Ppn {
    GEOMETRY.ppn(GEOMETRY.block(transaction.plane, 0), offset)
}

/// Returns a change of a write: its page is allocated at this offset.
fn given(offset: u32) -> impl Fn(&mut Transaction) + Copy {
    move |write| {
        let ppn = page_of(write, offset);
        write.page = PageState::Given { ppn, turn: 0, waits_for_read: false };
    }
}

/// Returns a change of a transaction: its page is at this offset of its block.
fn at(offset: u32) -> impl Fn(&mut Transaction) + Copy {
    move |transaction| transaction.page = PageState::At { ppn: page_of(transaction, offset), is_pinned: true }
}

fn of_class(bench: &ControllerBench, priority: Priority) -> impl Fn(&mut Transaction) + use<> {
    let lane = bench.queues.lane(priority);
    move |transaction| (transaction.priority, transaction.lane) = (priority, lane)
}

/// Queues one transaction of each class for plane 0, in the reverse of all service orders.
fn one_of_each(bench: &mut ControllerBench) {
    let others = [Purpose::GcErase, Purpose::GcWrite, Purpose::GcRead, WRITE, Purpose::MappingWrite];
    for purpose in others.into_iter().chain([READ, OPERAND, MAP_READ]) {
        bench.wait(purpose, 0);
    }
}

/// Returns the classes in the order in which die 0 serves them, until its queues are empty.
fn served(bench: &mut ControllerBench) -> Vec<TransactionClass> {
    let mut classes = Vec::new();
    while let [id, ..] = bench.serve(DIE)[..] {
        classes.push(bench.all.get(id).purpose.class());
    }
    classes
}

const HOST_FIRST: [TransactionClass; 8] = [
    TransactionClass::MappingRead,
    TransactionClass::Operand,
    TransactionClass::HostRead,
    TransactionClass::MappingWrite,
    TransactionClass::HostWrite,
    TransactionClass::GcRead,
    TransactionClass::GcWrite,
    TransactionClass::GcErase,
];
const COLLECTION_FIRST: [TransactionClass; 8] = [
    TransactionClass::MappingRead,
    TransactionClass::GcRead,
    TransactionClass::GcWrite,
    TransactionClass::GcErase,
    TransactionClass::Operand,
    TransactionClass::HostRead,
    TransactionClass::MappingWrite,
    TransactionClass::HostWrite,
];

#[test]
fn classes_are_served_in_their_order_and_collection_first_where_it_is_urgent() {
    let mut bench = bench();
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), HOST_FIRST);
    bench.books.urgent.insert(DieId(1));
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), HOST_FIRST, "it is urgent on another die");
    bench.books.urgent.insert(DIE);
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), COLLECTION_FIRST);
}

#[test]
fn collection_that_does_not_yield_always_goes_first() {
    let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { collection_yields: false, ..PLAIN });
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), COLLECTION_FIRST);
}

#[test]
fn reads_first_serves_host_reads_before_urgent_collection_and_host_writes_after_it() {
    let mut bench = bench_with(Scheduling::ReadsFirst);
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), HOST_FIRST);
    bench.books.urgent.insert(DIE);
    one_of_each(&mut bench);
    let mut expected = COLLECTION_FIRST;
    // The operand and the host's read move before the three classes of garbage collection.
    expected[1..6].rotate_left(3);
    assert_eq!(served(&mut bench), expected);
}

#[test]
fn moves_of_due_data_always_yield_unless_they_are_urgent() {
    let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { collection_yields: false, ..PLAIN });
    bench.books.due_only.insert(DIE);
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), HOST_FIRST);
    bench.books.urgent.insert(DIE);
    one_of_each(&mut bench);
    assert_eq!(served(&mut bench), COLLECTION_FIRST);
}

#[test]
fn a_move_that_a_full_plane_waits_for_is_urgent_where_moves_leave_their_plane() {
    for (moves_leave, order) in [(true, COLLECTION_FIRST), (false, HOST_FIRST)] {
        let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { moves_leave, ..PLAIN });
        one_of_each(&mut bench);
        // The relocation waits behind the transaction that is served first, so garbage collection stays
        // urgent up to the erase.
        let move_ = bench.wait(Purpose::GcWrite, 0);
        bench.books.urgent_moves.insert(bench.page(move_));
        let mut classes = served(&mut bench);
        let second = classes.iter().rposition(|&class| class == TransactionClass::GcWrite).unwrap();
        classes.remove(second);
        if moves_leave {
            assert_eq!(classes[..3], order[..3]);
        } else {
            assert_eq!(classes, order);
        }
    }
}

#[test]
fn each_class_is_first_come_first_served() {
    let mut bench = bench();
    let ids: Vec<_> = (0..5).map(|_| bench.wait(READ, 1)).collect();
    for id in ids {
        assert_eq!(bench.serve(DIE), [id]);
    }
    assert_eq!(bench.serve(DIE), []);
}

#[test]
fn a_write_that_cannot_start_is_passed_over_and_one_that_can_goes_though_it_came_later() {
    let mut bench = bench();
    let (early, late) = (bench.wait(WRITE, 0), bench.wait(WRITE, 0));
    bench.books.blocked.insert(bench.page(early));
    assert_eq!(bench.serve(DIE), [late]);
    assert_eq!(bench.serve(DIE), []);
    bench.books.blocked.clear();
    bench.books.full.insert(DIE);
    assert_eq!(bench.serve(DIE), [], "no plane of the die has room");
    bench.books.full.clear();
    assert_eq!(bench.serve(DIE), [early]);
}

#[test]
fn a_full_die_serves_writes_that_have_their_pages_already() {
    let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { pages_are_early: true, ..PLAIN });
    bench.books.full.insert(DIE);
    let write = bench.wait_as(WRITE, 0, given(0));
    assert_eq!(bench.serve(DIE), [write]);
}

#[test]
fn reads_of_one_offset_share_a_command_one_for_each_plane() {
    let mut bench = bench();
    let lead = bench.wait_as(READ, 0, at(1));
    bench.wait_as(READ, 0, at(1));
    let joins = bench.wait_as(READ, 2, at(1));
    bench.wait_as(READ, 1, at(2));
    bench.wait_as(READ, 2, at(1));
    let last = bench.wait_as(READ, 3, at(1));
    let (die, command) = bench.next(0..1).unwrap();
    assert_eq!((die, command.operation, command.is_background), (DIE, Operation::Read, false));
    assert_eq!(command.batch[..], [lead, joins, last]);
}

#[test]
fn offsets_matter_only_to_chips_that_ask_for_it_and_chips_of_one_plane_at_a_time_join_nothing() {
    for (same_offset, multiplane, pages) in [(false, true, 4), (true, true, 1), (false, false, 1)] {
        let flash = FlashSettings { multiplane, multiplane_same_offset: same_offset, ..paper_flash(PLANES) };
        let mut bench = bench_of(&flash, PLAIN);
        for plane in 0..PLANES {
            bench.wait_as(READ, plane, at(plane));
        }
        assert_eq!(bench.serve(DIE).len(), pages, "{same_offset} {multiplane}");
    }
}

#[test]
fn writes_without_a_page_join_where_the_next_pages_agree() {
    let mut bench = bench();
    bench.books.next.insert((PlaneId(1), TransactionClass::HostWrite as u8, 0), 3);
    let writes: Vec<_> = (0..PLANES).map(|plane| bench.wait(WRITE, plane)).collect();
    assert_eq!(bench.serve(DIE), [writes[0], writes[2], writes[3]]);
    assert_eq!(bench.serve(DIE), [writes[1]]);
}

#[test]
fn planes_that_a_class_leaves_idle_are_filled_up_by_the_second_class_of_the_operation() {
    let mut bench = bench();
    bench.books.collected.insert(PlaneId(1));
    let read = bench.wait(READ, 0);
    let (moved, other) = (bench.wait(Purpose::GcRead, 1), bench.wait(READ, 2));
    bench.wait(Purpose::GcWrite, 3);
    assert_eq!(bench.serve(DIE), [read, other, moved]);
}

#[test]
fn a_copyback_joins_no_programs() {
    for (copyback, operation, planes) in [(true, Operation::Copyback, 1), (false, Operation::Program, 2)] {
        let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { copyback, ..PLAIN });
        bench.books.collected.extend([PlaneId(0), PlaneId(1)]);
        bench.books.urgent.insert(DIE);
        bench.wait(Purpose::GcWrite, 0);
        bench.wait(WRITE, 1);
        let (_, command) = bench.next(0..1).unwrap();
        assert_eq!((command.operation, command.batch.len()), (operation, planes));
        assert!(command.is_background);
    }
}

#[test]
fn moves_have_partners_only_where_other_planes_are_collected() {
    let mut bench = bench();
    for plane in 0..2 {
        bench.wait(Purpose::GcErase, plane);
    }
    assert_eq!(bench.next(0..1).unwrap().1.batch.len(), 1);
    bench.books.collected.insert(PlaneId(1));
    let (_, erases) = bench.next(0..1).unwrap();
    assert_eq!((erases.operation, erases.batch.len(), erases.bytes), (Operation::Erase, 2, 0));
}

#[test]
fn two_transactions_of_one_logical_page_share_no_command() {
    let mut bench = bench();
    let lead = bench.wait(WRITE, 0);
    let page = bench.page(lead);
    bench.wait_as(WRITE, 1, |write| write.lpn = Some(page));
    let third = bench.wait(WRITE, 2);
    assert_eq!(bench.serve(DIE), [lead, third]);
}

#[test]
fn obsolete_moves_are_removed_and_the_search_continues() {
    let mut bench = bench();
    let moves: Vec<_> = (0..3).map(|_| bench.wait(Purpose::GcRead, 0)).collect();
    let erase = bench.wait(Purpose::GcErase, 0);
    for id in [moves[0], moves[2]] {
        bench.books.unwanted.insert(bench.page(id));
    }
    assert_eq!(bench.serve(DIE), [moves[1]]);
    assert_eq!(bench.taken_back, [moves[0]], "those behind one that is served stay");
    assert_eq!(bench.serve(DIE), [erase], "a class that is left empty is passed over");
    assert_eq!(bench.taken_back, [moves[0], moves[2]]);
}

#[test]
fn the_move_of_a_dropped_head_on_one_die_leaves_the_longest_waiting_of_the_others_to_lead() {
    let flash = FlashSettings { die_work: DieWork::OneAtATime, ..paper_flash(PLANES) };
    let mut bench = bench_of(&flash, PLAIN);
    let unwanted = bench.wait(Purpose::GcRead, 0);
    let older = bench.wait(Purpose::GcRead, PLANES);
    bench.wait(Purpose::GcRead, 0);
    bench.books.unwanted.insert(bench.page(unwanted));
    let (die, command) = bench.next(0..2).unwrap();
    assert_eq!((die, command.batch[0]), (DieId(1), older));
    assert_eq!(bench.taken_back, [unwanted]);
}

#[test]
fn a_page_of_a_suspended_program_cannot_be_read() {
    let mut bench = bench();
    let program = bench.wait_as(WRITE, 0, given(2));
    bench.start(DIE, &[program]);
    let of_it = bench.wait_as(READ, 0, at(2));
    assert!(bench.next_beside(0..1, &[program]).is_none());
    assert_eq!(bench.next(0..1).unwrap().1.batch[..], [of_it], "once it is over");
    let (lead, partner) = (bench.wait_as(READ, 1, at(2)), bench.wait_as(READ, 2, at(2)));
    let (_, command) = bench.next_beside(0..1, &[program]).unwrap();
    assert_eq!(command.batch[..], [lead, partner], "it joins no command either");
    let (_, command) = bench.next_beside(0..1, &[]).unwrap();
    assert_eq!(command.batch[..], [of_it, lead, partner]);
}

#[test]
fn a_read_without_a_physical_page_waits_for_no_program() {
    let mut bench = bench();
    let program = bench.wait_as(WRITE, 0, given(0));
    bench.start(DIE, &[program]);
    let read =
        bench.wait_as(READ, 0, |read| read.page = PageState::At { ppn: page_of(read, 0), is_pinned: false });
    assert_eq!(bench.next_beside(0..1, &[program]).unwrap().1.batch[..], [read]);
}

#[test]
fn dies_that_take_turns_are_chosen_for_together_by_how_long_has_been_waited() {
    let mut bench = bench();
    let (second, first) = (bench.wait(READ, PLANES), bench.wait(READ, 0));
    let (die, command) = bench.next(0..2).unwrap();
    assert_eq!((die, command.batch[..].to_vec()), (DieId(1), vec![second]));
    assert_eq!(bench.next(0..1).unwrap().1.batch[..], [first]);
}

#[test]
fn a_queued_transaction_makes_its_die_ready_once() {
    let mut bench = bench();
    assert!(!bench.queues.has_ready_dies() && !bench.queues.have_come() && !bench.queues.waits_for(DIE));
    let read = bench.wait(READ, 0);
    assert!(bench.queues.waits_for(DIE) && !bench.queues.waits_for(DieId(1)));
    assert_eq!((bench.queues.next_ready_die(), bench.queues.next_ready_die()), (Some(DIE), None));
    assert_eq!((bench.queues.have_come(), bench.queues.have_come()), (true, false));
    bench.start(DIE, &[read]);
    assert!(!bench.queues.waits_for(DIE));
    bench.queues.wake(DieId(1));
    assert!(!bench.queues.have_come(), "room came about, no transaction");
    assert_eq!(bench.queues.next_ready_die(), Some(DieId(1)));
}

#[test]
fn lanes_share_by_weight_and_a_refused_command_uses_no_turn_up() {
    let mut bench = bench_with(Scheduling::PriorityOutOfOrder);
    for priority in [Priority::Low, Priority::Medium, Priority::High] {
        for _ in 0..8 {
            let lane = of_class(&bench, priority);
            bench.wait_as(READ, 0, lane);
        }
    }
    let mut order = Vec::new();
    for _ in 0..7 {
        let (_, refused) = bench.next(0..1).unwrap();
        let id = bench.serve(DIE)[0];
        assert_eq!(refused.batch[0], id);
        order.push(bench.all.get(id).priority);
    }
    let [h, m, l] = [Priority::High, Priority::Medium, Priority::Low];
    assert_eq!(order, [h, h, m, h, m, l, h]);
    let lane = of_class(&bench, Priority::Urgent);
    let urgent = bench.wait_as(READ, 0, lane);
    assert_eq!(bench.serve(DIE), [urgent]);
}

#[test]
fn moves_join_a_read_of_whatever_lane_and_reads_of_other_lanes_do_not() {
    let mut bench = bench_with(Scheduling::PriorityOutOfOrder);
    bench.books.collected.extend([PlaneId(0), PlaneId(2)]);
    let (high, low) = (of_class(&bench, Priority::High), of_class(&bench, Priority::Low));
    let lead = bench.wait_as(READ, 0, high);
    bench.wait_as(READ, 1, low);
    let moved = bench.wait(Purpose::GcRead, 2);
    assert_eq!(bench.serve(DIE), [lead, moved]);
}

#[test]
fn paq_puts_the_group_of_most_planes_first_and_the_oldest_after_as_many_groups_as_it_may_pass_over() {
    let mut bench = bench_with(Scheduling::Paq);
    let oldest = bench.wait_as(READ, 0, at(3));
    for _ in 0..7 {
        let pair = [bench.wait_as(READ, 1, at(1)), bench.wait_as(READ, 2, at(1))];
        assert_eq!(bench.next(0..1).unwrap().1.batch[..], pair);
        assert_eq!(bench.serve(DIE), pair);
    }
    bench.wait_as(READ, 1, at(1));
    bench.wait_as(READ, 2, at(1));
    assert_eq!(bench.serve(DIE), [oldest], "seven groups have passed it over");
}

#[test]
fn paq_serves_in_order_of_arrival_and_skips_transactions_that_cannot_start() {
    let mut bench = bench_with(Scheduling::Paq);
    let (blocked, write, read) = (bench.wait(WRITE, 0), bench.wait(WRITE, 0), bench.wait(READ, 0));
    bench.books.blocked.insert(bench.page(blocked));
    assert_eq!(bench.serve(DIE), [write]);
    assert_eq!(bench.serve(DIE), [read]);
    assert_eq!(bench.serve(DIE), []);
}

#[test]
fn turns_of_mqsims_kind_go_by_with_every_look_so_that_the_low_class_alone_is_found_in_every_other() {
    let mut bench = bench_with(Scheduling::PriorityTurns);
    assert!(bench.queues.looks_everywhere());
    let low = of_class(&bench, Priority::Low);
    bench.wait_as(READ, 0, &low);
    let found: Vec<_> = (0..4).map(|_| bench.next(0..1).is_some()).collect();
    assert_eq!(found, [true, false, true, false]);
    bench.look_past(DIE);
    assert!(bench.next(0..1).is_none(), "the look past the die had the turn");
}

#[test]
fn queries_of_busy_dies_have_no_effect_with_other_policies() {
    let mut bench = bench_with(Scheduling::PriorityOutOfOrder);
    let high = of_class(&bench, Priority::High);
    let low = of_class(&bench, Priority::Low);
    let ids = [bench.wait_as(READ, 0, &low), bench.wait_as(READ, 0, &high)];
    for _ in 0..7 {
        bench.look_past(DIE);
        assert_eq!(bench.next(0..1).unwrap().1.batch[..], [ids[1]]);
    }
}

#[test]
fn a_look_keeps_reads_of_collection_behind_the_hosts_writes_unless_they_are_urgent() {
    for (is_urgent, class) in [(false, TransactionClass::HostWrite), (true, TransactionClass::GcRead)] {
        let mut bench = bench_with(Scheduling::PriorityTurns);
        if is_urgent {
            bench.books.urgent.insert(DIE);
        }
        bench.wait(Purpose::GcRead, 0);
        let high = of_class(&bench, Priority::High);
        bench.wait_as(WRITE, 0, high);
        assert_eq!(served(&mut bench)[0], class);
    }
}

#[test]
fn queues_are_measured_on_request_and_by_class_if_separate() {
    for (kind, queues) in [(Scheduling::OutOfOrder, 8), (Scheduling::PriorityOutOfOrder, 14)] {
        let mut bench = bench_with(kind);
        assert!(bench.queues.measured.of_chip(ChipId(0)).is_none());
        bench.queues.measured.begin();
        bench.queues.measured.restart(SimTime::ZERO);
        let named: Vec<_> = bench.queues.measured.of_chip(ChipId(0)).unwrap().collect();
        assert_eq!(named.len(), queues);
        let reads = named.iter().filter(|queue| queue.work == "host_reads");
        assert_eq!(reads.filter(|queue| queue.priority.is_some()).count(), if queues == 8 { 0 } else { 4 });
    }
}

/// Returns the result of a linear search of the queue: the oldest matching transaction of each plane.
fn by_walking(bench: &ControllerBench, waiting: &[TransactionId]) -> Vec<TransactionId> {
    let of = |id: TransactionId| bench.all.get(id);
    let offset = |id| match of(id).purpose.class() {
        TransactionClass::HostWrite if !of(id).is_placed() => u32::from(of(id).stream) % 2,
        _ => GEOMETRY.page_offset(of(id).ppn().unwrap()),
    };
    let can = |id: &TransactionId| !bench.books.blocked.contains(&bench.page(*id));
    let Some(lead) = waiting.iter().copied().find(can) else { return Vec::new() };
    let mut batch = vec![lead];
    for &id in waiting.iter().filter(|id| can(id)) {
        if batch.iter().all(|&other| of(other).plane != of(id).plane) && offset(id) == offset(lead) {
            batch.push(id);
        }
    }
    batch
}

proptest! {
    #[test]
    fn long_queues_form_the_same_commands_as_a_linear_search(
        waiting in prop::collection::vec((0..PLANES, prop::option::of(0_u32..3), 0_u16..3, any::<u8>()), 1..120),
        writes: bool,
    ) {
        let mut bench = bench_of(&paper_flash(PLANES), QueueSettings { streams: 3, ..PLAIN });
        for (plane, stream) in (0..PLANES).flat_map(|plane| (0..3_u16).map(move |stream| (plane, stream))) {
            bench.books.next.insert((PlaneId(plane), TransactionClass::HostWrite as u8, stream), u32::from(stream) % 2);
        }
        let mut left = Vec::new();
        for (plane, offset, stream, blocked) in waiting {
            let id = bench.wait_as(if writes { WRITE } else { READ }, plane, |transaction| {
                transaction.stream = stream;
                match offset {
                    Some(offset) if writes => given(offset)(transaction),
                    _ => at(offset.unwrap_or(0))(transaction),
                }
            });
            if writes && blocked < 40 {
                bench.books.blocked.insert(bench.page(id));
            }
            left.push(id);
        }
        loop {
            let expected = by_walking(&bench, &left);
            let batch = bench.serve(DIE);
            prop_assert_eq!(&batch, &expected);
            if batch.is_empty() {
                break;
            }
            left.retain(|id| !batch.contains(id));
        }
    }
}
