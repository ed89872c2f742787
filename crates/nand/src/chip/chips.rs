//! State of all chips of a drive, with one method per step of a command.
//!
//! # Life cycle of a command
//!
//! 1. [`DieAccess::issue`] sends the command, which occupies the chip's pins until
//!    [`DieAccess::transfer_ends`] or [`DieAccess::bounces`].
//! 2. [`DieAccess::array_begins`] starts the array operation when the command has arrived, and returns the
//!    end of the operation.
//! 3. [`Chips::array_ends`], called at that instant, returns the operation that has ended. If the operation
//!    has been suspended since, it ends later, and the call has no effect.
//! 4. The data of a read waits in the page registers ([`DieAccess::register_full`]). Each page is
//!    [sent](DieAccess::sends), then [removed](DieAccess::page_left). A copyback has no data to send. When
//!    its sensing has ended, its program command waits for a path.
//! 5. [`DieAccess::ends`] makes the die idle.
//!
//! If the fabric finds no path for a transfer, its step is repeated. This module does not know the purpose of
//! a command, its path, or the destination of its data.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{ChipId, DieId, Geometry};

use super::die::{ArrayWork, CommandPhase, Die, Operation};
use super::die_access::DieAccess;
use super::next_command::NextCommand;
use super::package::Package;
use super::search_output::SearchOutput;
use super::settings::{DieWork, FlashSettings};
use super::suspended_operation::{SuspendedOperation, ahead_on, park, resume};

/// Effect of an event that was scheduled for the end of an array activity, such as sensing or a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayEnd {
    /// No effect: the operation was suspended after the event had been scheduled.
    Void,
    /// An operation has ended. A copyback is reported as a program, since programming is its second part.
    Operation(Operation),
    /// The sensing of a copyback has ended, and its program command waits for a path.
    Sensing,
    /// An operation has ended while its suspend command was in flight. The suspend command is still
    /// transferred.
    BeforeSuspension,
    /// The array has stopped. This operation is suspended, and the die accepts other commands.
    Settled(Operation),
    /// The array has restarted, and the suspended operation ends at this time.
    Restarted(SimTime),
    /// A program has ended. The next program, whose data is in the cache register, starts.
    BeforeNext,
    /// The sensing of the next read has ended. Its data waits until the cache register is free.
    NextSensed,
}

/// Unfinished activity of all chips at an instant, in picoseconds, for utilisation figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkInProgress {
    /// Sum, over the chips that are active now, of the time for which they have been active. Time before the
    /// start of measurement is not included.
    pub active_ps: i128,
    /// Remaining array time of started operations, summed over planes, minus the same sum at the start of
    /// measurement.
    pub ahead_ps: i128,
}

/// State of all chips of a drive.
pub struct Chips {
    pub(super) settings: FlashSettings,
    dies_per_chip: u32,
    /// State of each die, then of each search output ([`SearchOutput`]).
    pub(super) dies: Vec<Die>,
    /// Suspended operation of each die; empty without suspension.
    pub(super) parked: Vec<SuspendedOperation>,
    /// Next command of each die, issued while the die executes its current one; empty without cache
    /// operations.
    pub(super) next: Vec<NextCommand>,
    pub(super) packages: Vec<Package>,
    /// Remaining array time of started operations at the start of the measured phase, in picoseconds and
    /// summed over planes.
    ahead_before_ps: i128,
}

impl Chips {
    /// Creates chips with idle dies.
    pub fn new(settings: FlashSettings, geometry: &Geometry) -> Self {
        let parked = if settings.suspension.is_some() { geometry.dies() as usize } else { 0 };
        let next = if settings.cache_operations.are_some() { geometry.dies() as usize } else { 0 };
        let one_at_a_time = settings.die_work == DieWork::OneAtATime;
        let package = Package { one_at_a_time, ..Package::default() };
        let dies = (0..geometry.dies()).map(|die| Die::new(geometry.chip_of(DieId(die))));
        let outputs = SearchOutput::all(geometry).map(|output| Die::new(output.chip));
        Self {
            settings,
            dies_per_chip: geometry.dies_per_chip,
            dies: dies.chain(outputs).collect(),
            parked: vec![SuspendedOperation::default(); parked],
            next: vec![NextCommand::default(); next],
            packages: vec![package; geometry.array.chips() as usize],
            ahead_before_ps: 0,
        }
    }

    /// Returns the settings of the chips.
    #[inline]
    pub const fn settings(&self) -> &FlashSettings {
        &self.settings
    }

    /// Returns the dies of a chip.
    #[inline]
    pub const fn dies_of(&self, chip: ChipId) -> Range<u32> {
        chip.0 * self.dies_per_chip..(chip.0 + 1) * self.dies_per_chip
    }

    /// Returns the state of a die.
    #[inline]
    pub fn die(&self, die: DieId) -> &Die {
        &self.dies[die.index()]
    }

    /// Returns mutable access to a die and its chip.
    #[inline]
    pub fn at(&mut self, die: DieId) -> DieAccess<'_> {
        let state = &mut self.dies[die.index()];
        let package = &mut self.packages[state.chip.index()];
        DieAccess { state, package }
    }

    /// Returns the states of a chip's dies.
    #[inline]
    pub fn states_of(&self, chip: ChipId) -> &[Die] {
        let dies = self.dies_of(chip);
        &self.dies[dies.start as usize..dies.end as usize]
    }

    /// Returns the shared state of a chip's dies.
    #[inline]
    pub fn package(&self, chip: ChipId) -> &Package {
        &self.packages[chip.index()]
    }

    /// True if a die is idle and can receive a page from another chip now.
    pub fn takes_page(&self, die: DieId) -> bool {
        let state = self.die(die);
        let package = &self.packages[state.chip.index()];
        let is_free = !package.one_at_a_time || package.active_dies == 0;
        state.is_idle() && is_free && !package.pins_busy
    }

    /// Counts a command that a die executed while an operation was suspended.
    pub fn let_pass(&mut self, die: DieId) {
        self.parked[die.index()].commands += 1;
    }

    /// Sets the array time of a die's command to zero, because the command failed.
    pub fn does_nothing(&mut self, die: DieId) {
        self.dies[die.index()].work = ArrayWork::default();
    }

    /// Processes the scheduled end of an array activity of a die. Returns its effect.
    #[inline]
    pub fn array_ends(&mut self, die: DieId, now: SimTime) -> ArrayEnd {
        let state = &mut self.dies[die.index()];
        if state.array_ends != Some(now) {
            return ArrayEnd::Void;
        }
        state.array_ends = None;
        if state.phase == CommandPhase::Array && state.operation != Operation::Copyback {
            return ArrayEnd::Operation(state.operation);
        }
        other_end(self, die, now)
    }

    /// Returns the unfinished activity of all chips at `now`.
    pub fn under_way(&self, now: SimTime) -> WorkInProgress {
        WorkInProgress {
            active_ps: self.active_for(now).map(|span| i128::from(span.as_ps())).sum(),
            ahead_ps: self.ahead_ps(now) - self.ahead_before_ps,
        }
    }

    /// Returns, for each chip, the time for which it has been active up to `now`, zero for an idle chip. Time
    /// before the start of measurement is not included.
    pub fn active_for(&self, now: SimTime) -> impl Iterator<Item = SimSpan> {
        self.packages.iter().map(move |package| {
            let is_active = package.active_dies > 0;
            if is_active { now.since(package.active_since) } else { SimSpan::ZERO }
        })
    }

    /// Returns the remaining array time of started operations, summed over planes, in picoseconds.
    fn ahead_ps(&self, now: SimTime) -> i128 {
        let parked = self.parked.iter().map(Some).chain(std::iter::repeat(None));
        let ahead = self.dies.iter().zip(parked).map(|(die, parked)| ahead_on(die, parked, now));
        ahead.chain(self.ahead_of_next(now)).map(|span| i128::from(span.as_ps())).sum()
    }

    /// Starts the measured phase: later figures include no activity before `now`.
    pub fn begin_measuring(&mut self, now: SimTime) {
        self.ahead_before_ps = self.ahead_ps(now);
        for package in self.packages.iter_mut().filter(|package| package.active_dies > 0) {
            package.active_since = now;
        }
    }
}

/// Processes the end of an array activity that does not complete an operation. Examples are the sensing of a
/// copyback or of the next read, a stop, and a restart.
fn other_end(chips: &mut Chips, die: DieId, now: SimTime) -> ArrayEnd {
    let Chips { settings, dies, parked, packages, next, .. } = chips;
    let state = &mut dies[die.index()];
    match state.phase {
        CommandPhase::Array => {
            let command = settings.commands.program[state.batch.len() - 1];
            state.program_register(command, now);
            packages[state.chip.index()].formed_commands += 1;
            ArrayEnd::Sensing
        }
        CommandPhase::Suspending => {
            // The suspend command is in flight since the start of this phase.
            state.phase = CommandPhase::SuspendingTooLate;
            ArrayEnd::BeforeSuspension
        }
        CommandPhase::Stopping => {
            park(state, &mut parked[die.index()], now);
            packages[state.chip.index()].die_free_since = now;
            ArrayEnd::Settled(state.operation)
        }
        CommandPhase::Restarting => ArrayEnd::Restarted(resume(state, &parked[die.index()], now)),
        CommandPhase::ArrayBeforeNext => ArrayEnd::BeforeNext,
        CommandPhase::DataReadyBeforeNext | CommandPhase::DataOutBeforeNext => {
            next[die.index()].is_sensed();
            ArrayEnd::NextSensed
        }
        phase => {
            debug_assert!(false, "{die:?} has no array at work in {phase:?}");
            ArrayEnd::Void
        }
    }
}
