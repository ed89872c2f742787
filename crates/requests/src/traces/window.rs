//! Sorting of requests by time, within a window of fixed size.
//!
//! Tools that keep one log per processor write records in sorted runs; an example is `blkparse` without a
//! subsequent sort. A request that is at most [`WINDOW_REQUESTS`] positions late in the file is sorted
//! correctly.

use super::Record;

/// Number of requests in the window. A request that is late by at most this number of positions is sorted
/// correctly.
pub(super) const WINDOW_REQUESTS: usize = 65_536;

/// Buffer that sorts requests from file order to time order.
pub(super) struct SortingBuffer {
    held: Vec<Record>,
    /// Index of the first request not yet returned.
    next: usize,
    /// Index after the last request whose order is final.
    settled: usize,
    latest: u64,
    unsorted: bool,
    out_of_order: u64,
}

impl SortingBuffer {
    pub(super) fn new() -> Self {
        Self { held: Vec::new(), next: 0, settled: 0, latest: 0, unsorted: false, out_of_order: 0 }
    }

    /// Returns true if the buffer holds enough requests to determine the order of some of them.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.held.len() >= 2 * WINDOW_REQUESTS
    }

    /// Adds the next request of the file.
    #[inline]
    pub(super) fn push(&mut self, record: Record) {
        if record.ticks < self.latest {
            self.out_of_order += 1;
            self.unsorted = true;
        } else {
            self.latest = record.ticks;
        }
        self.held.push(record);
    }

    /// Sorts the buffered requests. Their order is then final, except for those of the last window if the
    /// file has more.
    pub(super) fn settle(&mut self, at_end: bool) {
        if self.unsorted {
            // Stable: equal times keep the order of the file. Two sorted runs are merged in linear time.
            self.held.sort_by_key(|record| record.ticks);
            self.unsorted = false;
        }
        self.settled = if at_end { self.held.len() } else { self.held.len().saturating_sub(WINDOW_REQUESTS) };
    }

    /// Removes and returns the next request in time order; `None` if more of the file must be read first.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Record> {
        if self.next == self.settled {
            return None;
        }
        let record = self.held[self.next];
        self.next += 1;
        if self.next == self.settled {
            self.held.drain(..self.settled);
            (self.next, self.settled) = (0, 0);
        }
        Some(record)
    }

    /// Returns the number of requests with a time before that of an earlier request in the file.
    pub(super) fn out_of_order(&self) -> u64 {
        self.out_of_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Op;

    fn record(ticks: u64) -> Record {
        Record { ticks, op: Op::Read, start_sector: ticks, sectors: 1, queue: 0, pattern_set: 0 }
    }

    /// Returns the times in sorted order, and the number of out-of-order requests.
    fn through(ticks: impl Iterator<Item = u64>) -> (Vec<u64>, u64) {
        let mut window = SortingBuffer::new();
        let mut out = Vec::new();
        for ticks in ticks {
            window.push(record(ticks));
            if window.is_full() {
                window.settle(false);
                out.extend(std::iter::from_fn(|| window.pop()).map(|record| record.ticks));
            }
        }
        window.settle(true);
        out.extend(std::iter::from_fn(|| window.pop()).map(|record| record.ticks));
        (out, window.out_of_order())
    }

    #[test]
    fn a_request_finds_its_place_from_a_window_away_and_no_farther() {
        let window = WINDOW_REQUESTS as u64;
        // Times 0, 1, 2, …, with time `late` moved to position `at`.
        let displaced = |late: u64, at: u64| {
            let rest = (0..4 * window).filter(move |&ticks| ticks != late);
            rest.clone().take(at as usize).chain([late]).chain(rest.skip(at as usize))
        };
        for by in [1, 100, window] {
            let (out, out_of_order) = through(displaced(50, 50 + by));
            assert!(out.is_sorted() && out.len() as u64 == 4 * window, "by {by}");
            assert_eq!(out_of_order, 1);
        }
        let (out, out_of_order) = through(displaced(50, 50 + 2 * window));
        assert!(!out.is_sorted());
        assert_eq!((out.len() as u64, out_of_order), (4 * window, 1));
    }

    #[test]
    fn equal_times_keep_the_order_of_the_file() {
        let mut window = SortingBuffer::new();
        for (place, ticks) in [7, 5, 7, 5].into_iter().enumerate() {
            window.push(Record { start_sector: place as u64, ..record(ticks) });
        }
        window.settle(true);
        let places: Vec<u64> =
            std::iter::from_fn(|| window.pop()).map(|record| record.start_sector).collect();
        assert_eq!(places, [1, 3, 0, 2]);
    }
}
