//! What somebody who runs another implementation in lock step must know of the cycle-level mode.
//!
//! # What it models
//! Nothing: it tells what an event will do before it is handled. At one instant several scouts may take a step, and the
//! order of events at one instant is the caller's; an implementation in hardware has an order of its own, so its
//! caller sorts by place.
//!
//! # How
//! Reads the controllers' state.
//!
//! # What is left out
//! Atomic reservation, whose scouts take no steps.
//!
//! # Source
//! Ours.
//!
//! # Parameters
//! None.

use super::activity::Activity;
use super::event::Event;
use super::{ControllerId, Mode, Venice};
use crate::fabric::FabricEvent;
use crate::fabric::noc::{Port, RouterId};
use crate::geometry::ChipId;

/// What an event will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A scout takes its next step in this router, where it comes in by this port.
    Step(RouterId, Port),
    /// The next scout for a transfer whose last one failed sets out, into this router.
    SetOut(RouterId),
    /// A transfer ends, and its path is given back.
    Delivery,
    /// Anything else.
    Other,
}

impl Venice {
    /// The controller that an event is about, and what it will do; `None` if it is about no controller.
    pub fn due(&self, event: FabricEvent) -> Option<(ControllerId, Due)> {
        let Event::Next(who) = Event::from(event) else { return None };
        let due = match self.controllers.activity(who) {
            Activity::Searching(search) => {
                let (at, by) = (search.scout.at, search.scout.input);
                let upstream = self.mesh.neighbour(at, by).zip(by.opposite());
                match (search.scout.mode, upstream) {
                    (Mode::Cancel, Some((router, port))) => Due::Step(router, port),
                    _ => Due::Step(at, by),
                }
            }
            Activity::Returning(_) => Due::SetOut(self.mesh.entrance(who.0)),
            Activity::Transferring(_) => Due::Delivery,
            _ => Due::Other,
        };
        Some((who, due))
    }

    /// The router that begins to give back a link of a loop, if the event is that the link's other end has it.
    pub fn gives_back(event: FabricEvent) -> Option<RouterId> {
        match Event::from(event) {
            Event::GivenBack(router, _) => Some(router),
            _ => None,
        }
    }

    /// The links of the circuit that a controller's transfer is on, or will be when its scout is back.
    pub fn circuit_hops(&self, who: ControllerId) -> Option<u32> {
        match self.controllers.activity(who) {
            Activity::Transferring(circuit) | Activity::Holding(circuit) => Some(circuit.hops),
            _ => None,
        }
    }

    /// The controller that would take a transfer of this chip if it were offered now.
    pub fn would_serve(&self, chip: ChipId) -> Option<ControllerId> {
        if self.served_by[chip.index()].is_some() { None } else { self.choose(chip) }
    }
}
