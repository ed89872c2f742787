//! SCSI operation codes, used by two formats.

use super::super::ParsedLine;
use crate::request::Op;

/// Adds the time to the row of a flush; other rows are unchanged.
pub(in super::super) fn timed(row: ParsedLine, ticks: u64) -> ParsedLine {
    if row == ParsedLine::Flush { ParsedLine::flush(ticks, 0) } else { row }
}

/// Returns the operation for READ and WRITE of 6, 10, 12 and 16 bytes (T10 SBC-3). Returns an `Err` with the
/// row to report for UNMAP, SYNCHRONIZE CACHE and all other codes.
#[inline]
pub(in super::super) fn op_of(code: u16) -> Result<Op, ParsedLine> {
    match code {
        0x08 | 0x28 | 0x88 | 0xa8 => Ok(Op::Read),
        0x0a | 0x2a | 0x8a | 0xaa => Ok(Op::Write),
        0x42 => Err(ParsedLine::Trim),
        0x35 | 0x91 => Err(ParsedLine::Flush),
        _ => Err(ParsedLine::OtherOp),
    }
}
