//! Trace format `mqsim-ascii`: SSDSim's columns with integer nanoseconds.
//!
//! # What it models
//!
//! Lines have the columns `time device lba size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in nanoseconds, addresses and sizes in sectors of 512 bytes, op 1 is read and 0 write. The
//! device number is the queue.
//!
//! # What is left out
//!
//! Files of other simulators have these columns with other units of time. The module `five_columns` infers
//! the unit.
//!
//! # Source
//!
//! Hu et al., "Performance Impact and Interplay of SSD Parallelism", ICS 2011 (SSDSim); Tavakkol et al.,
//! "MQSim", FAST 2018.

use venice_kernel::SimSpan;

use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::five_columns::{self, TickUnit};

/// Trace format `mqsim-ascii`.
pub(crate) struct MqsimAscii;

impl TraceFormat for MqsimAscii {
    const TICK: SimSpan = SimSpan::from_ns(1);
    const RULE: Option<&'static str> = Some(
        "the five columns are also written with other units of time; nanoseconds are taken where all times of the first lines are multiples of 100, or nothing speaks for another unit",
    );

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        five_columns::parse(line, "a whole number of nanoseconds")
    }

    fn claims(lines: &[&[u8]]) -> bool {
        five_columns::counts_in(TickUnit::Ns, lines)
    }
}

impl TraceText for MqsimAscii {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        five_columns::write(request, " ", line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn sectors_are_taken_as_they_are() {
        let expected = Record {
            ticks: 11_565_000,
            op: Op::Read,
            start_sector: 31_244_784,
            sectors: 64,
            queue: 1,
            pattern_set: 0,
        };
        assert_eq!(record::<MqsimAscii>("11565000\t1  31244784 64 1"), expected);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("0.5 0 8 8 1", "time"),
            ("0 x 8 8 1", "device"),
            ("0 0 -8 8 1", "lba"),
            ("0 0 8 -8 1", "size"),
            ("0 0 8 8 2", "op"),
            ("0 0 8 8", "op"),
            ("0 0 8 8 1 1", "line"),
            ("0 0 99999999999999999999 8 1", "lba"),
            ("0 0 2251799813685241 8 1", "lba"),
        ] {
            assert_eq!(wrong::<MqsimAscii>(line), field, "{line}");
        }
    }
}
