//! Synthetic workloads. Reports always label them as synthetic.
//!
//! A workload is defined by TOML for one or several flows, as a built-in preset or in a file.
//! [`load_workload`] parses and validates the definition. [`Workload::open`] generates the requests for a
//! drive's capacity and a seed.
//!
//! To add a preset, add a file in `presets/workloads/` and its name in `presets`. To add a distribution, add
//! a variant in `definition`, its bounds in `ranges` and `checks`, and its generator in `addresses`,
//! `arrivals` or `sizes`.

mod addresses;
mod arrivals;
mod checks;
mod definition;
mod described_workload;
mod draws;
mod error;
mod fault;
mod fit;
mod flow;
mod idle_settings;
mod jobs;
mod layers;
mod missing_keys;
mod mix;
mod presets;
mod problem;
mod ranges;
mod recent_writes;
mod schema;
mod scramble;
mod sizes;
mod spec;
mod text;
mod workload;
mod write_kinds;
mod write_law;
mod zipf;

use super::request::SourceError;
use layers::LayeredDefinition;
use text::DefinitionText;

pub use described_workload::{DescribedWorkload, complete_workload};
pub use error::{JobFault, WorkloadError};
pub use fit::{Fit, GapFit};
pub use jobs::reference_page as fio_options_page;
pub use presets::workload_names;
pub use problem::DefinitionProblem;
pub use schema::schema;
pub use spec::{
    AddressPattern, AddressSpec, Bursts, Footprint, Gaps, OpenLoop, Pacing, ReadAfterWrite, SizeChoice,
    SizeMix, Spacing, WorkloadSpec,
};
pub use workload::{DrivePart, FlowSpec, OpenedFlow, Workload};

/// Loads a workload from a preset, a TOML file or a fio job file. A name that ends in `.toml` or `.fio` is a
/// path; another name is a preset.
///
/// # Errors
/// [`WorkloadError`] for an unknown name, an unreadable file, or an invalid definition.
pub fn load_workload(name_or_path: &str) -> Result<Workload, SourceError> {
    let text = DefinitionText::named(name_or_path)?;
    if text.is_jobs {
        return Ok(jobs::read(&text.content, &text.file, &text.label)?);
    }
    Ok(described_workload::loaded(&LayeredDefinition::of(text)?)?)
}

/// Parses a workload of one flow from the text of its file. `label` is its name in reports and messages.
///
/// # Errors
/// [`WorkloadError`] for an invalid definition.
pub fn parse_workload(text: &str, label: &str) -> Result<WorkloadSpec, SourceError> {
    Ok(checks::checked(&LayeredDefinition::of(DefinitionText::of(label, text))?)?)
}
