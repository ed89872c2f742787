//! Trace format `systor-csv`: virtual-desktop traces of SYSTOR '17.
//!
//! # What it models
//!
//! Lines have the columns `Timestamp,Response,IOType,LUN,Offset,Size`, and the header has these names.
//!
//! # How
//!
//! Times are in seconds since 1970 with nine decimals. The last three decimals are not significant but are
//! kept. The types `R` and `W` stand for read and write; an empty type is another operation. Offset and size
//! are in bytes. The LUN is the queue.
//!
//! # What is left out
//!
//! The recorded response time is ignored. It may be missing.
//!
//! # Source
//!
//! Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop infrastructure",
//! SYSTOR 2017; SNIA IOTTA trace set 4928.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, device, ends, extent_of_bytes, fixed_point, is_header, op_letter};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::spc::S_NS_DECIMALS;

/// Column names in the header.
const NAMES: [&str; 6] = ["Timestamp", "Response", "IOType", "LUN", "Offset", "Size"];

/// Trace format `systor-csv`.
pub(crate) struct SystorCsv;

impl TraceFormat for SystorCsv {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let stamp = comma_field(&mut rest);
        let Some(ticks) = fixed_point(stamp, S_NS_DECIMALS) else { return header_or_fault(line) };
        let response = comma_field(&mut rest);
        if !response.is_empty() && fixed_point(response, S_NS_DECIMALS).is_none() {
            return Err(LineFault { field: "Response", expected: "seconds, or nothing" });
        }
        let kind = comma_field(&mut rest);
        let op = op_letter(kind);
        if op.is_none() && !kind.is_empty() {
            return Err(LineFault { field: "IOType", expected: "`R`, `W` or nothing" });
        }
        let queue = device(comma_field(&mut rest), "LUN")?;
        let extent = extent_of_bytes(comma_field(&mut rest), comma_field(&mut rest))?;
        ends(rest, "six columns")?;
        Ok(op.map_or(ParsedLine::OtherOp, |op| ParsedLine::request(ticks, op, extent, queue)))
    }
}

impl TraceText for SystorCsv {
    const HEADER: &'static str = "Timestamp,Response,IOType,LUN,Offset,Size\n";

    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.decimal(request.ticks, S_NS_DECIMALS).text(request.op(",0.0,R", ",0.0,W"));
        line.numbers(",", &[request.request.queue.into(), request.offset(), request.bytes()]);
    }
}

#[cold]
fn header_or_fault(line: &[u8]) -> Result<ParsedLine, LineFault> {
    if is_header(line, &NAMES) {
        return Ok(ParsedLine::Nothing);
    }
    Err(LineFault { field: "Timestamp", expected: "seconds, as in `1456095145.133076000`" })
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn seconds_since_1970_are_exact_to_the_nanosecond() {
        let expected = Record {
            ticks: 1_456_095_145_133_076_001,
            op: Op::Read,
            start_sector: 899_056_122_368 / 512,
            sectors: 256,
            queue: 4,
            pattern_set: 0,
        };
        assert_eq!(record::<SystorCsv>("1456095145.133076001,0.000806000,R,4,899056122368,131072"), expected);
        assert_eq!(record::<SystorCsv>("1456095145.133076001,,R,4,899056122368,131072"), expected);
    }

    #[test]
    fn headers_and_requests_without_a_type_are_no_requests() {
        assert_eq!(row::<SystorCsv>("Timestamp,Response,IOType,LUN,Offset,Size"), Ok(ParsedLine::Nothing));
        assert_eq!(row::<SystorCsv>("1456095145.1,0.1,,4,0,0"), Ok(ParsedLine::OtherOp));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("time,0.1,R,4,0,512", "Timestamp"),
            ("1.0,slow,R,4,0,512", "Response"),
            ("1.0,0.1,X,4,0,512", "IOType"),
            ("1.0,0.1,R,,0,512", "LUN"),
            ("1.0,0.1,R,4,-1,512", "offset"),
            ("1.0,0.1,R,4,0", "size"),
            ("1.0,0.1,R,4,0,512,1", "line"),
        ] {
            assert_eq!(wrong::<SystorCsv>(line), field, "{line}");
        }
    }
}
