//! Configurations: resolving, showing, explaining.

use pyo3::prelude::*;
use venice_requests::SECTOR_BYTES;
use venice_ssd::assembly;
use venice_ssd::config::{self, Resolved};
use venice_ssd::ftl::{self, PreconditionMode, SpareSpace};

use crate::error;
use crate::guard::guarded;

/// A drive whose configuration is complete and checked.
#[pyclass(frozen, module = "venice._native")]
pub struct Drive {
    resolved: Resolved,
}

impl Drive {
    /// A drive of this configuration.
    pub fn new(resolved: Resolved) -> Self {
        Self { resolved }
    }

    /// The configuration.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    fn spare_space(&self) -> SpareSpace {
        let settings = self.resolved.settings();
        SpareSpace::of(&settings.geometry, &settings.ftl)
    }
}

#[pymethods]
impl Drive {
    /// The configuration as a complete TOML file.
    fn to_toml(&self) -> String {
        self.resolved.to_toml()
    }

    /// The configuration as JSON text, values only.
    fn to_json(&self) -> String {
        self.resolved.to_json().to_string()
    }

    /// Its fabric and how much it holds.
    fn __repr__(&self) -> String {
        let gib = self.capacity_bytes() as f64 / f64::from(1 << 30);
        format!("<Drive: {}, {gib:.1} GiB>", self.fabric())
    }

    /// Name of the fabric.
    #[getter]
    fn fabric(&self) -> &'static str {
        self.resolved.settings().fabric_kind.name()
    }

    /// What was asked for and has no effect on this drive, a sentence each.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.resolved.remarks()
    }

    /// Pages of flash.
    #[getter]
    fn flash_pages(&self) -> u64 {
        self.resolved.settings().geometry.pages()
    }

    /// Whether it is filled before a run.
    #[getter]
    fn is_filled(&self) -> bool {
        self.resolved.settings().precondition.mode != PreconditionMode::None
    }

    /// Over-provisioning in % of the host's capacity: all of it, and what garbage collection can use of it.
    #[getter]
    fn over_provisioning_pct(&self) -> (f64, f64) {
        let space = self.spare_space();
        (space.over_provisioning_pct(), space.effective_pct())
    }

    /// Pages programmed per page of uniform random writes over the whole capacity, in closed form, if the victim policy has one.
    #[getter]
    fn expected_pages_per_written_page(&self) -> Option<f64> {
        let settings = self.resolved.settings();
        let space = self.spare_space();
        let alpha = space.alpha(space.host_pages, space.map_pages);
        ftl::pages_per_written_page(settings.ftl.victim, alpha, settings.geometry.pages_per_block)
    }

    /// Bytes that a host can address.
    #[getter]
    fn capacity_bytes(&self) -> u64 {
        assembly::Simulation::capacity_sectors(self.resolved.settings()) * u64::from(SECTOR_BYTES)
    }
}

/// Loads a drive: a preset's name or a TOML file, with what a program has said over it, changed by options.
///
/// `typed` is as what the fabric was asked for, where that was not `--fabric NAME`.
///
/// Raises `ConfigError` with every problem that was found.
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
    let fabric = fabric.map(|name| config::AskedFabric { name, typed });
    let loaded = py.detach(|| guarded(|| config::load_described(drive, &said, fabric, &sets, seed)));
    let resolved = loaded.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::config(&wrong))?;
    Ok(Drive { resolved })
}

/// What a configuration key means: unit, range, default and source.
///
/// Raises `ConfigError` for a key that does not exist.
#[pyfunction]
pub fn explain(key: &str) -> PyResult<String> {
    let explained = guarded(|| config::explain(key)).map_err(|crash| error::crash(&crash))?;
    explained.map_err(|wrong| error::config(&wrong))
}

/// The JSON schema of drive files, as JSON text.
#[pyfunction]
pub fn schema() -> String {
    config::schema().to_string()
}

/// Returns the reference page of all parameters, as Markdown.
#[pyfunction]
pub fn parameters_page() -> String {
    config::reference_page()
}
