//! Parameters and settings of flash chips; array times are in `array_times`.

use venice_params::{ParameterKind, choices, declare, one_of, whole};

use super::Suspension;
use super::array_times::ArrayTimes;
use super::bad_blocks::BadBlockParameters;
use super::command_times::{CommandParameters, CommandTimes};
use super::suspension::SuspendParameters;

choices! {
    DieWork, "execution mode of dies": "independent" => Independent, "one_at_a_time" => OneAtATime;
}

declare! {
    /// Cache operations, which overlap a die's transfers with the work of its array.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CacheOperations in "flash." {
        /// Cache program (ONFI 80h-15h): a die receives the next program's data while its array programs.
        ///
        /// A program waits in the cache register until the array is free. Reads that wait for the die precede
        /// the next program. A program is not suspended while the next one waits in the cache register.
        /// Requires `die_work = "independent"`, `fabric.hold = "transfer"`, no chip-to-chip copies, and a
        /// fabric other than `decoupled`.
        program as cache_program: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: off; ONFI 4.2, chapter 5 (page cache program)";
        /// Cache read (ONFI 31h, with an address): the array senses the die's next read while data of the
        /// previous read leave the cache register.
        ///
        /// Requires `fabric.first_on_path = "commands"`, since the next read's command is sent before the
        /// data, and the settings that `cache_program` requires.
        read as cache_read: bool = ParameterKind::Boolean, unit "", default "false",
            source "ours: off; ONFI 4.2, chapter 5 (read cache)";
    }
}

impl CacheOperations {
    /// True if cache program or cache read is enabled.
    pub const fn are_some(self) -> bool {
        self.program || self.read
    }
}

declare! {
    /// Flash chips: geometry and array times.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FlashParameters in "flash." {
        /// Number of dies per chip.
        ///
        /// Dies work independently of each other, except with `die_work = "one_at_a_time"`.
        dies_per_chip: u32 = whole(1, 16), unit "dies", required, source "ONFI (a logical unit, LUN)";
        /// Number of planes per die.
        ///
        /// Planes of a die work together in multi-plane commands only.
        planes_per_die: u32 = whole(1, 16), unit "planes", required, source "ONFI";
        /// Number of blocks per plane.
        blocks_per_plane: u32 = whole(4, 1_048_576), unit "blocks", required, source "ONFI";
        /// Number of pages per block.
        pages_per_block: u32 = whole(1, 65_536), unit "pages", required, source "ONFI";
        /// Number of data bytes per page, without the bytes for error correction.
        page_bytes: u32 = ParameterKind::Integer { min: 512, max: 32_768, step: 512 }, unit "bytes", required,
            source "ONFI";
        with array: ArrayTimes;
        with cache_operations: CacheOperations;
        with bad_blocks: BadBlockParameters;
        /// If true, chips support multi-plane commands.
        multiplane: bool = ParameterKind::Boolean, unit "", default "true", source "ONFI (multi-plane operations)";
        /// If true, a multi-plane command addresses only pages with equal offsets within their blocks.
        multiplane_same_offset: bool = ParameterKind::Boolean, unit "", default "true",
            source "MQSim, TSU_Base.cpp: multi-plane transactions have the same page offset";
        /// Concurrency of the dies of a chip.
        ///
        /// `independent`: each die has a command of its own, and all share the pins. `one_at_a_time`: a chip
        /// accepts no command while any of its dies has one.
        die_work: DieWork = one_of::<DieWork>(), unit "", default "independent",
            source "ONFI (interleaved die operations)";
    }
}

/// Concurrency of the dies of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DieWork {
    /// Each die executes a command of its own; all dies share the chip's pins.
    Independent,
    /// A chip accepts no command while any of its dies executes one.
    OneAtATime,
}

/// Settings of a chip, equal for all chips of the drive.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashSettings {
    /// Array times.
    pub array: ArrayTimes,
    /// Wire times of commands.
    pub commands: CommandTimes,
    /// True if multi-plane commands are enabled.
    pub multiplane: bool,
    /// True if a multi-plane command requires equal page offsets within the blocks.
    pub multiplane_same_offset: bool,
    /// Concurrency of the dies of a chip.
    pub die_work: DieWork,
    /// Rules of suspension; `None` if no operation can be suspended.
    pub suspension: Option<Suspension>,
    /// Cache operations of the dies.
    pub cache_operations: CacheOperations,
}

impl FlashSettings {
    /// Converts the declared parameters.
    pub fn of(stated: &FlashParameters, commands: &CommandParameters, suspend: &SuspendParameters) -> Self {
        Self {
            array: stated.array.by_scheme(),
            commands: commands.times(stated.planes_per_die),
            multiplane: stated.multiplane,
            multiplane_same_offset: stated.multiplane_same_offset,
            die_work: stated.die_work,
            suspension: suspend.suspension(),
            cache_operations: stated.cache_operations,
        }
    }
}
