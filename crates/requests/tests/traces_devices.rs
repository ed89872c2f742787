//! Tests of device placement, and of the check for common addresses.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use venice_requests::request::{HostRequest, RequestSource, SourceError};
use venice_requests::traces::{DeviceCheck, DeviceLayout, ReopenTrace, TraceOptions, open_trace, trace_info};

/// Three volumes in SPC's format: 0 and 5 share two pages, 9 is elsewhere.
const VOLUMES: &str = "0,0,8192,r,0.0\n5,8,4096,w,0.5\n9,4096,4096,w,1.0\n5,0,512,r,1.5\n0,80,4096,w,2.0\n";

/// Devices in `blkparse` format without common addresses.
const APART: &str =
    "8,16 0 1 0.5 1 D R 0 + 8 [a]\n8,0 0 2 1.5 1 D W 800 + 8 [a]\n8,16 0 3 2.0 1 D W 16 + 8 [a]\n";

fn file(dir: &TempDir, text: &str) -> PathBuf {
    let path = dir.path().join("volumes");
    std::fs::write(&path, text).expect("a folder of the test's own");
    path
}

fn options(devices: Option<&str>) -> TraceOptions {
    TraceOptions { devices: devices.map(DeviceLayout::from), ..TraceOptions::default() }
}

fn drained(mut source: impl RequestSource) -> Result<Vec<HostRequest>, SourceError> {
    let mut all = Vec::new();
    while source.fill(&mut all, 2)? > 0 {}
    Ok(all)
}

fn read(path: &Path, devices: Option<&str>) -> Vec<(u64, u16, u64)> {
    let source = open_trace(path, &options(devices)).expect("a trace of a known format");
    let all = drained(source).expect("lines without a fault");
    all.iter().map(|one| (one.arrival.as_ps() / 1_000_000_000, one.queue, one.start_sector)).collect()
}

#[test]
fn devices_side_by_side_have_ranges_by_number_that_end_on_mebibytes() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, VOLUMES);
    let mib = 2048;
    let expected =
        [(0, 0, 0), (500, 0, mib + 8), (1_000, 0, 2 * mib + 4096), (1_500, 0, mib), (2_000, 0, 80)];
    assert_eq!(read(&path, Some("side-by-side")), expected);
    let mut source = open_trace(&path, &options(Some("side-by-side"))).unwrap();
    source.fill(&mut Vec::new(), 9).unwrap();
    let found = source.counters().devices;
    assert_eq!((found.devices, found.device_layout), (3, Some("side-by-side")));
}

#[test]
fn one_device_is_kept_by_its_name_and_begins_at_zero() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, VOLUMES);
    assert_eq!(read(&path, Some("5")), [(0, 0, 8), (1_000, 0, 0)]);
    let path = file(&dir, APART);
    assert_eq!(read(&path, Some("8,0")), [(0, 0, 800)]);
    assert_eq!(open_trace(&path, &options(Some("8,0"))).unwrap().label(), "volumes, device 8,0");
}

#[test]
fn a_device_that_the_trace_has_not_is_refused_with_those_that_it_has() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, APART);
    let wrong = drained(open_trace(&path, &options(Some("sdb"))).unwrap()).unwrap_err().to_string();
    assert!(wrong.starts_with("unknown device `sdb`"), "{wrong}");
    assert!(wrong.contains(": 8,16, 8,0\n   = expected: one of\n     --devices side-by-side"), "{wrong}");
}

#[test]
fn an_overlay_leaves_addresses_and_queues() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, VOLUMES);
    assert_eq!(read(&path, Some("overlay")), read(&path, None));
    assert_eq!(read(&path, None)[1], (500, 5, 8));
}

#[test]
fn information_lists_devices_and_counts_the_pages_they_share() {
    let dir = TempDir::new().unwrap();
    let info = trace_info(&file(&dir, VOLUMES), &TraceOptions::default()).unwrap();
    let listed: Vec<_> = info
        .devices
        .iter()
        .map(|one| (one.name.as_str(), one.requests, one.reads, one.first_sector, one.end_sector))
        .collect();
    assert_eq!(listed, [("0", 2, 1, 0, 88), ("5", 2, 1, 0, 16), ("9", 1, 0, 4096, 4104)]);
    assert_eq!(info.coinciding_pages, 2);
    let info = trace_info(&file(&dir, APART), &TraceOptions::default()).unwrap();
    let names: Vec<_> = info.devices.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((names, info.coinciding_pages), (vec!["8,16", "8,0"], 0));
}

/// Requests of a checked trace, for a drive with this number of address ranges.
fn checked(path: &Path, ranges: usize, can_reopen: bool) -> Result<Vec<HostRequest>, SourceError> {
    let open = |path: &Path| open_trace(path, &TraceOptions::default());
    let again = path.to_owned();
    let reopen = can_reopen.then(|| -> ReopenTrace { Box::new(move || open(&again)) });
    drained(DeviceCheck::new(open(path)?, ranges, reopen))
}

#[test]
fn devices_that_coincide_are_refused_with_the_choices() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, VOLUMES);
    let wrong = checked(&path, 1, true).unwrap_err().to_string();
    assert!(
        wrong.starts_with("2 pages of 4 KiB are accessed by more than one of the trace's 3 devices"),
        "{wrong}"
    );
    for said in ["--> volumes", "devices: 0, 5, 9", "side-by-side", "overlay", "--devices NAME"] {
        assert!(wrong.contains(said), "{said} in {wrong}");
    }
    assert_eq!(checked(&path, 5, true).unwrap_err().to_string(), wrong, "0 and 5 are on one of five ranges");
    assert_eq!(checked(&path, 2, true).unwrap().len(), 5, "0 and 5 are on two of two ranges");
}

#[test]
fn devices_whose_ranges_overlap_but_not_their_pages_pass() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "0,0,4096,r,0.0\n1,8,4096,w,0.5\n0,16,4096,r,1.0\n");
    assert_eq!(checked(&path, 1, true).unwrap().len(), 3);
    let wrong = checked(&path, 1, false).unwrap_err().to_string();
    assert!(wrong.starts_with("the addresses of the trace's 2 devices overlap"), "{wrong}");
    assert_eq!(checked(&file(&dir, APART), 1, false).unwrap().len(), 3);
}
