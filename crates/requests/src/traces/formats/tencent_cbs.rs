//! Trace format `tencent-cbs`: block traces of Tencent's cloud, in their published form.
//!
//! # What it models
//!
//! Lines have the columns `time,lba,size,op,volume`.
//!
//! # How
//!
//! Times are in seconds since 1970, addresses and sizes in sectors of 512 bytes, op 0 is read and 1 write
//! (the reverse of other formats). The volume is the queue.
//!
//! # What is left out
//!
//! Fractions of a second are not recorded in the published files, so requests arrive at the start of their
//! second. Decimals are read if present.
//!
//! # Source
//!
//! Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block Storage Systems", USENIX
//! ATC 2020; SNIA IOTTA trace set 27917.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, device, ends, extent_of_sectors, fixed_point, is_header, whole};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::spc::S_NS_DECIMALS;
use crate::request::Op;

/// Column names in the header.
const NAMES: [&str; 5] = ["Timestamp", "Offset", "Size", "IOType", "VolumeID"];

/// Trace format `tencent-cbs`.
pub(crate) struct TencentCbs;

impl TraceFormat for TencentCbs {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let stamp = comma_field(&mut rest);
        let Some(ticks) = fixed_point(stamp, S_NS_DECIMALS) else { return header_or_fault(line) };
        let extent = extent_of_sectors(comma_field(&mut rest), comma_field(&mut rest))?;
        let op = match whole(comma_field(&mut rest)) {
            Some(0) => Op::Read,
            Some(1) => Op::Write,
            _ => return Err(LineFault { field: "op", expected: "0 (read) or 1 (write)" }),
        };
        let queue = device(comma_field(&mut rest), "volume")?;
        ends(rest, "five columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }
}

#[cold]
fn header_or_fault(line: &[u8]) -> Result<ParsedLine, LineFault> {
    if is_header(line, &NAMES) {
        return Ok(ParsedLine::Nothing);
    }
    Err(LineFault { field: "time", expected: "a whole number of seconds" })
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;

    #[test]
    fn zero_is_a_read() {
        let expected = Record {
            ticks: 1_538_323_200_000_000_000,
            op: Op::Read,
            start_sector: 12_910_952,
            sectors: 128,
            queue: 1_063,
            pattern_set: 0,
        };
        assert_eq!(record::<TencentCbs>("1538323200,12910952,128,0,1063"), expected);
        assert_eq!(record::<TencentCbs>("1538323200,12910952,128,1,1063").op, Op::Write);
        assert_eq!(row::<TencentCbs>("Timestamp,Offset,Size,IOType,VolumeID"), Ok(ParsedLine::Nothing));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("1.x,8,8,0,1", "time"),
            ("1,-8,8,0,1", "lba"),
            ("1,8,-8,0,1", "size"),
            ("1,8,8,2,1", "op"),
            ("1,8,8,0,x", "volume"),
            ("1,8,8,0,1,1", "line"),
        ] {
            assert_eq!(wrong::<TencentCbs>(line), field, "{line}");
        }
    }
}
