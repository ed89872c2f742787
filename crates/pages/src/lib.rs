//! Parquet files of numbers, truths and few words, whose rows are written as they come.
//!
//! Encoding is what takes time when a row goes to a file for each of millions of requests, so it is done here: whoever has rows gives some
//! hundred at a time, each column takes its own of them while they are in the nearest cache, and what is kept is what is going to be in
//! the file. Headers and the file's end are written by the crate `parquet`.

mod chunk;
mod codec;
mod differences;
mod file;
mod flags;
mod places;

pub use chunk::Chunk;
pub use codec::{Codec, Compressor};
pub use differences::{Differences, Number};
pub use file::File;
pub use flags::Flags;
pub use parquet::basic::Encoding;
pub use places::Places;
