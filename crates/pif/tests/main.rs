//! Integration tests of the crate, compiled into one program.
//!
//! `cargo test -p venice-pif --test all matcher` runs one file. Each new file needs a `mod` line here.

mod golden_times;
mod grep;
mod matcher;
mod search_commands;
mod search_run;
mod two_modes;
