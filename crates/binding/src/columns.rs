//! The request log in columns: the one declaration of their names, types and meanings.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, ScalarBuffer, ToByteSlice};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use venice_requests::Op;
use venice_ssd::accounting::{STAGES, Stage};
use venice_ssd::observe::{LogRows, REASONS, RequestRow};

use crate::error;
use crate::region::Region;

/// What `op` can be; a gather asks for data, as a read does.
const SIDES: [&str; 2] = ["read", "write"];

/// The key under which a column says what it means, in the metadata of its Arrow field.
pub const MEANING: &str = "description";

/// Rows of the log, column by column, each in one piece of memory.
pub struct Columns {
    each: Vec<Column>,
    rows: usize,
    most: usize,
}

struct Column {
    name: String,
    meaning: &'static str,
    values: Box<dyn Values>,
}

/// A column that grows. One virtual call for many rows.
trait Values: Send {
    /// So many rows are going to come.
    fn expect(&mut self, rows: usize);

    /// # Errors
    /// If the system has no more memory.
    fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()>;

    /// Hands over what it has, without copying, and begins anew.
    fn finish(&mut self) -> ArrayRef;
}

impl Columns {
    /// No rows yet; of these columns, about `expected` at a time and `most` at most.
    ///
    /// # Errors
    /// `UsageError`, if there is no column of such a name.
    pub fn new(names: &[String], expected: usize, most: usize) -> PyResult<Self> {
        let mut left: Vec<Column> = usual().chain(causes()).collect();
        let taken = |name: &String| {
            let place = left.iter().position(|column| column.name == *name);
            let place = place
                .ok_or_else(|| error::usage(&format!("there is no column `{name}`, or no second one")))?;
            Ok(left.swap_remove(place))
        };
        let mut columns = names.iter().map(taken).collect::<PyResult<Vec<Column>>>()?;
        for column in &mut columns {
            column.values.expect(expected);
        }
        Ok(Self { each: columns, rows: 0, most })
    }

    /// Further rows.
    ///
    /// # Errors
    /// If the system has no more memory.
    pub fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        self.rows += rows.len();
        self.each.iter_mut().try_for_each(|column| column.values.extend(rows))
    }

    /// How many further rows there may be until they are handed over.
    pub fn room(&self) -> usize {
        self.most - self.rows
    }

    /// Hands over all rows since the last call, without copying.
    pub fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = self.each.iter_mut().map(Column::finish).unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        batch.expect("all columns have a value for each row")
    }
}

/// What the engine has to look at for these columns.
pub fn log_rows(names: &[String]) -> LogRows {
    let has_cause = causes().any(|column| names.contains(&column.name));
    if has_cause { LogRows::WithCauses } else { LogRows::WithoutCauses }
}

/// Names of the columns that there can be, and whether a run finds their values without looking for them.
#[pyfunction]
pub fn request_columns() -> Vec<(String, bool)> {
    let usual = usual().map(|column| (column.name, true));
    usual.chain(causes().map(|column| (column.name, false))).collect()
}

/// What a run knows of its requests in any case.
fn usual() -> impl Iterator<Item = Column> {
    let stage = move |(stage, name): (Stage, &str)| {
        let values = times(move |row: &RequestRow| row.stages[stage as usize].as_ps());
        Column { name: format!("{name}_ps"), meaning: stage_meaning(stage), values }
    };
    let before = identity().into_iter().chain(course());
    before.map(column).chain(STAGES.map(stage))
}

/// Why it took so long: what a run has to look for.
fn causes() -> impl Iterator<Item = Column> {
    let behind = "of the wait for chips, what was behind the drive's own work, as collection [ps]";
    let most = "what most of the latency is owed to: a stage, or of the wait for chips whom it waited for";
    let chip = "chip of the page that ended last, counted row by row; -1 for none";
    let declared: [Declared; 3] = [
        ("chip_wait_behind_ps", behind, times(|row| row.behind.total().as_ps())),
        ("owes_most_to", most, words(&REASONS, |row| row.reason() as i8)),
        ("chip", chip, numbers::<Int32Type>(|row| row.behind.chip.map_or(-1, |chip| chip.0.cast_signed()))),
    ];
    declared.into_iter().map(column)
}

fn column((name, meaning, values): Declared) -> Column {
    Column { name: name.to_owned(), meaning, values }
}

impl Column {
    fn finish(&mut self) -> (Field, ArrayRef) {
        let array = self.values.finish();
        let field = Field::new(&self.name, array.data_type().clone(), false);
        (field.with_metadata([(MEANING.to_owned(), self.meaning.to_owned())]), array)
    }
}

type Declared = (&'static str, &'static str, Box<dyn Values>);

/// Which request it is.
fn identity() -> [Declared; 5] {
    let op = |row: &RequestRow| (row.op.side() == Op::Write).into();
    [
        ("number", "place in the order of issue, from 0", numbers::<UInt64Type>(|row| row.number)),
        ("queue", "host queue", numbers::<UInt16Type>(|row| row.queue)),
        ("op", "read or write; a gather is a read", words(&SIDES, op)),
        ("start_sector", "first sector, of 512 bytes", numbers::<UInt64Type>(|row| row.start_sector)),
        ("sectors", "length in sectors of 512 bytes", numbers::<UInt32Type>(|row| row.sectors)),
    ]
}

/// When it was where, and what it met.
fn course() -> [Declared; 10] {
    let latency = "from issue to completion [ps]";
    let handed_over = "handed over by the host's scheduler; at arrival where there is none [ps]";
    let met_read = "whether the host's scheduler saw a read on its units when it came";
    let met_write = "whether it saw a write there";
    let batch = "number of its batch, from 1, among those of its kind; 0 for none";
    let conflicted = "whether one of its transfers met a path conflict";
    [
        ("batch", batch, numbers::<UInt64Type>(|row| row.batch)),
        ("arrival_ps", "issued by the host [ps]", times(|row| row.arrival.as_ps())),
        ("handed_over_ps", handed_over, times(|row| row.handed_over.as_ps())),
        ("fetched_ps", "fetched by the drive [ps]", times(|row| row.fetched.as_ps())),
        ("completed_ps", "completed [ps]", times(|row| row.completed.as_ps())),
        ("latency_ps", latency, times(|row| row.latency().as_ps())),
        ("conflicted", conflicted, flags(|row| row.conflicted)),
        ("met_read", met_read, flags(|row| row.met.read)),
        ("met_write", met_write, flags(|row| row.met.write)),
        ("failed", "whether it ended with an error", flags(|row| row.has_failed)),
    ]
}

/// What a stage is; all of them add up to the latency.
fn stage_meaning(stage: Stage) -> &'static str {
    match stage {
        Stage::Queue => "waiting to be taken by the drive, or behind an earlier write of the same page [ps]",
        Stage::Mapping => "waiting for a part of the page map [ps]",
        Stage::ChipWait => "waiting for a chip, die or plane that was occupied [ps]",
        Stage::PathWait => "waiting for a path to a chip that was ready [ps]",
        Stage::Transfer => "on the way between controller and chip [ps]",
        Stage::Array => "in the flash array [ps]",
        Stage::HostLink => "crossing the host link, or waiting for it [ps]",
        Stage::Cache => "in the data cache, or waiting for it [ps]",
    }
}

/// A number each.
struct Numbers<T, F> {
    region: Region,
    of: F,
    kind: PhantomData<fn() -> T>,
}

fn numbers<T: ArrowPrimitiveType>(of: impl Fn(&RequestRow) -> T::Native + Send + 'static) -> Box<dyn Values> {
    Box::new(Numbers::<T, _>::new(of))
}

fn times(of: impl Fn(&RequestRow) -> u64 + Send + 'static) -> Box<dyn Values> {
    numbers::<UInt64Type>(of)
}

impl<T: ArrowPrimitiveType, F: Fn(&RequestRow) -> T::Native> Numbers<T, F> {
    const BYTES: usize = size_of::<T::Native>();

    fn new(of: F) -> Self {
        Self { region: Region::default(), of, kind: PhantomData }
    }

    fn take(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        let bytes = rows.len() * Self::BYTES;
        // What is zero already is not written to, so that it occupies nothing.
        if rows.iter().all(|row| (self.of)(row) == T::default_value()) {
            return self.region.zeros(bytes);
        }
        let places = self.region.further(bytes)?.chunks_exact_mut(Self::BYTES);
        for (place, row) in places.zip(rows) {
            place.copy_from_slice((self.of)(row).to_byte_slice());
        }
        Ok(())
    }

    fn hand_over(&mut self) -> PrimitiveArray<T> {
        PrimitiveArray::new(ScalarBuffer::from(self.region.finish()), None)
    }
}

impl<T: ArrowPrimitiveType, F: Fn(&RequestRow) -> T::Native + Send> Values for Numbers<T, F> {
    fn expect(&mut self, rows: usize) {
        self.region.expect(rows * Self::BYTES);
    }

    fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        self.take(rows)
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.hand_over())
    }
}

/// A bit each.
struct Flags<F> {
    region: Region,
    rows: usize,
    of: F,
}

fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Box<dyn Values> {
    Box::new(Flags { region: Region::default(), rows: 0, of })
}

impl<F: Fn(&RequestRow) -> bool + Send> Values for Flags<F> {
    fn expect(&mut self, rows: usize) {
        self.region.expect(rows.div_ceil(8));
    }

    fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        let from = self.rows;
        self.rows += rows.len();
        self.region.zeros(self.rows.div_ceil(8) - from.div_ceil(8))?;
        if rows.iter().any(&self.of) {
            let bytes = self.region.after(from / 8);
            for (place, row) in (from % 8..).zip(rows) {
                bytes[place / 8] |= u8::from((self.of)(row)) << (place % 8);
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        let bits = BooleanBuffer::new(self.region.finish(), 0, std::mem::take(&mut self.rows));
        Arc::new(BooleanArray::new(bits, None))
    }
}

/// A word of a few, by its place among them.
struct Words<F> {
    all: &'static [&'static str],
    places: Numbers<Int8Type, F>,
}

fn words(all: &'static [&'static str], of: impl Fn(&RequestRow) -> i8 + Send + 'static) -> Box<dyn Values> {
    Box::new(Words { all, places: Numbers::new(of) })
}

impl<F: Fn(&RequestRow) -> i8 + Send> Values for Words<F> {
    fn expect(&mut self, rows: usize) {
        self.places.region.expect(rows);
    }

    fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        self.places.take(rows)
    }

    fn finish(&mut self) -> ArrayRef {
        let words = StringArray::from_iter_values(self.all);
        Arc::new(DictionaryArray::<Int8Type>::new(self.places.hand_over(), Arc::new(words)))
    }
}
