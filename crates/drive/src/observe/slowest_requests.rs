//! List of the slowest requests of a run.

use std::cmp::Reverse;

use venice_kernel::SimSpan;

use super::RequestRow;

/// List of the slowest requests, up to a maximum number, in descending order of latency. Requests with equal
/// latency are in the order of issue.
#[derive(Clone, Debug)]
pub struct SlowestRequests {
    most: usize,
    rows: Vec<RequestRow>,
    /// Smallest latency that enters the list, once the list is full.
    least: Option<SimSpan>,
}

impl SlowestRequests {
    /// Creates an empty list of at most `most` requests.
    pub fn new(most: u32) -> Self {
        Self { most: most as usize, rows: Vec::new(), least: None }
    }

    /// Returns true if the maximum number of requests is not zero.
    pub const fn are_wanted(&self) -> bool {
        self.most > 0
    }

    /// Returns the slowest requests.
    pub fn rows(&self) -> &[RequestRow] {
        &self.rows
    }

    /// Adds a completed request to the list if it is among the slowest requests.
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
