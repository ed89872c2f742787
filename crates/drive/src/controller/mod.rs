//! Flash controllers: die queues, choice of commands, and arbitration of paths.
//!
//! # What it models
//! Each die has a queue for each class of work ([`TransactionClass`]); the host's reads and writes may have several
//! lanes. When a die can accept a command and the fabric has a path, the controller chooses the leading
//! transaction and those of other planes that join it. The dies of an arbitration domain compete for its
//! paths.
//!
//! # How
//! Waiting work:
//! - [`queues`]: transactions that wait for each die, choice of the leading transaction, and of the
//!   transactions of other planes that join it. The trait `Legality` says which transactions may share a
//!   command. The order of the host's transactions is defined by a policy ([`scheduling`]).
//!
//! Work in progress:
//! - [`Backend`]: chips, paths and arbitration; all events below the translation layer.
//! - [`Dies`]: life cycle of a command. `transfers` forms transfers, `commands` chooses commands, `copies`
//!   handles chip-to-chip copies.
//! - [`Paths`]: the fabric, and chips that were [lost](Losses) through its failures.
//! - `arbiter`, `round_robin`: order in which waiting transfers are offered to the fabric; `service`: the offers.
//! - [`CommandSource`], [`UpperLayer`]: interfaces to the layer above.
//!
//! Before the translation layer: [`Cores`], the processors that every command of the host takes. Between the paths
//! and the translation layer: [`Decoders`], which correct the pages that are read.

mod arbiter;
mod backend;
mod chip_set;
mod chip_to_chip;
mod command_source;
mod commands;
mod copies;
mod cores;
mod decoders;
mod dies;
mod losses;
mod paths;
pub mod queues;
mod round_robin;
pub mod scheduling;
mod service;
mod transfers;

use venice_nand::chip::DataConsumer;
use venice_nand::transactions::{Transaction, TransactionClass};

pub use backend::Backend;
pub use command_source::{CommandSource, CopyDestination, FlashEvent, FlashEventSink, UpperLayer};
pub use cores::{CommandSize, CoreCounters, CoreParameters, Cores};
pub use decoders::{DecoderCounters, DecoderPlacement, Decoders, Decoding, EccParameters, MOST_RETRIES};
pub use dies::Dies;
pub use losses::{FailureCounters, Losses};
pub use paths::Paths;
pub use queues::Command;

/// Returns the consumer of the data that a transaction reads.
#[inline]
pub const fn data_for(read: &Transaction) -> DataConsumer {
    match read.purpose.class() {
        TransactionClass::MappingRead => DataConsumer::Map,
        TransactionClass::GcRead => DataConsumer::Collection,
        _ => DataConsumer::Host,
    }
}
