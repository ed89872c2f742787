//! How requests come and go over the measured phase: whether the drive keeps up, and whether latencies are of one kind.
//!
//! # How
//! Counts in a bounded number of intervals, whose length doubles as the run outgrows them. A request is counted when it is
//! complete, in the interval of its issue and in that of its end, so that a run of any length costs the same.

use venice_kernel::{SimSpan, SimTime};

use super::{Completion, Probe};

/// How long the first intervals are.
const FIRST_LENGTH: SimSpan = SimSpan::from_us(1);
/// Intervals at most; a run has at least half as many, once it is longer than so many of the first length.
const MOST: usize = 64;

/// Requests of one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Issued in it.
    pub issued: u64,
    /// Completed in it.
    pub completed: u64,
    /// Latencies of those that were issued in it, summed in picoseconds.
    pub latency_ps: u128,
}

impl Interval {
    fn with(self, other: Self) -> Self {
        Self {
            issued: self.issued + other.issued,
            completed: self.completed + other.completed,
            latency_ps: self.latency_ps + other.latency_ps,
        }
    }
}

/// Requests of the measured phase as they came and went.
#[derive(Clone, Debug)]
pub struct LoadRecord {
    first_issue: Option<SimTime>,
    last_issue: SimTime,
    last_completion: SimTime,
    issued: u64,
    completed: u64,
    outstanding_at_last_issue: u64,
    length: SimSpan,
    intervals: Vec<Interval>,
    /// The interval that was looked up last, and when it begins, since the first issue, in picoseconds: nearly always the next, too, and
    /// to be there without a division.
    last: (usize, u64),
}

impl Default for LoadRecord {
    fn default() -> Self {
        Self {
            first_issue: None,
            last_issue: SimTime::ZERO,
            last_completion: SimTime::ZERO,
            issued: 0,
            completed: 0,
            outstanding_at_last_issue: 0,
            length: FIRST_LENGTH,
            intervals: Vec::new(),
            last: (0, 0),
        }
    }
}

impl LoadRecord {
    /// A request that was issued then is complete.
    #[inline]
    pub fn completed(&mut self, issue: SimTime, now: SimTime) {
        self.completed += 1;
        self.last_completion = now;
        let end = self.place(now);
        let begin = self.place(issue);
        self.intervals[end].completed += 1;
        self.intervals[begin].issued += 1;
        self.intervals[begin].latency_ps += u128::from(now.since(issue).as_ps());
    }

    /// The interval of an instant, which is there afterwards. Of the two of a request the later one is asked for first.
    #[inline]
    fn place(&mut self, at: SimTime) -> usize {
        let since = at.since(self.first_issue.unwrap_or_default()).as_ps();
        let (place, begin) = self.last;
        if since.wrapping_sub(begin) < self.length.as_ps() && place < self.intervals.len() {
            return place;
        }
        self.look_up(since)
    }

    #[cold]
    fn look_up(&mut self, since: u64) -> usize {
        loop {
            let place = (since / self.length.as_ps()) as usize;
            if place < self.intervals.len() {
                self.last = (place, place as u64 * self.length.as_ps());
                return place;
            }
            self.make_room(place);
        }
    }

    fn make_room(&mut self, place: usize) {
        if place < MOST {
            self.intervals.resize(place + 1, Interval::default());
            return;
        }
        let pairs = self.intervals.chunks(2).map(|pair| match *pair {
            [one, other] => one.with(other),
            [one] => one,
            _ => unreachable!("chunks of two have one or two"),
        });
        self.intervals = pairs.collect();
        self.length = self.length * 2;
    }

    /// From the first issue to the last.
    pub fn window(&self) -> SimSpan {
        self.first_issue.map_or(SimSpan::ZERO, |first| self.last_issue.since(first))
    }

    /// From the last issue to the last completion.
    pub fn drain(&self) -> SimSpan {
        self.last_completion.max(self.last_issue).since(self.last_issue)
    }

    /// Requests that the host issued.
    pub const fn requests(&self) -> u64 {
        self.issued
    }

    /// Requests that were outstanding when the last one was issued, itself included.
    pub const fn outstanding_at_last_issue(&self) -> u64 {
        self.outstanding_at_last_issue
    }

    /// How long an interval is.
    pub const fn length(&self) -> SimSpan {
        self.length
    }

    /// What was counted, from the first issue to the last completion.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// How many of the intervals were over when the last request was issued.
    pub fn whole_intervals(&self) -> usize {
        ((self.window().as_ps() / self.length.as_ps()) as usize).min(self.intervals.len())
    }
}

impl Probe for LoadRecord {
    fn on_measuring(&mut self, _requests: u64, _now: SimTime) {
        *self = Self::default();
    }

    #[inline]
    fn on_issue(&mut self, now: SimTime) {
        self.first_issue.get_or_insert(now);
        self.last_issue = now;
        self.issued += 1;
        self.outstanding_at_last_issue = self.issued - self.completed;
    }

    #[inline]
    fn on_completion(&mut self, completion: &Completion<'_>, now: SimTime) {
        if completion.is_measured {
            self.completed(completion.request.host.arrival, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request every `gap` µs, each complete `latency(n)` µs after its issue.
    fn load(requests: u64, gap: u64, latency: impl Fn(u64) -> u64) -> LoadRecord {
        let at = |us: u64| SimTime::ZERO + SimSpan::from_us(us);
        let mut happenings: Vec<(u64, bool, u64)> =
            (0..requests).flat_map(|n| [(n * gap, true, n), (n * gap + latency(n), false, n)]).collect();
        happenings.sort_unstable();
        let mut load = LoadRecord::default();
        for (us, is_issue, n) in happenings {
            if is_issue { load.on_issue(at(us)) } else { load.completed(at(n * gap), at(us)) }
        }
        load
    }

    #[test]
    fn intervals_double_and_lose_nothing() {
        for requests in [1, 10, 64, 65, 1000, 40_000] {
            let load = load(requests, 3, |n| 10 + n % 7);
            let sum = load.intervals().iter().fold(Interval::default(), |sum, one| sum.with(*one));
            let latency_us: u64 = (0..requests).map(|n| 10 + n % 7).sum();
            assert_eq!(sum.issued, requests);
            assert_eq!(sum.completed, requests);
            assert_eq!(sum.latency_ps, u128::from(latency_us) * 1_000_000);
            assert!(load.intervals().len() <= MOST, "{}", load.intervals().len());
            assert_eq!(load.window(), SimSpan::from_us((requests - 1) * 3));
        }
    }

    #[test]
    fn what_is_outstanding_at_the_last_issue_is_counted_then() {
        assert_eq!(load(100, 10, |_| 5).outstanding_at_last_issue(), 1);
        assert_eq!(load(100, 10, |_| 35).outstanding_at_last_issue(), 4);
        assert_eq!(load(100, 10, |_| 5_000).outstanding_at_last_issue(), 100);
    }
}
