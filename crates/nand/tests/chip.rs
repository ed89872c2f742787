//! Tests of a chip without controller and fabric: the test issues commands and sets transfer times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{
    AcceptedCommands, ArrayEnd, ArrayWork, BouncedCommandState, BouncedTransfer, DataConsumer, DepartedPage,
    DieTransfer, DieWork, FlashSettings, Operation, SuspendEffect, Suspension, SuspensionRule,
    TransferContent, WorkInProgress,
};
use venice_nand::geometry::DieId;
use venice_nand::testkit::{CHIP, ChipBench, paper_flash};

const DIE: DieId = DieId(0);
const OTHER: DieId = DieId(1);
const WIRES: SimSpan = SimSpan::from_ns(10);
const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);
const T_PSPD: SimSpan = SimSpan::from_us(5);
const T_RESUME: SimSpan = SimSpan::from_us(7);
/// Minimum remaining array time for a suspension in favour of a read.
const FOR_READ: SimSpan = SimSpan::from_us(20);
const TURN: (DataConsumer, SimTime) = (DataConsumer::Host, SimTime::ZERO);
const PS: SimSpan = SimSpan::from_ps(1);

fn work(first: SimSpan) -> ArrayWork {
    ArrayWork { first, program: SimSpan::ZERO }
}

fn at(span: SimSpan) -> SimTime {
    SimTime::ZERO + span
}

/// Settings of chips whose programs are suspended between `pulses` equal pulses.
fn that_suspends(pulses: u32) -> FlashSettings {
    let program = SuspensionRule { suspend: T_PSPD, pulses, for_read: FOR_READ, for_write: None };
    let rules =
        Suspension { erase: None, program: Some(program), resume: T_RESUME, most_times: 2, most_commands: 1 };
    FlashSettings { suspension: Some(rules), ..paper_flash(4) }
}

fn bench() -> ChipBench {
    ChipBench::new(paper_flash(4))
}

/// Creates a bench with a page program that started at `WIRES`.
fn programming() -> ChipBench {
    programming_in(0)
}

/// Creates a bench with a page program of `pulses` pulses that started at `WIRES`.
fn programming_in(pulses: u32) -> ChipBench {
    let mut bench = ChipBench::new(that_suspends(pulses));
    assert_eq!(bench.start(DIE, Operation::Program, 1, work(T_PROGRAM), WIRES), at(WIRES + T_PROGRAM));
    bench
}

#[test]
fn an_array_is_done_at_its_instant_and_at_no_other() {
    for off in [-1_i64, 1] {
        let mut bench = bench();
        let ends = bench.start(DIE, Operation::Read, 1, work(T_READ), WIRES);
        assert_eq!(ends, at(WIRES + T_READ));
        let wrong = SimTime::from_ps(ends.as_ps().checked_add_signed(off).unwrap());
        assert_eq!(bench.array_at(DIE, wrong), ArrayEnd::Void);
        assert_eq!(bench.array_at(DIE, ends), ArrayEnd::Operation(Operation::Read));
        assert_eq!(bench.array_at(DIE, ends), ArrayEnd::Void, "an end is told once");
    }
}

#[test]
fn pages_of_several_planes_leave_one_by_one_and_the_last_frees_the_die() {
    let mut bench = bench();
    let (pages, _) = bench.issue(DIE, Operation::Read, 3, work(T_READ));
    assert!(bench.chips.package(CHIP).pins_are_busy());
    bench.transfer_takes(DIE, WIRES);
    assert!(!bench.chips.package(CHIP).pins_are_busy());
    let ends = bench.chips.at(DIE).array_begins(bench.now);
    bench.array_at(DIE, ends);
    bench.chips.at(DIE).register_full(TURN, bench.now);
    for (place, &page) in pages.iter().enumerate() {
        assert!(bench.chips.die(DIE).has_data());
        bench.chips.at(DIE).sends(DieTransfer::Data, false, bench.now);
        assert!(bench.chips.package(CHIP).pins_are_busy());
        assert_eq!(bench.transfer_takes(DIE, WIRES).carried, TransferContent::Data);
        let left = DepartedPage { id: page, has_more: place < 2, read_on: Some(CHIP) };
        assert_eq!(bench.chips.at(DIE).page_left(bench.now), left);
    }
    let active_since = bench.chips.at(DIE).ends(bench.now);
    assert_eq!(active_since, Some(SimTime::ZERO), "the chip was active from the command on");
    assert_eq!(bench.chips.die(DIE).accepts(), AcceptedCommands::Command);
}

#[test]
fn a_copyback_senses_then_waits_with_its_second_command_and_programs() {
    let mut bench = bench();
    let both = ArrayWork { first: T_READ, program: T_PROGRAM };
    let sensed = bench.start(DIE, Operation::Copyback, 2, both, WIRES);
    assert_eq!(bench.array_at(DIE, sensed), ArrayEnd::Sensing);
    let die = bench.chips.die(DIE);
    assert_eq!((die.accepts(), die.operation()), (AcceptedCommands::ItsCommand, Operation::Program));
    assert_eq!(die.wires().command, bench.chips.settings().commands.program[1], "of two planes");
    assert_eq!(die.wires().bytes, 0, "the data is there");
    assert!(bench.chips.package(CHIP).has_formed_command());
    bench.chips.at(DIE).sends(DieTransfer::FormedCommand, false, bench.now);
    assert!(!bench.chips.package(CHIP).has_formed_command());
    bench.transfer_takes(DIE, WIRES);
    let ends = bench.chips.at(DIE).array_begins(bench.now);
    assert_eq!(ends.since(sensed), WIRES + T_PROGRAM);
    assert_eq!(bench.array_at(DIE, ends), ArrayEnd::Operation(Operation::Program));
}

#[test]
fn what_finds_no_path_waits_again_and_has_met_a_conflict() {
    let mut bench = bench();
    bench.issue(DIE, Operation::Read, 1, work(T_READ));
    assert_eq!(bench.chips.at(DIE).bounces(at(WIRES)), BouncedTransfer::Command);
    assert!(!bench.chips.package(CHIP).pins_are_busy());
    assert!(bench.chips.die(DIE).has_bounced());
    assert_eq!(bench.chips.die(DIE).accepts(), AcceptedCommands::ItsCommand);
    bench.now = at(WIRES);
    bench.chips.at(DIE).sends(DieTransfer::FormedCommand, false, bench.now);
    assert!(bench.transfer_takes(DIE, WIRES).conflicted);
    let ends = bench.chips.at(DIE).array_begins(bench.now);
    assert_eq!(ends, at(WIRES + WIRES + T_READ));
    bench.array_at(DIE, ends);
    bench.chips.at(DIE).register_full(TURN, ends);
    bench.chips.at(DIE).sends(DieTransfer::Data, false, ends);
    assert_eq!(bench.chips.at(DIE).bounces(ends), BouncedTransfer::Data);
    assert!(bench.chips.die(DIE).has_data());
}

#[test]
fn what_each_state_accepts_is_as_the_table_says() {
    let mut bench = programming();
    let mut seen = vec![bench.chips.die(OTHER).accepts(), bench.chips.die(DIE).accepts()];
    bench.chips.at(DIE).sends(DieTransfer::Suspend, false, bench.now);
    seen.push(bench.chips.die(DIE).accepts());
    assert_eq!(
        bench.chips.at(DIE).bounces(bench.now),
        BouncedTransfer::Suspension(BouncedCommandState::AtWork)
    );
    let SuspendEffect::Settles(_, ends) = bench.suspend(DIE, WIRES) else { panic!("it settles") };
    seen.push(bench.chips.die(DIE).accepts());
    assert_eq!(bench.array_at(DIE, ends), ArrayEnd::Settled(Operation::Program));
    seen.push(bench.chips.die(DIE).accepts());
    bench.issue(DIE, Operation::Read, 1, work(T_READ));
    seen.push(bench.chips.die(DIE).accepts());
    let table = [
        AcceptedCommands::Command,
        AcceptedCommands::Suspend,
        AcceptedCommands::Nothing,
        AcceptedCommands::Nothing,
        AcceptedCommands::PassingOrResume,
        AcceptedCommands::Nothing,
    ];
    assert_eq!(seen, table);
}

#[test]
fn an_operation_yields_while_enough_of_it_is_left_and_not_a_picosecond_less() {
    let bench = programming();
    let last = at(WIRES + T_PROGRAM - FOR_READ);
    assert_eq!(bench.chips.may_yield(DIE, last).map(|(_, left)| left), Some(FOR_READ));
    assert!(bench.chips.may_yield(DIE, last + PS).is_none());
    assert!(bench.chips.may_yield(OTHER, last).is_none(), "it does nothing");
}

#[test]
fn a_suspended_operation_resumes_for_exactly_its_remaining_time() {
    let mut bench = programming();
    let done = SimSpan::from_us(30);
    bench.wait(done - WIRES);
    let SuspendEffect::Settles(span, rests) = bench.suspend(DIE, WIRES) else { panic!("it settles") };
    assert_eq!((span, rests), (T_PSPD, at(WIRES + done + T_PSPD)));
    assert_eq!(bench.array_at(DIE, at(WIRES + T_PROGRAM)), ArrayEnd::Void, "the old end is void");
    assert_eq!(bench.array_at(DIE, rests), ArrayEnd::Settled(Operation::Program));
    let SuspendEffect::Restarts(span, starts) = bench.resume(DIE, WIRES) else { panic!("it restarts") };
    assert_eq!((span, starts), (T_RESUME, rests + WIRES + T_RESUME));
    assert_eq!(bench.array_at(DIE, starts), ArrayEnd::Restarted(starts + (T_PROGRAM - done)));
}

#[test]
fn an_array_that_works_in_pulses_stops_after_its_current_pulse() {
    let mut bench = programming_in(4);
    bench.wait(SimSpan::from_us(30) - WIRES);
    let SuspendEffect::Settles(span, rests) = bench.suspend(DIE, WIRES) else { panic!("it settles") };
    assert_eq!((span, rests), (T_PSPD, at(WIRES + SimSpan::from_us(50) + T_PSPD)), "two of four pulses");
    bench.array_at(DIE, rests);
    bench.pass(DIE, DIE);
    let SuspendEffect::Restarts(_, starts) = bench.resume(DIE, WIRES) else { panic!("it restarts") };
    assert_eq!(bench.array_at(DIE, starts), ArrayEnd::Restarted(starts + SimSpan::from_us(50)));
    bench.now = starts + SimSpan::from_us(10);
    assert_eq!(bench.chips.may_yield(DIE, bench.now).map(|(_, left)| left), Some(SimSpan::from_us(25)));
    let SuspendEffect::Settles(_, rests) = bench.suspend(DIE, SimSpan::ZERO) else { panic!("it settles") };
    assert_eq!(rests, starts + SimSpan::from_us(25) + T_PSPD, "the third pulse has its own length");
}

#[test]
fn an_operation_in_its_last_pulse_is_not_suspended() {
    let mut bench = programming_in(4);
    let last = at(WIRES + SimSpan::from_us(75));
    assert!(bench.chips.may_yield(DIE, last).is_some());
    assert!(bench.chips.may_yield(DIE, last + PS).is_none());
    bench.now = last + PS;
    assert_eq!(bench.suspend(DIE, SimSpan::ZERO), SuspendEffect::EndsAnyway);
    assert_eq!(bench.array_at(DIE, at(WIRES + T_PROGRAM)), ArrayEnd::Operation(Operation::Program));
}

#[test]
fn an_operation_that_ends_as_the_command_arrives_just_ends() {
    let mut bench = programming();
    bench.wait(T_PROGRAM - WIRES);
    assert_eq!(bench.suspend(DIE, WIRES), SuspendEffect::EndsAnyway);
    assert_eq!(bench.array_at(DIE, at(WIRES + T_PROGRAM)), ArrayEnd::Operation(Operation::Program));
}

#[test]
fn an_operation_that_ends_before_the_command_arrives_makes_it_too_late() {
    let mut bench = programming();
    bench.wait(T_PROGRAM - PS);
    bench.chips.at(DIE).sends(DieTransfer::Suspend, false, bench.now);
    assert_eq!(bench.array_at(DIE, at(WIRES + T_PROGRAM)), ArrayEnd::BeforeSuspension);
    bench.wait(WIRES);
    assert_eq!(bench.chips.suspension_arrives(DIE, bench.now), SuspendEffect::TooLate);
}

#[test]
fn suspensions_and_the_commands_during_each_are_limited() {
    let mut bench = programming();
    for times in 1..=2 {
        bench.wait(SimSpan::from_us(1));
        assert!(bench.chips.may_yield(DIE, bench.now).is_some(), "suspended {} times", times - 1);
        let SuspendEffect::Settles(_, rests) = bench.suspend(DIE, WIRES) else { panic!("it settles") };
        bench.array_at(DIE, rests);
        assert!(bench.chips.lets_pass(DIE).is_some());
        bench.pass(OTHER, DIE);
        assert!(bench.chips.lets_pass(DIE).is_none());
        let SuspendEffect::Restarts(_, starts) = bench.resume(DIE, WIRES) else { panic!("it restarts") };
        bench.array_at(DIE, starts);
    }
    assert!(bench.chips.may_yield(DIE, bench.now).is_none());
}

#[test]
fn a_chip_is_active_from_its_first_command_to_the_end_of_its_last() {
    let mut bench = bench();
    assert!(bench.chips.package(CHIP).is_at_rest());
    bench.wait(WIRES);
    let first = bench.now;
    let (_, is_interleaved) = bench.issue(DIE, Operation::Program, 1, work(T_PROGRAM));
    assert!(!is_interleaved);
    bench.transfer_takes(DIE, WIRES);
    let (_, is_interleaved) = bench.issue(OTHER, Operation::Read, 1, work(T_READ));
    assert!(is_interleaved, "two dies of a chip at once");
    assert_eq!(bench.chips.under_way(bench.now).active_ps, i128::from(bench.now.since(first).as_ps()));
    assert_eq!(bench.chips.at(OTHER).ends(bench.now), None);
    assert_eq!(bench.chips.at(DIE).ends(bench.now), Some(first));
    assert_eq!(bench.chips.under_way(bench.now), WorkInProgress::default());
}

#[test]
fn dies_that_work_one_at_a_time_wait_for_each_other() {
    for (die_work, waits) in [(DieWork::Independent, false), (DieWork::OneAtATime, true)] {
        let mut bench = ChipBench::new(FlashSettings { die_work, ..paper_flash(4) });
        let ends = bench.start(DIE, Operation::Erase, 1, work(T_PROGRAM), WIRES);
        assert_eq!(bench.chips.takes_page(OTHER), !waits);
        bench.array_at(DIE, ends);
        bench.chips.at(DIE).ends(ends);
        let since = bench.chips.at(OTHER).ready_since();
        assert_eq!(since, if waits { ends } else { at(WIRES) });
        assert!(bench.chips.takes_page(OTHER));
    }
}

#[test]
fn a_failed_command_takes_no_array_time() {
    let mut bench = bench();
    bench.issue(DIE, Operation::Program, 1, work(T_PROGRAM));
    bench.chips.does_nothing(DIE);
    bench.transfer_takes(DIE, WIRES);
    assert_eq!(bench.chips.at(DIE).array_begins(bench.now), bench.now);
}

proptest! {
    #[test]
    fn suspending_loses_no_work_and_adds_none(cuts in prop::collection::vec(1_u64..40_000_000, 0..2)) {
        let mut bench = programming();
        let (mut worked, mut begun, mut ends) = (SimSpan::ZERO, at(WIRES), at(WIRES + T_PROGRAM));
        for cut in cuts {
            bench.now = begun + SimSpan::from_ps(cut);
            let SuspendEffect::Settles(_, rests) = bench.suspend(DIE, SimSpan::ZERO) else { panic!("it settles") };
            worked += SimSpan::from_ps(cut);
            bench.array_at(DIE, rests);
            let SuspendEffect::Restarts(_, starts) = bench.resume(DIE, WIRES) else { panic!("it restarts") };
            let ArrayEnd::Restarted(end) = bench.array_at(DIE, starts) else { panic!("it goes on") };
            (begun, ends) = (starts, end);
        }
        prop_assert_eq!(worked + ends.since(begun), T_PROGRAM);
        prop_assert_eq!(bench.array_at(DIE, ends), ArrayEnd::Operation(Operation::Program));
    }
}
