//! Conversion of the engine's errors to Python exceptions. Exceptions are created only in this module.

use std::error::Error;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;
use venice_pif::search_run::SearchRunError;
use venice_requests::SourceError;
use venice_sim::assembly;

use crate::guard::CaughtPanic;

create_exception!(venice, VeniceError, PyException, "Base class of all errors of Venice.");
create_exception!(
    venice,
    UsageError,
    VeniceError,
    "An option is out of range, or options cannot be combined."
);
create_exception!(venice, ConfigError, VeniceError, "The configuration of the drive is invalid.");
create_exception!(venice, TraceError, VeniceError, "A trace is missing, damaged or in an unknown format.");
create_exception!(venice, WorkloadError, VeniceError, "A workload is unknown or invalid.");
create_exception!(
    venice,
    StateError,
    VeniceError,
    "A drive's state is missing, damaged or of another drive."
);
create_exception!(venice, SimulationError, VeniceError, "The simulator failed because of a bug in Venice.");

/// Converts the error of an invalid configuration.
pub fn config(error: &venice_config::ConfigError) -> PyErr {
    ConfigError::new_err(error.to_string())
}

/// Converts the error of a request source. Exceptions raised by the user's Python code are passed on
/// unchanged.
pub fn source(error: &SourceError) -> PyErr {
    if let SourceError::Workload(cause) | SourceError::Trace(cause) = error
        && let Some(raised) = cause.downcast_ref::<PyErr>()
    {
        return Python::attach(|py| raised.clone_ref(py));
    }
    let text = error.to_string();
    match error {
        SourceError::Workload(_) | SourceError::SearchBesideWriteCache { .. } => WorkloadError::new_err(text),
        SourceError::ChipsCannotSearch { .. } => ConfigError::new_err(text),
        SourceError::RateScale { .. } | SourceError::BlockLength { .. } | SourceError::Options(_) => {
            UsageError::new_err(text)
        }
        _ => TraceError::new_err(text),
    }
}

/// Converts an error of a state file that is found before the run starts.
pub fn state(error: &venice_sim::state::StateError) -> PyErr {
    StateError::new_err(error.to_string())
}

/// Converts the error of writing a state at the end of a run.
pub fn late(error: &venice_sim::state::StateError) -> PyErr {
    SimulationError::new_err(error.to_string())
}

/// Creates a `UsageError` with the text `message`.
pub fn usage(message: &str) -> PyErr {
    UsageError::new_err(message.to_owned())
}

/// Creates a `UsageError` for a result of the wrong type that a method of a Python policy has returned.
pub fn wrong_result(method: &str, returned: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let text = returned.repr().map_or_else(|_| "an object".to_owned(), |repr| format!("{repr:.100}"));
    usage(&format!("`{method}` returned {text}; expected: {expected}"))
}

/// Converts the error of a run: user errors become specific exceptions, internal errors `SimulationError`.
pub fn simulation(error: &assembly::SimulationError) -> PyErr {
    match error {
        assembly::SimulationError::Fabric(error) => ConfigError::new_err(error.to_string()),
        assembly::SimulationError::Source(error) => source(error),
        assembly::SimulationError::State(error) => state(error),
        assembly::SimulationError::OnlyWarmUp { .. } => UsageError::new_err(error.to_string()),
        assembly::SimulationError::ExternalPolicy { cause, .. } => external_policy(error, cause.as_ref()),
        other => SimulationError::new_err(other.to_string()),
    }
}

/// Creates the exception for insufficient memory for request rows.
pub fn no_memory_for_rows(error: &std::io::Error) -> PyErr {
    SimulationError::new_err(format!(
        "not enough memory for the table of requests: {error}; expected: fewer columns, or a request log in a file"
    ))
}

/// Converts the error of a user-defined policy. Exceptions raised by a policy written in Python are passed on
/// unchanged.
fn external_policy(error: &assembly::SimulationError, cause: &(dyn Error + Send + Sync + 'static)) -> PyErr {
    match cause.downcast_ref::<PyErr>() {
        Some(raised) => Python::attach(|py| raised.clone_ref(py)),
        None => UsageError::new_err(error.to_string()),
    }
}

/// Converts the error of a search in flash.
pub fn search(error: &SearchRunError) -> PyErr {
    match error {
        SearchRunError::Limit(error) => ConfigError::new_err(error.to_string()),
        SearchRunError::Capacity { .. } => UsageError::new_err(error.to_string()),
        other => SimulationError::new_err(other.to_string()),
    }
}

/// Converts an I/O error to the exception that Python's `open` and `read` would raise.
pub fn os(error: std::io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let text = error.to_string();
            let strerror = text.rsplit_once(" (os error").map_or(text.as_str(), |(text, _)| text);
            PyOSError::new_err((number, strerror.to_owned()))
        }
        None => error.into(),
    }
}

/// Converts a panic of the engine.
pub fn crash(crash: &CaughtPanic) -> PyErr {
    SimulationError::new_err(crash.to_string())
}
