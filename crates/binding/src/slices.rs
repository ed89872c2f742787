//! Tables of slices and scouts: the single declaration of their columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, ListArray, PrimitiveArray, RecordBatch,
    StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{Field, Schema};
use venice_drive::observe::{ResourceActivity, ResourceKind, Slice};
use venice_fabric::{ScoutTrip, Sender};
use venice_sim::perfetto::RowNames;

use crate::columns::MEANING;

/// Returns a table with one row for each slice.
pub fn table_of(slices: &[Slice], names: &RowNames) -> RecordBatch {
    let columns: [SliceColumn; 8] = [
        (
            "row",
            "kind of what was busy",
            words(&ResourceKind::ALL.map(ResourceKind::name), slices.iter().map(|it| it.row as i8)),
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
                &ResourceActivity::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
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
    ];
    batch_of(columns)
}

/// Returns a table with one row for each recorded scout.
pub fn table_of_scouts(trips: &[ScoutTrip]) -> RecordBatch {
    let chips = |of: fn(&ScoutTrip) -> u32| Arc::new(UInt32Array::from_iter_values(trips.iter().map(of)));
    let path =
        |trip: &ScoutTrip| trip.path.as_ref().map(|path| path.iter().copied().map(Some).collect::<Vec<_>>());
    let columns: [SliceColumn; 10] = [
        ("sender", "kind of its sender", words(&["controller", "chip"], trips.iter().map(|it| sender(it).0))),
        (
            "index",
            "which of these, from 0; second ports of controllers come behind all first ones",
            chips(|it| sender(it).1),
        ),
        ("chip", "the chip that it was sent to, counted row by row", chips(|it| it.chip.0)),
        ("die", "the die whose transfer it was for, counted over the drive", chips(|it| it.die.0)),
        (
            "in_vain_since_ps",
            "since when scouts had been sent for this transfer of which there is no row [ps]",
            times(trips.iter().map(|it| it.in_vain_since.as_ps())),
        ),
        ("set_out_ps", "when it set out [ps]", times(trips.iter().map(|it| it.set_out.as_ps()))),
        ("back_ps", "when it was back [ps]", times(trips.iter().map(|it| it.back.as_ps()))),
        ("hops", "links that it crossed until it was at its chip, or back in vain", chips(|it| it.hops)),
        ("detour_hops", "links of its path beyond those of a shortest one", chips(|it| it.detour)),
        (
            "path",
            "the routers of the path that it reserved, in their order; none if it found none",
            Arc::new(ListArray::from_iter_primitive::<UInt32Type, _, _>(trips.iter().map(path))),
        ),
    ];
    batch_of(columns)
}

/// Name, description and values of a column.
type SliceColumn = (&'static str, &'static str, ArrayRef);

fn batch_of(columns: impl IntoIterator<Item = SliceColumn>) -> RecordBatch {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .into_iter()
        .map(|(name, meaning, values)| {
            let field = Field::new(name, values.data_type().clone(), values.is_nullable());
            (field.with_metadata([(MEANING.to_owned(), meaning.to_owned())]), values)
        })
        .unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
    batch.expect("all columns are of the same length")
}

/// Returns the index of the sender's kind in the column `sender`, and its number.
const fn sender(trip: &ScoutTrip) -> (i8, u32) {
    match trip.sender {
        Sender::Controller(controller) => (0, controller),
        Sender::Chip(chip) => (1, chip.0),
    }
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

/// Returns the name of each slice's track.
fn tracks(slices: &[Slice], names: &RowNames) -> ArrayRef {
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
