//! Private events of Venice, encoded as numbers. The top bits contain the kind of event, the lower bits the
//! number of a controller, a chip or a router port.

use venice_nand::geometry::ChipId;

use super::ControllerId;
use crate::FabricEvent;
use crate::noc::{Port, RouterId};

/// Future event of the Venice fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VeniceEvent {
    /// Next step of a controller. Its state determines which: the scout has crossed a link, the scout has
    /// returned, or the transfer has ended.
    Next(ControllerId),
    /// The back-off time after a failed scout has elapsed. The controller may be busy with another transfer
    /// by then.
    BackOffOver(ControllerId),
    /// Arrival of the page that this chip has sent to another chip.
    Copied(ChipId),
    /// Second arrival of a returning scout at a router, because its path contains a loop. The port is the one
    /// through which the path entered the router the second time.
    Crossing(RouterId, Port),
    /// Release of the link at this port of this router, as a step of the link-by-link release of a loop.
    GivenBack(RouterId, Port),
}

const BACK_OFF_OVER: u32 = 1 << 31;
const COPIED: u32 = 1 << 30;
/// Flags of the events that concern a loop. The remaining bits of such an event are the number of a
/// router port.
const LOOP: u32 = BACK_OFF_OVER | COPIED;
const GIVEN_BACK: u32 = 1 << 29;

/// Number of codes for the ports of one router.
const PORTS: u32 = 16;

/// Encodes a router port as one number.
const fn port_place(router: RouterId, port: Port) -> u32 {
    router.0 * PORTS + port.index() as u32
}

fn port_at(place: u32) -> (RouterId, Port) {
    (RouterId(place / PORTS), Port::ALL[(place % PORTS) as usize])
}

impl From<VeniceEvent> for FabricEvent {
    #[inline]
    fn from(event: VeniceEvent) -> Self {
        match event {
            VeniceEvent::Next(controller) => Self(controller.0),
            VeniceEvent::BackOffOver(controller) => Self(controller.0 | BACK_OFF_OVER),
            VeniceEvent::Copied(chip) => Self(chip.0 | COPIED),
            VeniceEvent::Crossing(router, port) => Self(port_place(router, port) | LOOP),
            VeniceEvent::GivenBack(router, port) => Self(port_place(router, port) | LOOP | GIVEN_BACK),
        }
    }
}

impl From<FabricEvent> for VeniceEvent {
    #[inline]
    fn from(FabricEvent(number): FabricEvent) -> Self {
        let place = number & !(BACK_OFF_OVER | COPIED);
        match number & !place {
            BACK_OFF_OVER => Self::BackOffOver(ControllerId(place)),
            COPIED => Self::Copied(ChipId(place)),
            LOOP => {
                let (router, port) = port_at(place & !GIVEN_BACK);
                if place & GIVEN_BACK == 0 {
                    Self::Crossing(router, port)
                } else {
                    Self::GivenBack(router, port)
                }
            }
            _ => Self::Next(ControllerId(place)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_survives_its_number() {
        for number in [0, 7, COPIED - 1] {
            let controller = ControllerId(number);
            for event in [
                VeniceEvent::Next(controller),
                VeniceEvent::BackOffOver(controller),
                VeniceEvent::Copied(ChipId(number)),
            ] {
                assert_eq!(VeniceEvent::from(FabricEvent::from(event)), event);
            }
        }
        for router in [0, 7, 65_535].map(RouterId) {
            for port in Port::ALL {
                for event in [VeniceEvent::Crossing(router, port), VeniceEvent::GivenBack(router, port)] {
                    assert_eq!(VeniceEvent::from(FabricEvent::from(event)), event);
                }
            }
        }
    }
}
