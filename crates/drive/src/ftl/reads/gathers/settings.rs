//! Parameters and settings of gathers.
//!
//! # Parameters
//! `gather`

use venice_kernel::SimSpan;
use venice_nand::chip::BitOperation;
use venice_params::{LONGEST_US, ParameterKind, choices, declare, number, one_of, whole};

/// Maximum number of operands of a gather.
pub const MAX_OPERANDS: usize = 64;

/// Choice of the operands other than the requested page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherPlacement {
    /// Random pages of the address range. Gathers of the same page always have the same operands.
    Random,
    /// Pages that follow the requested page in its address range.
    Consecutive,
    /// Pages stored in the block of the requested page.
    SameBlock,
    /// Pages stored in other blocks of the plane of the requested page, one of each block.
    SamePlane,
}

/// Sensing of operands that are stored on the target chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherSensing {
    /// Each operand is sensed separately.
    SinglePage,
    /// Operands that are bits of the same cells are sensed together.
    ParaBit,
    /// Operands in several word lines of a block, or in several blocks of a plane, are sensed together.
    FlashCosmos,
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

/// Method by which pages with one bit per cell were programmed, which determines their bit errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandProgramming {
    /// Programmed like any other page.
    Regular,
    /// Enhanced SLC-mode programming: longer, with almost no bit errors.
    EnhancedSlc,
}

choices! {
    OperandProgramming, "programming of operands": "regular" => Regular, "enhanced_slc" => EnhancedSlc;
    GatherPlacement, "placement of operands": "random" => Random, "consecutive" => Consecutive, "same_block" => SameBlock,
        "same_plane" => SamePlane;
    GatherSensing, "sensing of operands": "single_page" => SinglePage, "parabit" => ParaBit,
        "flash_cosmos" => FlashCosmos;
    GatherTarget, "target of a gather": "first_operand" => FirstOperand, "most_operands" => MostOperands;
    GatherWait, "wait of operands": "always" => Always, "while_idle" => WhileIdle, "never" => Never;
    GatherResult, "destination of a gather's result": "host" => Host, "flash" => Flash;
}

declare! {
    /// Parameters of gathers, which are requests in which a chip combines pages from anywhere on the drive.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GatherSettings in "gather." {
        /// Number of pages that a gather combines, including the requested page.
        operands: u32 = whole(2, MAX_OPERANDS as u64), unit "pages", default "4",
            source "assumed; Park et al., Flash-Cosmos, MICRO 2022, combines tens of pages";
        /// Choice of the operands of a gather other than the requested page.
        ///
        /// `random`: random pages of the address range of the requested page; a gather of this page always
        /// has the same operands. `consecutive`: the pages that follow the requested page. `same_block`:
        /// pages that are stored in the block of the requested page when the gather begins, as if they had
        /// been written there together. `same_plane`: one page of each of the next blocks of this plane. If
        /// these are too few, `consecutive` pages complete them.
        placement: GatherPlacement = one_of::<GatherPlacement>(), unit "", default "random",
            source "assumed: operands lie where they were written";
        /// Chip that combines the operands of a gather.
        ///
        /// `first_operand`: the chip of the requested page. `most_operands`: the chip that holds the largest
        /// number of operands.
        target: GatherTarget = one_of::<GatherTarget>(), unit "", default "first_operand", source "ours";
        /// Time for which an operand waits in its page register for a busy target chip, if it can be copied
        /// from chip to chip.
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
        combination as t_operation_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "1",
            source "assumed: latches of a page buffer work in parallel, far faster than a read";
        /// Bitwise operation of a gather.
        operation: BitOperation = one_of::<BitOperation>(), unit "", default "and",
            source "ours; Park et al., Flash-Cosmos, MICRO 2022, evaluates mostly AND";
        /// Sensing of the operands that are stored on the target chip.
        ///
        /// `single_page`: one read after another. `parabit`: pages of one word line are sensed together, with
        /// the read voltages that the operation on the bits of a cell needs; other pages are read one after
        /// another. `flash_cosmos`: one read senses several word lines, for `and` of one block and for `or`
        /// of different blocks of a plane (exchanged with `inverted_data`). This requires one bit per cell:
        /// blocks in SLC mode, or chips with a single `flash.t_read_us`. For `xor`, operands are read one
        /// after another.
        sensing: GatherSensing = one_of::<GatherSensing>(), unit "", default "single_page",
            source "ours; Gao et al., ParaBit, MICRO 2021; Park et al., Flash-Cosmos, MICRO 2022";
        /// Storage of operands as their complement, with `sensing = "flash_cosmos"`.
        ///
        /// By De Morgan's laws, one read then computes `or` of word lines of a block, and `and` of different blocks.
        inverted_data: bool = ParameterKind::Boolean, unit "", default "false",
            source "Park et al., Flash-Cosmos, MICRO 2022 (inverse read)";
        /// Maximum number of word lines of a block that are sensed together.
        max_wordlines: u32 = whole(1, MAX_OPERANDS as u64), unit "word lines", default "48",
            source "Park et al., Flash-Cosmos, MICRO 2022: a string of the tested chips";
        /// Maximum number of blocks of a plane that are sensed together.
        max_blocks: u32 = whole(1, MAX_OPERANDS as u64), unit "blocks", default "4",
            source "Park et al., Flash-Cosmos, MICRO 2022: more would exceed the power of an erase";
        /// Additional array time for each word line after the first that is sensed together in a block, as a
        /// percentage of tR.
        wordline_pct as t_multi_sense_pct_per_wordline: f64 = number(0.0, 100.0), unit "%", default "0.07",
            source "Park et al., Flash-Cosmos, MICRO 2022: 3.3 % for 48 word lines, below 1 % for 8; linear: ours";
        /// Additional array time for each block after the first that is sensed together, as a percentage of tR.
        block_pct as t_multi_sense_pct_per_block: f64 = number(0.0, 100.0), unit "%", default "1.1",
            source "Park et al., Flash-Cosmos, MICRO 2022: 3.3 % for 4 blocks, 36.3 % for 32; linear: ours";
        /// Additional power of the array for each block after the first that is sensed together, as a percentage of
        /// `power.array_read_mw`.
        block_power_pct as multi_sense_power_pct_per_block: f64 = number(0.0, 1000.0), unit "%", default "27",
            source "Park et al., Flash-Cosmos, MICRO 2022: 4 blocks take 53 % less energy than 4 reads; linear: ours";
        /// Programming of pages with one bit per cell: blocks in SLC mode, or all pages of a chip with a single
        /// `flash.t_read_us`.
        ///
        /// `regular`: as configured in `[flash]`. `enhanced_slc`: enhanced SLC-mode programming (ESP). Programs
        /// take `esp_program_factor` times as long, and operands have the raw bit error rate
        /// `esp_raw_bit_error_rate`.
        programming: OperandProgramming = one_of::<OperandProgramming>(), unit "", default "regular",
            source "ours; Park et al., Flash-Cosmos, MICRO 2022";
        /// Program time of enhanced SLC-mode programming, relative to a regular program.
        esp_program_factor: f64 = number(1.0, 10.0), unit "", default "2",
            source "Park et al., Flash-Cosmos, MICRO 2022: 400 µs instead of 200 µs";
        /// Raw bit error rate of pages that were programmed by enhanced SLC-mode programming.
        esp_raw_bit_error_rate: f64 = number(0.0, 0.5), unit "", default "2.07e-12",
            source "Park et al., Flash-Cosmos, MICRO 2022: upper bound, no error was observed";
    }
}
