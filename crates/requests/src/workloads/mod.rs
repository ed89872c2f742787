//! Requests made up from characteristics, and always labelled so.
//!
//! A workload is a TOML definition: a preset by name, or a file of the user's; of one flow, or of several by
//! name. [`load_workload`] reads and checks it; [`Workload::open`] makes the requests, for a drive of a given
//! capacity and a seed.
//!
//! A new preset is its file in `presets/workloads/` and its name in the list below. A new distribution is a
//! variant in `definition`, its bounds in `checks`, its behaviour in `addresses`, `arrivals` or `sizes`.

mod addresses;
mod arrivals;
mod checks;
mod definition;
mod draws;
mod error;
mod fit;
mod flow;
mod jobs;
mod mix;
mod recent_writes;
mod scramble;
mod sizes;
mod spec;
mod workload;
mod zipf;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

use super::request::SourceError;

pub use error::WorkloadError;
pub use fit::{Fit, GapFit};
pub use spec::{
    AddressPattern, Bursts, Footprint, Gaps, OpenLoop, Pacing, Places, ReadAfterWrite, SizeChoice, SizeMix,
    Spacing, WorkloadSpec,
};
pub use workload::{FlowSpec, OpenedFlow, Space, Workload};

macro_rules! presets {
    ($($name:literal)*) => {
        const PRESETS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../presets/workloads/", $name, ".toml")))),*];

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
    "poisson-read-4k"
    "poisson-read-16k"
    "poisson-read-64k"
    "gather"
    "gather-and-read"
    "hm_0"
    "mds_0"
    "proj_3"
    "prxy_0"
    "rsrch_0"
    "src1_0"
    "src2_1"
    "usr_0"
    "wdev_0"
    "web_1"
    "YCSB_B"
    "YCSB_D"
    "jenkins"
    "postgres"
    "LUN0"
    "LUN2"
    "LUN3"
    "ssd-00"
    "ssd-10"
    "mix1"
    "mix2"
    "mix3"
    "mix4"
    "mix5"
    "mix6"
}

/// Reads a workload: a preset's name, or the path of a TOML file or of a fio job file. What ends in `.toml` or
/// `.fio` is a path.
///
/// # Errors
/// [`WorkloadError`], for a name that is none, a file that cannot be read, and a definition with a fault.
pub fn load_workload(name_or_path: &str) -> Result<Workload, SourceError> {
    let text = Text::named(name_or_path)?;
    if ends_in(Path::new(name_or_path), &[JOB_SUFFIX]) {
        return Ok(jobs::read(&text.content, &text.file, &text.label)?);
    }
    if mix::is_mix(&text.content) {
        return Ok(mix::checked(&text.content, &text.file, &text.label, load_flow)?);
    }
    Ok(Workload::single(text.checked()?))
}

/// Reads a workload of one flow from the text of its file; messages call it `file`, reports `label`.
///
/// # Errors
/// [`WorkloadError`], for a definition with a fault.
pub fn parse_workload(text: &str, file: &str, label: &str) -> Result<WorkloadSpec, SourceError> {
    Ok(checks::checked(text, file, label)?)
}

/// A flow of a mix, by its name.
fn load_flow(name_or_path: &str) -> Result<WorkloadSpec, WorkloadError> {
    Text::named(name_or_path)?.checked()
}

/// Suffixes by which a path is told from a preset's name.
const TOML_SUFFIX: &str = "toml";
const JOB_SUFFIX: &str = "fio";

fn ends_in(path: &Path, suffixes: &[&str]) -> bool {
    let matches = |extension: &OsStr| suffixes.iter().any(|suffix| extension.eq_ignore_ascii_case(suffix));
    path.extension().is_some_and(matches)
}

/// A definition, and what messages and reports call it.
struct Text {
    content: Cow<'static, str>,
    file: String,
    label: String,
}

impl Text {
    fn named(name_or_path: &str) -> Result<Self, WorkloadError> {
        let path = Path::new(name_or_path);
        if ends_in(path, &[TOML_SUFFIX, JOB_SUFFIX]) {
            return Self::read(path);
        }
        let preset = PRESETS.iter().find(|(name, _)| *name == name_or_path);
        let (name, text) =
            preset.ok_or_else(|| WorkloadError::UnknownName { name: name_or_path.to_owned() })?;
        let file = format!("presets/workloads/{name}.toml");
        Ok(Self { content: Cow::Borrowed(text), file, label: (*name).to_owned() })
    }

    fn read(path: &Path) -> Result<Self, WorkloadError> {
        let file = path.display().to_string();
        let text = crate::input::read_to_string(path)
            .map_err(|source| WorkloadError::Unreadable { file: file.clone(), source })?;
        let label = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self { content: Cow::Owned(text), file, label })
    }

    fn checked(&self) -> Result<WorkloadSpec, WorkloadError> {
        checks::checked(&self.content, &self.file, &self.label)
    }
}
