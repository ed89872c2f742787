//! `parquet`: requests in columns.
//!
//! # What it models
//!
//! A Parquet file with the columns `arrival_ps` (or `arrival_ns`, `arrival_us`), `op` (`read` or `write`),
//! `start_sector` and `sectors` of 512 bytes, and `queue`, which may be missing. Further columns are not read, so the
//! request log of a run is a trace, too.
//!
//! # How
//!
//! The columns are read side by side, a batch at a time; memory is a page of each. Whole numbers of 32 or 64 bits are
//! taken, with or without sign.
//!
//! # What is left out
//!
//! Nested columns, encryption, and pages compressed otherwise than by Snappy or Zstandard.
//!
//! # Source
//!
//! The Apache Parquet format, 2.x.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use venice_kernel::SimSpan;

use super::compression::Compression;
use super::error::{RowUnit, TraceError};
use super::fields::bounded;
use super::options::TraceOptions;
use super::reader::TraceReader;
use super::registry::FormatInfo;
use super::rows::{Place, Rows};
use super::{Fault, OpenTrace, Row};
use crate::host::request::{FormatChoice, Op};

/// The format's name.
pub(super) const NAME: &str = "parquet";

/// The format.
pub(super) const INFO: FormatInfo = FormatInfo {
    name: NAME,
    columns: "columns arrival_ps|ns|us, op (read, write), start_sector, sectors[, queue]",
};

/// What is written.
pub(super) const SCHEMA: &str = "
    message trace {
        required int64 arrival_ps (INTEGER(64, false));
        required binary op (STRING);
        required int64 start_sector (INTEGER(64, false));
        required int32 sectors (INTEGER(32, false));
        required int32 queue (INTEGER(16, false));
    }";

/// The column of times by its units, and their lengths in picoseconds.
pub(super) const TIMES: [(&str, u64); 3] =
    [("arrival_ps", 1), ("arrival_ns", 1_000), ("arrival_us", 1_000_000)];
/// That which is written.
pub(super) const ARRIVAL_PS: usize = 0;
/// How a read and a write are called.
pub(super) const OP: (&str, &str) = ("read", "write");
pub(super) const START_SECTOR: &str = "start_sector";
pub(super) const SECTORS: &str = "sectors";
pub(super) const QUEUE: &str = "queue";

/// A Parquet file begins and ends with these.
const MAGIC: &[u8] = b"PAR1";

/// Rows taken from the columns at a time.
const BATCH: usize = 4096;

/// Whether a file that begins so is one.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Opens a file.
pub(super) fn opened<F: ChunkReader + 'static>(
    file: F,
    path: &Path,
    options: &TraceOptions,
) -> Result<OpenTrace, TraceError> {
    let named = options.format.as_deref().unwrap_or(NAME);
    if named != NAME || options.columns.is_some() {
        return Err(TraceError::ParquetAlone { path: path.to_owned() });
    }
    let file = decoded(|| SerializedFileReader::new(file)).map_err(|error| damaged(path, &error))?;
    let columns = Columns::of(&file, path)?;
    let tick = SimSpan::from_ps(columns.tick_ps);
    let rows = ParquetRows::new(file, columns, path);
    let format_choice = FormatChoice { format: Some(NAME), format_note: None };
    let source = Box::new(TraceReader::new(rows, path, tick, options.skip_bad, format_choice));
    Ok(OpenTrace { format: NAME, compression: Compression::None, source })
}

/// A file by its path; it has to be one that can be read from its end.
pub(super) fn open(path: &Path, options: &TraceOptions) -> Result<OpenTrace, TraceError> {
    let file = File::open(path).map_err(|source| TraceError::Unreadable { path: path.to_owned(), source })?;
    opened(file, path, options)
}

/// What the decoder makes of the file. It panics where a damaged file leads it astray: that is the file's fault.
fn decoded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let astray = |_| Err(ParquetError::General("its numbers do not fit together".to_owned()));
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(astray)
}

fn damaged(path: &Path, error: &ParquetError) -> TraceError {
    let said = error.to_string().replace(char::is_control, " ");
    TraceError::Parquet { path: path.to_owned(), said: said.chars().take(SAID_CHARS).collect() }
}

/// Characters of the decoder's words that a message shows.
const SAID_CHARS: usize = 200;

/// Which columns of the file are what.
#[derive(Clone, Copy, Debug)]
struct Columns {
    tick_ps: u64,
    time: Number,
    op: usize,
    start_sector: Number,
    sectors: Number,
    queue: Option<Number>,
}

/// A column of whole numbers.
#[derive(Clone, Copy, Debug)]
struct Number {
    place: usize,
    signed: bool,
}

impl Number {
    /// The column at this place, if it is one.
    fn of(column: &ColumnDescPtr, place: usize) -> Option<Self> {
        let is_number = matches!(column.physical_type(), Physical::INT32 | Physical::INT64);
        let is_unsigned = match column.logical_type_ref() {
            Some(LogicalType::Integer(kind)) => !kind.is_signed,
            _ => matches!(
                column.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            ),
        };
        (is_flat(column) && is_number).then_some(Self { place, signed: !is_unsigned })
    }
}

impl Columns {
    fn of<F: ChunkReader + 'static>(file: &SerializedFileReader<F>, path: &Path) -> Result<Self, TraceError> {
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
        let time = TIMES.iter().find(|(name, _)| find(name).is_some()).unwrap_or(&TIMES[ARRIVAL_PS]);
        let op = find("op").filter(|&place| is_text(&columns[place]));
        Ok(Self {
            tick_ps: time.1,
            time: numbers(time.0)?,
            op: op.ok_or_else(|| wrong("op", "texts, `read` or `write`"))?,
            start_sector: numbers(START_SECTOR)?,
            sectors: numbers(SECTORS)?,
            queue: find(QUEUE).map(|_| numbers(QUEUE)).transpose()?,
        })
    }
}

fn is_flat(column: &ColumnDescPtr) -> bool {
    column.max_rep_level() == 0 && column.max_def_level() <= 1
}

fn is_text(column: &ColumnDescPtr) -> bool {
    is_flat(column) && column.physical_type() == Physical::BYTE_ARRAY
}

/// The rows of a file, group by group.
struct ParquetRows<F: ChunkReader> {
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
    time: NumberReader,
    op: ColumnReader,
    start_sector: NumberReader,
    sectors: NumberReader,
    queue: Option<NumberReader>,
}

struct NumberReader {
    column: ColumnReader,
    signed: bool,
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
    fn new(file: SerializedFileReader<F>, columns: Columns, path: &Path) -> Self {
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
            time: number(time)?,
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
        numbers(&mut group.time, &mut self.time)?;
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
        let ticks = self.time[place].ok_or(wrong("arrival", "a whole number, not negative"))?;
        let op = self.op[place].ok_or(wrong("op", "`read` or `write`"))?;
        let start = self.start_sector[place].ok_or(wrong(START_SECTOR, "a whole number of sectors"))?;
        let sectors = self.sectors[place].ok_or(wrong(SECTORS, "a whole number of sectors"))?;
        let queue = self.queue[place].and_then(|queue| u16::try_from(queue).ok());
        let queue = queue.ok_or(wrong(QUEUE, "a whole number from 0 to 65535"))?;
        Ok(Row::request(ticks, op, bounded(start, sectors, START_SECTOR)?, queue))
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
    into.clear();
    let signed = number.signed;
    match &mut number.column {
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
