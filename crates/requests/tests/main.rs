//! Integration tests of the crate, compiled into one program.
//!
//! `cargo test -p venice-requests --test all traces_written` runs one file. Each new file needs a `mod` line
//! here.

mod job_files;
mod stand_ins;
mod traces;
mod traces_adapters;
mod traces_conformance;
mod traces_devices;
mod traces_errors;
mod traces_fields;
mod traces_parquet;
mod traces_published;
mod traces_robust;
mod traces_shared;
mod traces_written;
mod workloads;
mod workloads_errors;
mod workloads_extends;
mod workloads_laws;
mod workloads_schema;
