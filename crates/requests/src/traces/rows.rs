//! What a reader reads from: one row after the other, whether lines or records of bytes.

use std::path::PathBuf;

use super::columns::Header;
use super::error::{RowUnit, TraceError, shortened};
use super::lines::Lines;
use super::{Fault, Row, TraceFormat};

/// Where a row is, for messages.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) number: u64,
    pub(super) unit: RowUnit,
    /// The row, shortened.
    pub(super) text: String,
}

/// Rows of a file.
pub(super) trait Rows {
    /// The next row, or what is wrong with it; nothing at the end of the file.
    fn next(&mut self) -> Result<Option<Result<Row, Fault>>, TraceError>;

    /// Where the row is that came last.
    fn place(&self) -> Place;

    /// Why there was no request in the whole file.
    fn nothing(&self) -> TraceError;

    /// Name in the file of a device by its number.
    fn device_name(&self, number: u16) -> String {
        number.to_string()
    }
}

/// Lines in a format.
pub(super) struct TextRows<F> {
    lines: Lines,
    format: F,
    begun: bool,
}

impl<F> TextRows<F> {
    pub(super) fn new(lines: Lines, format: F) -> Self {
        Self { lines, format, begun: false }
    }
}

impl<F: TraceFormat> Rows for TextRows<F> {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<Row, Fault>>, TraceError> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        let line = self.lines.current();
        let row = self.format.parse(line);
        let is_first = !std::mem::replace(&mut self.begun, true);
        let is_header = is_first && row.is_err() && Header::of(line).is_some();
        Ok(Some(if is_header { Ok(Row::Nothing) } else { row }))
    }

    #[cold]
    fn place(&self) -> Place {
        place_of(&self.lines)
    }

    fn nothing(&self) -> TraceError {
        let path = self.lines.path().to_owned();
        match self.format.instead() {
            Some(instead) => TraceError::NoSuchEvent { path, instead },
            None => TraceError::Empty { path },
        }
    }

    fn device_name(&self, number: u16) -> String {
        self.format.device_name(number)
    }
}

/// The line gone to last.
pub(super) fn place_of(lines: &Lines) -> Place {
    let text = shortened(lines.current_bytes().trim_ascii());
    Place { path: lines.path().to_owned(), number: lines.number(), unit: RowUnit::Line, text }
}
