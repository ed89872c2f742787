//! Perfetto trace file of the activity of all resources.
//!
//! # How
//! Each row of slices becomes a track, or several if slices of the row overlap: slices of one track never
//! overlap. The file is one sequence of packets in time order. The first packet contains the shared data:
//! names of events, and a clock with incremental timestamps. Packets are compressed in parts.
//!
//! # What is left out
//! Perfetto's resolution is one nanosecond: times are rounded down, which preserves their order.
//!
//! # Source
//! Perfetto's published protocol buffers (`protos/perfetto/trace`): field numbers.

mod file;
mod lanes;
mod proto;
mod tracks;

pub use file::file_of;
pub use tracks::RowNames;
