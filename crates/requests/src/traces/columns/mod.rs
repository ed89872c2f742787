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
//! - `time:UNIT`: `s`, `ms`, `us`, `ns` (with decimals, cut off after the nanosecond) or `100ns` (whole ticks).
//! - `offset`, `size`: in bytes; `:sector` for 512 bytes, or the bytes in a unit. `0x…` is hexadecimal.
//! - `op`: `R`, `W`, `Read`, `Write` in any case; `op:READ:WRITE` for other spellings, several joined by `+`;
//!   `op:READ:WRITE:OTHER` for those to pass over, `*` for all the rest.
//! - `device`: anything; devices are numbered as they appear and become the queues. It may be missing.
//! - `-`: a column that is not read. `...` at the end: more columns may follow, or, after a regular expression,
//!   lines that do not match are passed over.
//!
//! A first line that begins with a letter is a header.
//!
//! # What is left out
//!
//! Quoted fields with separators inside, and times in several columns.
//!
//! # Source
//!
//! The two ways of `SimpleSSD`'s trace replayer (Jung et al., `SimpleSSD`, IEEE CAL 2018), whose groups are numbered.

mod layout;
mod meaning;

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

/// What reports call a format that the user described.
const NAME: &str = "columns";

/// The columns that a request is made of, as they stand in a line. One that is not there is empty.
#[derive(Clone, Copy, Default)]
struct Fields<'a> {
    time: &'a [u8],
    op: &'a [u8],
    offset: &'a [u8],
    size: &'a [u8],
    device: &'a [u8],
}

/// Opens lines as a description says.
pub(super) fn opened(lines: Lines, text: &str, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let described = Described::new(text);
    let described = described.map_err(|problem| TraceError::Columns { text: text.to_owned(), problem })?;
    let (path, compression) = (lines.path().to_owned(), lines.compression());
    let tick = described.meaning.tick();
    let rows = DescribedRows { lines, described, devices: Devices::default(), begun: false };
    let format_choice = FormatChoice { format: Some(NAME), format_note: None };
    let source = Box::new(TraceReader::new(rows, &path, tick, options, format_choice));
    Ok(OpenTrace { format: NAME, compression, source })
}

/// Where the columns are, and what they mean.
struct Described {
    layout: Layout,
    meaning: Meaning,
}

impl Described {
    fn new(text: &str) -> Result<Self, String> {
        let (layout, words) = Layout::new(text.trim())?;
        Ok(Self { layout, meaning: Meaning::new(&words)? })
    }
}

/// The lines of a file.
struct DescribedRows {
    lines: Lines,
    described: Described,
    devices: Devices,
    begun: bool,
}

impl DescribedRows {
    fn parse(&mut self) -> Result<Row, Fault> {
        let line = self.lines.current();
        let is_first = !std::mem::replace(&mut self.begun, true);
        let row = self.described.layout.fields(line).and_then(|fields| match fields {
            Some(fields) => self.described.meaning.row(&fields, &mut self.devices),
            None => Ok(Row::Nothing),
        });
        let is_header = is_first && row.is_err() && line.first().is_some_and(u8::is_ascii_alphabetic);
        if is_header { Ok(Row::Nothing) } else { row }
    }
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
        self.devices.name(number)
    }
}
