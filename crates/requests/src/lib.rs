//! Host requests and their sources.
//!
//! This crate does not depend on a model of the drive.
//!
//! - [`request`]: requests, and the contract of request sources
//! - [`traces`]: requests read from files, one reader per format
//! - [`workloads`]: synthetic requests with published or assumed characteristics
//! - [`adapters`]: sources that change the requests of other sources
//! - [`Flow`]: a request source with its issue policy
//! - [`input`]: input files written by users
//!
//! # Adding a trace format
//!
//! Add a reader in `traces/formats/`, a row in `traces/registry.rs`, and a function that writes the format in
//! `tests/traces_conformance.rs`.

pub mod adapters;
mod flow;
pub mod input;
pub mod request;
mod steady_state;
pub mod testkit;
pub mod traces;
pub mod workloads;

pub use flow::{Flow, FlowShare, LAST_ISSUE, LoopMode, Pace};
pub use request::{
    DeviceUse, FormatChoice, HostRequest, MOST_PATTERN_SETS, MOST_RANGES, Op, ReadCounters, RequestSource,
    SECTOR_BYTES, SectorRange, SourceCounters, SourceError, UniformWrites, WriteLaw,
};
pub use steady_state::{SteadyFigure, SteadyStateCriterion};
