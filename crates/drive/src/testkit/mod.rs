//! Test benches, each for one component of a drive between mocks.
//!
//! [`contract`] checks that built-in and user-defined policies obey the rules of their interface.

pub mod backend;
pub mod cache;
pub mod contract;
pub mod controller;
pub mod ftl;
pub mod settings;
