//! Integration tests of the drive, linked to one program, since separate programs would each compile and link
//! the complete engine.
//!
//! `cargo test -p venice-drive --test all ftl` runs the tests of one file. Each new file needs a `mod` line
//! here.

mod back_end;
mod cache;
mod cache_agreement;
mod cache_bench;
mod cached_mapping;
mod chip_functions;
mod chip_to_chip;
mod collection;
mod controller;
mod faults;
mod ftl;
mod ftl_losses;
mod ftl_moves;
mod gathers;
mod mqsim_mapping;
mod owners;
mod page_allocation;
mod partition;
mod preconditioning;
mod scheduling;
mod searches;
mod suspend;
mod timed_chip;
mod write_amplification;
