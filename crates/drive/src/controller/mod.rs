//! Flash controllers: queues of the dies, selection of commands, and arbitration of paths.
//!
//! # What it models
//! Each die has a queue for each class of transactions ([`TransactionClass`]). Host reads and writes may have
//! several queues, called lanes, for example one for each priority class. When a die can accept a command and
//! the fabric has a path, the controller selects one waiting transaction and adds transactions on other
//! planes that fit into the same multi-plane command. The dies of an arbitration domain compete for its
//! paths.
//!
//! # How
//! Waiting work:
//! - [`queues`]: transactions that wait for each die, and formation of a command from them. The trait
//!   `Legality` determines which transactions may be started. A policy determines the order of host
//!   transactions ([`scheduling`]).
//!
//! Work in progress:
//! - [`Backend`]: chips, paths and arbitration; handles all events below the flash translation layer (FTL).
//! - [`Dies`]: life cycle of a command. `transfers` forms transfers, `commands` selects commands, `copies`
//!   handles chip-to-chip copies, `search_units` searches in the chips.
//! - [`Paths`]: the fabric, and the chips [lost](Losses) by its failures.
//! - `arbiter`, `round_robin`: order in which waiting transfers are offered to the fabric; `service`: the
//!   offers.
//! - [`CommandSource`], [`UpperLayer`]: interfaces to the layer above.
//!
//! [`Cores`] are the processors that each host command passes before it reaches the FTL. [`Decoders`] correct
//! pages between their arrival from a chip and the FTL.

mod arbiter;
mod backend;
mod cache_operations;
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
mod search_servers;
mod search_units;
mod service;
mod transfers;
mod write_admission;

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
pub use search_servers::SearchServers;
pub use search_units::SensedPage;
pub use write_admission::{AdmissionCounters, AdmissionParameters};

/// Returns the consumer of the data that a transaction reads, such as the host or garbage collection.
#[inline]
pub const fn data_for(read: &Transaction) -> DataConsumer {
    match read.purpose.class() {
        TransactionClass::MappingRead => DataConsumer::Map,
        TransactionClass::GcRead => DataConsumer::Collection,
        TransactionClass::Scrub => DataConsumer::Scrub,
        _ => DataConsumer::Host,
    }
}
