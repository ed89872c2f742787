//! Names in the catalogues of the engine.

use pyo3::prelude::*;
use venice_config as config;
use venice_fabric::FabricKind;
use venice_fabric::catalogue::paper_fabric_names as names_of_paper_fabrics;
use venice_host::scheduler::Scheme;
use venice_requests::traces::{self, FormatInfo, PARQUET};
use venice_requests::workloads::{load_workload, workload_names as names_of_workloads};

use crate::error;

/// Returns the names of the fabrics, in the order of comparison tables.
#[pyfunction]
pub fn fabric_names() -> Vec<&'static str> {
    FabricKind::NAMES.to_vec()
}

/// Returns the names of the fabrics compared in the Venice paper, in the order of comparison tables.
#[pyfunction]
pub fn paper_fabric_names() -> Vec<&'static str> {
    names_of_paper_fabrics().to_vec()
}

/// Returns the names of the host schedulers.
#[pyfunction]
pub fn host_scheduler_names() -> Vec<&'static str> {
    Scheme::NAMES.to_vec()
}

/// Returns the names of the drive presets.
#[pyfunction]
pub fn drive_names() -> Vec<&'static str> {
    config::drive_names()
}

/// Returns the names of the workload presets.
#[pyfunction]
pub fn workload_names() -> Vec<&'static str> {
    names_of_workloads().to_vec()
}

/// Returns name, description and provenance of each workload preset.
#[pyfunction]
pub fn workloads() -> PyResult<Vec<(String, String, String)>> {
    let row = |name: &&str| {
        let workload = load_workload(name).map_err(|wrong| error::source(&wrong))?;
        let (description, source) = (workload.description(), workload.provenance());
        Ok((workload.label().to_owned(), description.to_owned(), source.to_owned()))
    };
    names_of_workloads().iter().map(row).collect()
}

/// Returns the readable trace formats: those of the engine and Parquet.
pub fn readable_formats() -> impl Iterator<Item = FormatInfo> {
    traces::trace_formats().iter().copied().chain([PARQUET])
}

/// Returns name (as for `--format`) and columns of each readable trace format.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    readable_formats().map(|format| (format.name, format.columns)).collect()
}

/// Returns the names of the writable trace formats.
#[pyfunction]
pub fn written_formats() -> Vec<&'static str> {
    traces::written_formats().chain([PARQUET]).map(|format| format.name).collect()
}

/// Returns the version of the engine, the kind of its build (`tuned`, `release`, `quick`), and the digest of
/// the sources, presets and lock file that determine results (16 hexadecimal digits).
#[pyfunction]
pub fn build_info() -> (&'static str, &'static str, &'static str) {
    (env!("CARGO_PKG_VERSION"), env!("VENICE_BUILD"), env!("VENICE_ENGINE_DIGEST"))
}
