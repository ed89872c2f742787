//! Activities of a controller.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use super::Scout;
use super::failed_scouts::FailedScoutSeries;
use crate::Transfer;

/// Circuit (reserved path) between a controller and a chip.
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
    /// Time for which scouts failed after the current transfer had been accepted.
    pub(super) path_wait: SimSpan,
}

/// Path found by a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Number of links between routers.
    pub(super) hops: u32,
    /// Time of the scout's return, at which the transfer starts.
    pub(super) ready: SimTime,
    /// Time spent on earlier scouts of the transfer, which failed.
    pub(super) wait: SimSpan,
}

/// Job of a scout: the transfer that needs a path, and since when it has waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutJob {
    /// Transfer that waits for a path.
    pub(super) transfer: Transfer,
    /// Acceptance time of the transfer.
    pub(super) accepted: SimTime,
    /// Time at which the scout departed.
    pub(super) since: SimTime,
    /// Value of the release counter at the departure of the first scout.
    pub(super) releases: u64,
}

/// Scout in flight, with its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutSearch {
    /// Scout that searches for a path.
    pub(super) scout: Scout,
    /// Job of the scout.
    pub(super) job: ScoutJob,
}

/// Failed scout that is returning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailedScout {
    /// Treatment of the transfer after the scout's return.
    pub(super) then: OnFailure,
}

/// Treatment of a transfer whose scout failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// The offer has been refused; nothing follows.
    Refused,
    /// The transfer is returned to its die, which is notified that there is no path.
    Bounce(DieId),
    /// Another scout is sent for the transfer.
    SendAgain(ScoutJob),
}

/// Wait of a controller for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathWait {
    /// Job of the next scout.
    pub(super) job: ScoutJob,
    /// Failed scouts during the wait, which are counted without being simulated.
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
    /// The controller waits for a path. Its scouts fail, and are counted, until some link changes.
    Waiting(PathWait),
    /// A transfer is in progress.
    Transferring(Circuit),
    /// The controller's circuit is held for the die's next transfer.
    Holding(Circuit),
    /// The controller's id is used by a circuit between two chips.
    Lent,
    /// This port is idle, because the controller may use only one circuit and its other port has one.
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
