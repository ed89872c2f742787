//! What can be wrong with a workload, in words for the person who named or wrote it.

use std::io;

use thiserror::Error;

use super::workload_names;
use crate::request::SourceError;

/// Likeness, from 0 to 1, at which a name is offered in place of another.
const LIKE: f64 = 0.8;

impl From<WorkloadError> for SourceError {
    fn from(error: WorkloadError) -> Self {
        Self::Workload(error.into())
    }
}

/// Why a workload could not be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// No preset has this name.
    #[error(
        "`{name}` is not a workload; {}`venice workloads` lists them; a file of your own ends in .toml, a fio job file in .fio",
        hint(name)
    )]
    UnknownName {
        /// What was asked for.
        name: String,
    },

    /// The file cannot be read.
    #[error("{file}: the workload cannot be read: {}", why(source))]
    Unreadable {
        /// The file.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// The file is not TOML, or has a key that is unknown, missing or of another type.
    #[error("{file}: {message}")]
    Definition {
        /// The file.
        file: String,
        /// Where, what and what was expected.
        message: String,
    },

    /// A value is out of range.
    #[error("{file}: `{key}` is {found}; it should be {expected}")]
    Value {
        /// The file.
        file: String,
        /// The key, from the top of the file.
        key: &'static str,
        /// The value.
        found: String,
        /// What it may be.
        expected: &'static str,
    },

    /// Lines of a job file are wrong.
    #[error("{}", job_problems(file, faults))]
    Jobs {
        /// The file.
        file: String,
        /// The problems, at least one, in the order of their lines.
        faults: Vec<JobFault>,
    },

    /// The drive is too small for the workload.
    #[error(
        "{label}: the footprint is {needed_sectors} sectors, but the drive has {capacity_sectors}; \
         make `footprint` smaller or give it in per cent of the drive"
    )]
    FootprintBeyondDrive {
        /// The workload.
        label: String,
        /// Its footprint.
        needed_sectors: u64,
        /// The drive.
        capacity_sectors: u64,
    },

    /// Chips would combine pages of which the data cache has newer ones.
    #[error(
        "{label}: chips combine what flash holds, and the drive's data cache has writes that are not there yet; \
         expected: cache.mode = \"off\" or \"read\", or a workload without `gather_pct`"
    )]
    GathersBesideWriteCache {
        /// The workload.
        label: String,
    },

    /// The footprint is too small for the workload.
    #[error(
        "{label}: a request of {request_sectors} sectors does not fit the footprint of {footprint_sectors}; \
         make `footprint` larger"
    )]
    RequestBeyondFootprint {
        /// The workload.
        label: String,
        /// Its longest request.
        request_sectors: u32,
        /// Its footprint in this drive.
        footprint_sectors: u64,
    },
}

/// A problem of a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl JobFault {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Problems of a job file that are written out.
const MOST_PROBLEMS: usize = 50;

/// Writes a line for each of the first problems. The first line has no `error:`, which the command line writes.
fn job_problems(file: &str, faults: &[JobFault]) -> String {
    let line = |fault: &JobFault| format!("{file}, line {}: {}", fault.line, fault.message);
    let lines: Vec<_> = faults.iter().take(MOST_PROBLEMS).map(line).collect();
    let end = match faults.len() {
        0 | 1 => String::new(),
        count if count > MOST_PROBLEMS => {
            format!("\n{count} problems in {file}, of which these are the first; nothing was run")
        }
        count => format!("\n{count} problems in {file}; nothing was run"),
    };
    lines.join("\nerror: ") + &end
}

/// Why a file cannot be read, and what to do.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        _ => error.to_string(),
    }
}

/// The name that may have been meant, if one is near.
fn hint(name: &str) -> String {
    nearest(name, workload_names().iter().copied())
        .map_or_else(String::new, |known| format!("did you mean `{known}`? "))
}

/// The known name that is nearest to another, if one is near.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let likeness = |known: &'a str| (strsim::jaro_winkler(&known.to_lowercase(), &name), known);
    let best = known.map(likeness).max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= LIKE).map(|(_, known)| known)
}
