//! Trace format `fiu-blkparse`: traces of Florida International University, with content digests.
//!
//! # What it models
//!
//! Lines have the columns `time pid process lba size R|W major minor md5`, separated by blanks.
//!
//! # How
//!
//! Times are in nanoseconds, addresses and sizes in sectors of 512 bytes. Devices are numbered in order of
//! appearance.
//!
//! # What is left out
//!
//! The process and the digest of the data are ignored.
//!
//! # Source
//!
//! Koller and Rangaswami, "I/O Deduplication", FAST 2010; SNIA IOTTA trace set 391.

use venice_kernel::SimSpan;

use super::super::devices::Devices;
use super::super::fields::{blank_field, ends, extent_of_sectors, fixed_point, op_letter, whole};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};

/// Trace format `fiu-blkparse`.
pub(crate) struct FiuBlkparse {
    devices: Devices,
}

impl TraceFormat for FiuBlkparse {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(_: &TraceOptions) -> Self {
        Self { devices: Devices::default() }
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = fixed_point(blank_field(&mut rest), 0)
            .ok_or(LineFault { field: "time", expected: "a whole number of nanoseconds" })?;
        whole(blank_field(&mut rest)).ok_or(LineFault { field: "pid", expected: "a whole number" })?;
        let _process = blank_field(&mut rest);
        let extent = extent_of_sectors(blank_field(&mut rest), blank_field(&mut rest))?;
        let op =
            op_letter(blank_field(&mut rest)).ok_or(LineFault { field: "op", expected: "`R` or `W`" })?;
        let queue = self.devices.number(device(&mut rest)?)?;
        let _digest = blank_field(&mut rest);
        ends(rest, "nine columns")?;
        Ok(ParsedLine::request(ticks, op, extent, queue))
    }

    fn device_name(&self, number: u16) -> String {
        self.devices.name(number)
    }
}

/// Removes the columns of the major and the minor device number from `rest` and returns them as one slice.
#[inline]
fn device<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], LineFault> {
    let both = *rest;
    for field in ["major", "minor"] {
        whole(blank_field(rest)).ok_or(LineFault { field, expected: "a device number" })?;
    }
    Ok(both[..both.len() - rest.len()].trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::super::super::Record;
    use super::super::testing::{record, wrong};
    use super::*;
    use crate::request::Op;

    #[test]
    fn devices_are_address_spaces_of_their_own() {
        let mut format = FiuBlkparse::new(&TraceOptions::default());
        let mut queue = |device: &str| match format.parse(format!("1 2 p 8 8 W {device} a").as_bytes()) {
            Ok(ParsedLine::Request(record)) => record.queue,
            other => panic!("{other:?}"),
        };
        assert_eq!([queue("6 0"), queue("8 1"), queue("6 0"), queue("60 1")], [0, 1, 0, 2]);
    }

    #[test]
    fn nanoseconds_and_sectors_are_taken_as_they_are() {
        let expected = Record {
            ticks: 89_966_527_950_584,
            op: Op::Write,
            start_sector: 508_516_672,
            sectors: 8,
            queue: 0,
            pattern_set: 0,
        };
        let line = "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b628d84082186026d9da044f173";
        assert_eq!(record::<FiuBlkparse>(line), expected);
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("x 2 p 8 8 W 6 0 a", "time"),
            ("1 p 2 8 8 W 6 0 a", "pid"),
            ("1 2 p -8 8 W 6 0 a", "lba"),
            ("1 2 p 8 -8 W 6 0 a", "size"),
            ("1 2 p 8 8 D 6 0 a", "op"),
            ("1 2 p 8 8 W x 0 a", "major"),
            ("1 2 p 8 8 W 6", "minor"),
            ("1 2 p 8 8 W 6 0 a b", "line"),
        ] {
            assert_eq!(wrong::<FiuBlkparse>(line), field, "{line}");
        }
    }
}
