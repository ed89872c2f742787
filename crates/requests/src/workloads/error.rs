//! Errors of workloads, and their messages.

use std::io;

use thiserror::Error;

use super::problem::{DefinitionProblem, Problems};
use super::workload_names;
use crate::request::SourceError;

/// Minimum similarity of a name that a message suggests, from 0 to 1.
const LIKE: f64 = 0.8;

impl WorkloadError {
    /// Creates the error for a file with one problem, without a line number.
    pub(super) fn of_file(file: &str, message: impl Into<String>, expected: &str) -> Self {
        let problem = DefinitionProblem::new(message).note(format!("expected: {expected}"));
        Self::Definition { file: file.to_owned(), problems: vec![problem] }
    }
}

impl From<WorkloadError> for SourceError {
    fn from(error: WorkloadError) -> Self {
        Self::Workload(error.into())
    }
}

/// Error while a workload is loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// The name of the preset is unknown.
    #[error(
        "unknown workload `{name}`{}\n   = expected: a built-in workload (see `venice workloads`), a workload file (.toml), or \
         a fio job file (.fio)",
        hint(name)
    )]
    UnknownName {
        /// Name that the user requested.
        name: String,
    },

    /// The file cannot be read.
    #[error("cannot read the workload: {}", why(source, file))]
    Unreadable {
        /// Path of the file.
        file: String,
        /// Error of the operating system.
        source: io::Error,
    },

    /// The file is invalid TOML, or a key is unknown, missing, of another type or out of range.
    #[error("{}", Problems(file, problems))]
    Definition {
        /// Path of the file.
        file: String,
        /// Problems of the file; at least one.
        problems: Vec<DefinitionProblem>,
    },

    /// A job file has invalid lines.
    #[error("{}", job_problems(file, faults))]
    Jobs {
        /// Path of the file.
        file: String,
        /// Problems in the order of their lines; at least one.
        faults: Vec<JobFault>,
    },

    /// The footprint is larger than the drive.
    #[error(
        "the footprint is {needed_sectors} sectors, but the drive has {capacity_sectors}\n  --> {label}\n   = expected: a \
         smaller `footprint`, or a percentage of the drive (`drive_pct`)"
    )]
    FootprintBeyondDrive {
        /// Label of the workload.
        label: String,
        /// Footprint of the workload in sectors.
        needed_sectors: u64,
        /// Capacity of the drive in sectors.
        capacity_sectors: u64,
    },

    /// The workload has gathers or searches, but the drive has a write cache. Chips would process outdated
    /// pages.
    #[error(
        "`{key}` cannot be combined with a write cache: chips would process outdated pages\n  --> {label}\n   = \
         expected: cache.mode = \"off\" or \"read\", or a workload without `{key}`"
    )]
    ChipsBesideWriteCache {
        /// Key of the workload that has requests to chips.
        key: &'static str,
        /// Label of the workload.
        label: String,
    },

    /// Searches name a pattern set that the drive does not have.
    #[error(
        "`pattern_set` is {pattern_set}, but the last set of the drive is {last}\n  --> {label}\n   = expected: at most {last}, \
         or a drive with more sets in `search.match_pct`"
    )]
    UnknownPatternSet {
        /// Label of the flow.
        label: String,
        /// Number of the pattern set.
        pattern_set: u8,
        /// Number of the last pattern set of the drive.
        last: usize,
    },

    /// A request is longer than the footprint.
    #[error(
        "a request of {request_sectors} sectors does not fit the footprint of {footprint_sectors}\n  --> {label}\n   = \
         expected: a larger `footprint`"
    )]
    RequestBeyondFootprint {
        /// Label of the workload.
        label: String,
        /// Length of the workload's longest request in sectors.
        request_sectors: u32,
        /// Footprint on this drive in sectors.
        footprint_sectors: u64,
    },
}

/// Problem of a fio job file, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFault {
    /// Line number, from 1.
    pub line: usize,
    /// Description of the problem and its remedy.
    pub message: String,
}

impl JobFault {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Maximum number of problems in a message.
const MAX_PROBLEMS: usize = 25;

/// Formats the first problems, one per line. The first line has no `error:`, which the command line adds.
fn job_problems(file: &str, faults: &[JobFault]) -> String {
    let line = |fault: &JobFault| format!("{file}, line {}: {}", fault.line, fault.message);
    let lines: Vec<_> = faults.iter().take(MAX_PROBLEMS).map(line).collect();
    let end = match faults.len() {
        0 | 1 => String::new(),
        count if count > MAX_PROBLEMS => {
            format!(
                "\n{count} problems in {file}, of which the first {MAX_PROBLEMS} are listed; nothing was run"
            )
        }
        count => format!("\n{count} problems in {file}; nothing was run"),
    };
    lines.join("\nerror: ") + &end
}

/// Returns a message that states why a file cannot be read, its path, and the remedy.
fn why(error: &io::Error, file: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("no such file\n  --> {file}\n   = expected: an existing file; check the path")
        }
        io::ErrorKind::InvalidData => format!("invalid encoding\n  --> {file}\n   = expected: UTF-8 text"),
        _ => format!("{error}\n  --> {file}"),
    }
}

/// Returns a suggestion of a similar name, if one is known.
fn hint(name: &str) -> String {
    nearest(name, workload_names().iter().copied())
        .map_or_else(String::new, |known| format!("\n   = did you mean `{known}`?"))
}

/// Returns the most similar known name; `None` if none is similar enough.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let likeness = |known: &'a str| (strsim::jaro_winkler(&known.to_lowercase(), &name), known);
    let best = known.map(likeness).max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= LIKE).map(|(_, known)| known)
}
