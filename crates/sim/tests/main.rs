//! Integration tests of complete simulations, linked to one program: separate programs would each compile and
//! link the complete engine.
//!
//! `cargo test -p venice-sim --test all energy` runs one file. Each new file needs a `mod` line here.

mod bad_blocks;
mod cache_operations;
mod causes;
mod closed_forms;
mod controller_cores;
mod durability;
mod energy;
mod fair_places;
mod fair_rivals;
mod flow_pace;
mod host_buffer;
mod host_cores;
mod host_processes;
mod host_queues;
mod host_scheduler;
mod idle_collection;
mod mapping_units;
mod over_time;
mod page_registers;
mod parity;
mod partial_reads;
mod prepared;
mod program_planes;
mod random_background;
mod random_bad_blocks;
mod random_cores;
mod random_drives;
mod random_flash;
mod random_flow_shares;
#[path = "../../fabric/tests/random_meshes/mod.rs"]
mod random_meshes;
mod random_read_errors;
mod random_scheduler;
mod random_searches;
mod random_slc;
mod read_ahead;
mod read_errors;
mod read_reclaim;
mod refresh;
mod relations;
mod report_declared;
mod scrub;
mod searches;
mod slc_cache;
mod slices;
mod state_files;

mod trims;
mod two_pass;
mod warm_up;
mod window;
mod write_buffer;
