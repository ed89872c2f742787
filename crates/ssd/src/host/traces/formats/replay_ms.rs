//! `replay-ms`: the five columns that trace replayers use, in milliseconds and bytes.
//!
//! # What it models
//!
//! A line is `time device offset size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Time in milliseconds with a decimal point, kept to the nanosecond as an integer (further digits are
//! cut off). Offset and size in bytes, op 1 = read and 0 = write, the device number becomes the queue.
//! The decimal point is what tells the format from `mqsim-ascii`.
//!
//! # What is left out
//!
//! Nothing.
//!
//! # Source
//!
//! The replayer's input of Kurniawan et al., "Heimdall", `EuroSys` 2025, in which cuts of the MSR Cambridge
//! traces are published.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, device, extent_of_bytes, fixed_point, op_1_reads};
use super::super::{Fault, Record, TraceFormat};

/// The format.
pub(crate) struct ReplayMs;

/// A nanosecond is the sixth decimal of a millisecond.
const NS_DECIMALS: u32 = 6;

impl TraceFormat for ReplayMs {
    const TICK: SimSpan = SimSpan::from_ns(1);

    #[inline]
    fn parse(line: &[u8]) -> Result<Option<Record>, Fault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), NS_DECIMALS)
            .ok_or(Fault { field: "time", expected: "milliseconds, as in `223.412`" })?;
        let queue = device(blank_field(&mut rest), "device")?;
        let (start_sector, sectors) = extent_of_bytes(blank_field(&mut rest), blank_field(&mut rest))?;
        let op = op_1_reads(blank_field(&mut rest))?;
        if !rest.is_empty() {
            return Err(Fault { field: "line", expected: "five columns" });
        }
        Ok(Some(Record { ticks, op, start_sector, sectors, queue }))
    }

    fn looks_right(line: &[u8]) -> bool {
        let mut rest = line;
        blank_field(&mut rest).contains(&b'.') && Self::parse(line).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::request::Op;

    #[test]
    fn milliseconds_become_whole_nanoseconds() {
        let record = ReplayMs::parse(b"223.412 0 3159347200 36864 0").unwrap().unwrap();
        let expected =
            Record { ticks: 223_412_000, op: Op::Write, start_sector: 6_170_600, sectors: 72, queue: 0 };
        assert_eq!(record, expected);
    }

    #[test]
    fn a_time_without_a_point_is_read_but_not_recognised() {
        assert!(ReplayMs::parse(b"7 0 0 512 1").is_ok());
        assert!(!ReplayMs::looks_right(b"7 0 0 512 1"));
        assert!(ReplayMs::looks_right(b"7.0 0 0 512 1"));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("1e3 0 0 512 1", "time"),
            ("1.0 0 x 512 1", "offset"),
            ("1.0 0 0 512 r", "op"),
            ("1.0 0", "offset"),
        ] {
            assert_eq!(ReplayMs::parse(line.as_bytes()).unwrap_err().field, field, "{line}");
        }
    }
}
