//! Host requests and their sources.
//!
//! This crate is independent of a drive model: a request has a time, sectors and a direction.
//!
//! - [`request`]: requests, and the contract of request sources
//! - [`traces`]: requests read from files, one reader per format
//! - [`workloads`]: requests from published or assumed characteristics, always labelled synthetic
//! - [`adapters`]: sources that change the requests of other sources
//! - [`Flow`]: a source with its issue policy
//! - [`input`]: input files written by users
//!
//! # Adding a trace format
//!
//! Add a file in `traces/formats/`, a row in `traces/registry.rs`, and a rendering in
//! `tests/traces_conformance.rs`.

pub mod adapters;
mod flow;
pub mod input;
pub mod request;
mod steady_state;
pub mod testkit;
pub mod traces;
pub mod workloads;

pub use flow::{Flow, LAST_ISSUE, LoopMode, Pace};
pub use request::{
    DeviceUse, FormatChoice, HostRequest, Op, ReadCounters, RequestSource, SECTOR_BYTES, SourceCounters,
    SourceError, UniformWrites, WriteLaw,
};
pub use steady_state::{SteadyFigure, SteadyStateCriterion};
