//! Suspending what a die's array does, and resuming it.
//!
//! # How
//! The command to suspend goes out while the array works; at its arrival the array comes to rest, and the operation is put aside.
//! Others pass; then the command to resume goes out, the array gets going, and does what was left.
//!
//! The end of an operation that was suspended stays among the events and finds itself void: the die says for which instant the
//! end is expected now.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, TransactionId};

use super::chips::Chips;
use super::die::{Operation, Phase};
use super::parked::{Parked, ahead_on};
use super::suspension::Yielding;

/// What the arrival of a command to suspend or resume leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// The array comes to rest, for so long on each of the planes, and ends at this instant.
    Settles(SimSpan, SimTime),
    /// The operation ends at this very instant anyway: it just ends.
    EndsAnyway,
    /// The array gets going again, for so long on each of the planes, and ends at this instant.
    Restarts(SimSpan, SimTime),
    /// The operation had ended before the command came: the die has nothing left to do.
    TooLate,
}

/// What finding no path meant for a command to suspend or resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stayed {
    /// The array works on.
    AtWork,
    /// The operation stays suspended.
    Suspended,
    /// The operation has ended meanwhile: the die has nothing left to do.
    Ended,
}

impl Chips {
    /// The operation of a die that may be suspended for something, if there is one: how it gives way, and the array time that is
    /// left of it.
    #[inline]
    pub fn may_yield(&self, die: DieId, now: SimTime) -> Option<(&Yielding, SimSpan)> {
        let state = self.die(die);
        let rules = self.settings().suspension.as_ref()?;
        let yielding = rules.of(state.operation)?;
        let left = state.array_ends?.since(now);
        let is_over = state.has_parked || state.suspensions >= rules.most_times;
        (!is_over && yielding.is_worth_anything(left)).then_some((yielding, left))
    }

    /// How the suspended operation of a die lets commands pass, if it has room for more.
    #[inline]
    pub fn lets_pass(&self, die: DieId) -> Option<&Yielding> {
        let rules = self.settings().suspension.as_ref()?;
        let parked = &self.parked[die.index()];
        let yielding = rules.of(parked.operation)?;
        (parked.commands < rules.most_commands).then_some(yielding)
    }

    /// A command has passed the suspended operation of a die.
    #[inline]
    pub fn count_passing(&mut self, die: DieId) {
        self.parked[die.index()].commands += 1;
    }

    /// The transactions of the suspended operation of a die.
    #[inline]
    pub fn suspended(&self, die: DieId) -> &[TransactionId] {
        &self.parked[die.index()].batch
    }

    /// The command to suspend goes out.
    pub fn suspend_goes_out(&mut self, die: DieId, conflicted: bool, now: SimTime) {
        self.suspension_goes_out(die, (Phase::Array, Phase::Suspending), conflicted, now);
    }

    /// The command to resume goes out.
    pub fn resume_goes_out(&mut self, die: DieId, conflicted: bool, now: SimTime) {
        self.suspension_goes_out(die, (Phase::Suspended, Phase::Resuming), conflicted, now);
    }

    fn suspension_goes_out(
        &mut self,
        die: DieId,
        (from, to): (Phase, Phase),
        conflicted: bool,
        now: SimTime,
    ) {
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, from, "{die:?}");
        state.conflicted |= conflicted;
        state.enter(to, now);
    }

    /// A command to suspend or to resume has arrived.
    pub fn suspension_arrives(&mut self, die: DieId, now: SimTime) -> Arrived {
        match self.die(die).phase {
            Phase::Suspending => self.settle(die, now),
            Phase::Resuming => self.restart(die, now),
            _ => Arrived::TooLate,
        }
    }

    /// It has found no path after all.
    pub fn suspension_stays(&mut self, die: DieId, now: SimTime) -> Stayed {
        let state = &mut self.dies[die.index()];
        let (phase, stayed) = match state.phase {
            Phase::Suspending => (Phase::Array, Stayed::AtWork),
            Phase::Resuming => (Phase::Suspended, Stayed::Suspended),
            _ => return Stayed::Ended,
        };
        state.enter(phase, now);
        stayed
    }

    /// The array begins to come to rest, unless it ends at this very instant.
    fn settle(&mut self, die: DieId, now: SimTime) -> Arrived {
        let state = &mut self.dies[die.index()];
        let left = state.array_ends.map(|ends| ends.since(now)).unwrap_or_default();
        let yielding = self.settings.suspension.as_ref().and_then(|rules| rules.of(state.operation));
        let Some(Yielding { suspend, .. }) = yielding.filter(|_| !left.is_zero()) else {
            state.enter(Phase::Array, now);
            return Arrived::EndsAnyway;
        };
        self.parked[die.index()].left = left;
        state.enter(Phase::Settling, now);
        let ends = now + *suspend;
        state.array_ends = Some(ends);
        Arrived::Settles(*suspend, ends)
    }

    fn restart(&mut self, die: DieId, now: SimTime) -> Arrived {
        let resume = self.settings.suspension.as_ref().map_or(SimSpan::ZERO, |rules| rules.resume);
        let (state, parked) = (&mut self.dies[die.index()], &self.parked[die.index()]);
        state.has_parked = false;
        state.operation = parked.operation;
        state.batch.clone_from(&parked.batch);
        state.suspensions = parked.times;
        state.enter(Phase::Restarting, now);
        let ends = now + resume;
        state.array_ends = Some(ends);
        Arrived::Restarts(resume, ends)
    }

    /// The array has got going: the suspended operation goes on. When it will end.
    pub fn resume_operation(&mut self, die: DieId, now: SimTime) -> SimTime {
        let ends = now + self.parked[die.index()].left;
        let state = &mut self.dies[die.index()];
        debug_assert_eq!(state.phase, Phase::Restarting, "{die:?}");
        state.enter(Phase::Array, now);
        state.array_ends = Some(ends);
        ends
    }

    /// The operation has ended while the command to suspend it was on its way. That transfer goes on: it began when it did.
    pub fn miss_suspension(&mut self, die: DieId) {
        self.dies[die.index()].phase = Phase::SuspendingTooLate;
    }

    /// The array is at rest: its operation is put aside. What it does.
    pub fn park(&mut self, die: DieId) -> Operation {
        let (state, parked) = (&mut self.dies[die.index()], &mut self.parked[die.index()]);
        debug_assert_eq!(state.phase, Phase::Settling, "{die:?}");
        *parked = Parked {
            operation: state.operation,
            batch: state.batch.take(),
            left: parked.left,
            times: state.suspensions + 1,
            commands: 0,
        };
        state.has_parked = true;
        state.conflicted = false;
        state.operation
    }

    /// The array time to come of each die's operations, summed over their planes.
    pub fn array_time_ahead(&self, now: SimTime) -> impl Iterator<Item = SimSpan> {
        let parked = self.parked.iter().map(Some).chain(std::iter::repeat(None));
        self.dies.iter().zip(parked).map(move |(die, parked)| ahead_on(die, parked, now))
    }
}
