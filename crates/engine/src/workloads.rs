//! Workloads that Python selects by name or defines.

use pyo3::prelude::*;
use venice_requests::SourceError;
use venice_requests::workloads::{
    DescribedWorkload, Workload, complete_workload as complete, fio_options_page as options_page,
    load_workload, schema,
};

use crate::catalogue::readable_formats;
use crate::error;

/// Workload, given by its name or by a definition.
#[derive(FromPyObject)]
pub enum WorkloadOption {
    /// Name of a preset, or path of a file.
    Named(String),
    /// Name and text of a definition.
    Described(String, String),
}

impl WorkloadOption {
    /// Reads and validates the workload.
    ///
    /// # Errors
    /// Returns a [`SourceError`] if the workload is missing or invalid.
    pub fn load(&self) -> Result<Workload, SourceError> {
        match self {
            Self::Named(name) => load_workload(name),
            Self::Described(label, text) => described(label, text).load(),
        }
    }
}

fn described(label: &str, text: &str) -> DescribedWorkload {
    DescribedWorkload { label: label.to_owned(), text: text.to_owned() }
}

/// Returns the complete definition of a workload, with all inherited values, as JSON text.
#[pyfunction]
pub fn complete_workload(workload: WorkloadOption) -> PyResult<String> {
    let content = match &workload {
        WorkloadOption::Named(name) => complete(name),
        WorkloadOption::Described(label, text) => described(label, text).complete(),
    };
    Ok(content.map_err(|wrong| error::source(&wrong))?.to_string())
}

/// Returns a sentence for each setting of the workload that has no effect.
#[pyfunction]
pub fn workload_remarks(workload: WorkloadOption) -> PyResult<Vec<String>> {
    Ok(workload.load().map_err(|wrong| error::source(&wrong))?.remarks())
}

/// Returns the JSON schema of workload files, as JSON text.
#[pyfunction]
pub fn workload_schema() -> String {
    let formats: Vec<_> = readable_formats().map(|format| format.name).collect();
    schema(&formats).to_string()
}

/// Returns the reference page of fio job options, as Markdown.
#[pyfunction]
pub fn fio_options_page() -> String {
    options_page()
}
