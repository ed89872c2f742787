//! What a controller is doing.

use venice_kernel::{SimSpan, SimTime};

use super::Scout;
use super::polls::Polls;
use crate::fabric::Transfer;
use crate::geometry::{ChipId, DieId};

/// A circuit from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Circuit {
    /// The chip at its far end.
    pub(super) chip: ChipId,
    /// Whose transfer it was reserved for.
    pub(super) die: DieId,
    /// Links between routers.
    pub(super) hops: u32,
    /// Whether the transfer under way is to leave it reserved.
    pub(super) keep: bool,
    /// For how long scouts failed for the transfer under way after it was accepted.
    pub(super) path_wait: SimSpan,
}

/// A path that a scout has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Links between routers.
    pub(super) hops: u32,
    /// When the scout is back and the transfer starts.
    pub(super) ready: SimTime,
    /// For how long scouts had failed before this one set out.
    pub(super) wait: SimSpan,
}

/// What a scout is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    /// The transfer that waits for a path.
    pub(super) transfer: Transfer,
    /// When the transfer was accepted.
    pub(super) accepted: SimTime,
    /// When the scout set out.
    pub(super) since: SimTime,
    /// Releases until the first scout set out.
    pub(super) releases: u64,
}

/// A scout in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    /// The scout.
    pub(super) scout: Scout,
    /// What for.
    pub(super) errand: Errand,
}

/// A failed scout on its way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What becomes of its transfer.
    pub(super) then: Then,
}

/// What becomes of a transfer whose scout failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It was refused when it was offered.
    Refused,
    /// Its die is told that there is no path.
    Bounce(DieId),
    /// Another scout is sent for it.
    SendAgain(Errand),
}

/// A controller's wait for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The transfer whose path it is to be, and since when.
    pub(super) errand: Errand,
    /// The scouts that fail meanwhile.
    pub(super) polls: Polls,
}

/// What a controller is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// Nothing.
    Free,
    /// Its scout is looking for a path.
    Searching(Search),
    /// Its scout found none and is not back yet.
    Returning(Failure),
    /// Its scouts find none: they are counted until that may change.
    Waiting(Waiting),
    /// A transfer is under way.
    Transferring(Circuit),
    /// Its circuit is kept for the next transfer of the die.
    Holding(Circuit),
    /// Its id is that of a circuit between chips.
    Lent,
    /// This port of it is idle, and its other one has the only circuit that it may have.
    Resting,
}

impl Activity {
    pub(super) const COUNT: usize = 8;

    pub(super) const fn index(&self) -> usize {
        match self {
            Self::Free => 0,
            Self::Searching(_) => 1,
            Self::Returning(_) => 2,
            Self::Transferring(_) => 3,
            Self::Holding(_) => 4,
            Self::Waiting(_) => 5,
            Self::Lent => 6,
            Self::Resting => 7,
        }
    }
}
