//! Trace format `vscsi-csv`: virtual SCSI traces of `CloudPhysics`, as text.
//!
//! # What it models
//!
//! Lines have the columns `version,time,op,size,lbn`, and the header has these names.
//!
//! # How
//!
//! Times are in microseconds, sizes in bytes, and addresses in sectors of 512 bytes. The op is the SCSI
//! operation code in hexadecimal. Codes other than READ and WRITE of 6, 10, 12 and 16 bytes are other
//! operations.
//!
//! # What is left out
//!
//! A variant with times in whole seconds needs `--columns`.
//!
//! # Source
//!
//! Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015; codes of T10 SBC-3.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, ends, extent_of_sector_and_bytes, fixed_point, is_header, whole};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::scsi;
use crate::request::Op;

/// Column names in the header.
const NAMES: [&str; 5] = ["version", "time", "op", "size", "lbn"];

/// Trace format `vscsi-csv`.
pub(crate) struct VscsiCsv;

impl TraceFormat for VscsiCsv {
    const TICK: SimSpan = SimSpan::from_us(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let version = comma_field(&mut rest);
        if whole(version).is_none() {
            return header_or_fault(line);
        }
        let ticks = fixed_point(comma_field(&mut rest), 0)
            .ok_or(LineFault { field: "time", expected: "a whole number of microseconds" })?;
        let op = op_of(comma_field(&mut rest))?;
        let (size, lbn) = (comma_field(&mut rest), comma_field(&mut rest));
        ends(rest, "five columns")?;
        let op = match op {
            Ok(op) => op,
            Err(other) => return Ok(scsi::timed(other, ticks)),
        };
        Ok(ParsedLine::request(ticks, op, extent_of_sector_and_bytes(lbn, size, "lbn")?, 0))
    }
}

impl TraceText for VscsiCsv {
    const HEADER: &'static str = "version,time,op,size,lbn\n";
    const HAS_DEVICES: bool = false;

    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.text("1").numbers(",", &[request.ticks]).text(request.op(",28", ",2a"));
        line.numbers(",", &[request.bytes(), request.request.start_sector]);
    }
}

#[cold]
fn header_or_fault(line: &[u8]) -> Result<ParsedLine, LineFault> {
    if is_header(line, &NAMES) {
        return Ok(ParsedLine::Nothing);
    }
    Err(LineFault { field: "version", expected: "a whole number" })
}

/// Parses a SCSI operation code of one or two hexadecimal digits.
#[inline]
fn op_of(code: &[u8]) -> Result<Result<Op, ParsedLine>, LineFault> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u16);
    let code = match *code {
        [low] => digit(low),
        [high, low] => digit(high).zip(digit(low)).map(|(high, low)| high << 4 | low),
        _ => None,
    };
    let code =
        code.ok_or(LineFault { field: "op", expected: "a SCSI operation code in hexadecimal, as in `28`" })?;
    Ok(scsi::op_of(code))
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;

    #[test]
    fn operation_codes_are_read_write_or_other() {
        let expected = Record {
            ticks: 5_633_898_368_802,
            op: Op::Write,
            start_sector: 42_932_745,
            sectors: 1,
            queue: 0,
            pattern_set: 0,
        };
        assert_eq!(record::<VscsiCsv>("1,5633898368802,2a,512,42932745"), expected);
        for (code, op) in [("08", Op::Read), ("28", Op::Read), ("A8", Op::Read), ("8a", Op::Write)] {
            assert_eq!(record::<VscsiCsv>(&format!("1,0,{code},512,0")).op, op, "{code}");
        }
        for (code, other) in [
            ("35", ParsedLine::flush(0, 0)),
            ("42", ParsedLine::Trim),
            ("0", ParsedLine::OtherOp),
            ("12", ParsedLine::OtherOp),
        ] {
            assert_eq!(row::<VscsiCsv>(&format!("1,0,{code},512,0")), Ok(other), "{code}");
        }
    }

    #[test]
    fn a_header_is_passed_over() {
        assert_eq!(row::<VscsiCsv>("version,time,op,size,lbn"), Ok(ParsedLine::Nothing));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("v1,0,28,512,0", "version"),
            ("1,-1,28,512,0", "time"),
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
