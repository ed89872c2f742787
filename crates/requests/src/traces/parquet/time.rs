//! The column of times: which one it is, what its values are, and in which unit.
//!
//! A type that says a unit (time stamps, times of day, lengths of time) is believed before a name; a name that says
//! another unit is refused, since one of the two is wrong by a factor of a thousand.

use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit as TypedUnit, Type as Physical};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::ColumnDescPtr;

use super::super::error::TraceError;
use super::ARRIVAL_PS;
use super::arrow;
use super::kind::{is_flat, is_signed};
use super::unit::{Named, TIME_NAMES, TimeUnit};

/// The column of times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    pub(super) place: usize,
    pub(super) values: Values,
    unit: TimeUnit,
}

/// What the values of the column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Whole {
        signed: bool,
    },
    /// Fractions, of which one is so many ticks.
    Fractions {
        ticks: u64,
    },
    /// Days and nanoseconds in twelve bytes, as older writers had it.
    Days,
}

impl Time {
    /// Finds the column.
    pub(super) fn of(file: &FileMetaData, path: &Path) -> Result<Self, TraceError> {
        let path = || path.to_owned();
        let missing = |column: &str| TraceError::ParquetColumn {
            path: path(),
            column: column.to_owned(),
            expected: "times: whole numbers of 32 or 64 bits, fractions, time stamps or lengths of time",
        };
        let columns = file.schema_descr().columns();
        let (first, second) = chosen(file);
        let (place, named) = first.ok_or_else(|| missing(ARRIVAL_PS))?;
        let column = &columns[place];
        let name = column.name();
        if let Some(second) = second {
            let [column, other] = [place, second].map(|place| columns[place].name().to_owned());
            return Err(TraceError::ParquetTwoTimes { path: path(), column, other });
        }
        let unit = match (named, typed_unit(file, column)) {
            (Some(named), Some(typed)) if named != typed => {
                let (named, typed) = (named.suffix(), typed.suffix());
                return Err(TraceError::ParquetUnits { path: path(), column: name.to_owned(), named, typed });
            }
            (None, None) => return Err(TraceError::ParquetNoUnit { path: path(), column: name.to_owned() }),
            (named, typed) => typed.or(named).expect("one of them is there"),
        };
        let values = Values::of(column, unit).ok_or_else(|| missing(name))?;
        Ok(Self { place, values, unit })
    }

    /// What its times are counted in.
    pub(super) fn tick(self) -> TimeUnit {
        match self.values {
            Values::Fractions { .. } => self.unit.rounded_to(),
            Values::Whole { .. } | Values::Days => self.unit,
        }
    }
}

impl Values {
    fn of(column: &ColumnDescPtr, unit: TimeUnit) -> Option<Self> {
        let is_decimal = matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)))
            || column.converted_type() == ConvertedType::DECIMAL;
        let is_date = column.converted_type() == ConvertedType::DATE;
        if is_decimal || is_date {
            return None;
        }
        match column.physical_type() {
            Physical::INT32 | Physical::INT64 => Some(Self::Whole { signed: is_signed(column) }),
            Physical::FLOAT | Physical::DOUBLE => {
                Some(Self::Fractions { ticks: unit.ps() / unit.rounded_to().ps() })
            }
            Physical::INT96 => Some(Self::Days),
            _ => None,
        }
    }
}

/// The column that holds the times, with the unit in its name: `arrival` before `time` before `timestamp`. Then the place of another
/// one of the same name with a different unit, if there is any.
fn chosen(file: &FileMetaData) -> (Option<(usize, Option<TimeUnit>)>, Option<usize>) {
    let base = |name: &str| TIME_NAMES.iter().position(|base| name.split('_').next() == Some(base));
    let columns = file.schema_descr().columns().iter().enumerate();
    let times = columns.filter(|(_, column)| is_flat(column)).filter_map(|(place, column)| {
        let unit = Named::by(column.name())?.unit();
        Some(((base(column.name()), unit.map(TimeUnit::ps)), place, unit))
    });
    let mut times: Vec<_> = times.collect();
    times.sort_by_key(|&(rank, ..)| rank);
    let first = times.first().copied();
    let is_like_first =
        |rank: (Option<usize>, Option<u64>)| first.is_some_and(|(of, ..)| of.0 == rank.0 && of != rank);
    let second = times.iter().find(|&&(rank, ..)| is_like_first(rank)).map(|&(_, place, _)| place);
    (first.map(|(_, place, unit)| (place, unit)), second)
}

/// The unit that the column's type says, if it says one.
fn typed_unit(file: &FileMetaData, column: &ColumnDescPtr) -> Option<TimeUnit> {
    match column.logical_type_ref() {
        Some(LogicalType::Timestamp(kind) | LogicalType::Time(kind)) => return Some(unit_of(kind.unit)),
        Some(_) => return None,
        None => {}
    }
    match column.converted_type() {
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIME_MILLIS => Some(TimeUnit::Milli),
        ConvertedType::TIMESTAMP_MICROS | ConvertedType::TIME_MICROS => Some(TimeUnit::Micro),
        _ if column.physical_type() == Physical::INT96 => Some(TimeUnit::Nano),
        _ => duration_unit(file, column.name()),
    }
}

fn unit_of(unit: TypedUnit) -> TimeUnit {
    match unit {
        TypedUnit::MILLIS => TimeUnit::Milli,
        TypedUnit::MICROS => TimeUnit::Micro,
        TypedUnit::NANOS => TimeUnit::Nano,
    }
}

fn duration_unit(file: &FileMetaData, column: &str) -> Option<TimeUnit> {
    let kept = file.key_value_metadata()?.iter().find(|entry| entry.key == arrow::KEY)?;
    arrow::duration_unit(kept.value.as_deref()?, column)
}
