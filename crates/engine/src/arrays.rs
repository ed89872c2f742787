//! Request log as Arrow columns in memory, which are exported without copies.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, ScalarBuffer, ToByteSlice};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use venice_drive::observe::RequestRow;

use crate::columns::{ColumnKind, DescribedColumn, named};
use crate::region::MappedMemory;

/// Builder of Arrow record batches of the request log. Each column is in contiguous memory.
pub struct RequestLogBuilder {
    each: Vec<DescribedColumn<Box<dyn ColumnBuilder>>>,
    rows: usize,
    most: usize,
}

/// Builder of one column. One call appends many rows, so that dynamic dispatch costs little.
trait ColumnBuilder: Send {
    /// Reserves space for the expected number of rows.
    fn expect(&mut self, rows: usize);

    /// Appends the values of `rows`.
    ///
    /// # Errors
    /// Returns an error if memory is insufficient.
    fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()>;

    /// Returns the values without copying and resets the builder.
    fn finish(&mut self) -> ArrayRef;
}

/// Kind of columns whose values are collected in memory.
enum MemoryColumns {}

impl ColumnKind for MemoryColumns {
    type Column = Box<dyn ColumnBuilder>;

    fn numbers<T: ArrowPrimitiveType>(
        of: impl Fn(&RequestRow) -> T::Native + Send + 'static,
    ) -> Box<dyn ColumnBuilder> {
        Box::new(NumberColumn::<T, _>::new(of))
    }

    fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Box<dyn ColumnBuilder> {
        Box::new(FlagColumn { region: MappedMemory::default(), rows: 0, of })
    }

    fn words(
        all: &'static [&'static str],
        of: impl Fn(&RequestRow) -> i8 + Send + 'static,
    ) -> Box<dyn ColumnBuilder> {
        Box::new(DictionaryColumn { all, places: NumberColumn::new(of) })
    }
}

impl RequestLogBuilder {
    /// Creates a builder of the columns `names`. A batch has about `expected` and at most `most` rows.
    ///
    /// # Errors
    /// `UsageError` for an unknown column.
    pub fn new(names: &[String], expected: usize, most: usize) -> PyResult<Self> {
        let mut each = named::<MemoryColumns>(names)?;
        for one in &mut each {
            one.column.expect(expected);
        }
        Ok(Self { each, rows: 0, most })
    }

    /// Appends the values of `rows` to all columns.
    ///
    /// # Errors
    /// Returns an error if memory is insufficient.
    pub fn extend(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        self.rows += rows.len();
        self.each.iter_mut().try_for_each(|one| one.column.extend(rows))
    }

    /// Returns the number of rows that still fit into the batch.
    pub fn room(&self) -> usize {
        self.most - self.rows
    }

    /// Returns the rows appended since the last call as a batch, without copying.
    pub fn finish(&mut self) -> RecordBatch {
        self.rows = 0;
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = self.each.iter_mut().map(finish).unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        batch.expect("all columns have a value for each row")
    }
}

fn finish(one: &mut DescribedColumn<Box<dyn ColumnBuilder>>) -> (Field, ArrayRef) {
    let array = one.column.finish();
    (one.field(array.data_type().clone()), array)
}

/// Column of numbers.
struct NumberColumn<T, F> {
    region: MappedMemory,
    of: F,
    kind: PhantomData<fn() -> T>,
}

impl<T: ArrowPrimitiveType, F: Fn(&RequestRow) -> T::Native> NumberColumn<T, F> {
    const BYTES: usize = size_of::<T::Native>();

    fn new(of: F) -> Self {
        Self { region: MappedMemory::default(), of, kind: PhantomData }
    }

    fn take(&mut self, rows: &[RequestRow]) -> io::Result<()> {
        let bytes = rows.len() * Self::BYTES;
        // Zeros need not be written: untouched pages of the memory stay unallocated and read as zero.
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

impl<T: ArrowPrimitiveType, F: Fn(&RequestRow) -> T::Native + Send> ColumnBuilder for NumberColumn<T, F> {
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

/// Column of booleans, one bit each.
struct FlagColumn<F> {
    region: MappedMemory,
    rows: usize,
    of: F,
}

impl<F: Fn(&RequestRow) -> bool + Send> ColumnBuilder for FlagColumn<F> {
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

/// Dictionary column: each row stores an index into a fixed list of words.
struct DictionaryColumn<F> {
    all: &'static [&'static str],
    places: NumberColumn<Int8Type, F>,
}

impl<F: Fn(&RequestRow) -> i8 + Send> ColumnBuilder for DictionaryColumn<F> {
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
