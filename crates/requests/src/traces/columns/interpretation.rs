//! Conversion of the columns of a line to a request.

use venice_kernel::SimSpan;

use super::super::devices::Devices;
use super::super::fields::{covering, fixed_point, iso_ns, other_op, pattern_set, plain_op, whole};
use super::super::{LineFault, ParsedLine, Record};
use super::roles::LineFields;
use crate::request::{Op, SECTOR_BYTES};

/// Interpretation of the columns of a user-defined format: units of times and addresses, and spellings of
/// operations.
pub(super) struct ColumnInterpretation {
    time: TimeUnit,
    offset_bytes: u64,
    size_bytes: u64,
    op: Option<OperationNames>,
}

/// Format of the time stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeUnit {
    /// Time stamps are numbers in a given unit.
    Number {
        tick: SimSpan,
        /// Number of decimals that are significant in this unit.
        decimals: u32,
    },
    /// Time stamps are ISO 8601 dates.
    Iso,
}

impl TimeUnit {
    fn of(name: &str) -> Result<Self, String> {
        let (tick_ns, decimals) = match name {
            "s" => (1, 9),
            "ms" => (1, 6),
            "us" => (1, 3),
            "ns" => (1, 0),
            "100ns" => (100, 0),
            "iso" => return Ok(Self::Iso),
            _ => {
                return Err(format!("unknown unit of time `{name}`; expected: s, ms, us, ns, 100ns or iso"));
            }
        };
        Ok(Self::Number { tick: SimSpan::from_ns(tick_ns), decimals })
    }

    /// Returns the unit of the time stamps.
    fn tick(self) -> SimSpan {
        match self {
            Self::Number { tick, .. } => tick,
            Self::Iso => SimSpan::from_ns(1),
        }
    }

    #[inline]
    fn ticks(self, field: &[u8]) -> Result<u64, LineFault> {
        match self {
            Self::Number { decimals, .. } => fixed_point(field, decimals).ok_or(LineFault {
                field: "time",
                expected: "a number in the described unit; time:iso describes dates",
            }),
            Self::Iso => iso_ns(field).ok_or(LineFault {
                field: "time",
                expected: "a date and time, as in `2024-06-01 12:00:00.25`",
            }),
        }
    }
}

/// Spellings of operations. If `others` is `None`, all remaining spellings are accepted as operations to
/// skip.
struct OperationNames {
    reads: Vec<Vec<u8>>,
    writes: Vec<Vec<u8>>,
    others: Option<Vec<Vec<u8>>>,
}

const ALL_THE_REST: &str = "*";

impl OperationNames {
    fn of(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let spellings = |part: &str| part.split('+').map(|word| word.as_bytes().to_vec()).collect();
        let (reads, writes, others) = match *parts.as_slice() {
            [reads, writes] => (reads, writes, ""),
            [reads, writes, others] => (reads, writes, others),
            _ => return Err(format!("invalid `op:{text}`; expected: op:READ:WRITE or op:READ:WRITE:OTHER")),
        };
        let others = (others != ALL_THE_REST).then(|| spellings(others));
        Ok(Self { reads: spellings(reads), writes: spellings(writes), others })
    }

    /// Returns the operation that `field` names; `None` for an operation to skip.
    #[inline]
    fn op(&self, field: &[u8]) -> Result<Option<Op>, LineFault> {
        let among = |words: &[Vec<u8>]| words.iter().any(|word| word == field);
        if among(&self.reads) {
            Ok(Some(Op::Read))
        } else if among(&self.writes) {
            Ok(Some(Op::Write))
        } else if self.others.as_ref().is_none_or(|others| !field.is_empty() && among(others)) {
            Ok(None)
        } else {
            Err(LineFault { field: "op", expected: "one of the described operation names" })
        }
    }
}

impl ColumnInterpretation {
    /// Parses the words of a column description. Its set of columns has already been validated.
    pub(super) fn new(words: &[&str]) -> Result<Self, String> {
        let word_of = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'));
        let time = word_of("time")
            .ok_or("the unit of time is missing; expected: a unit after the column, such as time:us")?;
        if let Some(name) = ["device", "set"].into_iter().find(|name| word_of(name).is_some()) {
            return Err(format!("the column `{name}` has no unit; expected: {name}"));
        }
        Ok(Self {
            time: TimeUnit::of(time)?,
            offset_bytes: word_of("offset").map_or(Ok(1), bytes_of)?,
            size_bytes: word_of("size").map_or(Ok(1), bytes_of)?,
            op: word_of("op").map(OperationNames::of).transpose()?,
        })
    }

    /// Returns the unit of the time stamps.
    pub(super) fn tick(&self) -> SimSpan {
        self.time.tick()
    }

    /// Converts the columns of a line to a request.
    #[inline]
    pub(super) fn row(
        &self,
        fields: &LineFields<'_>,
        devices: &mut Devices,
    ) -> Result<ParsedLine, LineFault> {
        let ticks = self.time.ticks(fields.time)?;
        let op = match &self.op {
            Some(spelling) => spelling.op(fields.op)?,
            None => plain_op(fields.op)?,
        };
        let op = match op.ok_or_else(|| other_op(fields.op)) {
            Ok(op) => op,
            Err(ParsedLine::Trim) if !fields.size.is_empty() => Op::Trim,
            Err(ParsedLine::Flush) => return Ok(ParsedLine::flush(ticks, queue(fields, devices)?)),
            Err(other) => return Ok(other),
        };
        let size = scaled(fields.size, self.size_bytes).ok_or(wrong("size"))?;
        let extent = covering(scaled(fields.offset, self.offset_bytes), size, wrong("offset"))?;
        let ((start_sector, sectors), queue) = (extent, queue(fields, devices)?);
        let number = if fields.pattern_set.is_empty() { Some(0) } else { whole(fields.pattern_set) };
        let pattern_set = pattern_set(op, number)?;
        Ok(ParsedLine::Request(Record { ticks, op, start_sector, sectors, queue, pattern_set }))
    }
}

/// Returns the device number of a line, or 0 if the format has no device column.
#[inline]
fn queue(fields: &LineFields<'_>, devices: &mut Devices) -> Result<u16, LineFault> {
    if fields.device.is_empty() { Ok(0) } else { devices.number(fields.device) }
}

/// Returns the error for an invalid number in `field`.
const fn wrong(field: &'static str) -> LineFault {
    LineFault { field, expected: "a whole number in the described unit" }
}

fn bytes_of(unit: &str) -> Result<u64, String> {
    match unit {
        "byte" => Ok(1),
        "sector" => Ok(u64::from(SECTOR_BYTES)),
        _ => whole(unit.as_bytes()).filter(|&bytes| bytes > 0).ok_or_else(|| {
            format!("unknown unit of addresses `{unit}`; expected: byte, sector, or the number of bytes of the unit")
        }),
    }
}

#[inline]
fn scaled(field: &[u8], unit_bytes: u64) -> Option<u64> {
    let number = match field.strip_prefix(b"0x") {
        Some(digits) => hexadecimal(digits)?,
        None => whole(field)?,
    };
    number.checked_mul(unit_bytes)
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let is_sound = digits.iter().all(u8::is_ascii_hexdigit);
    std::str::from_utf8(digits).ok().filter(|_| is_sound).and_then(|text| u64::from_str_radix(text, 16).ok())
}
