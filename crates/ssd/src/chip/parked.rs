//! An operation that is put aside: how a die comes to rest and gets going again, and what of its operations is still to come.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{MAX_PLANES, TransactionId};

use super::die::{Die, Operation, Phase};
use super::suspension::{Suspension, Yielding};

/// An operation that waits to be resumed.
#[derive(Clone, Debug, Default)]
pub(super) struct Parked {
    /// What it does.
    pub operation: Operation,
    /// Its transactions.
    pub batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// The array time that is left of it.
    pub left: SimSpan,
    /// How often it has been suspended.
    pub times: u32,
    /// The commands that this suspension has let pass.
    pub commands: u32,
}

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

/// The array begins to come to rest, unless it ends at this very instant.
pub(super) fn settle(state: &mut Die, parked: &mut Parked, rules: &Suspension, now: SimTime) -> Arrived {
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

/// The array begins to get going again.
pub(super) fn restart(state: &mut Die, parked: &Parked, rules: &Suspension, now: SimTime) -> Arrived {
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

/// The array time to come of the operations of a die, summed over their planes.
pub(super) fn ahead_on(die: &Die, parked: Option<&Parked>, now: SimTime) -> SimSpan {
    let left = parked.map_or(SimSpan::ZERO, |parked| parked.left);
    let under_way = die.array_ends.map_or(SimSpan::ZERO, |ends| ends.since(now));
    let second = if die.operation == Operation::Copyback { die.work.program } else { SimSpan::ZERO };
    let own = match die.phase {
        Phase::Commanding | Phase::CommandBounced | Phase::CommandReady => die.work.first + second,
        Phase::Array | Phase::Suspending => under_way + second,
        Phase::Settling | Phase::Restarting => under_way + left,
        _ => SimSpan::ZERO,
    };
    let aside =
        parked.filter(|_| die.has_parked).map_or(SimSpan::ZERO, |parked| left * parked.batch.len() as u64);
    own * die.batch.len() as u64 + aside
}
