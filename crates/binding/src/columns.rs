//! The request log in columns: the one declaration of their names, types and meanings.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int8Array, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{Field, Schema};
use venice_requests::Op;
use venice_ssd::accounting::{STAGES, Stage};
use venice_ssd::observe::{REASONS, RequestRow};

/// What `op` can be; a gather asks for data, as a read does.
const SIDES: [&str; 2] = ["read", "write"];

/// The key under which a column says what it means, in the metadata of its Arrow field.
pub const MEANING: &str = "description";

/// Rows of the log, column by column, each in one piece of memory.
pub struct Columns {
    columns: Vec<Column>,
    rows: usize,
}

struct Column {
    name: String,
    meaning: &'static str,
    values: Box<dyn Values>,
}

/// A column that grows. One virtual call for many rows.
trait Values: Send {
    fn extend(&mut self, rows: &[RequestRow]);

    /// Hands over what it has, without copying, and begins anew.
    fn finish(&mut self) -> ArrayRef;
}

impl Columns {
    /// No rows.
    pub fn new() -> Self {
        let column = |(name, meaning, values): Declared| Column { name: name.to_owned(), meaning, values };
        let stage = |(stage, name): (Stage, &str)| {
            let values = times(move |row: &RequestRow| row.stages[stage as usize].as_ps());
            Column { name: format!("{name}_ps"), meaning: stage_meaning(stage), values }
        };
        let before = identity().into_iter().chain(course());
        let columns = before.map(column).chain(STAGES.map(stage)).chain(causes().map(column));
        Self { columns: columns.collect(), rows: 0 }
    }

    /// Further rows.
    pub fn extend(&mut self, rows: &[RequestRow]) {
        self.rows += rows.len();
        for column in &mut self.columns {
            column.values.extend(rows);
        }
    }

    /// Whether there were no rows since they were last handed over.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Hands over all rows since the last call, without copying.
    pub fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            self.columns.iter_mut().map(Column::finish).unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        batch.expect("all columns have a value for each row")
    }
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
    [
        ("number", "place in the order of issue, from 0", numbers::<UInt64Type>(|row| row.number)),
        ("queue", "host queue", numbers::<UInt16Type>(|row| row.queue)),
        ("op", "read or write; a gather is a read", words(&SIDES, |row| (row.op.side() == Op::Write).into())),
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
    [
        ("batch", batch, numbers::<UInt64Type>(|row| row.batch)),
        ("arrival_ps", "issued by the host [ps]", times(|row| row.arrival.as_ps())),
        ("handed_over_ps", handed_over, times(|row| row.handed_over.as_ps())),
        ("fetched_ps", "fetched by the drive [ps]", times(|row| row.fetched.as_ps())),
        ("completed_ps", "completed [ps]", times(|row| row.completed.as_ps())),
        ("latency_ps", latency, times(|row| row.latency().as_ps())),
        ("conflicted", "whether one of its transfers met a path conflict", flags(|row| row.conflicted)),
        ("met_read", met_read, flags(|row| row.met.read)),
        ("met_write", met_write, flags(|row| row.met.write)),
        ("failed", "whether it ended with an error", flags(|row| row.has_failed)),
    ]
}

/// Why it took so long.
fn causes() -> [Declared; 3] {
    let behind = "of the wait for chips, what was behind the drive's own work, as collection [ps]";
    let most = "what most of the latency is owed to: a stage, or of the wait for chips whom it waited for";
    let chip = "chip of the page that ended last, counted row by row; -1 for none";
    [
        ("chip_wait_behind_ps", behind, times(|row| row.behind.total().as_ps())),
        ("owes_most_to", most, words(&REASONS, |row| row.reason() as i8)),
        ("chip", chip, numbers::<Int32Type>(|row| row.behind.chip.map_or(-1, |chip| chip.0.cast_signed()))),
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

struct Numbers<T: ArrowPrimitiveType, F> {
    values: Vec<T::Native>,
    of: F,
}

fn numbers<T: ArrowPrimitiveType>(of: impl Fn(&RequestRow) -> T::Native + Send + 'static) -> Box<dyn Values> {
    Box::new(Numbers::<T, _> { values: Vec::new(), of })
}

fn times(of: impl Fn(&RequestRow) -> u64 + Send + 'static) -> Box<dyn Values> {
    numbers::<UInt64Type>(of)
}

impl<T: ArrowPrimitiveType, F: Fn(&RequestRow) -> T::Native + Send> Values for Numbers<T, F> {
    fn extend(&mut self, rows: &[RequestRow]) {
        self.values.extend(rows.iter().map(&self.of));
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::new(std::mem::take(&mut self.values).into(), None))
    }
}

/// A bit each.
struct Flags<F> {
    bits: BooleanBufferBuilder,
    of: F,
}

fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Box<dyn Values> {
    Box::new(Flags { bits: BooleanBufferBuilder::new(0), of })
}

impl<F: Fn(&RequestRow) -> bool + Send> Values for Flags<F> {
    fn extend(&mut self, rows: &[RequestRow]) {
        for row in rows {
            self.bits.append((self.of)(row));
        }
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(BooleanArray::new(self.bits.finish(), None))
    }
}

/// A word of a few, by its place among them.
struct Words<F> {
    all: &'static [&'static str],
    places: Vec<i8>,
    of: F,
}

fn words(words: &'static [&'static str], of: impl Fn(&RequestRow) -> i8 + Send + 'static) -> Box<dyn Values> {
    Box::new(Words { all: words, places: Vec::new(), of })
}

impl<F: Fn(&RequestRow) -> i8 + Send> Values for Words<F> {
    fn extend(&mut self, rows: &[RequestRow]) {
        self.places.extend(rows.iter().map(&self.of));
    }

    fn finish(&mut self) -> ArrayRef {
        let places = Int8Array::new(std::mem::take(&mut self.places).into(), None);
        let words = StringArray::from_iter_values(self.all);
        Arc::new(DictionaryArray::<Int8Type>::new(places, Arc::new(words)))
    }
}
