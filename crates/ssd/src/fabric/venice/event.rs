//! Venice's own events, as numbers of the fabric contract: a kind in the top bits, a controller, a chip or a port below.

use super::ControllerId;
use crate::fabric::FabricEvent;
use crate::fabric::noc::{Port, RouterId};
use crate::geometry::ChipId;

/// Something that happens to a controller at a later instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// What it is doing takes its next step: its scout has crossed a link or is back, or its
    /// transfer is over. A controller does one thing at a time, so the event need not say which.
    Next(ControllerId),
    /// The back-off after its failed scout is over; by then it may be doing something else.
    BackOffOver(ControllerId),
    /// The page that this chip has sent to another is there.
    Copied(ChipId),
    /// A scout on its way back is in a router that its path visits twice, the second time by this port.
    Crossing(RouterId, Port),
    /// What gives back a loop has crossed the link behind this port.
    GivenBack(RouterId, Port),
}

const BACK_OFF_OVER: u32 = 1 << 31;
const COPIED: u32 = 1 << 30;
/// Both: a loop of a path, at a port of a router.
const LOOP: u32 = BACK_OFF_OVER | COPIED;
const GIVEN_BACK: u32 = 1 << 29;

/// Numbers for the ports of one router.
const PORTS: u32 = 16;

/// A port of a router as one number.
const fn port_place(router: RouterId, port: Port) -> u32 {
    router.0 * PORTS + port.index() as u32
}

fn port_at(place: u32) -> (RouterId, Port) {
    (RouterId(place / PORTS), Port::ALL[(place % PORTS) as usize])
}

impl From<Event> for FabricEvent {
    #[inline]
    fn from(event: Event) -> Self {
        match event {
            Event::Next(controller) => Self(controller.0),
            Event::BackOffOver(controller) => Self(controller.0 | BACK_OFF_OVER),
            Event::Copied(chip) => Self(chip.0 | COPIED),
            Event::Crossing(router, port) => Self(port_place(router, port) | LOOP),
            Event::GivenBack(router, port) => Self(port_place(router, port) | LOOP | GIVEN_BACK),
        }
    }
}

impl From<FabricEvent> for Event {
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
            for event in
                [Event::Next(controller), Event::BackOffOver(controller), Event::Copied(ChipId(number))]
            {
                assert_eq!(Event::from(FabricEvent::from(event)), event);
            }
        }
        for router in [0, 7, 65_535].map(RouterId) {
            for port in Port::ALL {
                for event in [Event::Crossing(router, port), Event::GivenBack(router, port)] {
                    assert_eq!(Event::from(FabricEvent::from(event)), event);
                }
            }
        }
    }
}
