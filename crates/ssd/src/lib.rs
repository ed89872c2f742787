//! Models of solid-state drives whose flash chips are joined by a bus, a mesh or something better.

pub mod fabric;
pub mod geometry;
pub mod registry;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
