//! The Python module `venice._native`.
//!
//! It converts, releases the interpreter lock, keeps an eye on Ctrl-C and the clock, and maps errors. It
//! holds no policy and no model: what a run is, `venice_ssd` decides; how it looks, the Python front does.
//!
//! - `catalogue`: the names there are;
//! - `drive`: configurations;
//! - `requests`: from a trace or workload to a stream of requests;
//! - `workloads`: those that Python describes;
//! - `traces`: what traces are like, and from traces to another; `parquet`: those that pyarrow decodes and encodes;
//! - `mqsim`: the same, from MQSim's own files;
//! - `pif`: drives that search what they hold;
//! - `simulation`: a run, watched by `watch`, its log goes to `rows`, which puts it into `columns` of `number`s, truths and words: `arrays`, which lie
//!   in a `region` each, or batches of a `request_sink`;
//! - `json`: the text of reports;
//! - `table`: columns that Python takes without copying;
//! - `error`: the only place that makes exceptions; `guard` keeps panics from reaching Python.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 converts arguments and hands them over by value")]

mod arrays;
mod catalogue;
mod columns;
mod drive;
mod error;
mod guard;
mod json;
mod made;
mod mqsim;
mod observing;
mod parquet;
mod pif;
mod region;
mod report;
mod request_sink;
mod requests;
mod rows;
mod scheduler;
mod simulation;
mod slices;
mod table;
mod traces;
mod watch;
mod workloads;

use pyo3::prelude::*;

/// The engine of Venice. Use the package `venice`; this module's shape may change at any time.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::catalogue::{
        build_info, drive_names, fabric_names, paper_fabric_names, trace_formats, workload_names, workloads,
        written_formats,
    };
    #[pymodule_export]
    use crate::columns::request_columns;
    #[pymodule_export]
    use crate::drive::{Drive, explain, parameters_page, resolve, schema};
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
    use crate::simulation::{Preparations, Simulation};
    #[pymodule_export]
    use crate::table::{Column, Table};
    #[pymodule_export]
    use crate::traces::{trace_info, write_trace};
    #[pymodule_export]
    use crate::workloads::{complete_workload, fio_options_page, workload_schema};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::guard::install();
        module.add("SCHEMA_VERSION", venice_ssd::report::SCHEMA_VERSION)
    }
}
