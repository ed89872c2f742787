//! Trace format `fio-iolog`: logs of `fio --write_iolog`, versions 2 and 3.
//!
//! # What it models
//!
//! The first line is `fio version 2 iolog` or `fio version 3 iolog`. Further lines have the columns `file
//! action` (add, open, close) or `file action offset length`. In version 3 each line starts with a time.
//!
//! # How
//!
//! Offsets and lengths are in bytes. Files are numbered in order of appearance, and the number is the queue.
//! Times in version 3 are in microseconds since the start of the job, as fio writes them (its manual says
//! milliseconds). Version 2 has no times except in the action `wait`, whose operand is the time to wait for,
//! in milliseconds since the start, as in fio's replay (its manual says microseconds since the previous
//! wait). All requests between two waits arrive at the same time, so a log without waits should be replayed
//! with `--closed-loop`.
//!
//! # What is left out
//!
//! Waits for a time in the past are ignored, as in fio. Each of `sync`, `datasync`, `sync_file_range` and
//! `syncfs` is a flush. Version 1, which has neither a header nor offsets in a common unit, is not supported.
//!
//! # Source
//!
//! The manual of fio, section "Trace file format", and its `iolog.c` for the units: `read_iolog_get` compares
//! the operand of `wait` with `mtime_since_genesis`, the milliseconds since the start.

use venice_kernel::SimSpan;

use super::super::devices::Devices;
use super::super::fields::{blank_field, ends, extent_of_bytes, fixed_point, whole};
use super::super::line::{LineBuffer, NumberedRequest, TraceText};
use super::super::{LineFault, ParsedLine, TraceFormat, TraceOptions};
use crate::request::Op;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Version 2 of the format, in which only waits have times.
    Two,
    /// Version 3 of the format, in which every line has a time.
    Three,
}

/// Trace format `fio-iolog`.
pub(crate) struct FioIolog {
    version: Option<Version>,
    /// Latest time that a wait has reached, in version 2 of the format.
    waited_us: u64,
    files: Devices,
}

impl TraceFormat for FioIolog {
    const TICK: SimSpan = SimSpan::from_us(1);

    fn new(_: &TraceOptions) -> Self {
        Self { version: None, waited_us: 0, files: Devices::default() }
    }

    fn remark(lines: &[&[u8]]) -> Option<&'static str> {
        lines.contains(&VERSION_2).then_some(
            "`wait` is read as fio's replay reads it: the instant to wait for, in milliseconds from the start; the waits \
             of fio's manual, in microseconds since the wait before, would give other gaps",
        )
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = line;
        let ticks = match self.version {
            _ if line.starts_with(b"fio version ") => return self.begin(line),
            None => return Err(HEADER),
            Some(Version::Two) => self.waited_us,
            Some(Version::Three) => microseconds(&mut rest, "time")?,
        };
        let file = blank_field(&mut rest);
        match blank_field(&mut rest) {
            b"read" => self.request(file, Op::Read, ticks, rest),
            b"write" => self.request(file, Op::Write, ticks, rest),
            b"add" | b"open" | b"close" => Ok(ParsedLine::Nothing),
            b"sync" | b"datasync" | b"sync_file_range" | b"syncfs" => {
                Ok(ParsedLine::flush(ticks, self.files.number(file)?))
            }
            b"trim" => self.request(file, Op::Trim, ticks, rest),
            b"wait" if self.version == Some(Version::Two) => self.wait(rest),
            _ => Err(LineFault { field: "action", expected: "an action of fio, as in `read`" }),
        }
    }

    fn device_name(&self, number: u16) -> String {
        self.files.name(number)
    }
}

impl TraceText for FioIolog {
    const OTHER_OPS: &'static [Op] = &[Op::Trim, Op::TrimRange, Op::Flush];
    const HEADER: &'static str = "fio version 3 iolog\n0 /dev/venice0 add\n0 /dev/venice0 open\n";

    #[inline]
    fn write(request: &NumberedRequest, line: &mut LineBuffer) {
        line.number(request.ticks).text(" /dev/venice").number(request.request.queue);
        line.text(action_of(request.request.op)).numbers(" ", &[request.offset(), request.bytes()]);
    }
}

const fn action_of(op: Op) -> &'static str {
    match op {
        Op::Read | Op::Gather | Op::Search => " read",
        Op::Trim | Op::TrimRange => " trim",
        Op::Flush => " sync",
        _ => " write",
    }
}

/// First line of a log in version 2 of the format.
const VERSION_2: &[u8] = b"fio version 2 iolog";

const US_PER_MS: u64 = 1_000;

const HEADER: LineFault = LineFault {
    field: "line",
    expected: "`fio version 2 iolog` or `fio version 3 iolog`, before all others",
};

impl FioIolog {
    #[cold]
    fn begin(&mut self, line: &[u8]) -> Result<ParsedLine, LineFault> {
        let version = match line {
            VERSION_2 => Version::Two,
            b"fio version 3 iolog" => Version::Three,
            _ => return Err(HEADER),
        };
        self.version = Some(version);
        Ok(ParsedLine::Nothing)
    }

    #[inline]
    fn request(&mut self, file: &[u8], op: Op, ticks: u64, extent: &[u8]) -> Result<ParsedLine, LineFault> {
        let mut rest = extent;
        let extent = extent_of_bytes(blank_field(&mut rest), blank_field(&mut rest))?;
        ends(rest, "at most a time, a file, an action, an offset and a length")?;
        Ok(ParsedLine::request(ticks, op, extent, self.files.number(file)?))
    }

    fn wait(&mut self, mut rest: &[u8]) -> Result<ParsedLine, LineFault> {
        let until_ms = whole(blank_field(&mut rest))
            .ok_or(LineFault { field: "wait", expected: "a whole number of milliseconds" })?;
        self.waited_us = self.waited_us.max(until_ms.saturating_mul(US_PER_MS));
        Ok(ParsedLine::Nothing)
    }
}

#[inline]
fn microseconds(rest: &mut &[u8], field: &'static str) -> Result<u64, LineFault> {
    fixed_point(blank_field(rest), 0).ok_or(LineFault { field, expected: "a whole number of microseconds" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Result<ParsedLine, LineFault>> {
        let mut format = FioIolog::new(&TraceOptions::default());
        text.lines().map(|line| format.parse(line.as_bytes())).collect()
    }

    #[test]
    fn waits_of_version_2_are_instants_in_milliseconds() {
        let found = rows(
            "fio version 2 iolog\na add\na open\na read 0 512\na wait 70 0\nb write 512 512\n\
             b wait 100 0\nb wait 30 0\na trim 0 512\nb read 0 512\na close",
        );
        let requests: Vec<ParsedLine> = found
            .into_iter()
            .map(Result::unwrap)
            .filter(|row| matches!(row, ParsedLine::Request(_)))
            .collect();
        let expected = [
            ParsedLine::request(0, Op::Read, (0, 1), 0),
            ParsedLine::request(70_000, Op::Write, (1, 1), 1),
            ParsedLine::request(100_000, Op::Trim, (0, 1), 0),
            ParsedLine::request(100_000, Op::Read, (0, 1), 1),
        ];
        assert_eq!(requests, expected);
    }

    #[test]
    fn times_of_version_3_are_microseconds() {
        let found = rows("fio version 3 iolog\n2 a add\n878 a write 0 16384\n888 a datasync 0 0");
        assert_eq!(found[2], Ok(ParsedLine::request(878, Op::Write, (0, 32), 0)));
        assert_eq!(found[3], Ok(ParsedLine::flush(888, 0)));
    }

    #[test]
    fn a_line_without_its_header_is_unknown() {
        for text in ["a read 0 512", "fio version 4 iolog", "fio version 1 iolog"] {
            assert_eq!(rows(text), [Err(HEADER)], "{text}");
        }
    }

    #[test]
    fn every_bad_column_is_named() {
        for (header, line, field) in [
            (3, "a read 0 512", "time"),
            (3, "5 a wait 5 0", "action"),
            (2, "a fsync 0 512", "action"),
            (2, "a wait x", "wait"),
            (2, "a read -1 512", "offset"),
            (2, "a read 0 -512", "size"),
            (2, "a read 0 512 1", "line"),
        ] {
            let found = rows(&format!("fio version {header} iolog\n{line}"));
            assert_eq!(found[1].unwrap_err().field, field, "{line}");
        }
    }
}
