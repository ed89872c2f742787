//! Trace records of scouts and of the links that transfers use. This module only reads the reservation state.
//!
//! With atomic reservation and `retry = at_once`, consecutive failed scouts are counted instead of simulated.
//! Such scouts have no trace records. The record of the scout that follows them contains only the period in
//! which they occurred.

use venice_kernel::SimTime;
use venice_nand::geometry::ChipId;

use super::controller_state::{ControllerState, ScoutJob};
use super::{ControllerId, Venice};
use crate::noc::RouterId;
use crate::{NamedPath, Outbox, Reservation, ScoutTrip, Sender, Transfer};

/// Outcome of a scout's trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoutOutcome {
    /// Number of links that the scout crossed, either to its chip or back to its sender without a path.
    pub(super) hops: u32,
    /// Time at which the scout has returned to its sender.
    pub(super) back: SimTime,
    /// True if the scout has found a path.
    pub(super) found: bool,
}

impl Venice {
    /// Records the scout of a controller.
    #[cold]
    pub(super) fn tell_scout(
        &self,
        who: ControllerId,
        job: &ScoutJob,
        outcome: ScoutOutcome,
        out: &mut Outbox,
    ) {
        let is_counted = self.reservation == Reservation::Atomic;
        let in_vain_since = if is_counted { job.accepted } else { job.since };
        let trip = self.trip(Sender::Controller(who.0), who, &job.transfer, outcome);
        out.tell(ScoutTrip { set_out: job.since, in_vain_since, ..trip });
    }

    /// Records a scout of a chip-to-chip copy, which departs at `now`.
    #[cold]
    pub(super) fn tell_scout_of_copy(
        &self,
        from: ChipId,
        transfer: &Transfer,
        outcome: ScoutOutcome,
        now: SimTime,
        out: &mut Outbox,
    ) {
        let trip = self.trip(Sender::Chip(from), self.copies.packet(from), transfer, outcome);
        out.tell(ScoutTrip { set_out: now, in_vain_since: now, ..trip });
    }

    fn trip(
        &self,
        sender: Sender,
        packet: ControllerId,
        transfer: &Transfer,
        outcome: ScoutOutcome,
    ) -> ScoutTrip {
        let ScoutOutcome { hops, back, found } = outcome;
        let path: Option<Vec<u32>> =
            found.then(|| self.network.path_of(packet).into_iter().map(|router| router.0).collect());
        let (start, _) = self.network.source(packet);
        let shortest = self.network.distance(start, self.mesh.router_of(transfer.chip));
        let links = path.as_ref().map_or(shortest, |path| path.len() as u32 - 1);
        ScoutTrip {
            sender,
            chip: transfer.chip,
            die: transfer.die,
            in_vain_since: back,
            set_out: back,
            back,
            hops,
            path,
            detour: links - shortest,
        }
    }

    /// Appends the links of the circuit that a chip's transfer uses. Returns false if there is no circuit.
    pub(super) fn circuit_of(&self, chip: ChipId, paths: &mut Vec<u32>) -> bool {
        let by_controller = self.served_by[chip.index()]
            .filter(|&who| matches!(self.controllers.activity(who), ControllerState::Transferring(_)));
        let Some(packet) = by_controller.or_else(|| self.copies.packet_to(chip)) else { return false };
        let links = self.network.links_of(packet).into_iter();
        paths.extend(links.filter_map(|(router, port)| Some(self.mesh.link(router, port)?.0)));
        true
    }

    /// Returns the links of the mesh as named paths, each with the chips at its ends.
    pub(super) fn links(&self) -> Vec<NamedPath> {
        let doubled_from = self.mesh.links() - self.mesh.doubled_links();
        let link = |(number, [here, there]): (u32, [RouterId; 2])| {
            let second = if number < doubled_from { "" } else { ", second" };
            NamedPath::link(format!("link {}-{}{second}", here.0, there.0), [here.0, there.0])
        };
        (0..).zip(self.mesh.link_ends()).map(link).collect()
    }
}
