//! Tests that each reader of a shared trace has the same results as when it reads alone.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use tempfile::TempDir;
use venice_requests::request::{BoxedSource, HostRequest, SourceCounters};
use venice_requests::traces::{SharedTraces, TraceOptions, open_trace};

const REQUEST_BYTES: u64 = size_of::<HostRequest>() as u64;
const ROWS: u64 = 10_000;

/// Trace with rows out of order, rows without data, and invalid rows.
fn text(rows: u64) -> String {
    let line = |number: u64| match number % 1_000 {
        17 => format!("{} 0 {number} 8 1\n", number.saturating_sub(400)),
        400 => format!("{number} 0 {number} 0 1\n"),
        900 => "not a row\n".to_owned(),
        _ => format!("{number} 0 {number} 8 {}\n", number % 2),
    };
    (0..rows).map(line).collect()
}

fn file(dir: &TempDir, name: &str, content: &str) -> std::path::PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    path
}

fn patient(skip_bad: u64) -> TraceOptions {
    TraceOptions { skip_bad, ..TraceOptions::format("mqsim-ascii") }
}

/// Requests of a reader, with its counters after each batch.
fn read(source: &mut BoxedSource, batch: usize) -> (Vec<HostRequest>, Vec<SourceCounters>, Option<String>) {
    let (mut requests, mut counters) = (Vec::new(), Vec::new());
    loop {
        let given = source.fill(&mut requests, batch);
        counters.push(source.counters());
        match given {
            Ok(0) => return (requests, counters, None),
            Ok(_) => {}
            Err(error) => {
                assert_eq!(source.fill(&mut requests, batch).unwrap(), 0, "what failed is spent");
                return (requests, counters, Some(error.to_string()));
            }
        }
    }
}

#[track_caller]
fn assert_reads_as_alone(traces: &Arc<SharedTraces>, path: &Path, options: &TraceOptions, batch: usize) {
    let mut alone = open_trace(path, options).unwrap();
    let mut shared = traces.open(path, options).unwrap();
    assert_eq!((shared.label(), shared.is_synthetic()), (alone.label(), false));
    assert_eq!(shared.format_choice(), alone.format_choice());
    let (shared, alone) = (read(&mut shared, batch), read(&mut alone, batch));
    assert_eq!(shared.0.len(), alone.0.len());
    assert!(shared == alone, "batches of {batch}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_reader_gets_the_requests_and_counters_that_it_would_get_alone(
        batches in prop::collection::vec(1_usize..9_000, 1..4),
        most_requests in prop_oneof![Just(u64::MAX / 64), 0_u64..2 * ROWS],
        skip_bad in 4_u64..12,
    ) {
        let dir = TempDir::new().unwrap();
        let path = file(&dir, "trace", &text(ROWS));
        let traces = Arc::new(SharedTraces::new(most_requests * REQUEST_BYTES));
        for batch in batches {
            assert_reads_as_alone(&traces, &path, &patient(skip_bad), batch);
        }
        prop_assert!(traces.requests() as u64 <= most_requests + 4_096);
    }
}

#[test]
fn readers_on_several_threads_get_the_same() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "trace", &text(ROWS));
    let expected = read(&mut open_trace(&path, &patient(20)).unwrap(), 64);
    for most in [u64::MAX, 6_000 * REQUEST_BYTES] {
        let traces = Arc::new(SharedTraces::new(most));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert!(read(&mut traces.open(&path, &patient(20)).unwrap(), 64) == expected));
            }
        });
    }
}

#[test]
fn a_file_is_decoded_once() {
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "trace", &text(ROWS));
    let traces = Arc::new(SharedTraces::new(u64::MAX));
    let [mut first, mut second] = [(); 2].map(|()| traces.open(&path, &patient(20)).unwrap());
    let expected = read(&mut first, 100);
    assert_eq!(traces.requests(), expected.0.len());
    // A reader that opened the file again would fail.
    fs::write(&path, "no trace any more\n").unwrap();
    assert!(read(&mut second, 100) == expected);
}

#[test]
fn a_file_that_has_changed_is_read_anew() {
    let dir = TempDir::new().unwrap();
    let traces = Arc::new(SharedTraces::new(u64::MAX));
    let path = file(&dir, "trace", &text(10));
    assert_eq!(read(&mut traces.open(&path, &patient(0)).unwrap(), 100).0.len(), 10);
    fs::write(&path, text(12)).unwrap();
    assert_eq!(read(&mut traces.open(&path, &patient(0)).unwrap(), 100).0.len(), 12);
}

#[test]
fn least_recently_used_traces_are_dropped() {
    let dir = TempDir::new().unwrap();
    let traces = Arc::new(SharedTraces::new(250 * REQUEST_BYTES));
    let paths = [0, 1, 2].map(|number| file(&dir, &number.to_string(), &text(100)));
    let mut kept = Vec::new();
    for path in paths.iter().chain(&paths[2..]) {
        read(&mut traces.open(path, &patient(0)).unwrap(), 10);
        kept.push(traces.requests());
    }
    assert_eq!(kept, [100, 200, 200, 200]);
}

#[test]
fn unreadable_traces_give_the_same_error_as_an_unshared_reader() {
    let traces = Arc::new(SharedTraces::new(u64::MAX));
    let missing = Path::new("no such trace");
    let told = |opened: Result<BoxedSource, _>| {
        opened.err().map(|error: venice_requests::SourceError| error.to_string())
    };
    let alone = told(open_trace(missing, &patient(0)));
    assert!(alone.is_some());
    assert_eq!(told(traces.open(missing, &patient(0))), alone);
    assert_eq!(traces.requests(), 0);
}
