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
    /// Time at which a request leaves a core of the host.
    Submitted(RequestId),
    /// Start of a time slice on this core of the host.
    SliceStart(u16),
    /// Arrival of the doorbell of a command in the drive.
    Announced(RequestId),
    /// Earliest time at which a fetched submission entry can arrive in the drive; other messages on the link
    /// may delay it.
    EntryDue(RequestId),
    /// Arrival of a complete command in the drive.
    Fetched(RequestId),
    /// Earliest time at which the fetched data of a write can arrive in the drive; other messages on the link
    /// may delay it.
    DataDue(RequestId),
    /// Arrival of the complete data of a write in the drive.
    DataFetched(RequestId),
    /// Arrival of a completion in the host.
    Completed(RequestId),
    /// Time at which a request or completion leaves the host's adapter.
    Passed(RequestId),
    /// Arrival of a completion queue doorbell that frees an entry for a waiting completion of this queue.
    CompletionRoom(u16),
    /// Wake-up time that the host's scheduler has requested.
    SchedulerWakes,
    /// Arrival of a notice that a chip has begun or ended garbage collection.
    CollectionNotice(CollectionNotice),
}

/// Trait for scheduling events of the host interface.
pub trait HostEventSink {
    /// Schedules `event` at `at`.
    fn post(&mut self, at: SimTime, event: HostEvent);
}

/// Schedules host events in the drive's event queue, whose event type includes those of the host interface.
impl<E: Copy + From<HostEvent>> HostEventSink for EventQueue<E> {
    fn post(&mut self, at: SimTime, event: HostEvent) {
        self.schedule(at, event.into());
    }
}
