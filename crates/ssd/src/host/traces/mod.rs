//! Requests read from trace files.
//!
//! # The contract of a format
//!
//! A format says how one line becomes one `Record`, and nothing else; files, compression, line
//! numbers, time and errors are the reader's business. `tests/traces.rs` checks for every format in the
//! registry:
//!
//! 1. `TraceFormat::parse` looks at one line alone: blanks at both ends, blank lines and lines that
//!    begin with `#` never reach it.
//! 2. It returns a record, or nothing for a line that carries no request (a header), or a `Fault` that
//!    names the column; it never guesses and never panics.
//! 3. Time stamps are whole numbers of `TraceFormat::TICK`, as the file counts them. The reader
//!    subtracts the first one as an integer, so an absolute stamp of 18 digits loses nothing.
//! 4. Addresses and sizes in bytes are rounded outwards to sectors.
//! 5. The workload of `conformance/traces/` in this format gives the requests that it gives in every other.
//!
//! A new format is its file in `formats/`, its line in the registry and its file in
//! `conformance/traces/`.
//!
//! # The contract of the reader
//!
//! - A file is read once, in chunks; memory does not grow with its size.
//! - gzip and Zstandard are recognised by their first bytes, a format by its first lines. File names
//!   decide nothing.
//! - Windows line ends, a byte-order mark and a missing last newline are tolerated.
//! - The first request arrives at zero. A time stamp earlier than the one before it is moved up to that
//!   one, and counted.

mod compression;
mod error;
mod fields;
mod formats;
mod info;
mod lines;
mod reader;
mod registry;
mod replay;

use std::io::Read;
use std::path::Path;

use venice_kernel::SimSpan;

use super::request::{Op, RequestSource, SourceError};

pub use compression::Compression;
pub use error::TraceError;
pub use info::{TraceInfo, trace_info};
pub use registry::{FormatInfo, trace_formats};
pub use replay::{LIST_COLUMNS, Replay, RequestList, replay_trace};

/// One request as a line gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The time stamp, in ticks of the format.
    pub(crate) ticks: u64,
    /// Read or write.
    pub(crate) op: Op,
    /// First sector.
    pub(crate) start_sector: u64,
    /// Length, at least 1.
    pub(crate) sectors: u32,
    /// The device column, or 0 where there is none.
    pub(crate) queue: u16,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The column, or `line` for the line as a whole.
    pub(crate) field: &'static str,
    /// What should be there.
    pub(crate) expected: &'static str,
}

/// The seam: see the module's contract.
pub(crate) trait TraceFormat {
    /// Length of one unit of the time stamps.
    const TICK: SimSpan;

    /// Reads a line.
    fn parse(line: &[u8]) -> Result<Option<Record>, Fault>;

    /// Whether a line is recognised as one of this format, when the user named none. A format that reads
    /// lines which belong to another by rights is stricter here.
    fn looks_right(line: &[u8]) -> bool {
        Self::parse(line).is_ok()
    }
}

/// A trace that has been opened and recognised.
pub struct OpenTrace {
    /// The format's name.
    pub format: &'static str,
    /// How the file is compressed.
    pub compression: Compression,
    /// Its requests.
    pub source: Box<dyn RequestSource + Send>,
}

/// Opens a trace, in the named format or else in the one its first lines look like.
///
/// # Errors
/// [`TraceError`], for a file that is missing, unreadable, empty, damaged or of no known format.
pub fn open(path: &Path, format: Option<&str>) -> Result<OpenTrace, TraceError> {
    recognised(lines::Lines::open(path)?, format)
}

/// As [`open`], for a trace that is not a file: bytes in memory or another program's output, plain or
/// compressed. Messages call it `path`.
///
/// # Errors
/// As [`open`].
pub fn open_reader(
    bytes: impl Read + Send + 'static,
    path: &Path,
    format: Option<&str>,
) -> Result<OpenTrace, TraceError> {
    recognised(lines::Lines::decode(bytes, path)?, format)
}

fn recognised(lines: lines::Lines, format: Option<&str>) -> Result<OpenTrace, TraceError> {
    let entry = format.map_or_else(|| registry::detect(&lines), registry::by_name)?;
    let compression = lines.compression();
    Ok(OpenTrace { format: entry.info.name, compression, source: (entry.source)(lines) })
}

/// The requests of a trace: [`open`] for those who need nothing else of it.
///
/// # Errors
/// As [`open`].
pub fn open_trace(path: &Path, format: Option<&str>) -> Result<Box<dyn RequestSource + Send>, SourceError> {
    Ok(open(path, format)?.source)
}
