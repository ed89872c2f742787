//! Trace format `msr-blank`: columns of the MSR Cambridge traces, separated by blanks.
//!
//! # What it models
//!
//! Lines have the columns `ticks host disk Read|Write offset size response`, separated by blanks or tabs.
//!
//! # How
//!
//! The columns are as in `msr-csv`, except that times are relative to the start of the trace. This does not
//! affect the requests, whose times are relative in any case.
//!
//! # What is left out
//!
//! The host's name and the response time are ignored. The response time may be missing.
//!
//! # Source
//!
//! Narayanan et al., "Write Off-Loading", FAST 2008, as distributed with cache simulators.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, device, ends, extent_of_bytes, fixed_point, op_word};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Trace format `msr-blank`.
pub(crate) struct MsrBlank;

impl TraceFormat for MsrBlank {
    const TICK: SimSpan = SimSpan::from_ns(100);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), 0)
            .ok_or(LineFault { field: "time", expected: "a whole number of 100-ns ticks" })?;
        let _host = blank_field(&mut rest);
        let queue = device(blank_field(&mut rest), "disk")?;
        let op = op_word(blank_field(&mut rest))?;
        let extent = extent_of_bytes(blank_field(&mut rest), blank_field(&mut rest))?;
        let _response = blank_field(&mut rest);
        ends(rest, "at most seven columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }
}

impl TraceText for MsrBlank {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.ticks).text(" venice").numbers(" ", &[request.request.queue.into()]);
        line.text(request.op(" Read", " Write")).numbers(" ", &[request.offset(), request.bytes(), 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn the_disk_is_the_queue() {
        let expected = Record {
            ticks: 2_466_061_072,
            op: Op::Write,
            start_sector: 8,
            sectors: 8,
            queue: 2,
            pattern_set: 0,
        };
        assert_eq!(record::<MsrBlank>("2466061072 wdev 2 Write 4096 4096 869"), expected);
        assert_eq!(record::<MsrBlank>("2466061072\twdev\t2 Write 4096 4096"), expected);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("1.x wdev 2 Write 4096 4096 869", "time"),
            ("1 wdev x Write 4096 4096 869", "disk"),
            ("1 wdev 2 W 4096 4096 869", "type"),
            ("1 wdev 2 Write 4k 4096 869", "offset"),
            ("1 wdev 2 Write 4096", "size"),
            ("1 wdev 2 Write 4096 4096 869 1", "line"),
        ] {
            assert_eq!(wrong::<MsrBlank>(line), field, "{line}");
        }
    }
}
