//! Time series of a quantity, in a bounded number of intervals.
//!
//! # Data structure
//!
//! All intervals have the same length. When a run needs more intervals than the maximum, their length doubles
//! and neighbours are merged. Memory is therefore independent of the length of the run, which need not be
//! known in advance.

use crate::{SimSpan, SimTime};

/// Initial length of the intervals.
const FIRST_LENGTH: SimSpan = SimSpan::from_us(1);

/// Integral of a quantity over each interval.
#[derive(Clone, Debug)]
pub struct TimeSeries {
    origin: SimTime,
    length: SimSpan,
    /// Integral of the quantity over each interval, in quantity × picoseconds.
    sums: Vec<u128>,
    most: usize,
}

impl TimeSeries {
    /// Creates an empty series that starts at `origin`, with at most `most` intervals. An odd `most` is
    /// increased by one, and values below 2 are increased to 2.
    pub fn new(origin: SimTime, most: u32) -> Self {
        let most = most.max(2).next_multiple_of(2) as usize;
        Self { origin, length: FIRST_LENGTH, sums: Vec::with_capacity(most), most }
    }

    /// Adds `amount` to the quantity for the time from `from` to `to`. Time before the origin is ignored.
    pub fn add(&mut self, from: SimTime, to: SimTime, amount: u32) {
        let mut from = from.max(self.origin);
        if amount == 0 || to <= from {
            return;
        }
        while self.place(to) >= self.most {
            self.join_neighbours();
        }
        let last = self.place(to);
        if self.sums.len() <= last {
            self.sums.resize(last + 1, 0);
        }
        while from < to {
            let place = self.place(from);
            let end = self.end_of(place).min(to);
            self.sums[place] += u128::from(end.since(from).as_ps()) * u128::from(amount);
            from = end;
        }
    }

    fn place(&self, at: SimTime) -> usize {
        (at.since(self.origin).as_ps() / self.length.as_ps()) as usize
    }

    fn start_of(&self, place: usize) -> SimTime {
        self.origin + self.length * place as u64
    }

    fn end_of(&self, place: usize) -> SimTime {
        self.start_of(place + 1)
    }

    fn join_neighbours(&mut self) {
        self.length = self.length * 2;
        let joined = self.sums.len().div_ceil(2);
        for place in 0..joined {
            self.sums[place] = self.sums[2 * place] + self.sums.get(2 * place + 1).copied().unwrap_or(0);
        }
        self.sums.truncate(joined);
    }

    /// Returns the length of an interval.
    pub const fn length(&self) -> SimSpan {
        self.length
    }

    /// Returns the mean of the quantity in each interval up to `end`. Each interval has at least the given
    /// length, except that the last one may be shorter.
    pub fn means(&self, length: SimSpan, end: SimTime) -> Vec<f64> {
        let mut series = self.clone();
        while series.length < length {
            series.join_neighbours();
        }
        let count = end.since(series.origin).as_ps().div_ceil(series.length.as_ps()) as usize;
        let covered = |place| series.end_of(place).min(end).since(series.start_of(place));
        let sum = |place: usize| series.sums.get(place).copied().unwrap_or(0) as f64;
        (0..count).map(|place| sum(place) / covered(place).as_ps() as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    #[test]
    fn means_are_over_the_time_of_each_interval_and_the_last_may_be_shorter() {
        let mut series = TimeSeries::new(at(0), 4);
        series.add(at(0), at(3), 2);
        series.add(at(5), at(6), 8);
        // Four intervals of 1 µs cannot hold six microseconds: their length becomes 2 µs, and the last
        // interval is complete.
        assert_eq!(series.length(), SimSpan::from_us(2));
        assert_eq!(series.means(series.length(), at(6)), [2.0, 1.0, 4.0]);
        assert_eq!(series.means(SimSpan::from_us(4), at(6)), [1.5, 4.0], "the second is two long");
        assert_eq!(series.means(series.length(), at(9)), [2.0, 1.0, 4.0, 0.0, 0.0]);
    }

    #[test]
    fn what_lies_before_the_origin_does_not_count() {
        let mut series = TimeSeries::new(at(10), 4);
        series.add(at(0), at(12), 1);
        series.add(at(3), at(9), 1);
        assert_eq!(series.means(series.length(), at(12)), [1.0, 1.0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_when_intervals_are_joined(
            most in 1_u32..40, spans in proptest::collection::vec((0_u64..5_000, 0_u64..700, 0_u32..9), 0..40)
        ) {
            let mut series = TimeSeries::new(at(0), most);
            let mut whole = 0_u64;
            for &(from, length, amount) in &spans {
                series.add(at(from), at(from + length), amount);
                whole += length * u64::from(amount);
            }
            let end = series.length().as_us() * 64.0;
            let means = series.means(series.length(), at(end as u64));
            let found: f64 = means.iter().sum::<f64>() * series.length().as_us();
            prop_assert!((found - whole as f64).abs() < 1e-6 * (1.0 + whole as f64));
        }
    }
}
