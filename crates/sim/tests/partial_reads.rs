//! Tests of short host reads, which sense a page in a part of the read time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run, small_drive};

/// Returns a drive whose reads of up to one page take a quarter of tR.
fn drive() -> DriveSettings {
    let mut settings = small_drive(FabricKind::Ideal, 1, 1);
    settings.flash.array.partial_read_bytes = 4096;
    settings.flash.array.partial_read_pct = 25.0;
    settings.flash.multiplane_same_offset = false;
    settings
}

fn latencies(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<SimSpan> {
    run(settings, LoopMode::Open, requests).latencies()
}

fn read(page: u64, count: u32) -> HostRequest {
    pages(Op::Read, page, count, SimTime::ZERO)
}

#[test]
fn only_reads_up_to_the_limit_save_time() {
    let whole = small_drive(FabricKind::Ideal, 1, 1);
    let t_read = whole.flash.array.read[0];
    let saved = SimSpan::from_ps(t_read.as_ps() * 3 / 4);
    for (request, saves) in [(read(0, 1), saved), (read(0, 2), SimSpan::ZERO)] {
        let before = latencies(&whole, vec![request])[0];
        assert_eq!(latencies(&drive(), vec![request])[0], before - saves);
    }
    // A page that a longer read covers only in part takes the whole read time.
    let part = HostRequest { sectors: 9, ..read(0, 1) };
    assert_eq!(latencies(&drive(), vec![part])[0], latencies(&whole, vec![part])[0]);
}

#[test]
fn short_reads_share_no_command() {
    let commands = |settings: &DriveSettings, requests| {
        let outcome = run(settings, LoopMode::Open, requests);
        outcome.report.flash.read_commands
    };
    // The first read occupies the die; those behind it are on both planes.
    let short = || (0..9).map(|page| read(page, 1)).collect::<Vec<_>>();
    assert!(commands(&small_drive(FabricKind::Ideal, 1, 1), short()) < 9);
    assert_eq!(commands(&drive(), short()), 9);
    assert!(commands(&drive(), vec![read(0, 8)]) < 8);
}
