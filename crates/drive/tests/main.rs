//! Integration tests of the drive, linked to one program: separate programs would each compile and link the
//! complete engine.
//!
//! `cargo test -p venice-drive --test all ftl` runs one file. Each new file needs a `mod` line here.

mod back_end;
mod cache;
mod cache_agreement;
mod cache_bench;
mod cached_mapping;
mod causes;
mod chip_to_chip;
mod closed_forms;
mod collection;
mod controller;
mod energy;
mod fair_places;
mod fair_rivals;
mod faults;
mod flow_pace;
mod ftl;
mod ftl_losses;
mod ftl_moves;
mod gathers;
mod host_queues;
mod host_scheduler;
mod mqsim_flows;
mod mqsim_mapping;
mod over_time;
mod owners;
mod page_allocation;
mod partition;
mod preconditioning;
mod prepared;
mod random_drives;
mod random_flash;
#[path = "../../fabric/tests/random_meshes/mod.rs"]
mod random_meshes;
mod relations;
mod report_declared;
mod scheduling;
mod slices;
mod state_files;
mod suspend;
mod timed_chip;
mod warm_up;
mod window;
mod write_amplification;
