//! Names of the fabrics, policies, presets and trace formats that the engine offers.

use pyo3::prelude::*;
use venice_config::{self as config, PolicyKind, own_policies};
use venice_drive::ftl::VictimPolicy;
use venice_fabric::FabricKind;
use venice_fabric::catalogue::paper_fabric_names as names_of_paper_fabrics;
use venice_host::scheduler::Scheme;
use venice_requests::traces::{self, FormatInfo, PARQUET};
use venice_requests::workloads::{load_workload, workload_names as names_of_workloads};

use crate::error;
use crate::guard::guarded;

/// Returns the names of the fabrics in the order of comparison tables. User-defined fabrics are last.
#[pyfunction]
pub fn fabric_names() -> Vec<&'static str> {
    with_own(FabricKind::NAMES, PolicyKind::Fabric)
}

/// Returns the names of the victim policies of garbage collection. User-defined policies are last.
#[pyfunction]
pub fn victim_policy_names() -> Vec<&'static str> {
    with_own(VictimPolicy::NAMES, PolicyKind::Victim)
}

fn with_own(names: &[&'static str], kind: PolicyKind) -> Vec<&'static str> {
    let own = own_policies().iter().filter(|policy| policy.kind == kind);
    names.iter().copied().chain(own.map(|policy| policy.name)).collect()
}

/// Returns the type, the name and the description of each user-defined policy.
#[pyfunction]
#[pyo3(name = "own_policies")]
pub fn own_policy_rows() -> Vec<(&'static str, &'static str, &'static str)> {
    own_policies().iter().map(|policy| (policy.kind.name(), policy.name, policy.about)).collect()
}

/// Checks that the user-defined policies called `name` obey the rules of their interfaces, with default
/// parameters. Returns a violation, if there is one.
///
/// Raises `UsageError` for an unknown name.
#[pyfunction]
pub fn check_policy(py: Python<'_>, name: &str) -> PyResult<Option<String>> {
    let mut named = own_policies().iter().filter(|policy| policy.name == name).peekable();
    if named.peek().is_none() {
        return Err(error::usage(&format!("`{name}` is not a user-defined policy")));
    }
    Ok(py.detach(|| {
        named
            .find_map(|policy| guarded(|| policy.check_contract()).err())
            .map(|wrong| wrong.cause().to_owned())
    }))
}

/// Returns the names of the fabrics compared in the Venice paper, in the order of comparison tables.
#[pyfunction]
pub fn paper_fabric_names() -> Vec<&'static str> {
    names_of_paper_fabrics().to_vec()
}

/// Returns the names of the host schedulers.
#[pyfunction]
pub fn host_scheduler_names() -> Vec<&'static str> {
    with_own(Scheme::NAMES, PolicyKind::HostScheduler)
}

/// Returns the names of the drive presets.
#[pyfunction]
pub fn drive_names() -> Vec<&'static str> {
    config::drive_names()
}

/// Returns the names of the workload presets.
#[pyfunction]
pub fn workload_names() -> Vec<&'static str> {
    names_of_workloads().to_vec()
}

/// Returns name, description and provenance of each workload preset.
#[pyfunction]
pub fn workloads() -> PyResult<Vec<(String, String, String)>> {
    let row = |name: &&str| {
        let workload = load_workload(name).map_err(|wrong| error::source(&wrong))?;
        let (description, source) = (workload.description(), workload.provenance());
        Ok((workload.label().to_owned(), description.to_owned(), source.to_owned()))
    };
    names_of_workloads().iter().map(row).collect()
}

/// Returns the readable trace formats: all formats that the engine reads, and Parquet.
pub fn readable_formats() -> impl Iterator<Item = FormatInfo> {
    traces::trace_formats().iter().copied().chain([PARQUET])
}

/// Returns name (as for `--format`) and columns of each readable trace format.
#[pyfunction]
pub fn trace_formats() -> Vec<(&'static str, &'static str)> {
    readable_formats().map(|format| (format.name, format.columns)).collect()
}

/// Returns the names of the writable trace formats.
#[pyfunction]
pub fn written_formats() -> Vec<&'static str> {
    traces::written_formats().chain([PARQUET]).map(|format| format.name).collect()
}

/// Returns the version of the engine, the kind of its build (`tuned`, `release` or `quick`), and a digest of
/// the sources, presets and lock file that determine results (16 hexadecimal digits).
#[pyfunction]
pub fn build_info() -> (&'static str, &'static str, &'static str) {
    (env!("CARGO_PKG_VERSION"), env!("VENICE_BUILD"), env!("VENICE_ENGINE_DIGEST"))
}
