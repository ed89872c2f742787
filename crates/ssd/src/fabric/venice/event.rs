//! Venice's own events, as numbers of the fabric contract: a kind in the top bit, a controller below.

use super::ControllerId;
use crate::fabric::FabricEvent;

/// Something that happens to a controller at a later instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// What it is doing takes its next step: its scout has crossed a link or is back, or its
    /// transfer is over. A controller does one thing at a time, so the event need not say which.
    Next(ControllerId),
    /// The back-off after its failed scout is over; by then it may be doing something else.
    BackOffOver(ControllerId),
}

const BACK_OFF_OVER: u32 = 1 << 31;

impl From<Event> for FabricEvent {
    #[inline]
    fn from(event: Event) -> Self {
        match event {
            Event::Next(controller) => Self(controller.0),
            Event::BackOffOver(controller) => Self(controller.0 | BACK_OFF_OVER),
        }
    }
}

impl From<FabricEvent> for Event {
    #[inline]
    fn from(FabricEvent(number): FabricEvent) -> Self {
        let controller = ControllerId(number & !BACK_OFF_OVER);
        if number & BACK_OFF_OVER == 0 { Self::Next(controller) } else { Self::BackOffOver(controller) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_survives_its_number() {
        for controller in [0, 7, BACK_OFF_OVER - 1].map(ControllerId) {
            for event in [Event::Next(controller), Event::BackOffOver(controller)] {
                assert_eq!(Event::from(FabricEvent::from(event)), event);
            }
        }
    }
}
