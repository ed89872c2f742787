//! Job files of fio, as workloads.
//!
//! # What it reads
//!
//! Sections and their options, `[global]` before the jobs that it is for; each job becomes a flow, with
//! `numjobs` as many. [`options`] has the class of every option of fio: options that concern fio alone are passed
//! over, options that set requests have the meaning of fio's documentation, and options that change requests in
//! another way are refused with their line. All problems of a file are reported at once.
//!
//! # What is left out
//!
//! - A host's page cache and file system: jobs are as with `direct=1` on the bare drive.
//! - A job with both directions and a rate is two, one for each; in fio they share the depth.
//! - Thinking after several requests: no more than these are issued before it; fio issues up to `iodepth` more.
//! - The random map counts starts of blocks, so with `bssplit` larger blocks may overlap.
//! - fio's own random numbers.
//! - The end of the region ends a job only by `size`: without it, say how many requests or how long.
//! - Trims.
//! - Ranges of lengths in `bssplit`: fio reads their lower ends.
//!
//! # Source
//!
//! fio's HOWTO, version 3.42.
//!
//! # Parameters
//!
//! Those of the job file.

mod flow;
mod lines;
mod option;
mod options;
mod reader;
mod values;
mod variables;

use super::error::{JobFault, WorkloadError};
use super::workload::Workload;
pub use options::reference_page;
use reader::JobReader;

/// A problem, and its line.
type Fault = JobFault;

/// Reads a job file. Messages call it `file`, reports `label`.
pub(super) fn read(text: &str, file: &str, label: &str) -> Result<Workload, WorkloadError> {
    let (text, faults) = variables::expanded(text, |name| std::env::var(name).ok());
    let flows = JobReader::new(label, faults).read(&text);
    let flows = flows.map_err(|faults| WorkloadError::Jobs { file: file.to_owned(), faults })?;
    let source = "the user's job file; what it leaves open is fio's default";
    Ok(Workload::of_flows(label, "the jobs of a fio job file", source, flows))
}
