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
    }
}
