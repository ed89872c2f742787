//! Tests of the back end alone, between a mock source of commands and a mock fabric.

use venice_drive::testkit::backend::{BackendBench, FinishedTransaction};
use venice_fabric::testkit::paper_settings;
use venice_fabric::{FabricSettings, FaultSettings, FirstOnPath, Hold, Offer, Transfer};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{FlashSettings, Operation, Suspension, SuspensionRule};
use venice_nand::geometry::{ChipId, DieId};
use venice_nand::latency::Stage;
use venice_nand::testkit::paper_flash;

const A: DieId = DieId(0);
const B: DieId = DieId(1);
const C: DieId = DieId(2);
const D: DieId = DieId(3);

/// Transfer time of a command, in nanoseconds.
const COMMAND: u64 = 10;
const T_READ: u64 = 3_000;
const T_PROGRAM: u64 = 100_000;
const T_ERASE: u64 = 1_000_000;

fn ns(n: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_ns(n)
}

fn bench(chips: u32) -> BackendBench {
    BackendBench::of_paper(chips, paper_flash(1))
}

fn with(settings: &FabricSettings) -> BackendBench {
    BackendBench::new(4, 1, paper_flash(1), settings)
}

/// Advances the time to an instant at which no event is scheduled.
fn go_to(bench: &mut BackendBench, instant: u64) {
    bench.wake_in(ns(instant).since(bench.now()));
    bench.run_until(ns(instant));
    assert_eq!(bench.now(), ns(instant));
}

fn spent(done: &FinishedTransaction, stage: Stage) -> u64 {
    done.clock.spans[stage as usize].as_ps() / 1_000
}

fn offers_to(bench: &BackendBench, die: DieId) -> Vec<Offer> {
    let wires = bench.wires();
    wires.offers.iter().filter(|(_, transfer, _)| transfer.die == die).map(|(_, _, offer)| *offer).collect()
}

#[test]
fn a_read_is_a_command_then_the_array_then_data() {
    let mut bench = bench(1);
    bench.order(A, Operation::Read, 64);
    bench.run();
    let [done] = bench.upper_layer.done[..] else { panic!("one transaction was ordered") };
    assert_eq!(done.at, ns(COMMAND + T_READ + 64));
    assert_eq!((spent(&done, Stage::Transfer), spent(&done, Stage::Array)), (COMMAND + 64, T_READ));
    assert_eq!(done.clock.total(), done.at.since(SimTime::ZERO));
    assert!(!done.conflicted);
    let recorder = &bench.upper_layer.probes.recorder;
    assert_eq!(
        (recorder.drive.transfers(), recorder.drive.memory_bytes, recorder.drive.last_work),
        (2, 64, done.at)
    );
}

#[test]
fn data_goes_before_commands_or_commands_without_data_before_data() {
    for (first, operation, expected) in [
        (FirstOnPath::Data, Operation::Erase, [0, 2, 0, 1]),
        (FirstOnPath::Commands, Operation::Erase, [0, 2, 1, 0]),
        (FirstOnPath::Commands, Operation::Program, [0, 2, 0, 1]),
    ] {
        let mut bench = with(&FabricSettings { first_on_path: first, ..paper_settings(1, 4) });
        bench.order(A, Operation::Read, 64);
        go_to(&mut bench, T_READ);
        bench.order(C, Operation::Program, 100);
        bench.offer();
        go_to(&mut bench, T_READ + 50);
        bench.order(B, operation, 32);
        bench.run();
        assert_eq!(bench.sent(), expected, "{first:?}, {operation:?}");
    }
}

#[test]
fn turns_go_round_from_the_chip_behind_the_one_that_was_served() {
    let mut bench = bench(4);
    bench.order(C, Operation::Erase, 0);
    bench.offer();
    for die in [A, B, D] {
        bench.order(die, Operation::Erase, 0);
    }
    bench.run();
    assert_eq!(bench.sent(), [2, 3, 0, 1]);
}

#[test]
fn a_refused_chip_offers_again_only_after_a_wake_up() {
    let mut bench = bench(2);
    bench.wires_mut().room = 2;
    bench.wires_mut().refused.insert(ChipId(1));
    bench.order(B, Operation::Erase, 0);
    bench.offer();
    bench.order(A, Operation::Erase, 0);
    bench.offer();
    assert_eq!(offers_to(&bench, B), [Offer::PathBusy]);
    assert_eq!(bench.upper_layer.command_source.command_requests, [1..2, 0..1]);
    bench.run_until(ns(COMMAND));
    assert_eq!(offers_to(&bench, B), [Offer::PathBusy; 2], "a path became free, and woke everybody");
    bench.wires_mut().refused.clear();
    bench.offer();
    assert_eq!(offers_to(&bench, B).len(), 2, "nobody said that there is a path");
    bench.wake_in(SimSpan::from_ns(5));
    bench.run();
    assert_eq!(offers_to(&bench, B), [Offer::PathBusy, Offer::PathBusy, Offer::Accepted]);
    let erased = bench.upper_layer.done[1];
    assert_eq!(spent(&erased, Stage::PathWait), COMMAND + 5);
    assert!(erased.conflicted);
}

#[test]
fn no_chip_offers_while_the_domain_is_full() {
    let mut bench = bench(4);
    for die in [A, B, C] {
        bench.order(die, Operation::Erase, 0);
    }
    bench.offer();
    assert_eq!(offers_to(&bench, B), [Offer::DomainBusy]);
    assert_eq!(offers_to(&bench, C), [], "the domain was said to be busy");
    assert_eq!(bench.upper_layer.command_source.command_requests, [0..1, 1..2]);
}

#[test]
fn dies_of_a_chip_share_its_pins_however_many_paths_there_are() {
    let mut bench = BackendBench::new(1, 2, paper_flash(1), &paper_settings(1, 1));
    bench.wires_mut().room = 2;
    bench.order(A, Operation::Program, 100);
    bench.offer();
    bench.order(B, Operation::Program, 100);
    bench.run();
    let times: Vec<_> = bench.wires().offers.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [ns(0), ns(COMMAND + 100)]);
    let second = bench.upper_layer.done[1];
    assert_eq!((spent(&second, Stage::ChipWait), spent(&second, Stage::PathWait)), (COMMAND + 100, 0));
    assert!(!second.conflicted, "it waited for the chip and for no path");
    assert_eq!(bench.upper_layer.probes.recorder.drive.interleaved, 1);
}

#[test]
fn a_command_that_bounced_is_offered_again_and_its_time_was_path_wait() {
    let mut bench = bench(1);
    bench.wires_mut().bounces = 1;
    bench.order(A, Operation::Read, 64);
    bench.run();
    let done = bench.upper_layer.done[0];
    assert_eq!(bench.sent(), [0, 0, 0]);
    assert_eq!(bench.upper_layer.command_source.command_requests.len(), 1, "its command was formed once");
    assert_eq!(spent(&done, Stage::PathWait), COMMAND);
    assert_eq!(spent(&done, Stage::Transfer), COMMAND + 64);
    assert_eq!((done.at, done.conflicted), (ns(2 * COMMAND + T_READ + 64), true));
    assert_eq!(bench.upper_layer.probes.recorder.drive.conflicted_transfers, 1, "the data met no conflict");
}

#[test]
fn a_bounced_command_waits_for_a_path_even_if_its_chip_becomes_busy() {
    let mut bench = BackendBench::new(1, 2, paper_flash(1), &paper_settings(1, 1));
    bench.order(B, Operation::Read, 64);
    // The command of one die is being sent while data becomes ready in the register of the other. The data
    // has priority.
    go_to(&mut bench, COMMAND + T_READ - 5);
    bench.wires_mut().bounces = 1;
    bench.order(A, Operation::Read, 64);
    bench.run();
    assert_eq!(bench.sent(), [1, 0, 1, 0, 0]);
    let done = bench.upper_layer.done[1];
    assert_eq!((spent(&done, Stage::PathWait), spent(&done, Stage::ChipWait)), (COMMAND + 64, 0));
}

#[test]
fn data_that_bounced_goes_before_data_of_its_turn() {
    let mut bench = bench(2);
    bench.wires_mut().room = 2;
    bench.order(A, Operation::Read, 64);
    bench.order(B, Operation::Read, 64);
    go_to(&mut bench, T_READ);
    bench.wires_mut().room = 1;
    bench.wires_mut().bounces = 1;
    bench.run();
    assert_eq!(bench.sent()[2..], [0, 0, 1], "both were ready at one instant");
}

#[test]
fn a_path_that_is_held_is_free_again_only_behind_the_data() {
    for (hold, expected) in [(Hold::Transfer, [0, 1, 0]), (Hold::Operation, [0, 0, 1])] {
        let mut bench = with(&FabricSettings { hold, ..paper_settings(1, 4) });
        bench.wires_mut().holds = hold == Hold::Operation;
        bench.order(A, Operation::Read, 64);
        bench.order(B, Operation::Erase, 0);
        bench.run();
        assert_eq!(bench.sent(), expected, "{hold:?}");
    }
}

/// Creates a bench of two chips that share one path, which is held according to `hold`.
fn held(flash: FlashSettings, hold: Hold, hold_erases: bool) -> BackendBench {
    let settings = FabricSettings { hold, hold_erases, ..paper_settings(1, 4) };
    let bench = BackendBench::new(4, 1, flash, &settings);
    bench.wires_mut().room = 1;
    bench.wires_mut().holds = hold != Hold::Transfer;
    bench
}

#[test]
fn a_path_held_for_a_request_is_free_at_the_end_of_the_program() {
    let second_command_at = |hold, first, hold_erases| {
        let mut bench = held(paper_flash(1), hold, hold_erases);
        bench.order(A, first, 0);
        bench.order(B, Operation::Read, 64);
        bench.run();
        let wires = bench.wires();
        assert!(wires.is_quiet(), "no path is in use at the end");
        let is_second = |it: &&(SimTime, Transfer, Offer)| it.1.die == B && it.2 == Offer::Accepted;
        wires.offers.iter().find(is_second).expect("the second command was sent").0
    };
    let after_command = ns(COMMAND);
    for hold in [Hold::Transfer, Hold::Operation] {
        assert_eq!(second_command_at(hold, Operation::Program, true), after_command, "{hold:?}");
    }
    let request = |first, hold_erases| second_command_at(Hold::Request, first, hold_erases);
    assert_eq!(request(Operation::Program, false), ns(COMMAND + T_PROGRAM));
    assert_eq!(request(Operation::Erase, false), after_command);
    assert_eq!(request(Operation::Erase, true), ns(COMMAND + T_ERASE));
}

#[test]
fn a_suspended_program_gives_up_its_path_and_takes_one_to_resume() {
    let mut bench = held(that_suspends(), Hold::Request, false);
    let write = bench.order(A, Operation::Program, 0);
    go_to(&mut bench, 20_000);
    let read = bench.order(A, Operation::Read, 64);
    let other = bench.order(B, Operation::Read, 64);
    bench.run();
    let done: Vec<_> = bench.upper_layer.done.iter().map(|done| (done.id, done.at)).collect();
    // The suspend command uses the path that the program holds. The array takes 5 µs to stop. In the meantime
    // the read of the other chip reserves the path and holds it.
    let suspended = 20_000 + COMMAND;
    let others = suspended + COMMAND + T_READ + 64;
    let out = (suspended + 5_000).max(others) + COMMAND + T_READ + 64;
    let left = COMMAND + T_PROGRAM - suspended;
    let end = out + COMMAND + 7_000 + left;
    assert_eq!(done, [(other, ns(others)), (read, ns(out)), (write, ns(end))]);
    assert!(bench.wires().is_quiet(), "the path is released after the program");
}

fn that_suspends() -> FlashSettings {
    let program = SuspensionRule {
        suspend: SimSpan::from_ns(5_000),
        pulses: 0,
        for_read: SimSpan::from_ns(20_000),
        for_write: None,
    };
    let resume = SimSpan::from_ns(7_000);
    let rules = Suspension { erase: None, program: Some(program), resume, most_times: 1, most_commands: 1 };
    FlashSettings { suspension: Some(rules), ..paper_flash(1) }
}

#[test]
fn a_read_suspends_a_program_which_then_completes_its_remaining_time() {
    let mut bench = BackendBench::of_paper(1, that_suspends());
    let write = bench.order(A, Operation::Program, 0);
    go_to(&mut bench, 20_000);
    let read = bench.order(A, Operation::Read, 64);
    bench.run();
    let done: Vec<_> = bench.upper_layer.done.iter().map(|done| (done.id, done.at)).collect();
    let rests = 20_000 + COMMAND + 5_000;
    let out = rests + COMMAND + T_READ + 64;
    let left = COMMAND + T_PROGRAM - (20_000 + COMMAND);
    assert_eq!(done, [(read, ns(out)), (write, ns(out + COMMAND + 7_000 + left))]);
    assert_eq!(bench.upper_layer.probes.recorder.drive.suspended_programs, 1);
    let settling = bench.upper_layer.probes.recorder.drive.arrays.settling;
    assert_eq!(settling, SimSpan::from_ns(5_000 + 7_000));
}

#[test]
fn a_program_of_which_too_little_is_left_is_not_suspended() {
    for (at, is_suspended) in [(COMMAND + T_PROGRAM - 20_000, true), (COMMAND + T_PROGRAM - 19_999, false)] {
        let mut bench = BackendBench::of_paper(1, that_suspends());
        bench.order(A, Operation::Program, 0);
        go_to(&mut bench, at);
        bench.order(A, Operation::Read, 64);
        bench.run();
        let suspended = bench.upper_layer.probes.recorder.drive.suspended_programs;
        assert_eq!(suspended, u64::from(is_suspended), "at {at}");
        assert_eq!(bench.upper_layer.done.len(), 2);
    }
}

#[test]
fn commands_to_a_lost_chip_fail_at_once() {
    let faults =
        FaultSettings { at: ns(10_000), detection: SimSpan::from_ns(2_000), paths: vec![0], ..fails() };
    let mut bench = with(&FabricSettings { faults, ..paper_settings(1, 4) });
    bench.wires_mut().unreached.insert(ChipId(1));
    bench.run_until(ns(11_999));
    bench.order(B, Operation::Erase, 0);
    bench.offer();
    assert_eq!(offers_to(&bench, B), [Offer::Accepted], "controllers do not know yet");
    bench.run_until(ns(12_000));
    assert_eq!(bench.upper_layer.command_source.lost, [ChipId(1)]);
    bench.run();
    let after = bench.now();
    let program = bench.order(B, Operation::Program, 4_096);
    bench.order(A, Operation::Program, 4_096);
    bench.run();
    assert_eq!(offers_to(&bench, B).len(), 1, "the fabric is not asked for a lost chip");
    assert_eq!(bench.upper_layer.command_source.failed, [program]);
    let done: Vec<_> = bench.upper_layer.done[1..].iter().map(|done| done.at.since(after)).collect();
    assert_eq!(done, [SimSpan::ZERO, SimSpan::from_ns(COMMAND + 4_096 + T_PROGRAM)]);
}

fn fails() -> FaultSettings {
    FaultSettings { degraded_mode: true, ..FaultSettings::default() }
}
