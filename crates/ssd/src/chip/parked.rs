//! An operation that was put aside, and what of operations is still to come.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{MAX_PLANES, TransactionId};

use super::die::{Die, Operation, Phase};

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
