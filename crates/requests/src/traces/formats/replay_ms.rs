//! Trace format `replay-ms`: columns of trace replayers, in milliseconds and bytes.
//!
//! # What it models
//!
//! Lines have the columns `time device offset size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in milliseconds with a decimal point, and are truncated to integer nanoseconds. Offset and size
//! are in bytes, op 1 is read and 0 write, the device number is the queue. The decimal point distinguishes
//! the format from `mqsim-ascii`, and sizes in multiples of 512 distinguish it from `disksim-ascii`.
//!
//! # What is left out
//!
//! Nothing: all columns are used.
//!
//! # Source
//!
//! The replayer's input of Kurniawan et al., "Heimdall", `EuroSys` 2025, in which excerpts of the MSR
//! Cambridge traces are published.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, device, ends, extent_of_bytes, fixed_point, op_1_reads};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::disksim_ascii::{MS_NS_DECIMALS, counts_bytes, has_decimal_times};

/// Trace format `replay-ms`.
pub(crate) struct ReplayMs;

impl TraceFormat for ReplayMs {
    const TICK: SimSpan = SimSpan::from_ns(1);
    const RULE: Option<&'static str> = Some(
        "the columns are those of disksim-ascii, too; bytes are taken because all addresses and sizes of the first \
         lines are multiples of 512",
    );

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), MS_NS_DECIMALS)
            .ok_or(LineFault { field: "time", expected: "milliseconds, as in `223.412`" })?;
        let queue = device(blank_field(&mut rest), "device")?;
        let extent = extent_of_bytes(blank_field(&mut rest), blank_field(&mut rest))?;
        let op = op_1_reads(blank_field(&mut rest))?;
        ends(rest, "five columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }

    fn claims(lines: &[&[u8]]) -> bool {
        has_decimal_times(lines) && counts_bytes(lines)
    }
}

impl TraceText for ReplayMs {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        let after_time = [request.request.queue.into(), request.offset(), request.bytes(), request.op(1, 0)];
        line.decimal(request.ticks, MS_NS_DECIMALS).numbers(" ", &after_time);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, row, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn milliseconds_become_whole_nanoseconds() {
        let expected = Record {
            ticks: 223_412_000,
            op: Op::Write,
            start_sector: 6_170_600,
            sectors: 72,
            queue: 0,
            pattern_set: 0,
        };
        assert_eq!(record::<ReplayMs>("223.412 0 3159347200 36864 0"), expected);
    }

    #[test]
    fn a_time_without_a_point_is_read_but_not_recognised() {
        assert!(row::<ReplayMs>("7 0 0 512 1").is_ok());
        assert!(!ReplayMs::claims(&[b"7 0 0 512 1"]));
        assert!(ReplayMs::claims(&[b"7.0 0 0 512 1"]));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("1e 0 0 512 1", "time"),
            ("1.0 0 x 512 1", "offset"),
            ("1.0 0 0 512 r", "op"),
            ("1.0 0", "size"),
        ] {
            assert_eq!(wrong::<ReplayMs>(line), field, "{line}");
        }
    }
}
