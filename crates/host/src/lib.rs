//! Host: request issue, queues, scheduling, and the link to the drive.
//!
//! Requests and their sources are in the crate [`venice_requests`].
//! - [`Flows`]: issue times of each flow's requests;
//! - [`scheduler`] and [`IoQueue`]: choice of the waiting request that the host sends to the drive next;
//! - [`Transport`]: requests in transit through the queues, over [`HostLink`], and back;
//! - [`HostInterface`]: the combination of these.
//!
//! This crate is independent of the drive behind the link: its caller reports served commands.

mod adapter;
mod agenda;
mod arbitration;
mod doorbells;
mod fetcher;
mod flows;
mod interface;
mod io_queue;
mod link;
mod protocol;
mod queue_pair;
mod request;
pub mod scheduler;
mod settings;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
mod transport;
mod way_in;
mod wires;

pub use agenda::{HostAgenda, HostEvent};
pub use arbitration::{ArbitrationKind, ArbitrationSettings, ClassWeights};
pub use flows::{Flows, Following};
pub use interface::HostInterface;
pub use io_queue::{IoQueue, IoQueueCounters, QueueHistory};
pub use link::{HostLink, LinkSettings, Passage};
pub use protocol::{MessageSizes, Protocol};
pub use request::{FlowId, InFlight, PageResult, Request};
pub use settings::{HostParameters, HostSettings};
pub use transport::Transport;
