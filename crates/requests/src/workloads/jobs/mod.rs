//! fio job files as workloads.
//!
//! # What it reads
//!
//! A job file consists of sections with options. Options in `[global]` apply to the jobs after it. Each job
//! is a flow, or `numjobs` flows. [`options`] classifies every option of fio: options without effect on
//! requests are ignored, options that are simulated have the meaning of fio's documentation, and options that
//! change requests in other ways are rejected with an error. All problems of a file are reported together.
//!
//! # What is left out
//!
//! - The host's page cache and file system: jobs run on the bare drive, as with `direct=1`.
//! - Shared queue depth: a job that reads and writes with a rate becomes two flows with separate depths. In
//!   fio, reads and writes share the depth.
//! - Think time after several requests: exactly this number of requests is issued before the think time. fio
//!   issues up to `iodepth` more.
//! - Late completions of jobs with `flow`: a job of fio that waits for its share without `flow_sleep` notices
//!   completions only afterwards.
//! - Overlap in the random map: only start addresses are unique, so with `bssplit` larger blocks may overlap.
//! - fio's own random numbers.
//! - Jobs that end at the end of the device: without `size`, the number of requests or the runtime is
//!   required.
//! - Ranges of lengths in `bssplit`: fio reads only their lower ends.
//!
//! # Source
//!
//! fio's HOWTO, version 3.42.
//!
//! # Parameters
//!
//! Options of the job file.

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

/// Problem in a job file.
type JobProblem = JobFault;

/// Parses a job file. `file` is the file's name in messages, and `label` its name in reports.
pub(super) fn read(text: &str, file: &str, label: &str) -> Result<Workload, WorkloadError> {
    let (text, faults) = variables::expanded(text, |name| std::env::var(name).ok());
    let flows = JobReader::new(label, faults).read(&text);
    let flows = flows.map_err(|faults| WorkloadError::Jobs { file: file.to_owned(), faults })?;
    let source = "the user's job file; what it leaves open is fio's default";
    Ok(Workload::of_flows(label, "the jobs of a fio job file", source, flows))
}
