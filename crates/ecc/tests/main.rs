//! Integration tests of the crate, compiled into one program.
//!
//! `cargo test -p venice-ecc --test all decoders` runs one file. Each new file needs a `mod` line here.

mod decoders;
mod failure_table;
