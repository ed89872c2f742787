//! Tests of traces through the public interface: files, requests, characteristics.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]
#![expect(clippy::float_cmp, reason = "the figures are exact in binary")]

use std::fs;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::TempDir;
use venice_kernel::SimTime;
use venice_requests::request::{HostRequest, Op, ReadCounters, RequestSource};
use venice_requests::traces::{Compression, TraceOptions, open, open_trace, trace_info};

fn tiny_file(format: &str) -> PathBuf {
    let conformance = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces");
    conformance.join(format!("{format}.txt"))
}

/// Returns the requests of the file `tiny`, which are equal in every format; `tests/traces_conformance.rs`
/// checks this.
fn tiny_requests() -> Vec<HostRequest> {
    requests_of(&tiny_file("msr-csv"))
}

/// Reads a source to its end in batches of three, so that batches do not align with the file.
fn drain(mut source: impl RequestSource) -> Vec<HostRequest> {
    let mut all = Vec::new();
    while source.fill(&mut all, 3).unwrap() > 0 {}
    assert_eq!(source.fill(&mut all, 3).unwrap(), 0, "an exhausted source stays exhausted");
    all
}

fn requests_of(path: &Path) -> Vec<HostRequest> {
    drain(open_trace(path, &TraceOptions::default()).unwrap())
}

/// Formats with self-contained lines, between which other lines may be inserted.
const LINE_FORMATS: [&str; 15] = [
    "msr-csv",
    "msr-blank",
    "msr-rounded",
    "mqsim-ascii",
    "ssdsim-100ns",
    "disksim-ascii",
    "replay-ms",
    "spc",
    "blkparse",
    "vscsi-csv",
    "fiu-blkparse",
    "tencent-replay",
    "alibaba-csv",
    "systor-csv",
    "fio-iolog-3",
];

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

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_format_that_is_named_wins_over_the_look_of_the_file() {
    // Five columns: sectors and nanoseconds in one format, bytes and milliseconds in the other.
    let forced = drain(open_trace(&tiny_file("mqsim-ascii"), &TraceOptions::format("replay-ms")).unwrap());
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
        ("xz", xz(&text), Compression::Xz),
        ("two-streams", [xz(&text[..150]), xz(&text[150..])].concat(), Compression::Xz),
        ("bzip2", bzip2(&text), Compression::Bzip2),
        ("two-bzip2", [bzip2(&text[..150]), bzip2(&text[150..])].concat(), Compression::Bzip2),
        ("two-frames", [zstandard(&text[..150]), zstandard(&text[150..])].concat(), Compression::Zstd),
    ] {
        let path = write(&dir, name, &content);
        assert_eq!(open(&path, &TraceOptions::default()).unwrap().compression, compression, "{name}");
        assert_eq!(requests_of(&path), tiny_requests(), "{name}");
    }
}

#[test]
fn line_ends_blank_lines_comments_and_headers_change_nothing() {
    let dir = TempDir::new().unwrap();
    for name in LINE_FORMATS {
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
    let info = trace_info(&path, &TraceOptions::default()).unwrap();
    assert_eq!(info.footprint_mib, 2.0 / 256.0, "the same block of two devices is two");
}

#[test]
fn time_that_runs_backwards_is_put_in_order_and_counted() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "backwards", b"100 0 1 8 1\n300 0 2 8 1\n200 0 3 8 1\n50 0 4 8 1\n400 0 5 8 1\n");
    let found = requests_of(&path);
    let arrivals: Vec<u64> = found.iter().map(|request| request.arrival.as_ps()).collect();
    assert_eq!(arrivals, [0, 50_000, 150_000, 250_000, 350_000]);
    let sectors: Vec<u64> = found.iter().map(|request| request.start_sector).collect();
    assert_eq!(sectors, [4, 1, 3, 2, 5]);
    assert_eq!(read_counters(&path), ReadCounters { out_of_order: 2, ..ReadCounters::default() });
}

#[test]
fn a_request_that_comes_too_late_to_be_put_in_order_is_moved_up_and_counted() {
    let dir = TempDir::new().unwrap();
    let text = lines(1..=200_000, |number| format!("{} 0 8 8 1\n", number * 100));
    let path = write(&dir, "late", (text + "100 0 16 8 1\n").as_bytes());
    let found = requests_of(&path);
    let late = found.iter().position(|request| request.start_sector == 16).unwrap();
    assert!(late > 100_000, "{late}");
    assert!(found.is_sorted_by_key(|request| request.arrival));
    assert_eq!(
        read_counters(&path),
        ReadCounters { out_of_order: 1, moved_up: 1, ..ReadCounters::default() }
    );
}

#[test]
fn filetimes_are_exact_to_100_ns_at_any_position() {
    let dir = TempDir::new().unwrap();
    // A week in uneven steps, from a time stamp that a float would round to 16 ticks.
    let ticks = |number: u64| 128_166_372_000_000_001 + number * 60_466_176_001;
    let text = lines(0..=99, |number| format!("{},h,0,Read,0,512,1\n", ticks(number)));
    let found = requests_of(&write(&dir, "week", text.as_bytes()));
    let expected = (0..100).map(|number| (ticks(number) - ticks(0)) * 100_000);
    assert!(found.iter().map(|request| request.arrival.as_ps()).eq(expected));
}

#[test]
fn operations_without_data_are_counted() {
    let dir = TempDir::new().unwrap();
    let path = write(
        &dir,
        "operations",
        b"8,0 0 1 0.000000001 9 D R 8 + 8 [a]\n8,0 0 2 0.000000002 9 D DS 8 + 8 [a]\n\
          8,0 0 3 0.000000003 9 D FN [a]\n8,0 0 4 0.000000004 9 D W 8 + 0 [a]\n\
          8,0 0 5 1266874889.708658509 9 D R 8 + 8 [a]\n8,0 0 6 0.000000006 9 D W 8 + 8 [a]\n",
    );
    assert_eq!(
        requests_of(&path).iter().map(|request| request.op).collect::<Vec<_>>(),
        [Op::Read, Op::Trim, Op::Flush, Op::Write]
    );
    let expected =
        ReadCounters { trims: 1, flushes: 1, zero_size: 1, garbled_times: 1, ..ReadCounters::default() };
    assert_eq!(read_counters(&path), expected);
}

#[test]
fn an_ambiguous_format_reports_the_rule_that_chose_it() {
    let dir = TempDir::new().unwrap();
    let close = lines(0..=31, |number| format!("{} 0 8 8 1\n", number * 977));
    let path = write(&dir, "close", close.as_bytes());
    let choice = open(&path, &TraceOptions::default()).unwrap().source.format_choice();
    assert_eq!(choice.format, Some("ssdsim-us"));
    assert!(choice.format_note.as_ref().unwrap().contains("microseconds are taken"), "{choice:?}");
    let named = open(&path, &TraceOptions::format("mqsim-ascii")).unwrap().source.format_choice();
    assert_eq!((named.format, named.format_note), (Some("mqsim-ascii"), None));
    let alone = open(&tiny_file("msr-csv"), &TraceOptions::default()).unwrap().source.format_choice();
    assert_eq!((alone.format, alone.format_note), (Some("msr-csv"), None));
}

#[test]
fn bad_lines_are_tolerated_up_to_the_number_that_was_allowed() {
    let dir = TempDir::new().unwrap();
    let path =
        write(&dir, "bad", b"0 0 8 8 1\nx\n100 0 8 -8 1\n200 0 8 8 1\n300 0 8 8 0\n400 0 8 8 0\n500 0 8");
    let skip = |skip_bad| TraceOptions { skip_bad, ..TraceOptions::default() };
    let info = trace_info(&path, &skip(3)).unwrap();
    assert_eq!((info.requests, info.read.skipped_bad), (4, 3));
    let text = trace_info(&path, &skip(2)).unwrap_err().to_string();
    assert!(text.contains(":7\n   = expected: "), "{text}");
    assert!(text.contains("skipped before it: 2 invalid lines"), "{text}");
}

#[test]
fn requests_before_a_bad_line_are_given_before_the_error() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "bad", b"200 0 8 8 1\n100 0 8 8 1\nx\n");
    let mut source = open_trace(&path, &TraceOptions::default()).unwrap();
    let mut all = Vec::new();
    assert!(source.fill(&mut all, 9).is_err());
    assert_eq!(all.iter().map(|request| request.arrival.as_ps()).collect::<Vec<_>>(), [0, 100_000]);
}

fn lines(numbers: RangeInclusive<u64>, line: impl Fn(u64) -> String) -> String {
    numbers.map(line).collect::<Vec<_>>().concat()
}

fn read_counters(path: &Path) -> ReadCounters {
    trace_info(path, &TraceOptions::default()).unwrap().read
}

#[test]
fn a_trace_is_not_synthetic_and_is_called_by_its_file_name() {
    let source = open_trace(&tiny_file("msr-csv"), &TraceOptions::default()).unwrap();
    assert_eq!((source.label(), source.is_synthetic(), source.total()), ("msr-csv.txt", false, None));
}

#[test]
fn info_measures_the_tiny_trace_by_hand() {
    let info = trace_info(&tiny_file("mqsim-ascii"), &TraceOptions::default()).unwrap();
    assert_eq!((info.requests, info.format_choice.format), (8, Some("mqsim-ascii")));
    assert_eq!(info.read, ReadCounters::default());
    assert_eq!(info.read_pct, 62.5);
    assert_eq!(info.mean_size_kib, 300.0 / 2.0 / 8.0);
    assert_eq!(info.duration_us, 2e6);
    assert_eq!(info.mean_inter_arrival_us, Some(2e6 / 7.0));
    // Median of 25, 0, 975, 250, 48,750, 1 and 1,949,999, to one part in ten thousand.
    let median_us = info.median_inter_arrival_us.unwrap();
    assert!((median_us / 250.0 - 1.0).abs() < 1e-4, "{median_us}");
    assert_eq!(info.footprint_mib, (1.0 + 2.0 + 1.0 + 16.0 + 1.0 + 1.0) / 256.0);
}
