//! Suspended operation of a die: stop, restart, and remaining array time.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{MAX_PLANES, TransactionId};

use super::die::{ArrayWork, CommandPhase, Die, Operation};
use super::suspension::Suspension;

/// Operation that waits to be resumed.
#[derive(Clone, Debug, Default)]
pub(super) struct SuspendedOperation {
    /// Type of the operation (program or erase).
    pub operation: Operation,
    /// Transactions of the operation.
    pub batch: ArrayVec<TransactionId, MAX_PLANES>,
    /// Array time of the whole operation.
    pub work: ArrayWork,
    /// Remaining array time of the operation.
    pub left: SimSpan,
    /// Number of suspensions of the operation so far.
    pub times: u32,
    /// Number of commands executed during this suspension.
    pub commands: u32,
}

/// Effect of a suspend or resume command when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendEffect {
    /// The array stops after its current pulse. Contains the duration of the stop, which applies to each plane,
    /// and the instant at which the array has stopped.
    Settles(SimSpan, SimTime),
    /// The operation ends at the instant at which the suspend command arrives, or with its current pulse, and is
    /// not suspended.
    EndsAnyway,
    /// The array restarts. Contains the duration of the restart, which applies to each plane, and the instant
    /// at which it ends.
    Restarts(SimSpan, SimTime),
    /// The operation had ended before the command arrived, and the die has nothing else to do.
    TooLate,
}

/// State of a die after its suspend or resume command found no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BouncedCommandState {
    /// The array continues its operation.
    AtWork,
    /// The operation stays suspended.
    Suspended,
    /// The operation has ended, and the die has nothing else to do.
    Ended,
}

/// Begins to stop the array of a die, unless its operation ends at `now` or with its current pulse.
pub(super) fn settle(
    state: &mut Die,
    parked: &mut SuspendedOperation,
    rules: &Suspension,
    now: SimTime,
) -> SuspendEffect {
    let left = state.array_ends.map(|ends| ends.since(now)).unwrap_or_default();
    let stop =
        rules.of(state.operation).map(|rule| (rule.suspend, rule.rest_of_pulse(state.work.first, left)));
    let Some((suspend, pulse)) = stop.filter(|(_, pulse)| *pulse < left) else {
        state.enter(CommandPhase::Array, now);
        return SuspendEffect::EndsAnyway;
    };
    parked.left = left - pulse;
    state.enter(CommandPhase::Stopping, now);
    let ends = now + pulse + suspend;
    state.array_ends = Some(ends);
    SuspendEffect::Settles(suspend, ends)
}

/// Begins to restart the array of a die.
pub(super) fn restart(
    state: &mut Die,
    parked: &SuspendedOperation,
    rules: &Suspension,
    now: SimTime,
) -> SuspendEffect {
    state.has_parked = false;
    state.operation = parked.operation;
    state.batch.clone_from(&parked.batch);
    state.work = parked.work;
    state.suspensions = parked.times;
    state.enter(CommandPhase::Restarting, now);
    let ends = now + rules.resume;
    state.array_ends = Some(ends);
    SuspendEffect::Restarts(rules.resume, ends)
}

/// Suspends the operation of an array that has stopped. The die then accepts other commands.
pub(super) fn park(state: &mut Die, parked: &mut SuspendedOperation, now: SimTime) {
    *parked = SuspendedOperation {
        operation: state.operation,
        batch: state.batch.take(),
        work: state.work,
        left: parked.left,
        times: state.suspensions + 1,
        commands: 0,
    };
    state.has_parked = true;
    state.conflicted = false;
    state.enter(CommandPhase::Suspended, now);
}

/// Continues the suspended operation after the array has restarted. Returns the end of the operation.
pub(super) fn resume(state: &mut Die, parked: &SuspendedOperation, now: SimTime) -> SimTime {
    let ends = now + parked.left;
    state.enter(CommandPhase::Array, now);
    state.array_ends = Some(ends);
    ends
}

/// Returns the remaining array time of the operations of a die, summed over planes.
pub(super) fn ahead_on(die: &Die, parked: Option<&SuspendedOperation>, now: SimTime) -> SimSpan {
    let left = parked.map_or(SimSpan::ZERO, |parked| parked.left);
    let under_way = die.array_ends.map_or(SimSpan::ZERO, |ends| ends.since(now));
    let second = if die.operation == Operation::Copyback { die.work.program } else { SimSpan::ZERO };
    let own = match die.phase {
        CommandPhase::Commanding | CommandPhase::CommandBounced | CommandPhase::CommandReady => {
            die.work.first + second
        }
        CommandPhase::Array | CommandPhase::ArrayBeforeNext | CommandPhase::Suspending => under_way + second,
        CommandPhase::Stopping | CommandPhase::Restarting => under_way + left,
        _ => SimSpan::ZERO,
    };
    let aside =
        parked.filter(|_| die.has_parked).map_or(SimSpan::ZERO, |parked| left * parked.batch.len() as u64);
    own * die.batch.len() as u64 + aside
}
