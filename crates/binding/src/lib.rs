//! Python module `venice._native`.
//!
//! The binding converts values, releases the interpreter lock, checks for Ctrl-C, measures wall time and maps
//! errors. It contains no models: `venice_sim` executes runs, and the Python package presents them.
//!
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
mod python_source;
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

use pyo3::prelude::*;

/// Engine of Venice. Internal: use the package `venice`; this module may change at any time.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::catalogue::{
        build_info, drive_names, fabric_names, host_scheduler_names, paper_fabric_names, trace_formats,
        workload_names, workloads, written_formats,
    };
    #[pymodule_export]
    use crate::columns::request_columns;
    #[pymodule_export]
    use crate::drive::{Drive, explain, parameters_page, renamed_keys, resolve, schema};
    #[pymodule_export]
    use crate::error::{
        ConfigError, SimulationError, StateError, TraceError, UsageError, VeniceError, WorkloadError,
    };
    #[pymodule_export]
    use crate::mqsim::{MqsimFiles, import_mqsim};
    #[pymodule_export]
    use crate::parquet::trace_columns;
    #[pymodule_export]
    use crate::pif::{PifPages, PifSearch, pif_timing, pif_wear};
    #[pymodule_export]
    use crate::report::{explain_figure, figures_page, report_schema};
    #[pymodule_export]
    use crate::request_sink::RequestSink;
    #[pymodule_export]
    use crate::scouts::scout_search;
    #[pymodule_export]
    use crate::simulation::{Preparations, PythonSimulation};
    #[pymodule_export]
    use crate::table::{Column, Table};
    #[pymodule_export]
    use crate::traces::{trace_info, write_trace};
    #[pymodule_export]
    use crate::workloads::{complete_workload, fio_options_page, workload_remarks, workload_schema};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::guard::install();
        module.add("SCHEMA_VERSION", venice_sim::report::SCHEMA_VERSION)
    }
}
