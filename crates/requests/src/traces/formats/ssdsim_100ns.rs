//! Trace format `ssdsim-100ns`: SSDSim's columns with ticks of 100 ns.
//!
//! # What it models
//!
//! Lines have the columns `time device lba size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in ticks of 100 ns, addresses and sizes in sectors of 512 bytes, op 1 is read and 0 write. The
//! device number is the queue.
//!
//! # What is left out
//!
//! Files of other simulators have these columns with other units of time. The module `five_columns` infers
//! the unit.
//!
//! # Source
//!
//! Hu et al., "Performance Impact and Interplay of SSD Parallelism", ICS 2011 (SSDSim); the traces re-timed
//! by Kwon et al., "`TraceTracker`", IISWC 2017, are published in this format.

use venice_kernel::SimSpan;

use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::five_columns::{self, TickUnit};

/// Trace format `ssdsim-100ns`.
pub(crate) struct Ssdsim100Ns;

impl TraceFormat for Ssdsim100Ns {
    const TICK: SimSpan = SimSpan::from_ns(100);
    const RULE: Option<&'static str> = Some(
        "the five columns are also written with other units of time; 100-ns ticks are taken where single tabs separate the columns and not all times are multiples of 100",
    );

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        five_columns::parse(line, "a whole number of 100-ns ticks")
    }

    fn claims(lines: &[&[u8]]) -> bool {
        five_columns::counts_in(TickUnit::HundredNs, lines)
    }
}

impl TraceText for Ssdsim100Ns {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        five_columns::write(request, "\t", line);
    }
}
