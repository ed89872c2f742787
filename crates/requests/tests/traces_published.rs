//! Published traces, compared with a published table of their characteristics.
//!
//! The files are too large to commit and under other licences. They are expected in the folder
//! `VENICE_SHARED`, or in `shared` next to the repository; without them, the test prints a note and passes.

use std::path::{Path, PathBuf};

use venice_requests::request::ReadCounters;
use venice_requests::traces::{BlockLayerEvent, TraceOptions, trace_info};

/// Row of the table with times in microseconds, to the printed precision.
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
    "msr/hm_0_window.csv.zst"                   "msr-csv"          7_016  83.0  11.8 21.16e3  4.2     148.4e6   52.8;
    "msr/rsrch_1.csv.zst"                       "msr-csv"         13_780   0.3  12.2 41.84e6  24.2    5.766e11  112.4;
    "msr/wdev_1.csv.zst"                        "msr-csv"          1_055   0.0   5.1 564.5e6  136.2   5.95e11   1.4;
    "msr/hm_1_writes.csv.zst"                   "msr-csv"         13_069   0.0  20.7 24.82e6  20.7    3.243e11  86.8;
    "msr/mds_0_writes.csv.zst"                  "msr-csv"          1_000   0.0   5.7 619.4e3  3.799e3 618.8e6   1.8;
    "msr/proj_0_writes.csv.zst"                 "msr-csv"          1_000   0.1   6.9 511.1e3  6.829e3 510.5e6   1.7;
    "msr/wdev_2_part.txt.zst"                   "msr-blank"        3_361   0.0   8.1 196.1e3  25.7    659e6     21.2;
    "msr/web_3_rounded.txt.zst"                 "msr-rounded"     31_380  32.0  38.1 18.94e6  15.6e3  5.944e11  604.3;
    "msr/prxy_0_first372.trace.zst"             "mqsim-ascii"        372  15.6   5.9 1.421e3  958.7   527.3e3   1.9;
    "msr/msr_cut_20r80w.replay.zst"             "replay-ms"       10_000  20.2   5.4 24.29e3  2.0     242.9e6   28.8;
    "msr/msr_cut_burst.replay.zst"              "replay-ms"       10_000  83.2  12.7 101.7    0.0     1.017e6   113.4;
    "tracetracker/hm_1_revised_5000.txt.zst"    "ssdsim-100ns"     5_000  21.9  26.3 216.0    12.8    1.08e6    20.3;
    "msps/DTRS_300s.trace.zst"                  "ssdsim-us"      127_043  89.0  55.3 2.361e3  1.238e3 300e6     4_966.4; // 4.85 GiB
    "disksim/iozone_100k.trace.zst"             "disksim-ascii"  100_000   0.0 359.9 9.365e3  3.724e3 936.4e6   1_064.96; // 1.04 GiB
    "spc/Financial1_first10000.spc.zst"         "spc"             10_000  40.8   5.4 25.96e3  6.55e3  259.6e6   28.6;
    "mqsim/wsrch-small.trace.zst"               "mqsim-ascii"     24_783 100.0  15.1 2.423e3  974.5   60.06e6   363.4;
    "blkparse/java_ext4.txt.zst"                "blkparse"         9_886  91.4 128.4 81.98e3  1.286e3 810.4e6   1_239.04; // 1.21 GiB
    "blkparse/mixed_all_events.txt.zst"         "blkparse"           170  45.9 236.8 55.34e3  94.03   9.353e6   39.4;
    "cloudphysics/cloudPhysicsIO.csv.zst"       "vscsi-csv"      113_872  41.3  36.1 63.23e3  573.0   7_200e6   1_054.72; // 1.03 GiB
    "fiu/mail_first9997.blkparse.zst"           "fiu-blkparse"     9_997  89.0   4.0 2.358e3  38.18   23.57e6   35.9;
    "tencent/cut_rand_iops.csv.zst"             "tencent-replay"  50_000  82.1   9.0 1.08e3   0.0     54e6      44.7;
    "tencent/cut_60r40w.csv.zst"                "tencent-replay"  50_000  60.0  11.8 2.94e3   0.0     147e6     58.5;
};

fn published() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("VENICE_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join("traces")).filter(|traces| traces.is_dir())
}

/// Asserts equality to the printed precision: half a tenth, or half a unit of the fourth digit.
#[track_caller]
fn agrees(row: &Row, what: &str, measured: f64, printed: f64) {
    agrees_within(row, what, measured, printed, f64::max(0.0501, printed * 5.01e-4));
}

/// Footprints from a gibibyte on are printed in gibibytes with two decimals.
#[track_caller]
fn footprint_agrees(row: &Row, measured: f64) {
    if row.footprint_mib < 1024.0 {
        agrees(row, "footprint", measured, row.footprint_mib);
    } else {
        agrees_within(row, "footprint", measured / 1024.0, row.footprint_mib / 1024.0, 0.00501);
    }
}

#[track_caller]
fn agrees_within(row: &Row, what: &str, measured: f64, printed: f64, tolerance: f64) {
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
        let info = trace_info(&traces.join(row.file), &TraceOptions::default()).unwrap();
        assert_eq!(
            (info.format_choice.format, info.requests),
            (Some(row.format), row.requests),
            "{}",
            row.file
        );
        agrees(row, "read share", info.read_pct, row.read_pct);
        agrees(row, "mean size", info.mean_size_kib, row.mean_size_kib);
        agrees(row, "mean gap", info.mean_inter_arrival_us.unwrap(), row.mean_gap_us);
        agrees(row, "median gap", info.median_inter_arrival_us.unwrap(), row.median_gap_us);
        agrees(row, "duration", info.duration_us, row.duration_us);
        footprint_agrees(row, info.footprint_mib);
        assert!(info.footprint_exact, "{}", row.file);
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn what_is_odd_in_published_traces_is_counted() {
    let Some(traces) = published() else {
        eprintln!("skipped: no published traces here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    let odd = [
        (
            "blkparse/java_ext4.txt.zst",
            ReadCounters { out_of_order: 3_712, garbled_times: 1, ..ReadCounters::default() },
        ),
        ("tencent/cut_rand_iops.csv.zst", ReadCounters { out_of_order: 2, ..ReadCounters::default() }),
    ];
    for row in ROWS {
        let expected = odd
            .iter()
            .find(|(file, _)| *file == row.file)
            .map_or_else(ReadCounters::default, |&(_, read)| read);
        let info = trace_info(&traces.join(row.file), &TraceOptions::default()).unwrap();
        assert_eq!(info.read, expected, "{}", row.file);
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn queued_requests_are_there_by_option() {
    let Some(traces) = published() else {
        eprintln!("skipped: no published traces here; set VENICE_SHARED to the folder that holds them");
        return;
    };
    let options = TraceOptions { event: BlockLayerEvent::Queued, ..TraceOptions::default() };
    let info = trace_info(&traces.join("blkparse/mixed_all_events.txt.zst"), &options).unwrap();
    assert_eq!(info.requests, 15_524);
    // Printed as 0.5 %, 4.6 KB, 604 us and 1.9 us.
    assert!((info.read_pct - 0.5).abs() < 0.051, "{}", info.read_pct);
    assert!((info.mean_size_kib - 4.6).abs() < 0.051, "{}", info.mean_size_kib);
    assert!((info.mean_inter_arrival_us.unwrap() - 604.0).abs() < 0.51, "{:?}", info.mean_inter_arrival_us);
    assert!(
        (info.median_inter_arrival_us.unwrap() - 1.9).abs() < 0.051,
        "{:?}",
        info.median_inter_arrival_us
    );
}
