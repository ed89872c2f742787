//! Memory structures: tables whose memory follows what was written to them, and slots of values in flight.
//!
//! - [`SparseTable`]: reads as the default until written; memory for each chunk with an entry.
//! - [`PackedTable`]: memory for each entry that was written.
//! - [`Slots`]: values in flight, by number.
//! - [`KeptMemory`]: while one lives, memory of tables that are dropped goes to new ones.

mod packed_table;
mod places;
mod runs;
mod shelf;
mod slabs;
mod slots;
mod sparse_table;

pub use packed_table::{PackedTable, Spot};
pub use shelf::KeptMemory;
pub use slabs::Entry;
pub use slots::Slots;
pub use sparse_table::SparseTable;
