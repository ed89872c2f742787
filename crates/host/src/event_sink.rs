//! Events of the host interface, and the trait for scheduling them.

use venice_kernel::{EventQueue, SimTime};
use venice_nand::geometry::RequestId;

use super::collection_notice::CollectionNotice;
use super::request::FlowId;

/// Scheduled event of the host interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// Issue of the next request of an open-loop flow.
    Arrival(FlowId),
    /// Issue of a request of a closed-loop flow, at its start or after its think time.
    Issue(FlowId),
    /// Arrival of a command's doorbell in the drive.
    Announced(RequestId),
    /// Earliest arrival of a fetched submission entry; other messages may delay it on the link.
    EntryDue(RequestId),
    /// Arrival of a complete command in the drive.
    Fetched(RequestId),
    /// Earliest arrival of a write's fetched data; other messages may delay it on the link.
    DataDue(RequestId),
    /// Arrival of a write's data in the drive.
    DataFetched(RequestId),
    /// Arrival of a completion in the host.
    Completed(RequestId),
    /// Departure of a request or completion from the host's adapter.
    Passed(RequestId),
    /// Arrival of a completion queue doorbell that frees an entry for a waiting completion of this queue.
    CompletionRoom(u16),
    /// Alarm that the host's scheduler has requested.
    SchedulerWakes,
    /// Arrival of a notice that a chip has begun or ended garbage collection.
    CollectionNotice(CollectionNotice),
}

/// Trait for scheduling events of the host interface.
pub trait HostEventSink {
    /// Schedules `event` at `at`.
    fn post(&mut self, at: SimTime, event: HostEvent);
}

/// Implements the trait for an event queue of the drive, whose events include those of the host interface.
impl<E: Copy + From<HostEvent>> HostEventSink for EventQueue<E> {
    fn post(&mut self, at: SimTime, event: HostEvent) {
        self.schedule(at, event.into());
    }
}
