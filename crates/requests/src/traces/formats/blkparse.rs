//! Trace format `blkparse`: default output of `blkparse` for recordings of `blktrace`.
//!
//! # What it models
//!
//! Lines have the columns `maj,min cpu sequence time pid event RWBS sector + sectors [process]`. A request
//! has several events on its way through the block layer: queued (Q), inserted (I), dispatched (D), completed
//! (C) and others.
//!
//! # How
//!
//! One event per request is read: D (dispatched to the drive after merging) or Q (issued by the file system).
//! Times are in seconds with nine decimals since the start of the recording, addresses in sectors of 512
//! bytes. In RWBS, a leading `F` is a flush, either alone or before the request. The letters `R`, `W` and `D`
//! stand for read, write and discard, and an `F` after `W` for forced unit access. Commands to the drive
//! count as other operations. Devices are numbered in order of appearance. The summary at the end is skipped.
//!
//! Each processor writes its own log, so lines are often out of order; the reader sorts them. `blktrace`
//! occasionally writes corrupt times, decades after the start. Such records are skipped and counted.
//!
//! # What is left out
//!
//! A requeued request is dispatched twice and counts twice. User-defined formats (`blkparse -f`) need
//! `--columns`.
//!
//! # Source
//!
//! Brunelle, "blktrace User Guide", 2007; the manual page of `blkparse`. The YCSB-`RocksDB` traces of Yadgar
//! et al., "SSD-Based Workload Characteristics and Their Performance Implications", TOS 2021, are published
//! in this format.

use venice_kernel::SimSpan;

use super::super::devices::Devices;
use super::super::fields::{blank_field, extent_of_sectors, fixed_point, whole};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::options::BlockLayerEvent;
use super::super::{LineFault, ParsedLine, PresentEvents, Record, TraceFormat, TraceOptions};
use super::spc::S_NS_DECIMALS;
use crate::request::{HostRequest, Op};

/// End of the simulated time range in nanoseconds, longer than any recording.
const LATEST_NS: u64 = u64::MAX / 1_000;

/// Major device number of SCSI disks (Linux, `major.h`), used when traces are written.
const DISK_MAJOR: u64 = 8;

/// Maximum number of RWBS letters.
const RWBS_LETTERS: usize = 8;

/// Trace format `blkparse`.
pub(crate) struct Blkparse {
    wanted: BlockLayerEvent,
    /// Number of events that were not requested (queued or dispatched); `found` counts the requested
    /// ones.
    others: u64,
    found: u64,
    devices: Devices,
    in_summary: bool,
}

impl TraceFormat for Blkparse {
    const TICK: SimSpan = SimSpan::from_ns(1);

    fn new(options: &TraceOptions) -> Self {
        let devices = Devices::default();
        Self { wanted: options.event, others: 0, found: 0, devices, in_summary: false }
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let device = blank_field(&mut rest);
        if !is_device(device) {
            return self.summary(line);
        }
        self.in_summary = false;
        let _cpu_and_sequence = (number(&mut rest, "cpu")?, number(&mut rest, "sequence")?);
        let ticks = fixed_point(blank_field(&mut rest), S_NS_DECIMALS)
            .ok_or(LineFault { field: "time", expected: "seconds, as in `0.000011950`" })?;
        number(&mut rest, "pid")?;
        let event = event_of(blank_field(&mut rest))?;
        let rwbs = letters(blank_field(&mut rest))?;
        if event != Some(self.wanted) {
            self.others += u64::from(event.is_some());
            return Ok(ParsedLine::Nothing);
        }
        self.found += 1;
        if ticks > LATEST_NS {
            return Ok(ParsedLine::GarbledTime);
        }
        let (sector, sign) = (blank_field(&mut rest), blank_field(&mut rest));
        let (letters, is_behind_flush) = rwbs.strip_prefix(b"F").map_or((rwbs, false), |rest| (rest, true));
        let (Some(op), b"+") = (op_of(letters), sign) else {
            return self.other_op(rwbs, ticks, device);
        };
        let (start_sector, sectors) = extent_of_sectors(sector, blank_field(&mut rest))?;
        let queue = self.devices.number(device)?;
        if is_behind_flush && sectors == 0 {
            return Ok(ParsedLine::flush(ticks, queue));
        }
        let record = Record { ticks, op, start_sector, sectors, queue, pattern_set: 0 };
        Ok(if is_behind_flush { ParsedLine::AfterFlush(record) } else { ParsedLine::Request(record) })
    }

    fn instead(&self) -> Option<PresentEvents> {
        let instead = PresentEvents { wanted: self.wanted, other: self.wanted.other(), count: self.others };
        Some(instead).filter(|instead| instead.count > 0 && self.found == 0)
    }

    fn device_name(&self, number: u16) -> String {
        self.devices.name(number)
    }
}

impl TraceText for Blkparse {
    const OTHER_OPS: &'static [Op] = &[Op::Trim, Op::TrimRange, Op::Flush];

    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        let HostRequest { start_sector, sectors, queue, .. } = request.request;
        line.number(DISK_MAJOR).numbers(",", &[queue.into()]).text(" 0").numbers(" ", &[request.number]);
        line.text(" ").decimal(request.ticks, S_NS_DECIMALS).text(letters_of(request.request.op));
        line.numbers(" ", &[start_sector]).numbers(" + ", &[sectors.into()]).text(" [venice]");
    }
}

/// Returns the text of the columns `pid`, `event` and `RWBS` for a dispatched request.
const fn letters_of(op: Op) -> &'static str {
    match op {
        Op::Read | Op::Gather | Op::Search => " 0 D R",
        Op::Trim | Op::TrimRange => " 0 D D",
        Op::Flush => " 0 D FF",
        Op::FuaWrite => " 0 D WF",
        _ => " 0 D W",
    }
}

impl Blkparse {
    /// Returns the row for an operation other than read, write and discard.
    #[cold]
    fn other_op(&mut self, rwbs: &[u8], ticks: u64, device: &[u8]) -> Result<ParsedLine, LineFault> {
        match rwbs {
            [b'D', ..] => Ok(ParsedLine::Trim),
            [b'F', ..] => Ok(ParsedLine::flush(ticks, self.devices.number(device)?)),
            _ => Ok(ParsedLine::OtherOp),
        }
    }

    /// Parses a line that is not an event. Lines of the summary, which starts with a processor or with the
    /// totals, are skipped; other lines are errors.
    #[cold]
    fn summary(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        self.in_summary |= line.starts_with(b"CPU") || line.starts_with(b"Total (");
        if self.in_summary {
            return Ok(ParsedLine::Nothing);
        }
        Err(LineFault { field: "device", expected: "major and minor number, as in `8,16`" })
    }
}

/// Returns true if `field` consists of two numbers separated by a comma.
#[inline]
fn is_device(field: &[u8]) -> bool {
    let mut parts = field.splitn(2, |&byte| byte == b',');
    let mut is_number =
        || parts.next().is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    is_number() && is_number()
}

#[inline]
fn number(rest: &mut &[u8], field: &'static str) -> Result<u64, LineFault> {
    whole(blank_field(rest)).ok_or(LineFault { field, expected: "a whole number" })
}

/// Returns the event if it can represent a request; `None` for other events.
#[inline]
fn event_of(field: &[u8]) -> Result<Option<BlockLayerEvent>, LineFault> {
    match field {
        b"D" => Ok(Some(BlockLayerEvent::Dispatched)),
        b"Q" => Ok(Some(BlockLayerEvent::Queued)),
        [letter] | [letter, _] if letter.is_ascii_alphabetic() => Ok(None),
        _ => Err(LineFault { field: "event", expected: "one or two letters, as in `D`" }),
    }
}

#[inline]
fn letters(field: &[u8]) -> Result<&[u8], LineFault> {
    let sound = (1..=RWBS_LETTERS).contains(&field.len()) && field.iter().all(u8::is_ascii_uppercase);
    if sound { Ok(field) } else { Err(LineFault { field: "RWBS", expected: "letters, as in `WS`" }) }
}

/// Returns the operation for the letters in `RWBS`; `None` if it is neither read, write nor trim.
#[inline]
fn op_of(letters: &[u8]) -> Option<Op> {
    match letters {
        [b'R', ..] => Some(Op::Read),
        [b'W', b'F', ..] => Some(Op::FuaWrite),
        [b'W', ..] => Some(Op::Write),
        [b'D', ..] => Some(Op::Trim),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{record, row, wrong};
    use super::*;

    #[test]
    fn a_dispatch_is_a_request() {
        let expected = Record {
            ticks: 26_421,
            op: Op::Read,
            start_sector: 4_938_888,
            sectors: 256,
            queue: 0,
            pattern_set: 0,
        };
        let line = "8,16   3        5     0.000026421  3645  D   R 4938888 + 256 [java]";
        assert_eq!(record::<Blkparse>(line), expected);
    }

    #[test]
    fn letters_tell_reads_and_writes_from_the_rest() {
        let line = |rwbs: &str| format!("8,16 3 5 0.0 3645 D {rwbs} 8 + 8 [java]");
        for (rwbs, op) in [
            ("RA", Op::Read),
            ("RM", Op::Read),
            ("WS", Op::Write),
            ("WFS", Op::FuaWrite),
            ("D", Op::Trim),
            ("DS", Op::Trim),
            ("DE", Op::Trim),
        ] {
            assert_eq!(record::<Blkparse>(&line(rwbs)).op, op, "{rwbs}");
        }
        let record_of = |op| Record { ticks: 0, op, start_sector: 8, sectors: 8, queue: 0, pattern_set: 0 };
        for (rwbs, row_of) in [
            ("F", ParsedLine::flush(0, 0)),
            ("FF", ParsedLine::flush(0, 0)),
            ("FN", ParsedLine::flush(0, 0)),
            ("FWFS", ParsedLine::AfterFlush(record_of(Op::FuaWrite))),
            ("FWS", ParsedLine::AfterFlush(record_of(Op::Write))),
            ("N", ParsedLine::OtherOp),
            ("ZR", ParsedLine::OtherOp),
        ] {
            assert_eq!(row::<Blkparse>(&line(rwbs)), Ok(row_of), "{rwbs}");
        }
        assert_eq!(
            row::<Blkparse>("8,16 3 5 0.0 3645 D R 36 (12 00 00 00 24 00) [hal]"),
            Ok(ParsedLine::OtherOp)
        );
        assert_eq!(row::<Blkparse>("8,16 3 5 0.0 3645 D FN [kworker]"), Ok(ParsedLine::flush(0, 0)));
    }

    #[test]
    fn other_events_and_the_summary_are_passed_over() {
        let mut format = Blkparse::new(&TraceOptions::default());
        for line in [
            "8,16   5        1     0.000000000 18615  A   R 1444645666 + 256 <- (8,17) 1444645632",
            "8,16   5        4     0.000008750 18615  P   N [java]",
            "8,16   5        0     0.400214840     0  m   N cfq18615S / insert_request",
            "8,16   5       43     0.400216605 18615 UT   N [java] 2",
            "CPU0 (8,16):",
            "Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB",
            "Total (8,16):",
            "Events (8,16): 29662 entries",
        ] {
            assert_eq!(format.parse(line.as_bytes()), Ok(ParsedLine::Nothing), "{line}");
        }
        assert!(
            format.parse(b"8,0 5 1 0.0 18615 D R 8 + 8 [java]").is_ok_and(|row| row != ParsedLine::Nothing)
        );
        assert!(format.parse(b"Events (8,16): 29662 entries").is_err(), "the summary has not begun again");
    }

    #[test]
    fn the_other_event_is_read_by_option_and_offered_when_it_is_alone() {
        let queued = b"8,16 3 5 0.5 3645 Q W 8 + 8 [java]";
        let mut dispatches = Blkparse::new(&TraceOptions::default());
        assert_eq!(dispatches.parse(queued), Ok(ParsedLine::Nothing));
        let instead =
            PresentEvents { wanted: BlockLayerEvent::Dispatched, other: BlockLayerEvent::Queued, count: 1 };
        assert_eq!(dispatches.instead(), Some(instead));
        let mut queues =
            Blkparse::new(&TraceOptions { event: BlockLayerEvent::Queued, ..TraceOptions::default() });
        assert!(matches!(queues.parse(queued), Ok(ParsedLine::Request(_))));
        assert_eq!(queues.instead(), None);
    }

    #[test]
    fn a_time_after_decades_is_garbled() {
        let line = "8,16 1 6 1266874889.708668759 3646 D R 5632664 + 256 [java]";
        assert_eq!(row::<Blkparse>(line), Ok(ParsedLine::GarbledTime));
    }

    #[test]
    fn every_bad_column_is_named() {
        for (line, field) in [
            ("sda 3 5 0.0 3645 D R 8 + 8", "device"),
            ("8, 3 5 0.0 3645 D R 8 + 8", "device"),
            ("8,1 x 5 0.0 3645 D R 8 + 8", "cpu"),
            ("8,1 3 5 -0.5 3645 D R 8 + 8", "time"),
            ("8,1 3 5 0.0 3645 DDD R 8 + 8", "event"),
            ("8,1 3 5 0.0 3645 D 17 8 + 8", "RWBS"),
            ("8,1 3 5 0.0 3645 D R 8 + -8", "size"),
            ("8,1 3 5 0.0 3645 D R -8 + 8", "lba"),
            ("8,1 3 5 0.0", "pid"),
        ] {
            assert_eq!(wrong::<Blkparse>(line), field, "{line}");
        }
    }
}
