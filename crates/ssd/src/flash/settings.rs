//! What flash chips are told: times as spans, counts as numbers, no strings.

use venice_kernel::SimSpan;

/// Array times that depend on which of a cell's bits a page holds.
///
/// Pages of a block cycle through the page types: least significant bit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayTimes {
    /// tR by page type, least significant bit first; as many as the cell has bits.
    pub read: Vec<SimSpan>,
    /// tPROG by page type.
    pub program: Vec<SimSpan>,
    /// tBERS.
    pub erase: SimSpan,
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
}
