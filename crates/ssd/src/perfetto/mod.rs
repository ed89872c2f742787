//! What was busy with what, as a file that Perfetto opens.
//!
//! # How
//! Each row of slices is a track, and where slices of one row overlap, several: on a track nothing begins before what is on it has
//! ended. The file is one sequence of packets in the order of time. What they have in common is said once, at the beginning: the names of
//! events, and that times are differences to the packet before. Packets are compressed together, in parts.
//!
//! # What is left out
//! Perfetto counts nanoseconds: instants are rounded down to them, so that no order changes.
//!
//! # Source
//! Perfetto's published protocol buffers (`protos/perfetto/trace`): numbers of fields.

mod file;
mod lanes;
mod proto;
mod tracks;

pub use file::file_of;
pub use tracks::Names;
