//! Workloads that Python names or describes.

use pyo3::prelude::*;
use venice_requests::SourceError;
use venice_requests::workloads::{
    Described, Workload, complete_workload as complete, fio_options_page as options_page, load_workload,
    schema,
};

use crate::catalogue::readable_formats;
use crate::error;

/// A workload: what it is called, or all that it says.
#[derive(FromPyObject)]
pub enum AskedWorkload {
    /// A preset's name, or a file's path.
    Named(String),
    /// What it is called, and the text of its definition.
    Described(String, String),
}

impl AskedWorkload {
    /// Reads and checks it.
    ///
    /// # Errors
    /// As of the workload.
    pub fn load(&self) -> Result<Workload, SourceError> {
        match self {
            Self::Named(name) => load_workload(name),
            Self::Described(label, text) => described(label, text).load(),
        }
    }
}

fn described(label: &str, text: &str) -> Described {
    Described { label: label.to_owned(), text: text.to_owned() }
}

/// Everything that a workload says, with what it extends, as JSON.
#[pyfunction]
pub fn complete_workload(workload: AskedWorkload) -> PyResult<String> {
    let said = match &workload {
        AskedWorkload::Named(name) => complete(name),
        AskedWorkload::Described(label, text) => described(label, text).complete(),
    };
    Ok(said.map_err(|wrong| error::source(&wrong))?.to_string())
}

/// Returns the JSON schema of workload files, as JSON text.
#[pyfunction]
pub fn workload_schema() -> String {
    let formats: Vec<_> = readable_formats().map(|format| format.name).collect();
    schema(&formats).to_string()
}

/// Returns the reference page of the options of fio's job files, as Markdown.
#[pyfunction]
pub fn fio_options_page() -> String {
    options_page()
}
