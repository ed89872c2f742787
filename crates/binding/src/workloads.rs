//! Workloads that Python names or describes.

use pyo3::prelude::*;
use venice_requests::SourceError;
use venice_requests::workloads::{Described, Workload, complete_workload as complete, load_workload};

use crate::error;

/// A workload: what it is called, or all that it says.
#[derive(FromPyObject)]
pub enum AskedWorkload {
    /// A preset's name, or a file's path.
    Named(String),
    /// What it is called, the text of its definition, and name and text of each flow that is described.
    Described(String, String, Vec<(String, String)>),
}

impl AskedWorkload {
    /// Reads and checks it.
    ///
    /// # Errors
    /// As of the workload.
    pub fn load(&self) -> Result<Workload, SourceError> {
        match self {
            Self::Named(name) => load_workload(name),
            Self::Described(label, text, flows) => described(label, text, flows).load(),
        }
    }
}

fn described(label: &str, text: &str, flows: &[(String, String)]) -> Described {
    let flow = |(label, text): &(String, String)| described(label, text, &[]);
    Described { label: label.to_owned(), text: text.to_owned(), flows: flows.iter().map(flow).collect() }
}

/// Everything that a workload says, with what it extends, as JSON.
#[pyfunction]
pub fn complete_workload(workload: AskedWorkload) -> PyResult<String> {
    let said = match &workload {
        AskedWorkload::Named(name) => complete(name),
        AskedWorkload::Described(label, text, flows) => described(label, text, flows).complete(),
    };
    Ok(said.map_err(|wrong| error::source(&wrong))?.to_string())
}
