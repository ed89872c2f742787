//! The requests that took longest.

use std::cmp::Reverse;

use venice_kernel::SimSpan;

use super::RequestRow;

/// So many requests, the slowest first; of equals, the one that was issued first.
#[derive(Clone, Debug)]
pub struct Slowest {
    most: usize,
    rows: Vec<RequestRow>,
    /// Less than this is of no interest.
    least: Option<SimSpan>,
}

impl Slowest {
    /// None yet, and `most` at most.
    pub fn new(most: u32) -> Self {
        Self { most: most as usize, rows: Vec::new(), least: None }
    }

    /// Whether any are wanted.
    pub const fn are_wanted(&self) -> bool {
        self.most > 0
    }

    /// They.
    pub fn rows(&self) -> &[RequestRow] {
        &self.rows
    }

    /// A request is complete.
    pub fn add(&mut self, row: &RequestRow) {
        if self.most == 0 || self.least.is_some_and(|least| row.latency() < least) {
            return;
        }
        let order = |row: &RequestRow| (Reverse(row.latency()), row.number);
        let place = self.rows.partition_point(|other| order(other) < order(row));
        self.rows.insert(place, *row);
        self.rows.truncate(self.most);
        self.least = self.rows.last().filter(|_| self.rows.len() == self.most).map(RequestRow::latency);
    }
}
