//! What a column of a Parquet file holds.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescPtr;

/// Whether its whole numbers have a sign.
pub(super) fn is_signed(column: &ColumnDescPtr) -> bool {
    match column.logical_type_ref() {
        Some(LogicalType::Integer(kind)) => kind.is_signed,
        _ => !matches!(
            column.converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        ),
    }
}

/// Whether each row has one value in it, or none.
pub(super) fn is_flat(column: &ColumnDescPtr) -> bool {
    column.max_rep_level() == 0 && column.max_def_level() <= 1
}
