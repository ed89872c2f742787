//! `vscsi-csv`: the virtual SCSI traces of `CloudPhysics`, as text.
//!
//! # What it models
//!
//! A line is `version,time,op,size,lbn`, under a header that says so.
//!
//! # How
//!
//! Time in microseconds, op the SCSI operation code in hexadecimal (READ and WRITE of 6, 10, 12 and 16 bytes; all
//! others are neither), size in bytes, address in sectors of 512 bytes.
//!
//! # What is left out
//!
//! A copy with whole seconds circulates, too; it needs `--columns`.
//!
//! # Source
//!
//! Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015; codes of T10 SBC-3.

use venice_kernel::SimSpan;

use super::super::fields::{bounded, comma_field, ends, whole};
use super::super::line::{Line, Numbered, TraceText};
use super::super::{Fault, Row, TraceFormat, TraceOptions};
use crate::request::{Op, SECTOR_BYTES};

/// The format.
pub(crate) struct VscsiCsv;

impl TraceFormat for VscsiCsv {
    const TICK: SimSpan = SimSpan::from_us(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Row, Fault> {
        let mut rest = line;
        let version = comma_field(&mut rest);
        if whole(version).is_none() {
            return header_or_fault(version);
        }
        let ticks = whole(comma_field(&mut rest))
            .ok_or(Fault { field: "time", expected: "a whole number of microseconds" })?;
        let op = op_of(comma_field(&mut rest))?;
        let bytes = whole(comma_field(&mut rest))
            .ok_or(Fault { field: "size", expected: "a whole number of bytes" })?;
        let start = whole(comma_field(&mut rest))
            .ok_or(Fault { field: "lbn", expected: "a whole number of sectors" })?;
        ends(rest, "five columns")?;
        let extent = bounded(start, bytes.div_ceil(u64::from(SECTOR_BYTES)), "lbn")?;
        Ok(op.map_or(Row::OtherOp, |op| Row::request(ticks, op, extent, 0)))
    }
}

impl TraceText for VscsiCsv {
    const HEADER: &'static str = "version,time,op,size,lbn\n";
    const HAS_DEVICES: bool = false;

    #[inline]
    fn write(request: &Numbered, line: &mut Line) {
        line.text("1").numbers(",", &[request.ticks]).text(request.op(",28", ",2a"));
        line.numbers(",", &[request.bytes(), request.request.start_sector]);
    }
}

#[cold]
fn header_or_fault(version: &[u8]) -> Result<Row, Fault> {
    if version.eq_ignore_ascii_case(b"version") {
        return Ok(Row::Nothing);
    }
    Err(Fault { field: "version", expected: "a whole number" })
}

/// Read or write, or neither.
#[inline]
fn op_of(code: &[u8]) -> Result<Option<Op>, Fault> {
    match code {
        b"28" | b"08" | b"8" | b"88" | b"a8" | b"A8" => Ok(Some(Op::Read)),
        b"2a" | b"2A" | b"0a" | b"0A" | b"a" | b"8a" | b"8A" | b"aa" | b"AA" => Ok(Some(Op::Write)),
        [a] | [_, a] if a.is_ascii_hexdigit() && code[0].is_ascii_hexdigit() => Ok(None),
        _ => Err(Fault { field: "op", expected: "a SCSI operation code in hexadecimal, as in `28`" }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;

    #[test]
    fn operation_codes_say_read_write_or_neither() {
        let expected = Record {
            ticks: 5_633_898_368_802,
            op: Op::Write,
            start_sector: 42_932_745,
            sectors: 1,
            queue: 0,
        };
        assert_eq!(record::<VscsiCsv>("1,5633898368802,2a,512,42932745"), expected);
        for (code, op) in [("08", Op::Read), ("28", Op::Read), ("A8", Op::Read), ("8a", Op::Write)] {
            assert_eq!(record::<VscsiCsv>(&format!("1,0,{code},512,0")).op, op, "{code}");
        }
        for code in ["35", "42", "0", "12"] {
            assert_eq!(row::<VscsiCsv>(&format!("1,0,{code},512,0")), Ok(Row::OtherOp), "{code}");
        }
    }

    #[test]
    fn a_header_is_passed_over() {
        assert_eq!(row::<VscsiCsv>("version,time,op,size,lbn"), Ok(Row::Nothing));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("v1,0,28,512,0", "version"),
            ("1,0.5,28,512,0", "time"),
            ("1,0,read,512,0", "op"),
            ("1,0,28,-512,0", "size"),
            ("1,0,28,512,-1", "lbn"),
            ("1,0,28,512", "lbn"),
            ("1,0,28,512,0,0", "line"),
        ] {
            assert_eq!(wrong::<VscsiCsv>(line), field, "{line}");
        }
    }
}
