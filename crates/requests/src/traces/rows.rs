//! Interface of row readers. A row is a line of text or a binary record of a trace file.

use std::path::PathBuf;

use super::columns::Header;
use super::error::{RowUnit, TraceError, shortened};
use super::lines::Lines;
use super::{LineFault, ParsedLine, TraceFormat};

/// Location of a row in its file, for messages.
pub(super) struct RowLocation {
    pub(super) path: PathBuf,
    pub(super) number: u64,
    pub(super) unit: RowUnit,
    /// Shortened text of the row.
    pub(super) text: String,
}

/// Reader of the rows of a trace file.
pub(super) trait RowReader {
    /// Returns the next row, or the error of that row; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError>;

    /// Returns the location of the last row.
    fn place(&self) -> RowLocation;

    /// Returns the error for a file without requests.
    fn nothing(&self) -> TraceError;

    /// Returns the name of a device as written in the file.
    fn device_name(&self, number: u16) -> String {
        number.to_string()
    }
}

/// Reader of the rows of a text file.
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

impl<F: TraceFormat> RowReader for TextRows<F> {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        let line = self.lines.current();
        let row = self.format.parse(line);
        let is_first = !std::mem::replace(&mut self.begun, true);
        let is_header = is_first && row.is_err() && Header::of(line).is_some();
        Ok(Some(if is_header { Ok(ParsedLine::Nothing) } else { row }))
    }

    #[cold]
    fn place(&self) -> RowLocation {
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

/// Returns the location of the current line.
pub(super) fn place_of(lines: &Lines) -> RowLocation {
    let text = shortened(lines.current_bytes().trim_ascii());
    RowLocation { path: lines.path().to_owned(), number: lines.number(), unit: RowUnit::Line, text }
}
