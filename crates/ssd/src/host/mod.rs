//! The host: where requests come from, and the link over which they reach the drive.
//!
//! - [`request`]: what a request is, and the contract of everything that gives requests;
//! - [`traces`]: requests read from files, one reader per format;
//! - [`adapters`]: sources over other sources: scaled, limited, folded;
//! - [`workloads`]: requests made up from published or assumed characteristics, always labelled synthetic.
//! - [`HostInterface`]: requests on their way through the host's queues, over [`HostLink`], and back.

mod adapter;
pub mod adapters;
mod arbitration;
mod fetcher;
mod flow;
mod interface;
mod io_queue;
mod link;
mod protocol;
mod queue_pair;
pub mod request;
pub mod scheduler;
mod settings;
mod steady;
pub mod traces;
mod wires;
pub mod workloads;

pub use arbitration::{ARBITRATION_NAMES, ArbitrationKind, ArbitrationSettings};
pub use flow::{Flow, LoopMode, Pace};
pub use interface::{FlowId, HostAgenda, HostEvent, HostInterface, Request};
pub use io_queue::{IoQueueCounters, QueueHistory};
pub use link::{HostLink, LinkSettings};
pub use protocol::{MessageSizes, Protocol};
pub use request::{
    FormatChoice, HostRequest, Op, ReadCounters, RequestSource, SECTOR_BYTES, SourceCounters, SourceError,
};
pub use settings::HostSettings;
pub use steady::{SteadyFigure, SteadyGoal};
