//! Traces in a format of the user's own, by a description of its columns.
//!
//! # What it models
//!
//! A description is a line of the file with words in place of values, and the file's separator between them:
//! `time:us,device,op:1:0,offset:sector,size` or `time:ms - offset size op`. Or it is a regular expression between
//! slashes with the same words as named groups, and then what there is to say of them:
//! `/^(?<time>\S+) (?<op>\w) (?<offset>\d+)\+(?<size>\d+)/ time:s offset:sector`.
//!
//! # How
//!
//! - `time:UNIT`: `s`, `ms`, `us`, `ns` (with decimals, cut off after the nanosecond), `100ns` (whole ticks) or `iso`
//!   (dates with times of day; those without an offset from UTC are UTC).
//! - `offset`, `size`: in bytes; `:sector` for 512 bytes, or the bytes in a unit. `0x…` is hexadecimal.
//! - `op`: `R`, `W`, `Read`, `Write` in any case, the letters of Linux's block layer, and words of other operations such as
//!   `discard`; `op:READ:WRITE` for other spellings, several joined by `+`;
//!   `op:READ:WRITE:OTHER` for those to pass over, `*` for all the rest.
//! - `device`: anything; devices are numbered as they appear and become the queues. It may be missing.
//! - `-`: a column that is not read. `...` at the end: more columns may follow, or, after a regular expression,
//!   lines that do not match are passed over.
//!
//! A first line that begins with a letter is a header. If it begins with a separator, as a data frame writes it, and has
//! one column more than described, the first column is an index and is not read.
//!
//! A header whose names say what the columns are makes a description itself ([`Header::described`]).
//!
//! # What is left out
//!
//! Quoted fields with line ends inside, and times in several columns.
//!
//! # Source
//!
//! The two ways of `SimpleSSD`'s trace replayer (Jung et al., `SimpleSSD`, IEEE CAL 2018), whose groups are numbered.

mod header;
mod layout;
mod meaning;
mod named;
mod roles;
mod separator;
mod suggest;

use super::devices::Devices;
use super::error::TraceError;
use super::lines::Lines;
use super::options::TraceOptions;
use super::reader::TraceReader;
use super::rows::{Place, Rows, place_of};
use super::{Fault, OpenTrace, Row};
use crate::request::FormatChoice;

use layout::Layout;
use meaning::Meaning;

pub(super) use header::Header;
pub(super) use named::Named;
pub use named::OpenColumn;
pub(super) use suggest::suggested;

/// What reports call a format that the user described.
const NAME: &str = "columns";

/// Opens lines as a description says; `note` says where it comes from, if not from the user.
pub(super) fn opened(
    mut lines: Lines,
    text: &str,
    note: Option<String>,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    let described = Described::new(text);
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

/// Where the columns are, and what they mean.
struct Described {
    layout: Layout,
    meaning: Meaning,
    devices: Devices,
}

impl Described {
    fn new(text: &str) -> Result<Self, String> {
        let (layout, words) = Layout::new(text.trim())?;
        Ok(Self { layout, meaning: Meaning::new(&words)?, devices: Devices::default() })
    }

    /// Returns the separator behind an index that the lines have and the description has not.
    fn index_separator(&self, lines: &Lines) -> Option<u8> {
        let header = Header::of(lines.buffered().next()?)?;
        header.index_separator().filter(|_| self.layout.is_short_of_one(header.names.len() + 1))
    }

    /// The request that a line is.
    #[inline]
    fn row(&mut self, line: &[u8]) -> Result<Row, Fault> {
        match self.layout.fields(line)? {
            Some(fields) => self.meaning.row(&fields, &mut self.devices),
            None => Ok(Row::Nothing),
        }
    }
}

/// The lines of a file.
struct DescribedRows {
    lines: Lines,
    described: Described,
    begun: bool,
}

impl DescribedRows {
    fn parse(&mut self) -> Result<Row, Fault> {
        let line = self.lines.current();
        let is_first = !std::mem::replace(&mut self.begun, true);
        let row = self.described.row(line);
        if is_first && row.is_err() && is_header(line) { Ok(Row::Nothing) } else { row }
    }
}

/// Returns true if a line begins with a letter, behind a quote or an index without a name.
fn is_header(line: &[u8]) -> bool {
    let begins = line.iter().find(|&&byte| byte != b'"');
    begins.is_some_and(u8::is_ascii_alphabetic)
        || Header::of(line).is_some_and(|header| header.index_separator().is_some())
}

impl Rows for DescribedRows {
    fn next(&mut self) -> Result<Option<Result<Row, Fault>>, TraceError> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        Ok(Some(self.parse()))
    }

    fn place(&self) -> Place {
        place_of(&self.lines)
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.lines.path().to_owned() }
    }

    fn device_name(&self, number: u16) -> String {
        self.described.devices.name(number)
    }
}
