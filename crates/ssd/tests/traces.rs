//! Traces as a user meets them: files in, requests and measurements out.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]
#![expect(clippy::float_cmp, reason = "the figures are exact in binary")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::TempDir;
use venice_kernel::SimTime;
use venice_ssd::host::request::{HostRequest, Op, RequestSource};
use venice_ssd::host::traces::{Compression, open, open_trace, trace_formats, trace_info};

/// The workload of `conformance/traces/README.md`: microseconds, operation, first sector, sectors.
const TINY: [(u64, Op, u64, u32); 8] = [
    (0, Op::Write, 2_048, 8),
    (25, Op::Read, 2_056, 16),
    (25, Op::Read, 0, 1),
    (1_000, Op::Write, 4_194_304, 128),
    (1_250, Op::Read, 4_194_304, 128),
    (50_000, Op::Write, 7, 9),
    (50_001, Op::Read, 7, 9),
    (2_000_000, Op::Read, 33_554_431, 1),
];

fn tiny_requests() -> Vec<HostRequest> {
    let request = |(us, op, start_sector, sectors)| {
        let arrival = SimTime::from_ps(us * 1_000_000);
        HostRequest { arrival, start_sector, sectors, queue: 0, op }
    };
    TINY.into_iter().map(request).collect()
}

fn tiny_file(format: &str) -> PathBuf {
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces");
    conformance.join(format!("{format}.txt"))
}

/// Reads a source to its end in batches of three, so that batches end in mid-file.
fn drain(mut source: impl RequestSource) -> Vec<HostRequest> {
    let mut all = Vec::new();
    while source.fill(&mut all, 3).unwrap() > 0 {}
    assert_eq!(source.fill(&mut all, 3).unwrap(), 0, "an exhausted source stays exhausted");
    all
}

fn requests_of(path: &Path) -> Vec<HostRequest> {
    drain(open_trace(path, None).unwrap())
}

fn format_names() -> Vec<&'static str> {
    let names: Vec<_> = trace_formats().iter().map(|format| format.name).collect();
    assert!(names.len() >= 3, "the registry lost its formats: {names:?}");
    names
}

fn write(dir: &TempDir, name: &str, content: &[u8]) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

#[test]
fn the_same_workload_gives_the_same_requests_in_every_format() {
    for name in format_names() {
        let path = tiny_file(name);
        assert_eq!(open(&path, None).unwrap().format, name);
        assert_eq!(requests_of(&path), tiny_requests(), "{name} recognised by its look");
        assert_eq!(drain(open_trace(&path, Some(name)).unwrap()), tiny_requests(), "{name} by its name");
    }
}

#[test]
fn a_format_that_is_named_wins_over_the_look_of_the_file() {
    // The same five columns: sectors and nanoseconds for one format, bytes and milliseconds for the other.
    let forced = drain(open_trace(&tiny_file("mqsim-ascii"), Some("replay-ms")).unwrap());
    assert_eq!(forced[0].start_sector, 2_048 / 512);
    assert_eq!(forced[1].arrival, SimTime::from_ps(25_000 * 1_000_000_000));
}

#[test]
fn compression_is_recognised_by_content_whatever_the_file_is_called() {
    let dir = TempDir::new().unwrap();
    let text = fs::read(tiny_file("msr-csv")).unwrap();
    for (name, content, compression) in [
        ("plain.zst", text.clone(), Compression::None),
        ("gzip.csv", gzip(&text), Compression::Gzip),
        ("zstd.gz", zstandard(&text), Compression::Zstd),
        ("two-members", [gzip(&text[..150]), gzip(&text[150..])].concat(), Compression::Gzip),
        ("skippable", [&b"\x50\x2a\x4d\x18\x02\0\0\0xx"[..], &zstandard(&text)].concat(), Compression::Zstd),
        ("two-frames", [zstandard(&text[..150]), zstandard(&text[150..])].concat(), Compression::Zstd),
    ] {
        let path = write(&dir, name, &content);
        assert_eq!(open(&path, None).unwrap().compression, compression, "{name}");
        assert_eq!(requests_of(&path), tiny_requests(), "{name}");
    }
}

#[test]
fn line_ends_blank_lines_comments_and_headers_change_nothing() {
    let dir = TempDir::new().unwrap();
    for name in format_names() {
        let text = fs::read_to_string(tiny_file(name)).unwrap();
        let windows = format!("\u{feff}# a comment\r\n\r\n{}", text.replace('\n', " \r\n\r\n"));
        for variant in [windows, text.trim_end().to_owned(), format!("\n\n{text}\n \n# end")] {
            assert_eq!(requests_of(&write(&dir, "variant", variant.as_bytes())), tiny_requests(), "{name}");
        }
    }
    let header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    let with_header = header.to_owned() + &fs::read_to_string(tiny_file("msr-csv")).unwrap();
    assert_eq!(requests_of(&write(&dir, "header", with_header.as_bytes())), tiny_requests());
}

#[test]
fn a_device_column_becomes_the_queue() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "devices", b"5 3 0 8 1\n6 0 0 8 1\n");
    let queues: Vec<u16> = requests_of(&path).iter().map(|request| request.queue).collect();
    assert_eq!(queues, [3, 0]);
    let info = trace_info(&path, None).unwrap();
    assert_eq!(info.footprint_mib, 2.0 / 256.0, "the same block of two devices is two");
}

#[test]
fn time_that_runs_backwards_is_clamped_and_counted() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "backwards", b"100 0 0 8 1\n300 0 0 8 1\n200 0 0 8 1\n50 0 0 8 1\n400 0 0 8 1\n");
    let arrivals: Vec<u64> = requests_of(&path).iter().map(|request| request.arrival.as_ps()).collect();
    assert_eq!(arrivals, [0, 200_000, 200_000, 200_000, 300_000]);
    assert_eq!(trace_info(&path, None).unwrap().out_of_order, 2);
}

#[test]
fn a_trace_is_not_synthetic_and_is_called_by_its_file_name() {
    let source = open_trace(&tiny_file("msr-csv"), None).unwrap();
    assert_eq!((source.label(), source.is_synthetic(), source.total()), ("msr-csv.txt", false, None));
}

#[test]
fn info_measures_the_tiny_trace_by_hand() {
    let info = trace_info(&tiny_file("mqsim-ascii"), None).unwrap();
    assert_eq!((info.requests, info.format, info.out_of_order), (8, "mqsim-ascii", 0));
    assert_eq!(info.read_pct, 62.5);
    assert_eq!(info.mean_size_kib, 300.0 / 2.0 / 8.0);
    assert_eq!(info.duration_us, 2e6);
    assert_eq!(info.mean_inter_arrival_us, Some(2e6 / 7.0));
    // Of 25, 0, 975, 250, 48,750, 1 and 1,949,999, to one part in ten thousand.
    let median_us = info.median_inter_arrival_us.unwrap();
    assert!((median_us / 250.0 - 1.0).abs() < 1e-4, "{median_us}");
    assert_eq!(info.footprint_mib, (1.0 + 2.0 + 1.0 + 16.0 + 1.0 + 1.0) / 256.0);
}
