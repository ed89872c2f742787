//! Host: request issue, queues, scheduling, and the link to the drive.
//!
//! Requests and their sources are in the crate [`venice_requests`].
//! - [`Flows`]: issue times of each flow's requests;
//! - [`HostCoreParameters`]: the processor cores on which requests are submitted;
//! - [`scheduler`] and [`IoQueue`]: choice of the waiting request that the host sends to the drive next;
//! - [`Transport`]: the path of a request through the queues and over [`HostLink`], and back;
//! - [`HostInterface`]: the combination of these.
//!
//! This crate does not model the drive behind the link; its caller reports completed commands.

mod arbitration;
mod collection_notice;
mod cores;
mod doorbells;
mod duplex_link;
mod event_sink;
mod fetcher;
mod flow_shares;
mod flows;
mod host_bus_adapter;
mod inbound_link;
mod interface;
mod io_queue;
mod link;
mod processes;
mod protocol;
mod queue_pair;
mod range_lists;
mod request;
pub mod scheduler;
mod settings;
pub mod testkit;
mod transport;

pub use arbitration::{ArbitrationKind, ArbitrationSettings, ClassWeights};
pub use collection_notice::CollectionNotice;
pub use cores::HostCoreParameters;
pub use event_sink::{HostEvent, HostEventSink};
pub use flows::{FlowReaction, Flows};
pub use interface::HostInterface;
pub use io_queue::{IoQueue, IoQueueCounters, QueueHistory};
pub use link::{HostLink, LinkSettings, MessageCost};
pub use protocol::{MessageSizes, Protocol};
pub use range_lists::RangeLists;
pub use request::{FlowId, InFlight, PageResult, Request};
pub use settings::{HostParameters, HostSettings};
pub use transport::Transport;
