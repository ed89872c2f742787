//! Copies of the reservations of a mesh, for the comparison of two instants.

use venice_kernel::SimSpan;

use super::table::ReservationTable;
use super::{ControllerId, Network};
use crate::noc::PortSet;

/// Reservations of a mesh at one instant.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkState {
    free: Vec<PortSet>,
    tables: Vec<ReservationTable>,
    tried: Vec<PortSet>,
    reserved_for: Vec<SimSpan>,
}

impl Network {
    /// Copies the reservations, and the reserved time of each link, to `state`.
    pub(super) fn copy_state(&self, state: &mut NetworkState) {
        state.free.clone_from(&self.free);
        state.tables.clone_from(&self.tables);
        state.tried.clone_from(&self.tried);
        state.reserved_for.clone_from(&self.reserved_for);
    }

    /// True if all reservations and all incomplete paths equal those of `state`.
    pub(super) fn is_like(&self, state: &NetworkState) -> bool {
        let rows = |(one, other): (&ReservationTable, &ReservationTable)| one.rows().eq(other.rows());
        self.free == state.free
            && self.tried == state.tried
            && self.tables.iter().zip(&state.tables).all(rows)
    }

    /// Adds to each link `periods` times the time for which it was reserved since `state`.
    pub(super) fn repeat_reservations(&mut self, state: &NetworkState, periods: u64) {
        for (span, before) in self.reserved_for.iter_mut().zip(&state.reserved_for) {
            *span += (*span - *before) * periods;
        }
    }

    /// Postpones the start of the reservations on a controller's incomplete path.
    pub(super) fn postpone_reservations(&mut self, packet: ControllerId, span: SimSpan) {
        for (router, port) in self.links_of(packet) {
            let place = self.behind(router, port).place;
            let since = &mut self.since[place.index()];
            *since = *since + span;
        }
    }
}
