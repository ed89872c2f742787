//! Flash memory of a drive.
//!
//! The crate contains the [`geometry`] with its typed indices, the [stages](latency) of latency, page-sized
//! [transactions], the state and timing of [chips](chip) and their dies, and the [wear] of cells. Other crates
//! determine when operations start (the controller), how data is transferred to the chips (the fabric), and
//! the purpose of the pages (the translation layer).

pub mod chip;
pub mod geometry;
pub mod latency;
pub mod testkit;
pub mod transactions;
pub mod wear;
