//! Tables of slices and of scouts. Only this module declares their columns.

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
            "kind of the resource",
            words(&ResourceKind::ALL.map(ResourceKind::name), slices.iter().map(|it| it.row as i8)),
        ),
        (
            "index",
            "number of the resource among those of its kind, from 0",
            Arc::new(UInt32Array::from_iter_values(slices.iter().map(|it| it.index))),
        ),
        ("name", "name of the resource, such as a channel or link", tracks(slices, names)),
        (
            "what",
            "activity of the resource",
            words(
                &ResourceActivity::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
                slices.iter().map(|it| it.what as i8),
            ),
        ),
        ("begin_ps", "start [ps]", times(slices.iter().map(|it| it.begin.as_ps()))),
        ("end_ps", "end [ps]", times(slices.iter().map(|it| it.end().as_ps()))),
        (
            "request",
            "number of the request; -1 for none",
            Arc::new(Int64Array::from_iter_values(slices.iter().map(|it| number(it.request)))),
        ),
        (
            "chip",
            "chip of the activity, counted row by row; -1 for none",
            Arc::new(Int32Array::from_iter_values(slices.iter().map(|it| number(it.chip) as i32))),
        ),
    ];
    batch_of(columns)
}

/// Returns a table with one row for each recorded scout (packet that searches for a path).
pub fn table_of_scouts(trips: &[ScoutTrip]) -> RecordBatch {
    let chips = |of: fn(&ScoutTrip) -> u32| Arc::new(UInt32Array::from_iter_values(trips.iter().map(of)));
    let path =
        |trip: &ScoutTrip| trip.path.as_ref().map(|path| path.iter().copied().map(Some).collect::<Vec<_>>());
    let columns: [SliceColumn; 10] = [
        ("sender", "kind of the sender", words(&["controller", "chip"], trips.iter().map(|it| sender(it).0))),
        (
            "index",
            "number of the sender among those of its kind, from 0; second ports of controllers follow all first ports",
            chips(|it| sender(it).1),
        ),
        ("chip", "destination chip, counted row by row", chips(|it| it.chip.0)),
        ("die", "die of the transfer, counted over the drive", chips(|it| it.die.0)),
        (
            "in_vain_since_ps",
            "start of the failed scouts for this transfer that have no row [ps]",
            times(trips.iter().map(|it| it.in_vain_since.as_ps())),
        ),
        ("set_out_ps", "departure [ps]", times(trips.iter().map(|it| it.set_out.as_ps()))),
        ("back_ps", "return [ps]", times(trips.iter().map(|it| it.back.as_ps()))),
        (
            "hops",
            "links crossed up to the destination chip, or up to the return of a failed scout",
            chips(|it| it.hops),
        ),
        ("detour_hops", "links of the path in excess of a shortest path", chips(|it| it.detour)),
        (
            "path",
            "routers of the reserved path, in order; empty for a failed scout",
            Arc::new(ListArray::from_iter_primitive::<UInt32Type, _, _>(trips.iter().map(path))),
        ),
    ];
    batch_of(columns)
}

/// Name, description and values of a column in a table of slices or scouts.
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

/// Returns the sender of a scout: the index of its kind in the column `sender`, and its number.
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

/// Returns the name of each slice's track (row of the trace) as a dictionary column.
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
