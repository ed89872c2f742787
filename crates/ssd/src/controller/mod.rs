//! The controller: what waits for a die, and what a die does next.
//!
//! # What it models
//! Every die has a queue for each class of work ([`Class`](crate::work::Class)), and the host's reads and writes may wait in several
//! lanes. When a die can take a command and the fabric has a path, the controller chooses the transaction that leads it and those of
//! other planes that join it.
//!
//! # How
//! The queues ([`queues`]) are lists through the table of transactions; long ones keep chains, so that partners are found without
//! a walk ([`partners`]). In which order a die serves its queues is a policy's to say ([`scheduling`]).

pub mod lanes;
pub mod partners;
pub mod queues;
pub mod scheduling;

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
