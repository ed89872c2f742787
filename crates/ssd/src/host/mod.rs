//! Where requests come from and how they reach the drive.
//!
//! - [`request`]: what a request is, and the contract of everything that gives requests;
//! - [`traces`]: requests read from files, one reader per format;
//! - [`adapters`]: sources over other sources: scaled, limited, folded;
//! - [`workloads`]: requests made up from published or assumed characteristics, always labelled synthetic.

pub mod adapters;
pub mod request;
mod settings;
pub mod traces;
pub mod workloads;

pub use settings::HostSettings;
