//! The names of everything that can be asked for.

use pyo3::prelude::*;
use venice_requests::traces::{self, FormatInfo, PARQUET};
use venice_requests::workloads::{load_workload, workload_names as names_of_workloads};
use venice_ssd::config;
use venice_ssd::registry::{self, FabricKind};

use crate::error;

/// Names of the fabrics, in the order in which tables show them.
#[pyfunction]
pub fn fabric_names() -> Vec<&'static str> {
    FabricKind::NAMES.to_vec()
}

/// Names of those that the Venice paper compares, in the same order.
#[pyfunction]
pub fn paper_fabric_names() -> Vec<&'static str> {
    registry::paper_fabric_names().to_vec()
}

/// Names of the drives that come with the program.
#[pyfunction]
pub fn drive_names() -> Vec<&'static str> {
    config::drive_names()
}

/// Names of the workloads that come with the program.
#[pyfunction]
pub fn workload_names() -> Vec<&'static str> {
    names_of_workloads().to_vec()
}

/// What there is to say of each workload that comes with the program: its name, a sentence, where its numbers
/// come from.
#[pyfunction]
pub fn workloads() -> PyResult<Vec<(String, String, String)>> {
    let row = |name: &&str| {
        let workload = load_workload(name).map_err(|wrong| error::source(&wrong))?;
        let (description, source) = (workload.description(), workload.provenance());
        Ok((workload.label().to_owned(), description.to_owned(), source.to_owned()))
    };
    names_of_workloads().iter().map(row).collect()
}

/// Returns the trace formats that are read: those of the engine, and Parquet.
pub fn readable_formats() -> impl Iterator<Item = FormatInfo> {
    traces::trace_formats().iter().copied().chain([PARQUET])
}

/// Trace formats: the name that `--format` takes, and what a line looks like.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    readable_formats().map(|format| (format.name, format.columns)).collect()
}

/// Those of them that traces are written in.
#[pyfunction]
pub fn written_formats() -> Vec<&'static str> {
    traces::written_formats().chain([PARQUET]).map(|format| format.name).collect()
}

/// Returns the version of the engine, the kind of its build (`tuned`, `release`, `quick`), and the digest of the sources, presets and
/// lock file that decide results (16 hexadecimal digits).
#[pyfunction]
pub fn build_info() -> (&'static str, &'static str, &'static str) {
    (env!("CARGO_PKG_VERSION"), env!("VENICE_BUILD"), env!("VENICE_ENGINE_DIGEST"))
}
