//! What the host interface is told.

use venice_kernel::SimSpan;

use crate::geometry::{Geometry, Priority};
use crate::parameters::{choices, declare, names_of, number, one_of, whole};

use super::arbitration::ArbitrationSettings;
use super::link::LinkSettings;
use super::protocol::{MessageSizes, Protocol};
use super::scheduler::{IoQueueParameters, SchedulerSettings};

choices! {
    Priority, "priority class": "urgent" => Urgent, "high" => High, "medium" => Medium, "low" => Low;
}

declare! {
    /// The link between host and drive, and the drive's command queue.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HostParameters in "host." {
        with link: LinkSettings;
        /// Which messages a command exchanges over the link.
        ///
        /// `direct`: the command goes in with its data, the completion comes back with its data. `nvme`: doorbells,
        /// fetched submission entries, data and completion entries are messages of their own, on a pair of rings for each
        /// queue. `sata`: the same messages on one pair of rings for all queues, behind the host's adapter.
        protocol: Protocol = one_of::<Protocol>(), unit "", default "direct", source "ours";
        with sizes: MessageSizes;
        /// Entries of a queue's submission ring, and of its completion ring, with `protocol = "nvme"` or `"sata"`.
        ///
        /// One entry stays empty. Requests that find no entry wait in the host. With `sata`, of the one command queue.
        queue_entries: u32 = whole(2, 65_536), unit "entries", default "1024",
            source "MQSim, IO_Queue_Depth = 1024";
        /// Commands of one queue that the drive works on at once.
        ///
        /// Further ones wait in their queue. A queue is a device number of a trace, or a flow.
        queue_depth: u32 = whole(1, 65_535), unit "commands", default "512",
            source "MQSim, Queue_Fetch_Size = 512";
        /// Commands of all queues together that the drive works on at once.
        drive_depth: u32 = whole(1, 1_048_576), unit "commands", default "1048576",
            source "ours: MQSim limits each queue only";
        with arbitration: ArbitrationSettings;
        /// The class of each queue, the one with number 0 first: `urgent`, `high`, `medium` or `low`.
        ///
        /// A queue that the list does not reach is `high`.
        priorities as queue_priorities: Vec<Priority> = names_of::<Priority>(), unit "", default "[]",
            source "NVM Express Base Specification 1.4, §4.13; MQSim, Priority_Class";
        /// Time that a request, or a completion, takes in the host's adapter, with `protocol = "sata"`.
        ///
        /// One at a time each way.
        adapter_delay as adapter_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "MQSim, SATA_Processing_Delay";
    }
}

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

impl HostSettings {
    /// What is stated, for a drive of this shape.
    pub fn of(stated: &HostParameters, queue: &IoQueueParameters, geometry: &Geometry) -> Self {
        Self {
            link: stated.link,
            protocol: stated.protocol,
            sizes: stated.sizes,
            queue_entries: stated.queue_entries,
            queue_depth: stated.queue_depth,
            drive_depth: stated.drive_depth,
            arbitration: stated.arbitration,
            priorities: stated.priorities.clone(),
            scheduler: queue.settings(geometry),
            adapter_delay: stated.adapter_delay,
        }
    }
}
