//! Reads of the page that a plane sensed last (`flash.t_register_us`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::ftl::ReadSharing;
use venice_fabric::FabricKind;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::MappingUnits;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run, small_drive};

const REGISTER: SimSpan = SimSpan::from_ns(400);
/// Mapping units in a page.
const UNITS: u64 = 8;

fn drive(kind: FabricKind, register: SimSpan) -> DriveSettings {
    let mut settings = small_drive(kind, 2, 2);
    settings.ftl.units = MappingUnits::of(512, settings.geometry.page_bytes);
    settings.flash.array.register = register;
    settings
}

fn latencies(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<SimSpan> {
    run(settings, LoopMode::Closed { depth: 1 }, requests).latencies()
}

fn request(op: Op, sector: u64) -> HostRequest {
    HostRequest { start_sector: sector, sectors: 1, ..venice_host::testkit::pages(op, 0, 1, SimTime::ZERO) }
}

fn sequential_reads(count: u64) -> Vec<HostRequest> {
    (0..count).map(|sector| request(Op::Read, sector)).collect()
}

#[test]
fn sequential_reads_sense_each_page_once_on_every_fabric() {
    for &kind in FabricKind::ALL {
        let sensing = latencies(&drive(kind, SimSpan::ZERO), sequential_reads(2 * UNITS));
        let found = latencies(&drive(kind, REGISTER), sequential_reads(2 * UNITS));
        let saved = drive(kind, REGISTER).flash.array.read[0] - REGISTER;
        for (sector, (found, sensing)) in (0_u64..).zip(found.into_iter().zip(sensing)) {
            let expected = if sector % UNITS == 0 { sensing } else { sensing - saved };
            assert_eq!(found, expected, "{kind:?}, sector {sector}");
        }
    }
}

#[test]
fn programs_of_the_plane_take_the_register() {
    let settings = drive(FabricKind::Ideal, REGISTER);
    let requests = [Op::Read, Op::Write, Op::Read].map(|op| request(op, u64::from(op == Op::Read)));
    let found = latencies(&settings, requests.to_vec());
    assert_eq!(found[2], found[0], "the page is sensed again");
    let undisturbed = latencies(&settings, vec![request(Op::Read, 1), request(Op::Read, 1)]);
    assert!(undisturbed[1] < undisturbed[0]);
}

#[test]
fn reads_of_a_page_that_do_not_share_a_command_queue_for_its_register() {
    for (sharing, commands) in [(ReadSharing::All, 2), (ReadSharing::Request, UNITS)] {
        let mut settings = drive(FabricKind::Ideal, REGISTER);
        settings.ftl.read_sharing = sharing;
        let outcome = run(&settings, LoopMode::Closed { depth: 8 }, sequential_reads(UNITS));
        // The die begins with the first read; the others join the second.
        assert_eq!(outcome.report.flash.read_commands, commands);
        let whole = HostRequest { sectors: UNITS as u32, ..request(Op::Read, 0) };
        let outcome = run(&settings, LoopMode::Open, vec![whole]);
        assert_eq!(outcome.report.flash.read_commands, 1, "the units of a request share a command");
    }
}

#[test]
fn transfers_of_reads_are_whole_codewords() {
    for (codeword_bytes, bytes) in [(0, 512), (2048, 2048), (4096, 4096), (65_536, 4096)] {
        let mut settings = drive(FabricKind::Bus, SimSpan::ZERO);
        settings.ftl.read_codeword_bytes = codeword_bytes;
        let found = latencies(&settings, sequential_reads(1))[0];
        settings.ftl.read_codeword_bytes = 0;
        let read = HostRequest { sectors: bytes / 512, ..request(Op::Read, 0) };
        settings.ftl.units = MappingUnits::PAGES;
        assert_eq!(found, latencies(&settings, vec![read])[0], "{codeword_bytes}");
    }
}

#[test]
fn units_of_a_request_share_the_codewords_of_their_page() {
    let whole_page = |codeword_bytes| {
        let mut settings = drive(FabricKind::Bus, SimSpan::ZERO);
        settings.ftl.read_codeword_bytes = codeword_bytes;
        let sectors = UNITS as u32;
        latencies(&settings, vec![HostRequest { sectors, ..request(Op::Read, 0) }])[0]
    };
    let without = whole_page(0);
    for codeword_bytes in [512, 1024, 4096, 65_536] {
        assert_eq!(whole_page(codeword_bytes), without, "{codeword_bytes}: a transfer is at most a page");
    }
}
