//! Flash memory of a drive.
//!
//! The crate contains the [`geometry`] with its typed ids, the [stages](latency) of a request's latency, and
//! page-sized [transactions]. It also contains the state and timing of [chips](chip) and their dies, and the
//! [wear] of cells. Other crates model the controller, which starts operations, the fabric, which transfers
//! data to the chips, and the translation layer, which decides what pages store.

pub mod chip;
pub mod functions;
pub mod geometry;
pub mod latency;
pub mod testkit;
pub mod transactions;
pub mod wear;
