//! Columns of the request log. Only this module declares their names, types and descriptions.

use arrow_array::types::{ArrowPrimitiveType, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use venice_drive::observe::{LogRows, REASONS, RequestRow};
use venice_nand::latency::{STAGES, Stage};
use venice_requests::Op;

use crate::error;

/// Minimum number of request-log rows per block. A block of this size and its columns fit into the L2 cache.
pub const BLOCK: usize = 1 << 10;

/// Values of the column `op`. Gathers are logged as reads.
const OPERATIONS: [&str; 9] = [
    "read",
    "write",
    "trim",
    "flush",
    "write_fua",
    "write_zeroes",
    "write_zeroes_deac",
    "trim_range",
    "search",
];

/// Metadata key of an Arrow field for the description of its column.
pub const MEANING: &str = "description";

/// Kind of columns: with values in memory, or without values for code that only needs names.
pub trait ColumnKind {
    /// Type that represents a column.
    type Column;

    /// Returns a column of numbers.
    fn numbers<T: ArrowPrimitiveType>(of: impl Fn(&RequestRow) -> T::Native + Send + 'static)
    -> Self::Column;

    /// Returns a column of booleans.
    fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Self::Column;

    /// Returns a dictionary column with the words `all`. `of` returns the index of the word of a row.
    fn words(all: &'static [&'static str], of: impl Fn(&RequestRow) -> i8 + Send + 'static) -> Self::Column;
}

/// Column of the request log, with its name and description.
pub struct DescribedColumn<C> {
    /// Name of the column.
    pub name: String,
    /// Description of the column, with its unit.
    pub meaning: &'static str,
    /// Values of the column.
    pub column: C,
}

impl<C> DescribedColumn<C> {
    /// Returns the Arrow field of the column.
    pub fn field(&self, kind: DataType) -> Field {
        let field = Field::new(&self.name, kind, false);
        field.with_metadata([(MEANING.to_owned(), self.meaning.to_owned())])
    }
}

/// Returns the columns `names`, in this order.
///
/// # Errors
/// `UsageError` for an unknown or repeated name.
pub fn named<K: ColumnKind>(names: &[String]) -> PyResult<Vec<DescribedColumn<K::Column>>> {
    let mut left: Vec<DescribedColumn<K::Column>> = usual::<K>().chain(causes::<K>()).collect();
    let taken = |name: &String| {
        let place = left.iter().position(|column| column.name == *name);
        let place = place.ok_or_else(|| error::usage(&format!("unknown or repeated column `{name}`")))?;
        Ok(left.swap_remove(place))
    };
    names.iter().map(taken).collect()
}

/// Columns without values, for code that only needs names.
enum NoColumns {}

impl ColumnKind for NoColumns {
    type Column = ();

    fn numbers<T: ArrowPrimitiveType>(_: impl Fn(&RequestRow) -> T::Native + Send + 'static) {}

    fn flags(_: impl Fn(&RequestRow) -> bool + Send + 'static) {}

    fn words(_: &'static [&'static str], _: impl Fn(&RequestRow) -> i8 + Send + 'static) {}
}

/// Returns the parts of the request log that the columns `names` require: with or without the causes of
/// waits.
pub fn log_rows(names: &[&String]) -> LogRows {
    let has_cause = causes::<NoColumns>().any(|column| names.contains(&&column.name));
    if has_cause { LogRows::WithCauses } else { LogRows::WithoutCauses }
}

/// Returns the name of each column, and true if the column does not need the attribution of waits to causes.
#[pyfunction]
pub fn request_columns() -> Vec<(String, bool)> {
    let usual = usual::<NoColumns>().map(|column| (column.name, true));
    usual.chain(causes::<NoColumns>().map(|column| (column.name, false))).collect()
}

/// Returns the columns that do not need the attribution of waits to causes.
fn usual<K: ColumnKind>() -> impl Iterator<Item = DescribedColumn<K::Column>> {
    let stage = |(stage, name): (Stage, &str)| {
        let column = times::<K>(move |row| row.stages[stage as usize].as_ps());
        DescribedColumn { name: format!("{name}_ps"), meaning: stage_meaning(stage), column }
    };
    let before = identity::<K>().into_iter().chain(course::<K>());
    before.map(named_so).chain(STAGES.map(stage))
}

/// Returns the columns that need the attribution of waits to causes.
fn causes<K: ColumnKind>() -> impl Iterator<Item = DescribedColumn<K::Column>> {
    let behind = "wait behind the drive's own work, such as garbage collection, for a chip or for space in the cache [ps]";
    let most =
        "largest part of the latency: a stage, or a cause of the wait for a chip or for space in the cache";
    let chip = "chip of the last completed page, counted row by row; -1 for none";
    let declared: [DeclaredColumn<K::Column>; 3] = [
        ("chip_wait_behind_ps", behind, times::<K>(|row| row.behind.own_work().as_ps())),
        ("owes_most_to", most, K::words(&REASONS, |row| row.reason() as i8)),
        (
            "chip",
            chip,
            K::numbers::<Int32Type>(|row| row.behind.chip.map_or(-1, |chip| chip.0.cast_signed())),
        ),
    ];
    declared.into_iter().map(named_so)
}

fn named_so<C>((name, meaning, column): DeclaredColumn<C>) -> DescribedColumn<C> {
    DescribedColumn { name: name.to_owned(), meaning, column }
}

fn times<K: ColumnKind>(of: impl Fn(&RequestRow) -> u64 + Send + 'static) -> K::Column {
    K::numbers::<UInt64Type>(of)
}

type DeclaredColumn<C> = (&'static str, &'static str, C);

/// Returns the columns that identify a request.
fn identity<K: ColumnKind>() -> [DeclaredColumn<K::Column>; 6] {
    let op = |row: &RequestRow| match row.op {
        Op::Read | Op::Gather => 0,
        Op::Write => 1,
        Op::Trim => 2,
        Op::Flush => 3,
        Op::FuaWrite => 4,
        Op::WriteZeroes => 5,
        Op::DeallocateZeroes => 6,
        Op::TrimRange => 7,
        Op::Search => 8,
    };
    [
        ("number", "position in the order of issue, from 0", K::numbers::<UInt64Type>(|row| row.number)),
        ("queue", "host queue", K::numbers::<UInt16Type>(|row| row.queue)),
        (
            "op",
            "read, write, trim, flush, write_fua, write_zeroes, write_zeroes_deac or search; a gather is a read; trim_range, in rows before that of the trim, for all but the last of several ranges",
            K::words(&OPERATIONS, op),
        ),
        ("start_sector", "first sector, of 512 bytes", K::numbers::<UInt64Type>(|row| row.start_sector)),
        ("sectors", "length in sectors of 512 bytes", K::numbers::<UInt32Type>(|row| row.sectors)),
        (
            "pattern_set",
            "pattern set of a search, from 0; 0 for other operations",
            K::numbers::<UInt8Type>(|row| row.pattern_set),
        ),
    ]
}

/// Returns the columns with the times and events of a request.
fn course<K: ColumnKind>() -> [DeclaredColumn<K::Column>; 10] {
    let latency = "from issue to completion [ps]";
    let handed_over = "dispatch by the host's scheduler; arrival without a scheduler [ps]";
    let met_read = "true if a read occupied its units on arrival, as seen by the host's scheduler";
    let met_write = "true if a write occupied its units on arrival, as seen by the host's scheduler";
    let batch = "number of its scheduler batch of reads or writes, from 1; 0 for none";
    let conflicted = "true if one of its transfers had a path conflict";
    [
        ("batch", batch, K::numbers::<UInt64Type>(|row| row.batch)),
        ("arrival_ps", "issue by the host [ps]", times::<K>(|row| row.arrival.as_ps())),
        ("handed_over_ps", handed_over, times::<K>(|row| row.handed_over.as_ps())),
        ("fetched_ps", "fetch by the drive [ps]", times::<K>(|row| row.fetched.as_ps())),
        ("completed_ps", "completion [ps]", times::<K>(|row| row.completed.as_ps())),
        ("latency_ps", latency, times::<K>(|row| row.latency().as_ps())),
        ("conflicted", conflicted, K::flags(|row| row.conflicted)),
        ("met_read", met_read, K::flags(|row| row.met.read)),
        ("met_write", met_write, K::flags(|row| row.met.write)),
        ("failed", "true if it ended with an error", K::flags(|row| row.has_failed)),
    ]
}

/// Returns the description of the column of a latency stage.
fn stage_meaning(stage: Stage) -> &'static str {
    match stage {
        Stage::Queue => "wait for the fetch by the drive, or for an earlier write of the same page [ps]",
        Stage::Mapping => "wait for a translation page [ps]",
        Stage::ChipWait => "wait for a busy chip, die or plane [ps]",
        Stage::PathWait => "wait for a path to a ready chip [ps]",
        Stage::Transfer => "transfer between controller and chip [ps]",
        Stage::Array => "operation of the flash array [ps]",
        Stage::HostLink => "transfer over the host link, and wait for it [ps]",
        Stage::Cache => "access to the data cache, and wait for it [ps]",
        Stage::Firmware => "processing by a core of the controller, and wait for it [ps]",
        Stage::Decoding => "decoding by the controller, and wait for a decoder [ps]",
    }
}
