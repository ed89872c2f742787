//! The rows of a file, column by column.

use std::path::{Path, PathBuf};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};

use super::super::error::{RowUnit, TraceError};
use super::super::fields::bounded;
use super::super::rows::{Place, Rows};
use super::super::{Fault, Row};
use super::columns::{Columns, Number};
use super::time::Values;
use super::{OP, QUEUE, SECTORS, START_SECTOR, damaged, decoded};
use crate::request::Op;

/// Rows taken from the columns at a time.
const BATCH: usize = 4096;

/// The rows of a file, group by group.
pub(super) struct ParquetRows<F: ChunkReader> {
    path: PathBuf,
    file: SerializedFileReader<F>,
    columns: Columns,
    /// The group to open next.
    next_group: usize,
    group: Option<Group>,
    batch: Batch,
    /// The next row of the batch.
    place: usize,
    number: u64,
}

/// The columns of a group, as far as they have been read.
struct Group {
    time: TimeReader,
    op: ColumnReader,
    start_sector: NumberReader,
    sectors: NumberReader,
    queue: Option<NumberReader>,
}

struct NumberReader {
    column: ColumnReader,
    signed: bool,
}

struct TimeReader {
    column: ColumnReader,
    values: Values,
}

/// Rows that have been read. What is missing or negative is nothing.
#[derive(Default)]
struct Batch {
    time: Vec<Option<u64>>,
    op: Vec<Option<Op>>,
    start_sector: Vec<Option<u64>>,
    sectors: Vec<Option<u64>>,
    queue: Vec<Option<u64>>,
}

impl<F: ChunkReader + 'static> ParquetRows<F> {
    pub(super) fn new(file: SerializedFileReader<F>, columns: Columns, path: &Path) -> Self {
        let path = path.to_owned();
        Self { path, file, columns, next_group: 0, group: None, batch: Batch::default(), place: 0, number: 0 }
    }

    /// Reads the next rows; false at the end of the file.
    fn refill(&mut self) -> Result<bool, ParquetError> {
        loop {
            if let Some(group) = &mut self.group {
                self.batch.read(group)?;
                self.place = 0;
                if !self.batch.time.is_empty() {
                    return Ok(true);
                }
            }
            if self.next_group == self.file.num_row_groups() {
                return Ok(false);
            }
            self.group = Some(self.open_group()?);
            self.next_group += 1;
        }
    }

    fn open_group(&self) -> Result<Group, ParquetError> {
        let group = self.file.get_row_group(self.next_group)?;
        let number = |Number { place, signed }| {
            group.get_column_reader(place).map(|column| NumberReader { column, signed })
        };
        let Columns { time, op, start_sector, sectors, queue, .. } = self.columns;
        Ok(Group {
            time: TimeReader { column: group.get_column_reader(time.place)?, values: time.values },
            op: group.get_column_reader(op)?,
            start_sector: number(start_sector)?,
            sectors: number(sectors)?,
            queue: queue.map(number).transpose()?,
        })
    }
}

impl<F: ChunkReader + 'static> Rows for ParquetRows<F> {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<Row, Fault>>, TraceError> {
        if self.place == self.batch.time.len() {
            let refilled = decoded(|| self.refill());
            if !refilled.map_err(|error| damaged(&self.path, &error))? {
                return Ok(None);
            }
        }
        self.number += 1;
        self.place += 1;
        Ok(Some(self.batch.row(self.place - 1)))
    }

    #[cold]
    fn place(&self) -> Place {
        let text = self.batch.shown(self.place.saturating_sub(1));
        Place { path: self.path.clone(), number: self.number, unit: RowUnit::Record, text }
    }

    fn nothing(&self) -> TraceError {
        TraceError::Empty { path: self.path.clone() }
    }
}

impl Batch {
    /// As many rows as the shortest column still has, which is all of them in a sound file.
    fn read(&mut self, group: &mut Group) -> Result<(), ParquetError> {
        times(&mut group.time, &mut self.time)?;
        operations(&mut group.op, &mut self.op)?;
        numbers(&mut group.start_sector, &mut self.start_sector)?;
        numbers(&mut group.sectors, &mut self.sectors)?;
        match &mut group.queue {
            Some(column) => numbers(column, &mut self.queue)?,
            None => self.queue = vec![Some(0); self.time.len()],
        }
        let rows = self.time.len();
        let others = [self.op.len(), self.start_sector.len(), self.sectors.len(), self.queue.len()];
        if others.iter().any(|&length| length != rows) {
            return Err(ParquetError::General("its columns differ in length".to_owned()));
        }
        Ok(())
    }

    #[inline]
    fn row(&self, place: usize) -> Result<Row, Fault> {
        let wrong = |field, expected| Fault { field, expected };
        let ticks = self.time[place].ok_or(wrong("arrival", "a time, not negative"))?;
        let op = self.op[place].ok_or(wrong("op", "`read` or `write`"))?;
        let sectors = self.sectors[place].ok_or(wrong(SECTORS, "a whole number of sectors"))?;
        let queue = self.queue[place].and_then(|queue| u16::try_from(queue).ok());
        let queue = queue.ok_or(wrong(QUEUE, "a whole number from 0 to 65535"))?;
        let bad_start = wrong(START_SECTOR, "a whole number of sectors");
        Ok(Row::request(ticks, op, bounded(self.start_sector[place], sectors, bad_start)?, queue))
    }

    fn shown(&self, place: usize) -> String {
        let number = |column: &[Option<u64>]| {
            column.get(place).copied().flatten().map_or_else(|| "?".to_owned(), |number| number.to_string())
        };
        let op = match self.op.get(place).copied().flatten() {
            Some(Op::Read | Op::Gather) => OP.0,
            Some(Op::Write) => OP.1,
            None => "?",
        };
        let (time, start, sectors, queue) =
            (number(&self.time), number(&self.start_sector), number(&self.sectors), number(&self.queue));
        format!("{time} {op} {start} {sectors} {queue}")
    }
}

fn numbers(number: &mut NumberReader, into: &mut Vec<Option<u64>>) -> Result<(), ParquetError> {
    whole(&mut number.column, number.signed, into)
}

fn times(time: &mut TimeReader, into: &mut Vec<Option<u64>>) -> Result<(), ParquetError> {
    match time.values {
        Values::Whole { signed } => whole(&mut time.column, signed, into),
        Values::Fractions { ticks } => fractions(&mut time.column, ticks, into),
        Values::Days => days(&mut time.column, into),
    }
}

fn whole(column: &mut ColumnReader, signed: bool, into: &mut Vec<Option<u64>>) -> Result<(), ParquetError> {
    into.clear();
    match column {
        ColumnReader::Int32ColumnReader(column) => {
            let number = |value: &i32| {
                if signed { (*value).try_into().ok() } else { Some(value.cast_unsigned().into()) }
            };
            values(column, into, number)
        }
        ColumnReader::Int64ColumnReader(column) => {
            let number =
                |value: &i64| if signed { (*value).try_into().ok() } else { Some(value.cast_unsigned()) };
            values(column, into, number)
        }
        _ => Err(other_type()),
    }
}

fn fractions(column: &mut ColumnReader, ticks: u64, into: &mut Vec<Option<u64>>) -> Result<(), ParquetError> {
    into.clear();
    match column {
        ColumnReader::FloatColumnReader(column) => {
            values(column, into, |&value| rounded(f64::from(value), ticks))
        }
        ColumnReader::DoubleColumnReader(column) => values(column, into, |&value| rounded(value, ticks)),
        _ => Err(other_type()),
    }
}

/// The nearest whole number of ticks; nothing if it is negative, no number, or beyond what can be counted.
fn rounded(value: f64, ticks: u64) -> Option<u64> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    let counted = (value * ticks as f64).round();
    (0.0..BEYOND).contains(&counted).then_some(counted as u64)
}

fn days(column: &mut ColumnReader, into: &mut Vec<Option<u64>>) -> Result<(), ParquetError> {
    into.clear();
    match column {
        ColumnReader::Int96ColumnReader(column) => {
            values(column, into, |value| value.to_nanos().try_into().ok())
        }
        _ => Err(other_type()),
    }
}

fn other_type() -> ParquetError {
    ParquetError::General("a column is not of the type that the schema says".to_owned())
}

fn operations(column: &mut ColumnReader, into: &mut Vec<Option<Op>>) -> Result<(), ParquetError> {
    into.clear();
    match column {
        ColumnReader::ByteArrayColumnReader(column) => values(column, into, operation),
        _ => Err(other_type()),
    }
}

fn operation(text: &ByteArray) -> Option<Op> {
    match text.data() {
        b"read" | b"Read" | b"R" | b"r" => Some(Op::Read),
        b"write" | b"Write" | b"W" | b"w" => Some(Op::Write),
        _ => None,
    }
}

/// The next values of a column, nothing where there is none.
fn values<T: DataType, V: Copy>(
    column: &mut ColumnReaderImpl<T>,
    into: &mut Vec<Option<V>>,
    value: impl Fn(&T::T) -> Option<V>,
) -> Result<(), ParquetError> {
    let (mut levels, mut found) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
    column.read_records(BATCH, Some(&mut levels), None, &mut found)?;
    if levels.is_empty() {
        into.extend(found.iter().map(value));
        return Ok(());
    }
    let mut found = found.iter();
    into.extend(levels.iter().map(|&level| if level == 0 { None } else { found.next().and_then(&value) }));
    Ok(())
}
