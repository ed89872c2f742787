//! Perfetto trace file of the activity of all resources.
//!
//! # How
//! Each row of slices becomes a track. If slices of the row overlap, it becomes several tracks, because
//! slices of one track must not overlap. The file is one sequence of packets in time order. The first packet
//! contains the names of events, and defines a clock with incremental timestamps. Packets are compressed in
//! parts.
//!
//! # What is left out
//! Perfetto's resolution is one nanosecond. Times are rounded down, which preserves their order.
//!
//! # Source
//! The field numbers are those of Perfetto's published protocol buffers (`protos/perfetto/trace`).

mod file;
mod lanes;
mod proto;
mod tracks;

pub use file::file_of;
pub use tracks::RowNames;
