//! Which columns of a Parquet file are what.

use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;

use super::super::error::TraceError;
use super::kind::{is_flat, is_signed};
use super::time::Time;
use super::{QUEUE, SECTORS, START_SECTOR};

/// Which columns of the file are what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) time: Time,
    pub(super) op: usize,
    pub(super) start_sector: Number,
    pub(super) sectors: Number,
    pub(super) queue: Option<Number>,
}

/// A column of whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) place: usize,
    pub(super) signed: bool,
}

impl Number {
    /// The column at this place, if it is one.
    fn of(column: &ColumnDescPtr, place: usize) -> Option<Self> {
        let is_number = matches!(column.physical_type(), Physical::INT32 | Physical::INT64);
        (is_flat(column) && is_number && is_plain(column))
            .then_some(Self { place, signed: is_signed(column) })
    }
}

/// Whether its numbers stand for themselves: not for decimals, dates or times.
fn is_plain(column: &ColumnDescPtr) -> bool {
    match column.logical_type_ref() {
        Some(LogicalType::Integer(_)) => true,
        Some(_) => false,
        None => matches!(
            column.converted_type(),
            ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64
                | ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        ),
    }
}

impl Columns {
    pub(super) fn of<F: ChunkReader + 'static>(
        file: &SerializedFileReader<F>,
        path: &Path,
    ) -> Result<Self, TraceError> {
        let columns = file.metadata().file_metadata().schema_descr().columns();
        let find = |name: &str| columns.iter().position(|column| column.path().string() == name);
        let wrong = |column: &str, expected: &'static str| TraceError::ParquetColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            expected,
        };
        let numbers = |name: &str| {
            let number = find(name).and_then(|place| Number::of(&columns[place], place));
            number.ok_or_else(|| wrong(name, "whole numbers of 32 or 64 bits"))
        };
        let op = find("op").filter(|&place| is_text(&columns[place]));
        Ok(Self {
            time: Time::of(file.metadata().file_metadata(), path)?,
            op: op.ok_or_else(|| wrong("op", "texts, `read` or `write`"))?,
            start_sector: numbers(START_SECTOR)?,
            sectors: numbers(SECTORS)?,
            queue: find(QUEUE).map(|_| numbers(QUEUE)).transpose()?,
        })
    }
}

fn is_text(column: &ColumnDescPtr) -> bool {
    is_flat(column) && column.physical_type() == Physical::BYTE_ARRAY
}
