//! Next command of a die, issued while the current one is in progress (cache program, cache read).
//!
//! # What it models
//! A die has a page register, with which the array works, and a cache register, which the pins access. With
//! cache program, the data of the next program arrive while the array programs. With cache read, the array
//! senses the next page while the data of the current one leave.
//!
//! # How
//! A die has at most one next command. When the current command ends, [`Chips::promote`] makes the next one
//! the current command, with the progress that it has made. A next command for which the fabric found no path
//! waits until it becomes the current one.
//!
//! # What is left out
//! The times to exchange the registers (tCBSY, tRCBSY); suspension of a program while the next one is loaded;
//! the rule of some chips that cache operations stay within a block.
//!
//! # Source
//! ONFI 4.2, chapter 5: page cache program (80h-15h), read cache random (00h-31h).
//!
//! # Parameters
//! `flash.cache_program`, `flash.cache_read`

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, MAX_PLANES, TransactionId};

use super::chips::Chips;
use super::die::{ArrayWork, CommandPhase, Operation, WireWork};
use super::steps::IssuedCommand;

/// Progress of a die's next command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// There is no next command.
    #[default]
    Nothing,
    /// The command is in flight, with its data for a program.
    Commanding,
    /// The fabric found no path for the command.
    Bounced,
    /// The data of the program are in the cache register and wait until the array is free.
    Loaded,
    /// The array senses the page of a read.
    Sensing,
    /// The data of the read are in the page register.
    Sensed,
}

/// Next command of a die.
#[derive(Clone, Debug, Default)]
pub(super) struct NextCommand {
    step: Step,
    operation: Operation,
    batch: ArrayVec<TransactionId, MAX_PLANES>,
    wires: WireWork,
    work: ArrayWork,
}

/// Progress of a next command at the instant when it becomes the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextCommandStep {
    /// There is no next command. The die becomes idle with [`DieAccess::ends`](super::DieAccess::ends).
    Nothing,
    /// The command is in flight or waits for a path.
    Commanding,
    /// The array begins the program, which ends at this time.
    Begins(SimTime),
    /// The array senses the page of a read.
    Sensing,
    /// The data of the read wait in the page register.
    Sensed,
}

impl NextCommand {
    /// Records that the array has sensed the page of the next command.
    pub(super) fn is_sensed(&mut self) {
        debug_assert_eq!(self.step, Step::Sensing, "the array works for another command");
        self.step = Step::Sensed;
    }

    /// Returns the remaining array time of the next command, summed over planes. `array_ends` is the end of
    /// the die's present array operation.
    fn ahead(&self, array_ends: Option<SimTime>, now: SimTime) -> SimSpan {
        let left = match self.step {
            Step::Nothing | Step::Sensed => SimSpan::ZERO,
            Step::Commanding | Step::Bounced | Step::Loaded => self.work.first,
            Step::Sensing => array_ends.map_or(SimSpan::ZERO, |ends| ends.since(now)),
        };
        left * self.batch.len() as u64
    }
}

impl Chips {
    /// True if `operation` may be issued as the next command of a die.
    pub fn accepts_next(&self, die: DieId, operation: Operation) -> bool {
        let (state, cached) = (self.die(die), self.settings().cache_operations);
        let is_supported = match operation {
            Operation::Program => cached.program && state.phase == CommandPhase::Array,
            Operation::Read => cached.read && state.phase == CommandPhase::DataReady,
            Operation::Erase | Operation::Copyback | Operation::Combine | Operation::Search => false,
        };
        is_supported && state.operation == operation && !state.has_parked
    }

    /// Returns the end of the array operation of a die; `None` if the array is idle.
    pub fn array_ends_at(&self, die: DieId) -> Option<SimTime> {
        self.die(die).array_ends
    }

    /// Starts the next command of a die, which occupies the chip's pins. Returns true if other dies of the chip
    /// are active.
    pub fn issue_next(&mut self, die: DieId, command: &IssuedCommand<'_>, now: SimTime) -> bool {
        debug_assert!(self.accepts_next(die, command.operation), "{command:?} on {:?}", self.die(die));
        let (state, next) = (&mut self.dies[die.index()], &mut self.next[die.index()]);
        let package = &mut self.packages[state.chip.index()];
        package.pins_busy = true;
        let &IssuedCommand { operation, batch, wires, work, conflicted, .. } = command;
        let batch = batch.iter().copied().collect();
        *next = NextCommand { step: Step::Commanding, operation, batch, wires, work };
        // The current command has arrived, so its `wires` field is free for the next command.
        (state.wires, state.conflicted) = (wires, conflicted);
        let phase = match operation {
            Operation::Read => CommandPhase::DataReadyBeforeNext,
            _ => CommandPhase::ArrayBeforeNext,
        };
        state.enter(phase, now);
        package.active_dies > 1
    }

    /// Processes the arrival of a die's next command. Returns the end of the sensing that it starts; a program
    /// waits for the array.
    pub fn next_arrives(&mut self, die: DieId, now: SimTime) -> Option<SimTime> {
        let (state, next) = (&mut self.dies[die.index()], &mut self.next[die.index()]);
        if next.operation == Operation::Program {
            next.step = Step::Loaded;
            return None;
        }
        next.step = Step::Sensing;
        state.array_ends = Some(now + next.work.first);
        state.array_ends
    }

    /// Records that the fabric found no path for a die's next command.
    pub fn next_bounces(&mut self, die: DieId) {
        self.next[die.index()].step = Step::Bounced;
        self.dies[die.index()].conflicted = false;
    }

    /// Sets the array time of a die's next command to zero, because the command failed.
    pub fn next_does_nothing(&mut self, die: DieId) {
        self.next[die.index()].work = ArrayWork::default();
    }

    /// Returns the transactions of the next command of a die.
    pub fn next_batch(&self, die: DieId) -> &[TransactionId] {
        &self.next[die.index()].batch
    }

    /// Returns the array time of the next command of a die.
    pub fn next_work(&self, die: DieId) -> ArrayWork {
        self.next[die.index()].work
    }

    /// Records that the remaining data in a die's cache register waits for a path.
    pub fn cached_data_wait(&mut self, die: DieId, now: SimTime) {
        self.dies[die.index()].enter(CommandPhase::DataReadyBeforeNext, now);
    }

    /// Makes the next command of a die the current one, after the current command has ended. Returns the
    /// progress of the next command.
    pub fn promote(&mut self, die: DieId, now: SimTime) -> NextCommandStep {
        let (state, next) = (&mut self.dies[die.index()], &mut self.next[die.index()]);
        let step = std::mem::take(&mut next.step);
        if step == Step::Nothing {
            return NextCommandStep::Nothing;
        }
        state.operation = next.operation;
        state.batch.clone_from(&next.batch);
        (state.wires, state.work, state.suspensions) = (next.wires, next.work, 0);
        match step {
            Step::Nothing => NextCommandStep::Nothing,
            Step::Commanding => {
                // The start of the transfer is kept.
                state.phase = CommandPhase::Commanding;
                NextCommandStep::Commanding
            }
            Step::Bounced => {
                self.packages[state.chip.index()].formed_commands += 1;
                state.conflicted = true;
                state.enter(CommandPhase::CommandBounced, now);
                NextCommandStep::Commanding
            }
            Step::Loaded => {
                let ends = now + state.work.first;
                state.array_ends = Some(ends);
                state.enter(CommandPhase::Array, now);
                NextCommandStep::Begins(ends)
            }
            Step::Sensing => {
                state.enter(CommandPhase::Array, now);
                NextCommandStep::Sensing
            }
            Step::Sensed => NextCommandStep::Sensed,
        }
    }

    /// Returns the remaining array time of each die's next command, summed over planes.
    pub(super) fn ahead_of_next(&self, now: SimTime) -> impl Iterator<Item = SimSpan> {
        self.dies.iter().zip(&self.next).map(move |(die, next)| next.ahead(die.array_ends, now))
    }
}
