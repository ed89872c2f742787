//! Memory structures: tables whose memory follows what was written to them, and slots of values in flight.
//!
//! - [`SparseTable`]: reads as the default until written; memory for each chunk with an entry.
//! - [`PackedTable`]: memory for each entry that was written.
//! - [`Slots`]: values in flight, by number.
//! - [`KeptMemory`]: while one lives, memory of tables that are dropped goes to new ones.

mod chunk_directory;
mod memory_pool;
mod packed_table;
mod run_allocator;
mod slabs;
mod slots;
mod sparse_table;

pub use memory_pool::KeptMemory;
pub use packed_table::{EntryPosition, PackedTable};
pub use slabs::TableElement;
pub use slots::Slots;
pub use sparse_table::SparseTable;
