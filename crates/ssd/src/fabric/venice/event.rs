//! Venice's own events, as numbers of the fabric contract: a kind in the top bits, a controller or a chip below.

use super::ControllerId;
use crate::fabric::FabricEvent;
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
}

const BACK_OFF_OVER: u32 = 1 << 31;
const COPIED: u32 = 1 << 30;

impl From<Event> for FabricEvent {
    #[inline]
    fn from(event: Event) -> Self {
        match event {
            Event::Next(controller) => Self(controller.0),
            Event::BackOffOver(controller) => Self(controller.0 | BACK_OFF_OVER),
            Event::Copied(chip) => Self(chip.0 | COPIED),
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
    }
}
