//! All chips of a drive: what their dies do, one step at a time.
//!
//! # The course of a command
//!
//! 1. [`Chips::issue`]: it is on its way, and the chip's pins are taken until [`Chips::transfer_ends`] or [`Chips::bounces`].
//! 2. [`Chips::array_begins`] when it has come; it says when the array will be done.
//! 3. [`Chips::array_ends`] at that instant says what is over; an end that was foreseen before a suspension is void.
//! 4. A read's data waits ([`Chips::register_full`]), [goes out](Chips::sends) and is [gone](Chips::page_left), page by page; a copyback's
//!    second command waits since its sensing ended.
//! 5. [`Chips::ends`]: the die is free.
//!
//! A transfer that finds no path goes one step back. Nothing here knows why a command is sent, by which way, or what becomes of
//! the data.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{ChipId, DieId, Geometry, TransactionId};

use super::die::{ArrayWork, Carried, DataFor, Die, Operation, Phase, Sent, WireWork};
use super::package::Package;
use super::parked::{Parked, Stayed, ahead_on, park, resume};
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
    /// The die whose suspended operation lets it pass, if there is one.
    pub passes: Option<DieId>,
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
    /// The die from whose register the data of a command came, if from no controller.
    pub fed_by: Option<DieId>,
}

/// A transfer that has found no path after all: what it carried waits again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounced {
    /// A command, in the die's name.
    Command,
    /// Data, in its register.
    Data,
    /// A command to suspend or to resume is forgotten.
    Suspension(Stayed),
}

/// A page that has left the register of its die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLeft {
    /// Whose it was.
    pub id: TransactionId,
    /// Whether another one waits behind it.
    pub has_more: bool,
    /// The chip that it was read on, unless it was combined there.
    pub read_on: Option<ChipId>,
}

/// What is over when an array is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayEnd {
    /// Nothing: the operation was suspended since this end was foreseen.
    Void,
    /// The operation; not that of a copyback, which is a program by then.
    Operation(Operation),
    /// The sensing of a copyback: the command to program its pages waits for a path.
    Sensing,
    /// The operation, while the command to suspend it is on its way. That transfer goes on.
    BeforeSuspension,
    /// The array has come to rest: this operation is put aside, and the die can do others.
    Settled(Operation),
    /// The array has got going again: the operation goes on, and will end then.
    Restarted(SimTime),
}

/// Work that has been begun and is not over, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// For how long chips have had a die at work that have one, summed over them; since the beginning of measurement, if that is later.
    pub active_ps: i128,
    /// Array time to come of operations that have begun, summed over planes.
    pub ahead_ps: i128,
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

    /// What the dies of a chip share.
    #[inline]
    pub fn package(&self, chip: ChipId) -> &Package {
        &self.packages[chip.index()]
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
    pub fn ready_since(&self, die: DieId) -> SimTime {
        let state = self.die(die);
        let package = &self.packages[state.chip.index()];
        let free = match self.settings.die_work {
            DieWork::Independent => state.since,
            DieWork::OneAtATime => state.since.max(package.die_free_since),
        };
        free.max(package.pins_free_since)
    }

    /// Since when nothing but the path keeps what a die has, its data or its formed command, from going out.
    #[inline]
    pub fn waits_since(&self, die: DieId) -> SimTime {
        let state = self.die(die);
        state.since.max(self.packages[state.chip.index()].pins_free_since)
    }

    /// A die's command goes out, and keeps the chip's pins busy. Whether other dies of its chip work already.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is issued is known where it is issued")]
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
        if let Some(passed) = command.passes {
            self.parked[passed.index()].commands += 1;
        }
        is_interleaved
    }

    /// Something goes out to a die, or from it, and keeps the chip's pins busy.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is sent is known where it is sent")]
    pub fn sends(&mut self, die: DieId, sent: Sent, conflicted: bool, now: SimTime) {
        let state = &mut self.dies[die.index()];
        let phase = match sent {
            Sent::Data => Phase::DataOut,
            Sent::FormedCommand => Phase::Commanding,
            Sent::Suspend => Phase::Suspending,
            Sent::Resume => Phase::Resuming,
        };
        debug_assert!(state.phase.can_send(sent), "{die:?} sends {sent:?} in {:?}", state.phase);
        let package = &mut self.packages[state.chip.index()];
        package.pins_busy = true;
        if sent == Sent::FormedCommand {
            package.formed_commands -= 1;
        }
        state.conflicted |= conflicted;
        state.enter(phase, now);
    }

    /// A transfer of a die has reached its end: the chip's pins are free. What it was, and the die as it is then.
    #[inline]
    pub fn transfer_ends(&mut self, die: DieId, now: SimTime) -> (Ended, &Die) {
        let state = &mut self.dies[die.index()];
        self.packages[state.chip.index()].free_pins(now);
        let (conflicted, fed_by) = (std::mem::take(&mut state.conflicted), state.fed_by.take());
        (Ended { carried: state.carried(), since: state.since, conflicted, fed_by }, state)
    }

    /// A transfer of a die has found no path after all: the chip's pins are free.
    pub fn bounces(&mut self, die: DieId, now: SimTime) -> Bounced {
        let state = &mut self.dies[die.index()];
        let package = &mut self.packages[state.chip.index()];
        package.free_pins(now);
        package.formed_commands += u32::from(state.phase == Phase::Commanding);
        state.conflicted = true;
        let (phase, bounced) = match state.phase {
            Phase::Commanding => (Phase::CommandBounced, Bounced::Command),
            Phase::DataOut => (Phase::DataReady, Bounced::Data),
            Phase::Suspending => (Phase::Array, Bounced::Suspension(Stayed::AtWork)),
            Phase::Resuming => (Phase::Suspended, Bounced::Suspension(Stayed::Suspended)),
            _ => return Bounced::Suspension(Stayed::Ended),
        };
        state.enter(phase, now);
        bounced
    }

    /// What a die has been told comes to nothing: its array does nothing for it.
    pub fn does_nothing(&mut self, die: DieId) {
        self.dies[die.index()].work = ArrayWork::default();
    }

    /// A command, with its data if it has any, is at its die: the array works. When it will be done, and for what.
    #[inline]
    pub fn array_begins(&mut self, die: DieId, now: SimTime) -> (SimTime, &[TransactionId]) {
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, Phase::Commanding, "{die:?}");
        state.enter(Phase::Array, now);
        let ends = now + state.work.first;
        state.array_ends = Some(ends);
        (ends, &state.batch)
    }

    /// The instant has come for which the end of a die's array was foreseen: what is over.
    #[inline]
    pub fn array_ends(&mut self, die: DieId, now: SimTime) -> ArrayEnd {
        let state = &mut self.dies[die.index()];
        if state.array_ends != Some(now) {
            return ArrayEnd::Void;
        }
        state.array_ends = None;
        if state.phase == Phase::Array && state.operation != Operation::Copyback {
            return ArrayEnd::Operation(state.operation);
        }
        other_end(self, die, now)
    }

    /// Pages are in their registers, and wait for a path in this turn.
    #[inline]
    pub fn register_full(&mut self, die: DieId, turn: (DataFor, SimTime), now: SimTime) {
        let state = &mut self.dies[die.index()];
        state.data_turn = turn;
        state.enter(Phase::DataReady, now);
    }

    /// Data of the first page is where it was sent: the pins that it left by are free, and the next page, if there is one, waits for a
    /// path from now on.
    #[inline]
    pub fn page_left(&mut self, die: DieId, now: SimTime) -> PageLeft {
        let state = &mut self.dies[die.index()];
        self.packages[state.chip.index()].free_pins(now);
        let has_more = state.batch.len() > 1;
        let id = state.batch[0];
        if has_more {
            state.batch.remove(0);
            state.enter(Phase::DataReady, now);
        } else {
            state.batch.clear();
        }
        // What gathers give leaves the register of a die that combined it.
        let read_on = (state.operation == Operation::Read).then_some(state.chip);
        PageLeft { id, has_more, read_on }
    }

    /// A die is done with its command: it may take another one, or go on with what it has put aside. Since when its chip was active,
    /// if it is so no more.
    #[inline]
    pub fn ends(&mut self, die: DieId, now: SimTime) -> Option<SimTime> {
        let state = &mut self.dies[die.index()];
        let package = &mut self.packages[state.chip.index()];
        package.active_dies -= u32::from(!state.has_parked);
        package.die_free_since = now;
        state.batch.clear();
        state.enter(if state.has_parked { Phase::Suspended } else { Phase::Idle }, now);
        (package.active_dies == 0).then_some(package.active_since)
    }

    /// What is under way.
    pub fn under_way(&self, now: SimTime) -> UnderWay {
        let active = self.packages.iter().filter(|package| package.active_dies > 0);
        let parked = self.parked.iter().map(Some).chain(std::iter::repeat(None));
        let ahead = self.dies.iter().zip(parked).map(|(die, parked)| ahead_on(die, parked, now));
        let ps = |span: SimSpan| i128::from(span.as_ps());
        UnderWay {
            active_ps: active.map(|package| ps(now.since(package.active_since))).sum(),
            ahead_ps: ahead.map(ps).sum(),
        }
    }

    /// Time of activity is counted from now on.
    pub fn begin_measuring(&mut self, now: SimTime) {
        for package in self.packages.iter_mut().filter(|package| package.active_dies > 0) {
            package.active_since = now;
        }
    }
}

/// What else is over: the sensing of a copyback, or a step of a suspension.
fn other_end(chips: &mut Chips, die: DieId, now: SimTime) -> ArrayEnd {
    let Chips { settings, dies, parked, packages, .. } = chips;
    let state = &mut dies[die.index()];
    match state.phase {
        Phase::Array => {
            let command = settings.commands.program[state.batch.len() - 1];
            state.program_register(command, now);
            packages[state.chip.index()].formed_commands += 1;
            ArrayEnd::Sensing
        }
        Phase::Suspending => {
            // The command to suspend is under way since it began to be.
            state.phase = Phase::SuspendingTooLate;
            ArrayEnd::BeforeSuspension
        }
        Phase::Settling => {
            park(state, &mut parked[die.index()], now);
            packages[state.chip.index()].die_free_since = now;
            ArrayEnd::Settled(state.operation)
        }
        Phase::Restarting => ArrayEnd::Restarted(resume(state, &parked[die.index()], now)),
        phase => {
            debug_assert!(false, "{die:?} has no array at work in {phase:?}");
            ArrayEnd::Void
        }
    }
}
