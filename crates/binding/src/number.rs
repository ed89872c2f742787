//! Types of numbers that columns have.

use arrow_array::types::{ArrowPrimitiveType, Int32Type, UInt16Type, UInt32Type, UInt64Type};
use venice_pages as pages;

/// A type of numbers, and how a file of Parquet has them: with a sign, in 32 or 64 bits.
pub trait Number: ArrowPrimitiveType {
    /// As wide as that.
    type Wide: pages::Number;

    /// The same bits.
    fn wide(number: Self::Native) -> Self::Wide;
}

impl Number for UInt64Type {
    type Wide = i64;

    fn wide(number: u64) -> i64 {
        number.cast_signed()
    }
}

impl Number for UInt32Type {
    type Wide = i32;

    fn wide(number: u32) -> i32 {
        number.cast_signed()
    }
}

impl Number for UInt16Type {
    type Wide = i32;

    fn wide(number: u16) -> i32 {
        number.into()
    }
}

impl Number for Int32Type {
    type Wide = i32;

    fn wide(number: i32) -> i32 {
        number
    }
}
