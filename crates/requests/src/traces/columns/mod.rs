//! Traces in user-defined formats, from a description of their columns.
//!
//! # What it models
//!
//! A description looks like a line of the file, with the separators of the file and words in place of the
//! values: `time:us,device,op:1:0,offset:sector,size` or `time:ms - offset size op`. Alternatively, a
//! description is a regular expression between slashes, with the words as named groups, followed by their
//! units: `/^(?<time>\S+) (?<op>\w) (?<offset>\d+)\+(?<size>\d+)/ time:s offset:sector`.
//!
//! # How
//!
//! - `time:UNIT`: `s`, `ms`, `us`, `ns` (with decimals, truncated to nanoseconds), `100ns` (whole ticks) or
//!   `iso` (dates with times of day; UTC unless an offset is given).
//! - `offset`, `size`: in bytes; `:sector` for 512 bytes, or the number of bytes in a unit. `0x…` is
//!   hexadecimal.
//! - `op`: `R`, `W`, `Read`, `Write` in any case, the letters of Linux's block layer, and words of other
//!   operations such as `discard`; `op:READ:WRITE` for other spellings, with alternatives joined by `+`;
//!   `op:READ:WRITE:OTHER` for operations to skip, `*` for all others.
//! - `device`: any text; devices are numbered in order of appearance and become the queues. Optional.
//! - `set`: the number of the pattern set of a search; other operations ignore it. Optional.
//! - `-`: an ignored column. `...` at the end: further columns are ignored or, after a regular expression,
//!   lines without a match are skipped.
//!
//! A first line that starts with a letter is a header. If the header starts with a separator, as written by
//! data frames, and the lines have one column more than described, the first column is an index and is
//! ignored.
//!
//! If the header has known column names, no description is needed ([`Header::described`]).
//!
//! # What is left out
//!
//! Quoted fields with line breaks and times in several columns are not supported.
//!
//! # Source
//!
//! Both kinds of description exist in the trace replayer of `SimpleSSD` (Jung et al., `SimpleSSD`, IEEE CAL
//! 2018), which numbers its groups instead of naming them.

mod header;
mod header_names;
mod interpretation;
mod layout;
mod roles;
mod separator;
mod suggest;

use super::devices::Devices;
use super::error::TraceError;
use super::lines::Lines;
use super::options::TraceOptions;
use super::reader::TraceReader;
use super::rows::{RowLocation, RowReader, place_of};
use super::{LineFault, OpenTrace, ParsedLine};
use crate::request::FormatChoice;

use interpretation::ColumnInterpretation;
use layout::ColumnLayout;

pub(super) use header::Header;
pub(super) use header_names::HeaderDescription;
pub use header_names::UndeterminedColumn;
pub use suggest::SuggestedColumns;
pub(super) use suggest::suggested;

/// Name of a user-defined format in reports.
const NAME: &str = "columns";

/// Opens lines with a column description. If the user did not supply the description, `note` states its
/// origin.
pub(super) fn opened(
    mut lines: Lines,
    text: &str,
    note: Option<String>,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    let described = ColumnDescription::new(text);
    let described = described.map_err(|problem| TraceError::Columns { text: text.to_owned(), problem })?;
    if let Some(separator) = described.index_separator(&lines) {
        lines.drop_first_column(separator);
    }
    let (path, compression) = (lines.path().to_owned(), lines.compression());
    let tick = described.meaning.tick();
    let rows = DescribedRows { lines, described, begun: false };
    let format_choice = FormatChoice { format: Some(NAME), format_note: note.map(Into::into) };
    let source = Box::new(TraceReader::new(rows, &path, tick, options, format_choice));
    Ok(OpenTrace { format: NAME, compression, source })
}

/// Parsed column description.
struct ColumnDescription {
    layout: ColumnLayout,
    meaning: ColumnInterpretation,
    devices: Devices,
}

impl ColumnDescription {
    fn new(text: &str) -> Result<Self, String> {
        let (layout, words) = ColumnLayout::new(text.trim())?;
        Ok(Self { layout, meaning: ColumnInterpretation::new(&words)?, devices: Devices::default() })
    }

    /// Returns the separator after an index column that the description omits, if there is one.
    fn index_separator(&self, lines: &Lines) -> Option<u8> {
        let header = Header::of(lines.buffered().next()?)?;
        header.index_separator().filter(|_| self.layout.is_short_of_one(header.names.len() + 1))
    }

    /// Converts a line to a row of the trace.
    #[inline]
    fn row(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        match self.layout.fields(line)? {
            Some(fields) => self.meaning.row(&fields, &mut self.devices),
            None => Ok(ParsedLine::Nothing),
        }
    }
}

/// Reader of the rows of a file with a column description.
struct DescribedRows {
    lines: Lines,
    described: ColumnDescription,
    begun: bool,
}

impl DescribedRows {
    fn parse(&mut self) -> Result<ParsedLine, LineFault> {
        let line = self.lines.current();
        let is_first = !std::mem::replace(&mut self.begun, true);
        let row = self.described.row(line);
        if is_first && row.is_err() && is_header(line) { Ok(ParsedLine::Nothing) } else { row }
    }
}

/// Returns true if a line starts with a letter, after an optional quote or unnamed index.
fn is_header(line: &[u8]) -> bool {
    let begins = line.iter().find(|&&byte| byte != b'"');
    begins.is_some_and(u8::is_ascii_alphabetic)
        || Header::of(line).is_some_and(|header| header.index_separator().is_some())
}

impl RowReader for DescribedRows {
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        Ok(Some(self.parse()))
    }

    fn place(&self) -> RowLocation {
        place_of(&self.lines)
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.lines.path().to_owned() }
    }

    fn device_name(&self, number: u16) -> String {
        self.described.devices.name(number)
    }
}
