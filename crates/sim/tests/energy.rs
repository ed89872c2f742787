//! Tests of energies with closed forms, and of the consistency of sums.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::cache::CacheMode;
use venice_fabric::{Attachment, ControllerPorts, FabricKind, Hold, Reservation};
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::chip::{Suspension, SuspensionRule};
use venice_nand::testkit::paper_flash;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::report::Report;
use venice_sim::testkit::drive::{run, small_drive, whole_flash};

/// Transfer time of 4 KiB at 1.2 GB/s, and of a command of 10 ns, in microseconds.
const PAGE_AT_1200_US: f64 = 3.413_334;
const COMMAND_US: f64 = 0.01;

/// Reads one page from the chip in row 0 and this column of a 4 × 4 array.
fn one_read(kind: FabricKind, column: u64) -> Report {
    read_of(&small_drive(kind, 4, 4), column)
}

fn read_of(settings: &DriveSettings, column: u64) -> Report {
    // CWDP: page p is on channel p mod 4, way p div 4.
    run(settings, LoopMode::Open, vec![pages(Op::Read, 4 * column, 1, SimTime::ZERO)]).report
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-6), "{found} is not {expected}");
}

#[test]
fn a_read_over_a_bus_takes_its_array_and_its_channel() {
    let report = one_read(FabricKind::Bus, 3);
    close(report.energy_uj["flash_read"], 160.0 * 3.0 / 1e3);
    close(report.energy_uj["channels"], 10.8 * (PAGE_AT_1200_US + COMMAND_US) / 1e3);
    close(report.energy_uj["total"], report.energy_uj["flash_read"] + report.energy_uj["channels"]);
    close(report.parts.energy_paper.array_mw, 160.0);
    close(report.parts.energy_paper.path_mw, 10.8);
    close(report.parts.energy_paper.energy_uj, 170.8 * report.makespan_us / 1e3);
}

#[test]
fn a_channel_twice_as_wide_takes_twice_the_power_for_half_the_time() {
    let (bus, pssd) = (one_read(FabricKind::Bus, 3), one_read(FabricKind::PSsd, 3));
    // A command of 10 ns takes twice the power, and the packet has a header of the test kit's size.
    assert!(pssd.energy_uj["channels"] > bus.energy_uj["channels"]);
    assert!(pssd.energy_uj["channels"] < bus.energy_uj["channels"] * 1.02);
}

#[test]
fn a_read_over_a_circuit_takes_its_links_and_one_router_more() {
    let report = one_read(FabricKind::Venice, 3);
    // Each of two circuits has three links. A hop of a scout takes two flits of 1 ns on 8-bit links; the rest
    // follows from Equation 1.
    let command_us = (2.0 * 2.0 * 3.0 + 3.0) / 1e3 + COMMAND_US;
    let data_us = (2.0 * 2.0 * 3.0 + 3.0 + 4096.0) / 1e3;
    let circuits_us = command_us + data_us;
    // Links of 1 GB/s: the page, and the command with the duration of ten bytes.
    close(report.energy_uj["links"], 1.08 * 3.0 * 4106.0 / 1e6);
    close(report.energy_uj["routers"], 0.241 * 4.0 * 4106.0 / 1e6);
    close(report.energy_uj["scouts"], 1.08 * 2.0 * 6.0 * 0.002 / 1e3);
    close(report.energy_uj["channels"], 0.0);
    let path = (report.energy_uj["links"] + report.energy_uj["routers"] + report.energy_uj["scouts"]) * 1e3;
    close(report.parts.energy_paper.path_mw, path / circuits_us);
}

#[test]
fn a_packet_takes_each_lane_for_its_wire_time_and_one_router_more() {
    let report = one_read(FabricKind::NoSsd, 3);
    let (links, routers) = (report.energy_uj["links"], report.energy_uj["routers"]);
    close(routers / (0.241 + 2.5), links / 1.08 * 4.0 / 3.0);
}

#[test]
fn a_read_over_a_ring_takes_the_links_of_its_two_arcs_and_as_many_chips() {
    let report = one_read(FabricKind::HlNand, 3);
    // The command crosses four links to column 3; the data at 800 MB/s cross the link that closes the ring.
    let bytes = 4.0 * COMMAND_US * 800.0 + 4096.0;
    close(report.energy_uj["links"], 1.08 * bytes / 1e6);
    close(report.energy_uj["routers"], 0.241 * bytes / 1e6);
    close(report.energy_uj["channels"], 0.0);
}

#[test]
fn a_read_of_a_decoupled_drive_takes_its_time_on_the_bus() {
    let [bus, decoupled] = [FabricKind::Bus, FabricKind::Decoupled].map(|kind| one_read(kind, 3));
    assert_eq!(bus.energy_uj, decoupled.energy_uj);
}

#[test]
fn parts_add_up_to_the_total_on_every_fabric_under_load() {
    for &kind in FabricKind::ALL {
        let mut settings = small_drive(kind, 4, 4);
        settings.power.chip_static_mw = 0.5;
        settings.power.controller_mw = 2000.0;
        settings.power.dram_static_mw = 100.0;
        settings.power.dram_pj_per_byte = 160.0;
        settings.power.host_link_static_mw = 200.0;
        settings.power.host_link_pj_per_byte = 40.0;
        let op = |n: u64| if n.is_multiple_of(3) { Op::Write } else { Op::Read };
        let requests = (0..400).map(|n| pages(op(n), n * 7 % 900, 1, SimTime::ZERO)).collect();
        let report = run(&settings, LoopMode::Closed { depth: 32 }, requests).report;
        let energy = &report.energy_uj;
        let parts: f64 = energy.iter().filter(|(name, _)| **name != "total").map(|(_, uj)| uj).sum();
        close(energy["total"], parts);
        close(report.mean_power_mw.unwrap(), energy["total"] / report.makespan_us * 1e3);
        close(energy["controller"], 2.0 * report.makespan_us);
        close(energy["flash_static"], 0.5 * 16.0 * report.makespan_us / 1e3);
        // The command has no bytes on the test kit's host link: 400 pages cross the link.
        close(energy["host_link"] - 0.2 * report.makespan_us, 400.0 * 4096.0 * 40.0 / 1e6);
        close(energy["dram"] - 0.1 * report.makespan_us, 2.0 * 400.0 * 4096.0 * 160.0 / 1e6);
        let programs = report.flash.programs as f64;
        close(energy["flash_program"], programs * 180.0 * 100.0 / 1e3);
        close(energy["flash_read"], report.flash.reads as f64 * 160.0 * 3.0 / 1e3);
    }
}

#[test]
fn the_44_percent_of_table_4_are_arithmetic_of_the_mesh() {
    let area = |kind| run(&small_drive(kind, 8, 8), LoopMode::Open, Vec::new()).report.parts.area;
    close(area(FabricKind::Venice).wires_saved_pct, 44.0);
    close(area(FabricKind::Venice).routers_pct, 8.0);
    close(area(FabricKind::Bus).wires_saved_pct, 0.0);
    // The existing control pins carry data, and pnSSD splits them between two buses: no additional wires.
    close(area(FabricKind::PSsd).wires_saved_pct, 0.0);
    close(area(FabricKind::PnSsd).wires_saved_pct, 0.0);
    // A lane for each direction: 224 × 0.04 = 8.96 channels instead of 8, and routers within the chips.
    close(area(FabricKind::NoSsd).wires_saved_pct, -12.0);
    close(area(FabricKind::NoSsd).routers_mm2, 0.0);
    close(area(FabricKind::NoSsd).die_overhead_pct, 8.0);
    close(area(FabricKind::PSsd).die_overhead_pct, 20.0);
    close(area(FabricKind::Venice).die_overhead_pct, 0.0);
    close(area(FabricKind::Ideal).wires_in_channels, 64.0);
    // Rings of nine links for eight chips: 72 × 0.04 channels instead of 8.
    close(area(FabricKind::HlNand).wires_saved_pct, 64.0);
    close(area(FabricKind::HlNand).routers_pct, 8.0);
    close(area(FabricKind::Decoupled).wires_saved_pct, 0.0);
}

#[test]
fn what_joins_controllers_to_the_mesh_is_counted_in_links_and_in_ports_of_routers() {
    use ControllerPorts::{BothSides, One, Two};
    let report = |ports, column_0_links| {
        let mut settings = small_drive(FabricKind::Venice, 8, 8);
        settings.fabric.own.venice.attachment = Attachment { ports, circuits: 1, column_0_links };
        run(&settings, LoopMode::Open, vec![pages(Op::Read, 0, 1, SimTime::ZERO)]).report
    };
    let area = |ports, column_0_links| report(ports, column_0_links).parts.area;
    // Eight additional wires of one link length, and eight routers with six ports; five ports are 8 mm².
    close(area(Two, 1).wires_in_channels, (112.0 + 8.0) * 0.04);
    close(area(Two, 1).routers_mm2, 512.0 + 8.0 * 8.0 / 5.0);
    // Eight additional wires of eight link lengths, and no additional port, since there is no right
    // neighbour.
    close(area(BothSides, 1).wires_in_channels, (112.0 + 64.0) * 0.04);
    close(area(BothSides, 1).routers_mm2, 512.0);
    // Seven additional links, with a port at each end.
    close(area(One, 2).wires_in_channels, (112.0 + 7.0) * 0.04);
    close(area(One, 2).routers_mm2, 512.0 + 14.0 * 8.0 / 5.0);
    close(area(Two, 2).wires_in_channels, (112.0 + 7.0 + 8.0) * 0.04);
}

#[test]
fn bytes_over_a_far_port_cross_a_row_s_length_of_wire_and_no_router_there() {
    let report = |ports, column| {
        let mut settings = small_drive(FabricKind::Venice, 4, 4);
        settings.fabric.own.venice.attachment = Attachment { ports, circuits: 1, column_0_links: 1 };
        read_of(&settings, column)
    };
    let (far, near) = (report(ControllerPorts::BothSides, 3), report(ControllerPorts::One, 0));
    // Both circuits lead to the router beside the port: a page, and the command with the duration of ten
    // bytes.
    close(far.energy_uj["routers"], near.energy_uj["routers"]);
    close(near.energy_uj["links"], 0.0);
    close(far.energy_uj["links"], 1.08 * 4.0 * 4106.0 / 1e6);
}

/// Returns the energy of the components that transfer bytes.
fn carried(report: &Report) -> f64 {
    ["channels", "links", "routers"].iter().map(|part| report.energy_uj[*part]).sum()
}

#[test]
fn the_same_bytes_take_the_same_energy_at_any_rate_and_width() {
    for &kind in FabricKind::ALL {
        let known = carried(&one_read(kind, 3));
        let mut fast = small_drive(kind, 4, 4);
        fast.fabric.bus.rate = Rate::from_bytes_per_s(2_400_000_000);
        fast.fabric.own.hlnand.rate = Some(Rate::from_bytes_per_s(1_600_000_000));
        fast.fabric.mesh_link.latency = SimSpan::from_ps(500);
        let mut wide = small_drive(kind, 4, 4);
        wide.fabric.mesh_link.width_bits = 16;
        for settings in [fast, wide] {
            let found = carried(&read_of(&settings, 3));
            // A command takes 10 ns at any rate; at a higher rate this is the duration of 12 or more of 4,108
            // bytes.
            assert!((found / known - 1.0).abs() < 0.015, "{kind}: {found} for {known}");
        }
    }
}

#[test]
fn wires_and_routers_take_room_in_proportion_to_their_width() {
    let area = |bits| {
        let mut settings = small_drive(FabricKind::Venice, 8, 8);
        settings.fabric.mesh_link.width_bits = bits;
        run(&settings, LoopMode::Open, Vec::new()).report.parts.area
    };
    close(area(16).wires_in_channels, 2.0 * area(8).wires_in_channels);
    close(area(16).routers_mm2, 2.0 * area(8).routers_mm2);
}

#[test]
fn standing_wires_take_power_for_all_of_the_time() {
    let mut settings = small_drive(FabricKind::Venice, 4, 4);
    settings.power.link_static_mw = 0.5;
    let (report, without) = (read_of(&settings, 3), one_read(FabricKind::Venice, 3));
    // 24 links of a 4 × 4 mesh.
    close(report.energy_uj["links"] - without.energy_uj["links"], 24.0 * 0.5 * report.energy_window_us / 1e3);
    close(report.parts.energy_paper.path_mw, without.parts.energy_paper.path_mw);
}

#[test]
fn links_take_the_same_energy_however_reservation_is_simulated_and_paths_are_held() {
    let [plain, cycle, held] = [
        (Reservation::Atomic, Hold::Transfer),
        (Reservation::CycleLevel, Hold::Transfer),
        (Reservation::Atomic, Hold::Operation),
    ]
    .map(|(reservation, hold)| {
        let mut settings = small_drive(FabricKind::Venice, 4, 4);
        (settings.fabric.own.venice.reservation, settings.fabric.hold) = (reservation, hold);
        read_of(&settings, 3).energy_uj
    });
    for other in [cycle, held] {
        close(plain["links"], other["links"]);
        close(plain["routers"], other["routers"]);
    }
}

/// Runs a program, and a read of the same chip 40 µs later, on a bus.
fn interrupted(times: Option<u32>) -> Report {
    let mut settings = small_drive(FabricKind::Bus, 1, 1);
    settings.geometry.planes_per_die = 1;
    settings.flash = paper_flash(1);
    let program =
        SuspensionRule { suspend: SimSpan::from_us(5), pulses: 0, for_read: SimSpan::ZERO, for_write: None };
    settings.flash.suspension = times.map(|most_times| Suspension {
        erase: None,
        program: Some(program),
        resume: SimSpan::from_us(7),
        most_times,
        most_commands: 8,
    });
    let read = |us| pages(Op::Read, 1, 1, SimTime::ZERO + SimSpan::from_us(us));
    run(&settings, LoopMode::Open, vec![pages(Op::Write, 0, 1, SimTime::ZERO), read(40), read(70)]).report
}

#[test]
fn a_suspended_program_takes_the_energy_of_one_that_is_not() {
    let plain = interrupted(None);
    assert_eq!(plain.flash.suspended_programs, 0);
    close(plain.energy_uj["flash_program"], 180.0 * 100.0 / 1e3);
    for times in [1, 2] {
        let report = interrupted(Some(times));
        assert_eq!(report.flash.suspended_programs, u64::from(times));
        close(report.energy_uj["flash_program"], plain.energy_uj["flash_program"]);
        close(report.energy_uj["flash_read"], plain.energy_uj["flash_read"]);
        // A suspend and a resume command of 10 ns each.
        let commands = 2.0 * f64::from(times) * 10.8 * COMMAND_US / 1e3;
        close(report.energy_uj["channels"], plain.energy_uj["channels"] + commands);
    }
}

/// Creates a drive with one small plane that is overwritten until garbage collection starts, and memory of
/// 160 pJ per byte.
fn collecting(kind: FabricKind) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.geometry.blocks_per_plane = 8;
    settings.geometry.pages_per_block = 4;
    settings.ftl.over_provisioning_ratio = 0.5;
    settings.ftl.gc_start_free_blocks = 2;
    settings.power.dram_pj_per_byte = 160.0;
    settings
}

/// Returns the number of pages written to or read from the memory, computed from its energy.
fn pages_through_memory(report: &Report) -> f64 {
    report.energy_uj["dram"] * 1e6 / 160.0 / 4096.0
}

fn overwrites(settings: &DriveSettings) -> Report {
    let logical = venice_sim::assembly::Simulation::capacity_sectors(settings) / 8;
    let page = |n: u64| (n * n * 7 + n / 3) % logical;
    let writes = (0..12 * logical).map(|n| pages(Op::Write, page(n), 1, SimTime::ZERO)).collect();
    run(settings, LoopMode::Closed { depth: 8 }, writes).report
}

#[test]
fn moved_pages_cross_the_memory_twice_unless_they_stay_in_flash() {
    for &kind in FabricKind::ALL {
        for copyback in [false, true] {
            let mut settings = collecting(kind);
            settings.ftl.gc_copyback = copyback;
            settings.fabric.own.decoupled.global_copyback = false;
            let report = overwrites(&settings);
            let flash = whole_flash(&report);
            let moves = flash.gc_moves + flash.wear_moves;
            assert!(moves > 50, "{kind}: {moves}");
            let through = if copyback { 0 } else { 2 * moves };
            // A host page is written to and read from the memory once.
            close(pages_through_memory(&report), (2 * report.requests.writes + through) as f64);
        }
    }
    let mut settings = collecting(FabricKind::Decoupled);
    settings.fabric.own.decoupled.global_copyback = true;
    let report = overwrites(&settings);
    assert!(report.flash.gc_moves > 50);
    close(pages_through_memory(&report), (2 * report.requests.writes) as f64);
}

#[test]
fn cached_data_crosses_the_memory_once_and_other_data_twice() {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.power.dram_pj_per_byte = 160.0;
    settings.cache.mode = CacheMode::Read;
    let reads = (0..50).map(|n| pages(Op::Read, 0, 1, SimTime::from_ps(n * 200_000_000))).collect();
    let report = run(&settings, LoopMode::Open, reads).report;
    close(pages_through_memory(&report), 51.0);
}

#[test]
fn a_part_of_a_page_is_merged_in_the_memory() {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.power.dram_pj_per_byte = 160.0;
    let write = HostRequest { sectors: 1, ..pages(Op::Write, 0, 1, SimTime::ZERO) };
    let report = run(&settings, LoopMode::Open, vec![write]).report;
    // Seven sectors come from flash, one from the host, and eight are written.
    close(pages_through_memory(&report), 2.0);
}

#[test]
fn energy_is_counted_until_all_that_was_begun_is_done() {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.cache.mode = CacheMode::Write;
    settings.cache.pages = 4;
    settings.power.controller_mw = 2000.0;
    let writes = (0..20).map(|n| pages(Op::Write, n, 1, SimTime::ZERO)).collect();
    let report = run(&settings, LoopMode::Closed { depth: 4 }, writes).report;
    assert!(report.energy_window_us > report.makespan_us + 50.0, "programs go on behind the answers");
    close(report.energy_uj["controller"], 2.0 * report.energy_window_us);
    close(report.mean_power_mw.unwrap(), report.energy_uj["total"] / report.energy_window_us * 1e3);
}
