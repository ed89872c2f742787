//! Errors of traces and their messages.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::request::{BoxedError, SourceError};

use super::columns::UndeterminedColumn;
use super::compression::Compression;
use super::footprint::CoincidingPages;
use super::options::BlockLayerEvent;

/// Maximum number of characters of a line in a message.
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
    /// Missing file.
    #[error("{path}: there is no such trace file; check the path")]
    NotFound {
        /// Path of the file.
        path: PathBuf,
    },

    /// File missing in all searched folders.
    #[error("{path}: no such trace file; looked for {}", quoted(tried))]
    NotFoundInFolders {
        /// Path as given by the user.
        path: String,
        /// Searched paths.
        tried: Vec<PathBuf>,
    },

    /// File that the operating system cannot read.
    #[error("{path}: the trace cannot be read: {source}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },

    /// File without requests.
    #[error("{path}: the trace holds no request; check that it was written or downloaded whole")]
    Empty {
        /// Path of the file.
        path: PathBuf,
    },

    /// Text file in an unknown format.
    #[error(
        "{path}: unknown format; describe the columns{}\n\
         its first line is `{}`{}\n{known}\n\
         or name one of these with --format if the file is in it all the same",
        for_example(seen.example.as_deref()), seen.first_line, seen.nearest
    )]
    UnknownFormat {
        /// Path of the file.
        path: PathBuf,
        /// First lines of the file.
        seen: Box<UnknownLines>,
        /// List of known formats, one per line.
        known: String,
    },

    /// Header with a column of unknown unit or meaning.
    #[error(
        "{path}: the header names the columns, but does not say of `{}` {}\n\
         describe the columns, for example --columns '{}'",
        open.column, open.unknown, open.example
    )]
    OpenHeader {
        /// Path of the file.
        path: PathBuf,
        /// Undetermined column.
        open: UndeterminedColumn,
    },

    /// Binary file in an unknown format.
    #[error(
        "{path}: this is a binary file of none of {known}\n\
         convert it to one of them or to text, or name its format with --format if it is damaged"
    )]
    UnknownBinary {
        /// Path of the file.
        path: PathBuf,
        /// Names of the binary formats.
        known: String,
    },

    /// Unknown format name.
    #[error("`{name}` is not a trace format\n{known}")]
    UnknownFormatName {
        /// Requested name.
        name: String,
        /// List of known formats, one per line.
        known: String,
    },

    /// File with events, but none of the requested kind.
    #[error("{path}: the trace holds no {} event, but {} {} events; read those with --event {}",
        instead.wanted, instead.count, instead.other, instead.other)]
    NoSuchEvent {
        /// Path of the file.
        path: PathBuf,
        /// Events of the file.
        instead: PresentEvents,
    },

    /// Devices with common addresses, without a choice of their placement. `label` is the trace's name.
    #[error("{}\n  --> {label}\n   = devices: {}\n{DEVICE_CHOICES}", coincidence(devices, *.pages), listed(devices))]
    DevicesCoincide {
        /// Name of the trace.
        label: String,
        /// Names of its devices.
        devices: Vec<String>,
        /// Pages accessed by several devices; `None` for a trace that can be read only once.
        pages: Option<CoincidingPages>,
    },

    /// Requested device that does not occur in the trace.
    #[error(
        "the trace has no device `{name}`\n  --> {path}\n   = expected: `side-by-side`, `overlay`, or one of its devices: {}",
        listed(devices)
    )]
    NoSuchDevice {
        /// Path of the file.
        path: PathBuf,
        /// Requested name.
        name: String,
        /// Names of the trace's devices.
        devices: Vec<String>,
    },

    /// Option that needs several passes, for a trace that is not a regular file.
    #[error(
        "`{option}` reads the trace more than once, which a pipe does not allow\n  --> {path}\n   = expected: a regular file; \
         write the trace to one first"
    )]
    OnceOnly {
        /// Path of the pipe, terminal or device.
        path: PathBuf,
        /// Option that needs several passes.
        option: &'static str,
    },

    /// Invalid column description.
    #[error("--columns {text:?}: {problem}")]
    Columns {
        /// Text of the description.
        text: String,
        /// Problem and accepted values.
        problem: String,
    },

    /// Both a format and a column description.
    #[error("a format and a description of columns were given; a trace is read by one of them")]
    FormatAndColumns,

    /// Row that violates its format.
    #[error(
        "{path}, {unit} {number}: `{field}` should be {expected}, but the {unit} is `{text}`{}\n\
         the file is read as {format}; correct or remove the {unit}, name another format with --format, \
         or tolerate up to N such {unit}s with --skip-bad N",
        skipped_before(*.skipped)
    )]
    BadLine {
        /// Path of the file.
        path: PathBuf,
        /// Number of the row, from 1.
        number: u64,
        /// Kind of row: line or binary record.
        unit: RowUnit,
        /// Shortened text of the row.
        text: String,
        /// Invalid column.
        field: &'static str,
        /// Accepted values.
        expected: &'static str,
        /// Format of the file.
        format: &'static str,
        /// Number of bad rows skipped before this one.
        skipped: u64,
    },

    /// Invalid row of a request list or a replayed trace.
    #[error(
        "{path}, line {line}: `{field}` should be {expected}, but the line is `{text}`\n\
         the columns are {columns}"
    )]
    BadRow {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Shortened text of the line.
        text: String,
        /// Invalid column.
        field: &'static str,
        /// Accepted values.
        expected: &'static str,
        /// Names of all columns.
        columns: &'static str,
    },

    /// Line above the maximum length.
    #[error("{path}, line {line}: the line is longer than {limit_bytes} bytes; is this a text file?")]
    LineTooLong {
        /// Path of the file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Maximum length in bytes.
        limit_bytes: usize,
    },

    /// Time stamp beyond the simulated time range.
    #[error(
        "{path}, {unit} {number}: the time stamp is more than 213 days from one before it, which is beyond the \
         simulator's clock; the {unit} is `{text}`\n\
         correct or remove the {unit}, tolerate up to N such {unit}s with --skip-bad N, \
         or name another format with --format if the unit of time is another"
    )]
    TimeBeyondClock {
        /// Path of the file.
        path: PathBuf,
        /// Number of the row, from 1.
        number: u64,
        /// Kind of row: line or binary record.
        unit: RowUnit,
        /// Shortened text of the row.
        text: String,
    },

    /// Parquet file with a format or column description.
    #[error(
        "{path}: the trace is a Parquet file, whose columns have names; read it without --format and --columns"
    )]
    ParquetAlone {
        /// Path of the file.
        path: PathBuf,
    },

    /// Parquet file inside another compression.
    #[error(
        "{path}: the trace is a Parquet file in a {compression} file; unpack it first, since it is read from its end"
    )]
    PackedParquet {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
    },

    /// Error of the Parquet decoder.
    #[error(transparent)]
    Decoder(BoxedError),

    /// Truncated compressed file.
    #[error(
        "{path}: the {compression} file ends in the middle, after line {line}; copy or download it again"
    )]
    Truncated {
        /// Path of the file.
        path: PathBuf,
        /// Compression of the file.
        compression: Compression,
        /// Number of complete lines before the end.
        line: u64,
    },

    /// Damaged compressed file.
    #[error(
        "{path}: the {compression} file is damaged after line {line} ({source}); copy or download it again"
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

/// Kind of the rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// Lines of text.
    Line,
    /// Binary records.
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
    pub example: Option<String>,
    /// First line, shortened.
    pub first_line: String,
    /// Hint on the format that reads most of the lines; empty if none reads one.
    pub nearest: String,
}

/// Events that a trace contains instead of the requested ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentEvents {
    /// Requested kind of event.
    pub wanted: BlockLayerEvent,
    /// Kind of event in the trace.
    pub other: BlockLayerEvent,
    /// Number of events.
    pub count: u64,
}

/// Maximum number of devices in a message.
const LISTED_DEVICES: usize = 12;

/// List of `--devices` values for a message.
const DEVICE_CHOICES: &str =
    "   = choose with --devices side-by-side: each device has an address range of its own
   = or with --devices overlay: all devices share one address range, where such a page is the same page
   = or with --devices NAME: only the requests of one device";

fn coincidence(devices: &[String], pages: Option<CoincidingPages>) -> String {
    let count = devices.len();
    match pages {
        Some(CoincidingPages { pages, is_exact }) => {
            let about = if is_exact { "" } else { "about " };
            let are = if pages == 1 { "page of 4 KiB is" } else { "pages of 4 KiB are" };
            format!("{about}{pages} {are} touched by more than one of the trace's {count} devices")
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

fn for_example(example: Option<&str>) -> String {
    match example {
        Some(example) => format!(", for example --columns '{example}' if the units are these"),
        None => {
            ", for example --columns 'time:us,op,offset,size' for a line like `1250,R,8192,4096`".to_owned()
        }
    }
}

fn skipped_before(skipped: u64) -> String {
    if skipped == 0 { String::new() } else { format!("; {skipped} bad ones before it were passed over") }
}

/// Returns bytes in hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}

/// Returns a printable and shortened line for a message.
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
