//! All chips of a drive: what their dies do, one step at a time.
//!
//! # The course of a command
//!
//! 1. [`AtDie::issue`]: it is on its way, and the chip's pins are taken until [`AtDie::transfer_ends`] or [`AtDie::bounces`].
//! 2. [`AtDie::array_begins`] when it has come; it says when the array will be done.
//! 3. [`Chips::array_ends`] at that instant says what is over; an end that was foreseen before a suspension is void.
//! 4. A read's data waits ([`AtDie::register_full`]), [goes out](AtDie::sends) and is [gone](AtDie::page_left), page by page; a copyback's
//!    second command waits since its sensing ended.
//! 5. [`AtDie::ends`]: the die is free.
//!
//! A transfer that finds no path goes one step back. Nothing here knows why a command is sent, by which way, or what becomes of
//! the data.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{ChipId, DieId, Geometry};

use super::at_die::AtDie;
use super::die::{ArrayWork, Die, Operation, Phase};
use super::package::Package;
use super::parked::{Parked, ahead_on, park, resume};
use super::settings::{DieWork, FlashSettings};

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
    /// Array time to come of operations that have begun, summed over planes, less that at the beginning of measurement.
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
    /// Array time to come of the operations that were under way when the measured phase began, in picoseconds.
    ahead_before_ps: i128,
}

impl Chips {
    /// Chips whose dies are all idle.
    pub fn new(settings: FlashSettings, geometry: &Geometry) -> Self {
        let parked = if settings.suspension.is_some() { geometry.dies() as usize } else { 0 };
        let one_at_a_time = settings.die_work == DieWork::OneAtATime;
        let package = Package { one_at_a_time, ..Package::default() };
        Self {
            settings,
            dies_per_chip: geometry.dies_per_chip,
            dies: (0..geometry.dies()).map(|die| Die::new(geometry.chip_of(DieId(die)))).collect(),
            parked: vec![Parked::default(); parked],
            packages: vec![package; geometry.array.chips() as usize],
            ahead_before_ps: 0,
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

    /// A die at its chip, for what an event does to it.
    #[inline]
    pub fn at(&mut self, die: DieId) -> AtDie<'_> {
        let state = &mut self.dies[die.index()];
        let package = &mut self.packages[state.chip.index()];
        AtDie { state, package }
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
        let is_free = !package.one_at_a_time || package.active_dies == 0;
        state.is_idle() && is_free && !package.pins_busy
    }

    /// The suspended operation of a die has let a command pass.
    pub fn let_pass(&mut self, die: DieId) {
        self.parked[die.index()].commands += 1;
    }

    /// What a die has been told comes to nothing: its array does nothing for it.
    pub fn does_nothing(&mut self, die: DieId) {
        self.dies[die.index()].work = ArrayWork::default();
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

    /// What is under way.
    pub fn under_way(&self, now: SimTime) -> UnderWay {
        UnderWay {
            active_ps: self.active_for(now).map(|span| i128::from(span.as_ps())).sum(),
            ahead_ps: self.ahead_ps(now) - self.ahead_before_ps,
        }
    }

    /// Returns by chip the time for which it has had a die at work at `now`; since the beginning of measurement, if that is later.
    pub fn active_for(&self, now: SimTime) -> impl Iterator<Item = SimSpan> {
        self.packages.iter().map(move |package| {
            let is_active = package.active_dies > 0;
            if is_active { now.since(package.active_since) } else { SimSpan::ZERO }
        })
    }

    /// Returns the array time to come of operations that have begun, summed over planes, in picoseconds.
    fn ahead_ps(&self, now: SimTime) -> i128 {
        let parked = self.parked.iter().map(Some).chain(std::iter::repeat(None));
        let ahead = self.dies.iter().zip(parked).map(|(die, parked)| ahead_on(die, parked, now));
        ahead.map(|span| i128::from(span.as_ps())).sum()
    }

    /// Time of activity is counted from now on.
    pub fn begin_measuring(&mut self, now: SimTime) {
        self.ahead_before_ps = self.ahead_ps(now);
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
