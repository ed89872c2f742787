//! Preview of events in cycle-level mode, for a step-by-step comparison with another implementation, such as
//! hardware.
//!
//! Several scouts can take a step at the same time. The caller defines the order of such events, so that it
//! can follow the order of a hardware implementation. This module only reads the state of controllers. Atomic
//! reservation is not supported, since its scouts take no separate steps.

use venice_nand::geometry::ChipId;

use super::controller_state::ControllerState;
use super::event::VeniceEvent;
use super::{ControllerId, ScoutMode, Venice};
use crate::FabricEvent;
use crate::noc::{Port, RouterId};

/// Effect that an event will have on the scout or transfer of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventEffect {
    /// A scout, which entered this router through this port, takes its next step.
    Step(RouterId, Port),
    /// After a failed scout, the controller sends the next scout for the same transfer, starting at this
    /// router.
    SetOut(RouterId),
    /// A transfer ends, and its path is released.
    Delivery,
    /// Any other effect, for example the return of a failed scout.
    Other,
}

impl Venice {
    /// Returns the controller that an event concerns and the effect of the event; `None` if it concerns no
    /// controller.
    pub fn due(&self, event: FabricEvent) -> Option<(ControllerId, EventEffect)> {
        let VeniceEvent::Next(who) = VeniceEvent::from(event) else { return None };
        let due = match self.controllers.activity(who) {
            ControllerState::Searching(search) => {
                let (at, by) = (search.scout.at, search.scout.input);
                let upstream = self.mesh.neighbour(at, by).zip(by.opposite());
                match (search.scout.mode, upstream) {
                    (ScoutMode::Cancel, Some((router, port))) => EventEffect::Step(router, port),
                    _ => EventEffect::Step(at, by),
                }
            }
            ControllerState::Returning(_) => EventEffect::SetOut(self.mesh.entrance(who.0)),
            ControllerState::Transferring(_) => EventEffect::Delivery,
            _ => EventEffect::Other,
        };
        Some((who, due))
    }

    /// Returns the router at which the event releases the next link of a loop, or `None` if the event has
    /// another effect.
    pub fn gives_back(event: FabricEvent) -> Option<RouterId> {
        match VeniceEvent::from(event) {
            VeniceEvent::GivenBack(router, _) => Some(router),
            _ => None,
        }
    }

    /// Returns the number of links of the controller's circuit, whether it carries a transfer or is held for
    /// the next one; `None` without a circuit.
    pub fn circuit_hops(&self, who: ControllerId) -> Option<u32> {
        match self.controllers.activity(who) {
            ControllerState::Transferring(circuit) | ControllerState::Holding(circuit) => Some(circuit.hops),
            _ => None,
        }
    }

    /// Returns the controller that would serve a transfer of `chip` if it were offered now.
    pub fn would_serve(&self, chip: ChipId) -> Option<ControllerId> {
        if self.served_by[chip.index()].is_some() { None } else { self.choose(chip) }
    }
}
