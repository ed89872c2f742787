//! Proposed column descriptions for error messages.
//!
//! The roles and units of columns are inferred from the values. A proposed description is never used to read
//! a trace: it is printed with its reasons, for the user to check.

use super::super::fields::{fixed_point, is_plain_op, iso_ns};
use super::ColumnDescription;
use super::header::Header;
use super::header_names::TIMES_SINCE;
use super::separator::Separator;
use crate::SECTOR_BYTES;

/// Number of lines examined.
const SAMPLE_LINES: usize = 32;

/// Sample lines, split into columns.
struct SplitLines<'a> {
    separator: Separator,
    columns: Vec<Vec<&'a [u8]>>,
}

/// Proposed description of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedColumns {
    /// Proposed argument of the option `--columns`.
    pub description: String,
    /// Reasons for the units in the description.
    pub reasons: String,
}

/// Inferred unit of a column, with the reason.
struct Unit {
    /// Name of the unit in a column description; empty for the default unit.
    word: &'static str,
    reason: String,
}

impl Unit {
    fn new(word: &'static str, reason: &str) -> Self {
        Self { word, reason: reason.to_owned() }
    }
}

/// Returns a column description that fits these lines, if there is one.
pub(in super::super) fn suggested(lines: &[&[u8]]) -> Option<SuggestedColumns> {
    let is_header = Header::of(lines.first()?).is_some();
    let lines = &lines[usize::from(is_header)..];
    let lines = &lines[..lines.len().min(SAMPLE_LINES)];
    let suggestion = SplitLines::of(lines)?.suggestion()?;
    let mut described = ColumnDescription::new(&suggestion.description).ok()?;
    lines.iter().all(|line| described.row(line).is_ok()).then_some(suggestion)
}

impl<'a> SplitLines<'a> {
    /// Splits lines into columns. Returns `None` unless all lines have the same number of columns.
    fn of(lines: &[&'a [u8]]) -> Option<Self> {
        let separator = Separator::of(lines.first()?);
        let rows: Vec<_> = lines.iter().map(|line| separator.fields(line)).collect();
        let width = rows[0].len();
        let is_even = rows.iter().all(|row| row.len() == width);
        let column = |number: usize| rows.iter().map(|row| row[number]).collect();
        is_even.then(|| Self { separator, columns: (0..width).map(column).collect() })
    }

    fn suggestion(&self) -> Option<SuggestedColumns> {
        let (op, op_word) = self.op()?;
        let (time, time_unit) = self.time(op)?;
        let (offset, size) = self.extent(op, time)?;
        let (offset_unit, size_unit) = (self.offset_unit(offset, size)?, self.size_unit(size)?);
        let word = |number| match number {
            _ if number == op => op_word.to_owned(),
            _ if number == time => format!("time:{}", time_unit.word),
            _ if number == offset => format!("offset{}", offset_unit.word),
            _ if number == size => format!("size{}", size_unit.word),
            _ => "-".to_owned(),
        };
        let words: Vec<String> = (0..self.columns.len()).map(word).collect();
        let reasons = [time_unit.reason, offset_unit.reason, size_unit.reason].join("; ");
        Some(SuggestedColumns { description: words.join(&self.separator.text()), reasons })
    }

    /// Returns the column of operations: the first one that contains words for operations, otherwise the last
    /// one of ones and zeros.
    fn op(&self) -> Option<(usize, &'static str)> {
        let is_bit = |value: &[u8]| matches!(value, b"0" | b"1");
        let has_both = |column: &[&[u8]]| column.contains(&&b"0"[..]) && column.contains(&&b"1"[..]);
        let words = self.columns.iter().position(|column| all(column, is_plain_op));
        let bits = || self.columns.iter().rposition(|column| all(column, is_bit) && has_both(column));
        words.map(|number| (number, "op")).or_else(|| Some((bits()?, "op:1:0")))
    }

    /// Returns the column of times: the first one of dates, otherwise the first one of non-decreasing
    /// numbers.
    fn time(&self, op: usize) -> Option<(usize, Unit)> {
        let dates = self.columns.iter().position(|column| all(column, |value| iso_ns(value).is_some()));
        if let Some(number) = dates {
            return Some((number, Unit::new("iso", "time as dates")));
        }
        let rises = |number: &usize| self.numbers(*number).is_some_and(|numbers| numbers.is_sorted());
        let number = (0..self.columns.len()).filter(|&number| number != op).find(rises)?;
        Some((number, self.time_unit(number)?))
    }

    fn time_unit(&self, number: usize) -> Option<Unit> {
        let last = self.numbers(number)?.into_iter().max()?;
        if let Some((word, _, since)) = TIMES_SINCE.iter().find(|(_, range, _)| range.contains(&last)) {
            return Some(Unit { word, reason: format!("time in {since}, by its size") });
        }
        let has_point = self.columns[number].iter().any(|value| value.contains(&b'.'));
        Some(if has_point {
            Unit::new("s", "time in s, since it has decimals")
        } else {
            Unit::new("us", "time in µs is a guess")
        })
    }

    /// Returns the unit of sizes. It is inferred from the fact that no request is shorter than a sector.
    fn size_unit(&self, size: usize) -> Option<Unit> {
        let sizes = self.numbers(size)?;
        Some(if sizes.iter().all(|&size| size < u64::from(SECTOR_BYTES)) {
            Unit::new(":sector", "size in sectors, since all are below 512")
        } else if are_whole_sectors(&sizes) {
            Unit::new("", "size in bytes, since all are multiples of 512")
        } else {
            Unit::new("", "size in bytes is a guess")
        })
    }

    fn offset_unit(&self, offset: usize, size: usize) -> Option<Unit> {
        let offsets = self.numbers(offset)?;
        Some(if self.size_unit(size)?.word == ":sector" {
            Unit::new(":sector", "offset in sectors, like the size")
        } else if are_whole_sectors(&offsets) {
            Unit::new("", "offset in bytes, since all are multiples of 512")
        } else {
            Unit::new(":sector", "offset in sectors, since some are no multiples of 512")
        })
    }

    /// Returns the address column and the length column, which are the first two other columns of numbers.
    /// The address is the column with zeros; if neither or both have zeros, it is the one with the larger
    /// maximum.
    fn extent(&self, op: usize, time: usize) -> Option<(usize, usize)> {
        let numbers = (0..self.columns.len()).filter(|&number| number != op && number != time);
        let mut ranked = numbers.filter_map(|number| {
            let values = self.numbers(number)?;
            Some(((values.contains(&0), values.into_iter().max()?), number))
        });
        let (first, second) = (ranked.next()?, ranked.next()?);
        Some(if second.0 > first.0 { (second.1, first.1) } else { (first.1, second.1) })
    }

    /// Returns the values of a column of numbers, truncated to integers; `None` for another column.
    fn numbers(&self, number: usize) -> Option<Vec<u64>> {
        self.columns[number].iter().map(|value| fixed_point(value, 0)).collect()
    }
}

fn are_whole_sectors(values: &[u64]) -> bool {
    values.iter().all(|value| value.is_multiple_of(u64::from(SECTOR_BYTES)))
}

fn all(column: &[&[u8]], is: impl Fn(&[u8]) -> bool) -> bool {
    column.iter().all(|value| is(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggestion(text: &str) -> Option<String> {
        let suggested = suggested(&text.lines().map(str::as_bytes).collect::<Vec<_>>());
        suggested.map(|columns| columns.description)
    }

    #[test]
    fn a_suggestion_reads_the_lines_that_it_is_for() {
        for (text, description) in [
            ("5,R,0,512\n6,W,8192,512", "time:us,op,offset,size"),
            ("x;0.5;write;512;8192\ny;0.5;read;512;0", "-;time:s;op;size;offset"),
            ("when,what,where,much\n2024-06-01 12:00:00,R,8,8", "time:iso,op,offset:sector,size:sector"),
            ("128166372003061629,R,7014609920,24576", "time:100ns,op,offset,size"),
            ("1700000000123,R,70001,4096\n1700000000124,W,7,512", "time:ms,op,offset:sector,size"),
            ("7 4096 65536 1 a\n9 8192 0 0 b", "time:us size offset op:1:0 -"),
        ] {
            assert_eq!(suggestion(text).as_deref(), Some(description), "{text}");
        }
    }

    #[test]
    fn no_description_is_suggested_for_other_files() {
        for text in ["<html><head>", "a,b,c,d\n1,2,3", "1,2,3,4", "R,R,R,R", "9,R,0\n5,R,0", ""] {
            assert_eq!(suggestion(text), None, "{text}");
        }
    }
}
