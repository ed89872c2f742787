//! Failed scouts ("polls") of a waiting controller, which are counted without being simulated.

use venice_kernel::{SimSpan, SimTime};

use crate::FabricCounters;

/// Series of failed scouts that depart at equal intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailedScoutSeries {
    /// Departure time of the next scout of the series.
    pub(super) next: SimTime,
    /// Duration of each scout's trip. The next scout departs at its end.
    pub(super) each: SimSpan,
    /// Number of hops of each scout, forward and backward.
    pub(super) hops: u32,
}

impl FailedScoutSeries {
    /// Removes the scouts that departed before `now` from the series, and returns their number and hops.
    #[inline]
    pub(super) fn pass(&mut self, now: SimTime) -> CountedScouts {
        let mut count = 0;
        if now > self.next {
            count = now.since(self.next).as_ps().div_ceil(self.each.as_ps());
            self.next = self.next + self.each * count;
        }
        CountedScouts { count, hops: self.hops }
    }
}

/// Number of failed scouts, with their hops, to be added to the fabric's counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedScouts {
    count: u64,
    /// Number of hops of each counted scout.
    hops: u32,
}

impl CountedScouts {
    #[inline]
    pub(super) fn add_to(self, counters: &mut FabricCounters) {
        counters.scouts += self.count;
        counters.scout_failures += self.count;
        counters.scout_hops += self.count * u64::from(self.hops);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_ns(ns)
    }

    #[test]
    fn scouts_that_set_out_before_an_instant_are_passed_and_not_one_more() {
        let polls = FailedScoutSeries { next: at(10), each: SimSpan::from_ns(4), hops: 2 };
        for (now, passed, next) in
            [(5, 0, 10), (10, 0, 10), (11, 1, 14), (14, 1, 14), (15, 2, 18), (30, 5, 30)]
        {
            let mut polls = polls;
            assert_eq!((polls.pass(at(now)).count, polls.next), (passed, at(next)), "until {now}");
        }
    }
}
