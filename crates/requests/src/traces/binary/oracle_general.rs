//! Reader of `oracle-general`: access traces of `libCacheSim`, whose records also state the next access to
//! the same object.
//!
//! # What it models
//!
//! Little-endian records of 24 bytes: time (4), object (8), size (4), number of the object's next access (8).
//!
//! # How
//!
//! Times are in whole seconds, sizes in bytes. The object number is interpreted as an address in sectors of
//! 512 bytes, as in the copies of the `CloudPhysics` traces. Records have no operation, so all requests are
//! reads. Accesses are numbered from 1; -1 or the largest number means no next access. Detection requires
//! that times never decrease, that no size is zero, and that each next access within the examined records
//! refers to the same object.
//!
//! # What is left out
//!
//! Writes and fractions of a second are not recorded, so requests arrive at the start of their second. Object
//! numbers of web caches are not addresses; records with objects beyond an exbibyte are bad records.
//!
//! # Source
//!
//! `oracleGeneralBin.h` of `libCacheSim` (Yang et al.); its sample of a `CloudPhysics` trace.

use bytes::Buf;
use venice_kernel::SimSpan;

use super::super::fields::{SECTOR_NUMBER, bounded};
use super::super::{LineFault, ParsedLine};
use super::RecordFormat;
use crate::request::{Op, SECTOR_BYTES};

/// Trace format `oracle-general`.
pub(in super::super) struct OracleGeneral;

/// Number of records that detection examines.
const SAMPLE_RECORDS: usize = 1_024;

/// Maximum number of accesses of a trace; a file of ten terabytes has fewer.
const MAX_ACCESSES: usize = 1 << 40;

/// Values of `next` for a record without a next access.
const NEVER: [i64; 2] = [-1, i64::MAX];

/// Fields of one record.
#[derive(Clone, Copy)]
struct Access {
    s: u32,
    object: u64,
    bytes: u32,
    next: i64,
}

impl Access {
    fn of(mut record: &[u8]) -> Self {
        let (s, object) = (record.get_u32_le(), record.get_u64_le());
        Self { s, object, bytes: record.get_u32_le(), next: record.get_i64_le() }
    }
}

/// Returns true if access `number` (from 1) is consistent with the next access that it states: the record at
/// that position, if it is known, refers to the same object.
fn is_followed(accesses: &[Access], number: usize) -> bool {
    let Access { object, next, .. } = accesses[number - 1];
    let is_same = |next: usize| accesses.get(next - 1).is_none_or(|later| later.object == object);
    let is_later = |next: &usize| (number + 1..MAX_ACCESSES).contains(next);
    NEVER.contains(&next) || usize::try_from(next).ok().filter(is_later).is_some_and(is_same)
}

impl RecordFormat for OracleGeneral {
    const BYTES: usize = 24;
    const SIZE: &'static str = "24 bytes";
    const TICK: SimSpan = SimSpan::from_us(1_000_000);
    const REMARK: Option<&'static str> = Some(
        "the records do not say what was done, nor in which unit addresses are: all are read as reads, at addresses in \
         sectors of 512 bytes, in whole seconds",
    );

    fn begins(head: &[u8]) -> bool {
        let accesses: Vec<Access> =
            head.chunks_exact(Self::BYTES).take(SAMPLE_RECORDS).map(Access::of).collect();
        accesses.len() > 1
            && accesses.is_sorted_by_key(|access| access.s)
            && accesses.iter().all(|access| access.bytes > 0)
            && (1..=accesses.len()).all(|number| is_followed(&accesses, number))
    }

    fn parse(record: &[u8]) -> Result<ParsedLine, LineFault> {
        let Access { s, object, bytes, .. } = Access::of(record);
        let sectors = u64::from(bytes.div_ceil(SECTOR_BYTES));
        let fault = LineFault { field: "object", expected: SECTOR_NUMBER };
        Ok(ParsedLine::request(s.into(), Op::Read, bounded(Some(object), sectors, fault)?, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record((s, object, bytes, next): (u32, u64, u32, i64)) -> Vec<u8> {
        [&s.to_le_bytes()[..], &object.to_le_bytes(), &bytes.to_le_bytes(), &next.to_le_bytes()].concat()
    }

    fn begins(accesses: &[(u32, u64, u32, i64)]) -> bool {
        OracleGeneral::begins(&accesses.iter().copied().map(record).collect::<Vec<_>>().concat())
    }

    #[test]
    fn accesses_are_reads_of_sectors_at_whole_seconds() {
        let row = OracleGeneral::parse(&record((5_633_898, 42_932_745, 6_656, -1)));
        assert_eq!(row, Ok(ParsedLine::request(5_633_898, Op::Read, (42_932_745, 13), 0)));
        assert_eq!(
            OracleGeneral::parse(&record((1, u64::MAX, 0, -1))),
            Ok(ParsedLine::request(1, Op::Read, (0, 0), 0))
        );
        assert_eq!(OracleGeneral::parse(&record((1, u64::MAX, 1, -1))).unwrap_err().field, "object");
    }

    #[test]
    fn next_accesses_tell_the_format_from_other_bytes() {
        let sound = [(5, 8, 512, 3), (5, 9, 512, -1), (6, 8, 512, 90), (6, 7, 512, i64::MAX)];
        assert!(begins(&sound));
        assert!(!begins(&sound[..1]), "too few");
        for (place, wrong) in [
            (0, (7, 8, 512, 3)),
            (0, (5, 8, 0, 3)),
            (0, (5, 8, 512, 2)),
            (1, (5, 9, 512, -2)),
            (1, (5, 9, 512, 2)),
            (2, (6, 8, 512, 1)),
        ] {
            let mut changed = sound;
            changed[place] = wrong;
            assert!(!begins(&changed), "{wrong:?}");
        }
    }
}
