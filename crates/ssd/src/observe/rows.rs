//! Rows of the request log, kept small: two processors pass them to each other, to whom each byte counts.
//!
//! # How
//! What follows from the rest is left out: a request is completed when all the time is over that its stages took. What few requests have lies
//! apart, in the order in which they come.

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::STAGES;
use crate::geometry::ChipId;
use crate::host::scheduler::Met;
use venice_requests::Op;

use super::holder::{Behind, CAUSES};
use super::row::RequestRow;

/// Rows in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct RequestRows {
    each: Vec<Packed>,
    seldom: Vec<Seldom>,
}

/// What every row has.
#[derive(Clone, Copy, Debug)]
struct Packed {
    number: u64,
    start_sector: u64,
    arrival: SimTime,
    fetched: SimTime,
    stages: [SimSpan; STAGES.len()],
    sectors: u32,
    /// The number of its chip and one; 0 for none.
    chip: u32,
    /// The place behind that of the rest; 0 if it has none.
    rest: u32,
    queue: u16,
    op: Op,
    conflicted: bool,
}

/// What few rows have.
#[derive(Clone, Copy, Debug)]
struct Seldom {
    handed_over: SimTime,
    batch: u64,
    behind: [SimSpan; CAUSES.len()],
    met: Met,
    has_failed: bool,
}

impl Seldom {
    /// Of a row that has nothing of it.
    #[inline]
    fn none(arrival: SimTime) -> Self {
        let behind = [SimSpan::ZERO; CAUSES.len()];
        Self { handed_over: arrival, batch: 0, behind, met: Met::default(), has_failed: false }
    }
}

/// Whether a row has anything that few have.
fn has_rest(row: &RequestRow) -> bool {
    let is_behind = row.behind.spans.iter().any(|span| !span.is_zero());
    let is_scheduled = row.handed_over != row.arrival || row.batch != 0 || row.met.read || row.met.write;
    is_behind || is_scheduled || row.has_failed
}

fn rest_of(row: &RequestRow) -> Seldom {
    Seldom {
        handed_over: row.handed_over,
        batch: row.batch,
        behind: row.behind.spans,
        met: row.met,
        has_failed: row.has_failed,
    }
}

impl RequestRows {
    /// None, with memory for so many.
    pub fn with_capacity(rows: usize) -> Self {
        Self { each: Vec::with_capacity(rows), seldom: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Forgets them, but keeps their memory.
    pub fn clear(&mut self) {
        self.each.clear();
        self.seldom.clear();
    }

    /// One more.
    pub fn push(&mut self, row: &RequestRow) {
        let rest = if has_rest(row) { self.put_apart(rest_of(row)) } else { 0 };
        self.each.push(Packed {
            number: row.number,
            start_sector: row.start_sector,
            arrival: row.arrival,
            fetched: row.fetched,
            stages: row.stages,
            sectors: row.sectors,
            chip: row.behind.chip.map_or(0, |chip| chip.0 + 1),
            rest,
            queue: row.queue,
            op: row.op,
            conflicted: row.conflicted,
        });
    }

    /// The place behind that of what few rows have.
    #[cold]
    fn put_apart(&mut self, rest: Seldom) -> u32 {
        self.seldom.push(rest);
        self.seldom.len() as u32
    }

    /// Those at these places.
    pub fn range(&self, places: Range<usize>) -> impl Iterator<Item = RequestRow> {
        self.each[places].iter().map(|packed| self.row(packed))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = RequestRow> {
        self.range(0..self.len())
    }

    fn row(&self, packed: &Packed) -> RequestRow {
        let rest = packed.rest.checked_sub(1).map(|place| self.seldom[place as usize]);
        let rest = rest.unwrap_or_else(|| Seldom::none(packed.arrival));
        RequestRow {
            number: packed.number,
            queue: packed.queue,
            op: packed.op,
            start_sector: packed.start_sector,
            sectors: packed.sectors,
            arrival: packed.arrival,
            handed_over: rest.handed_over,
            met: rest.met,
            batch: rest.batch,
            fetched: packed.fetched,
            completed: packed.arrival + packed.stages.iter().copied().sum::<SimSpan>(),
            conflicted: packed.conflicted,
            has_failed: rest.has_failed,
            stages: packed.stages,
            behind: Behind { spans: rest.behind, chip: packed.chip.checked_sub(1).map(ChipId) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64) -> RequestRow {
        let at = |us: u64| SimTime::ZERO + SimSpan::from_us(us);
        RequestRow {
            number,
            queue: 3,
            op: Op::Write,
            start_sector: 1 << 40,
            sectors: 9,
            arrival: at(5),
            handed_over: at(5),
            met: Met::default(),
            batch: 0,
            fetched: at(6),
            completed: at(13),
            conflicted: true,
            has_failed: false,
            stages: std::array::from_fn(|stage| SimSpan::from_us(u64::from(stage > 3) * 2)),
            behind: Behind::default(),
        }
    }

    #[test]
    fn a_row_comes_back_as_it_went_in_whatever_few_have() {
        let (plain, mut behind, mut rows) = (row(0), Behind::default(), RequestRows::with_capacity(2));
        behind.spans[2] = SimSpan::from_us(1);
        let all = [
            plain,
            RequestRow { behind: Behind { chip: Some(ChipId(0)), ..plain.behind }, ..row(1) },
            RequestRow { behind, ..row(2) },
            RequestRow { handed_over: plain.fetched, ..row(3) },
            RequestRow { met: Met { read: false, write: true }, ..row(4) },
            RequestRow { batch: 7, ..row(5) },
            RequestRow { has_failed: true, ..row(6) },
            row(7),
        ];
        for row in &all {
            rows.push(row);
        }
        assert_eq!(rows.iter().collect::<Vec<_>>(), all);
        assert_eq!(rows.range(2..4).collect::<Vec<_>>(), all[2..4]);
        assert_eq!(
            (rows.len(), rows.seldom.len()),
            (8, 5),
            "two rows have nothing apart, and one a chip alone"
        );
        rows.clear();
        rows.push(&all[5]);
        assert_eq!(rows.iter().collect::<Vec<_>>(), [all[5]]);
    }

    #[test]
    fn a_row_that_has_nothing_apart_is_less_than_two_lines_of_a_cache() {
        assert!(size_of::<Packed>() <= 112);
    }
}
