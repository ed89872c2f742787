//! Figures from a drive's data sheet, which `venice drive check` compares with simulated ones.

use venice_params::{declare, number};

/// Largest figure of a data sheet.
const MOST: f64 = 1e9;

declare! {
    /// Figures from the drive's data sheet, for `venice drive check`. They do not affect simulation.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SheetParameters in "sheet." {
        /// Bandwidth of sequential reads of 128 KiB.
        ///
        /// 0 if the sheet does not state the figure, as for all of the section. Figures without a depth are those
        /// of 256 outstanding requests.
        sequential_read_mb_per_s: f64 = number(0.0, MOST), unit "10⁶ bytes/s", default "0", source "ours: not stated";
        /// Bandwidth of sequential writes of 128 KiB.
        sequential_write_mb_per_s: f64 = number(0.0, MOST), unit "10⁶ bytes/s", default "0", source "ours: not stated";
        /// Random reads of 4 KiB.
        random_read_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Random writes of 4 KiB in steady state.
        random_write_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Random requests of 4 KiB in steady state, 70 % of which are reads.
        mixed_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Mean latency of a random read of 4 KiB, one outstanding.
        random_read_us: f64 = number(0.0, MOST), unit "µs", default "0", source "ours: not stated";
        /// Mean latency of a random write of 4 KiB, one outstanding.
        random_write_us: f64 = number(0.0, MOST), unit "µs", default "0", source "ours: not stated";
        /// Write amplification by bytes of random writes of 4 KiB in steady state.
        write_amplification: f64 = number(0.0, MOST), unit "bytes/byte", default "0", source "ours: not stated";
    }
}
