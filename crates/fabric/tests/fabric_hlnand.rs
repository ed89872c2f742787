//! Tests of the rings of `hlnand`: exact times, and mutual exclusion of arcs.

use proptest::prelude::*;
use venice_fabric::testkit::{FabricBench, command_to, data_from, paper_settings, program_to};
use venice_fabric::{Direction, Fabric, FabricSettings, HlNand, Hold, Offer, Outbox, Transfer};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;

/// Time of 4,096 bytes at 800 MB/s, and of a program with its command of 10 ns.
const DATA: SimSpan = SimSpan::from_ns(5120);
const PROGRAM: SimSpan = SimSpan::from_ns(5130);
/// Delay of one intermediate chip.
const HOP: SimSpan = SimSpan::from_ns(5);
const START: SimTime = SimTime::ZERO;

/// Creates a bench with a ring of eight chips for each of two controllers.
fn bench() -> FabricBench {
    FabricBench::new(HlNand::new(&paper_settings(2, 8)))
}

fn read(chip: u32) -> Transfer {
    data_from(ChipId(chip), 4096)
}

fn program(chip: u32) -> Transfer {
    program_to(ChipId(chip), 4096)
}

#[test]
fn a_program_passes_the_chips_before_its_own_and_read_data_those_behind() {
    for col in 0..8 {
        let mut bench = bench();
        bench.offer(&program(col), START);
        bench.run_to_end();
        let there = START + PROGRAM + HOP * u64::from(col);
        bench.assert_delivered(0, ChipId(col), there);
        bench.offer(&read(col), there);
        bench.run_to_end();
        bench.assert_delivered(1, ChipId(col), there + DATA + HOP * u64::from(7 - col));
        assert_eq!([0, 1].map(|n| bench.ended[n].delivery.hops), [col, 7 - col], "links between chips");
    }
}

/// Creates a bench whose rings are held for a read from its command to the end of its data.
fn holding_bench() -> FabricBench {
    let settings = FabricSettings { hold: Hold::Operation, ..paper_settings(2, 8) };
    FabricBench::new(HlNand::new(&settings))
}

fn submit_read(bench: &mut FabricBench, chip: u32) {
    let command = Transfer { keeps_path: true, ..command_to(ChipId(chip)) };
    bench.submit_operation([(SimSpan::ZERO, command), (SimSpan::from_us(3), read(chip))], START);
}

#[test]
fn a_read_that_holds_its_ring_has_it_until_its_last_byte_is_at_the_controller() {
    let mut bench = holding_bench();
    for chip in [0, 7, 8] {
        submit_read(&mut bench, chip);
    }
    bench.run_to_end();
    // 10 ns + 3 µs + 5,120 ns, and 7 intermediate chips: for the data of column 0, for the command of column
    // 7.
    let one = SimSpan::from_ns(10) + SimSpan::from_us(3) + DATA + HOP * 7;
    let ends: Vec<_> = bench.ended.iter().filter(|end| end.transfer.bytes > 0).collect();
    let ends: Vec<(ChipId, SimTime)> = ends.iter().map(|end| (end.transfer.chip, end.at)).collect();
    assert_eq!(ends, [(ChipId(0), START + one), (ChipId(8), START + one), (ChipId(7), START + one * 2)]);
    // Link n is in use by the read n hops later than link 0.
    let busy = bench.fabric.path_busy(bench.now());
    assert_eq!(busy[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|n| (one - HOP * n) * 2));
    let crossed = SimSpan::from_ns(10) * (1 + 8 + 1) + DATA * (8 + 1 + 8);
    let in_use: SimSpan = busy.into_iter().sum();
    assert_eq!(bench.counters().paths_kept, in_use - crossed);
}

#[test]
fn a_link_that_fails_while_its_ring_is_held_keeps_the_time_it_was_in_use() {
    let mut settings = FabricSettings { hold: Hold::Operation, ..paper_settings(2, 8) };
    settings.faults.paths = vec![2];
    settings.faults.at = START + SimSpan::from_us(1);
    let mut bench = FabricBench::new(HlNand::new(&settings));
    submit_read(&mut bench, 1);
    bench.run_until(settings.faults.at);
    let before = bench.fabric.path_busy(settings.faults.at);
    assert_eq!(before[2], SimSpan::from_us(1) - HOP * 2);
    bench.fabric.faults_due(settings.faults.at, &mut Outbox::default());
    assert_eq!(bench.fabric.path_busy(settings.faults.at)[..3], before[..3]);
    let later = bench.fabric.path_busy(settings.faults.at + SimSpan::from_us(1));
    assert_eq!([later[1] - before[1], later[2] - before[2]], [SimSpan::from_us(1), SimSpan::ZERO]);
}

#[test]
fn a_program_passes_a_held_ring_by_neither_arc() {
    let mut bench = holding_bench();
    submit_read(&mut bench, 3);
    bench.run_until(START + SimSpan::from_ns(100));
    assert_eq!(bench.offer(&program(0), START + SimSpan::from_ns(100)), Offer::DomainBusy);
    assert_eq!(bench.offer(&program(8), START + SimSpan::from_ns(100)), Offer::Accepted, "the other ring");
    bench.assert_earliest_ready(&program(0), START + SimSpan::from_ns(10 + 3000 + 5120) + HOP * 7);
}

#[test]
fn a_program_and_a_read_behind_it_share_no_link_and_overlap() {
    for (to, from) in [(3, 4), (3, 7), (0, 1)] {
        let mut bench = bench();
        assert_eq!(bench.offer(&program(to), START), Offer::Accepted);
        assert_eq!(bench.offer(&read(from), START), Offer::Accepted, "{to} {from}");
    }
}

#[test]
fn a_read_before_the_program_s_chip_waits_for_the_links_they_share() {
    // To column 5 and from column 2: links 3, 4 and 5 are on both arcs. The program's tail leaves link 3
    // after three hops, when a head from column 2 may enter the link.
    let mut bench = bench();
    assert_eq!(bench.offer(&program(5), START), Offer::Accepted);
    bench.assert_earliest_ready(&read(2), START + PROGRAM + HOP * 3);
}

#[test]
fn programs_follow_each_other_as_soon_as_the_first_link_is_free() {
    let mut bench = bench();
    assert_eq!(bench.offer(&program(6), START), Offer::Accepted);
    bench.assert_earliest_ready(&program(2), START + PROGRAM);
    assert_eq!(bench.ended.len(), 0, "the first program is still on its way");
}

#[test]
fn data_from_a_chip_further_on_waits_until_the_tail_has_passed_it() {
    let mut bench = bench();
    assert_eq!(bench.offer(&read(1), START), Offer::Accepted);
    bench.assert_earliest_ready(&read(4), START + DATA + HOP * 3);
}

#[test]
fn data_from_a_chip_before_may_set_out_while_the_last_link_is_in_use() {
    // The head of the packet arrives at column 4 after three hops, when the link there has just become free.
    let mut bench = bench();
    assert_eq!(bench.offer(&read(4), START), Offer::Accepted);
    bench.assert_earliest_ready(&read(1), SimTime::from_ps((DATA - HOP * 3).as_ps()));
}

#[test]
fn the_next_controller_has_a_ring_of_its_own() {
    let mut bench = bench();
    assert_eq!(bench.offer(&read(0), START), Offer::Accepted);
    assert_eq!(bench.offer(&read(8), START), Offer::Accepted);
}

#[test]
fn what_was_refused_is_woken_at_the_first_instant_at_which_it_can_start() {
    let mut bench = bench();
    bench.submit(program(5), START);
    bench.submit(read(2), START);
    bench.submit(command_to(ChipId(1)), START);
    bench.run_to_end();
    let woken: Vec<SimTime> = bench.woken.iter().map(|&(at, _)| at).collect();
    assert_eq!(woken, [START + PROGRAM, START + PROGRAM + HOP * 3]);
    // The command starts as soon as the program has left link 0, the read once links 3 to 5 are free.
    bench.assert_delivered(0, ChipId(1), START + PROGRAM + SimSpan::from_ns(10) + HOP);
    bench.assert_delivered(1, ChipId(5), START + PROGRAM + HOP * 5);
    bench.assert_delivered(2, ChipId(2), START + PROGRAM + HOP * 3 + DATA + HOP * 5);
}

#[test]
fn each_link_of_the_arc_is_in_use_for_the_wire_time() {
    let mut bench = bench();
    bench.offer(&read(5), START);
    bench.run_to_end();
    let busy = bench.fabric.path_busy(bench.now());
    let expected: Vec<SimSpan> =
        (0..18).map(|n| if (6..=8).contains(&n) { DATA } else { SimSpan::ZERO }).collect();
    assert_eq!(busy, expected);
}

#[test]
fn a_ring_has_a_link_more_than_chips_and_a_pass_through_in_each_chip() {
    let wiring = HlNand::new(&paper_settings(8, 8)).wiring();
    assert_eq!((wiring.links, wiring.routers, wiring.channels), (72, 64, 0));
}

/// Generates (chip, true for a transfer to the chip, time in ns).
fn work() -> impl Strategy<Value = Vec<(u32, bool, u64)>> {
    prop::collection::vec((0_u32..8, any::<bool>(), 0_u64..60_000), 1..60)
}

proptest! {
    /// The controller must prevent collisions, since chips have no buffers: bytes of two transfers never meet
    /// on a link.
    #[test]
    fn no_link_carries_two_transfers_at_once(work in work()) {
        let mut bench = bench();
        for &(chip, to_chip, at) in &work {
            let transfer = if to_chip { program(chip) } else { read(chip) };
            bench.submit(transfer, START + SimSpan::from_ns(at));
        }
        bench.run_to_end();
        let mut uses: Vec<(u32, SimTime, SimTime)> = Vec::new();
        for ended in &bench.ended {
            let col = ended.transfer.chip.0;
            let (links, wire) = match ended.transfer.direction {
                Direction::ToChip => (0..=col, PROGRAM),
                Direction::FromChip => (col + 1..=8, DATA),
            };
            let start = SimTime::from_ps(ended.at.as_ps() - ended.took.as_ps());
            for (step, link) in links.enumerate() {
                let enter = start + HOP * step as u64;
                uses.push((link, enter, enter + wire));
            }
        }
        uses.sort_unstable();
        for pair in uses.windows(2) {
            prop_assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?}");
        }
    }
}
