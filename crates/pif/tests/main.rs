//! Every test of processing in flash from outside, in one program.
//!
//! `cargo test -p venice-pif --test all decoders` runs one file. A new file gets its line here.

mod decoders;
mod grep;
mod matcher;
mod two_modes;
