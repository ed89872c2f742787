//! What flash chips are told: times as spans, counts as numbers, no strings.

use venice_kernel::SimSpan;

use super::command_times::{CommandParameters, CommandTimes};
use super::suspension::SuspendParameters;
use super::{PageTypeOrder, Suspension};
use crate::parameters::{Conflict, Kind, LONGEST_US, choices, declare, number, one_of, whole};

choices! {
    DieWork, "way for dies to work": "independent" => Independent, "one_at_a_time" => OneAtATime;
}

declare! {
    /// Array times that depend on which of a cell's bits a page holds.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ArrayTimes in "flash." {
        /// Array read time (tR).
        ///
        /// One number for every page, or a list by page type, least significant bit first; which pages of a
        /// block are of which type, `page_type_order` says.
        read as t_read_us: Vec<SimSpan> = Kind::Numbers { min: 0.001, max: LONGEST_US, max_len: 4 }, unit "µs", required,
            source "ONFI, tR";
        /// Array program time (tPROG).
        ///
        /// One number, or a list as long as that of `t_read_us`.
        program as t_prog_us: Vec<SimSpan> = Kind::Numbers { min: 0.001, max: LONGEST_US, max_len: 4 }, unit "µs", required,
            source "ONFI, tPROG";
        /// In which order the pages of a block have the types that the lists give.
        ///
        /// `cyclic`: page by page through the list. `mqsim`: with three types, six pages of the first, two of the
        /// second, and from then on two of each in turn; otherwise as `cyclic`.
        page_types as page_type_order: PageTypeOrder = one_of::<PageTypeOrder>(), unit "", default "cyclic",
            source "MQSim, Flash_Chip.h; Yaakobi et al., ICNC 2012 (mqsim); ours (cyclic)";
        /// Block erase time (tBERS).
        erase as t_bers_us: SimSpan = number(0.001, LONGEST_US), unit "µs", required, source "ONFI, tBERS";
    }
}

impl ArrayTimes {
    /// The time to sense the page at this offset of its block.
    #[inline]
    pub fn read_of(&self, offset: u32) -> SimSpan {
        self.read[self.page_types.page_type(offset, self.read.len())]
    }

    /// The time to program it.
    #[inline]
    pub fn program_of(&self, offset: u32) -> SimSpan {
        self.program[self.page_types.page_type(offset, self.program.len())]
    }

    /// Reads and programs know the same page types.
    pub(crate) fn conflict(&self) -> Option<Conflict> {
        let (reads, programs) = (self.read.len(), self.program.len());
        if reads == programs {
            return None;
        }
        let message = format!("`t_prog_us` gives {programs} page types, `t_read_us` gives {reads}");
        let note = "expected: lists of the same length, one number for each page type".to_owned();
        Some(Conflict { keys: &["flash.t_prog_us", "flash.t_read_us"], message, note: Some(note) })
    }
}

declare! {
    /// The flash chips: how they are built and how long their arrays take.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FlashParameters in "flash." {
        /// Dies of a chip.
        ///
        /// Dies work independently of each other.
        dies_per_chip: u32 = whole(1, 16), unit "dies", required, source "ONFI (a logical unit, LUN)";
        /// Planes of a die.
        ///
        /// Planes of a die work together in multi-plane commands only.
        planes_per_die: u32 = whole(1, 16), unit "planes", required, source "ONFI";
        /// Blocks of a plane.
        blocks_per_plane: u32 = whole(4, 1_048_576), unit "blocks", required, source "ONFI";
        /// Pages of a block.
        pages_per_block: u32 = whole(1, 65_536), unit "pages", required, source "ONFI";
        /// Data bytes of a page.
        page_bytes: u32 = Kind::Integer { min: 512, max: 32_768, step: 512 }, unit "bytes", required,
            source "ONFI";
        with array: ArrayTimes;
        /// Whether planes of a die may join in one command.
        multiplane: bool = Kind::Boolean, unit "", default "true", source "ONFI (multi-plane operations)";
        /// Whether joined planes must address the same page offset of their blocks.
        multiplane_same_offset: bool = Kind::Boolean, unit "", default "true",
            source "MQSim, TSU_Base.cpp: joined transactions have the same page offset";
        /// Whether dies of a chip work at the same time.
        ///
        /// `independent`: each has a command of its own, and they share the pins. `one_at_a_time`: a chip takes no
        /// command before the last one of any of its dies is finished.
        die_work: DieWork = one_of::<DieWork>(), unit "", default "independent",
            source "ONFI (interleaved die operations)";
    }
}

/// Whether dies of a chip work at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DieWork {
    /// Each die has a command of its own; they share the pins.
    Independent,
    /// A chip takes no command before the last one of any of its dies is finished.
    OneAtATime,
}

/// One chip, as all chips of the drive are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlashSettings {
    /// Times inside the array.
    pub array: ArrayTimes,
    /// Times on the wires.
    pub commands: CommandTimes,
    /// Whether planes of a die may join in one command.
    pub multiplane: bool,
    /// Whether joined planes must address the same page offset of their blocks.
    pub multiplane_same_offset: bool,
    /// Whether dies of a chip work at the same time.
    pub die_work: DieWork,
    /// Which operations give way to others, if any do.
    pub suspension: Option<Suspension>,
}

impl FlashSettings {
    /// What is stated.
    pub fn of(stated: &FlashParameters, commands: &CommandParameters, suspend: &SuspendParameters) -> Self {
        Self {
            array: stated.array.clone(),
            commands: commands.times(stated.planes_per_die),
            multiplane: stated.multiplane,
            multiplane_same_offset: stated.multiplane_same_offset,
            die_work: stated.die_work,
            suspension: suspend.suspension(),
        }
    }
}
