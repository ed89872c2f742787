//! Models of solid-state drives whose flash chips are joined by a bus, a mesh or something better.

pub mod config;
pub mod fabric;
pub mod flash;
pub mod ftl;
pub mod geometry;
pub mod host;
pub mod registry;
