//! SCSI operation codes, which two formats use.

use super::super::ParsedLine;
use crate::request::Op;

/// Adds the time to a row that is a flush. Returns other rows unchanged.
pub(in super::super) fn timed(row: ParsedLine, ticks: u64) -> ParsedLine {
    if row == ParsedLine::Flush { ParsedLine::flush(ticks, 0) } else { row }
}

/// Returns the operation for the codes READ and WRITE of 6, 10, 12 and 16 bytes (T10 SBC-3). For all other
/// codes, such as UNMAP and SYNCHRONIZE CACHE, returns the row to report as an `Err`.
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
