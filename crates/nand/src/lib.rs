//! The flash of a drive: where things are, what dies do and for how long, and the page-sized work that is done on them.
//!
//! It owns the [`geometry`] with its typed indices, the [stages](accounting) of latency, the [transaction](work) and the state and the
//! times of [chips](chip). It does not know when operations start (the controller), how bytes come to the chips (the fabric), or what
//! the pages are for (the translation layer).

pub mod accounting;
pub mod chip;
pub mod geometry;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod work;
