//! Requests made up from characteristics, and always labelled so.
//!
//! A workload is a TOML definition: a preset by name, or a file of the user's. [`load_workload`] reads and
//! checks it; [`WorkloadSpec::source`] makes the requests, for a drive of a given capacity and a seed.
//!
//! A new preset is its file in `presets/workloads/` and its name in the list below. A new distribution is a
//! variant in `definition`, its bounds in `checks`, its behaviour in `addresses`, `arrivals` or `sizes`.

mod addresses;
mod arrivals;
mod checks;
mod definition;
mod error;
mod flow;
mod scramble;
mod sizes;
mod spec;
mod zipf;

use std::path::Path;

use super::request::SourceError;

pub use error::WorkloadError;
pub use spec::{
    AddressPattern, Bursts, Footprint, OpenLoop, Pacing, SizeChoice, SizeMix, Spacing, WorkloadSpec,
};

macro_rules! presets {
    ($($name:literal)*) => {
        const PRESETS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../../presets/workloads/", $name, ".toml")))),*];

        /// The workloads that can be asked for by name.
        pub const fn workload_names() -> &'static [&'static str] {
            &[$($name),*]
        }
    };
}

presets! {
    "random-read"
    "random-write"
    "mixed-70-30"
    "sequential-read"
    "strided-read"
    "zipf-mixed"
    "bursty-oltp"
}

/// Reads a workload: a preset's name, or the path of a TOML file. What ends in `.toml` is a path.
///
/// # Errors
/// [`WorkloadError`], for a name that is none, a file that cannot be read, and a definition with a fault.
pub fn load_workload(name_or_path: &str) -> Result<WorkloadSpec, SourceError> {
    let path = Path::new(name_or_path);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return Ok(load_file(path)?);
    }
    let preset = PRESETS.iter().find(|(name, _)| *name == name_or_path);
    let (name, text) = preset.ok_or_else(|| WorkloadError::UnknownName { name: name_or_path.to_owned() })?;
    Ok(checks::checked(text, &format!("presets/workloads/{name}.toml"), name)?)
}

/// Reads a workload from the text of its file; messages call it `file`, reports `label`.
///
/// # Errors
/// [`WorkloadError`], for a definition with a fault.
pub fn parse_workload(text: &str, file: &str, label: &str) -> Result<WorkloadSpec, SourceError> {
    Ok(checks::checked(text, file, label)?)
}

fn load_file(path: &Path) -> Result<WorkloadSpec, WorkloadError> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| WorkloadError::Unreadable { file: file.clone(), source })?;
    let label = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
    checks::checked(&text, &file, &label)
}
