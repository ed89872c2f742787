//! What gathers are told.
//!
//! # Parameters
//! `gather`

use venice_kernel::SimSpan;

use venice_params::{LONGEST_US, choices, declare, number, one_of, whole};

/// Most operands of a gather.
pub const MAX_OPERANDS: usize = 64;

/// Which pages are operands together with the one that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherPlacement {
    /// Any of its address range; the same ones whenever it is named.
    Random,
    /// Those that follow it.
    Consecutive,
}

/// Which chip combines the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherTarget {
    /// That of the operand that the request names.
    FirstOperand,
    /// That on which most of them lie; of equals, that of the first of these operands.
    MostOperands,
}

/// How long an operand stays in its register for a target that is busy, where the fabric could carry it from chip to chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherWait {
    /// Until the target can take it.
    Always,
    /// Until something else waits for its die.
    WhileIdle,
    /// Not at all: it goes by a controller.
    Never,
}

/// What becomes of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherResult {
    /// The host is sent it.
    Host,
    /// It stays in the chip; the host is told that it is there.
    Flash,
}

choices! {
    GatherPlacement, "placement of operands": "random" => Random, "consecutive" => Consecutive;
    GatherTarget, "target of a gather": "first_operand" => FirstOperand, "most_operands" => MostOperands;
    GatherWait, "wait of operands": "always" => Always, "while_idle" => WhileIdle, "never" => Never;
    GatherResult, "place of a gather's result": "host" => Host, "flash" => Flash;
}

declare! {
    /// Gathers: requests that have a chip combine pages from all over the drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GatherSettings in "gather." {
        /// Pages that a gather combines, the one that the request names among them.
        operands: u32 = whole(2, MAX_OPERANDS as u64), unit "pages", default "4",
            source "assumed; Park et al., Flash-Cosmos, MICRO 2022, combines tens of pages";
        /// Which pages they are, besides the one that the request names.
        ///
        /// `random`: any of its address range, the same ones whenever it is named. `consecutive`: those that follow it.
        placement: GatherPlacement = one_of::<GatherPlacement>(), unit "", default "random",
            source "assumed: operands lie where they were written";
        /// Which chip combines them.
        ///
        /// `first_operand`: that of the page that the request names. `most_operands`: that on which most of them lie.
        target: GatherTarget = one_of::<GatherTarget>(), unit "", default "first_operand", source "ours";
        /// How long an operand stays in its register for a target that is busy, where it can go from chip to chip.
        ///
        /// `always`: until the target can take it. `while_idle`: until something else waits for its die. `never`: not at all. Then it
        /// goes by a controller.
        wait: GatherWait = one_of::<GatherWait>(), unit "", default "while_idle", source "ours";
        /// What becomes of the result.
        ///
        /// `host`: the host is sent it. `flash`: it stays in the chip, and the host is told that it is there.
        result: GatherResult = one_of::<GatherResult>(), unit "", default "host", source "ours";
        /// Time in which a chip combines a page with those before.
        operation as t_operation_us: SimSpan = number(0.0, LONGEST_US), unit "us", default "1",
            source "assumed: latches of a page buffer work beside each other, in far less than a read";
    }
}
