//! The flash controllers: what waits for a die, what a die does next, when, and by which path.
//!
//! # What it models
//! Every die has a queue for each class of work ([`Class`]), and the host's reads and writes may wait in several
//! lanes. When a die can take a command and the fabric has a path, the controller chooses the transaction that leads it and those of
//! other planes that join it. Dies of a domain of chips compete for its paths.
//!
//! # How
//! What waits:
//! - [`queues`]: what waits for each die, which transaction leads its next command, and which of other planes join; what is legal they ask by
//!   a contract. In which order a die serves the host's work is a policy's to say ([`scheduling`]).
//!
//! What moves:
//! - [`Backend`]: chips, paths, and whose turn it is; every event below the translation layer.
//! - [`Dies`]: the course of a command, step by step. What sets out is in `departures`, which command it is in `commands`; pages that
//!   go from chip to chip are in `copies`.
//! - [`Paths`]: the fabric, and chips that were [lost](Losses) with parts of it.
//! - `arbiter`, `turns`: who is offered to the fabric next; `service`: the offering.
//! - [`Orders`], [`Above`]: the contract with the layer above.

mod arbiter;
mod backend;
mod between_chips;
mod chip_set;
mod commands;
mod copies;
mod departures;
mod dies;
mod losses;
mod orders;
mod paths;
pub mod queues;
pub mod scheduling;
mod service;
mod turns;

pub use backend::Backend;
pub use dies::Dies;
pub use losses::{FailureCounters, Losses};
pub use orders::{Above, FlashAgenda, FlashEvent, Moving, Orders};
pub use paths::Paths;
pub use queues::Command;

use crate::chip::DataFor;
use crate::work::{Class, Transaction};

/// Who waits for what a transaction reads.
#[inline]
pub const fn data_for(read: &Transaction) -> DataFor {
    match read.purpose.class() {
        Class::MappingRead => DataFor::Map,
        Class::GcRead => DataFor::Collection,
        _ => DataFor::Host,
    }
}
