//! Timeline of the causes (of waits) that have occupied a resource, such as a die.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::wait_causes::CAUSES;

/// Time attributed to each cause of waits, in picoseconds.
pub(super) type ByCause = [u64; CAUSES.len()];

/// Index of a cause of waits in [`CAUSES`], or [`FREE`] for a free resource.
pub(super) type CauseIndex = u8;

/// Index that stands for a free resource.
pub(super) const FREE: CauseIndex = CauseIndex::MAX;

/// Number of entries up to which a timeline is not shortened, because removing entries would cost more than
/// it saves.
const FEW: usize = 128;

/// Period in which one cause occupied the resource of the timeline.
#[derive(Clone, Copy, Debug)]
struct OccupiedPeriod {
    from: SimTime,
    until: SimTime,
    kind: CauseIndex,
    /// Total time of each cause before this period.
    before: ByCause,
}

impl OccupiedPeriod {
    fn up_to(&self, at: SimTime) -> ByCause {
        let mut sums = self.before;
        sums[usize::from(self.kind)] += at.min(self.until).since(self.from.min(at)).as_ps();
        sums
    }
}

/// Timeline of the causes that occupied a resource. It reaches back to the start of the oldest wait in
/// progress.
#[derive(Clone, Debug)]
pub(super) struct OccupationTimeline {
    now: CauseIndex,
    since: SimTime,
    over: VecDeque<OccupiedPeriod>,
    /// Total time of each cause, except for the current occupation.
    sums: ByCause,
    /// Length of the timeline above which old entries are removed.
    most: usize,
}

impl OccupationTimeline {
    /// Creates the timeline of a resource that no cause has occupied so far.
    pub(super) const fn new() -> Self {
        Self { now: FREE, since: SimTime::ZERO, over: VecDeque::new(), sums: [0; CAUSES.len()], most: FEW }
    }

    /// Records that the cause `kind` occupies the resource from `now` on.
    #[inline]
    pub(super) fn set(&mut self, kind: CauseIndex, now: SimTime) {
        if kind != self.now {
            self.change(kind, now);
        }
    }

    fn change(&mut self, kind: CauseIndex, now: SimTime) {
        if self.now != FREE && now > self.since {
            let over = OccupiedPeriod { from: self.since, until: now, kind: self.now, before: self.sums };
            self.sums = over.up_to(now);
            self.over.push_back(over);
        }
        (self.now, self.since) = (kind, now);
    }

    /// Replaces the cause of the current occupation by `kind` if this occupation began at or after `begin`;
    /// otherwise `kind` occupies the resource from `now` on. Repeated failed transfers thus form one
    /// occupation.
    pub(super) fn withdraw(&mut self, begin: SimTime, kind: CauseIndex, now: SimTime) {
        if self.now == FREE || self.since < begin {
            return self.set(kind, now);
        }
        self.now = kind;
        let before = self.over.back().filter(|last| last.until == self.since && last.kind == kind);
        if let Some(&OccupiedPeriod { from, before, .. }) = before {
            (self.since, self.sums) = (from, before);
            self.over.pop_back();
        }
    }

    /// Returns true if the timeline is so long that old entries should be removed.
    #[inline]
    pub(super) fn is_long(&self) -> bool {
        self.over.len() > self.most
    }

    /// Removes entries that ended before `oldest`. Later queries must not use earlier times.
    pub(super) fn forget_before(&mut self, oldest: SimTime) {
        let forgotten = self.over.partition_point(|occupation| occupation.until <= oldest);
        self.over.drain(..forgotten);
        self.most = (2 * self.over.len()).max(FEW);
    }

    /// Returns the time of each cause between two instants, which must not be in the future.
    pub(super) fn between(&self, from: SimTime, to: SimTime) -> ByCause {
        let mut sums = [0; CAUSES.len()];
        if self.over.back().is_some_and(|last| last.until > from) {
            let (before, after) = (self.up_to(from), self.up_to(to));
            sums = std::array::from_fn(|kind| after[kind] - before[kind]);
        }
        if self.now != FREE {
            sums[usize::from(self.now)] += to.since(self.since.max(from).min(to)).as_ps();
        }
        sums
    }

    /// Returns the time of each cause up to `at`, except for the current occupation.
    fn up_to(&self, at: SimTime) -> ByCause {
        let begun = self.over.partition_point(|occupation| occupation.from <= at);
        match begun.checked_sub(1) {
            Some(last) => self.over[last].up_to(at),
            None => self.over.front().map_or(self.sums, |first| first.before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_kernel::SimSpan;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimSpan::from_us(us)
    }

    #[test]
    fn each_instant_belongs_to_the_cause_that_occupied_the_resource_then() {
        let mut timeline = OccupationTimeline::new();
        for (kind, us) in [(0, 2), (3, 5), (FREE, 9), (0, 12)] {
            timeline.set(kind, at(us));
        }
        let sums = timeline.between(at(3), at(14)).map(|ps| ps / 1_000_000);
        assert_eq!((sums[0], sums[3], sums.iter().sum::<u64>()), (2 + 2, 4, 8));
        assert_eq!(timeline.between(at(9), at(12)), [0; CAUSES.len()]);
    }

    #[test]
    fn withdrawn_occupations_count_as_what_preceded_them() {
        let mut timeline = OccupationTimeline::new();
        timeline.set(2, at(1));
        for start in (3..3_000).step_by(3) {
            timeline.set(1, at(start));
            timeline.withdraw(at(start), 2, at(start + 2));
        }
        assert_eq!(timeline.over.len(), 0);
        let sums = timeline.between(at(0), at(4_000)).map(|ps| ps / 1_000_000);
        assert_eq!((sums[1], sums[2]), (0, 3_999));
    }

    #[test]
    fn occupations_older_than_the_withdrawn_transfer_are_kept() {
        let mut timeline = OccupationTimeline::new();
        timeline.set(1, at(1));
        timeline.withdraw(at(3), 2, at(5));
        timeline.set(1, at(7));
        timeline.withdraw(at(7), FREE, at(9));
        let sums = timeline.between(at(0), at(10)).map(|ps| ps / 1_000_000);
        assert_eq!((sums[1], sums[2], sums.iter().sum::<u64>()), (4, 2, 6));
    }

    #[test]
    fn discarding_old_history_does_not_change_answers() {
        let (mut short, mut whole) = (OccupationTimeline::new(), OccupationTimeline::new());
        for round in 0..1000 {
            for timeline in [&mut short, &mut whole] {
                timeline.set((round % 3) as CauseIndex, at(10 * round));
                timeline.set(FREE, at(10 * round + 1 + round % 8));
            }
            if short.is_long() {
                short.forget_before(at(10 * round.saturating_sub(20) + 3));
            }
        }
        assert!(short.over.len() <= FEW + 2, "{}", short.over.len());
        assert_eq!(whole.over.len(), 1000);
        assert_eq!(short.between(at(9803), at(9985)), whole.between(at(9803), at(9985)));
    }
}
