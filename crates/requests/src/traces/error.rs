//! What can be wrong with a trace, in words for the person who named it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::request::{Cause, SourceError};

use super::columns::OpenColumn;
use super::compression::Compression;
use super::footprint::CoincidingPages;
use super::options::Event;

/// Characters of an offending line that a message shows.
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

/// Writes paths in backticks, with commas between them.
fn quoted(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}

/// Why a trace could not be opened, or not be read to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// No such file.
    #[error("{path}: there is no such trace file; check the path")]
    NotFound {
        /// The file.
        path: PathBuf,
    },

    /// No such file in any of the folders that were searched.
    #[error("{path}: no such trace file; looked for {}", quoted(tried))]
    NotFoundInFolders {
        /// The path as given.
        path: String,
        /// The paths that were tried.
        tried: Vec<PathBuf>,
    },

    /// The operating system would not let it be read.
    #[error("{path}: the trace cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// Not one request is in it.
    #[error("{path}: the trace holds no request; check that it was written or downloaded whole")]
    Empty {
        /// The file.
        path: PathBuf,
    },

    /// No format recognises its first lines.
    #[error(
        "{path}: unknown format; describe the columns{}\n\
         its first line is `{}`{}\n{known}\n\
         or name one of these with --format if the file is in it all the same",
        for_example(seen.example.as_deref()), seen.first_line, seen.nearest
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its first lines.
        seen: Box<UnknownLines>,
        /// The formats there are, one to a line.
        known: String,
    },

    /// A header that leaves open what a column means.
    #[error(
        "{path}: the header names the columns, but does not say of `{}` {}\n\
         describe the columns, for example --columns '{}'",
        open.column, open.unknown, open.example
    )]
    OpenHeader {
        /// The file.
        path: PathBuf,
        /// What is not said.
        open: OpenColumn,
    },

    /// Bytes that are no text, in no binary format that is known.
    #[error(
        "{path}: this is a binary file of none of {known}\n\
         convert it to one of them or to text, or name its format with --format if it is damaged"
    )]
    UnknownBinary {
        /// The file.
        path: PathBuf,
        /// The names of the binary formats.
        known: String,
    },

    /// The format that was asked for does not exist.
    #[error("`{name}` is not a trace format\n{known}")]
    UnknownFormatName {
        /// What was asked for.
        name: String,
        /// The formats there are, one to a line.
        known: String,
    },

    /// It holds events, but none of the kind that was asked for.
    #[error("{path}: the trace holds no {} event, but {} {} events; read those with --event {}",
        instead.wanted, instead.count, instead.other, instead.other)]
    NoSuchEvent {
        /// The file.
        path: PathBuf,
        /// What there is instead.
        instead: Instead,
    },

    /// Devices whose addresses coincide, and no choice of their placement. `label` is the trace's name.
    #[error("{}\n  --> {label}\n   = devices: {}\n{DEVICE_CHOICES}", coincidence(devices, *.pages), listed(devices))]
    DevicesCoincide {
        /// The trace.
        label: String,
        /// Names of its devices.
        devices: Vec<String>,
        /// Pages that several of them touch; nothing for a trace that can be read once only.
        pages: Option<CoincidingPages>,
    },

    /// The only device whose requests are wanted does not occur.
    #[error(
        "the trace has no device `{name}`\n  --> {path}\n   = expected: `side-by-side`, `overlay`, or one of its devices: {}",
        listed(devices)
    )]
    NoSuchDevice {
        /// The file.
        path: PathBuf,
        /// Name that was asked for.
        name: String,
        /// Names of its devices.
        devices: Vec<String>,
    },

    /// Something that takes reading a trace more than once, of a trace that is no regular file.
    #[error(
        "`{option}` reads the trace more than once, which a pipe does not allow\n  --> {path}\n   = expected: a regular file; \
         write the trace to one first"
    )]
    OnceOnly {
        /// The pipe, terminal or device.
        path: PathBuf,
        /// Option that needs it.
        option: &'static str,
    },

    /// A description of columns that cannot be understood.
    #[error("--columns {text:?}: {problem}")]
    Columns {
        /// The description.
        text: String,
        /// What is wrong with it, and what it should be.
        problem: String,
    },

    /// A format and a description of columns.
    #[error("a format and a description of columns were given; a trace is read by one of them")]
    FormatAndColumns,

    /// A row is not what its format says.
    #[error(
        "{path}, {unit} {number}: `{field}` should be {expected}, but the {unit} is `{text}`{}\n\
         the file is read as {format}; correct or remove the {unit}, name another format with --format, \
         or tolerate up to N such {unit}s with --skip-bad N",
        skipped_before(*.skipped)
    )]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// A line, or a record of a binary file.
        unit: RowUnit,
        /// The row, shortened.
        text: String,
        /// The column.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
        /// The format it was read in.
        format: &'static str,
        /// Bad rows before it that were passed over.
        skipped: u64,
    },

    /// A row of a list of requests, or of a trace that is replayed, is not what it should be.
    #[error(
        "{path}, line {line}: `{field}` should be {expected}, but the line is `{text}`\n\
         the columns are {columns}"
    )]
    BadRow {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The line, shortened.
        text: String,
        /// The column.
        field: &'static str,
        /// What should be there.
        expected: &'static str,
        /// All columns.
        columns: &'static str,
    },

    /// A line has no end.
    #[error("{path}, line {line}: the line is longer than {limit_bytes} bytes; is this a text file?")]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The longest line there may be.
        limit_bytes: usize,
    },

    /// Two time stamps are farther apart than the simulator's clock reaches.
    #[error(
        "{path}, {unit} {number}: the time stamp is more than 213 days from one before it, which is beyond the \
         simulator's clock; the {unit} is `{text}`\n\
         correct or remove the {unit}, tolerate up to N such {unit}s with --skip-bad N, \
         or name another format with --format if the unit of time is another"
    )]
    TimeBeyondClock {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// A line, or a record of a binary file.
        unit: RowUnit,
        /// The row, shortened.
        text: String,
    },

    /// A Parquet file that was said to be something else.
    #[error(
        "{path}: the trace is a Parquet file, whose columns have names; read it without --format and --columns"
    )]
    ParquetAlone {
        /// The file.
        path: PathBuf,
    },

    /// A Parquet file inside another compression.
    #[error(
        "{path}: the trace is a Parquet file in a {compression} file; unpack it first, since it is read from its end"
    )]
    PackedParquet {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
    },

    /// The decoder of a Parquet file failed.
    #[error(transparent)]
    Decoder(Cause),

    /// The compressed file ends too early.
    #[error(
        "{path}: the {compression} file ends in the middle, after line {line}; copy or download it again"
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
        /// Whole lines before the break.
        line: u64,
    },

    /// The compressed file cannot be decoded.
    #[error(
        "{path}: the {compression} file is damaged after line {line} ({source}); copy or download it again"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        compression: Compression,
        /// Whole lines before the damage.
        line: u64,
        /// What the decoder said.
        source: io::Error,
    },
}

/// What the rows of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUnit {
    /// Lines of text.
    Line,
    /// Records of bytes.
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

/// First lines of a trace in no known format.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownLines {
    /// A description of columns that reads them.
    pub example: Option<String>,
    /// The first of them, shortened.
    pub first_line: String,
    /// The format that reads most of them, if any reads one.
    pub nearest: String,
}

/// Events that a trace holds in place of those asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instead {
    /// What was asked for.
    pub wanted: Event,
    /// What there is.
    pub other: Event,
    /// How many.
    pub count: u64,
}

/// Number of devices that a message names.
const LISTED_DEVICES: usize = 12;

/// The values of `--devices`.
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

/// Writes bytes as a message shows them.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}

/// A line as a message shows it: printable, and not too long.
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
