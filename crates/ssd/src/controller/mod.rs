//! The flash controllers: what dies are sent, when, and by which path.
//!
//! # How
//! - [`Backend`]: chips, paths, and whose turn it is; every event below the translation layer.
//! - [`Dies`]: the course of a command, step by step. What sets out is in `departures`, which command it is in `commands`, pages that go from
//!   chip to chip are in `copies`.
//! - [`Paths`]: the fabric, and chips that were [lost](Losses) with parts of it.
//! - `arbiter`, `turns`: who is offered to the fabric next.
//! - [`Orders`], [`Above`]: the contract with the layer above.

mod arbiter;
mod backend;
mod chip_set;
mod commands;
mod copies;
mod departures;
mod dies;
mod losses;
mod orders;
mod paths;
mod turns;

pub use backend::Backend;
pub use dies::Dies;
pub use losses::{FailureCounters, Losses};
pub use orders::{Above, Command, FlashAgenda, FlashEvent, Moving, Orders};
pub use paths::Paths;
