//! The packet-switched mesh, rule by rule: closed forms, exact times, buffers, controllers.
//!
//! In the settings of these tests a link transfers a byte per nanosecond, a packet of a 4-KB page takes 8 +
//! 4096 = 4104 ns, a command 10 ns, and a hop 1 + 1 = 2 ns.

use proptest::prelude::*;
use venice_fabric::testkit::{FabricBench, command_to, data_from, paper_settings, program_to};
use venice_fabric::{
    Arbitration, ControllerChoice, DomainId, FabricError, FabricModel, FabricSettings, NoSsd, Offer, Reply,
    Transfer,
};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::ChipId;

const START: SimTime = SimTime::ZERO;

const fn ns(ns: u64) -> SimTime {
    SimTime::from_ps(ns * 1000)
}

fn bench(rows: u32, cols: u32) -> FabricBench {
    FabricBench::new(NoSsd::new(&paper_settings(rows, cols)))
}

/// Returns settings with row-first replies, so that replies of one row share links with any controller.
fn row_first(rows: u32, cols: u32) -> FabricSettings {
    let mut settings = paper_settings(rows, cols);
    settings.own.nossd.reply = Reply::XThenY;
    settings
}

fn row_first_bench(rows: u32, cols: u32) -> FabricBench {
    FabricBench::new(NoSsd::new(&row_first(rows, cols)))
}

fn page(chip: u32) -> Transfer {
    data_from(ChipId(chip), 4096)
}

#[test]
fn an_idle_mesh_takes_the_packets_times_and_two_nanoseconds_a_hop() {
    for chip in (0..64).map(ChipId) {
        let hops = u64::from(chip.0 % 8);
        for (transfer, wire_ns) in [
            (data_from(chip, 4096), 4104),
            (data_from(chip, 16384), 4 * 4104),
            (data_from(chip, 10_000), 2 * 4104 + 8 + 1808),
            (command_to(chip), 10),
            (program_to(chip, 16384), 10 + 4 * 4104),
        ] {
            let mut bench = bench(8, 8);
            assert_eq!(bench.fabric.idle_time(&transfer), SimSpan::from_ns(2 * hops + wire_ns));
            assert_eq!(bench.offer(&transfer, START), Offer::Accepted);
            bench.run_to_end();
            bench.assert_delivered(0, chip, ns(2 * hops + wire_ns));
            assert_eq!(u64::from(bench.ended[0].delivery.hops), hops);
        }
    }
}

#[test]
fn a_head_waits_for_the_tail_that_crosses_its_lane() {
    // Chip 1 reads first and uses controller 0; chip 2 uses controller 1 and needs the same lane from column
    // 1 to column 0. Its head arrives after 2 ns; chip 1's tail leaves at 4104 ns.
    let mut bench = row_first_bench(2, 3);
    assert_eq!(bench.offer(&page(1), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(2), START), Offer::Accepted);
    bench.run_to_end();
    bench.assert_delivered(0, ChipId(1), ns(2 + 4104));
    bench.assert_delivered(1, ChipId(2), ns(4104 + 2 + 2 + 4104));
    let delivery = bench.ended[1].delivery;
    assert_eq!((delivery.hops, delivery.path_wait), (3, SimSpan::from_ns(4102)));
}

#[test]
fn transfer_waits_for_a_path_while_its_head_waits_for_a_lane() {
    let mut bench = row_first_bench(2, 3);
    bench.offer(&page(1), START);
    bench.offer(&page(2), START);
    let has_waiting = |bench: &FabricBench| {
        bench.fabric.capabilities().hints.is_some_and(|hints| hints.has_waiting(DomainId(0)))
    };
    bench.run_until(ns(1));
    assert!(!has_waiting(&bench), "the head of chip 2 is on its way to column 1");
    bench.run_until(ns(4_103));
    assert!(has_waiting(&bench), "the page of chip 1 crosses the lane");
    bench.run_until(ns(4_105));
    assert!(!has_waiting(&bench));
}

#[test]
fn packets_share_a_lane_in_the_order_in_which_they_reached_it() {
    // Four packets for each chip. Chip 1 injects a packet after the previous tail, so chip 2's second and
    // third packet, in the buffer since 4106 and 8210 ns, precede chip 1's third, which arrives at 12312 ns.
    // The lane transfers, without a gap, packets of chips 1 2 1 2 2 1 2 1.
    let mut bench = row_first_bench(2, 3);
    for chip in [1, 2] {
        assert_eq!(bench.offer(&data_from(ChipId(chip), 16384), START), Offer::Accepted);
    }
    bench.run_to_end();
    bench.assert_delivered(0, ChipId(2), ns(6 * 4104 + 2 + 2 + 4104));
    bench.assert_delivered(1, ChipId(1), ns(7 * 4104 + 2 + 4104));
}

#[test]
fn the_oldest_transfer_s_packets_may_cross_first() {
    // Chip 2's transfer is 1 ns older. Chip 1's first packet has the lane before chip 2's first arrives at 2
    // ns. After the latter, at 8209 ns, chip 1's second packet has waited since 4105 ns and chip 2's since
    // 4106 ns.
    let ends = |arbitration| {
        let mut settings = row_first(2, 3);
        settings.own.nossd.arbitration = arbitration;
        let mut bench = FabricBench::new(NoSsd::new(&settings));
        assert_eq!(bench.offer(&data_from(ChipId(2), 16384), START), Offer::Accepted);
        assert_eq!(bench.offer(&data_from(ChipId(1), 16384), ns(1)), Offer::Accepted);
        bench.run_to_end();
        [0, 1].map(|place| (bench.ended[place].transfer.chip, bench.ended[place].at))
    };
    let packets = |count: u64| 1 + count * 4104;
    let by_age = [(ChipId(2), ns(packets(5) + 2)), (ChipId(1), ns(packets(8) + 2 + 2))];
    assert_eq!(ends(Arbitration::OldestFirst), by_age);
    let in_turn = [(ChipId(2), ns(packets(7) + 2)), (ChipId(1), ns(packets(8) + 2 + 2))];
    assert_eq!(ends(Arbitration::FirstCome), in_turn);
}

#[test]
fn a_link_carries_packets_both_ways_at_once() {
    // Controller 0 writes to chip 2, controller 1 reads chip 1: both cross link 0 of row 0.
    let mut bench = row_first_bench(2, 3);
    assert_eq!(bench.offer(&program_to(ChipId(2), 16384), START), Offer::Accepted);
    assert_eq!(bench.offer(&data_from(ChipId(1), 16384), START), Offer::Accepted);
    bench.run_to_end();
    let page = SimSpan::from_ns(4 * 4104);
    assert_eq!(bench.fabric.path_busy(bench.now())[..2], [page + SimSpan::from_ns(10), page]);
    assert!(bench.ended.iter().all(|ended| ended.delivery.path_wait.is_zero()));
}

#[test]
fn a_full_buffer_holds_back_the_packets_behind_it() {
    // The streams of chips 1 and 3 alternate on the lane from column 1 to column 0, so chip 3's packets
    // arrive at column 1 twice as fast as they leave. The fourth is at column 2 after 3 × 4104 + 2 ns, while
    // the second and third are still at column 1 (the second until 4 × 4104 ns).
    let mut settings = row_first(2, 4);
    let mut crossed_at = |port_buffer_bytes: u32, at: SimTime| {
        settings.own.nossd.port_buffer_bytes = port_buffer_bytes;
        let mut bench = FabricBench::new(NoSsd::new(&settings));
        for chip in [1, 3] {
            assert_eq!(bench.offer(&data_from(ChipId(chip), 16384), START), Offer::Accepted);
        }
        bench.run_until(at);
        bench.fabric.path_busy(SimTime::from_ps(u64::MAX / 2))[2 + 1].as_ps() / SimSpan::from_ns(4104).as_ps()
    };
    let (room_for_two, room_for_three) = (2 * 4104 + 15, 3 * 4104);
    assert_eq!(crossed_at(room_for_three, ns(3 * 4104 + 2)), 4);
    assert_eq!(crossed_at(room_for_two, ns(3 * 4104 + 2)), 3);
    assert_eq!(crossed_at(room_for_two, SimTime::from_ps(4 * 4_104_000 - 1)), 3);
    assert_eq!(crossed_at(room_for_two, ns(4 * 4104)), 4);
}

#[test]
fn a_controller_is_free_when_it_has_injected_the_last_tail() {
    let mut bench = bench(1, 4);
    assert_eq!(bench.offer(&program_to(ChipId(3), 4096), START), Offer::Accepted);
    bench.assert_earliest_ready(&command_to(ChipId(0)), ns(10 + 4104));
    bench.run_to_end();
    // The command enters chip 0's own port at once; the program's tail has three hops to go.
    bench.assert_delivered(0, ChipId(3), ns(6 + 10 + 4104));
    bench.assert_delivered(1, ChipId(0), ns(10 + 4104 + 10));
}

#[test]
fn a_controller_that_receives_is_free_on_delivery() {
    let mut bench = bench(1, 4);
    assert_eq!(bench.offer(&page(3), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(2), START), Offer::DomainBusy);
    bench.assert_earliest_ready(&page(2), ns(6 + 4104));
}

#[test]
fn any_free_controller_serves_a_chip() {
    let mut bench = bench(2, 2);
    assert_eq!(bench.offer(&page(2), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(3), START), Offer::Accepted);
    bench.run_to_end();
    let hops: Vec<u32> = bench.ended.iter().map(|ended| ended.delivery.hops).collect();
    assert_eq!(hops, [0, 2], "chip 3 went by controller 0, one column and one row away");
}

#[test]
fn with_home_controllers_a_chip_waits_for_that_of_its_row() {
    let mut settings = paper_settings(2, 2);
    settings.own.nossd.controller = ControllerChoice::Home;
    let mut bench = FabricBench::new(NoSsd::new(&settings));
    assert_eq!(bench.offer(&page(2), START), Offer::Accepted);
    assert_eq!(bench.offer(&page(3), START), Offer::PathBusy);
    assert_eq!(bench.offer(&page(0), ns(1)), Offer::Accepted);
    assert_eq!(bench.offer(&page(3), ns(1)), Offer::DomainBusy);
    bench.assert_earliest_ready(&page(3), ns(4104));
}

#[test]
fn each_direction_of_each_link_is_a_path() {
    let mut bench = bench(8, 8);
    assert_eq!(bench.fabric.path_busy(bench.now()).len(), 2 * 112);
    bench.offer(&page(2), START);
    bench.run_to_end();
    let in_use: Vec<usize> =
        (0..224).filter(|&path| !bench.fabric.path_busy(bench.now())[path].is_zero()).collect();
    assert_eq!(in_use, [1, 3], "links 0 and 1, towards column 0");
    assert_eq!(bench.fabric.path_busy(bench.now())[1], SimSpan::from_ns(4104));
}

#[test]
fn buffers_in_which_a_lone_transfer_would_stall_are_refused() {
    let mut settings = paper_settings(8, 8);
    settings.own.nossd.port_buffer_bytes = 4096;
    let error = NoSsd::check(&settings).unwrap_err();
    assert_eq!(error, FabricError::BufferTooSmall { have_bytes: 4096, need_bytes: 8223 });
    assert_eq!(
        error.to_string(),
        "NoSSD's port buffers of 4096 bytes are too small: an uncontended transfer needs 8223 bytes to avoid stalls"
    );
}

#[test]
fn a_reply_that_retraces_its_command_goes_along_its_column_first() {
    // Controller 0 reads chip 1, controller 1 reads chip 2: down column 2, then along row 1. Both share no
    // link.
    let mut bench = bench(2, 3);
    for chip in [1, 2] {
        assert_eq!(bench.offer(&page(chip), START), Offer::Accepted);
    }
    bench.run_to_end();
    bench.assert_delivered(0, ChipId(1), ns(2 + 4104));
    bench.assert_delivered(1, ChipId(2), ns(3 * 2 + 4104));
    assert!(bench.ended.iter().all(|ended| ended.delivery.path_wait.is_zero()));
}

/// Returns the throughput in MB/s of 20,000 pages, all ready at once, to or from random chips of 8×8.
fn saturated_mb_per_s(
    (controller, reply): (ControllerChoice, Reply),
    transfer: fn(ChipId, u32) -> Transfer,
) -> f64 {
    let mut settings = paper_settings(8, 8);
    (settings.own.nossd.controller, settings.own.nossd.reply) = (controller, reply);
    let mut bench = FabricBench::new(NoSsd::new(&settings));
    let mut chips = RandomStream::new(7, "chips");
    for _ in 0..20_000 {
        bench.submit(transfer(ChipId(chips.below(64) as u32), 4096), START);
    }
    bench.run_to_end();
    20_000.0 * 4096.0 / bench.now().as_us()
}

#[test]
fn replies_along_their_row_by_any_controller_share_the_lane_out_of_it_and_waste_controllers() {
    let all_controllers = 8.0 * 1000.0;
    let share = |policies, transfer| saturated_mb_per_s(policies, transfer) / all_controllers;
    let reads = share((ControllerChoice::NearestFree, Reply::XThenY), data_from);
    assert!((0.25..0.5).contains(&reads), "{reads}");
    for (policies, transfer) in [
        ((ControllerChoice::NearestFree, Reply::XThenY), program_to as fn(ChipId, u32) -> Transfer),
        ((ControllerChoice::Home, Reply::XThenY), data_from),
        ((ControllerChoice::Home, Reply::Retrace), data_from),
        ((ControllerChoice::Home, Reply::Retrace), program_to),
    ] {
        let found = share(policies, transfer);
        assert!((0.95..=1.0).contains(&found), "{policies:?}: {found}");
    }
}

/// Generates settings with the smallest permitted port buffers.
fn tight_settings() -> impl Strategy<Value = FabricSettings> {
    let shape = (1_u32..5, 1_u32..6);
    let packet = (0_u32..20, 1_u32..700, prop_oneof![Just(8_u32), Just(5), Just(16)]);
    let policies = (any::<bool>(), prop::sample::select(vec![Reply::Retrace, Reply::XThenY]));
    let hop = (1_u64..3000, 0_u64..200_000, policies);
    (shape, packet, hop).prop_map(
        |((rows, cols), (header, payload, width), (link_ps, router_ps, policies))| {
            let mut settings = paper_settings(rows, cols);
            settings.mesh_link.latency = SimSpan::from_ps(link_ps);
            settings.mesh_link.width_bits = width;
            settings.own.nossd.router_latency = SimSpan::from_ps(router_ps);
            settings.own.nossd.header_bytes = header;
            settings.own.nossd.max_payload_bytes = payload;
            settings.own.nossd.port_buffer_bytes = 0;
            let (home, reply) = policies;
            settings.own.nossd.reply = reply;
            settings.own.nossd.controller =
                if home { ControllerChoice::Home } else { ControllerChoice::NearestFree };
            if let Err(FabricError::BufferTooSmall { need_bytes, .. }) = NoSsd::check(&settings) {
                settings.own.nossd.port_buffer_bytes = need_bytes as u32;
            }
            settings
        },
    )
}

/// The smallest buffers for a single transfer, all chips permanently active, and both directions: if a cyclic
/// wait between lanes were possible, it would occur here, and the bench would report the undelivered
/// transfer.
#[test]
fn no_reply_and_no_size_of_array_deadlocks_when_it_is_saturated() {
    for (rows, cols) in [(1, 8), (8, 1), (2, 2), (3, 7), (7, 3), (8, 8), (4, 16), (16, 4)] {
        for reply in [Reply::Retrace, Reply::XThenY] {
            let mut settings = paper_settings(rows, cols);
            settings.own.nossd.reply = reply;
            settings.own.nossd.max_payload_bytes = 256;
            settings.own.nossd.port_buffer_bytes = 0;
            let Err(FabricError::BufferTooSmall { need_bytes, .. }) = NoSsd::check(&settings) else {
                panic!()
            };
            settings.own.nossd.port_buffer_bytes = need_bytes as u32;
            let mut bench = FabricBench::new(NoSsd::new(&settings));
            let mut chance = RandomStream::new(u64::from(rows), "traffic");
            for _ in 0..3000 {
                let chip = ChipId(chance.below(u64::from(rows * cols)) as u32);
                let transfer =
                    if chance.chance(0.5) { program_to(chip, 2000) } else { data_from(chip, 2000) };
                bench.submit(transfer, START);
            }
            bench.run_to_end();
            assert_eq!(bench.ended.len(), 3000, "{rows}x{cols} {reply:?}");
        }
    }
}

/// Generates (chip, bytes, time in ns); zero bytes is a command without data.
fn work() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    prop::collection::vec((any::<u32>(), prop_oneof![Just(0), 1_u32..4000], 0_u64..3000), 1..80)
}

fn transfer(chips: u32, chip: u32, bytes: u32) -> Transfer {
    let chip = ChipId(chip % chips);
    if bytes.is_multiple_of(2) { program_to(chip, bytes) } else { data_from(chip, bytes) }
}

proptest! {
    #[test]
    fn the_smallest_allowed_buffers_let_a_lone_transfer_flow(
        settings in tight_settings(), chip in any::<u32>(), bytes in 0_u32..9000,
    ) {
        let transfer = transfer(settings.array.chips(), chip, bytes);
        let mut bench = FabricBench::new(NoSsd::new(&settings));
        bench.offer(&transfer, START);
        bench.run_to_end();
        prop_assert_eq!(bench.ended[0].took, bench.fabric.idle_time(&transfer));
    }

    #[test]
    fn the_smallest_allowed_buffers_never_deadlock_and_every_wait_is_accounted_for(
        settings in tight_settings(), work in work(),
    ) {
        let mut bench = FabricBench::new(NoSsd::new(&settings));
        for &(chip, bytes, at_ns) in &work {
            bench.submit(transfer(settings.array.chips(), chip, bytes), ns(at_ns));
        }
        bench.run_to_end();
        prop_assert_eq!(bench.ended.len(), work.len());
        let hop = settings.mesh_link.latency + settings.own.nossd.router_latency;
        for ended in &bench.ended {
            // The idle time counts the hops from the chip's own row; this transfer may have had more.
            let more = u64::from(ended.delivery.hops - settings.array.col(ended.transfer.chip));
            let idle = bench.fabric.idle_time(&ended.transfer) + hop * more;
            prop_assert_eq!(ended.took, idle + ended.delivery.path_wait);
        }
    }
}
