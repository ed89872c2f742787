//! The state of one die, and what can be told to it in each.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{ChipId, DieId, MAX_PLANES, TransactionId};

/// What a die's array does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Sense a page of each plane of the command.
    #[default]
    Read,
    /// Program a page of each plane of the command.
    Program,
    /// Erase a block of each plane of the command.
    Erase,
    /// Sense a page of each plane into its page register, from where a second command programs it.
    Copyback,
    /// Combine a page, which comes with the command or is sensed first, with the running result of a gather.
    Combine,
}

/// Who waits for data in a page register, in the order in which it goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataFor {
    /// A look-up, or a write-back, of the map.
    Map,
    /// The host, or a write of it.
    Host,
    /// Collection.
    Collection,
}

/// What a transfer to or from a die is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A command, with its data if it has any.
    Command,
    /// Data of one page, out of its register.
    Data,
    /// A command to suspend or to resume.
    Suspension,
}

/// What a die sends or is sent besides new commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Data of the first page in its registers.
    Data,
    /// The command that was formed for it before.
    FormedCommand,
    /// The command to suspend.
    Suspend,
    /// The command to resume.
    Resume,
}

/// What a die can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// Any command.
    Command,
    /// The command that was formed for it and found no path yet.
    ItsCommand,
    /// To suspend what its array does.
    Suspend,
    /// Commands that a suspended operation lets pass, or to resume that.
    PassingOrResume,
    /// Nothing.
    Nothing,
}

/// Where a die is in its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing to do.
    Idle,
    /// The command (with its data, for a program) is on its way.
    Commanding,
    /// The command found no path after all and waits for one.
    CommandBounced,
    /// The second command of a copyback waits for a path.
    CommandReady,
    /// The array works.
    Array,
    /// Data waits in the page register for a path.
    DataReady,
    /// Data of one plane is on its way out.
    DataOut,
    /// The command to suspend is on its way; the array works.
    Suspending,
    /// It still is, but the operation has ended.
    SuspendingTooLate,
    /// The array comes to rest.
    Settling,
    /// An operation is suspended, and the die can do others.
    Suspended,
    /// The command to resume is on its way.
    Resuming,
    /// The array gets going again.
    Restarting,
}

impl Phase {
    /// What a die in it can be told, where operations may be suspended.
    #[inline]
    const fn accepts(self) -> Accepts {
        match self {
            Self::Idle => Accepts::Command,
            Self::CommandBounced | Self::CommandReady => Accepts::ItsCommand,
            Self::Array => Accepts::Suspend,
            Self::Suspended => Accepts::PassingOrResume,
            _ => Accepts::Nothing,
        }
    }

    /// Whether this can go out to a die in it, or from it.
    pub(super) const fn can_send(self, sent: Sent) -> bool {
        match sent {
            Sent::Data => matches!(self, Self::DataReady),
            Sent::FormedCommand => matches!(self, Self::CommandBounced | Self::CommandReady),
            Sent::Suspend => matches!(self, Self::Array),
            Sent::Resume => matches!(self, Self::Suspended),
        }
    }

    /// What is on its way to or from a die in it.
    #[inline]
    const fn carried(self) -> Carried {
        match self {
            Self::Commanding => Carried::Command,
            Self::DataOut => Carried::Data,
            _ => Carried::Suspension,
        }
    }
}

/// What a command takes on the wires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireWork {
    /// The command and address cycles.
    pub command: SimSpan,
    /// Data that goes with them.
    pub bytes: u32,
}

/// How long a command keeps the array at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayWork {
    /// Until it is done, or, of a copyback, until its pages are in their registers.
    pub first: SimSpan,
    /// Of a copyback: the program that follows.
    pub program: SimSpan,
}

impl ArrayWork {
    /// As long as the longest of two planes.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { first: self.first.max(other.first), program: self.program.max(other.program) }
    }
}

/// A die.
#[derive(Clone, Debug)]
pub struct Die {
    /// The chip that it is on.
    pub(super) chip: ChipId,
    /// Where it is in its command.
    pub(super) phase: Phase,
    /// What the command does; meaningless while idle.
    pub(super) operation: Operation,
    /// The command's transactions, at most one a plane; those still to be finished.
    pub(super) batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// When the present phase began.
    pub(super) since: SimTime,
    /// What the command in progress takes on the wires, kept in case it must be offered again.
    pub(super) wires: WireWork,
    /// What it takes in the array.
    pub(super) work: ArrayWork,
    /// When the array will have done what it does now; an end that was foreseen for another instant has become void.
    pub(super) array_ends: Option<SimTime>,
    /// Of a read: for whom, and since when, its data waits in the page registers. Earlier turns come first.
    pub(super) data_turn: (DataFor, SimTime),
    /// How often the operation has been suspended.
    pub(super) suspensions: u32,
    /// Whether an operation is suspended, whatever the die does meanwhile.
    pub(super) has_parked: bool,
    /// The die from whose register the data of the command under way comes, if from no controller.
    pub(super) fed_by: Option<DieId>,
    /// Whether the transfer under way met a path conflict.
    pub(super) conflicted: bool,
}

impl Die {
    /// An idle die of this chip.
    pub(super) fn new(chip: ChipId) -> Self {
        Self {
            chip,
            phase: Phase::Idle,
            operation: Operation::Read,
            batch: ArrayVec::new(),
            since: SimTime::ZERO,
            wires: WireWork::default(),
            work: ArrayWork::default(),
            array_ends: None,
            data_turn: (DataFor::Map, SimTime::ZERO),
            suspensions: 0,
            has_parked: false,
            fed_by: None,
            conflicted: false,
        }
    }

    /// Moves to `phase` at `now`.
    #[inline]
    pub(super) fn enter(&mut self, phase: Phase, now: SimTime) {
        self.phase = phase;
        self.since = now;
    }

    /// The pages of a copyback are in their registers: the command to program them waits for a path.
    pub(super) fn program_register(&mut self, command: SimSpan, now: SimTime) {
        self.operation = Operation::Program;
        self.wires = WireWork { command, bytes: 0 };
        self.work.first = self.work.program;
        self.enter(Phase::CommandReady, now);
    }

    /// What it can be told, where operations may be suspended.
    #[inline]
    pub const fn accepts(&self) -> Accepts {
        self.phase.accepts()
    }

    /// What is on its way to it or from it, while something is.
    #[inline]
    pub const fn carried(&self) -> Carried {
        self.phase.carried()
    }

    /// Whether it has nothing to do and nothing put aside.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Whether data in its page register waits for a path.
    #[inline]
    pub fn has_data(&self) -> bool {
        self.phase == Phase::DataReady
    }

    /// Whether its formed command has been on a path already and got no further.
    #[inline]
    pub fn has_bounced(&self) -> bool {
        self.phase == Phase::CommandBounced
    }

    /// The chip that it is on.
    #[inline]
    pub const fn chip(&self) -> ChipId {
        self.chip
    }

    /// What its command does; meaningless while idle.
    #[inline]
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// The transactions of its command that are still to be finished, by plane.
    #[inline]
    pub fn batch(&self) -> &[TransactionId] {
        &self.batch
    }

    /// The time for which its array works.
    pub const fn work(&self) -> ArrayWork {
        self.work
    }

    /// What its command takes on the wires.
    #[inline]
    pub const fn wires(&self) -> WireWork {
        self.wires
    }

    /// For whom, and since when, its data waits in the page registers.
    #[inline]
    pub const fn data_turn(&self) -> (DataFor, SimTime) {
        self.data_turn
    }
}
