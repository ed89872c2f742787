//! The flash controllers: what waits for a die, and what a die does next.
//!
//! - [`queues`]: what waits for each die, which transaction leads its next command, and which of other planes join.
//! - [`scheduling`]: in which order a die serves the host's work, a seam.

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
