//! What the host interface is told.

use venice_kernel::SimSpan;

use crate::geometry::Priority;

use super::arbitration::ArbitrationSettings;
use super::link::LinkSettings;
use super::protocol::{MessageSizes, Protocol};
use super::scheduler::SchedulerSettings;

/// The link between host and drive, the messages on it, and the host's queues.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSettings {
    /// Each direction of the link.
    pub link: LinkSettings,
    /// Which messages a command exchanges.
    pub protocol: Protocol,
    /// How long those messages are.
    pub sizes: MessageSizes,
    /// Entries of a queue's submission ring, and of its completion ring, one of which stays empty; at least 2.
    pub queue_entries: u32,
    /// Commands of one queue that the drive works on at once.
    pub queue_depth: u32,
    /// Commands of all queues together that the drive works on at once.
    pub drive_depth: u32,
    /// Which queue is next when some have to wait.
    pub arbitration: ArbitrationSettings,
    /// By queue, its class; a queue that is not listed has the default.
    pub priorities: Vec<Priority>,
    /// What orders requests before they enter the drive's queues, if anything does.
    pub scheduler: Option<SchedulerSettings>,
    /// Time in the host's adapter, each way, with SATA.
    pub adapter_delay: SimSpan,
}
