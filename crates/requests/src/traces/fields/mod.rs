//! Parsing of columns, for all text formats and for user-defined columns (`--columns`).

mod date;
mod extent;
mod number;
mod op;
mod split;

pub(super) use date::iso_ns;
pub(super) use extent::{
    SECTOR_NUMBER, blank_extent_of_sectors, bounded, covering, extent_of_bytes, extent_of_sector_and_bytes,
    extent_of_sectors,
};
pub(super) use number::{Decimal, blank_whole, fixed_point, is_digits, whole};
pub(super) use op::{
    device, device_numbered, is_plain_op, op_1_reads, op_letter, op_word, other_op, pattern_set, plain_op,
};
pub(super) use split::{blank_field, comma_field, ends, is_header, separated_field};
