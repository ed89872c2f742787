//! Published traces, measured against the table that comes with them.
//!
//! The files are too large and not ours to commit. They are looked for in the folder that `VENICE_SHARED`
//! names, or in `shared` beside the repository; where there is none, the test says so and passes.

use std::path::{Path, PathBuf};

use venice_ssd::host::traces::trace_info;

/// A row of the table, times in microseconds, to the digits printed there.
struct Row {
    file: &'static str,
    format: &'static str,
    requests: u64,
    read_pct: f64,
    mean_size_kib: f64,
    mean_gap_us: f64,
    median_gap_us: f64,
    duration_us: f64,
    footprint_mib: f64,
}

macro_rules! rows {
    ($($file:literal $format:literal $requests:literal $reads:literal $size:literal $mean:literal
       $median:literal $duration:literal $footprint:literal;)*) => {
        &[$(Row {
            file: $file, format: $format, requests: $requests, read_pct: $reads, mean_size_kib: $size,
            mean_gap_us: $mean, median_gap_us: $median, duration_us: $duration, footprint_mib: $footprint,
        }),*]
    };
}

#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    "msr/hm_0_window.csv.zst"          "msr-csv"      7_016  83.0 11.8 21.16e3  4.2     148.4e6   52.8;
    "msr/rsrch_1.csv.zst"              "msr-csv"     13_780   0.3 12.2 41.84e6  24.2    5.766e11  112.4;
    "msr/wdev_1.csv.zst"               "msr-csv"      1_055   0.0  5.1 564.5e6  136.2   5.95e11   1.4;
    "msr/hm_1_writes.csv.zst"          "msr-csv"     13_069   0.0 20.7 24.82e6  20.7    3.243e11  86.8;
    "msr/mds_0_writes.csv.zst"         "msr-csv"      1_000   0.0  5.7 619.4e3  3.799e3 618.8e6   1.8;
    "msr/proj_0_writes.csv.zst"        "msr-csv"      1_000   0.1  6.9 511.1e3  6.829e3 510.5e6   1.7;
    "msr/prxy_0_first372.trace.zst"    "mqsim-ascii"    372  15.6  5.9 1.421e3  958.7   527.3e3   1.9;
    "mqsim/wsrch-small.trace.zst"      "mqsim-ascii" 24_783 100.0 15.1 2.423e3  974.5   60.06e6   363.4;
    "msr/msr_cut_20r80w.replay.zst"    "replay-ms"   10_000  20.2  5.4 24.29e3  2.0     242.9e6   28.8;
    "msr/msr_cut_burst.replay.zst"     "replay-ms"   10_000  83.2 12.7 101.7    0.0     1.017e6   113.4;
};

fn published() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("VENICE_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join("traces")).filter(|traces| traces.is_dir())
}

/// Equal to the digits printed: half a tenth, or half a unit of the fourth digit.
#[track_caller]
fn agrees(row: &Row, what: &str, measured: f64, printed: f64) {
    let tolerance = f64::max(0.0501, printed * 5.01e-4);
    assert!((measured - printed).abs() <= tolerance, "{}: {what} is {measured}, not {printed}", row.file);
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn published_traces_measure_as_published() {
    let Some(traces) = published() else {
        eprintln!("skipped: no published traces here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    assert!(!ROWS.is_empty());
    for row in ROWS {
        let info = trace_info(&traces.join(row.file), None).unwrap();
        assert_eq!(
            (info.format, info.requests, info.out_of_order),
            (row.format, row.requests, 0),
            "{}",
            row.file
        );
        agrees(row, "read share", info.read_pct, row.read_pct);
        agrees(row, "mean size", info.mean_size_kib, row.mean_size_kib);
        agrees(row, "mean gap", info.mean_inter_arrival_us.unwrap(), row.mean_gap_us);
        agrees(row, "median gap", info.median_inter_arrival_us.unwrap(), row.median_gap_us);
        agrees(row, "duration", info.duration_us, row.duration_us);
        agrees(row, "footprint", info.footprint_mib, row.footprint_mib);
    }
}
