//! Configuration of a drive: from TOML files, presets and options to the settings of the models.
//!
//! This crate contains the table of parameters, reads files and options, and formats the messages about them.
//! It does not run simulations.
//!
//! # The three stages
//!
//! 1. *Raw*: content of a file or option, with the position of each key and value (`raw`, `layer`, `option`).
//! 2. *Validated*: [`Config`], with a value of the right type and range for each parameter, defaults filled
//!    in and combinations checked (`reader`, `load`, `check`).
//! 3. *Settings*: [`DriveSettings`](venice_sim::assembly::DriveSettings), time spans and counts computed from
//!    the second stage (`settings`). The models use only this stage.
//!
//! # Layers
//!
//! A later layer overrides an earlier one. The order is: defaults of the table, chip preset, extended drives,
//! the file, and the options in the order `--fabric`, `--set`, `--seed`. Each value keeps its origin and its
//! cited source.
//!
//! # One table
//!
//! Each parameter is declared once, in the module that uses it. The module `table` collects the declarations
//! by section. The typed [`Config`], checks, messages, [`explain()`], the [`schema()`] and the
//! [`reference_page`] are derived from the table. To add a parameter, add its line to the structure of its
//! module or policy (`venice_params`).
//!
//! # Example
//!
//! ```
//! use venice_config as config;
//!
//! let sets = ["flash.t_read_us=45".to_owned()];
//! let drive = config::load("venice-performance", Some("pssd"), &sets, Some(7))?;
//! assert_eq!(drive.settings().geometry.array.chips(), 64);
//! assert_eq!(drive.settings().flash.array.read[0].as_us(), 45.0);
//!
//! let error = config::load("venice-performance", Some("psd"), &[], None).unwrap_err();
//! assert!(error.to_string().contains("did you mean `pssd`?"));
//! # Ok::<(), config::ConfigError>(())
//! ```

mod check;
mod declare;
mod document;
mod entry;
mod error;
mod explain;
mod json;
mod layer;
mod load;
mod option;
mod own_policies;
mod presets;
mod reader;
mod reference;
mod renames;
mod resolved_drive;
mod schema;
mod settings;
mod sheet;
mod table;
mod unknown_keys;

pub use document::{Document, SourceLine, SourcePosition};
pub use entry::ValueOrigin;
pub use error::{ConfigError, Problem};
pub use explain::explain;
pub use layer::{NamedTable, read_text};
pub use load::{load, load_described, load_table, load_text};
pub use option::FabricOption;
pub use own_policies::{OwnPolicies, OwnPolicy, PolicyKind, RegistrationError, own_policies, register};
pub use reference::reference_page;
pub use renames::{Renames, renamed_keys};
pub use resolved_drive::ResolvedDrive;
pub use schema::schema;
pub use table::{Config, DriveParameters, RunParameters, parameters};
pub use venice_params::{Parameter, ParameterKind, Section, Value};

/// Returns the names of the built-in drive presets.
pub fn drive_names() -> Vec<&'static str> {
    presets::names(presets::DRIVES)
}

/// Returns the names of the built-in flash chip presets, for the `chip` key.
pub fn chip_names() -> Vec<&'static str> {
    presets::names(presets::CHIPS)
}
