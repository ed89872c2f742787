//! Tests of written traces: reading returns equal requests in every format.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use venice_kernel::SimTime;
use venice_requests::request::{HostRequest, Op, RequestSource, SourceError};
use venice_requests::traces::{
    Compression, DeviceLayout, Edit, RateChange, TraceInput, TraceOptions, WrapRanges, WriteError,
    WriteOptions, WrittenTrace, edited, open_trace, own_format, trace_info, write_trace, written_formats,
};

/// Formats without a device column.
const OF_ONE_DEVICE: [&str; 2] = ["msr-rounded", "vscsi-csv"];

/// Request source that returns given requests.
struct Given(Vec<HostRequest>);

impl RequestSource for Given {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let given = self.0.len().min(at_most);
        into.extend(self.0.drain(..given));
        Ok(given)
    }

    fn label(&self) -> &'static str {
        "given"
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

fn request(us: u64, queue: u16, op: Op, start_sector: u64, sectors: u32) -> HostRequest {
    HostRequest {
        arrival: SimTime::from_ps(us * 1_000_000),
        start_sector,
        sectors,
        queue,
        op,
        pattern_set: 0,
    }
}

/// Requests with extreme values, on devices numbered in order of appearance.
fn workload(queues: u16) -> Vec<HostRequest> {
    let request = |(number, us): (u64, u64)| {
        let op = if number % 3 == 0 { Op::Write } else { Op::Read };
        let sectors = [1, 8, 9, u32::MAX][number as usize % 4];
        let start = [0, 7, 1 << 40, (1 << 51) - u64::from(u32::MAX)][number as usize % 4];
        request(us, (number % u64::from(queues)) as u16, op, start, sectors)
    };
    let times = [0, 0, 1, 25, 1_000, 1_000_001, 86_400_000_000, 10_000_000_000_000];
    (0..).zip(times).map(request).collect()
}

fn written(
    requests: &[HostRequest],
    format: &str,
    compression: Compression,
) -> Result<(Vec<u8>, WrittenTrace), WriteError> {
    let mut bytes = Vec::new();
    let options = WriteOptions { format, compression };
    let written = write_trace(&mut Given(requests.to_vec()), &options, &mut bytes)?;
    Ok((bytes, written))
}

fn file(dir: &TempDir, requests: &[HostRequest], format: &str, compression: Compression) -> PathBuf {
    let path = dir.path().join("trace");
    fs::write(&path, written(requests, format, compression).unwrap().0).unwrap();
    path
}

fn read(path: &Path, format: Option<&str>) -> Vec<HostRequest> {
    let options = TraceOptions { format: format.map(str::to_owned), ..TraceOptions::default() };
    drain(open_trace(path, &options).unwrap())
}

fn drain(mut source: impl RequestSource) -> Vec<HostRequest> {
    let mut all = Vec::new();
    while source.fill(&mut all, 3).unwrap() > 0 {}
    all
}

#[test]
fn what_is_written_is_read_again_in_every_format() {
    let dir = TempDir::new().unwrap();
    let formats: Vec<_> = written_formats().collect();
    assert!(formats.len() >= 14, "the registry lost its writers");
    for format in formats {
        let requests = workload(if OF_ONE_DEVICE.contains(&format.name) { 1 } else { 3 });
        let path = file(&dir, &requests, format.name, Compression::None);
        assert_eq!(read(&path, Some(format.name)), requests, "{}", format.name);
    }
}

#[test]
fn the_tiny_workload_measures_the_same_in_every_format_it_is_written_in() {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces/msr-csv.txt");
    let reference = trace_info(&tiny, &TraceOptions::default()).unwrap();
    let dir = TempDir::new().unwrap();
    for format in written_formats() {
        let path = file(&dir, &read(&tiny, None), format.name, Compression::None);
        let mut info = trace_info(&path, &TraceOptions::format(format.name)).unwrap();
        info.format_choice = reference.format_choice.clone();
        info.devices[0].name.clone_from(&reference.devices[0].name);
        assert_eq!(info, reference, "{}", format.name);
    }
}

#[test]
fn text_is_compressed_on_the_way_out() {
    let dir = TempDir::new().unwrap();
    let requests = workload(3);
    for compression in [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2] {
        let path = file(&dir, &requests, "msr-csv", compression);
        assert_eq!(trace_info(&path, &TraceOptions::default()).unwrap().compression, compression);
        assert_eq!(read(&path, None), requests);
    }
}

#[test]
fn times_finer_than_a_tick_are_cut_and_counted() {
    let requests = [0, 99, 100, 1_999]
        .map(|ns| HostRequest { arrival: SimTime::from_ps(ns * 1_000), ..request(0, 0, Op::Read, 0, 1) });
    for (format, cut) in [("msr-csv", 2), ("mqsim-ascii", 0), ("alibaba-csv", 3)] {
        let (_, written) = written(&requests, format, Compression::None).unwrap();
        assert_eq!((written.requests, written.times_cut), (4, cut), "{format}");
    }
    let text = written(&requests, "ssdsim-us", Compression::None).unwrap().0;
    assert_eq!(String::from_utf8(text).unwrap(), "0 0 0 1 1\n0 0 0 1 1\n0 0 0 1 1\n1 0 0 1 1\n");
}

#[test]
fn a_trace_keeps_its_format_where_it_can() {
    let requests = workload(3);
    let format_of = |from| {
        let written = write_trace(
            &mut Given(requests.clone()),
            &WriteOptions { format: own_format(from), compression: Compression::None },
            Vec::new(),
        );
        written.unwrap().format
    };
    assert_eq!(format_of(Some("spc")), "spc");
    assert_eq!(format_of(Some("blktrace")), "mqsim-ascii", "binary is not written");
    assert_eq!(format_of(None), "mqsim-ascii");
}

#[test]
fn formats_distinguished_by_a_rule_should_be_named() {
    for (format, needs_name) in [("mqsim-ascii", true), ("disksim-ascii", true), ("msr-csv", false)] {
        let (_, written) = written(&workload(1), format, Compression::None).unwrap();
        assert_eq!(written.needs_name, needs_name, "{format}");
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let message = |format, requests: &[HostRequest]| {
        written(requests, format, Compression::None).unwrap_err().to_string()
    };
    let several = message("vscsi-csv", &workload(3));
    assert!(
        several.starts_with("request 2 belongs to device 1, but vscsi-csv has no column for devices"),
        "{several}"
    );
    assert_eq!(
        message("mqsim-ascii", &[]),
        "no requests to write\n  --> given\n   = expected: at least one request"
    );
    let unknown = message("tencent-cbs", &workload(1));
    assert!(unknown.starts_with("cannot write traces in the format `tencent-cbs`\n"), "{unknown}");
    assert!(unknown.contains("  mqsim-ascii "), "{unknown}");
}

fn input(path: &Path) -> TraceInput {
    TraceInput { path: path.to_owned(), options: TraceOptions::default() }
}

/// Traces of reads and of writes: 0, 10, 20 … us and 0, 15, 30 … us.
fn two_traces(dir: &TempDir) -> Vec<TraceInput> {
    let trace = |(name, op, gap_us): (&str, Op, u64)| {
        let requests: Vec<_> = (0..10).map(|n| request(n * gap_us, (n % 2) as u16, op, n * 8, 8)).collect();
        let path = dir.path().join(name);
        fs::write(&path, written(&requests, "msr-csv", Compression::None).unwrap().0).unwrap();
        input(&path)
    };
    [("reads", Op::Read, 10), ("writes", Op::Write, 15)].map(trace).to_vec()
}

#[test]
fn traces_are_mixed_in_order_of_time_each_on_its_queue() {
    let dir = TempDir::new().unwrap();
    let source = edited(&two_traces(&dir), &Edit::default()).unwrap();
    assert_eq!(source.label(), "reads + writes");
    let mixed = drain(source);
    assert_eq!(mixed.len(), 20);
    assert!(mixed.is_sorted_by_key(|request| (request.arrival, request.queue)));
    assert!(mixed.iter().all(|request| (request.queue == 0) == (request.op == Op::Read)));
}

#[test]
fn a_mean_gap_is_reached_and_a_factor_divides() {
    let dir = TempDir::new().unwrap();
    let last_us = |tempo| {
        let edit = Edit { tempo: Some(tempo), ..Edit::default() };
        drain(edited(&two_traces(&dir)[..1], &edit).unwrap()).last().unwrap().arrival.as_us()
    };
    assert!((last_us(RateChange::MeanGapUs(2.5)) - 9.0 * 2.5).abs() < 1e-9);
    assert!((last_us(RateChange::MeanGapUs(7_000.0)) - 9.0 * 7_000.0).abs() < 9.0 * 7_000.0 * 1e-9);
    assert!((last_us(RateChange::Factor(3.0)) - 30.0).abs() < 1e-6);
    let edit = Edit { tempo: Some(RateChange::MeanGapUs(0.0)), ..Edit::default() };
    assert!(matches!(edited(&two_traces(&dir)[..1], &edit), Err(SourceError::RateScale { .. })));
}

#[test]
fn devices_are_laid_out_one_behind_the_other() {
    let dir = TempDir::new().unwrap();
    let mut trace = two_traces(&dir)[0].clone();
    trace.options.devices = Some(DeviceLayout::SideBySide);
    let moved = drain(edited(&[trace], &Edit::default()).unwrap());
    // Device 0 extends to sector 72, so device 1 begins at the next MiB.
    let starts: Vec<_> = moved.iter().map(|request| (request.queue, request.start_sector)).collect();
    assert_eq!(starts[..4], [(0, 0), (0, 2048 + 8), (0, 16), (0, 2048 + 24)]);
}

#[test]
fn addresses_are_folded_and_the_first_requests_stay() {
    let dir = TempDir::new().unwrap();
    let whole_drive = 0..32;
    let fold = WrapRanges { ranges: vec![whole_drive], page_sectors: 8 };
    let edit = Edit { fold: Some(fold), requests: Some(6), ..Edit::default() };
    let folded = drain(edited(&two_traces(&dir)[..1], &edit).unwrap());
    let starts: Vec<_> = folded.iter().map(|request| request.start_sector).collect();
    assert_eq!(starts, [0, 8, 16, 24, 0, 8]);
}
