//! Files of records that all have the same size.

use std::marker::PhantomData;

use venice_kernel::SimSpan;

use super::super::error::{RowUnit, TraceError, hexadecimal};
use super::super::lines::Lines;
use super::super::rows::{Place, Rows};
use super::super::{Fault, Row};

/// A format whose rows are records of one size.
pub(in super::super) trait RecordFormat {
    /// Size of a record.
    const BYTES: usize;
    /// The size in words, for messages.
    const SIZE: &'static str;
    /// Length of one unit of the time stamps.
    const TICK: SimSpan;
    /// A remark on how every file of the format is read.
    const REMARK: Option<&'static str> = None;

    /// Returns true if a file that begins with these bytes is of this format.
    fn begins(head: &[u8]) -> bool;

    /// Reads a record of [`RecordFormat::BYTES`] bytes.
    fn parse(record: &[u8]) -> Result<Row, Fault>;
}

/// The records of a file.
pub(in super::super) struct RecordRows<F> {
    bytes: Lines,
    format: PhantomData<F>,
}

impl<F> RecordRows<F> {
    pub(in super::super) fn new(bytes: Lines) -> Self {
        Self { bytes, format: PhantomData }
    }
}

impl<F: RecordFormat> Rows for RecordRows<F> {
    fn next(&mut self) -> Result<Option<Result<Row, Fault>>, TraceError> {
        let record = self.bytes.take_bytes(F::BYTES)?;
        Ok(match record.len() {
            0 => None,
            bytes if bytes < F::BYTES => Some(Err(Fault { field: "record", expected: F::SIZE })),
            _ => Some(F::parse(record)),
        })
    }

    fn place(&self) -> Place {
        let text = hexadecimal(self.bytes.current_bytes());
        Place { path: self.bytes.path().to_owned(), number: self.bytes.number(), unit: RowUnit::Record, text }
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.bytes.path().to_owned() }
    }
}
