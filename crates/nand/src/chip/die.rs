//! State of one die and of its current command.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{ChipId, DieId, MAX_PLANES, TransactionId};

/// Operation of a die's array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Sense a page of each plane of the command.
    #[default]
    Read,
    /// Program a page of each plane of the command.
    Program,
    /// Erase a block of each plane of the command.
    Erase,
    /// Sense a page of each plane into the page register; a second command programs it from there.
    Copyback,
    /// Combine a page with the intermediate result of a gather (combination of several pages in flash). The
    /// page arrives with the command or is sensed first.
    Combine,
    /// Sense a page for a search. The page then moves to the chip's matcher or output register, and the die
    /// is free.
    Search,
}

/// Purpose of the data in a page register. Data of an earlier variant is transferred first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataConsumer {
    /// Data of a translation page, for a look-up or a write-back.
    Map,
    /// Data for the host, or old data that a partial write needs.
    Host,
    /// Data that garbage collection relocates.
    Collection,
    /// Short result of a search in the chip.
    SearchAnswer,
    /// Page of a search, as opposed to its short result.
    SearchPage,
    /// Page that scrub has read.
    Scrub,
}

impl DataConsumer {
    /// Returns true if the data has low priority: it uses a path only if no other data can use it, and no
    /// command other than those of scrub.
    #[inline]
    pub fn is_late(self) -> bool {
        self >= Self::SearchAnswer
    }
}

/// Content of a transfer to or from a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferContent {
    /// Transfer of a command, with the data of a program.
    Command,
    /// Transfer of one page from the page register.
    Data,
    /// Suspend or resume command.
    Suspension,
    /// Transfer of a command, with the data of a program, while the previous command is still in progress.
    NextCommand,
    /// Transfer of one page from the cache register, while the array executes the next command.
    CachedData,
    /// Transfer of a result from a search output of the chip.
    SearchResult,
}

/// Transfer that a die needs after a command has been issued to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DieTransfer {
    /// Data of the first page in the page registers.
    Data,
    /// Prepared ("formed") command, which waits for a path to the die.
    FormedCommand,
    /// Suspend command.
    Suspend,
    /// Resume command.
    Resume,
}

/// Commands that a die accepts in its present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedCommands {
    /// The die accepts any command.
    Command,
    /// The die accepts only the command that has been prepared for it and waits for a path.
    ItsCommand,
    /// The die accepts only a suspend command or, with cache operations, the next program.
    Suspend,
    /// The die accepts only the next read, with cache operations.
    NextRead,
    /// The die accepts a resume command, and the commands that are allowed while its operation is suspended.
    PassingOrResume,
    /// The die accepts no command.
    Nothing,
}

/// Phase of a die's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandPhase {
    /// The die is idle.
    Idle,
    /// A command is in flight, with its data for a program.
    Commanding,
    /// The fabric found no path for the command, which waits for one.
    CommandBounced,
    /// The second command of a copyback waits for a path.
    CommandReady,
    /// The array executes an operation.
    Array,
    /// Data in the page register waits for a path.
    DataReady,
    /// The data of one plane is in flight.
    DataOut,
    /// A suspend command is in flight during the array operation.
    Suspending,
    /// A suspend command is still in flight, but the array operation has already ended.
    SuspendingTooLate,
    /// The array is stopping after a suspend command (tESPD, tPSPD).
    Stopping,
    /// The operation is suspended; other commands are accepted.
    Suspended,
    /// A resume command is in flight.
    Resuming,
    /// The array is restarting after a suspension.
    Restarting,
    /// The array executes a program, and the next program has been issued.
    ArrayBeforeNext,
    /// Data in the cache register waits for a path; the next read has been issued.
    DataReadyBeforeNext,
    /// The data of one plane is in flight from the cache register; the next read has been issued.
    DataOutBeforeNext,
    /// A sensed page of a search waits for the chip's matcher or output register.
    Latched,
    /// A result at a search output waits for a path.
    ResultReady,
    /// A result of a search is in flight.
    ResultOut,
}

impl CommandPhase {
    /// Returns the commands that the die accepts in this phase, if suspension is enabled.
    #[inline]
    const fn accepts(self) -> AcceptedCommands {
        match self {
            Self::Idle => AcceptedCommands::Command,
            Self::CommandBounced | Self::CommandReady => AcceptedCommands::ItsCommand,
            Self::Array => AcceptedCommands::Suspend,
            Self::DataReady => AcceptedCommands::NextRead,
            Self::Suspended => AcceptedCommands::PassingOrResume,
            _ => AcceptedCommands::Nothing,
        }
    }

    /// True if `sent` can be transferred to or from a die in this phase.
    pub(super) const fn can_send(self, sent: DieTransfer) -> bool {
        match sent {
            DieTransfer::Data => {
                matches!(self, Self::DataReady | Self::DataReadyBeforeNext | Self::ResultReady)
            }
            DieTransfer::FormedCommand => matches!(self, Self::CommandBounced | Self::CommandReady),
            DieTransfer::Suspend => matches!(self, Self::Array),
            DieTransfer::Resume => matches!(self, Self::Suspended),
        }
    }

    /// Returns the content of the transfer in flight in this phase.
    #[inline]
    const fn carried(self) -> TransferContent {
        match self {
            Self::Commanding => TransferContent::Command,
            Self::DataOut => TransferContent::Data,
            Self::ArrayBeforeNext | Self::DataReadyBeforeNext => TransferContent::NextCommand,
            Self::DataOutBeforeNext => TransferContent::CachedData,
            Self::ResultOut => TransferContent::SearchResult,
            _ => TransferContent::Suspension,
        }
    }
}

/// Transfer of a command: command cycles and data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireWork {
    /// Time of the command and address cycles.
    pub command: SimSpan,
    /// Bytes of data that are sent with the command cycles.
    pub bytes: u32,
}

/// Set of pages of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSet {
    /// Page offset, within the block, that the lowest bit of the mask represents.
    pub first: u32,
    /// Bit mask of the pages; bit i represents the page at offset `first` + i.
    pub mask: u64,
}

impl PageSet {
    /// Divides the pages into groups of `count` and returns the set of the first page of each group.
    pub(super) fn every(self, count: u32) -> Self {
        let firsts = (0..u64::BITS).step_by(count as usize).fold(0, |mask, bit| mask | 1 << bit);
        Self { mask: self.mask & firsts, ..self }
    }

    /// Returns the number of pages in the set.
    pub const fn count(self) -> u32 {
        self.mask.count_ones()
    }

    /// Returns the sum of `time_of` over the offsets of the pages.
    pub(super) fn times(self, time_of: impl Fn(u32) -> SimSpan) -> SimSpan {
        let bits = (0..u64::BITS).filter(|bit| self.mask >> bit & 1 != 0);
        bits.fold(SimSpan::ZERO, |sum, bit| sum + time_of(self.first + bit))
    }
}

/// Array operation on one page of a command. Pages are given by their offset within the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOperation {
    /// Sense the page at this offset.
    Sense(u32),
    /// Sense a page for a read of the host.
    HostSense {
        /// Offset of the page within its block.
        offset: u32,
        /// Bytes of the host read, which can extend over several pages.
        command_bytes: u64,
    },
    /// Read a page whose data is in the page register.
    ReadRegister,
    /// Program the page at this offset.
    Program(u32),
    /// Sense several pages one after the other.
    SenseEach(PageSet),
    /// Program several pages, program unit by program unit.
    ProgramEach(PageSet),
    /// Second (fine) pass of pages, program unit by program unit.
    ProgramFine {
        /// Number of pages that are programmed.
        pages: u32,
    },
    /// Erase the block of the command.
    Erase,
    /// Sense pages of a block in SLC mode one after the other.
    SenseSlc {
        /// Number of pages that are sensed.
        pages: u32,
    },
    /// Program pages of a block in SLC mode one after the other.
    ProgramSlc {
        /// Number of pages that are programmed.
        pages: u32,
    },
    /// Erase a block in SLC mode.
    EraseSlc,
    /// Sense a page, and program it elsewhere in its plane.
    Copyback {
        /// Offset of the sensed page within its block.
        from: u32,
        /// Offset of the programmed page within its block.
        to: u32,
    },
    /// Combine an operand, sent with the command, with the intermediate result of a gather.
    CombineLoaded {
        /// Time to combine the pages.
        operation: SimSpan,
    },
    /// Sense one or more operands of a gather together, and combine them with the intermediate result.
    CombineSensed {
        /// Offset of the first operand within its block.
        offset: u32,
        /// Additional time of sensing several word lines at once, in parts per million of tR.
        added_ppm: u32,
        /// Time to combine the pages.
        operation: SimSpan,
    },
    /// Sense operands of a gather in a block in SLC mode together, and combine them with the intermediate
    /// result.
    CombineSlc {
        /// Additional time of sensing several word lines at once, in parts per million of tR.
        added_ppm: u32,
        /// Time to combine the pages.
        operation: SimSpan,
    },
    /// Sense several operands of a gather that are bits of the same cells, and combine them with the
    /// intermediate result.
    CombineBits {
        /// Number of read voltages that are applied.
        voltages: u32,
        /// Time to combine the pages.
        operation: SimSpan,
    },
}

impl PageOperation {
    /// Returns the operation on the same pages in a block in SLC mode.
    #[must_use]
    pub const fn in_slc_mode(self) -> Self {
        match self {
            Self::Sense(_) | Self::HostSense { .. } => Self::SenseSlc { pages: 1 },
            Self::SenseEach(pages) => Self::SenseSlc { pages: pages.count() },
            Self::Program(_) => Self::ProgramSlc { pages: 1 },
            Self::ProgramEach(pages) => Self::ProgramSlc { pages: pages.count() },
            Self::Erase => Self::EraseSlc,
            Self::CombineSensed { added_ppm, operation, .. } => Self::CombineSlc { added_ppm, operation },
            other => other,
        }
    }
}

/// Time that a command occupies the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayWork {
    /// Time until the operation ends. For a copyback, time until its pages are in the registers.
    pub first: SimSpan,
    /// Time of the program of a copyback; zero otherwise.
    pub program: SimSpan,
}

impl ArrayWork {
    /// Returns the greater value of each time, that is, the time of two planes that work in parallel.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { first: self.first.max(other.first), program: self.program.max(other.program) }
    }
}

/// State of a die.
#[derive(Clone, Debug)]
pub struct Die {
    /// Chip of the die.
    pub(super) chip: ChipId,
    /// Phase of the current command.
    pub(super) phase: CommandPhase,
    /// Operation of the current command; undefined while the die is idle.
    pub(super) operation: Operation,
    /// Unfinished transactions of the current command, at most one per plane.
    pub(super) batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// Start of the current phase.
    pub(super) since: SimTime,
    /// Command cycles and data of the current command. They are kept in case the fabric finds no path, so
    /// that the transfer can be attempted again.
    pub(super) wires: WireWork,
    /// Array time of the die's command.
    pub(super) work: ArrayWork,
    /// End of the current array operation. Events that were scheduled for another instant have no effect.
    pub(super) array_ends: Option<SimTime>,
    /// Purpose of the data in the page registers, and start of the data's wait for a path. The die with the
    /// smallest value sends its data first.
    pub(super) data_turn: (DataConsumer, SimTime),
    /// Number of suspensions of the current operation.
    pub(super) suspensions: u32,
    /// True if an operation of the die is suspended ("parked"), even if the die executes another command.
    pub(super) has_parked: bool,
    /// Die that sends the data of the current command in a chip-to-chip copy.
    pub(super) fed_by: Option<DieId>,
    /// True if the transfer in flight had to wait for a path.
    pub(super) conflicted: bool,
}

impl Die {
    /// Creates an idle die of `chip`.
    pub(super) fn new(chip: ChipId) -> Self {
        Self {
            chip,
            phase: CommandPhase::Idle,
            operation: Operation::Read,
            batch: ArrayVec::new(),
            since: SimTime::ZERO,
            wires: WireWork::default(),
            work: ArrayWork::default(),
            array_ends: None,
            data_turn: (DataConsumer::Map, SimTime::ZERO),
            suspensions: 0,
            has_parked: false,
            fed_by: None,
            conflicted: false,
        }
    }

    #[inline]
    pub(super) fn enter(&mut self, phase: CommandPhase, now: SimTime) {
        self.phase = phase;
        self.since = now;
    }

    /// Turns a copyback whose pages have been sensed into a program, whose command then waits for a path.
    pub(super) fn program_register(&mut self, command: SimSpan, now: SimTime) {
        self.operation = Operation::Program;
        self.wires = WireWork { command, bytes: 0 };
        self.work.first = self.work.program;
        self.enter(CommandPhase::CommandReady, now);
    }

    /// Returns the commands that the die accepts, with suspension enabled.
    #[inline]
    pub const fn accepts(&self) -> AcceptedCommands {
        self.phase.accepts()
    }

    /// Returns the content of the transfer in flight.
    #[inline]
    pub const fn carried(&self) -> TransferContent {
        self.phase.carried()
    }

    /// True if the die has neither a command nor a suspended operation.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.phase == CommandPhase::Idle
    }

    /// True if data in the page register waits for a path.
    #[inline]
    pub fn has_data(&self) -> bool {
        self.phase == CommandPhase::DataReady
    }

    /// True if the die has a command that waits because the fabric found no path.
    #[inline]
    pub fn has_bounced(&self) -> bool {
        self.phase == CommandPhase::CommandBounced
    }

    /// Returns the chip of the die.
    #[inline]
    pub const fn chip(&self) -> ChipId {
        self.chip
    }

    /// Returns the operation of the current command; undefined while the die is idle.
    #[inline]
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the unfinished transactions of the current command, by plane.
    #[inline]
    pub fn batch(&self) -> &[TransactionId] {
        &self.batch
    }

    /// Returns the array time of the current command.
    pub const fn work(&self) -> ArrayWork {
        self.work
    }

    /// Returns the command cycles and data of the current command.
    #[inline]
    pub const fn wires(&self) -> WireWork {
        self.wires
    }

    /// Returns the purpose of the data in the page registers, and the start of the data's wait for a path.
    #[inline]
    pub const fn data_turn(&self) -> (DataConsumer, SimTime) {
        self.data_turn
    }
}
