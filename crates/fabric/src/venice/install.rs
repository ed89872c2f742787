//! Installation of given circuits, for worked examples and tests that need a known state.
//!
//! The path is reserved hop by hop on a copy of the network, which then replaces the original. This
//! method is slow and is not used in simulations. Figure 8 of Nadig et al., "Venice", ISCA 2023, shows an
//! example.

use thiserror::Error;
use venice_kernel::SimTime;

use super::table::ReservationRow;
use super::{ControllerId, Network};
use crate::noc::{Port, RouterId};

/// Reason why a path cannot be installed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathConflict {
    /// The path does not begin at its controller's router.
    #[error("cannot reserve the path: it does not begin at the router of its controller")]
    WrongEntrance,
    /// The controller already has a circuit.
    #[error("cannot reserve the path: its controller already has a circuit")]
    ControllerReserved,
    /// Two consecutive routers are not neighbours, or the link between them is already reserved.
    #[error("cannot reserve the path: no free link leads from router {} to router {}", .from.0, .to.0)]
    NoFreeLink {
        /// Router from which the path cannot continue.
        from: RouterId,
        /// Next router, which the path cannot reach.
        to: RouterId,
    },
    /// The chip at the end already has a circuit.
    #[error("cannot reserve the path: its chip already has a circuit")]
    ChipReserved,
}

impl Network {
    /// Reserves a given path from a controller's router to a chip's router.
    ///
    /// # Errors
    ///
    /// Returns a [`PathConflict`] if the path is interrupted or uses a reserved link. In this case nothing is
    /// reserved.
    pub fn install(
        &mut self,
        packet: ControllerId,
        path: &[RouterId],
        now: SimTime,
    ) -> Result<(), PathConflict> {
        let mut trial = self.clone();
        trial.install_hops(packet, path, now)?;
        *self = trial;
        Ok(())
    }

    fn install_hops(
        &mut self,
        packet: ControllerId,
        path: &[RouterId],
        now: SimTime,
    ) -> Result<(), PathConflict> {
        let mut at = self.mesh().entrance(packet.0);
        if path.first() != Some(&at) {
            return Err(PathConflict::WrongEntrance);
        }
        let mut entry = self.mesh().entry_port(packet.0);
        self.try_local(at, entry, PathConflict::ControllerReserved)?;
        for &to in &path[1..] {
            let free = self.free_ports(at);
            let leads_there = |port: &Port| self.mesh().neighbour(at, *port) == Some(to);
            let exit = free.iter().find(leads_there).ok_or(PathConflict::NoFreeLink { from: at, to })?;
            (at, entry) = self.extend(at, ReservationRow { packet, entry, exit }, now);
        }
        self.try_local(at, Port::Chip, PathConflict::ChipReserved)?;
        self.insert_row(at, ReservationRow { packet, entry, exit: Port::Chip });
        Ok(())
    }

    fn try_local(&mut self, at: RouterId, port: Port, conflict: PathConflict) -> Result<(), PathConflict> {
        if !self.free_ports(at).contains(port) {
            return Err(conflict);
        }
        self.take_local(at, port);
        Ok(())
    }
}
