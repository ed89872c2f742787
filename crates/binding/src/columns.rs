//! Columns of the request log: the single declaration of their names, types and descriptions.

use arrow_array::types::{ArrowPrimitiveType, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use venice_drive::observe::{LogRows, REASONS, RequestRow};
use venice_nand::latency::{STAGES, Stage};
use venice_requests::Op;

use crate::error;

/// Minimum number of rows per block; a block with its columns fits into the L2 cache.
pub const BLOCK: usize = 1 << 10;

/// Values of the column `op`; gathers count as reads.
const SIDES: [&str; 2] = ["read", "write"];

/// Metadata key of an Arrow field for the description of a column.
pub const MEANING: &str = "description";

/// Representation of columns: memory, or nothing where only names are needed.
pub trait ColumnKind {
    /// Type of a column.
    type Column;

    /// Returns a column of numbers.
    fn numbers<T: ArrowPrimitiveType>(of: impl Fn(&RequestRow) -> T::Native + Send + 'static)
    -> Self::Column;

    /// Returns a column of booleans.
    fn flags(of: impl Fn(&RequestRow) -> bool + Send + 'static) -> Self::Column;

    /// Returns a dictionary column of the words `all`; `of` is the index of a row's word.
    fn words(all: &'static [&'static str], of: impl Fn(&RequestRow) -> i8 + Send + 'static) -> Self::Column;
}

/// Column with its name and description.
pub struct DescribedColumn<C> {
    /// Name of the column.
    pub name: String,
    /// Description with unit.
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
        let place =
            place.ok_or_else(|| error::usage(&format!("there is no column `{name}`, or no second one")))?;
        Ok(left.swap_remove(place))
    };
    names.iter().map(taken).collect()
}

/// Kind of columns without values.
enum NoColumns {}

impl ColumnKind for NoColumns {
    type Column = ();

    fn numbers<T: ArrowPrimitiveType>(_: impl Fn(&RequestRow) -> T::Native + Send + 'static) {}

    fn flags(_: impl Fn(&RequestRow) -> bool + Send + 'static) {}

    fn words(_: &'static [&'static str], _: impl Fn(&RequestRow) -> i8 + Send + 'static) {}
}

/// Returns the log rows that the engine must produce for the columns `names`.
pub fn log_rows(names: &[&String]) -> LogRows {
    let has_cause = causes::<NoColumns>().any(|column| names.contains(&&column.name));
    if has_cause { LogRows::WithCauses } else { LogRows::WithoutCauses }
}

/// Returns the name of each column, and true if it needs no attribution of waits.
#[pyfunction]
pub fn request_columns() -> Vec<(String, bool)> {
    let usual = usual::<NoColumns>().map(|column| (column.name, true));
    usual.chain(causes::<NoColumns>().map(|column| (column.name, false))).collect()
}

/// Returns the columns that need no attribution of waits.
fn usual<K: ColumnKind>() -> impl Iterator<Item = DescribedColumn<K::Column>> {
    let stage = |(stage, name): (Stage, &str)| {
        let column = times::<K>(move |row| row.stages[stage as usize].as_ps());
        DescribedColumn { name: format!("{name}_ps"), meaning: stage_meaning(stage), column }
    };
    let before = identity::<K>().into_iter().chain(course::<K>());
    before.map(named_so).chain(STAGES.map(stage))
}

/// Returns the columns that need the attribution of waits.
fn causes<K: ColumnKind>() -> impl Iterator<Item = DescribedColumn<K::Column>> {
    let behind = "wait behind the drive's own work, such as garbage collection, for a chip or for room in the cache [ps]";
    let most =
        "largest part of the latency: a stage, or a cause of the wait for a chip or for room in the cache";
    let chip = "chip of the page that ended last, counted row by row; -1 for none";
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
fn identity<K: ColumnKind>() -> [DeclaredColumn<K::Column>; 5] {
    let op = |row: &RequestRow| (row.op.side() == Op::Write).into();
    [
        ("number", "place in the order of issue, from 0", K::numbers::<UInt64Type>(|row| row.number)),
        ("queue", "host queue", K::numbers::<UInt16Type>(|row| row.queue)),
        ("op", "read or write; a gather is a read", K::words(&SIDES, op)),
        ("start_sector", "first sector, of 512 bytes", K::numbers::<UInt64Type>(|row| row.start_sector)),
        ("sectors", "length in sectors of 512 bytes", K::numbers::<UInt32Type>(|row| row.sectors)),
    ]
}

/// Returns the columns with the instants and events of a request.
fn course<K: ColumnKind>() -> [DeclaredColumn<K::Column>; 10] {
    let latency = "from issue to completion [ps]";
    let handed_over = "handed over by the host's scheduler; at arrival where there is none [ps]";
    let met_read = "whether the host's scheduler saw a read on its units when it came";
    let met_write = "whether it saw a write there";
    let batch = "number of its batch, from 1, among those of its kind; 0 for none";
    let conflicted = "whether one of its transfers met a path conflict";
    [
        ("batch", batch, K::numbers::<UInt64Type>(|row| row.batch)),
        ("arrival_ps", "issued by the host [ps]", times::<K>(|row| row.arrival.as_ps())),
        ("handed_over_ps", handed_over, times::<K>(|row| row.handed_over.as_ps())),
        ("fetched_ps", "fetched by the drive [ps]", times::<K>(|row| row.fetched.as_ps())),
        ("completed_ps", "completed [ps]", times::<K>(|row| row.completed.as_ps())),
        ("latency_ps", latency, times::<K>(|row| row.latency().as_ps())),
        ("conflicted", conflicted, K::flags(|row| row.conflicted)),
        ("met_read", met_read, K::flags(|row| row.met.read)),
        ("met_write", met_write, K::flags(|row| row.met.write)),
        ("failed", "whether it ended with an error", K::flags(|row| row.has_failed)),
    ]
}

/// Returns the description of a stage. The stages sum to the latency.
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
