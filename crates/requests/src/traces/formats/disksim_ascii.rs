//! Trace format `disksim-ascii`: default traces of `DiskSim`.
//!
//! # What it models
//!
//! Lines have the columns `time device lba size flags`, separated by blanks or tabs.
//!
//! # How
//!
//! Times are in milliseconds with decimals, and are converted to integer nanoseconds. Addresses and sizes are
//! in sectors of 512 bytes. Flags are hexadecimal; the lowest bit is set for reads. The device number is the
//! queue.
//!
//! `replay-ms` has equal columns, in bytes. Detection selects this format if some address or size in the
//! first lines is not a multiple of 512.
//!
//! # What is left out
//!
//! The other flags, which are priorities for the host's scheduler.
//!
//! # Source
//!
//! Bucy et al., "The `DiskSim` Simulation Environment Version 4.0 Reference Manual", CMU-PDL-08-101, 2008.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, device, ends, extent_of_sectors, fixed_point, whole};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use crate::request::{HostRequest, Op, SECTOR_BYTES};

/// Number of decimals of a time in milliseconds, at a resolution of one nanosecond.
pub(super) const MS_NS_DECIMALS: u32 = 6;

/// Bit of the flags that is set for a read.
const READ_FLAG: u32 = 1;

/// Trace format `disksim-ascii`.
pub(crate) struct DisksimAscii;

impl TraceFormat for DisksimAscii {
    const TICK: SimSpan = SimSpan::from_ns(1);
    const RULE: Option<&'static str> = Some(
        "the columns are those of replay-ms, too; sectors are taken because not all addresses and sizes of the first \
         lines are multiples of 512",
    );

    fn new(_: &TraceOptions) -> Self {
        Self
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), MS_NS_DECIMALS)
            .ok_or(LineFault { field: "time", expected: "milliseconds, as in `5265.313`" })?;
        let queue = device(blank_field(&mut rest), "device")?;
        let extent = extent_of_sectors(blank_field(&mut rest), blank_field(&mut rest))?;
        let op = op_of(blank_field(&mut rest))?;
        ends(rest, "five columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }

    fn claims(lines: &[&[u8]]) -> bool {
        has_decimal_times(lines) && !counts_bytes(lines)
    }
}

impl TraceText for DisksimAscii {
    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        let HostRequest { start_sector, sectors, queue, .. } = request.request;
        let after_time = [queue.into(), start_sector, sectors.into(), request.op(READ_FLAG, 0).into()];
        line.decimal(request.ticks, MS_NS_DECIMALS).numbers(" ", &after_time);
    }
}

#[inline]
fn op_of(flags: &[u8]) -> Result<Op, LineFault> {
    let number = std::str::from_utf8(flags).ok().and_then(|flags| u32::from_str_radix(flags, 16).ok());
    match number {
        Some(flags) if flags & READ_FLAG == 0 => Ok(Op::Write),
        Some(_) => Ok(Op::Read),
        None => Err(LineFault { field: "flags", expected: "a hexadecimal number" }),
    }
}

/// Returns true if the first column of every line has a decimal point.
pub(super) fn has_decimal_times(lines: &[&[u8]]) -> bool {
    lines.iter().all(|line| blank_field(&mut &**line).contains(&b'.'))
}

/// Returns true if the third and fourth columns of every line are multiples of 512, so that they may be in
/// bytes.
pub(super) fn counts_bytes(lines: &[&[u8]]) -> bool {
    let is_sectors = |field: &[u8]| whole(field).is_some_and(|number| number % u64::from(SECTOR_BYTES) == 0);
    lines.iter().all(|line| {
        let mut rest = *line;
        let _time_and_device = (blank_field(&mut rest), blank_field(&mut rest));
        is_sectors(blank_field(&mut rest)) && is_sectors(blank_field(&mut rest))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::replay_ms::ReplayMs;
    use super::super::testing::{record, wrong};
    use super::*;

    #[test]
    fn the_lowest_flag_says_read() {
        let expected = Record {
            ticks: 5_265_313_000,
            op: Op::Write,
            start_sector: 6_357_144,
            sectors: 8,
            queue: 0,
            pattern_set: 0,
        };
        assert_eq!(record::<DisksimAscii>("5265.313 0 6357144 8 0"), expected);
        assert_eq!(record::<DisksimAscii>("5265.313000 0 6357144 8 1").op, Op::Read);
        assert_eq!(record::<DisksimAscii>("5265.313 0 6357144 8 1a").op, Op::Write);
        assert_eq!(record::<DisksimAscii>("5265.313 0 6357144 8 0b").op, Op::Read);
    }

    #[test]
    fn sectors_and_bytes_are_told_apart_by_all_lines_together() {
        let bytes: [&[u8]; 2] = [b"1.0 0 512 1024 1", b"2.0 0 0 4096 0"];
        assert!(ReplayMs::claims(&bytes) && !DisksimAscii::claims(&bytes));
        let sectors: [&[u8]; 2] = [b"1.0 0 512 1024 1", b"2.0 0 0 8 0"];
        assert!(!ReplayMs::claims(&sectors) && DisksimAscii::claims(&sectors));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("-1.0 0 8 8 0", "time"),
            ("1.0 d 8 8 0", "device"),
            ("1.0 0 8.5 8 0", "lba"),
            ("1.0 0 8 -8 0", "size"),
            ("1.0 0 8 8 g", "flags"),
            ("1.0 0 8 8", "flags"),
            ("1.0 0 8 8 0 0", "line"),
        ] {
            assert_eq!(wrong::<DisksimAscii>(line), field, "{line}");
        }
    }
}
