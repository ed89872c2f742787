//! What can be wrong with a trace, in words for the person who named it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::compression::Compression;
use super::registry::trace_formats;

/// Characters of an offending line that a message shows.
const SHOWN_CHARS: usize = 80;

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
        "{path}: the format is not recognised; its first line is `{first_line}`\n{}\n\
         name one with --format if the file is in it all the same",
        known()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its first line, shortened.
        first_line: String,
    },

    /// The format that was asked for does not exist.
    #[error("`{name}` is not a trace format\n{}", known())]
    UnknownFormatName {
        /// What was asked for.
        name: String,
    },

    /// A line is not what its format says.
    #[error(
        "{path}, line {line}: `{field}` should be {expected}, but the line is `{text}`\n\
         the file is read as {format}; correct or remove the line, or name another format with --format"
    )]
    BadLine {
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
        /// The format it was read in.
        format: &'static str,
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

    /// A time stamp is farther from the first than the simulator's clock reaches.
    #[error(
        "{path}, line {line}: the time stamp is more than 213 days after the first, which is beyond the \
         simulator's clock; the line is `{text}`\n\
         correct or remove the line, or name another format with --format if the unit of time is another"
    )]
    TimeBeyondClock {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// The line, shortened.
        text: String,
    },

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

/// The formats there are, one to a line.
fn known() -> String {
    let lines = trace_formats().iter().map(|format| format!("  {:<12} {}", format.name, format.columns));
    format!("formats known:\n{}", lines.collect::<Vec<_>>().join("\n"))
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
