//! Trace format `tencent-replay`: excerpts of cloud block-storage traces with measurements of a replayer.
//!
//! # What it models
//!
//! Lines have the columns `time,latency,op,size,offset,submitted,size_after`.
//!
//! # How
//!
//! Times are in milliseconds with decimals, and are converted to integer nanoseconds. The op is 1 for reads
//! and 0 for writes. Size and offset are in bytes. The last column may be missing.
//!
//! # What is left out
//!
//! Latency (us), time of submission (ms) and the size issued by the replayer are ignored, since they are
//! properties of the replay and not of the workload.
//!
//! # Source
//!
//! Zhang et al., "OSCA", USENIX ATC 2020 (SNIA IOTTA trace set 27917), in the output format of the replayer
//! of Kurniawan et al., "Heimdall", `EuroSys` 2025.

use venice_kernel::SimSpan;

use super::super::fields::{comma_field, ends, extent_of_bytes, fixed_point, op_1_reads};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use super::disksim_ascii::MS_NS_DECIMALS;

/// Trace format `tencent-replay`.
pub(crate) struct TencentReplay;

impl TraceFormat for TencentReplay {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        const MS: &str = "milliseconds, as in `54000.000`";
        let mut rest = line;
        let ticks = fixed_point(comma_field(&mut rest), MS_NS_DECIMALS)
            .ok_or(LineFault { field: "time", expected: MS })?;
        fixed_point(comma_field(&mut rest), 0)
            .ok_or(LineFault { field: "latency", expected: "a whole number of microseconds" })?;
        let op = op_1_reads(comma_field(&mut rest))?;
        let (size, offset) = (comma_field(&mut rest), comma_field(&mut rest));
        let extent = extent_of_bytes(offset, size)?;
        fixed_point(comma_field(&mut rest), MS_NS_DECIMALS)
            .ok_or(LineFault { field: "submitted", expected: MS })?;
        let _size_after = comma_field(&mut rest);
        ends(rest, "six or seven columns")?;
        Ok(ParsedLine::request(ticks, op, extent, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn size_comes_before_offset() {
        let expected = Record {
            ticks: 54_000_000_000,
            op: Op::Read,
            start_sector: 9_584,
            sectors: 8,
            queue: 0,
            pattern_set: 0,
        };
        assert_eq!(record::<TencentReplay>("54000.000,3665,1,4096,4907008,54022.559,4096"), expected);
        assert_eq!(record::<TencentReplay>("54000.000,3665,1,4096,4907008,54022.559"), expected);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("x,1,1,4096,0,0.1,4096", "time"),
            ("0.0,1.x,1,4096,0,0.1,4096", "latency"),
            ("0.0,1,R,4096,0,0.1,4096", "op"),
            ("0.0,1,1,-4096,0,0.1,4096", "size"),
            ("0.0,1,1,4096,-1,0.1,4096", "offset"),
            ("0.0,1,1,4096,0", "submitted"),
            ("0.0,1,1,4096,0,0.1,4096,1", "line"),
        ] {
            assert_eq!(wrong::<TencentReplay>(line), field, "{line}");
        }
    }
}
