//! All chips of a drive: what their dies do, one step at a time.
//!
//! # The course of a command
//!
//! 1. [`Chips::issue`]: it is on its way, and the chip's pins are taken until [`Chips::free_pins`].
//! 2. [`Chips::array_begins`] when it has come; it says when the array will be done.
//! 3. [`Chips::array_ends`] at that instant says what is over; an end that was foreseen before a suspension is void.
//! 4. A read's data waits ([`Chips::register_full`]), goes out ([`Chips::data_goes_out`]) and is gone ([`Chips::data_left`]), page
//!    by page; a copyback's second command waits ([`Chips::program_register`]).
//! 5. [`Chips::command_ends`] and [`Chips::becomes_free`].
//!
//! A transfer that finds no path goes one step back: [`Chips::bounces`]. Nothing here knows why a command is sent, by which way, or
//! what becomes of the data.

use std::ops::Range;

use venice_kernel::SimTime;

use crate::geometry::{ChipId, DieId, Geometry, TransactionId};

use super::die::{ArrayWork, Carried, DataFor, Die, Operation, Phase, WireWork};
use super::package::Package;
use super::parked::Parked;
use super::settings::{DieWork, FlashSettings};

/// A command for a die.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    /// What the array will do.
    pub operation: Operation,
    /// Its transactions, at most one a plane.
    pub batch: &'a [TransactionId],
    /// What it takes on the wires.
    pub wires: WireWork,
    /// What it takes in the array.
    pub work: ArrayWork,
    /// The die from whose register its data comes, if from no controller.
    pub fed_by: Option<DieId>,
    /// Whether it had to wait for a path.
    pub conflicted: bool,
}

/// A transfer that has reached its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What it was.
    pub carried: Carried,
    /// When it began.
    pub since: SimTime,
    /// Whether it had met a path conflict.
    pub conflicted: bool,
}

/// What is over when an array is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayEnd {
    /// Nothing: the operation was suspended since this end was foreseen.
    Void,
    /// The operation, or the sensing of a copyback.
    Operation(Operation),
    /// The operation, while the command to suspend it is on its way.
    BeforeSuspension,
    /// The array has come to rest.
    Settled,
    /// The array has got going again.
    Restarted,
}

/// All chips of a drive.
pub struct Chips {
    pub(super) settings: FlashSettings,
    dies_per_chip: u32,
    pub(super) dies: Vec<Die>,
    /// By die: its suspended operation; empty if none is ever suspended.
    pub(super) parked: Vec<Parked>,
    packages: Vec<Package>,
}

impl Chips {
    /// Chips whose dies are all idle.
    pub fn new(settings: FlashSettings, geometry: &Geometry) -> Self {
        let parked = if settings.suspension.is_some() { geometry.dies() as usize } else { 0 };
        Self {
            settings,
            dies_per_chip: geometry.dies_per_chip,
            dies: (0..geometry.dies()).map(|die| Die::new(geometry.chip_of(DieId(die)))).collect(),
            parked: vec![Parked::default(); parked],
            packages: vec![Package::default(); geometry.array.chips() as usize],
        }
    }

    /// What they were told when the drive was built.
    #[inline]
    pub const fn settings(&self) -> &FlashSettings {
        &self.settings
    }

    /// The dies of a chip.
    #[inline]
    pub const fn dies_of(&self, chip: ChipId) -> Range<u32> {
        chip.0 * self.dies_per_chip..(chip.0 + 1) * self.dies_per_chip
    }

    /// The state of a die.
    #[inline]
    pub fn die(&self, die: DieId) -> &Die {
        &self.dies[die.index()]
    }

    /// The states of a chip's dies.
    #[inline]
    pub fn states_of(&self, chip: ChipId) -> &[Die] {
        let dies = self.dies_of(chip);
        &self.dies[dies.start as usize..dies.end as usize]
    }

    /// Whether a transfer to or from one of its dies is on a chip's pins.
    #[inline]
    pub fn pins_are_busy(&self, chip: ChipId) -> bool {
        self.packages[chip.index()].pins_busy
    }

    /// Whether none of a chip's dies has a command.
    #[inline]
    pub fn is_at_rest(&self, chip: ChipId) -> bool {
        self.packages[chip.index()].active_dies == 0
    }

    /// Whether a die can take a page that comes from another chip.
    pub fn takes_page(&self, die: DieId) -> bool {
        let state = self.die(die);
        let package = &self.packages[state.chip.index()];
        let is_free = self.settings.die_work == DieWork::Independent || package.active_dies == 0;
        state.is_idle() && is_free && !package.pins_busy
    }

    /// Since when nothing but the path keeps a die that is free from taking its next command.
    #[inline]
    pub fn ready_since(&self, die: DieId, chip: ChipId) -> SimTime {
        let (state, package) = (self.die(die), &self.packages[chip.index()]);
        let free = match self.settings.die_work {
            DieWork::Independent => state.since,
            DieWork::OneAtATime => state.since.max(package.die_free_since),
        };
        free.max(package.pins_free_since)
    }

    /// Since when nothing but the path keeps what a die has, its data or its formed command, from going out.
    #[inline]
    pub fn waits_since(&self, die: DieId, chip: ChipId) -> SimTime {
        self.die(die).since.max(self.packages[chip.index()].pins_free_since)
    }

    /// A transfer keeps a chip's pins busy from now on.
    #[inline]
    pub fn take_pins(&mut self, chip: ChipId) {
        self.packages[chip.index()].pins_busy = true;
    }

    /// It does so no more.
    #[inline]
    pub fn free_pins(&mut self, chip: ChipId, now: SimTime) {
        let package = &mut self.packages[chip.index()];
        (package.pins_busy, package.pins_free_since) = (false, now);
    }

    /// A die's command goes out, and keeps the chip's pins busy. Whether other dies of its chip work already.
    #[inline]
    pub fn issue(&mut self, die: DieId, command: &Issue<'_>, now: SimTime) -> bool {
        let state = &mut self.dies[die.index()];
        debug_assert!(matches!(state.phase, Phase::Idle | Phase::Suspended), "{die:?} has a command");
        let package = &mut self.packages[state.chip.index()];
        package.pins_busy = true;
        // A die with a suspended operation is active all the while.
        let begins = !state.has_parked;
        let is_interleaved = begins && package.active_dies > 0;
        if begins {
            if package.active_dies == 0 {
                package.active_since = now;
            }
            package.active_dies += 1;
        }
        state.enter(Phase::Commanding, now);
        state.operation = command.operation;
        // One by one: mostly it is one, and copying arrays would call for a block of memory.
        state.batch.clear();
        state.batch.extend(command.batch.iter().copied());
        (state.wires, state.work) = (command.wires, command.work);
        (state.fed_by, state.conflicted) = (command.fed_by, command.conflicted);
        state.suspensions = 0;
        is_interleaved
    }

    /// A formed command goes out at last.
    pub fn formed_command_goes_out(&mut self, die: DieId, conflicted: bool, now: SimTime) {
        let state = &mut self.dies[die.index()];
        debug_assert!(matches!(state.phase, Phase::CommandBounced | Phase::CommandReady), "{die:?} has none");
        state.conflicted |= conflicted;
        state.enter(Phase::Commanding, now);
    }

    /// A transfer of a die has reached its end.
    #[inline]
    pub fn transfer_ends(&mut self, die: DieId) -> Ended {
        let state = &mut self.dies[die.index()];
        let conflicted = std::mem::take(&mut state.conflicted);
        Ended { carried: state.carried(), since: state.since, conflicted }
    }

    /// A transfer of a die has found no path after all: what it carried waits again, but for a command to suspend or resume.
    pub fn bounces(&mut self, die: DieId, now: SimTime) -> Carried {
        let state = &mut self.dies[die.index()];
        state.conflicted = true;
        let carried = state.carried();
        match carried {
            Carried::Command => state.enter(Phase::CommandBounced, now),
            Carried::Data => state.enter(Phase::DataReady, now),
            Carried::Suspension => {}
        }
        carried
    }

    /// The die from whose register the data of the command under way comes, if from no controller. It is told once.
    #[inline]
    pub fn take_feeder(&mut self, die: DieId) -> Option<DieId> {
        self.dies[die.index()].fed_by.take()
    }

    /// What a die has been told comes to nothing: its array does nothing for it.
    pub fn does_nothing(&mut self, die: DieId) {
        self.dies[die.index()].work = ArrayWork::default();
    }

    /// A command, with its data if it has any, is at its die: the array works. When it will be done.
    #[inline]
    pub fn array_begins(&mut self, die: DieId, now: SimTime) -> SimTime {
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, Phase::Commanding, "{die:?}");
        state.enter(Phase::Array, now);
        let ends = now + state.work.first;
        state.array_ends = Some(ends);
        ends
    }

    /// The instant has come for which the end of a die's array was foreseen: what is over.
    #[inline]
    pub fn array_ends(&mut self, die: DieId, now: SimTime) -> ArrayEnd {
        let state = &mut self.dies[die.index()];
        if state.array_ends != Some(now) {
            return ArrayEnd::Void;
        }
        state.array_ends = None;
        match state.phase {
            Phase::Array => ArrayEnd::Operation(state.operation),
            Phase::Suspending => ArrayEnd::BeforeSuspension,
            Phase::Settling => ArrayEnd::Settled,
            Phase::Restarting => ArrayEnd::Restarted,
            phase => {
                debug_assert!(false, "{die:?} has no array at work in {phase:?}");
                ArrayEnd::Void
            }
        }
    }

    /// Pages are in their registers, and wait for a path in this turn.
    #[inline]
    pub fn register_full(&mut self, die: DieId, turn: (DataFor, SimTime), now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.data_turn = turn;
        state.enter(Phase::DataReady, now);
    }

    /// A copyback has its pages in their registers: the command to program them waits for a path.
    pub fn program_register(&mut self, die: DieId, now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.operation = Operation::Program;
        state.wires = WireWork { command: self.settings.commands.program[state.batch.len() - 1], bytes: 0 };
        state.work.first = state.work.program;
        state.enter(Phase::CommandReady, now);
    }

    /// Data of the first page goes out.
    #[inline]
    pub fn data_goes_out(&mut self, die: DieId, conflicted: bool, now: SimTime) {
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, Phase::DataReady, "{die:?}");
        state.enter(Phase::DataOut, now);
        state.conflicted |= conflicted;
    }

    /// It is out: whose it was.
    #[inline]
    pub fn data_left(&mut self, die: DieId) -> TransactionId {
        self.dies[die.index()].batch.remove(0)
    }

    /// Data of another page, if there is any, waits for a path from now on. Whether there is.
    #[inline]
    pub fn await_next_page(&mut self, die: DieId, now: SimTime) -> bool {
        let state = &mut self.dies[die.index()];
        let has_more = !state.batch.is_empty();
        if has_more {
            state.enter(Phase::DataReady, now);
        }
        has_more
    }

    /// The transactions of a die's command are all finished.
    #[inline]
    pub fn clear_batch(&mut self, die: DieId) {
        self.dies[die.index()].batch.clear();
    }

    /// A die is done with its command. Since when its chip was active, if it is so no more.
    #[inline]
    pub fn command_ends(&mut self, die: DieId) -> Option<SimTime> {
        let state = &self.dies[die.index()];
        let package = &mut self.packages[state.chip.index()];
        package.active_dies -= u32::from(!state.has_parked);
        (package.active_dies == 0).then_some(package.active_since)
    }

    /// A die may take a command, or go on with what it has put aside.
    #[inline]
    pub fn becomes_free(&mut self, die: DieId, now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.enter(if state.has_parked { Phase::Suspended } else { Phase::Idle }, now);
        self.packages[state.chip.index()].die_free_since = now;
    }

    /// Since when each chip is active that is, counted from the beginning of measurement.
    pub fn active_since(&self) -> impl Iterator<Item = SimTime> {
        self.packages.iter().filter(|package| package.active_dies > 0).map(|package| package.active_since)
    }

    /// Time of activity is counted from now on.
    pub fn begin_measuring(&mut self, now: SimTime) {
        for package in self.packages.iter_mut().filter(|package| package.active_dies > 0) {
            package.active_since = now;
        }
    }
}
