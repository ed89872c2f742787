//! The host: its queues, the link over which requests reach the drive, and who of them goes first.
//!
//! What a request is and where requests come from is a crate of its own, [`venice_requests`].
//! - [`Flows`]: when each flow issues its requests;
//! - [`scheduler`] and [`IoQueue`]: which of the waiting requests the host hands to the drive next;
//! - [`Transport`]: requests on their way through the queues, over [`HostLink`], and back;
//! - [`HostInterface`]: the three, put together.

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
