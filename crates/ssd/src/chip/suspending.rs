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
use super::die::{Die, Phase};
use super::parked::Parked;
use super::suspension::{Suspension, Yielding};

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

    /// The transactions of the suspended operation of a die.
    #[inline]
    pub fn suspended(&self, die: DieId) -> &[TransactionId] {
        &self.parked[die.index()].batch
    }

    /// A command to suspend or to resume has arrived.
    pub fn suspension_arrives(&mut self, die: DieId, now: SimTime) -> Arrived {
        let Some(rules) = &self.settings.suspension else { return Arrived::TooLate };
        let (state, parked) = (&mut self.dies[die.index()], &mut self.parked[die.index()]);
        match state.phase {
            Phase::Suspending => settle(state, parked, rules, now),
            Phase::Resuming => restart(state, parked, rules, now),
            _ => Arrived::TooLate,
        }
    }
}

/// The array begins to come to rest, unless it ends at this very instant.
fn settle(state: &mut Die, parked: &mut Parked, rules: &Suspension, now: SimTime) -> Arrived {
    let left = state.array_ends.map(|ends| ends.since(now)).unwrap_or_default();
    let Some(Yielding { suspend, .. }) = rules.of(state.operation).filter(|_| !left.is_zero()) else {
        state.enter(Phase::Array, now);
        return Arrived::EndsAnyway;
    };
    parked.left = left;
    state.enter(Phase::Settling, now);
    let ends = now + *suspend;
    state.array_ends = Some(ends);
    Arrived::Settles(*suspend, ends)
}

fn restart(state: &mut Die, parked: &Parked, rules: &Suspension, now: SimTime) -> Arrived {
    state.has_parked = false;
    state.operation = parked.operation;
    state.batch.clone_from(&parked.batch);
    state.suspensions = parked.times;
    state.enter(Phase::Restarting, now);
    let ends = now + rules.resume;
    state.array_ends = Some(ends);
    Arrived::Restarts(rules.resume, ends)
}

/// The array is at rest: its operation is put aside, and the die is free for others.
pub(super) fn park(state: &mut Die, parked: &mut Parked, now: SimTime) {
    *parked = Parked {
        operation: state.operation,
        batch: state.batch.take(),
        left: parked.left,
        times: state.suspensions + 1,
        commands: 0,
    };
    state.has_parked = true;
    state.conflicted = false;
    state.enter(Phase::Suspended, now);
}

/// The array has got going: the suspended operation goes on. When it will end.
pub(super) fn resume(state: &mut Die, parked: &Parked, now: SimTime) -> SimTime {
    let ends = now + parked.left;
    state.enter(Phase::Array, now);
    state.array_ends = Some(ends);
    ends
}
