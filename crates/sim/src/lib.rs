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
//! - Events are processed in the order of time. Events of the same time are processed in the order in which
//!   they were scheduled (see [`venice_kernel`]). Equal settings, requests and seeds yield byte-identical
//!   reports.
//! - Each accepted request completes exactly once, or the run ends with an error that describes the
//!   incomplete requests.

pub mod assembly;
pub mod perfetto;
pub mod power;
pub mod report;
pub mod state;
pub mod testkit;
