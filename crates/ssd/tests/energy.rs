//! Energies that can be worked out with pencil and paper, and sums that must hold.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_kernel::SimTime;
use venice_ssd::host::{LoopMode, Op};
use venice_ssd::registry::FabricKind;
use venice_ssd::report::Report;
use venice_ssd::testkit::drive::{pages, run, small_drive};

/// 4 KiB at 1.2 GB/s, and the command's 10 ns, in microseconds.
const PAGE_AT_1200_US: f64 = 3.413_334;
const COMMAND_US: f64 = 0.01;

/// One page read from the chip in row 0 and this column of a 4 × 4 array.
fn one_read(kind: FabricKind, column: u64) -> Report {
    let settings = small_drive(kind, 4, 4);
    // CWDP: page p is on channel p mod 4, way p div 4.
    run(&settings, LoopMode::Open, vec![pages(Op::Read, 4 * column, 1, SimTime::ZERO)]).report
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
    close(report.energy_paper.array_mw, 160.0);
    close(report.energy_paper.path_mw, 10.8);
    close(report.energy_paper.energy_uj, 170.8 * report.makespan_us / 1e3);
}

#[test]
fn a_channel_twice_as_wide_takes_twice_the_power_for_half_the_time() {
    let (bus, pssd) = (one_read(FabricKind::Bus, 3), one_read(FabricKind::PSsd, 3));
    // Two commands of 10 ns take the doubled power, and there is a header of the test kit's size.
    assert!(pssd.energy_uj["channels"] > bus.energy_uj["channels"]);
    assert!(pssd.energy_uj["channels"] < bus.energy_uj["channels"] * 1.02);
}

#[test]
fn a_read_over_a_circuit_takes_its_links_and_one_router_more() {
    let report = one_read(FabricKind::Venice, 3);
    // Each of two circuits has three links. Every hop of a scout takes two flits of 1 ns on 8-bit links;
    // Equation 1 gives the rest.
    let command_us = (2.0 * 2.0 * 3.0 + 3.0) / 1e3 + COMMAND_US;
    let data_us = (2.0 * 2.0 * 3.0 + 3.0 + 4096.0) / 1e3;
    let circuits_us = command_us + data_us;
    close(report.energy_uj["links"], 1.08 * 3.0 * circuits_us / 1e3);
    close(report.energy_uj["routers"], 0.241 * 4.0 * circuits_us / 1e3);
    close(report.energy_uj["scouts"], 1.08 * 2.0 * 6.0 * 0.002 / 1e3);
    close(report.energy_uj["channels"], 0.0);
    let path = (report.energy_uj["links"] + report.energy_uj["routers"] + report.energy_uj["scouts"]) * 1e3;
    close(report.energy_paper.path_mw, path / circuits_us);
}

#[test]
fn a_packet_takes_each_lane_for_its_wire_time_and_one_router_more() {
    let report = one_read(FabricKind::NoSsd, 3);
    let (links, routers) = (report.energy_uj["links"], report.energy_uj["routers"]);
    close(routers / 0.241, links / 1.08 * 4.0 / 3.0);
}

#[test]
fn a_read_over_a_ring_takes_the_links_of_its_two_arcs_and_as_many_chips() {
    let report = one_read(FabricKind::HlNand, 3);
    // The command crosses four links to column 3, the data at 800 MB/s the one link that closes the ring.
    let links_us = 4.0 * COMMAND_US + 4096.0 / 800.0;
    close(report.energy_uj["links"], 1.08 * links_us / 1e3);
    close(report.energy_uj["routers"], 0.241 * links_us / 1e3);
    close(report.energy_uj["channels"], 0.0);
}

#[test]
fn a_read_of_a_decoupled_drive_takes_what_it_takes_on_the_bus() {
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
        // No command bytes on the test kit's host link: 400 pages cross it.
        close(energy["host_link"] - 0.2 * report.makespan_us, 400.0 * 4096.0 * 40.0 / 1e6);
        close(energy["dram"] - 0.1 * report.makespan_us, 2.0 * 400.0 * 4096.0 * 160.0 / 1e6);
        let programs = report.flash.programs as f64;
        close(energy["flash_program"], programs * 180.0 * 100.0 / 1e3);
        close(energy["flash_read"], report.flash.reads as f64 * 160.0 * 3.0 / 1e3);
    }
}

#[test]
fn the_44_percent_of_table_4_are_arithmetic_of_the_mesh() {
    let area = |kind| run(&small_drive(kind, 8, 8), LoopMode::Open, Vec::new()).report.area;
    close(area(FabricKind::Venice).wires_saved_pct, 44.0);
    close(area(FabricKind::Venice).routers_pct, 8.0);
    close(area(FabricKind::Bus).wires_saved_pct, 0.0);
    close(area(FabricKind::PSsd).wires_saved_pct, -100.0);
    close(area(FabricKind::PnSsd).wires_saved_pct, -100.0);
    close(area(FabricKind::Ideal).wires_in_channels, 64.0);
    // Rings of nine links for eight chips: 72 × 0.04 channels where there are 8.
    close(area(FabricKind::HlNand).wires_saved_pct, 64.0);
    close(area(FabricKind::HlNand).routers_pct, 8.0);
    close(area(FabricKind::Decoupled).wires_saved_pct, 0.0);
}
