//! Integration tests of the crate, compiled into one program.
//!
//! `cargo test -p venice-fabric --test all venice_search` runs one file. Each new file needs a `mod` line here.

mod fabric_channels;
mod fabric_contract;
mod fabric_decoupled;
mod fabric_hlnand;
mod fabric_nossd;
mod random_meshes;
mod venice_figure8;
mod venice_golden;
mod venice_packets;
mod venice_rig;
mod venice_search;
mod venice_timing;
mod venice_traffic;
