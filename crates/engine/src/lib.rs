//! Engine as a Python module: `venice._native`, or the module of a crate with user-defined policies.
//!
//! The binding converts values, releases the interpreter lock, checks for Ctrl-C, measures wall time and maps
//! errors. It contains no models: `venice_sim` executes runs, and the Python package presents them.
//!
//! # User-defined policies
//! [`python_module!`] turns a crate into a complete engine whose catalogues contain the crate's policies, as
//! returned in [`OwnPolicies`]. The package `venice` loads it in place of `venice._native`. The engine's
//! crate re-exports all other crates of the engine, so that a crate with policies needs only one dependency.
//!
//! # Modules
//! - `catalogue`: names of fabrics, presets and formats
//! - `drive`: configurations
//! - `requests`: request streams from options
//! - `workloads`: workloads defined in Python
//! - `traces`: characteristics and conversion of traces; `parquet`: traces decoded and encoded by pyarrow
//! - `mqsim`: runs from MQSim's own files
//! - `pif`: drives that search in flash
//! - `scouts`: scouts (packets that reserve paths) on a mesh with reserved circuits
//! - `simulation`: one run, controlled by `watch`. Its request log is passed by `rows` to `columns` in memory
//!   (`arrays`, each in a `region`) or to a `request_sink`
//! - `python_policies`: policies in Python, through `scheduler`, `python_victim` and `python_fabric`
//! - `json`: text of reports
//! - `table`: columns that Python reads without copying
//! - `error`: the only module that creates exceptions; `guard` converts panics

#![allow(clippy::needless_pass_by_value, reason = "PyO3 converts arguments and hands them over by value")]

mod arrays;
mod catalogue;
mod columns;
mod drive;
mod error;
mod guard;
mod json;
mod mqsim;
mod observation;
mod parquet;
mod pif;
mod python_fabric;
mod python_policies;
mod python_source;
mod python_victim;
mod region;
mod report;
mod request_sink;
mod requests;
mod rows;
mod scheduler;
mod scouts;
mod simulation;
mod slices;
mod table;
mod traces;
mod watch;
mod workloads;

use std::sync::OnceLock;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use venice_config::{OwnPolicies, register};

#[doc(hidden)]
pub use pyo3;

/// Crates that define the interfaces of policies.
pub mod crates {
    pub use venice_config as config;
    pub use venice_drive as drive;
    pub use venice_fabric as fabric;
    pub use venice_host as host;
    pub use venice_kernel as kernel;
    pub use venice_nand as nand;
    pub use venice_params as params;
    pub use venice_requests as requests;
    pub use venice_sim as sim;
}

/// Defines the Python module `$name` with the engine and the policies that the function `$policies` returns.
///
/// The crate's `Cargo.toml` needs `crate-type = ["cdylib"]`.
#[macro_export]
macro_rules! python_module {
    ($name:ident) => {
        $crate::python_module!($name, $crate::crates::config::OwnPolicies::new);
    };
    ($name:ident, $policies:expr) => {
        /// Engine of Venice. This module is internal and may change at any time; use the package `venice`
        /// instead.
        #[::venice_engine::pyo3::pymodule(crate = "::venice_engine::pyo3")]
        fn $name(
            module: &$crate::pyo3::Bound<'_, $crate::pyo3::types::PyModule>,
        ) -> $crate::pyo3::PyResult<()> {
            let policies = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
            $crate::add_engine(module, policies, $policies())
        }
    };
}

/// Name and version of the crate with the user-defined policies.
static POLICY_CRATE: OnceLock<&str> = OnceLock::new();

/// Adds the engine to a Python module, and registers user-defined policies. `policy_crate` is the name and
/// version of their crate.
///
/// # Errors
/// Returns `ImportError` if a policy cannot be registered.
pub fn add_engine(
    module: &Bound<'_, PyModule>,
    policy_crate: &'static str,
    policies: OwnPolicies,
) -> PyResult<()> {
    if !policies.is_empty() {
        POLICY_CRATE.get_or_init(|| policy_crate);
    }
    register(policies).map_err(|wrong| PyImportError::new_err(wrong.to_string()))?;
    guard::install();
    add_functions(module)?;
    add_classes(module)?;
    add_exceptions(module)?;
    module.add("SCHEMA_VERSION", venice_sim::report::SCHEMA_VERSION)
}

/// Adds functions to a Python module.
macro_rules! add_functions {
    ($module:expr, $($path:path),+ $(,)?) => {{
        $($module.add_function(wrap_pyfunction!($path, $module)?)?;)+
        Ok(())
    }};
}

fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        catalogue::build_info,
        catalogue::check_policy,
        catalogue::drive_names,
        catalogue::fabric_names,
        catalogue::host_scheduler_names,
        catalogue::own_policy_rows,
        catalogue::paper_fabric_names,
        catalogue::trace_formats,
        catalogue::victim_policy_names,
        catalogue::workload_names,
        catalogue::workloads,
        catalogue::written_formats,
        columns::request_columns,
        drive::explain,
        drive::parameters_page,
        drive::renamed_keys,
        drive::resolve,
        drive::schema,
        mqsim::import_mqsim,
        parquet::trace_columns,
        pif::pif_timing,
        pif::pif_wear,
        report::explain_figure,
        report::figures_page,
        report::report_schema,
        scouts::scout_search,
        traces::trace_info,
        traces::write_trace,
        workloads::complete_workload,
        workloads::fio_options_page,
        workloads::workload_remarks,
        workloads::workload_schema,
    )
}

fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<drive::Drive>()?;
    module.add_class::<mqsim::MqsimFiles>()?;
    module.add_class::<pif::PifPages>()?;
    module.add_class::<pif::PifSearch>()?;
    module.add_class::<python_fabric::OfferedTransfer>()?;
    module.add_class::<python_victim::CandidateBlock>()?;
    module.add_class::<request_sink::RequestSink>()?;
    module.add_class::<simulation::Preparations>()?;
    module.add_class::<simulation::PythonSimulation>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<table::Table>()?;
    Ok(())
}

fn add_exceptions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ConfigError", py.get_type::<error::ConfigError>())?;
    module.add("SimulationError", py.get_type::<error::SimulationError>())?;
    module.add("StateError", py.get_type::<error::StateError>())?;
    module.add("TraceError", py.get_type::<error::TraceError>())?;
    module.add("UsageError", py.get_type::<error::UsageError>())?;
    module.add("VeniceError", py.get_type::<error::VeniceError>())?;
    module.add("WorkloadError", py.get_type::<error::WorkloadError>())?;
    Ok(())
}
