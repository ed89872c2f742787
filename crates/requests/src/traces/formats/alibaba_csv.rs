//! Trace format `alibaba-csv`: block traces of Alibaba's cloud.
//!
//! # What it models
//!
//! Lines have the columns `device_id,opcode,offset,length,timestamp`.
//!
//! # How
//!
//! The opcode is `R` or `W`, offset and length are in bytes, times in microseconds since 1970. The device is
//! the queue. A header with these names is skipped.
//!
//! # What is left out
//!
//! Nothing: all columns are used.
//!
//! # Source
//!
//! Li et al., "An In-Depth Analysis of Cloud Block Storage Workloads in Large-Scale Production", IISWC 2020;
//! the notes published with `alibaba/block-traces`.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, device, ends, extent_of_bytes, fixed_point, is_header, op_letter};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Column names in the header.
const NAMES: [&str; 5] = ["device_id", "opcode", "offset", "length", "timestamp"];

/// Trace format `alibaba-csv`.
pub(crate) struct AlibabaCsv;

impl TraceFormat for AlibabaCsv {
    const TICK: SimSpan = SimSpan::from_us(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let id = comma_field(&mut rest);
        let Ok(queue) = device(id, "device_id") else { return header_or_fault(line) };
        let op =
            op_letter(comma_field(&mut rest)).ok_or(LineFault { field: "opcode", expected: "`R` or `W`" })?;
        let extent = extent_of_bytes(comma_field(&mut rest), comma_field(&mut rest))?;
        let ticks = fixed_point(comma_field(&mut rest), 0)
            .ok_or(LineFault { field: "timestamp", expected: "a whole number of microseconds" })?;
        ends(rest, "five columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }
}

#[cold]
fn header_or_fault(line: &[u8]) -> Result<ParsedLine, LineFault> {
    if is_header(line, &NAMES) {
        return Ok(ParsedLine::Nothing);
    }
    Err(LineFault { field: "device_id", expected: "a whole number from 0 to 65535" })
}

impl TraceText for AlibabaCsv {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.request.queue).text(request.op(",R", ",W"));
        line.numbers(",", &[request.offset(), request.bytes(), request.ticks]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn the_device_is_the_queue() {
        let expected = Record {
            ticks: 1_577_808_000_000_046,
            op: Op::Read,
            start_sector: 126_703_661_056 / 512,
            sectors: 8,
            queue: 3,
            pattern_set: 0,
        };
        assert_eq!(record::<AlibabaCsv>("3,R,126703661056,4096,1577808000000046"), expected);
        assert_eq!(row::<AlibabaCsv>("device_id,opcode,offset,length,timestamp"), Ok(ParsedLine::Nothing));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("x,R,0,4096,0", "device_id"),
            ("0,X,0,4096,0", "opcode"),
            ("0,R,-1,4096,0", "offset"),
            ("0,R,0,4.5,0", "size"),
            ("0,R,0,4096,-1", "timestamp"),
            ("0,R,0,4096", "timestamp"),
            ("0,R,0,4096,0,0", "line"),
        ] {
            assert_eq!(wrong::<AlibabaCsv>(line), field, "{line}");
        }
    }
}
