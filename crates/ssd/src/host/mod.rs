//! The host: where requests come from, and the link over which they reach the drive.

mod interface;
mod link;
pub mod request;
mod settings;

pub use interface::{HostInterface, LoopMode, Request};
pub use link::HostLink;
pub use request::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceCounters, SourceError};
pub use settings::HostSettings;
