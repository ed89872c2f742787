//! Integration tests of the crate, compiled into one program.
//!
//! `cargo test -p venice-config --test all mqsim_config` runs one file. Each new file needs a `mod` line here.

mod config_generated;
mod config_messages;
mod config_presets;
mod config_ranges;
