//! Trace format `spc`: traces of the Storage Performance Council.
//!
//! # What it models
//!
//! Lines have the columns `ASU,lba,size,opcode,time`.
//!
//! # How
//!
//! Each application storage unit (ASU) is a separate address space; its number is the queue. Addresses are in
//! sectors of 512 bytes, sizes in bytes, and the opcode is `r` or `w`. Times are in seconds with decimals,
//! and are converted to integer nanoseconds.
//!
//! # What is left out
//!
//! Columns after the fifth are ignored, since the specification does not define them.
//!
//! # Source
//!
//! "SPC Trace File Format Specification", revision 1.0.1, Storage Performance Council, 2002; `UMass` Trace
//! Repository.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, device, extent_of_sector_and_bytes, fixed_point, op_letter};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Number of decimals of a time in seconds, at a resolution of one nanosecond.
pub(super) const S_NS_DECIMALS: u32 = 9;

/// Trace format `spc`.
pub(crate) struct Spc;

impl TraceFormat for Spc {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let queue = device(comma_field(&mut rest), "ASU")?;
        let extent = extent_of_sector_and_bytes(comma_field(&mut rest), comma_field(&mut rest), "lba")?;
        let op =
            op_letter(comma_field(&mut rest)).ok_or(LineFault { field: "opcode", expected: "`r` or `w`" })?;
        let ticks = fixed_point(comma_field(&mut rest), S_NS_DECIMALS)
            .ok_or(LineFault { field: "time", expected: "seconds, as in `0.026214`" })?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }
}

impl TraceText for Spc {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.request.queue);
        line.numbers(",", &[request.request.start_sector, request.bytes()]);
        line.text(request.op(",r,", ",w,")).decimal(request.ticks, S_NS_DECIMALS);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn addresses_are_sectors_and_sizes_are_bytes() {
        let expected = Record {
            ticks: 26_214_000,
            op: Op::Write,
            start_sector: 303_574,
            sectors: 7,
            queue: 1,
            pattern_set: 0,
        };
        assert_eq!(record::<Spc>("1,303574,3584,w,0.026214"), expected);
        assert_eq!(record::<Spc>("1,303574,3073,W,0.026214,optional,more"), expected);
        assert_eq!(record::<Spc>("1,303574,3584,R,0.026214").op, Op::Read);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("x,0,512,r,0.0", "ASU"),
            ("0,-1,512,r,0.0", "lba"),
            ("0,0,-512,r,0.0", "size"),
            ("0,0,512,read,0.0", "opcode"),
            ("0,0,512,r", "time"),
            ("0,0,512,r,-0.1", "time"),
        ] {
            assert_eq!(wrong::<Spc>(line), field, "{line}");
        }
    }
}
