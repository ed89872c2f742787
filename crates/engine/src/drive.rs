//! Drive configurations: loading, export and explanation.

use pyo3::prelude::*;
use venice_config::{self as config, Renames, ResolvedDrive};
use venice_drive::ftl::{self, PreconditionMode, SpareSpace};
use venice_requests::SECTOR_BYTES;
use venice_sim::assembly;

use crate::error;
use crate::guard::guarded;

/// Drive with a complete and valid configuration.
#[pyclass(frozen, module = "venice._native")]
pub struct Drive {
    resolved: ResolvedDrive,
}

impl Drive {
    /// Creates a drive with the configuration `resolved`.
    pub fn new(resolved: ResolvedDrive) -> Self {
        Self { resolved }
    }

    /// Returns the configuration.
    pub fn resolved(&self) -> &ResolvedDrive {
        &self.resolved
    }

    fn spare_space(&self) -> SpareSpace {
        let settings = self.resolved.settings();
        SpareSpace::of(&settings.geometry, &settings.ftl)
    }
}

#[pymethods]
impl Drive {
    /// Returns the configuration as a complete TOML file.
    fn to_toml(&self) -> String {
        self.resolved.to_toml()
    }

    /// Returns the values of the configuration as JSON text.
    fn to_json(&self) -> String {
        self.resolved.to_json().to_string()
    }

    /// Returns a text with the fabric and the capacity.
    fn __repr__(&self) -> String {
        let gib = self.capacity_bytes() as f64 / f64::from(1 << 30);
        format!("<Drive: {}, {gib:.1} GiB>", self.fabric())
    }

    /// Name of the drive's fabric.
    #[getter]
    fn fabric(&self) -> &str {
        let settings = self.resolved.settings();
        settings.own.fabric_name().unwrap_or(settings.fabric_kind.name())
    }

    /// Notes on settings that have no effect on runs of this drive, one sentence each.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.resolved.remarks()
    }

    /// Notes on settings that have no effect on searches of files in this drive, one sentence each.
    #[getter]
    fn remarks_on_file_searches(&self) -> Vec<String> {
        self.resolved.remarks_on_file_searches()
    }

    /// Number of flash pages.
    #[getter]
    fn flash_pages(&self) -> u64 {
        self.resolved.settings().geometry.pages()
    }

    /// True if the drive is filled with data before a run.
    #[getter]
    fn is_filled(&self) -> bool {
        self.resolved.settings().precondition.mode != PreconditionMode::None
    }

    /// Over-provisioning in % of the host capacity: the total, and the part that is available to garbage
    /// collection.
    #[getter]
    fn over_provisioning_pct(&self) -> (f64, f64) {
        let space = self.spare_space();
        (space.over_provisioning_pct(), space.effective_pct())
    }

    /// Expected number of pages programmed per written page, under uniform random writes over the whole
    /// capacity. `None` if no closed form is known for the victim policy.
    #[getter]
    fn expected_pages_per_written_page(&self) -> Option<f64> {
        let settings = self.resolved.settings();
        let space = self.spare_space();
        let alpha = space.alpha(space.host_pages, space.map_pages);
        if settings.own.has_victim() {
            return None;
        }
        let units = settings.ftl.units_per_victim(&settings.geometry);
        ftl::pages_per_written_page(settings.ftl.victim, alpha, units)
    }

    /// Capacity for the host in bytes.
    #[getter]
    fn capacity_bytes(&self) -> u64 {
        assembly::Simulation::capacity_sectors(self.resolved.settings()) * u64::from(SECTOR_BYTES)
    }
}

/// Loads a drive from a preset or a TOML file. The values of `said` (settings from a program), `fabric`,
/// `sets` and `seed` override the values of the file, in this order. `typed` is shown in error messages: the
/// option with which the user chose the fabric, unless it is `--fabric NAME`.
///
/// Raises `ConfigError` with all problems of the configuration.
#[allow(clippy::too_many_arguments, reason = "each is an argument of its own in Python")]
#[pyfunction]
#[pyo3(signature = (drive, fabric=None, sets=Vec::new(), seed=None, said=Vec::new(), typed=None))]
pub fn resolve(
    py: Python<'_>,
    drive: &str,
    fabric: Option<&str>,
    sets: Vec<String>,
    seed: Option<u64>,
    said: Vec<String>,
    typed: Option<&str>,
) -> PyResult<Drive> {
    let fabric = fabric.map(|name| config::FabricOption { name, typed });
    let loaded = py.detach(|| guarded(|| config::load_described(drive, &said, fabric, &sets, seed)));
    let resolved = loaded.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::config(&wrong))?;
    Ok(Drive { resolved })
}

/// Returns unit, range, default, description and source of a configuration key.
///
/// Raises `ConfigError` for an unknown key.
#[pyfunction]
pub fn explain(key: &str) -> PyResult<String> {
    let explained = guarded(|| config::explain(key)).map_err(|crash| error::crash(&crash))?;
    explained.map_err(|wrong| error::config(&wrong))
}

/// Returns the JSON schema of drive files, as JSON text.
#[pyfunction]
pub fn schema() -> String {
    config::schema().to_string()
}

/// Returns the renamed configuration keys of each kind of file, as a map from old to new names.
#[pyfunction]
pub fn renamed_keys() -> Renames {
    config::renamed_keys().clone()
}

/// Returns the reference page of all parameters, as Markdown.
#[pyfunction]
pub fn parameters_page() -> String {
    config::reference_page()
}
