//! Proposed column descriptions for error messages.
//!
//! Roles are inferred from the values; units are placeholders. No trace is read with a proposed description.

use super::super::fields::{fixed_point, is_plain_op, iso_ns};
use super::ColumnDescription;
use super::header::Header;
use super::separator::Separator;

/// Number of lines examined.
const SAMPLE_LINES: usize = 32;

/// Sample lines, split into columns.
struct SplitLines<'a> {
    separator: Separator,
    columns: Vec<Vec<&'a [u8]>>,
}

/// Returns a description that fits these lines, if there is one.
pub(in super::super) fn suggested(lines: &[&[u8]]) -> Option<String> {
    let is_header = Header::of(lines.first()?).is_some();
    let lines = &lines[usize::from(is_header)..];
    let lines = &lines[..lines.len().min(SAMPLE_LINES)];
    let description = SplitLines::of(lines)?.description()?;
    let mut described = ColumnDescription::new(&description).ok()?;
    lines.iter().all(|line| described.row(line).is_ok()).then_some(description)
}

impl<'a> SplitLines<'a> {
    /// Splits lines into columns; `None` unless all have the same number of columns.
    fn of(lines: &[&'a [u8]]) -> Option<Self> {
        let separator = Separator::of(lines.first()?);
        let rows: Vec<_> = lines.iter().map(|line| separator.fields(line)).collect();
        let width = rows[0].len();
        let is_even = rows.iter().all(|row| row.len() == width);
        let column = |number: usize| rows.iter().map(|row| row[number]).collect();
        is_even.then(|| Self { separator, columns: (0..width).map(column).collect() })
    }

    fn description(&self) -> Option<String> {
        let (op, op_word) = self.op()?;
        let (time, time_word) = self.time(op)?;
        let (offset, size) = self.extent(op, time)?;
        let word = |number| match number {
            _ if number == op => op_word,
            _ if number == time => time_word,
            _ if number == offset => "offset",
            _ if number == size => "size",
            _ => "-",
        };
        let words: Vec<&str> = (0..self.columns.len()).map(word).collect();
        Some(words.join(&self.separator.text()))
    }

    /// Returns the first column that contains words for operations, otherwise the last column of ones and
    /// zeros.
    fn op(&self) -> Option<(usize, &'static str)> {
        let is_bit = |value: &[u8]| matches!(value, b"0" | b"1");
        let has_both = |column: &[&[u8]]| column.contains(&&b"0"[..]) && column.contains(&&b"1"[..]);
        let words = self.columns.iter().position(|column| all(column, is_plain_op));
        let bits = || self.columns.iter().rposition(|column| all(column, is_bit) && has_both(column));
        words.map(|number| (number, "op")).or_else(|| Some((bits()?, "op:1:0")))
    }

    /// Returns the first column of dates, otherwise the first column of non-decreasing numbers.
    fn time(&self, op: usize) -> Option<(usize, &'static str)> {
        let dates = self.columns.iter().position(|column| all(column, |value| iso_ns(value).is_some()));
        if let Some(number) = dates {
            return Some((number, "time:iso"));
        }
        let rises = |number: &usize| self.numbers(*number).is_some_and(|numbers| numbers.is_sorted());
        let number = (0..self.columns.len()).filter(|&number| number != op).find(rises)?;
        let has_point = self.columns[number].iter().any(|value| value.contains(&b'.'));
        Some((number, if has_point { "time:s" } else { "time:us" }))
    }

    /// Returns the address and the length column among the first two other columns of numbers. The address is
    /// the column with zeros; if neither or both have zeros, the one with the larger maximum.
    fn extent(&self, op: usize, time: usize) -> Option<(usize, usize)> {
        let numbers = (0..self.columns.len()).filter(|&number| number != op && number != time);
        let mut ranked = numbers.filter_map(|number| {
            let values = self.numbers(number)?;
            Some(((values.contains(&0), values.into_iter().max()?), number))
        });
        let (first, second) = (ranked.next()?, ranked.next()?);
        Some(if second.0 > first.0 { (second.1, first.1) } else { (first.1, second.1) })
    }

    /// Returns a column of numbers, truncated to integers.
    fn numbers(&self, number: usize) -> Option<Vec<u64>> {
        self.columns[number].iter().map(|value| fixed_point(value, 0)).collect()
    }
}

fn all(column: &[&[u8]], is: impl Fn(&[u8]) -> bool) -> bool {
    column.iter().all(|value| is(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggestion(text: &str) -> Option<String> {
        suggested(&text.lines().map(str::as_bytes).collect::<Vec<_>>())
    }

    #[test]
    fn a_suggestion_reads_the_lines_that_it_is_for() {
        for (text, description) in [
            ("5,R,0,512\n6,W,8192,512", "time:us,op,offset,size"),
            ("x;0.5;write;512;8192\ny;0.5;read;512;0", "-;time:s;op;size;offset"),
            ("when,what,where,much\n2024-06-01 12:00:00,R,8,8", "time:iso,op,offset,size"),
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
