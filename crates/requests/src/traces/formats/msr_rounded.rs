//! Trace format `msr-rounded`: MSR Cambridge traces that were processed by a spreadsheet.
//!
//! # What it models
//!
//! Lines have the columns `FILETIME Read|Write offset size`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in 100-ns ticks, offset and size in bytes. Large offsets have the form `1.82083E+11`, with six
//! significant digits.
//!
//! # What is left out
//!
//! Digits that the spreadsheet rounded are lost. Rounded offsets differ from the originals by up to 500 kB,
//! and are not always multiples of a sector.
//!
//! # Source
//!
//! Narayanan et al., "Write Off-Loading", FAST 2008, as distributed with studies of erasure codes.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, ends, extent_of_bytes, fixed_point, op_word};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Trace format `msr-rounded`.
pub(crate) struct MsrRounded;

impl TraceFormat for MsrRounded {
    const TICK: SimSpan = SimSpan::from_ns(100);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), 0)
            .ok_or(LineFault { field: "time", expected: "a whole number of 100-ns ticks" })?;
        let op = op_word(blank_field(&mut rest))?;
        let extent = extent_of_bytes(blank_field(&mut rest), blank_field(&mut rest))?;
        ends(rest, "four columns")?;
        Ok(ParsedLine::request(ticks, op, extent, 0))
    }
}

impl TraceText for MsrRounded {
    const HAS_DEVICES: bool = false;

    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.ticks).text(request.op(" Read", " Write"));
        line.numbers(" ", &[request.offset(), request.bytes()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, wrong};
    use super::*;

    #[test]
    fn a_rounded_offset_is_as_good_as_its_digits() {
        let exact = record::<MsrRounded>("128166465299039000 \tRead\t32256\t8192");
        assert_eq!((exact.start_sector, exact.sectors), (63, 16));
        let rounded = record::<MsrRounded>("128166465299119000 \tRead\t1.82083E+11\t4096");
        assert_eq!((rounded.start_sector, rounded.sectors), (182_083_000_000 / 512, 9));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("1E+99 Read 0 512", "time"),
            ("1 R 0 512", "type"),
            ("1 Read 1.5 512", "offset"),
            ("1 Read 0 512E", "size"),
            ("1 Read 0 512 9", "line"),
        ] {
            assert_eq!(wrong::<MsrRounded>(line), field, "{line}");
        }
    }
}
