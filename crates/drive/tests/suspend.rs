//! Tests of suspended programs and erases: exact waiting times on all fabrics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{DieWork, Suspension, SuspensionRule};
use venice_nand::latency::{STAGES, Stage};
use venice_nand::testkit::COMMAND;
use venice_requests::{LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::small_drive;

use crate::timed_chip::{Bench, Ran, T_ERASE, T_PROGRAM, T_READ, at, run, us};
use proptest::prelude::*;

const T_ESPD: SimSpan = SimSpan::from_us(20);
const T_PSPD: SimSpan = SimSpan::from_us(5);
const T_RESUME: SimSpan = SimSpan::from_us(7);
/// Duration of a suspend or resume command, different from that of all other commands.
const SUSPEND: SimSpan = SimSpan::from_ns(13);

/// Returns settings for suspension by reads, regardless of the remaining time.
fn suspension() -> Suspension {
    let erase = SuspensionRule { suspend: T_ESPD, pulses: 0, for_read: SimSpan::ZERO, for_write: None };
    let program = SuspensionRule { suspend: T_PSPD, ..erase };
    Suspension {
        erase: Some(erase),
        program: Some(program),
        resume: T_RESUME,
        most_times: 8,
        most_commands: 8,
    }
}

/// Creates chips with one plane of four blocks of one page, one of which is a logical page. The second write
/// of a page leaves a block to be erased, and garbage collection starts when the write ends.
fn drive_that_erases(kind: FabricKind, side: u32) -> DriveSettings {
    let mut settings = small_drive(kind, side, side);
    settings.geometry.planes_per_die = 1;
    settings.geometry.blocks_per_plane = 4;
    settings.geometry.pages_per_block = 1;
    settings.ftl.over_provisioning_ratio = 0.75;
    settings.ftl.gc_start_free_blocks = 3;
    settings.flash.commands.suspend = SUSPEND;
    settings.flash.suspension = Some(suspension());
    settings
}

impl Bench {
    fn suspend(&self) -> SimSpan {
        self.command(SUSPEND)
    }

    /// Returns the start of the erase, after two writes of the page from time zero.
    fn erase_begins(&self) -> SimTime {
        at(self.write() + self.write() + self.command(COMMAND))
    }

    /// Runs two writes, and reads at these delays after the start of the erase.
    fn read_during_erase(&self, after: &[SimSpan]) -> Ran {
        let begins = self.erase_begins();
        let writes = [Op::Write, Op::Write].map(|op| self.request(op, SimTime::ZERO));
        let reads = after.iter().map(|&span| self.request(Op::Read, begins + span));
        self.run(writes.into_iter().chain(reads).collect())
    }
}

/// Returns benches for all fabrics, with one chip and with sixteen. With sixteen chips, the page is on a chip
/// far from the controllers.
fn benches() -> Vec<Bench> {
    assert!(!FabricKind::ALL.is_empty());
    let sides = |&kind| [(1, 0), (4, 6)].map(|(side, page)| Bench::new(drive_that_erases(kind, side), page));
    FabricKind::ALL.iter().flat_map(sides).collect()
}

#[test]
fn a_read_during_an_erase_waits_for_the_array_to_come_to_rest_and_not_for_the_erase() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let with = bench.read_during_erase(&[us(300)]);
        assert_eq!(with.latency(2), bench.suspend() + T_ESPD + bench.read(), "{kind}");
        assert_eq!((with.suspended_erases, with.suspended_programs), (1, 0), "{kind}");
        assert_eq!(with.stage(2, Stage::ChipWait), bench.suspend() + T_ESPD, "{kind}");
        assert_eq!(with.stage(2, Stage::PathWait), SimSpan::ZERO, "{kind}");
        bench.settings.flash.suspension = None;
        let without = bench.read_during_erase(&[us(300)]);
        assert_eq!(without.latency(2), T_ERASE - us(300) + bench.read(), "{kind}");
        assert_eq!(without.suspended_erases, 0, "{kind}");
        assert_eq!(with.transfers, without.transfers + 2, "{kind}: a command to suspend, one to resume");
    }
}

#[test]
fn a_suspended_erase_is_prolonged_by_exactly_the_suspend_and_resume_time() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let mut rules = suspension();
        rules.most_times = 1;
        bench.settings.flash.suspension = Some(rules);
        // The second read arrives after the erase has been suspended once. It waits for the end of the erase,
        // and thereby shows when the erase ends.
        let ran = bench.read_during_erase(&[us(300), us(900)]);
        assert_eq!(ran.suspended_erases, 1, "{kind}");
        let away = bench.read() + bench.suspend();
        let erase_ends = bench.erase_begins() + T_ERASE + T_ESPD + away + T_RESUME;
        assert_eq!(ran.completed(3), erase_ends + bench.read(), "{kind}");
        let array = (T_PROGRAM + T_READ) * 2 + T_ERASE + T_ESPD + T_RESUME;
        assert_eq!(ran.plane_busy, array, "{kind}: planes were at work for no longer");
        assert_eq!(
            ran.chip_busy,
            ran.completed(3).since(SimTime::ZERO),
            "{kind}: the chip always had something to do"
        );
    }
}

#[test]
fn waiting_and_arriving_reads_are_served_in_one_suspension() {
    for bench in benches() {
        let kind = bench.settings.fabric_kind;
        let during_the_first = bench.suspend() + T_ESPD + us(1);
        let ran = bench.read_during_erase(&[us(300), us(300), us(300) + during_the_first]);
        assert_eq!(ran.suspended_erases, 1, "{kind}");
        let first = bench.suspend() + T_ESPD + bench.read();
        assert_eq!(ran.latency(2), first, "{kind}");
        assert_eq!(ran.latency(3), first + bench.read(), "{kind}");
        assert_eq!(ran.latency(4), first + bench.read() * 2 - during_the_first, "{kind}");
        let array = T_PROGRAM * 2 + T_READ * 3 + T_ERASE + T_ESPD + T_RESUME;
        assert_eq!(ran.plane_busy, array, "{kind}");
    }
}

#[test]
fn an_erase_is_suspended_as_often_as_allowed_and_then_no_more() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let mut rules = suspension();
        rules.most_times = 2;
        bench.settings.flash.suspension = Some(rules);
        let ran = bench.read_during_erase(&[us(200), us(400), us(600)]);
        let read = bench.suspend() + T_ESPD + bench.read();
        assert_eq!((ran.latency(2), ran.latency(3)), (read, read), "{kind}");
        let away = bench.read() + bench.suspend() + T_ESPD + T_RESUME;
        let erase_ends = bench.erase_begins() + T_ERASE + away * 2;
        assert_eq!(ran.completed(4), erase_ends + bench.read(), "{kind}");
        assert_eq!(ran.suspended_erases, 2, "{kind}");
    }
}

#[test]
fn a_suspension_serves_a_limited_number_of_commands() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let mut rules = suspension();
        rules.most_commands = 2;
        bench.settings.flash.suspension = Some(rules);
        let ran = bench.read_during_erase(&[us(300), us(300), us(300)]);
        let to_suspend = bench.suspend() + T_ESPD;
        assert_eq!(ran.latency(3), to_suspend + bench.read() * 2, "{kind}");
        let resumed = ran.latency(3) + bench.suspend() + T_RESUME;
        assert_eq!(ran.latency(4), resumed + to_suspend + bench.read(), "{kind}");
        assert_eq!(ran.suspended_erases, 2, "{kind}");
    }
}

#[test]
fn an_erase_is_suspended_as_long_as_the_stated_time_is_left_and_not_a_picosecond_later() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let mut rules = suspension();
        rules.erase.as_mut().unwrap().for_read = us(400);
        bench.settings.flash.suspension = Some(rules);
        let in_time = bench.read_during_erase(&[us(600)]);
        assert_eq!(in_time.latency(2), bench.suspend() + T_ESPD + bench.read(), "{kind}");
        let late = bench.read_during_erase(&[us(600) + SimSpan::from_ps(1)]);
        assert_eq!(late.latency(2), us(400) - SimSpan::from_ps(1) + bench.read(), "{kind}");
        assert_eq!(late.suspended_erases, 0, "{kind}");
    }
}

#[test]
fn an_erase_that_ends_before_the_command_to_suspend_arrives_is_not_suspended() {
    for bench in benches() {
        let kind = bench.settings.fabric_kind;
        for early in [SimSpan::from_ps(1), bench.suspend() - SimSpan::from_ps(1), bench.suspend()] {
            let ran = bench.read_during_erase(&[T_ERASE - early]);
            assert_eq!(ran.suspended_erases, 0, "{kind}, {early}");
            assert_eq!(ran.latency(2), bench.suspend() + bench.read(), "{kind}, {early}");
            assert_eq!(ran.plane_busy, T_PROGRAM * 2 + T_ERASE + T_READ, "{kind}, {early}");
            let transfers = bench.program_transfer(1) * 2 + bench.command(COMMAND) * 2;
            let transfers = transfers + bench.suspend() + bench.data_out();
            assert_eq!(ran.transfer_time, transfers, "{kind}, {early}");
        }
        let ran = bench.read_during_erase(&[T_ERASE - bench.suspend() - SimSpan::from_ps(1)]);
        assert_eq!(ran.suspended_erases, 1, "{kind}: a picosecond was left");
        assert_eq!(ran.latency(2), bench.suspend() + T_ESPD + bench.read(), "{kind}");
    }
}

/// Creates one chip of two planes with many blocks of four pages.
fn drive_that_programs(kind: FabricKind) -> DriveSettings {
    let mut settings = small_drive(kind, 1, 1);
    settings.flash.commands.suspend = SUSPEND;
    settings.flash.suspension = Some(suspension());
    settings
}

#[test]
fn a_suspended_program_waits_for_reads_and_its_stages_include_the_wait() {
    for &kind in FabricKind::ALL {
        let bench = Bench::new(drive_that_programs(kind), 0);
        let begins = bench.program_transfer(1);
        let requests = vec![
            bench.request(Op::Write, SimTime::ZERO),
            pages(Op::Read, 2, 1, at(begins + us(40))),
            pages(Op::Read, 2, 1, at(begins + us(40))),
        ];
        let ran = bench.run(requests);
        assert_eq!((ran.suspended_erases, ran.suspended_programs), (0, 1), "{kind}");
        assert_eq!(ran.latency(1), bench.suspend() + T_PSPD + bench.read(), "{kind}");
        assert_eq!(ran.latency(2), bench.suspend() + T_PSPD + bench.read() * 2, "{kind}");
        let waits = bench.read() * 2;
        let array = T_PROGRAM + T_PSPD + T_RESUME;
        assert_eq!(ran.latency(0), begins + array + waits + bench.suspend(), "{kind}");
        for (stage, name) in STAGES {
            let expected = match stage {
                Stage::Array => array,
                Stage::ChipWait => waits,
                Stage::Transfer => begins + bench.suspend(),
                _ => SimSpan::ZERO,
            };
            assert_eq!(ran.stage(0, stage), expected, "{kind}: {name}");
        }
    }
}

#[test]
fn a_read_of_the_page_that_is_being_programmed_waits_and_lets_others_pass() {
    for &kind in FabricKind::ALL {
        let bench = Bench::new(drive_that_programs(kind), 0);
        let begins = bench.program_transfer(1);
        let read = |page, after| pages(Op::Read, page, 1, at(begins + after));
        let alone = bench.run(vec![bench.request(Op::Write, SimTime::ZERO), read(0, us(40))]);
        assert_eq!(alone.suspended_programs, 0, "{kind}: nothing that could be read waits");
        assert_eq!(alone.latency(1), T_PROGRAM - us(40) + bench.read(), "{kind}");
        let ran = bench.run(vec![bench.request(Op::Write, SimTime::ZERO), read(0, us(40)), read(2, us(50))]);
        assert_eq!(ran.suspended_programs, 1, "{kind}");
        assert_eq!(ran.latency(2), bench.suspend() + T_PSPD + bench.read(), "{kind}");
        let ends = begins + T_PROGRAM + T_PSPD + bench.read() + bench.suspend() + T_RESUME;
        assert_eq!(ran.latency(0), ends, "{kind}");
        assert_eq!(ran.completed(1), at(ends + bench.read()), "{kind}");
    }
}

#[test]
fn a_program_of_two_planes_is_suspended_and_resumed_as_one() {
    for &kind in FabricKind::ALL {
        let bench = Bench::new(drive_that_programs(kind), 0);
        let begins = bench.program_transfer(2);
        let read = pages(Op::Read, 2, 1, at(begins + us(40)));
        let ran = bench.run(vec![pages(Op::Write, 0, 2, SimTime::ZERO), read]);
        assert_eq!(ran.suspended_programs, 1, "{kind}");
        assert_eq!(ran.latency(1), bench.suspend() + T_PSPD + bench.read(), "{kind}");
        let away = bench.read() + bench.suspend();
        assert_eq!(ran.latency(0), begins + T_PROGRAM + T_PSPD + away + T_RESUME, "{kind}");
        assert_eq!(ran.plane_busy, (T_PROGRAM + T_PSPD + T_RESUME) * 2 + T_READ, "{kind}");
    }
}

#[test]
fn only_the_operations_that_may_be_are_suspended() {
    let mut settings = drive_that_programs(FabricKind::Bus);
    settings.flash.suspension = Some(Suspension { program: None, ..suspension() });
    let bench = Bench::new(settings, 0);
    let begins = bench.program_transfer(1);
    let read = pages(Op::Read, 2, 1, at(begins + us(40)));
    let ran = bench.run(vec![bench.request(Op::Write, SimTime::ZERO), read]);
    assert_eq!(ran.suspended_programs, 0);
    assert_eq!(ran.latency(1), T_PROGRAM - us(40) + bench.read());
    let mut settings = drive_that_erases(FabricKind::Bus, 1);
    settings.flash.suspension = Some(Suspension { erase: None, ..suspension() });
    let bench = Bench::new(settings, 0);
    assert_eq!(bench.read_during_erase(&[us(300)]).latency(2), T_ERASE - us(300) + bench.read());
}

#[test]
fn a_write_suspends_an_erase_if_it_may_and_while_its_own_stated_time_is_left() {
    for mut bench in benches() {
        let kind = bench.settings.fabric_kind;
        let mut rules = suspension();
        let write_after = |bench: &Bench, after| {
            let writes = [Op::Write, Op::Write].map(|op| bench.request(op, SimTime::ZERO));
            let third = bench.request(Op::Write, bench.erase_begins() + after);
            bench.run(writes.into_iter().chain([third]).collect())
        };
        let waits = write_after(&bench, us(300));
        assert_eq!(waits.latency(2), T_ERASE - us(300) + bench.write(), "{kind}");
        rules.erase.as_mut().unwrap().for_write = Some(us(700));
        bench.settings.flash.suspension = Some(rules);
        let passes = write_after(&bench, us(300));
        assert_eq!(passes.latency(2), bench.suspend() + T_ESPD + bench.write(), "{kind}");
        assert_eq!(passes.suspended_erases, 1, "{kind}");
        let late = write_after(&bench, us(300) + SimSpan::from_ps(1));
        assert_eq!(late.latency(2), T_ERASE - us(300) - SimSpan::from_ps(1) + bench.write(), "{kind}");
    }
}

#[test]
fn a_read_of_another_die_suspends_an_erase_where_dies_work_one_at_a_time() {
    for &kind in FabricKind::ALL {
        let mut settings = drive_that_erases(kind, 1);
        settings.geometry.dies_per_chip = 2;
        settings.flash.die_work = DieWork::OneAtATime;
        let bench = Bench::new(settings, 0);
        let begins = bench.erase_begins();
        let ran = bench.run(vec![
            bench.request(Op::Write, SimTime::ZERO),
            bench.request(Op::Write, SimTime::ZERO),
            pages(Op::Read, 1, 1, begins + us(300)),
            pages(Op::Write, 1, 1, begins + us(310)),
        ]);
        assert_eq!(ran.suspended_erases, 1, "{kind}");
        assert_eq!(ran.latency(2), bench.suspend() + T_ESPD + bench.read(), "{kind}");
        let erase_ends = begins + T_ERASE + T_ESPD + bench.read() + bench.suspend() + T_RESUME;
        assert_eq!(ran.completed(3), erase_ends + bench.write(), "{kind}: the write waits for the erase");
        assert_eq!(ran.stage(3, Stage::PathWait), SimSpan::ZERO, "{kind}: not for a path");
    }
}

/// Runs reads at queue depth `depth`, and a write of another page of the die.
fn write_in_a_flood_of_reads(settings: &DriveSettings, depth: u32) -> Ran {
    let reads = (0..400).map(|_| pages(Op::Read, 2, 1, SimTime::ZERO));
    let write = pages(Op::Write, 0, 1, SimTime::ZERO);
    run(settings, LoopMode::Closed { depth }, std::iter::once(write).chain(reads).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_program_ends_in_its_time_in_a_flood_of_reads(
        most_times in 1_u32..=6,
        most_commands in 1_u32..=12,
        depth in 3_u32..=20,
        fabric in 0..FabricKind::ALL.len(),
    ) {
        let mut settings = drive_that_programs(FabricKind::ALL[fabric]);
        settings.flash.suspension = Some(Suspension { most_times, most_commands, ..suspension() });
        let bench = Bench::new(settings, 0);
        let ran = write_in_a_flood_of_reads(&bench.settings, depth);
        let passing = bench.read() * u64::from(most_commands);
        // The array continues during the transfer of the suspend command. Only then does the program make
        // progress.
        let away = T_PSPD + passing + bench.suspend() + T_RESUME;
        let expected = bench.program_transfer(1) + T_PROGRAM + away * u64::from(most_times);
        prop_assert_eq!(ran.latency(0), expected);
        prop_assert_eq!(ran.suspended_programs, u64::from(most_times));
    }
}
