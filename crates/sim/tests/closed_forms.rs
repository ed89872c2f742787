//! Tests of latencies against closed forms, with exact times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::{Direction, FabricKind, Transfer};
use venice_host::testkit::pages;
use venice_host::{MessageSizes, Protocol};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::chip::DieWork;
use venice_nand::geometry::{ChipId, DieId};
use venice_nand::testkit::COMMAND;
use venice_requests::{LoopMode, Op};
use venice_sim::testkit::drive::{run, small_drive};

const T_READ: SimSpan = SimSpan::from_us(3);
const T_PROGRAM: SimSpan = SimSpan::from_us(100);

/// Channel rate of 4 KiB in exactly 4 µs, the rounded value of Nadig et al., "Venice", ISCA 2023, §3.1 and
/// Figure 3 (1.2 GB/s would take 3.41 µs).
const FOUR_MICROSECONDS_A_PAGE: Rate = Rate::from_ps_per_bytes(4_000_000, 4096);

/// Page time at the rate of the paper's Table 1, 1.2 GB/s: 3,413,333.3 ps for 4 KiB, rounded up.
const PAGE_AT_1200: SimSpan = SimSpan::from_ps(3_413_334);

fn reads(of: &[u64]) -> Vec<venice_requests::HostRequest> {
    of.iter().map(|&page| pages(Op::Read, page, 1, SimTime::ZERO)).collect()
}

#[test]
fn figure_3_two_reads_on_one_bus_take_11_01_us_and_on_two_buses_7_01_us() {
    // One row of two chips: both reads share the bus. The second command follows the first at once (10 ns),
    // so both arrays work in parallel, and the second data transfer waits for the first.
    let mut one_bus = small_drive(FabricKind::Bus, 1, 2);
    one_bus.fabric.bus.rate = FOUR_MICROSECONDS_A_PAGE;
    let both = run(&one_bus, LoopMode::Open, reads(&[0, 1])).latencies();
    // CMD + tR + transfer for the first; CMD + tR + 2 transfers for the second.
    assert_eq!(both, [SimSpan::from_ns(7_010), SimSpan::from_ns(11_010)]);

    let mut two_buses = small_drive(FabricKind::Bus, 2, 1);
    two_buses.fabric.bus.rate = FOUR_MICROSECONDS_A_PAGE;
    let each = run(&two_buses, LoopMode::Open, reads(&[0, 1])).latencies();
    assert_eq!(each, [SimSpan::from_ns(7_010); 2]);
}

#[test]
fn figure_3_at_the_unrounded_rate_of_table_1() {
    let both = run(&small_drive(FabricKind::Bus, 1, 2), LoopMode::Open, reads(&[0, 1])).latencies();
    let first = COMMAND + T_READ + PAGE_AT_1200;
    assert_eq!(both, [first, first + PAGE_AT_1200]);
}

/// Computes the latency of a 4-KiB read (command in, tR, data out) or write (command and data in, tPROG).
fn by_hand(kind: FabricKind, chip: ChipId, op: Op) -> SimSpan {
    let settings = small_drive(kind, 4, 4);
    let fabric = kind.build(&settings.fabric).unwrap();
    let transfer = |direction, command, bytes| {
        let die = DieId(chip.0);
        fabric.idle_time(&Transfer {
            die,
            chip,
            direction,
            command,
            bytes,
            keeps_path: false,
            moved: None,
            waiting_since: None,
        })
    };
    if op == Op::Write {
        return transfer(Direction::ToChip, COMMAND, 4096) + T_PROGRAM;
    }
    transfer(Direction::ToChip, COMMAND, 0) + T_READ + transfer(Direction::FromChip, SimSpan::ZERO, 4096)
}

#[test]
fn an_idle_read_and_write_are_the_sum_of_their_parts_on_every_fabric_and_chip() {
    assert!(!FabricKind::ALL.is_empty());
    for &kind in FabricKind::ALL {
        for op in [Op::Read, Op::Write] {
            for page in 0..16 {
                let settings = small_drive(kind, 4, 4);
                // CWDP on 4 × 4: page p is on channel p mod 4, way p div 4.
                let chip = ChipId((page % 4) * 4 + page / 4);
                let request = vec![pages(op, u64::from(page), 1, SimTime::ZERO)];
                let found = run(&settings, LoopMode::Open, request).latencies();
                assert_eq!(found, [by_hand(kind, chip, op)], "{kind} {op:?} page {page}");
            }
        }
    }
}

#[test]
fn the_parts_are_what_the_papers_give() {
    let chip = ChipId(5); // row 1, column 1 of a 4 × 4 array
    let read = |kind| by_hand(kind, chip, Op::Read);
    assert_eq!(read(FabricKind::Bus), COMMAND + T_READ + PAGE_AT_1200);
    assert_eq!(read(FabricKind::Ideal), COMMAND + T_READ + PAGE_AT_1200);
    assert_eq!(read(FabricKind::PnSsd), COMMAND + T_READ + PAGE_AT_1200);
    // pSSD: (8 + 4096) bytes at 2.4 GB/s are 1,710,000 ps.
    assert_eq!(read(FabricKind::PSsd), COMMAND + T_READ + SimSpan::from_ps(1_710_000));
    // Venice, one hop from its controller: a scout of 2 flits takes 1 hop forward and back, twice (command
    // and data are two circuits): 2 × 4 ns. Equation 1: (1 + 4096 / 1) × 1 ns for the data, (1 + 10) × 1 ns
    // for the command.
    let venice = SimSpan::from_ns(8 + 11 + 4_097) + T_READ;
    assert_eq!(read(FabricKind::Venice), venice);
}

#[test]
fn the_host_link_adds_its_bytes_in_front_and_behind() {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.host.link.rate = Rate::from_mb_per_s(8000.0); // 125 ps a byte
    settings.host.link.latency = SimSpan::from_ns(100);
    settings.host.sizes.command_bytes = 64;
    settings.host.sizes.completion_bytes = 16;
    let read = run(&settings, LoopMode::Open, reads(&[0])).latencies();
    let link = SimSpan::from_ps(125) * (64 + 16 + 4096) + SimSpan::from_ns(200);
    assert_eq!(read, [COMMAND + T_READ + PAGE_AT_1200 + link]);
}

#[test]
fn an_nvme_read_pays_for_doorbell_fetch_entry_data_and_completion() {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.host.protocol = Protocol::Nvme;
    settings.host.link.rate = Rate::from_mb_per_s(4000.0);
    settings.host.link.packet_header_bytes = 28;
    settings.host.sizes =
        MessageSizes { command_bytes: 72, completion_bytes: 16, doorbell_bytes: 2, read_request_bytes: 4 };
    let read = run(&settings, LoopMode::Open, reads(&[0])).latencies();
    // 250 ps per byte; each message is one packet with 28 more bytes, except the data, which are 32 packets.
    let bytes = (2 + 28) + (4 + 28) + (72 + 28) + (4096 + 32 * 28) + (16 + 28);
    assert_eq!(read, [COMMAND + T_READ + PAGE_AT_1200 + SimSpan::from_ps(250) * bytes]);
}

#[test]
fn a_two_plane_read_senses_once_and_gives_its_pages_one_after_the_other() {
    let settings = small_drive(FabricKind::Bus, 1, 1);
    // One chip of two planes: pages 0 and 1 are page 0 of each plane.
    let both = run(&settings, LoopMode::Open, reads(&[0, 1]));
    assert_eq!(both.report.flash.multiplane_reads, 0, "the second came when the die had started");
    let one_request = run(&settings, LoopMode::Open, vec![pages(Op::Read, 0, 2, SimTime::ZERO)]);
    assert_eq!(one_request.report.flash.multiplane_reads, 1);
    assert_eq!(one_request.latencies(), [COMMAND + T_READ + PAGE_AT_1200 + PAGE_AT_1200]);
}

#[test]
fn dies_of_a_chip_sense_together_and_share_the_pins() {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.dies_per_chip = 2;
    settings.geometry.planes_per_die = 1;
    let both = run(&settings, LoopMode::Open, reads(&[0, 1])).latencies();
    let first = COMMAND + T_READ + PAGE_AT_1200;
    assert_eq!(both, [first, first + PAGE_AT_1200]);
}

#[test]
fn a_chip_that_works_one_at_a_time_takes_no_second_command_before_the_first_is_finished() {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.dies_per_chip = 2;
    settings.geometry.planes_per_die = 1;
    settings.flash.die_work = DieWork::OneAtATime;
    let both = run(&settings, LoopMode::Open, reads(&[0, 1])).latencies();
    let first = COMMAND + T_READ + PAGE_AT_1200;
    assert_eq!(both, [first, first + first]);
}

#[test]
fn a_partial_write_reads_the_rest_of_its_page_first() {
    let settings = small_drive(FabricKind::Bus, 1, 1);
    let half = venice_requests::HostRequest { sectors: 4, ..pages(Op::Write, 0, 1, SimTime::ZERO) };
    let found = run(&settings, LoopMode::Open, vec![half]);
    let half_page = Rate::from_mb_per_s(1200.0).time_for(2048);
    let update_read = COMMAND + T_READ + half_page;
    assert_eq!(found.latencies(), [update_read + COMMAND + PAGE_AT_1200 + T_PROGRAM]);
    assert_eq!(found.report.flash.update_reads, 1);
}
