//! Where requests come from and how they reach the drive.
//!
//! - [`request`]: what a request is, and the contract of everything that gives requests.

pub mod request;
mod settings;

pub use settings::HostSettings;
