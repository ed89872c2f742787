//! `mqsim-ascii`: the five columns of SSDSim, with the nanoseconds of MQSim.
//!
//! # What it models
//!
//! A line is `time device lba size op`, separated by blanks or tabs.
//!
//! # How
//!
//! Time in whole nanoseconds, address and size in sectors of 512 bytes, op 1 = read and 0 = write. The
//! device number becomes the request's queue.
//!
//! # What is left out
//!
//! Other simulators write the same five columns with microseconds or 100-ns ticks. No look at a line
//! can tell; detection takes such a file for this format, and only a name given by the user says
//! otherwise.
//!
//! # Source
//!
//! Hu et al., "Performance Impact and Interplay of SSD Parallelism", ICS 2011 (SSDSim); Tavakkol et al.,
//! "MQSim", FAST 2018.

use venice_kernel::SimSpan;

use super::super::fields::{blank_field, device, extent_of_sectors, op_1_reads, whole};
use super::super::{Fault, Record, TraceFormat};

/// The format.
pub(crate) struct MqsimAscii;

impl TraceFormat for MqsimAscii {
    const TICK: SimSpan = SimSpan::from_ns(1);

    #[inline]
    fn parse(line: &[u8]) -> Result<Option<Record>, Fault> {
        let mut rest = line;
        let ticks = whole(blank_field(&mut rest))
            .ok_or(Fault { field: "time", expected: "a whole number of nanoseconds" })?;
        let queue = device(blank_field(&mut rest), "device")?;
        let (start_sector, sectors) = extent_of_sectors(blank_field(&mut rest), blank_field(&mut rest))?;
        let op = op_1_reads(blank_field(&mut rest))?;
        if !rest.is_empty() {
            return Err(Fault { field: "line", expected: "five columns" });
        }
        Ok(Some(Record { ticks, op, start_sector, sectors, queue }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::request::Op;

    #[test]
    fn sectors_are_taken_as_they_are() {
        let record = MqsimAscii::parse(b"11565000\t1  31244784 64 1").unwrap().unwrap();
        let expected =
            Record { ticks: 11_565_000, op: Op::Read, start_sector: 31_244_784, sectors: 64, queue: 1 };
        assert_eq!(record, expected);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("0.5 0 8 8 1", "time"),
            ("0 x 8 8 1", "device"),
            ("0 0 -8 8 1", "lba"),
            ("0 0 8 0 1", "size"),
            ("0 0 8 8 2", "op"),
            ("0 0 8 8", "op"),
            ("0 0 8 8 1 1", "line"),
            ("0 0 99999999999999999999 8 1", "lba"),
            ("0 0 2251799813685241 8 1", "lba"),
        ] {
            assert_eq!(MqsimAscii::parse(line.as_bytes()).unwrap_err().field, field, "{line}");
        }
    }
}
