//! Requests: what a host asks of a drive, and where that comes from.
//!
//! Nothing here knows a drive: a request has a time, sectors and a direction.
//!
//! - [`request`]: what a request is, and the contract of everything that gives requests;
//! - [`traces`]: requests read from files, one reader per format;
//! - [`workloads`]: requests made up from published or assumed characteristics, always labelled synthetic;
//! - [`adapters`]: sources over other sources: scaled, limited, folded;
//! - [`Flow`]: a source with a rhythm of its own;
//! - [`input`]: files that people write.
//!
//! # Adding a trace format
//!
//! Its file in `traces/formats/`, its line in `traces/registry.rs`, its rendering in `tests/traces_conformance.rs`.

pub mod adapters;
mod flow;
pub mod input;
pub mod request;
mod steady;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod traces;
pub mod workloads;

pub use flow::{Flow, LAST_ISSUE, LoopMode, Pace};
pub use request::{
    DeviceUse, FormatChoice, HostRequest, Op, ReadCounters, RequestSource, SECTOR_BYTES, SourceCounters,
    SourceError, UniformWrites, WriteLaw,
};
pub use steady::{SteadyFigure, SteadyGoal};
