//! How a drive is described: TOML files, presets and options become what the models are told.
//!
//! # The three stages
//!
//! 1. *Raw*: what a file or option said, with the place of every key and value (`raw`, `layer`, `option`).
//! 2. *Validated*: [`Config`], where every parameter has a value of its type and range, defaults are filled
//!    in and values go together (`reader`, `load`, `check`).
//! 3. *Settings*: [`DriveSettings`](crate::assembly::DriveSettings), spans and counts computed from the second stage (`settings`). Models
//!    see nothing else.
//!
//! # Layers
//!
//! Later ones win: the table's defaults, the chip preset, the drives that the file extends, the file, and the
//! options in the order `--fabric`, `--set`, `--seed`. Every value remembers who said it and which source
//! it cites.
//!
//! # One table
//!
//! Rooms declare their parameters, each once, and `table` takes them in, section by section. The typed [`Config`], checks, messages,
//! [`explain()`], the [`schema()`] and the [`reference_page`] are read off it. To add a parameter, add its line to the structure of its
//! room or policy (`crate::parameters`).
//!
//! # Example
//!
//! ```
//! use venice_ssd::config;
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
pub mod mqsim;
mod option;
mod presets;
mod reader;
mod reference;
mod resolved;
mod schema;
mod settings;
mod table;
mod unknown;

pub use crate::parameters::{Kind, Parameter, Section, Value};
pub use entry::Origin;
pub use error::{ConfigError, Problem};
pub use explain::explain;
pub use load::{load, load_described, load_text};
pub use option::AskedFabric;
pub use reference::reference_page;
pub use resolved::Resolved;
pub use schema::schema;
pub use table::{Config, DriveParameters, RunParameters, parameters};

/// Names of the drives that come with the program.
pub fn drive_names() -> Vec<&'static str> {
    presets::names(presets::DRIVES)
}

/// Names of the flash chips that come with the program, for the `chip` key.
pub fn chip_names() -> Vec<&'static str> {
    presets::names(presets::CHIPS)
}
