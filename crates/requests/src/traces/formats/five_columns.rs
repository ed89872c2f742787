//! Columns of SSDSim's traces, `time device lba size op`. Such traces occur with three units of time.
//!
//! # Unit of time
//!
//! The files do not state the unit. It is inferred from the first lines:
//!
//! 1. If every time is a multiple of 100, the unit is the nanosecond. Clocks of published block traces have
//!    at best a resolution of 100 ns, so times in nanoseconds end in two zeros. Times in coarser units do so
//!    only by chance.
//! 2. Otherwise, if columns are separated by single tabs, the unit is 100 ns, as in files of `TraceTracker`.
//! 3. Otherwise, with at least sixteen lines and a mean gap below 10,000 units, the unit is the microsecond.
//!    In nanoseconds
//!    the rate would exceed 100,000 requests per second, which no volume of the published traces reaches.
//! 4. Otherwise the unit is the nanosecond.
//!
//! Reports state the rule that applied, and `--format` overrides it.

use super::super::fields::{
    blank_extent_of_sectors, blank_field, blank_whole, device_numbered, ends, is_digits, op_1_reads, whole,
};
use super::super::line::{LineBuffer, NumberedRequest};
use super::super::{LineFault, ParsedLine};
use crate::request::HostRequest;

/// Minimum number of lines from which the rate is estimated.
const LINES_FOR_A_RATE: usize = 16;
/// Mean gap between requests, in units of the file, below which the unit must be longer than a nanosecond.
const CLOSEST_MEAN_GAP: u64 = 10_000;

/// Unit of the time stamps in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TickUnit {
    Ns,
    HundredNs,
    Us,
}

/// Parses a line; `expected` describes a valid time, for messages.
#[inline]
pub(super) fn parse(line: &[u8], expected: &'static str) -> Result<ParsedLine, LineFault> {
    let mut rest = line;
    let ticks = blank_whole(&mut rest).ok_or(LineFault { field: "time", expected })?;
    let queue = device_numbered(blank_whole(&mut rest), "device")?;
    let extent = blank_extent_of_sectors(&mut rest)?;
    let op = op_1_reads(blank_field(&mut rest))?;
    ends(rest, "five columns")?;
    Ok(ParsedLine::request(ticks, op, extent, queue))
}

/// Writes a request as a line of five columns.
#[inline]
pub(super) fn write(request: &NumberedRequest, separator: &str, line: &mut LineBuffer) {
    let HostRequest { start_sector, sectors, queue, .. } = request.request;
    let after_time = [queue.into(), start_sector, sectors.into(), request.op(1, 0)];
    line.number(request.ticks).numbers(separator, &after_time);
}

/// Returns true if all times are integers and their inferred unit is `unit`.
pub(super) fn counts_in(unit: TickUnit, lines: &[&[u8]]) -> bool {
    lines.iter().all(|line| is_digits(blank_field(&mut &**line))) && unit_of(lines) == unit
}

/// Infers the unit of time from the first lines.
fn unit_of(lines: &[&[u8]]) -> TickUnit {
    let times = || lines.iter().filter_map(|line| whole(blank_field(&mut &**line)));
    if times().all(|time| time % 100 == 0) {
        TickUnit::Ns
    } else if lines.iter().all(|line| has_single_tabs(line)) {
        TickUnit::HundredNs
    } else if lines.len() >= LINES_FOR_A_RATE && mean_gap(times()) < CLOSEST_MEAN_GAP {
        TickUnit::Us
    } else {
        TickUnit::Ns
    }
}

fn has_single_tabs(line: &[u8]) -> bool {
    line.contains(&b'\t') && !line.contains(&b' ') && !line.windows(2).any(|pair| pair == b"\t\t")
}

fn mean_gap(times: impl Iterator<Item = u64> + Clone) -> u64 {
    let (first, last) = (times.clone().min(), times.clone().max());
    let gaps = times.count().saturating_sub(1).max(1) as u64;
    last.zip(first).map_or(0, |(last, first)| (last - first) / gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(separator: &str, times: impl Iterator<Item = u64>) -> TickUnit {
        let lines: Vec<String> =
            times.map(|time| [&time.to_string(), "0", "8", "8", "1"].join(separator)).collect();
        unit_of(&lines.iter().map(String::as_bytes).collect::<Vec<_>>())
    }

    #[test]
    fn the_unit_of_time_follows_the_stated_rule() {
        assert_eq!(unit(" ", (0..32).map(|line| line * 100)), TickUnit::Ns, "whole hundreds");
        assert_eq!(unit("\t", (0..32).map(|line| line * 100)), TickUnit::Ns, "whole hundreds, with tabs");
        assert_eq!(unit("\t", (0..3).map(|line| line * 977)), TickUnit::HundredNs, "tabs");
        assert_eq!(unit("  ", (0..32).map(|line| line * 977)), TickUnit::Us, "close together");
        assert_eq!(unit(" ", (0..15).map(|line| line * 977)), TickUnit::Ns, "too few lines");
        assert_eq!(unit(" ", (0..32).map(|line| line * 10_001)), TickUnit::Ns, "far apart");
        assert_eq!(unit(" ", (0..32).map(|line| line * 9_999)), TickUnit::Us, "just close enough");
    }
}
