//! The flash of a drive: where things are, what dies do and for how long, and the page-sized work that is done on them.
//!
//! It owns the [`geometry`] with its typed indices, the [stages](latency) of latency, the [transaction](transactions) and the state and the
//! times of [chips](chip). It does not know when operations start (the controller), how bytes come to the chips (the fabric), or what
//! the pages are for (the translation layer).

pub mod chip;
pub mod geometry;
pub mod latency;
pub mod testkit;
pub mod transactions;
