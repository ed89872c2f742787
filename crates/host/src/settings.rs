//! Settings of the host interface.

use venice_kernel::SimSpan;
use venice_nand::geometry::{Geometry, Priority};
use venice_params::{declare, names_of, number, one_of, whole};

use super::arbitration::ArbitrationSettings;
use super::cores::HostCoreParameters;
use super::link::LinkSettings;
use super::protocol::{MessageSizes, Protocol};
use super::scheduler::{IoQueueParameters, SchedulerSettings};

declare! {
    /// Link between host and drive, and the command queues of the drive.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HostParameters in "host." {
        with link: LinkSettings;
        /// Host protocol, which determines the messages of a command on the link.
        ///
        /// `direct`: a command carries its write data, and a completion its read data. `nvme`: doorbells,
        /// fetched submission entries, data and completion entries are separate messages, on one pair of
        /// rings per queue. `sata`: the messages of `nvme` on one pair of rings for all queues, behind the
        /// host's adapter.
        protocol: Protocol = one_of::<Protocol>(), unit "", default "direct", source "ours";
        with sizes: MessageSizes;
        /// Number of entries of each submission and completion ring, with `protocol = "nvme"` or `"sata"`.
        ///
        /// One entry stays empty. Requests without an entry wait in the host. With `sata` there is a single
        /// command queue.
        queue_entries: u32 = whole(2, 65_536), unit "entries", default "1024",
            source "MQSim, IO_Queue_Depth = 1024";
        /// Maximum number of concurrent commands of one queue in the drive.
        ///
        /// Further commands wait in their queue. Each device of a trace, or each flow of a workload, has a
        /// queue.
        queue_depth: u32 = whole(1, 65_535), unit "commands", default "512",
            source "MQSim, Queue_Fetch_Size = 512";
        /// Maximum number of concurrent commands of all queues in the drive.
        drive_depth: u32 = whole(1, 1_048_576), unit "commands", default "1048576",
            source "ours: MQSim limits each queue only";
        with arbitration: ArbitrationSettings;
        /// Priority class of each queue, from queue 0: `urgent`, `high`, `medium` or `low`.
        ///
        /// Unlisted queues have the class `high`.
        priorities as queue_priorities: Vec<Priority> = names_of::<Priority>(), unit "", default "[]",
            source "NVM Express Base Specification 1.4, §4.13; MQSim, Priority_Class";
        /// Processing time of a request or completion in the host's adapter, with `protocol = "sata"`.
        ///
        /// The adapter processes one request or completion at a time in each direction.
        adapter_delay as adapter_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "MQSim, SATA_Processing_Delay";
        with cores: HostCoreParameters;
    }
}

/// Settings of the link, its messages, and the host's queues.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSettings {
    /// Settings of the link, which apply to each direction.
    pub link: LinkSettings,
    /// Host protocol, which determines the messages of a command.
    pub protocol: Protocol,
    /// Sizes of the protocol's messages, without packet overhead.
    pub sizes: MessageSizes,
    /// Number of entries of each submission and completion ring, one of which stays empty; at least 2.
    pub queue_entries: u32,
    /// Maximum number of concurrent commands of one queue in the drive.
    pub queue_depth: u32,
    /// Maximum number of concurrent commands of all queues in the drive.
    pub drive_depth: u32,
    /// Arbitration among queues with waiting commands.
    pub arbitration: ArbitrationSettings,
    /// Priority class of each queue; unlisted queues have the class `high`.
    pub priorities: Vec<Priority>,
    /// Host scheduler, if there is one.
    pub scheduler: Option<SchedulerSettings>,
    /// Processing time in the host's adapter in each direction (SATA).
    pub adapter_delay: SimSpan,
    /// Cores of the host, and the core time of a request.
    pub cores: HostCoreParameters,
    /// Seed of all random choices of the host.
    pub seed: u64,
}

impl HostSettings {
    /// Creates the settings from the parameters for a drive of this geometry, with the seed of the run.
    pub fn of(stated: &HostParameters, queue: &IoQueueParameters, geometry: &Geometry, seed: u64) -> Self {
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
            cores: stated.cores,
            seed,
        }
    }
}
