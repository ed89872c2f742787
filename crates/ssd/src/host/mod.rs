//! The host: its queues, the link over which requests reach the drive, and who of them goes first.
//!
//! What a request is and where requests come from is a crate of its own, [`venice_requests`].
//! - [`HostInterface`]: requests on their way through the host's queues, over [`HostLink`], and back;
//! - [`Rhythms`]: when each flow issues its requests;
//! - [`scheduler`]: which of the waiting requests the host hands to the drive next.

mod adapter;
mod arbitration;
mod fetcher;
mod interface;
mod io_queue;
mod link;
mod protocol;
mod queue_pair;
mod rhythm;
pub mod scheduler;
mod settings;
mod wires;

pub use arbitration::{ARBITRATION_NAMES, ArbitrationKind, ArbitrationSettings, ClassWeights};
pub use interface::{FlowId, HostAgenda, HostEvent, HostInterface, Request};
pub use io_queue::{IoQueueCounters, QueueHistory};
pub use link::{HostLink, LinkSettings};
pub use protocol::{MessageSizes, Protocol};
pub use rhythm::{Following, Rhythms};
pub use settings::{HostParameters, HostSettings};
