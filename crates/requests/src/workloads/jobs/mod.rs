//! Job files of fio, as workloads.
//!
//! # What it reads
//!
//! Sections and their options, `[global]` before the jobs that it is for; each job becomes a flow, with
//! `numjobs` as many. The options in [`option::apply`] have the meaning that fio's documentation gives them.
//! Some others say how fio itself is to work and mean nothing here; they are passed over, by name. Every
//! other option is refused, with its line: what is not simulated is not ignored.
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
mod values;
mod variables;

use super::error::WorkloadError;
use super::workload::{FlowSpec, Workload};
use option::Job;

/// What is wrong, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    line: usize,
    message: String,
}

impl Fault {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Flows that a file may have.
const MOST_FLOWS: usize = 1024;

/// Reads a job file. Messages call it `file`, reports `label`.
pub(super) fn read(text: &str, file: &str, label: &str) -> Result<Workload, WorkloadError> {
    let expanded = variables::expanded(text, |name| std::env::var(name).ok());
    let flows = expanded.and_then(|text| flows(&text, label)).map_err(|fault| WorkloadError::Job {
        file: file.to_owned(),
        line: fault.line,
        message: fault.message,
    })?;
    let source = "the user's job file; what it leaves open is fio's default";
    Ok(Workload::of_flows(label, "the jobs of a fio job file", source, flows))
}

fn flows(text: &str, label: &str) -> Result<Vec<FlowSpec>, Fault> {
    let mut global = Job::default();
    let mut flows: Vec<FlowSpec> = Vec::new();
    let mut group = 0;
    for section in lines::sections(text)? {
        if section.name == "global" {
            section.entries.iter().try_for_each(|entry| option::apply(&mut global, entry))?;
            continue;
        }
        let mut job = global.clone();
        section.entries.iter().try_for_each(|entry| option::apply(&mut job, entry))?;
        group += u32::from(job.new_group);
        let alone = (MOST_FLOWS + flows.len()) as u32;
        flows.extend(flow::clones(&job, &section, label, (group, alone))?);
        if flows.len() > MOST_FLOWS {
            return Err(Fault::new(section.line, format!("there are more than {MOST_FLOWS} jobs")));
        }
    }
    if flows.is_empty() {
        return Err(Fault::new(
            1,
            "there is no job; a job is a line with its name in brackets, and its options",
        ));
    }
    Ok(flows)
}
