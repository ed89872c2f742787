//! Descriptions and schema of reports.

use pyo3::prelude::*;
use venice_sim::report;

use crate::error;
use crate::guard::guarded;

/// Returns the description of a figure in reports, such as `latency_us.all.p99`. An empty name lists the
/// figures at the top level.
///
/// Raises `UsageError` for an unknown figure.
#[pyfunction]
pub fn explain_figure(name: &str) -> PyResult<String> {
    let explained = guarded(|| report::explain(name)).map_err(|crash| error::crash(&crash))?;
    explained.map_err(|wrong| error::usage(&wrong))
}

/// Returns the JSON schema of reports, as JSON text.
#[pyfunction]
pub fn report_schema() -> String {
    report::schema().to_string()
}

/// Returns the reference page of all figures, as Markdown.
#[pyfunction]
pub fn figures_page() -> String {
    report::reference_page()
}
