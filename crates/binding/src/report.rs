//! What a report can say.

use pyo3::prelude::*;
use venice_ssd::report;

use crate::error;
use crate::guard::guarded;

/// What a figure of a report means, by its name (`latency_us.all.p99`); an empty name lists the top.
///
/// Raises `UsageError` for a figure that does not exist.
#[pyfunction]
pub fn explain_figure(name: &str) -> PyResult<String> {
    let explained = guarded(|| report::explain(name)).map_err(|crash| error::crash(&crash))?;
    explained.map_err(|wrong| error::usage(&wrong))
}

/// The JSON schema of reports, as JSON text.
#[pyfunction]
pub fn report_schema() -> String {
    report::schema().to_string()
}

/// Returns the reference page of all figures, as Markdown.
#[pyfunction]
pub fn figures_page() -> String {
    report::reference_page()
}
