//! Errors of trace files, and their messages.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::request::{BoxedError, SourceError};

use super::columns::{SuggestedColumns, UndeterminedColumn};
use super::compression::Compression;
use super::footprint::CoincidingPages;
use super::options::BlockLayerEvent;

/// Maximum number of characters of a line that a message shows.
const SHOWN_CHARS: usize = 80;

impl From<TraceError> for SourceError {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Columns { .. }
            | TraceError::FormatAndColumns
            | TraceError::DevicesCoincide { .. }
            | TraceError::NoSuchDevice { .. }
            | TraceError::OnceOnly { .. } => Self::Options(error.into()),
            TraceError::Decoder(cause) => Self::Trace(cause),
            _ => Self::Trace(error.into()),
        }
    }
}

/// Formats paths in backticks, separated by commas.
fn quoted(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}

/// Error while a trace is opened or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file does not exist.
    #[error("trace file not found\n  --> {path}\n   = expected: an existing file; check the path")]
    NotFound {
        /// Path of the file.
        path: PathBuf,
    },

    /// The file is missing in all searched folders.
    #[error("trace file not found\n  --> {path}\n   = searched: {}", quoted(tried))]
    NotFoundInFolders {
        /// Path as stated by the user.
        path: String,
        /// Paths at which the file was searched.
        tried: Vec<PathBuf>,
    },

    /// The operating system cannot read the file.
    #[error("cannot read the trace: {source}\n  --> {path}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },

    /// The file contains no requests.
    #[error(
        "the trace has no requests\n  --> {path}\n   = expected: at least one request; check that the file is complete"
    )]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },

    /// Text file in an unknown format.
    #[error(
        "unknown trace format\n  --> {path}\n   = first line: `{}`{}\n   = expected: a description of the columns, \
         {}\n   = or one of these formats, selected with --format:{known}",
        seen.first_line, seen.nearest, example_columns(seen.example.as_ref())
    )]
    UnknownFormat {
        /// Path of the file.
        path: PathBuf,
        /// First lines of the file.
        seen: Box<UnknownLines>,
        /// List of known formats, one per line.
        known: String,
    },

    /// The header does not determine the unit or the role of a column.
    #[error(
        "the header does not determine the column `{}`: {}\n  --> {path}\n   = expected: a description of the columns, \
         for example --columns '{}'",
        open.column, open.unknown, open.example
    )]
    OpenHeader {
        /// Path of the file.
        path: PathBuf,
        /// Column that the header does not determine.
        open: UndeterminedColumn,
    },

    /// Binary file in an unknown format.
    #[error(
        "unknown binary trace format\n  --> {path}\n   = expected: one of {known}\n   = convert the file to one of \
         these or to text, or select its format with --format if the file is damaged"
    )]
    UnknownBinary {
        /// Path of the file.
        path: PathBuf,
        /// Names of the binary formats.
        known: String,
    },

    /// The name of the format is unknown.
    #[error("unknown trace format `{name}`\n   = expected: one of{known}")]
    UnknownFormatName {
        /// Name that the user requested.
        name: String,
        /// List of known formats, one per line.
        known: String,
    },

    /// The file has block-layer events, but none of the requested ones (dispatched or queued).
    #[error(
        "the trace has no {} events\n  --> {path}\n   = found: {} {} events; read them with --event {}",
        instead.wanted, instead.count, instead.other, instead.other
    )]
    NoSuchEvent {
        /// Path of the file.
        path: PathBuf,
        /// Events that the file has instead.
        instead: PresentEvents,
    },

    /// Several devices access the same addresses, and no placement was chosen.
    #[error("{}\n  --> {label}\n   = devices: {}\n{DEVICE_CHOICES}", coincidence(devices, *.pages), listed(devices))]
    DevicesCoincide {
        /// Name of the trace.
        label: String,
        /// Names of the trace's devices.
        devices: Vec<String>,
        /// Pages accessed by several devices; `None` for a trace that can be read only once.
        pages: Option<CoincidingPages>,
    },

    /// The requested device does not occur in the trace.
    #[error(
        "unknown device `{name}`\n  --> --devices {name}\n   = devices of the trace {path}: {}\n{DEVICE_CHOICES}",
        listed(devices)
    )]
    NoSuchDevice {
        /// Path of the file.
        path: PathBuf,
        /// Name that the user requested.
        name: String,
        /// Names of the trace's devices.
        devices: Vec<String>,
    },

    /// The option needs several passes, but the trace is not a regular file.
    #[error(
        "`{option}` reads the trace more than once, which is impossible for a pipe\n  --> {path}\n   = expected: a regular \
         file; save the trace to a file first"
    )]
    OnceOnly {
        /// Path of the pipe, terminal or device.
        path: PathBuf,
        /// Option that needs several passes.
        option: &'static str,
    },

    /// The column description is invalid.
    #[error("--columns {text:?}: {problem}")]
    Columns {
        /// Text of the column description.
        text: String,
        /// Problem of the column description, with the accepted values.
        problem: String,
    },

    /// Both a format and a column description were given.
    #[error("`--format` cannot be combined with `--columns`; expected: one of them")]
    FormatAndColumns,

    /// A row of the trace violates the format.
    #[error(
        "invalid `{field}`\n  --> {}\n   = expected: {expected}\n   = {unit}: `{text}`{}\n   = format: {format}\n   = correct \
         or remove the {unit}, select another format with --format, or skip up to N invalid {unit}s with --skip-bad N",
        row_place(path, *unit, *number), skipped_before(*skipped, *unit)
    )]
    BadLine {
        /// Path of the file.
        path: PathBuf,
        /// Number of the row in the file, from 1.
        number: u64,
        /// Kind of the row: a line of text or a binary record.
        unit: RowUnit,
        /// Shortened text of the row.
        text: String,
        /// Name of the invalid column.
        field: &'static str,
        /// Values that the column accepts.
        expected: &'static str,
        /// Name of the format in which the file was read.
        format: &'static str,
        /// Number of bad rows skipped before this one.
        skipped: u64,
    },

    /// A row of a request list or of a replayed trace is invalid.
    #[error(
        "invalid `{field}`\n  --> {path}:{line}\n   = expected: {expected}\n   = line: `{text}`\n   = columns: {columns}"
    )]
    BadRow {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Shortened text of the line.
        text: String,
        /// Name of the invalid column.
        field: &'static str,
        /// Values that the column accepts.
        expected: &'static str,
        /// Names of all columns of the list.
        columns: &'static str,
    },

    /// A line exceeds the maximum length.
    #[error("the line is longer than {limit_bytes} bytes\n  --> {path}:{line}\n   = expected: a text file")]
    LineTooLong {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Maximum length of a line in bytes.
        limit_bytes: usize,
    },

    /// A time stamp is beyond the simulated time range.
    #[error(
        "the time stamp is more than 213 days from an earlier one, beyond the range of the simulator's clock\n  --> {}\n   \
         = {unit}: `{text}`\n   = correct or remove the {unit}, skip up to N invalid {unit}s with --skip-bad N, or select \
         a format with another unit of time with --format",
        row_place(path, *unit, *number)
    )]
    TimeBeyondClock {
        /// Path of the file.
        path: PathBuf,
        /// Number of the row in the file, from 1.
        number: u64,
        /// Kind of the row: a line of text or a binary record.
        unit: RowUnit,
        /// Shortened text of the row.
        text: String,
    },

    /// A format or column description was given for a Parquet file.
    #[error(
        "`--format` and `--columns` cannot be combined with a Parquet file, whose columns have names\n  --> {path}\n   = \
         expected: neither of these options"
    )]
    ParquetAlone {
        /// Path of the file.
        path: PathBuf,
    },

    /// A Parquet file is inside a compressed file.
    #[error(
        "cannot read a Parquet file inside a {compression} file\n  --> {path}\n   = expected: a Parquet file; decompress it \
         first"
    )]
    PackedParquet {
        /// Path of the compressed file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
    },

    /// The Parquet decoder reported an error.
    #[error(transparent)]
    Decoder(BoxedError),

    /// The compressed file is truncated.
    #[error(
        "the {compression} file is truncated after line {line}\n  --> {path}\n   = expected: a complete file; copy or \
         download it again"
    )]
    Truncated {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
        /// Number of complete lines before the end.
        line: u64,
    },

    /// The compressed file is damaged.
    #[error(
        "the {compression} file is damaged after line {line}: {source}\n  --> {path}\n   = expected: an undamaged file; copy \
         or download it again"
    )]
    Corrupt {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
        /// Number of complete lines before the damage.
        line: u64,
        /// Error of the decoder.
        source: io::Error,
    },
}

/// Unit in which a file is read: a line of text or a binary record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// The rows of the file are lines of text.
    Line,
    /// The rows of the file are binary records.
    Record,
}

impl fmt::Display for RowUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Record => "record",
        })
    }
}

/// First lines of a trace in an unknown format.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownLines {
    /// Column description that fits the lines.
    pub example: Option<SuggestedColumns>,
    /// First line of the file, shortened.
    pub first_line: String,
    /// Hint that names the format which can read most of the lines; empty if no format can read one.
    pub nearest: String,
}

/// Events of a trace that has none of the requested events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentEvents {
    /// Requested event.
    pub wanted: BlockLayerEvent,
    /// Event that the trace contains instead.
    pub other: BlockLayerEvent,
    /// Number of events `other` in the trace.
    pub count: u64,
}

/// Maximum number of devices in a message.
const LISTED_DEVICES: usize = 12;

/// Start of a list of `--devices` values in a message.
const DEVICE_CHOICES: &str = "   = expected: one of
     --devices side-by-side  a separate address range for each device
     --devices overlay       one address range for all devices
     --devices NAME          only the requests of one device";

fn coincidence(devices: &[String], pages: Option<CoincidingPages>) -> String {
    let count = devices.len();
    match pages {
        Some(CoincidingPages { pages, is_exact }) => {
            let about = if is_exact { "" } else { "about " };
            let are = if pages == 1 { "page of 4 KiB is" } else { "pages of 4 KiB are" };
            format!("{about}{pages} {are} accessed by more than one of the trace's {count} devices")
        }
        None => format!("the addresses of the trace's {count} devices overlap"),
    }
}

fn listed(devices: &[String]) -> String {
    let shown = devices[..devices.len().min(LISTED_DEVICES)].join(", ");
    match devices.len() - devices.len().min(LISTED_DEVICES) {
        0 => shown,
        more => format!("{shown} and {more} more (see `venice trace info`)"),
    }
}

fn example_columns(example: Option<&SuggestedColumns>) -> String {
    match example {
        Some(SuggestedColumns { description, reasons }) => {
            format!("for this file probably\n     --columns '{description}'\n   = units: {reasons}")
        }
        None => {
            "for example --columns 'time:us,op,offset,size' for a line such as `1250,R,8192,4096`".to_owned()
        }
    }
}

/// Returns the location of a row: `path:line`, or `path, record number`.
fn row_place(path: &Path, unit: RowUnit, number: u64) -> String {
    match unit {
        RowUnit::Line => format!("{}:{number}", path.display()),
        RowUnit::Record => format!("{}, record {number}", path.display()),
    }
}

fn skipped_before(skipped: u64, unit: RowUnit) -> String {
    if skipped == 0 { String::new() } else { format!("\n   = skipped before it: {skipped} invalid {unit}s") }
}

/// Formats bytes as hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}

/// Returns a line in printable and shortened form, for a message.
pub(super) fn shortened(line: &[u8]) -> String {
    let head = &line[..line.len().min(SHOWN_CHARS * 4)];
    let printable = String::from_utf8_lossy(head).replace(char::is_control, "?");
    let mut shown: String = printable.chars().take(SHOWN_CHARS).collect();
    if shown.len() < printable.len() || head.len() < line.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_or_binary_line_is_shown_short_and_printable() {
        assert_eq!(shortened(b"0 0\t8 8 1"), "0 0?8 8 1");
        assert_eq!(shortened(&[0, 0xff, b'a']), "?\u{fffd}a");
        assert_eq!(shortened(&[b'x'; 500]), format!("{}…", "x".repeat(80)));
        assert_eq!(shortened(&[b'x'; 80]), "x".repeat(80));
    }
}
