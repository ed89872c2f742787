//! States of a flash controller in Venice.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use super::Scout;
use super::failed_scouts::FailedScoutSeries;
use crate::Transfer;

/// Circuit (reserved path) between a controller and a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Circuit {
    /// Chip at the end of the circuit.
    pub(super) chip: ChipId,
    /// Die whose transfer uses the circuit, or for which the circuit is held.
    pub(super) die: DieId,
    /// Number of links between routers on the circuit.
    pub(super) hops: u32,
    /// True if the circuit stays reserved after the current transfer.
    pub(super) keep: bool,
    /// Time for which the search for a path failed, after the current transfer had been accepted.
    pub(super) path_wait: SimSpan,
}

/// Path found by a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Number of links between routers on the path.
    pub(super) hops: u32,
    /// Time of the scout's return, at which the transfer starts.
    pub(super) ready: SimTime,
    /// Time from the acceptance of the transfer to the departure of the successful scout.
    pub(super) wait: SimSpan,
}

/// Transfer for which scouts search a path, and the times of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutJob {
    /// Transfer that needs a path.
    pub(super) transfer: Transfer,
    /// Acceptance time of the transfer.
    pub(super) accepted: SimTime,
    /// Time at which the current scout departed.
    pub(super) since: SimTime,
    /// Number of circuit releases in the whole mesh before the first scout of the transfer departed.
    pub(super) releases: u64,
}

/// Scout in flight and the transfer for which it searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoutSearch {
    /// Scout that searches for a path.
    pub(super) scout: Scout,
    /// Transfer that the scout serves.
    pub(super) job: ScoutJob,
}

/// Failed scout that is returning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailedScout {
    /// Action for the transfer when the scout has returned.
    pub(super) then: OnFailure,
}

/// Action for a transfer whose scout failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// No action: the offer has already been refused, so the scout's return does not affect the transfer.
    Refused,
    /// The transfer bounces: its die is notified that there is no path.
    Bounce(DieId),
    /// The controller sends another scout for the transfer.
    SendAgain(ScoutJob),
}

/// Wait of a controller for a path, during which it sends one scout after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathWait {
    /// Transfer that needs the path.
    pub(super) job: ScoutJob,
    /// Polls: scouts that fail during the wait. They are counted without being simulated.
    pub(super) polls: FailedScoutSeries,
}

/// State of a flash controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControllerState {
    /// The controller is idle.
    Free,
    /// The controller's scout searches for a path.
    Searching(ScoutSearch),
    /// The controller's scout has failed and is returning.
    Returning(FailedScout),
    /// The controller waits for a path. Its scouts fail until the state of some link changes, and are
    /// therefore counted without being simulated.
    Waiting(PathWait),
    /// A transfer is in progress.
    Transferring(Circuit),
    /// The controller's circuit is held for the die's next transfer.
    Holding(Circuit),
    /// The controller's id is used by a circuit between two chips.
    Lent,
    /// This port is idle: its controller may use only one circuit at a time and has one at its other port.
    Resting,
}

impl ControllerState {
    pub(super) const COUNT: usize = 8;

    /// True if the controller's scout is in flight, from its departure to its return.
    #[inline]
    pub(super) const fn has_scout(&self) -> bool {
        matches!(self, Self::Searching(_) | Self::Returning(_))
    }

    /// Returns the state of a controller whose scout has departed later by `span`. Other states do not change.
    pub(super) fn postponed(mut self, span: SimSpan) -> Self {
        match &mut self {
            Self::Searching(ScoutSearch { job, .. })
            | Self::Returning(FailedScout { then: OnFailure::SendAgain(job) }) => {
                job.since = job.since + span;
            }
            _ => {}
        }
        self
    }

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
