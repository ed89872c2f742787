//! Parameters of bad blocks.

use venice_params::{declare, number};

declare! {
    /// Bad blocks of the flash chips.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BadBlockParameters in "flash." {
        /// Share of the blocks that are bad when the drive is new.
        ///
        /// Each block is bad with this probability; the draws depend on `run.seed`. Bad blocks hold no data
        /// and reduce the over-provisioning.
        factory_pct as bad_block_pct: f64 = number(0.0, 20.0), unit "%", default "0",
            source "ours: none; ONFI parts specify at most 2 % (for example 2,008 of 2,048 blocks valid)";
        /// Probability that an erase of garbage collection fails.
        ///
        /// The block is then never used again; a block of the reserve takes its place.
        erase_failure_ppm: f64 = number(0.0, 1_000_000.0), unit "ppm", default "0",
            source "ours: none; 2 % of the blocks within 3,000 erases would be 7 ppm";
        /// Share of a plane's blocks that hold no data, in reserve for blocks that fail.
        ///
        /// The share is rounded up to whole blocks and reduces the over-provisioning. When a plane has used up
        /// its reserve, the drive becomes read-only. With `erase_failure_ppm = 0`, there is no reserve.
        reserve_pct as grown_bad_block_reserve_pct: f64 = number(0.01, 20.0), unit "%", default "2",
            source "ONFI parts: at most 2 % of the blocks become bad within their rated life";
    }
}
