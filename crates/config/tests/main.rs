//! Every test of the configuration from outside, in one program.
//!
//! `cargo test -p venice-config --test all mqsim_config` runs one file. A new file gets its line here.

mod config_generated;
mod config_messages;
mod config_presets;
mod config_ranges;
