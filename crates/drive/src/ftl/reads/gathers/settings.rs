//! Parameters and settings of gathers.
//!
//! # Parameters
//! `gather`

use venice_kernel::SimSpan;

use venice_params::{LONGEST_US, choices, declare, number, one_of, whole};

/// Maximum number of operands of a gather.
pub const MAX_OPERANDS: usize = 64;

/// Choice of the operands other than the requested page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherPlacement {
    /// Random pages of the address range. Gathers of the same page always have the same operands.
    Random,
    /// Pages that follow the requested page in its address range.
    Consecutive,
}

/// Choice of the target, the chip that combines the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherTarget {
    /// Chip of the requested page.
    FirstOperand,
    /// Chip that contains the largest number of operands; on a tie, the chip of the earliest of these
    /// operands.
    MostOperands,
}

/// Rule for how long an operand waits in its page register for a busy target, if the fabric can send it from
/// chip to chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherWait {
    /// The operand waits until the target can receive it.
    Always,
    /// The operand waits until another transaction waits for its die.
    WhileIdle,
    /// The operand does not wait and is sent through a controller.
    Never,
}

/// Destination of the result of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherResult {
    /// The result is sent to the host.
    Host,
    /// The result stays in the target chip; the host receives only the completion.
    Flash,
}

choices! {
    GatherPlacement, "placement of operands": "random" => Random, "consecutive" => Consecutive;
    GatherTarget, "target of a gather": "first_operand" => FirstOperand, "most_operands" => MostOperands;
    GatherWait, "wait of operands": "always" => Always, "while_idle" => WhileIdle, "never" => Never;
    GatherResult, "destination of a gather's result": "host" => Host, "flash" => Flash;
}

declare! {
    /// Parameters of gathers, which are requests in which a chip combines pages from anywhere on the drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GatherSettings in "gather." {
        /// Number of pages that a gather combines, including the requested page.
        operands: u32 = whole(2, MAX_OPERANDS as u64), unit "pages", default "4",
            source "assumed; Park et al., Flash-Cosmos, MICRO 2022, combines tens of pages";
        /// Choice of the operands of a gather other than the requested page.
        ///
        /// `random`: random pages of the address range of the requested page; a gather of this page always
        /// has the same operands. `consecutive`: the pages that follow the requested page.
        placement: GatherPlacement = one_of::<GatherPlacement>(), unit "", default "random",
            source "assumed: operands lie where they were written";
        /// Chip that combines the operands of a gather.
        ///
        /// `first_operand`: the chip of the requested page. `most_operands`: the chip that holds the largest
        /// number of operands.
        target: GatherTarget = one_of::<GatherTarget>(), unit "", default "first_operand", source "ours";
        /// Time for which an operand that can be copied from chip to chip waits in its page register for a
        /// busy target.
        ///
        /// `always`: until the target can take it. `while_idle`: until another transaction waits for the
        /// operand's die. `never`: no time; the operand goes through a controller.
        wait: GatherWait = one_of::<GatherWait>(), unit "", default "while_idle", source "ours";
        /// Destination of the result of a gather.
        ///
        /// `host`: the result is sent to the host. `flash`: it stays in the chip, and the host only receives
        /// the completion.
        result: GatherResult = one_of::<GatherResult>(), unit "", default "host", source "ours";
        /// Time in which a chip combines a page with the intermediate result of a gather.
        operation as t_operation_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "1",
            source "assumed: latches of a page buffer work in parallel, far faster than a read";
    }
}
