//! Arrivals and completions over the measured phase, to detect overload and drifting latencies.
//!
//! # How
//! Requests are counted in a limited number of intervals. When a run exceeds the total length of the
//! intervals, their length doubles. When a request completes, it is counted in the interval of its issue and
//! in the interval of its completion.

use venice_kernel::{SimSpan, SimTime};

use super::{Completion, Probe};

/// Initial length of the intervals.
const FIRST_LENGTH: SimSpan = SimSpan::from_us(1);
/// Maximum number of intervals. When it is reached, the length of intervals doubles, and half of the
/// intervals remain in use.
const MOST: usize = 64;

/// Numbers and latencies of the requests in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Number of requests issued in the interval.
    pub issued: u64,
    /// Number of requests completed in the interval.
    pub completed: u64,
    /// Sum of the latencies of the requests issued in the interval, in picoseconds.
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

/// Arrivals and completions in the measured phase.
#[derive(Clone, Debug)]
pub struct LoadRecord {
    first_issue: SimTime,
    last_issue: SimTime,
    last_completion: SimTime,
    issued: u64,
    completed: u64,
    completed_at_last_issue: u64,
    length: SimSpan,
    intervals: Vec<Interval>,
    /// Index of the interval with the last completion. The fields `begin` and `end` are the bounds of this
    /// interval, in which most requests are both issued and completed.
    place: usize,
    begin: SimTime,
    end: SimTime,
    /// Number of requests issued and completed in the interval `place` that have not been added to the
    /// interval yet. The field `within_ps` is the sum of their latencies in picoseconds.
    within: u64,
    within_ps: u128,
}

impl Default for LoadRecord {
    fn default() -> Self {
        Self {
            first_issue: SimTime::ZERO,
            last_issue: SimTime::ZERO,
            last_completion: SimTime::ZERO,
            issued: 0,
            completed: 0,
            completed_at_last_issue: 0,
            length: FIRST_LENGTH,
            intervals: Vec::new(),
            place: 0,
            begin: SimTime::ZERO,
            end: SimTime::ZERO,
            within: 0,
            within_ps: 0,
        }
    }
}

impl LoadRecord {
    /// Adds a completed request.
    #[inline]
    pub fn completed(&mut self, issue: SimTime, now: SimTime) {
        self.completed += 1;
        self.last_completion = now;
        if issue >= self.begin && now < self.end {
            self.within += 1;
            self.within_ps += u128::from(now.since(issue).as_ps());
        } else {
            self.completed_across(issue, now);
        }
    }

    /// Adds a completed request that was issued or completed outside the interval `place`.
    fn completed_across(&mut self, issue: SimTime, now: SimTime) {
        self.put_within();
        let (end, begin) = (self.interval(now), self.interval(issue));
        self.intervals[end].completed += 1;
        self.intervals[begin].issued += 1;
        self.intervals[begin].latency_ps += u128::from(now.since(issue).as_ps());
        self.place = end;
        self.begin = self.first_issue + self.length * end as u64;
        self.end = SimTime::from_ps(self.begin.as_ps().saturating_add(self.length.as_ps()));
    }

    /// Adds the requests that are counted in `within` to the interval `place`.
    fn put_within(&mut self) {
        let (requests, latency_ps) = (std::mem::take(&mut self.within), std::mem::take(&mut self.within_ps));
        if let Some(interval) = self.intervals.get_mut(self.place) {
            *interval = interval.with(Interval { issued: requests, completed: requests, latency_ps });
        }
    }

    /// Returns the index of the interval that contains an instant, and extends the list if needed. For a
    /// request, the completion must be looked up before the issue.
    fn interval(&mut self, at: SimTime) -> usize {
        let since = at.since(self.first_issue).as_ps();
        loop {
            let place = (since / self.length.as_ps()) as usize;
            if place < self.intervals.len() {
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

    /// Returns the time from the first to the last issue.
    pub fn window(&self) -> SimSpan {
        self.last_issue.since(self.first_issue)
    }

    /// Returns the time from the last issue to the last completion.
    pub fn drain(&self) -> SimSpan {
        self.last_completion.max(self.last_issue).since(self.last_issue)
    }

    /// Returns the number of completed requests.
    pub const fn requests(&self) -> u64 {
        self.issued
    }

    /// Returns the number of requests that were outstanding after the last issue, including the last one.
    pub const fn outstanding_at_last_issue(&self) -> u64 {
        self.issued - self.completed_at_last_issue
    }

    /// Returns the length of an interval.
    pub const fn length(&self) -> SimSpan {
        self.length
    }

    /// Returns the intervals from the first issue up to the last completion.
    pub fn intervals(&self) -> Vec<Interval> {
        let mut all = self.clone();
        all.put_within();
        all.intervals
    }

    /// Returns the number of intervals that had ended at the last issue.
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
        if self.issued == 0 {
            self.first_issue = now;
        }
        self.last_issue = now;
        self.issued += 1;
        self.completed_at_last_issue = self.completed;
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

    /// Records requests that are issued every `gap` µs. Request n has a latency of `latency(n)` µs.
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
