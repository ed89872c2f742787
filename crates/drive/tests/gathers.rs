//! Tests of gathers: exact times of single gathers, and counters under any load.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::{
    GatherPlacement, GatherResult, GatherSensing, GatherSettings, GatherTarget, GatherWait,
    OperandProgramming,
};
use venice_fabric::testkit::{idle_time_of_copy, program_to};
use venice_fabric::{Direction, FabricKind, Hold, RelocatedData, Transfer};
use venice_host::testkit::pages;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::chip::{BitOperation, DieWork};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_nand::wear::{PageWear, WearModel};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::{DriveSettings, Simulation};
use venice_sim::report::{GatherReport, Report};
use venice_sim::testkit::drive::{run as run_and_report, small_drive};

use crate::timed_chip::{Bench, Ran, T_PROGRAM, T_READ, at, us};

const COPYING: [FabricKind; 2] = [FabricKind::PnSsd, FabricKind::Venice];
/// Time to combine a page with the previous ones.
const T_OPERATION: SimSpan = us(2);

/// Creates four rows of four chips. Consecutive pages are on chips of the same column.
fn drive(kind: FabricKind, operands: u32, chip_to_chip: bool) -> DriveSettings {
    let mut settings = small_drive(kind, 4, 4);
    settings.ftl.gather = GatherSettings {
        operands,
        placement: GatherPlacement::Consecutive,
        combination: T_OPERATION,
        ..GatherSettings::default()
    };
    settings.fabric.chip_to_chip = chip_to_chip;
    settings
}

/// Runs a gather of page 0 and the pages after it.
fn gather(settings: DriveSettings) -> Ran {
    let bench = Bench::new(settings, 0);
    let request = bench.request(Op::Gather, SimTime::ZERO);
    bench.run(vec![request])
}

/// Returns the time to send an operand from a controller to the target, if it came from the chip `from`.
fn load(settings: &DriveSettings, from: u32) -> SimSpan {
    let fabric = settings.fabric_kind.build(&settings.fabric).unwrap();
    let moved = Some(RelocatedData { bytes: 4096, from: ChipId(from) });
    fabric.idle_time(&Transfer {
        die: DieId(0),
        chip: ChipId(0),
        direction: Direction::ToChip,
        command: COMMAND,
        bytes: 4096,
        keeps_path: false,
        moved,
        waiting_since: None,
    })
}

/// Returns the time to send an operand from its chip to a controller, directly after its read.
fn out(settings: &DriveSettings, from: u32) -> SimSpan {
    let fabric = settings.fabric_kind.build(&settings.fabric).unwrap();
    let moved = Some(RelocatedData { bytes: 4096, from: ChipId(from) });
    fabric.idle_time(&Transfer {
        die: DieId(from),
        chip: ChipId(from),
        direction: Direction::FromChip,
        command: SimSpan::ZERO,
        bytes: 4096,
        keeps_path: false,
        moved,
        waiting_since: None,
    })
}

#[test]
fn by_a_controller_a_gather_takes_its_reads_the_way_out_and_a_load_and_an_operation_for_each_further_operand()
{
    for operands in 2..=4 {
        let settings = drive(FabricKind::Bus, operands, false);
        let first = Bench::new(settings.clone(), 0);
        let ran = gather(settings);
        // The channels of the other rows work in parallel. The target receives their pages one after another.
        let each = first.program_transfer(1) + T_OPERATION;
        let expected = first.command(COMMAND)
            + T_READ
            + first.data_out()
            + each * u64::from(operands - 1)
            + first.data_out();
        assert_eq!(ran.latency(0), expected, "{operands} operands");
        // The transfers are commands, pages from chips, pages to the target, and the result.
        assert_eq!(ran.transfers, u64::from(operands + 2 * (operands - 1) + 1));
        assert_eq!(ran.plane_busy, T_READ * u64::from(operands) + T_OPERATION * u64::from(operands - 1));
    }
}

#[test]
fn from_chip_to_chip_a_gather_takes_its_reads_a_copy_and_an_operation_for_each_further_operand_and_the_result()
 {
    for kind in COPYING {
        for operands in 2..=4 {
            let settings = drive(kind, operands, true);
            let fabric = kind.build(&settings.fabric).unwrap();
            // Pages 1, 2 and 3 are in the same column as page 0, below it.
            let copies: SimSpan = (1..operands)
                .map(|row| idle_time_of_copy(&*fabric, &program_to(ChipId(0), 4096), ChipId(4 * row)))
                .sum();
            let first = Bench::new(settings.clone(), 0);
            let ran = gather(settings);
            let expected = first.command(COMMAND)
                + T_READ
                + copies
                + T_OPERATION * u64::from(operands - 1)
                + first.data_out();
            assert_eq!(ran.latency(0), expected, "{kind}, {operands} operands");
            // The transfers are commands, copies from chip to chip, and the result.
            assert_eq!(ran.transfers, u64::from(2 * operands), "{kind}");
        }
    }
}

#[test]
fn two_operands_take_the_closed_form_of_their_path_on_every_fabric() {
    for &kind in FabricKind::ALL {
        for chip_to_chip in [false, true] {
            let settings = drive(kind, 2, chip_to_chip);
            let fabric = kind.build(&settings.fabric).unwrap();
            let way = if chip_to_chip && COPYING.contains(&kind) {
                idle_time_of_copy(&*fabric, &program_to(ChipId(0), 4096), ChipId(4))
            } else {
                out(&settings, 4) + load(&settings, 4)
            };
            let (first, second) = (Bench::new(settings.clone(), 0), Bench::new(settings.clone(), 1));
            let expected = second.command(COMMAND) + T_READ + way + T_OPERATION + first.data_out();
            assert_eq!(gather(settings).latency(0), expected, "{kind}, {chip_to_chip}");
        }
    }
}

#[test]
fn a_result_that_stays_in_the_chip_is_not_sent() {
    for kind in COPYING {
        let mut settings = drive(kind, 2, true);
        let sent = gather(settings.clone());
        settings.ftl.gather.result = GatherResult::Flash;
        let kept = gather(settings.clone());
        let first = Bench::new(settings, 0);
        assert_eq!(sent.latency(0), kept.latency(0) + first.data_out(), "{kind}");
        assert_eq!(sent.transfers, kept.transfers + 1, "{kind}");
    }
}

/// Pages 0 and 16 are on chip 0, each in one of its planes.
#[test]
fn operands_of_the_targets_chip_are_sensed_there_one_after_another_and_cross_nothing() {
    let mut settings = drive(FabricKind::Venice, 17, true);
    settings.ftl.gather.target = GatherTarget::MostOperands;
    let outcome = run_and_report(&settings, LoopMode::Open, vec![pages(Op::Gather, 0, 1, SimTime::ZERO)]);
    let found = outcome.report.gather.unwrap();
    assert_eq!((found.operands, found.in_place), (17, 2));
    let mut settings = drive(FabricKind::Bus, 2, false);
    settings.geometry.array.cols = 1;
    settings.fabric.array = settings.geometry.array;
    settings.geometry.array.rows = 1;
    settings.fabric.array = settings.geometry.array;
    // The first gather has all its operands on one chip, in its two planes.
    let first = Bench::new(settings.clone(), 0);
    let ran = first.run(vec![first.request(Op::Gather, SimTime::ZERO)]);
    let sense = first.command(COMMAND) + T_READ;
    assert_eq!(ran.latency(0), sense + sense + T_OPERATION + first.data_out());
    assert_eq!(ran.transfers, 3);
}

#[test]
fn the_target_can_be_the_chip_with_most_operands() {
    let in_place = |target| -> Vec<u64> {
        let mut settings = small_drive(FabricKind::Bus, 2, 1);
        settings.ftl.gather = GatherSettings { operands: 5, target, ..GatherSettings::default() };
        let one = |page| {
            let request = pages(Op::Gather, page, 1, SimTime::ZERO);
            run_and_report(&settings, LoopMode::Open, vec![request]).report.gather.unwrap().in_place
        };
        (0..40).map(one).collect()
    };
    let most = in_place(GatherTarget::MostOperands);
    assert!(most.iter().all(|&there| there >= 3), "of five operands on two chips: {most:?}");
    let of_first = in_place(GatherTarget::FirstOperand);
    let is_other = |(&first, &most): (&u64, &u64)| first == 5 - most;
    assert!(of_first.iter().any(|&there| there < 3), "{of_first:?}");
    assert!(
        of_first.iter().zip(&most).all(|pair| pair.0 == pair.1 || is_other(pair)),
        "{of_first:?}, {most:?}"
    );
}

/// Two gathers of page 0: the operands of the second are read after the first has released the target.
#[test]
fn a_target_serves_one_gather_at_a_time_and_the_next_waits_unread() {
    for kind in COPYING {
        let settings = drive(kind, 3, true);
        let alone = gather(settings.clone());
        let bench = Bench::new(settings, 0);
        let both = bench.run(vec![bench.request(Op::Gather, SimTime::ZERO); 2]);
        assert_eq!(both.latency(0), alone.latency(0), "{kind}");
        assert_eq!(both.latency(1), alone.latency(0) * 2, "{kind}");
        assert_eq!(
            both.stage(1, Stage::ChipWait),
            both.latency(0) + alone.stage(0, Stage::ChipWait),
            "{kind}"
        );
    }
}

/// The target programs a page after an operand has been read on another chip. If the fabric can copy pages
/// between chips, the operand waits in its register and is sent once. Without this option, it is sent to a
/// controller in the meantime.
#[test]
fn an_operand_waits_in_its_register_for_a_target_that_is_busy() {
    for kind in COPYING {
        let settings = drive(kind, 2, true);
        let fabric = kind.build(&settings.fabric).unwrap();
        let first = Bench::new(settings.clone(), 0);
        let write = first.request(Op::Write, SimTime::ZERO);
        let gather = first.request(Op::Gather, at(us(10)));
        let ran = first.run(vec![write, gather]);
        // The target reads its own operand before or after the other one arrives. Both are combined.
        let copy = idle_time_of_copy(&*fabric, &program_to(ChipId(0), 4096), ChipId(4));
        let programmed = first.program_transfer(1) + T_PROGRAM;
        let expected =
            programmed - us(10) + copy + first.command(COMMAND) + T_READ + T_OPERATION + first.data_out();
        assert_eq!(ran.latency(1), expected, "{kind}");
        assert_eq!(ran.transfers, 1 + 2 + 1 + 1, "{kind}: a write, two commands, a copy and a result");
    }
}

/// As in the previous test, with a read that waits for the operand's die. The die serves the read, unless the
/// operand is configured to wait for the target.
#[test]
fn an_operand_is_sent_through_a_controller_if_its_die_is_needed_unless_it_must_wait() {
    for kind in COPYING {
        let gather = |wait, read_comes| {
            let mut settings = drive(kind, 2, true);
            settings.ftl.gather.wait = wait;
            let first = Bench::new(settings, 0);
            let write = first.request(Op::Write, SimTime::ZERO);
            let mut requests = vec![write, first.request(Op::Gather, at(us(10)))];
            if read_comes {
                // Page 17 is on the chip of page 1, in its other plane.
                requests.push(pages(Op::Read, 17, 1, at(us(30))));
            }
            first.run(requests)
        };
        let alone = Bench::new(drive(kind, 2, true), 1).read();
        let out = Bench::new(drive(kind, 2, true), 1).data_out();
        for wait in [GatherWait::Always, GatherWait::WhileIdle] {
            assert_eq!(
                gather(wait, false).transfers,
                5,
                "{kind}: a write, two commands, a copy and a result"
            );
        }
        assert_eq!(gather(GatherWait::Never, false).transfers, 6, "{kind}: out and in again");
        let (waits, goes) = (gather(GatherWait::Always, true), gather(GatherWait::WhileIdle, true));
        assert_eq!((waits.transfers, goes.transfers), (7, 8), "{kind}");
        assert_eq!(goes.latency(2), out + alone, "{kind}: behind the operand on its way out");
        assert!(waits.latency(2) > us(70), "{kind}: until the target has programmed its page");
    }
}

/// Runs a gather of page 0 and of `operands` - 1 pages that are placed and sensed as `change` sets. Page 0 is
/// in a plane of blocks of 16 pages.
fn gather_sensed(operands: u32, change: impl FnOnce(&mut DriveSettings)) -> (SimSpan, GatherReport) {
    let mut settings = drive(FabricKind::Bus, operands, false);
    settings.ftl.gather.sensing = GatherSensing::FlashCosmos;
    settings.ftl.gather.placement = GatherPlacement::SameBlock;
    change(&mut settings);
    let latency = gather(settings.clone()).latency(0);
    let requests = vec![pages(Op::Gather, 0, 1, SimTime::ZERO)];
    (latency, run_and_report(&settings, LoopMode::Open, requests).report.gather.unwrap())
}

/// Returns the time of the command for one sensing operation, and the time to send the result.
fn command_and_result() -> (SimSpan, SimSpan) {
    let bench = Bench::new(drive(FabricKind::Bus, 2, false), 0);
    (bench.command(COMMAND), bench.data_out())
}

/// Returns the time to sense several word lines or blocks at once; each after the first adds `ppm` parts per
/// million to tR.
fn multi_sense(further: u32, ppm: u64) -> SimSpan {
    T_READ + SimSpan::from_ps(T_READ.as_ps() * u64::from(further) * ppm / 1_000_000)
}

#[test]
fn word_lines_of_a_block_are_sensed_by_one_operation() {
    let (command, result) = command_and_result();
    for operands in 2..=8 {
        let (latency, found) = gather_sensed(operands, |_| {});
        assert_eq!(latency, command + multi_sense(operands - 1, 700) + result, "{operands} operands");
        assert_eq!((found.senses, found.sensed_together), (1, u64::from(operands)));
        let (latency, found) =
            gather_sensed(operands, |drive| drive.ftl.gather.sensing = GatherSensing::SinglePage);
        let each = command + T_READ;
        let expected = each * u64::from(operands) + T_OPERATION * u64::from(operands - 1) + result;
        assert_eq!(latency, expected, "{operands} operands one after another");
        assert_eq!((found.senses, found.sensed_together), (u64::from(operands), 0));
    }
}

#[test]
fn more_word_lines_than_allowed_take_several_operations() {
    let (command, result) = command_and_result();
    let (latency, found) = gather_sensed(7, |drive| drive.ftl.gather.max_wordlines = 3);
    let (three, one) = (command + multi_sense(2, 700), command + T_READ);
    assert_eq!(latency, three + three + one + T_OPERATION * 2 + result);
    assert_eq!((found.senses, found.sensed_together), (3, 6));
}

#[test]
fn blocks_of_a_plane_are_sensed_by_one_operation() {
    let (command, result) = command_and_result();
    let of_plane = |operation, inverted_data| {
        gather_sensed(6, |drive| {
            let gather = &mut drive.ftl.gather;
            gather.placement = GatherPlacement::SamePlane;
            (gather.operation, gather.inverted_data) = (operation, inverted_data);
        })
    };
    let four_and_two = command * 2 + multi_sense(3, 11_000) + multi_sense(1, 11_000) + T_OPERATION + result;
    for (operation, inverted_data) in [(BitOperation::Or, false), (BitOperation::And, true)] {
        let (latency, found) = of_plane(operation, inverted_data);
        assert_eq!(latency, four_and_two, "{operation:?}");
        assert_eq!((found.senses, found.sensed_together), (2, 6), "{operation:?}");
    }
    for (operation, inverted_data) in
        [(BitOperation::Or, true), (BitOperation::And, false), (BitOperation::Xor, false)]
    {
        let (_, found) = of_plane(operation, inverted_data);
        assert_eq!((found.senses, found.sensed_together), (6, 0), "{operation:?}, {inverted_data}");
    }
}

/// The first two pages of a block are the bits of the same cells.
#[test]
fn bits_of_the_same_cells_take_the_read_voltages_of_the_operation() {
    let (command, result) = command_and_result();
    let (first, second) = (us(25), us(50));
    for (operation, voltages) in [(BitOperation::And, 1), (BitOperation::Or, 2), (BitOperation::Xor, 3)] {
        let run = |sensing| {
            gather_sensed(2, |drive| {
                drive.flash.array.read = vec![first, second];
                drive.flash.array.program = vec![T_PROGRAM; 2];
                (drive.ftl.gather.sensing, drive.ftl.gather.operation) = (sensing, operation);
            })
        };
        let (latency, found) = run(GatherSensing::ParaBit);
        assert_eq!(latency, command + us(25) * voltages + result, "{operation:?}");
        assert_eq!((found.senses, found.sensed_together), (1, 2));
        // Flash-Cosmos requires one bit per cell.
        for sensing in [GatherSensing::SinglePage, GatherSensing::FlashCosmos] {
            let (latency, found) = run(sensing);
            assert_eq!(latency, command * 2 + first + second + T_OPERATION + result, "{operation:?}");
            assert_eq!((found.senses, found.sensed_together), (2, 0));
        }
    }
}

#[test]
fn errors_of_a_result_are_those_of_any_operand() {
    let operands = 5;
    let errors = |change: fn(&mut DriveSettings)| {
        let (_, found) = gather_sensed(operands, |drive| {
            let ecc = &mut drive.ecc;
            (ecc.decoders, ecc.pe_cycles, ecc.retention_days, ecc.block_reads) = (1, 1000.0, 90.0, 500.0);
            change(drive);
        });
        (found.raw_bit_error_rate.unwrap(), found.wrong_bits_per_result.unwrap())
    };
    let wear = PageWear { program_erase_cycles: 1000.0, retention_days: 90.0, reads: 500.0 };
    let of_any = |rate: f64| -f64::exp_m1(f64::from(operands) * f64::ln_1p(-rate));
    let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
    let regular = of_any(WearModel::default().raw_bit_error_rate(wear));
    // The array operation does not change the errors.
    for (rate, bits) in [errors(|_| {}), errors(|drive| drive.ftl.gather.operation = BitOperation::Xor)] {
        assert!(is_near(rate, regular), "{rate}, {regular}");
        assert!(is_near(bits, regular * 4096.0 * 8.0), "{bits}");
    }
    let enhanced = |drive: &mut DriveSettings| {
        drive.ftl.gather.programming = OperandProgramming::EnhancedSlc;
    };
    assert!(is_near(errors(enhanced).0, of_any(2.07e-12)));
    // With two bits per cell, pages are not programmed in SLC mode.
    let (rate, _) = errors(|drive| {
        drive.ftl.gather.programming = OperandProgramming::EnhancedSlc;
        drive.flash.array.read = vec![T_READ; 2];
        drive.flash.array.program = vec![T_PROGRAM; 2];
    });
    assert!(is_near(rate, regular));
    assert_eq!(gather_sensed(operands, |_| {}).1.raw_bit_error_rate, None, "without a model of errors");
}

/// Four blocks at once take the power of a read and three times 27 % more of it.
#[test]
fn sensing_several_blocks_takes_more_power() {
    let mut settings = drive(FabricKind::Bus, 4, false);
    let gather = &mut settings.ftl.gather;
    (gather.sensing, gather.placement) = (GatherSensing::FlashCosmos, GatherPlacement::SamePlane);
    let requests = vec![pages(Op::Gather, 0, 1, SimTime::ZERO)];
    let mut read_uj = |operation| {
        settings.ftl.gather.operation = operation;
        run_and_report(&settings, LoopMode::Open, requests.clone()).report.energy_uj["flash_read"]
    };
    let uj = |span: SimSpan| span.as_us() * 160.0 / 1000.0;
    let blocks = multi_sense(3, 11_000);
    assert!((read_uj(BitOperation::Or) / (uj(blocks) * (1.0 + 3.0 * 0.27)) - 1.0).abs() < 1e-6);
    let separately = uj(T_READ * 4 + T_OPERATION * 3);
    assert!((read_uj(BitOperation::And) / separately - 1.0).abs() < 1e-6);
}

/// Creates gathers, reads and writes of all pages in random order.
fn mixed(settings: &DriveSettings, count: u64) -> Vec<HostRequest> {
    let logical = Simulation::capacity_sectors(settings) / 8;
    let mut random = RandomStream::new(5, "mixed");
    let one = |n: u64| {
        let op = [Op::Gather, Op::Read, Op::Write][(n % 3) as usize];
        pages(op, random.below(logical), 1, SimTime::ZERO)
    };
    (0..count).map(one).collect()
}

fn check_sums(report: &Report, operands: u64, copies: bool, told: &str) {
    let GatherReport { gathers, in_place, copied_between_chips, by_controller, .. } = report.gather.unwrap();
    assert_eq!(Some(gathers), report.requests.gathers, "{told}");
    let found = report.gather.unwrap();
    assert_eq!(found.operands, gathers * operands, "{told}");
    assert_eq!(in_place + copied_between_chips + by_controller, found.operands, "{told}");
    assert_eq!(found.bytes_between_chips, copied_between_chips * 4096, "{told}");
    assert_eq!(found.bytes_by_controller, by_controller * 4096, "{told}");
    assert_eq!(copied_between_chips > 0, copies, "{told}: {found:?}");
    assert!(in_place > 0, "{told}: {found:?}");
    assert_eq!(report.latency_us.gather.as_ref().unwrap().count, gathers, "{told}");
    assert_eq!(report.requests.completed, gathers + report.requests.reads + report.requests.writes, "{told}");
}

/// With as many concurrent gathers as chips, dies always hold operands for each other. No request must wait
/// forever.
#[test]
fn gathers_among_reads_writes_and_collection_all_end_and_every_operand_comes_by_one_way() {
    for &kind in FabricKind::ALL {
        for chip_to_chip in [false, true] {
            for (hold, one_at_a_time) in [(Hold::Transfer, false), (Hold::Operation, true)] {
                let mut settings = drive(kind, 6, chip_to_chip);
                settings.ftl.gather.placement = GatherPlacement::Random;
                settings.ftl.gather.wait = GatherWait::Always;
                settings.geometry.dies_per_chip = 2;
                settings.geometry.blocks_per_plane = 8;
                settings.fabric.hold = hold;
                if one_at_a_time {
                    settings.flash.die_work = DieWork::OneAtATime;
                }
                let requests = mixed(&settings, 3000);
                let report = run_and_report(&settings, LoopMode::Closed { depth: 48 }, requests).report;
                let told = format!("{kind}, {chip_to_chip}, {hold:?}");
                check_sums(&report, 6, chip_to_chip && COPYING.contains(&kind), &told);
                assert!(report.audit.is_some() && report.flash.programs >= 1000, "{told}");
            }
        }
    }
}

#[test]
fn a_drive_with_fewer_pages_than_operands_gathers_them_all() {
    let mut settings = drive(FabricKind::Venice, 64, true);
    settings.geometry.array = Array { rows: 2, cols: 2 };
    settings.fabric.array = settings.geometry.array;
    (settings.geometry.blocks_per_plane, settings.geometry.pages_per_block) = (4, 2);
    let logical = Simulation::capacity_sectors(&settings) / 8;
    assert!(logical < 64);
    let request = pages(Op::Gather, 3, 1, SimTime::ZERO);
    let found = run_and_report(&settings, LoopMode::Open, vec![request]).report.gather.unwrap();
    assert_eq!(found.operands, logical);
}

#[test]
fn the_same_page_has_the_same_operands_and_another_seed_others() {
    let ways = |seed| {
        let mut settings = small_drive(FabricKind::Venice, 4, 4);
        settings.fabric.chip_to_chip = true;
        settings.ftl.gather = GatherSettings { operands: 8, ..GatherSettings::default() };
        settings.ftl.seed = seed;
        let requests = (0..20).map(|page| pages(Op::Gather, page, 1, at(us(page * 1000)))).collect();
        run_and_report(&settings, LoopMode::Open, requests).latencies()
    };
    assert_eq!(ways(1), ways(1));
    assert_ne!(ways(1), ways(2));
}

/// A gather that requests two pages returns two results.
#[test]
fn each_page_of_a_request_gives_a_result() {
    let settings = drive(FabricKind::Bus, 3, false);
    let report =
        run_and_report(&settings, LoopMode::Open, vec![pages(Op::Gather, 0, 2, SimTime::ZERO)]).report;
    let found = report.gather.unwrap();
    assert_eq!((found.gathers, found.operands), (2, 6));
    assert_eq!(report.requests.gathers, Some(1));
}
