//! Activities of a controller.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use super::Scout;
use super::failed_scouts::FailedScoutSeries;
use crate::Transfer;

/// Circuit from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Circuit {
    /// Chip at the far end.
    pub(super) chip: ChipId,
    /// Die of the transfer.
    pub(super) die: DieId,
    /// Number of links between routers.
    pub(super) hops: u32,
    /// True if the circuit stays reserved after the current transfer.
    pub(super) keep: bool,
    /// Time for which scouts failed after the current transfer was accepted.
    pub(super) path_wait: SimSpan,
}

/// Path found by a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Number of links between routers.
    pub(super) hops: u32,
    /// Return of the scout, at which the transfer starts.
    pub(super) ready: SimTime,
    /// Time for which earlier scouts of the transfer had failed.
    pub(super) wait: SimSpan,
}

/// Task of a scout: the transfer that needs a path, and the time for which the transfer has waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutJob {
    /// Transfer that waits for a path.
    pub(super) transfer: Transfer,
    /// Acceptance time of the transfer.
    pub(super) accepted: SimTime,
    /// Departure of the scout.
    pub(super) since: SimTime,
    /// Circuit releases counted until the first scout departed.
    pub(super) releases: u64,
}

/// Scout in flight with its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutSearch {
    /// Scout in flight.
    pub(super) scout: Scout,
    /// Task of the scout.
    pub(super) job: ScoutJob,
}

/// Failed scout that is returning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailedScout {
    /// Treatment of the scout's transfer after the return.
    pub(super) then: OnFailure,
}

/// Treatment of a transfer whose scout failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// The offer was refused.
    Refused,
    /// The transfer is returned to its die, which is notified that there is no path.
    Bounce(DieId),
    /// Another scout is sent for the transfer.
    SendAgain(ScoutJob),
}

/// Wait of a controller for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathWait {
    /// Task of the awaited scout.
    pub(super) job: ScoutJob,
    /// Number of failed scouts during the wait, which are counted without being simulated.
    pub(super) polls: FailedScoutSeries,
}

/// Activity of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControllerState {
    /// The controller is idle.
    Free,
    /// The controller's scout searches for a path.
    Searching(ScoutSearch),
    /// The controller's scout has failed and is returning.
    Returning(FailedScout),
    /// The controller's scouts fail, and are counted, until the state of some link changes.
    Waiting(PathWait),
    /// A transfer is in progress.
    Transferring(Circuit),
    /// The controller's circuit is held for the die's next transfer.
    Holding(Circuit),
    /// The controller's id is used by a circuit between chips.
    Lent,
    /// This port is idle while the controller's only circuit uses the other port.
    Resting,
}

impl ControllerState {
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
