//! Trace format `msr-csv`: block traces of Microsoft Research Cambridge.
//!
//! # What it models
//!
//! Lines have the columns `timestamp,host,disk,Read|Write,offset,size,response`.
//!
//! # How
//!
//! The time stamp is a Windows FILETIME: 100-ns ticks since 1601, an 18-digit integer that exceeds the
//! precision of a 64-bit float. Offset and size are in bytes; the disk number is the queue. A header with the
//! published names is skipped.
//!
//! # What is left out
//!
//! The host's name and the recorded response time are ignored. The seventh column may be missing.
//!
//! # Source
//!
//! Narayanan et al., "Write Off-Loading", FAST 2008; SNIA IOTTA trace set 388.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, device, ends, extent_of_bytes, fixed_point, is_header, op_word};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Column names in the header.
const NAMES: [&str; 7] = ["Timestamp", "Hostname", "DiskNumber", "Type", "Offset", "Size", "ResponseTime"];

/// Trace format `msr-csv`.
pub(crate) struct MsrCsv;

impl TraceFormat for MsrCsv {
    const TICK: SimSpan = SimSpan::from_ns(100);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let stamp = comma_field(&mut rest);
        let Some(ticks) = fixed_point(stamp, 0) else { return header_or_fault(line) };
        let _host = comma_field(&mut rest);
        let queue = device(comma_field(&mut rest), "disk")?;
        let op = op_word(comma_field(&mut rest))?;
        let extent = extent_of_bytes(comma_field(&mut rest), comma_field(&mut rest))?;
        let _response = comma_field(&mut rest);
        ends(rest, "at most seven columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }
}

impl TraceText for MsrCsv {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.ticks).text(",venice").numbers(",", &[request.request.queue.into()]);
        line.text(request.op(",Read", ",Write")).numbers(",", &[request.offset(), request.bytes(), 0]);
    }
}

#[cold]
fn header_or_fault(line: &[u8]) -> Result<ParsedLine, LineFault> {
    if is_header(line, &NAMES) {
        return Ok(ParsedLine::Nothing);
    }
    Err(LineFault { field: "timestamp", expected: "a whole number of 100-ns ticks" })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, row, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn neighbouring_filetimes_stay_apart() {
        let ticks = |line| record::<MsrCsv>(line).ticks;
        assert_eq!(ticks("128166386783630075,hm,0,Write,0,512,1"), 128_166_386_783_630_075);
        assert_eq!(ticks("128166386783630076,hm,0,Write,0,512,1"), 128_166_386_783_630_076);
    }

    #[test]
    fn bytes_are_rounded_outwards_to_sectors() {
        let record = record::<MsrCsv>("5,h,3,read,1000,100");
        assert_eq!((record.op, record.start_sector, record.sectors, record.queue), (Op::Read, 1, 2, 3));
    }

    #[test]
    fn a_header_is_passed_over() {
        let header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";
        assert_eq!(row::<MsrCsv>(header), Ok(ParsedLine::Nothing));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("x,hm,0,Read,0,512,1", "timestamp"),
            ("1,hm,70000,Read,0,512,1", "disk"),
            ("1,hm,0,Trim,0,512,1", "type"),
            ("1,hm,0,Read,-8,512,1", "offset"),
            ("1,hm,0,Read,0,-512,1", "size"),
            ("1,hm,0,Read,0", "size"),
            ("1,hm,0,Read,0,512,1,9", "line"),
        ] {
            assert_eq!(wrong::<MsrCsv>(line), field, "{line}");
        }
    }
}
