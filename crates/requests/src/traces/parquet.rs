//! Trace format `parquet`: requests in the columns of a Parquet file.
//!
//! # What it models
//!
//! A decoder converts the columns of a Parquet file to rows of numbers ([`ParquetRow`]).
//!
//! # How
//!
//! This crate has no Parquet decoder. A program with a decoder sets [`TraceOptions::parquet`]; without one, a
//! Parquet file is reported as a binary file of an unknown format.
//!
//! # What is left out
//!
//! The decoder interprets the names, types and units of columns.
//!
//! # Source
//!
//! The Apache Parquet format, 2.x.

use std::path::{Path, PathBuf};
use std::vec;

use super::OpenTrace;
use super::compression::Compression;
use super::error::{RowUnit, TraceError};
use super::fields::{bounded, pattern_set};
use super::format_info::FormatInfo;
use super::options::TraceOptions;
use super::parquet_decoder::{ParquetBatches, ParquetColumns, ParquetDecoder, ParquetRow};
use super::reader::TraceReader;
use super::rows::{RowLocation, RowReader};
use super::{LineFault, ParsedLine, Record};
use crate::request::{FormatChoice, Op};

/// Description of the trace format `parquet`, for programs with a decoder.
pub const PARQUET: FormatInfo = FormatInfo {
    name: "parquet",
    columns: "columns arrival_ps|ns|us|ms|s, op (read, write, trim, flush …), start_sector, sectors[, queue][, pattern_set]",
};

/// Magic number at the start of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

impl ParquetRow {
    /// Operations that the column `op` can contain, in the order of their numbers.
    pub const OPERATIONS: [Op; 9] = [
        Op::Read,
        Op::Write,
        Op::Trim,
        Op::Flush,
        Op::FuaWrite,
        Op::WriteZeroes,
        Op::DeallocateZeroes,
        Op::TrimRange,
        Op::Search,
    ];

    #[inline]
    fn request(self) -> Result<ParsedLine, LineFault> {
        let fault = |field, expected| LineFault { field, expected };
        let ticks = self.arrival.ok_or(fault("arrival", "a time, not negative"))?;
        let op = self.op.ok_or(fault("op", "the name of an operation, as in `read`"))?;
        let sectors = self.sectors.ok_or(fault("sectors", "a whole number of sectors"))?;
        let queue = self.queue.and_then(|queue| u16::try_from(queue).ok());
        let queue = queue.ok_or(fault("queue", "a whole number from 0 to 65535"))?;
        let bad_start = fault("start_sector", "a whole number of sectors");
        let (start_sector, sectors) = bounded(self.start_sector, sectors, bad_start)?;
        let pattern_set = pattern_set(op, self.pattern_set)?;
        Ok(ParsedLine::Request(Record { ticks, op, start_sector, sectors, queue, pattern_set }))
    }

    /// Returns the row as text for messages.
    fn text(self) -> String {
        let number = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let op = match self.op {
            Some(Op::Gather) => "read",
            Some(op) => op.name(),
            None => "?",
        };
        let [arrival, start, sectors, queue] =
            [self.arrival, self.start_sector, self.sectors, self.queue].map(number);
        format!("{arrival} {op} {start} {sectors} {queue}")
    }
}

/// Returns the decoder for a file that starts with `head`, if the file is a Parquet file and a decoder is
/// available.
pub(super) fn decoder(head: &[u8], options: &TraceOptions) -> Option<ParquetDecoder> {
    let is_parquet = head.starts_with(MAGIC) || options.format.as_deref() == Some(PARQUET.name);
    options.parquet.filter(|_| is_parquet)
}

/// Opens a file with a decoder.
pub(super) fn opened(
    decoder: ParquetDecoder,
    path: &Path,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    let is_other = options.format.as_deref().is_some_and(|name| name != PARQUET.name);
    if is_other || options.columns.is_some() {
        return Err(TraceError::ParquetAlone { path: path.to_owned() });
    }
    let ParquetColumns { tick, batches } = (decoder.0)(path).map_err(TraceError::Decoder)?;
    let rows = ParquetRows::new(batches, path);
    let format_choice = FormatChoice { format: Some(PARQUET.name), format_note: None };
    let source = Box::new(TraceReader::new(rows, path, tick, options, format_choice));
    Ok(OpenTrace { format: PARQUET.name, compression: Compression::None, source })
}

/// Reader of the rows of a Parquet file.
struct ParquetRows {
    path: PathBuf,
    batches: ParquetBatches,
    batch: vec::IntoIter<ParquetRow>,
    last: ParquetRow,
    number: u64,
}

impl ParquetRows {
    fn new(batches: ParquetBatches, path: &Path) -> Self {
        let (batch, last) = (Vec::new().into_iter(), ParquetRow::default());
        Self { path: path.to_owned(), batches, batch, last, number: 0 }
    }
}

impl RowReader for ParquetRows {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError> {
        loop {
            if let Some(row) = self.batch.next() {
                (self.last, self.number) = (row, self.number + 1);
                return Ok(Some(row.request()));
            }
            match self.batches.next().transpose().map_err(TraceError::Decoder)? {
                Some(batch) => self.batch = batch.into_iter(),
                None => return Ok(None),
            }
        }
    }

    #[cold]
    fn place(&self) -> RowLocation {
        let (path, number, text) = (self.path.clone(), self.number, self.last.text());
        RowLocation { path, number, unit: RowUnit::Record, text }
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.path.clone() }
    }
}
