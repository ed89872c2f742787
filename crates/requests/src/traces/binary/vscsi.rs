//! Reader of `vscsi-1` and `vscsi-2`: the virtual SCSI traces of `CloudPhysics`, in their published form.
//!
//! # What it models
//!
//! Little-endian records of 32 bytes (version 1) or 40 bytes (version 2):
//!
//! - version 1: serial number (4 bytes), length (4), segments (4), operation code (2), version (2), first
//!   sector (8), time (8);
//! - version 2: operation code (2), version (2), serial number (4), length (4), segments (4), first sector
//!   (8), time (8), response time (8).
//!
//! # How
//!
//! Lengths are in bytes, addresses in sectors of 512 bytes, times in microseconds. The upper byte of the
//! version field is the version; two consecutive records with the same version identify the format.
//!
//! # What is left out
//!
//! Serial numbers, scatter-gather segments and recorded response times are ignored.
//!
//! # Source
//!
//! Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015; the structures of `vscsi.h` in
//! `libCacheSim`, which distributes the traces.

use bytes::Buf;
use venice_kernel::SimSpan;

use super::super::fields::{SECTOR_NUMBER, bounded};
use super::super::formats::scsi;
use super::super::{LineFault, ParsedLine};
use super::RecordFormat;
use crate::request::SECTOR_BYTES;

/// Number of records whose version detection compares.
const RECORDS_TO_KNOW: usize = 2;

/// Trace format `vscsi-1`.
pub(in super::super) struct Vscsi1;

/// Trace format `vscsi-2`.
pub(in super::super) struct Vscsi2;

/// Relevant fields of a record.
struct VscsiCommand {
    version: u8,
    code: u16,
    bytes: u32,
    lbn: u64,
    us: u64,
}

impl VscsiCommand {
    fn of_version_1(mut record: &[u8]) -> Self {
        let _serial_number = record.get_u32_le();
        let bytes = record.get_u32_le();
        let _segments = record.get_u32_le();
        let (code, version) = (record.get_u16_le(), version(record.get_u16_le()));
        Self { version, code, bytes, lbn: record.get_u64_le(), us: record.get_u64_le() }
    }

    fn of_version_2(mut record: &[u8]) -> Self {
        let (code, version) = (record.get_u16_le(), version(record.get_u16_le()));
        let _serial_number = record.get_u32_le();
        let bytes = record.get_u32_le();
        let _segments = record.get_u32_le();
        Self { version, code, bytes, lbn: record.get_u64_le(), us: record.get_u64_le() }
    }

    fn row(&self, expected_version: u8) -> Result<ParsedLine, LineFault> {
        if self.version != expected_version {
            return Err(LineFault {
                field: "version",
                expected: "the version of the format in the upper byte",
            });
        }
        let op = match scsi::op_of(self.code) {
            Ok(op) => op,
            Err(other) => return Ok(scsi::timed(other, self.us)),
        };
        let sectors = u64::from(self.bytes.div_ceil(SECTOR_BYTES));
        let fault = LineFault { field: "lbn", expected: SECTOR_NUMBER };
        Ok(ParsedLine::request(self.us, op, bounded(Some(self.lbn), sectors, fault)?, 0))
    }
}

fn version(member: u16) -> u8 {
    member.to_be_bytes()[0]
}

/// Returns true if the first records of a file all have the version `expected`.
fn is_version(head: &[u8], bytes: usize, of: fn(&[u8]) -> VscsiCommand, expected: u8) -> bool {
    let mut records = head.chunks_exact(bytes).take(RECORDS_TO_KNOW);
    records.len() == RECORDS_TO_KNOW && records.all(|record| of(record).version == expected)
}

impl RecordFormat for Vscsi1 {
    const BYTES: usize = 32;
    const SIZE: &'static str = "32 bytes";
    const TICK: SimSpan = SimSpan::from_us(1);

    fn begins(head: &[u8]) -> bool {
        is_version(head, Self::BYTES, VscsiCommand::of_version_1, 1)
    }

    fn parse(record: &[u8]) -> Result<ParsedLine, LineFault> {
        VscsiCommand::of_version_1(record).row(1)
    }
}

impl RecordFormat for Vscsi2 {
    const BYTES: usize = 40;
    const SIZE: &'static str = "40 bytes";
    const TICK: SimSpan = SimSpan::from_us(1);

    fn begins(head: &[u8]) -> bool {
        is_version(head, Self::BYTES, VscsiCommand::of_version_2, 2)
    }

    fn parse(record: &[u8]) -> Result<ParsedLine, LineFault> {
        VscsiCommand::of_version_2(record).row(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    fn version_1(code: u16, bytes: u32, lbn: u64, us: u64) -> Vec<u8> {
        let numbers = [7_u32, bytes, 1].map(u32::to_le_bytes).concat();
        let what = [code, 0x0100].map(u16::to_le_bytes).concat();
        [numbers, what, [lbn, us].map(u64::to_le_bytes).concat()].concat()
    }

    fn version_2(code: u16, bytes: u32, lbn: u64, us: u64) -> Vec<u8> {
        let what = [code, 0x0200].map(u16::to_le_bytes).concat();
        let numbers = [7_u32, bytes, 1].map(u32::to_le_bytes).concat();
        [what, numbers, [lbn, us, 99].map(u64::to_le_bytes).concat()].concat()
    }

    #[test]
    fn codes_lengths_and_addresses_are_read_from_their_places() {
        let expected = Ok(ParsedLine::request(5_633_898_368_802, Op::Write, (42_932_745, 2), 0));
        assert_eq!(Vscsi1::parse(&version_1(0x2a, 513, 42_932_745, 5_633_898_368_802)), expected);
        assert_eq!(Vscsi2::parse(&version_2(0x2a, 513, 42_932_745, 5_633_898_368_802)), expected);
        let read = Ok(ParsedLine::request(1, Op::Read, (8, 1), 0));
        assert_eq!(Vscsi2::parse(&version_2(0x88, 512, 8, 1)), read);
    }

    #[test]
    fn other_codes_are_other_operations_whatever_their_address() {
        assert_eq!(Vscsi1::parse(&version_1(0x35, 0, u64::MAX, 1)), Ok(ParsedLine::flush(1, 0)));
        assert_eq!(Vscsi2::parse(&version_2(0x42, 24, u64::MAX, 1)), Ok(ParsedLine::Trim));
        assert_eq!(Vscsi1::parse(&version_1(0x28, 512, u64::MAX, 1)).unwrap_err().field, "lbn");
    }

    #[test]
    fn two_records_tell_the_version() {
        let first = version_1(0x28, 512, 8, 1);
        let second = version_2(0x28, 512, 8, 1);
        assert!(Vscsi1::begins(&first.repeat(2)) && !Vscsi2::begins(&first.repeat(2)));
        assert!(Vscsi2::begins(&second.repeat(2)) && !Vscsi1::begins(&second.repeat(2)));
        assert!(!Vscsi1::begins(&first) && !Vscsi2::begins(&second));
        assert_eq!(Vscsi1::parse(&second[..32]).unwrap_err().field, "version");
    }
}
