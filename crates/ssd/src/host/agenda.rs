//! What happens at the host's side at instants that are known before, and who takes it down.

use venice_kernel::SimTime;

use crate::geometry::RequestId;

use super::request::FlowId;

/// What happens at the host's side at an instant that was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// The next request of an open-loop flow is issued.
    Arrival(FlowId),
    /// A closed-loop flow begins, or has thought, and issues a request.
    Issue(FlowId),
    /// The drive learns of a command: its doorbell has crossed the link.
    Announced(RequestId),
    /// The submission entry of a command, which the drive has asked for, arrives, unless something went before it on the link.
    EntryDue(RequestId),
    /// The drive has the command itself.
    Fetched(RequestId),
    /// A write's data, which the drive has asked for, arrive, likewise.
    DataDue(RequestId),
    /// The drive has a write's data.
    DataFetched(RequestId),
    /// A completion has crossed the link.
    Completed(RequestId),
    /// The host's adapter has passed a request, or its completion, on.
    Passed(RequestId),
    /// The drive learns that an entry of this queue's completion ring is free again.
    CompletionRoom(u16),
    /// The host's scheduler asked to be woken.
    SchedulerWakes,
}

/// Takes what will happen at the host's side.
pub trait HostAgenda {
    /// This happens then.
    fn post(&mut self, at: SimTime, event: HostEvent);
}
