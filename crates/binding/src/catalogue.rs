//! The names of everything that can be asked for.

use pyo3::prelude::*;
use venice_ssd::config;
use venice_ssd::host::traces::{self, FormatInfo};
use venice_ssd::host::workloads;
use venice_ssd::registry::FABRIC_NAMES;

/// Names of the fabrics, in the order in which tables show them.
#[pyfunction]
pub fn fabric_names() -> Vec<&'static str> {
    FABRIC_NAMES.to_vec()
}

/// Names of the drives that come with the program.
#[pyfunction]
pub fn drive_names() -> Vec<&'static str> {
    config::drive_names()
}

/// Names of the workloads that come with the program.
#[pyfunction]
pub fn workload_names() -> Vec<&'static str> {
    workloads::workload_names().to_vec()
}

/// Trace formats: the name that `--format` takes, and what a line looks like.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    let pair = |format: &FormatInfo| (format.name, format.columns);
    traces::trace_formats().iter().map(pair).collect()
}

/// Version and build profile of the engine.
#[pyfunction]
pub fn build_info() -> (&'static str, &'static str) {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    (env!("CARGO_PKG_VERSION"), profile)
}
