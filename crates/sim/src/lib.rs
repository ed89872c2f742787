//! Simulations: drives built from settings, their runs, and the reports.
//!
//! [`assembly::Simulation`] builds a [`Device`](venice_drive::device::Device) from
//! [`assembly::DriveSettings`] and runs it; [`report::Report`] contains the results.
//!
//! # Modules
//!
//! - [`assembly`]: settings of a drive, options of a run, and the run itself. It imports all other modules.
//! - [`report`]: figures of a run, declared once for reports, schema and reference page.
//! - [`power`]: energy, power and board area, computed from counters.
//! - [`state`]: files of drive states.
//! - [`perfetto`]: trace files of the activity of all resources.
//!
//! # Guarantees
//!
//! - Events are processed in the order (time, order of scheduling), see [`venice_kernel`]; equal settings,
//!   requests and seed yield byte-identical reports.
//! - Each accepted request completes exactly once, or the run ends with an error that describes the stuck
//!   requests.

pub mod assembly;
pub mod perfetto;
pub mod power;
pub mod report;
pub mod state;
pub mod testkit;
