//! Outputs of a fabric: private events, deliveries, wake-ups and trace records.

use venice_kernel::SimTime;
use venice_nand::geometry::DieId;

use crate::path::PacketHop;
use crate::pending_events::PendingEvents;
use crate::scouts::ScoutTrip;
use crate::transfer::{Delivery, DomainId, FabricEvent};

/// Outputs of a fabric, which its caller reads and removes. The memory is reused, so that none is allocated
/// after the start of a run.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Private events to be scheduled.
    pub scheduled: PendingEvents,
    /// Transfers that end at the current instant.
    pub delivered: Vec<Delivery>,
    /// Accepted transfers whose path search failed; the caller offers them again after a wake-up.
    pub bounced: Vec<DieId>,
    /// Arbitration domains in which a refused transfer may succeed if it is offered again.
    pub woken: Vec<DomainId>,
    /// Pending private events that repeat periodically until another event occurs, so that the caller can
    /// [skip](crate::Fabric::skip) them; usually empty.
    pub repeated: Vec<FabricEvent>,
    /// Trips of scouts that departed; `None` unless tracing is enabled.
    pub trips: Option<Vec<ScoutTrip>>,
    /// Packets that enter a link now; `None` unless tracing is enabled.
    pub hops: Option<Vec<PacketHop>>,
}

impl Outbox {
    /// Schedules the private event `event` at `at`.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: FabricEvent) {
        self.scheduled.push(at, event);
    }

    /// Enables trace records of scouts and packets.
    pub fn record_details(&mut self) {
        (self.trips, self.hops) = (Some(Vec::new()), Some(Vec::new()));
    }

    /// Drains the trace records of scouts.
    pub fn take_trips(&mut self) -> impl Iterator<Item = ScoutTrip> {
        self.trips.iter_mut().flat_map(|trips| trips.drain(..))
    }

    /// Drains the trace records of packets on links.
    pub fn take_hops(&mut self) -> impl Iterator<Item = PacketHop> {
        self.hops.iter_mut().flat_map(|hops| hops.drain(..))
    }

    /// Adds a trace record of a scout if tracing is enabled.
    pub fn tell(&mut self, trip: ScoutTrip) {
        if let Some(trips) = &mut self.trips {
            trips.push(trip);
        }
    }
}
