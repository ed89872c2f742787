//! Files of fixed-size records.

use std::marker::PhantomData;

use venice_kernel::SimSpan;

use super::super::error::{RowUnit, TraceError, hexadecimal};
use super::super::lines::Lines;
use super::super::rows::{RowLocation, RowReader};
use super::super::{LineFault, ParsedLine};

/// Format of fixed-size records.
pub(in super::super) trait RecordFormat {
    /// Size of a record in bytes.
    const BYTES: usize;
    /// Size of a record as a word, for messages.
    const SIZE: &'static str;
    /// Unit of the time stamps.
    const TICK: SimSpan;
    /// Note for reports on the interpretation of files with this format.
    const REMARK: Option<&'static str> = None;

    /// Returns true if a file that starts with the bytes `head` has this format.
    fn begins(head: &[u8]) -> bool;

    /// Converts a record of [`RecordFormat::BYTES`] bytes to a row.
    fn parse(record: &[u8]) -> Result<ParsedLine, LineFault>;
}

/// Reader of the rows of a file of fixed-size records.
pub(in super::super) struct RecordRows<F> {
    bytes: Lines,
    format: PhantomData<F>,
}

impl<F> RecordRows<F> {
    pub(in super::super) fn new(bytes: Lines) -> Self {
        Self { bytes, format: PhantomData }
    }
}

impl<F: RecordFormat> RowReader for RecordRows<F> {
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError> {
        let record = self.bytes.take_bytes(F::BYTES)?;
        Ok(match record.len() {
            0 => None,
            bytes if bytes < F::BYTES => Some(Err(LineFault { field: "record", expected: F::SIZE })),
            _ => Some(F::parse(record)),
        })
    }

    fn place(&self) -> RowLocation {
        let text = hexadecimal(self.bytes.current_bytes());
        RowLocation {
            path: self.bytes.path().to_owned(),
            number: self.bytes.number(),
            unit: RowUnit::Record,
            text,
        }
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.bytes.path().to_owned() }
    }
}
