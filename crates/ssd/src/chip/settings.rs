//! What flash chips are told: times as spans, counts as numbers, no strings.

use venice_kernel::SimSpan;

use super::{PageTypeOrder, Suspension};

/// Array times that depend on which of a cell's bits a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayTimes {
    /// tR by page type, least significant bit first; as many as the cell has bits.
    pub read: Vec<SimSpan>,
    /// tPROG by page type.
    pub program: Vec<SimSpan>,
    /// In which order the pages of a block have the types.
    pub page_types: PageTypeOrder,
    /// tBERS.
    pub erase: SimSpan,
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
}

/// Wire time of the command cycles, by command and number of planes (index 0 = one plane).
///
/// A flat model has the same number everywhere; the ONFI NV-DDR2 model computes each from the
/// interface's timing parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTimes {
    /// Read command and address, up to the start of tR.
    pub read: Vec<SimSpan>,
    /// Cycles in front of each plane's data out.
    pub data_out: SimSpan,
    /// Program command and address, without the data.
    pub program: Vec<SimSpan>,
    /// Erase command and address, up to the start of tBERS.
    pub erase: Vec<SimSpan>,
    /// The command that suspends or resumes.
    pub suspend: SimSpan,
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
