//! Memory structures: tables whose memory is proportional to the number of written entries, and slots for
//! short-lived objects.
//!
//! - [`SparseTable`]: allocates chunks that contain a written entry; other entries have a default value.
//!
//! - [`PackedTable`]: allocates written entries only.
//!
//! - [`Slots`]: values with small numbers, which are reused after removal.
//!
//! - [`KeptMemory`]: guard during whose lifetime memory of dropped tables is reused for new ones.

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
