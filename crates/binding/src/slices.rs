//! What was busy with what, in columns: the one declaration of their names, types and meanings.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, PrimitiveArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{Field, Schema};
use venice_ssd::observe::{Row, Slice, What};
use venice_ssd::perfetto::Names;

use crate::columns::MEANING;

/// A row for each slice.
pub fn table_of(slices: &[Slice], names: &Names) -> RecordBatch {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = [
        (
            "row",
            "kind of what was busy",
            words(&Row::ALL.map(Row::name), slices.iter().map(|it| it.row as i8)),
        ),
        (
            "index",
            "which of these, from 0",
            Arc::new(UInt32Array::from_iter_values(slices.iter().map(|it| it.index))),
        ),
        ("name", "its name, as of a channel or link", tracks(slices, names)),
        (
            "what",
            "what it was busy with",
            words(
                &What::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
                slices.iter().map(|it| it.what as i8),
            ),
        ),
        ("begin_ps", "from when [ps]", times(slices.iter().map(|it| it.begin.as_ps()))),
        ("end_ps", "until when [ps]", times(slices.iter().map(|it| it.end().as_ps()))),
        (
            "request",
            "number of its request; -1 for none",
            Arc::new(Int64Array::from_iter_values(slices.iter().map(|it| number(it.request)))),
        ),
        (
            "chip",
            "its chip, counted row by row; -1 for none",
            Arc::new(Int32Array::from_iter_values(slices.iter().map(|it| number(it.chip) as i32))),
        ),
    ]
    .into_iter()
    .map(|(name, meaning, values): (&str, &str, ArrayRef)| {
        let field = Field::new(name, values.data_type().clone(), false);
        (field.with_metadata([(MEANING.to_owned(), meaning.to_owned())]), values)
    })
    .unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
    batch.expect("all columns have a value for each slice")
}

fn number(number: u32) -> i64 {
    if number == Slice::NONE { -1 } else { i64::from(number) }
}

fn times(times: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(times))
}

fn words(all: &[&str], places: impl Iterator<Item = i8>) -> ArrayRef {
    dictionary::<Int8Type>(all.iter().copied(), places)
}

fn dictionary<'a, K: ArrowDictionaryKeyType>(
    words: impl Iterator<Item = &'a str>,
    places: impl Iterator<Item = K::Native>,
) -> ArrayRef {
    let places = PrimitiveArray::<K>::from_iter_values(places);
    Arc::new(DictionaryArray::<K>::new(places, Arc::new(StringArray::from_iter_values(words))))
}

/// The name of each slice's row.
fn tracks(slices: &[Slice], names: &Names) -> ArrayRef {
    let (mut words, mut numbers) = (Vec::new(), BTreeMap::new());
    let places: Vec<u32> = slices
        .iter()
        .map(|slice| {
            *numbers.entry((slice.row, slice.index)).or_insert_with(|| {
                words.push(names.of(slice.row, slice.index));
                (words.len() - 1) as u32
            })
        })
        .collect();
    dictionary::<Int32Type>(words.iter().map(String::as_str), places.into_iter().map(u32::cast_signed))
}
