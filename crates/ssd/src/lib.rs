//! Models of solid-state drives whose flash chips are joined by a bus, a mesh or something better.

pub mod accounting;
pub mod assembly;
pub mod config;
pub mod device;
pub mod fabric;
pub mod flash;
pub mod ftl;
pub mod geometry;
pub mod host;
pub mod observe;
pub mod registry;
pub mod report;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
