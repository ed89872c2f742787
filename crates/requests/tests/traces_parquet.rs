//! Tests of Parquet traces with a mock decoder, since the crate has none.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::request::{HostRequest, Op, SourceError};
use venice_requests::traces::{ParquetColumns, ParquetDecoder, ParquetRow, TraceOptions, open, open_trace};

/// Returns two requests in two batches, followed by a row without a start address.
fn three_rows() -> ParquetColumns {
    let row = |arrival, op, start_sector| ParquetRow {
        arrival: Some(arrival),
        op: Some(op),
        start_sector,
        sectors: Some(8),
        queue: Some(3),
        pattern_set: Some(0),
    };
    let (read, write) = (row(5, Op::Read, Some(16)), row(7, Op::Write, Some(0)));
    let batches = [vec![read], vec![], vec![write, row(9, Op::Read, None)]].map(Ok);
    ParquetColumns { tick: SimSpan::from_ps(1_000), batches: Box::new(batches.into_iter()) }
}

/// Columns that fail after the first batch.
fn damaged() -> ParquetColumns {
    let ParquetColumns { tick, batches } = three_rows();
    let failure = [Err(io::Error::other("damaged").into())];
    ParquetColumns { tick, batches: Box::new(batches.take(1).chain(failure)) }
}

fn file(dir: &TempDir, content: &[u8]) -> PathBuf {
    let path = dir.path().join("trace");
    fs::write(&path, content).unwrap();
    path
}

fn options(skip_bad: u64) -> TraceOptions {
    TraceOptions { skip_bad, parquet: Some(ParquetDecoder(|_| Ok(three_rows()))), ..TraceOptions::default() }
}

fn read(path: &Path, options: &TraceOptions) -> Result<Vec<HostRequest>, SourceError> {
    let mut source = open_trace(path, options)?;
    let mut all = Vec::new();
    while source.fill(&mut all, 2)? > 0 {}
    Ok(all)
}

fn message(path: &Path, options: &TraceOptions) -> String {
    let text = read(path, options).unwrap_err().to_string();
    text.replace(&path.display().to_string(), "FILE")
}

#[test]
fn decoded_rows_become_requests() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, b"PAR1 and whatever follows");
    let request = |ps, op, start_sector| HostRequest {
        arrival: SimTime::from_ps(ps),
        start_sector,
        sectors: 8,
        queue: 3,
        op,
        pattern_set: 0,
    };
    let expected = [request(0, Op::Read, 16), request(2_000, Op::Write, 0)];
    assert_eq!(read(&path, &options(1)).unwrap(), expected);
    assert_eq!(open(&path, &options(1)).unwrap().format, "parquet");
}

#[test]
fn a_bad_row_is_reported_with_its_number() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, b"PAR1");
    let text = message(&path, &options(0));
    let expected = "invalid `start_sector`\n  --> FILE, record 3\n   = expected: a whole number of sectors\n   = record: `9 read ? 8 3`\n";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_failure_of_the_decoder_is_passed_on_behind_the_requests_before_it() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, b"PAR1");
    let decoder = ParquetDecoder(|_| Ok(damaged()));
    let mut source = open_trace(&path, &TraceOptions { parquet: Some(decoder), ..options(0) }).unwrap();
    let mut all = Vec::new();
    let Err(SourceError::Trace(cause)) = source.fill(&mut all, 2) else { panic!("it was read") };
    assert_eq!(all.len(), 1);
    assert_eq!(cause.downcast_ref::<io::Error>().unwrap().to_string(), "damaged");
}

#[test]
fn without_a_decoder_parquet_is_no_known_format() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, b"PAR1\x15\x04\x15\x1c");
    let text = message(&path, &TraceOptions::default());
    assert!(text.contains("expected: one of blktrace, vscsi-1"), "{text}");
    assert!(!text.contains("parquet"), "{text}");
    assert!(message(&path, &TraceOptions::format("parquet")).starts_with("unknown trace format `parquet`"));
    let text = message(&file(&dir, b"\x00\x01"), &options(0));
    assert!(text.starts_with("unknown binary trace format\n  --> FILE\n"), "{text}");
    assert!(text.contains("oracle-general, parquet\n"), "{text}");
}

#[test]
fn parquet_is_read_by_the_names_of_its_columns_and_unpacked() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, b"PAR1");
    let alone = "`--format` and `--columns` cannot be combined with a Parquet file, whose columns have names\n  --> FILE\n   = \
         expected: neither of these options";
    assert_eq!(message(&path, &TraceOptions { format: Some("msr-csv".to_owned()), ..options(0) }), alone);
    let columns = Some("time:us op offset size".to_owned());
    assert_eq!(message(&path, &TraceOptions { columns, ..options(0) }), alone);
    let packed = file(&dir, &zstd::encode_all(&b"PAR1"[..], 1).unwrap());
    let expected = "cannot read a Parquet file inside a Zstandard file\n  --> FILE\n   = expected: a Parquet file; decompress it first";
    assert_eq!(message(&packed, &options(0)), expected);
}
