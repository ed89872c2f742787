//! Trace format `ssdsim-us`: SSDSim's columns with integer microseconds.
//!
//! # What it models
//!
//! Lines have the columns `time device lba size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in microseconds, addresses and sizes in sectors of 512 bytes, op 1 is read and 0 write. The
//! device number is the queue.
//!
//! # What is left out
//!
//! Files of other simulators have these columns with other units of time. The module `five_columns` infers
//! the unit.
//!
//! # Source
//!
//! Hu et al., "Performance Impact and Interplay of SSD Parallelism", ICS 2011 (SSDSim); the Microsoft
//! Production Server traces (Kavalanekar et al., IISWC 2008) are distributed in this format.

use venice_kernel::SimSpan;

use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::five_columns::{self, TickUnit};

/// Trace format `ssdsim-us`.
pub(crate) struct SsdsimUs;

impl TraceFormat for SsdsimUs {
    const TICK: SimSpan = SimSpan::from_us(1);
    const RULE: Option<&'static str> = Some(
        "the five columns are also written with other units of time; microseconds are taken where the first lines would otherwise come less than 10 us apart",
    );

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        five_columns::parse(line, "a whole number of microseconds")
    }

    fn claims(lines: &[&[u8]]) -> bool {
        five_columns::counts_in(TickUnit::Us, lines)
    }
}

impl TraceText for SsdsimUs {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        five_columns::write(request, " ", line);
    }
}
