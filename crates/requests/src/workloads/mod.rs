//! Requests made up from characteristics, and always labelled so.
//!
//! A workload is a TOML definition: a preset by name, or a file of the user's; of one flow, or of several.
//! [`load_workload`] reads and checks it; [`Workload::open`] makes the requests, for a drive of a given capacity and a
//! seed.
//!
//! A new preset is its file in `presets/workloads/` and its name in the list in `presets`. A new distribution is a
//! variant in `definition`, its bounds in `ranges` and `checks`, its behaviour in `addresses`, `arrivals` or `sizes`.

mod addresses;
mod arrivals;
mod checks;
mod definition;
mod described;
mod draws;
mod error;
mod fault;
mod fit;
mod flow;
mod jobs;
mod layers;
mod mix;
mod presets;
mod ranges;
mod recent_writes;
mod schema;
mod scramble;
mod sizes;
mod spec;
mod text;
mod workload;
mod write_law;
mod zipf;

use super::request::SourceError;
use layers::Definition;
use text::Text;

pub use described::{Described, complete_workload};
pub use error::{JobFault, WorkloadError};
pub use fit::{Fit, GapFit};
pub use jobs::reference_page as fio_options_page;
pub use presets::workload_names;
pub use schema::schema;
pub use spec::{
    AddressPattern, Bursts, Footprint, Gaps, OpenLoop, Pacing, Places, ReadAfterWrite, SizeChoice, SizeMix,
    Spacing, WorkloadSpec,
};
pub use workload::{FlowSpec, OpenedFlow, Space, Workload};

/// Reads a workload: a preset's name, or the path of a TOML file or of a fio job file. What ends in `.toml` or
/// `.fio` is a path.
///
/// # Errors
/// [`WorkloadError`], for a name that is none, a file that cannot be read, and a definition with a fault.
pub fn load_workload(name_or_path: &str) -> Result<Workload, SourceError> {
    let text = Text::named(name_or_path)?;
    if text.is_jobs {
        return Ok(jobs::read(&text.content, &text.file, &text.label)?);
    }
    Ok(described::loaded(&Definition::of(text)?)?)
}

/// Reads a workload of one flow from the text of its file; reports and messages call it `label`.
///
/// # Errors
/// [`WorkloadError`], for a definition with a fault.
pub fn parse_workload(text: &str, label: &str) -> Result<WorkloadSpec, SourceError> {
    Ok(checks::checked(&Definition::of(Text::of(label, text))?)?)
}
