//! Reader of `blktrace`: binary records of Linux's block-layer tracer.
//!
//! # What it models
//!
//! Records of `struct blk_io_trace`, version 7, each followed by a payload of the given length.
//!
//! # How
//!
//! One event per request is read, either its dispatch to the device or its insertion into the queue, as in
//! `blkparse`. The magic number of the first record determines the byte order. Times are in nanoseconds,
//! addresses in sectors of 512 bytes, lengths in bytes. Devices are numbered in order of appearance.
//! `blktrace` occasionally writes corrupt times: a record whose time differs from the first by more than the
//! simulated time range is skipped and counted.
//!
//! # What is left out
//!
//! Files of several processors are not merged; `blkparse -d` does so. A truncated record at the end of a file
//! is treated as a bad record.
//!
//! # Source
//!
//! `include/uapi/linux/blktrace_api.h` of Linux.

use venice_kernel::SimSpan;

use super::super::devices::Devices;
use super::super::error::{RowUnit, TraceError, hexadecimal};
use super::super::fields::covering;
use super::super::lines::Lines;
use super::super::options::BlockLayerEvent;
use super::super::rows::{RowLocation, RowReader};
use super::super::{LineFault, ParsedLine, PresentEvents, Record};
use crate::request::{Op, SECTOR_BYTES};

/// Unit of time stamps: one nanosecond.
pub(in super::super) const TICK: SimSpan = SimSpan::from_ns(1);

/// Magic number of a record: `BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION`.
const MAGIC: u32 = 0x6561_7407;
const RECORD_BYTES: usize = 48;
/// End of the simulated time range, in nanoseconds since the first record.
const LONGEST_NS: u64 = u64::MAX / 1_000;

/// Action of a queued request (`BLK_TA_QUEUE`) and of a dispatched one (`BLK_TA_ISSUE`), in the lower half of
/// the action word.
const QUEUE: u16 = 1;
const ISSUE: u16 = 7;
/// Bits of `enum blktrace_cat`, in the upper half of the action word.
mod category {
    pub(super) const WRITE: u16 = 1 << 1;
    pub(super) const FLUSH: u16 = 1 << 2;
    pub(super) const PC: u16 = 1 << 9;
    pub(super) const NOTIFY: u16 = 1 << 10;
    pub(super) const DISCARD: u16 = 1 << 13;
    pub(super) const READ: u16 = 1;
    pub(super) const FUA: u16 = 1 << 15;
}

/// Returns true if a file starts with a record of this format.
pub(in super::super) fn begins(head: &[u8]) -> bool {
    order_of(head).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

fn order_of(record: &[u8]) -> Option<ByteOrder> {
    let magic: [u8; 4] = record.get(..4)?.try_into().ok()?;
    match magic {
        _ if u32::from_le_bytes(magic) == MAGIC => Some(ByteOrder::Little),
        _ if u32::from_be_bytes(magic) == MAGIC => Some(ByteOrder::Big),
        _ => None,
    }
}

/// Reader of the rows of a `blktrace` file.
pub(in super::super) struct BlktraceRows {
    bytes: Lines,
    order: Option<ByteOrder>,
    wanted: BlockLayerEvent,
    first_ns: Option<u64>,
    others: u64,
    devices: Devices,
    /// Bytes of the record that was read last.
    record: [u8; RECORD_BYTES],
}

impl BlktraceRows {
    pub(in super::super) fn new(bytes: Lines, wanted: BlockLayerEvent) -> Self {
        let devices = Devices::default();
        Self { bytes, order: None, wanted, first_ns: None, others: 0, devices, record: [0; RECORD_BYTES] }
    }

    /// Converts the current record to a request. The record's payload follows in the file.
    fn parse(&mut self) -> Result<ParsedLine, LineFault> {
        let order = self.order.ok_or(BAD_MAGIC)?;
        let fields = RecordFields { record: &self.record, order };
        let (action, category) = (fields.action() as u16, (fields.action() >> 16) as u16);
        let event = match action {
            _ if category & category::NOTIFY != 0 => None,
            QUEUE => Some(BlockLayerEvent::Queued),
            ISSUE => Some(BlockLayerEvent::Dispatched),
            _ => None,
        };
        if event != Some(self.wanted) {
            self.others += u64::from(event.is_some());
            return Ok(ParsedLine::Nothing);
        }
        let (ns, bytes, device) = (fields.time(), u64::from(fields.bytes()), fields.device());
        if ns.abs_diff(*self.first_ns.get_or_insert(ns)) > LONGEST_NS {
            return Ok(ParsedLine::GarbledTime);
        }
        let Some(op) = op_of(category, bytes) else { return Ok(ParsedLine::OtherOp) };
        let queue = self.devices.number(&device)?;
        if op == Op::Flush {
            return Ok(ParsedLine::flush(ns, queue));
        }
        let offset = fields.sector().checked_mul(u64::from(SECTOR_BYTES));
        let (start_sector, sectors) = covering(offset, bytes, BAD_SECTOR)?;
        let record = Record { ticks: ns, op, start_sector, sectors, queue, pattern_set: 0 };
        let is_behind_flush = category & category::FLUSH != 0;
        Ok(if is_behind_flush { ParsedLine::AfterFlush(record) } else { ParsedLine::Request(record) })
    }
}

/// Number of bits of the minor number in a device number (Linux, `kdev_t.h`).
const MINOR_BITS: u32 = 20;

/// Returns the major and the minor number of a device in the notation of `blkparse`.
fn device_text(device: u32) -> String {
    format!("{},{}", device >> MINOR_BITS, device & ((1 << MINOR_BITS) - 1))
}

const BAD_SECTOR: LineFault = LineFault { field: "sector", expected: "an address below 1 EiB" };
const BAD_MAGIC: LineFault = LineFault { field: "magic", expected: "0x65617407 in either byte order" };

/// Returns the operation of a record; `None` if the record is not a request.
fn op_of(category: u16, bytes: u64) -> Option<Op> {
    let is = |bit: u16| category & bit != 0;
    if is(category::PC) {
        None
    } else if is(category::DISCARD) {
        Some(Op::Trim)
    } else if is(category::FLUSH) && bytes == 0 {
        Some(Op::Flush)
    } else if is(category::WRITE) {
        Some(if is(category::FUA) { Op::FuaWrite } else { Op::Write })
    } else {
        is(category::READ).then_some(Op::Read)
    }
}

/// Reader of the fields of a record at fixed offsets.
struct RecordFields<'a> {
    record: &'a [u8; RECORD_BYTES],
    order: ByteOrder,
}

impl RecordFields<'_> {
    fn time(&self) -> u64 {
        self.number(8..16)
    }

    fn sector(&self) -> u64 {
        self.number(16..24)
    }

    fn bytes(&self) -> u32 {
        self.number(24..28) as u32
    }

    fn action(&self) -> u32 {
        self.number(28..32) as u32
    }

    fn device(&self) -> [u8; 4] {
        (self.number(36..40) as u32).to_be_bytes()
    }

    fn payload_bytes(&self) -> usize {
        self.number(46..48) as usize
    }

    fn number(&self, place: std::ops::Range<usize>) -> u64 {
        let append = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        let bytes = self.record[place].iter();
        match self.order {
            ByteOrder::Big => bytes.fold(0, append),
            ByteOrder::Little => bytes.rev().fold(0, append),
        }
    }
}

impl RowReader for BlktraceRows {
    fn next(&mut self) -> Result<Option<Result<ParsedLine, LineFault>>, TraceError> {
        let bytes = self.bytes.take_bytes(RECORD_BYTES)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let Ok(record) = <[u8; RECORD_BYTES]>::try_from(bytes) else {
            return Ok(Some(Err(LineFault { field: "record", expected: "48 bytes" })));
        };
        self.record = record;
        self.order = order_of(&record);
        let row = self.parse();
        let payload =
            self.order.map_or(0, |order| RecordFields { record: &self.record, order }.payload_bytes());
        let whole = self.bytes.skip_bytes(payload)?;
        Ok(Some(row.and_then(|row| if whole { Ok(row) } else { Err(CUT_OFF) })))
    }

    fn place(&self) -> RowLocation {
        let text = hexadecimal(&self.record);
        RowLocation {
            path: self.bytes.path().to_owned(),
            number: self.bytes.number(),
            unit: RowUnit::Record,
            text,
        }
    }

    fn nothing(&self) -> TraceError {
        let path = self.bytes.path().to_owned();
        let (wanted, count) = (self.wanted, self.others);
        match count {
            0 => TraceError::Empty { path },
            _ => TraceError::NoSuchEvent {
                path,
                instead: PresentEvents { wanted, other: wanted.other(), count },
            },
        }
    }

    fn device_name(&self, number: u16) -> String {
        let bytes = self.devices.bytes_of(number).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or_else(|| number.to_string(), |bytes| device_text(u32::from_be_bytes(bytes)))
    }
}

const CUT_OFF: LineFault = LineFault { field: "payload", expected: "the length stated in the record" };

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use super::*;

    /// Returns a little-endian record of processor 0.
    fn record(ns: u64, sector: u64, bytes: u32, action: u32, device: u32) -> Vec<u8> {
        let head = [MAGIC.to_le_bytes(), 1_u32.to_le_bytes()].concat();
        let place = [ns.to_le_bytes(), sector.to_le_bytes()].concat();
        let what = [bytes, action, 9, device, 0, 0].map(u32::to_le_bytes).concat();
        [head, place, what].concat()
    }

    fn rows(records: &[Vec<u8>]) -> Vec<Result<ParsedLine, LineFault>> {
        let lines = Lines::decode(Cursor::new(records.concat()), Path::new("t")).unwrap();
        let mut rows = BlktraceRows::new(lines, BlockLayerEvent::Dispatched);
        std::iter::from_fn(|| rows.next().unwrap()).collect()
    }

    const fn issue(category: u16) -> u32 {
        ISSUE as u32 | (category as u32) << 16
    }

    #[test]
    fn categories_tell_reads_and_writes_from_the_rest() {
        let of = |category, bytes| rows(&[record(5, 8, bytes, issue(category), 1)])[0];
        let is = |op| Ok(ParsedLine::request(5, op, (8, 8), 0));
        assert_eq!(of(category::READ, 4096), is(Op::Read));
        assert_eq!(of(category::WRITE, 4096), is(Op::Write));
        let write = Record { ticks: 5, op: Op::Write, start_sector: 8, sectors: 8, queue: 0, pattern_set: 0 };
        assert_eq!(of(category::WRITE | category::FLUSH, 4096), Ok(ParsedLine::AfterFlush(write)));
        assert_eq!(of(category::WRITE | category::FLUSH, 0), Ok(ParsedLine::flush(5, 0)), "a flush alone");
        assert_eq!(of(category::WRITE | category::FUA, 4096), is(Op::FuaWrite));
        assert_eq!(of(category::WRITE | category::DISCARD, 4096), is(Op::Trim));
        assert_eq!(of(category::READ | category::PC, 36), Ok(ParsedLine::OtherOp));
        assert_eq!(of(category::READ | category::NOTIFY, 4096), Ok(ParsedLine::Nothing));
        assert_eq!(of(1 << 3, 4096), Ok(ParsedLine::OtherOp), "neither");
    }

    #[test]
    fn a_time_beyond_the_clock_is_garbled_in_either_direction() {
        let at = |ns| record(ns, 8, 512, issue(category::READ), 1);
        let middle = 2 * LONGEST_NS;
        let found = rows(&[at(middle), at(middle + LONGEST_NS), at(middle + LONGEST_NS + 1), at(5)]);
        let garbled: Vec<bool> = found.iter().map(|row| *row == Ok(ParsedLine::GarbledTime)).collect();
        assert_eq!(garbled, [false, false, true, true]);
    }

    #[test]
    fn devices_are_queues_and_lengths_are_rounded_outwards() {
        let read = issue(category::READ);
        let found = rows(&[record(5, 8, 512, read, 7), record(6, 8, 513, read, 9), record(7, 8, 1, read, 7)]);
        let expected = [(5, 1, 0), (6, 2, 1), (7, 1, 0)];
        assert_eq!(
            found,
            expected.map(|(ns, sectors, queue)| Ok(ParsedLine::request(ns, Op::Read, (8, sectors), queue)))
        );
    }
}
