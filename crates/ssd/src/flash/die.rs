//! The state of one die, and of the pins that the dies of a chip share.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, MAX_PLANES, TransactionId};

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

/// Where a die is in its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
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

/// A die.
#[derive(Clone, Debug)]
pub struct Die {
    /// Where it is in its command.
    pub phase: Phase,
    /// What the command does; meaningless while idle.
    pub operation: Operation,
    /// The command's transactions, at most one a plane; those still to be finished.
    pub batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// When the present phase began.
    pub since: SimTime,
    /// Wire time and data of the command in progress, kept in case it must be offered again.
    pub command: (SimSpan, u32),
    /// How long the array will work on it.
    pub array_time: SimSpan,
    /// When the array will have done what it does now; an end that was foreseen for another instant has become void.
    pub array_ends: Option<SimTime>,
    /// Of a read: for whom, and since when, its data waits in the page registers. Earlier turns come first.
    pub data_turn: (DataFor, SimTime),
    /// How long the program of a copyback will take.
    pub then_program: SimSpan,
    /// How often the operation has been suspended.
    pub suspensions: u32,
    /// Whether an operation is suspended, whatever the die does meanwhile.
    pub has_parked: bool,
    /// The die from whose register the data of the command under way comes, if from no controller.
    pub fed_by: Option<DieId>,
    /// Whether the transfer under way met a path conflict.
    pub conflicted: bool,
}

impl Die {
    /// An idle die.
    pub fn new() -> Self {
        Self {
            phase: Phase::Idle,
            operation: Operation::Read,
            batch: ArrayVec::new(),
            since: SimTime::ZERO,
            command: (SimSpan::ZERO, 0),
            array_time: SimSpan::ZERO,
            array_ends: None,
            data_turn: (DataFor::Map, SimTime::ZERO),
            then_program: SimSpan::ZERO,
            suspensions: 0,
            has_parked: false,
            fed_by: None,
            conflicted: false,
        }
    }

    /// Moves to `phase` at `now`.
    #[inline]
    pub fn enter(&mut self, phase: Phase, now: SimTime) {
        self.phase = phase;
        self.since = now;
    }
}

impl Default for Die {
    fn default() -> Self {
        Self::new()
    }
}

/// A chip: the pins its dies share, and how long it has been busy.
#[derive(Clone, Debug, Default)]
pub struct Chip {
    /// Whether a transfer to or from one of its dies is on the pins.
    pub pins_busy: bool,
    /// When the pins last became free.
    pub pins_free_since: SimTime,
    /// When one of its dies last became free.
    pub die_free_since: SimTime,
    /// Dies that are not idle.
    pub active_dies: u32,
    /// When the first of the active dies became so.
    pub active_since: SimTime,
}
