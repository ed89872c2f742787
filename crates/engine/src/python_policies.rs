//! Policies implemented in Python that replace the configured policies of a run.
//!
//! # How
//! Every call acquires Python's global interpreter lock. Victim policies and fabrics cannot return errors to
//! the engine. After an exception, the policy therefore returns an invalid choice or refuses all transfers,
//! which ends the run with an error. The first exception is stored, and raised in place of that error.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use venice_host::scheduler::SchedulerSettings;
use venice_sim::assembly::ExternalPolicies;

use crate::error;
use crate::python_fabric::PythonFabric;
use crate::python_source::label;
use crate::python_victim::PythonVictim;
use crate::scheduler::PythonScheduler;

/// First exception raised by the Python policies of a run.
#[derive(Clone, Debug, Default)]
pub struct PolicyFailure(Arc<Mutex<Option<PyErr>>>);

impl PolicyFailure {
    /// Stores an exception, unless an earlier one is stored.
    pub fn set(&self, raised: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(raised);
    }

    /// Returns true if an exception is stored.
    pub fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the stored exception, or `error` if there is none.
    pub fn or(&self, error: PyErr) -> PyErr {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(error)
    }
}

/// Callables that create the policies of a run. The fields are attributes of
/// `venice.options.engine_options.EngineOptions`.
#[derive(FromPyObject)]
pub struct PolicyOptions<'py> {
    /// Callable that returns the host scheduler.
    host_scheduler: Option<Bound<'py, PyAny>>,
    /// Callable that returns the victim policy.
    victim_policy: Option<Bound<'py, PyAny>>,
    /// Callable that returns the fabric, with the settings of all fabrics as argument.
    fabric_model: Option<Bound<'py, PyAny>>,
}

impl PolicyOptions<'_> {
    /// Creates the policies of a run. Later exceptions of victim policies and fabrics are stored in
    /// `failure`.
    ///
    /// # Errors
    /// Returns exceptions of the callables. Exceptions of `fabric_model` are raised later, when the drive is
    /// built.
    pub fn create(
        &self,
        scheduler: Option<&SchedulerSettings>,
        failure: &PolicyFailure,
    ) -> PyResult<ExternalPolicies> {
        let mut external = ExternalPolicies::default();
        if let Some(make) = &self.host_scheduler {
            let scheduler = PythonScheduler::create(make, scheduler)?;
            external = external.host_scheduler(&label(make), move |_| scheduler);
        }
        if let Some(make) = &self.victim_policy {
            let victim = PythonVictim::new(&make.call0()?, failure.clone())?;
            external = external.victim(&label(make), move |_, _| victim);
        }
        if let Some(make) = &self.fabric_model {
            let (name, make, failure) = (label(make), make.clone().unbind(), failure.clone());
            external = external.fabric(&name, move |settings| PythonFabric::create(&make, settings, failure));
        }
        Ok(external)
    }
}

/// Checks that the object of a policy has the methods that every run calls.
///
/// # Errors
/// Returns `UsageError` with the first missing method.
pub fn expect_methods(object: &Bound<'_, PyAny>, policy: &str, methods: &[&str]) -> PyResult<()> {
    for method in methods {
        if !object.hasattr(*method)? {
            let class = object.get_type().name()?;
            let wrong =
                format!("{policy}: `{class}` has no method `{method}`; expected: methods {methods:?}");
            return Err(error::usage(&wrong));
        }
    }
    Ok(())
}
