//! Test benches, each with one component of a drive between mocks.
//!
//! [`contract`] contains the checks for implementations of an extension point, including user-defined ones.

pub mod backend;
pub mod cache;
pub mod contract;
pub mod controller;
pub mod ftl;
pub mod settings;
