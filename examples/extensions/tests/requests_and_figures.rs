//! Tests of the trace format and of the additional figure.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use venice_config::{self as config, ResolvedDrive};
use venice_extensions::{ExtendedReport, KibLines, WearSpread, run};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, Op, RequestSource};
use venice_sim::assembly::ExternalPolicies;

/// Writes a trace of `lines`. The folder is deleted when the first value is dropped.
fn trace(lines: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("requests.txt");
    fs::write(&path, lines).unwrap();
    (folder, path)
}

/// Returns the requests of a trace, read in batches of two, and the error that ended it.
fn read(lines: &str) -> (Vec<HostRequest>, Option<String>) {
    let (_folder, path) = trace(lines);
    let (mut source, mut requests) = (KibLines::open(&path).unwrap(), Vec::new());
    loop {
        match source.fill(&mut requests, 2) {
            Ok(0) => return (requests, None),
            Ok(given) => assert!(given <= 2),
            Err(error) => {
                assert_eq!(source.fill(&mut requests, 2).unwrap(), 0, "a source is spent after an error");
                return (requests, Some(error.to_string()));
            }
        }
    }
}

fn small_drive() -> ResolvedDrive {
    let sets = [
        "array.rows=1",
        "array.cols=1",
        "flash.blocks_per_plane=8",
        "flash.pages_per_block=16",
        "ftl.over_provisioning_pct=50",
    ];
    config::load("venice-performance", None, &sets.map(str::to_owned), None).unwrap()
}

fn served(requests: &str, at_most: u64) -> ExtendedReport {
    run(&small_drive(), ExternalPolicies::default(), requests, at_most).unwrap()
}

#[test]
fn offsets_and_lengths_are_in_kib_and_the_first_request_arrives_at_zero() {
    let (requests, error) = read("kib;7;W;4;8\nkib;9;R;0;1\nkib;9;R;2;2\n");
    let request = |us, op, start_sector, sectors| HostRequest {
        arrival: SimTime::ZERO + SimSpan::from_us(us),
        start_sector,
        sectors,
        queue: 0,
        op,
        pattern_set: 0,
    };
    let expected = [request(0, Op::Write, 8, 16), request(2, Op::Read, 0, 2), request(2, Op::Read, 4, 4)];
    assert_eq!((requests, error), (expected.to_vec(), None));
}

#[test]
fn every_bad_column_is_named_with_its_line() {
    let wrong = [
        ("kb;7;W;4;8", "line"),
        ("kib;7;W;4", "line"),
        ("kib;x;W;4;8", "time"),
        ("kib;0;W;4;8", "time"),
        ("kib;18446744073709551615;W;4;8", "time"),
        ("kib;7;X;4;8", "op"),
        ("kib;7;W;18446744073709551615;8", "offset"),
        ("kib;7;W;1125899906842624;8", "offset"),
        ("kib;7;W;4;0", "length"),
        ("kib;7;W;4;4294967295", "length"),
    ];
    for (line, column) in wrong {
        let (requests, error) = read(&format!("kib;1;R;0;4\n{line}\nkib;9;R;0;4\n"));
        let error = error.unwrap();
        assert_eq!(requests.len(), 1, "{line}");
        assert!(error.starts_with(&format!("bad {column}\n")) && error.contains(":2\n"), "{line}: {error}");
    }
}

#[test]
fn a_trace_is_recognised_by_its_first_line() {
    let lines = "kib;0;W;0;4\nkib;5;R;0;4\nkib;9;R;4;4\n";
    let (_folder, path) = trace(lines);
    assert!(KibLines::recognises(&path));
    assert_eq!(served(path.to_str().unwrap(), 10).report.requests.completed, 3);
    let (_other_folder, other) = trace("128166372003061629,usr,0,Read,0,4096,551\n");
    assert!(!KibLines::recognises(&other));
    assert_eq!(served(other.to_str().unwrap(), 10).report.requests.completed, 1);
}

#[test]
fn the_figure_counts_erases_and_stands_beside_those_of_venice() {
    let worn = served("random-write", 3_000);
    let WearSpread { least, most } = worn.wear_spread;
    assert!(least < most && u64::from(most) <= worn.report.flash.erases, "{worn:?}");
    let json = serde_json::to_value(&worn).unwrap();
    assert_eq!(json["wear_spread"]["most"], worn.wear_spread.most);
    assert_eq!(json["requests"]["completed"], 3_000);
    let fresh = served("random-read", 10).wear_spread;
    assert_eq!((fresh.least, fresh.most), (0, 0));
}
