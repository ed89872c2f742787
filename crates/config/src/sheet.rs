//! Figures from a drive's data sheet, which `venice drive check` compares with simulated ones.

use venice_params::{ParameterKind, declare, number};

/// Largest figure of a data sheet.
const MOST: f64 = 1e9;

declare! {
    /// Figures from the drive's data sheet, for `venice drive check`. They do not affect simulation.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SheetParameters in "sheet." {
        /// Bandwidth of sequential reads of 128 KiB, with 256 requests outstanding, from the drive's data
        /// sheet; 0: not stated.
        sequential_read_mb_per_s: f64 = number(0.0, MOST), unit "10⁶ bytes/s", default "0", source "ours: not stated";
        /// Bandwidth of sequential writes of 128 KiB, with 256 requests outstanding, from the drive's data
        /// sheet; 0: not stated.
        sequential_write_mb_per_s: f64 = number(0.0, MOST), unit "10⁶ bytes/s", default "0", source "ours: not stated";
        /// Rate of random reads of 4 KiB, with 256 requests outstanding, from the drive's data sheet; 0: not
        /// stated.
        random_read_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Rate of random writes of 4 KiB in steady state, with 256 requests outstanding, from the drive's
        /// data sheet; 0: not stated.
        random_write_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Rate of random requests of 4 KiB in steady state, 70 % of them reads, with 256 requests
        /// outstanding, from the drive's data sheet; 0: not stated.
        mixed_iops: f64 = number(0.0, MOST), unit "requests/s", default "0", source "ours: not stated";
        /// Mean latency of random reads of 4 KiB, with one request outstanding, from the drive's data sheet;
        /// 0: not stated.
        random_read_us: f64 = number(0.0, MOST), unit "µs", default "0", source "ours: not stated";
        /// Size of the address range, from address 0, that the data sheet's random reads cover; 0: the
        /// whole drive.
        ///
        /// Data sheets of client drives often use a small range, whose mapping entries fit into the host
        /// memory buffer. Random writes and mixed loads in steady state always cover the whole drive.
        random_read_range_bytes: u64 = ParameterKind::Integer { min: 0, max: 1 << 50, step: 4096 }, unit "bytes", default "0", source "ours: the whole drive";
        /// Mean latency of random writes of 4 KiB, with one request outstanding, from the drive's data sheet;
        /// 0: not stated.
        random_write_us: f64 = number(0.0, MOST), unit "µs", default "0", source "ours: not stated";
        /// Write amplification of random writes of 4 KiB in steady state, from the drive's data sheet; 0: not
        /// stated.
        ///
        /// Bytes written to flash per byte that the host writes.
        write_amplification: f64 = number(0.0, MOST), unit "bytes/byte", default "0", source "ours: not stated";
    }
}
