//! Where a request's time goes, split so that the parts add up to the whole by construction.

use venice_kernel::{SimSpan, SimTime};

/// The parts of a request's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Waiting to be taken by the drive, or behind an earlier write of the same logical page.
    Queue,
    /// Waiting for a part of the page map that has to be read from flash.
    Mapping,
    /// The chip, die or plane was occupied, by another operation or by collection.
    ChipWait,
    /// The chip (for data out: its data) was ready and no path was to be had.
    PathWait,
    /// On the way between controller and chip, the search for the path that was found included.
    Transfer,
    /// In the flash array: tR, tPROG, tBERS.
    Array,
    /// Crossing the link between host and drive, or waiting for it.
    HostLink,
    /// In the data cache's DRAM, waiting for it, or waiting for the cache to have room.
    Cache,
}

/// Every stage with its name in reports, in the order of [`StageClock::spans`].
pub const STAGES: [(Stage, &str); 8] = [
    (Stage::Queue, "queue"),
    (Stage::Mapping, "mapping"),
    (Stage::ChipWait, "chip_wait"),
    (Stage::PathWait, "path_wait"),
    (Stage::Transfer, "transfer"),
    (Stage::Array, "array"),
    (Stage::HostLink, "host_link"),
    (Stage::Cache, "cache"),
];

/// A stopwatch that always runs for exactly one stage.
///
/// Every instant between its start and its last reading belongs to one stage, so the spans add up
/// to the time in between without any rule to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageClock {
    /// Up to when time has been given to stages.
    pub mark: SimTime,
    /// When it was started.
    start: SimTime,
    /// Time given to each stage so far.
    pub spans: [SimSpan; STAGES.len()],
}

impl StageClock {
    /// A clock that starts at `now`.
    pub const fn start(now: SimTime) -> Self {
        Self { mark: now, start: now, spans: [SimSpan::ZERO; STAGES.len()] }
    }

    /// Gives the time since the last reading to `stage`. All spans together are as long as the clock has run, so that none overflows.
    #[inline]
    pub fn charge(&mut self, stage: Stage, now: SimTime) {
        let span = &mut self.spans[stage as usize];
        *span = SimSpan::from_ps(span.as_ps().wrapping_add(now.since(self.mark).as_ps()));
        self.mark = now;
    }

    /// Gives the time up to `until` to `stage`, if that is later than the last reading.
    #[inline]
    pub fn charge_until(&mut self, stage: Stage, until: SimTime) {
        if until > self.mark {
            self.charge(stage, until);
        }
    }

    /// When it was started.
    #[inline]
    pub const fn started(&self) -> SimTime {
        self.start
    }

    /// For how long it has run.
    #[inline]
    pub fn total(&self) -> SimSpan {
        self.mark.since(self.start)
    }

    /// All time given to stages so far. It is as long as the clock has run, which was a span before it was cut, so that no sum here is checked.
    #[inline]
    pub fn given(&self) -> SimSpan {
        SimSpan::from_ps(self.spans.iter().fold(0, |sum: u64, span| sum.wrapping_add(span.as_ps())))
    }

    /// Goes on with the time of a clock that was started where this one was read last, and read last at `now`.
    #[inline]
    pub fn go_on_with(&mut self, other: &Self, now: SimTime) {
        for (sum, span) in self.spans.iter_mut().zip(&other.spans) {
            *sum = SimSpan::from_ps(sum.as_ps().wrapping_add(span.as_ps()));
        }
        self.mark = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let at = SimTime::from_ps;
        let mut clock = StageClock::start(at(10));
        clock.charge(Stage::HostLink, at(15));
        clock.charge_until(Stage::ChipWait, at(12));
        clock.charge_until(Stage::PathWait, at(40));
        clock.charge(Stage::HostLink, at(41));
        assert_eq!((clock.total(), clock.given()), (SimSpan::from_ps(31), SimSpan::from_ps(31)));
        assert_eq!(clock.spans[Stage::HostLink as usize], SimSpan::from_ps(6));
        assert_eq!(clock.spans[Stage::ChipWait as usize], SimSpan::ZERO);
    }

    #[test]
    fn stages_are_listed_in_the_order_of_their_spans() {
        for (index, (stage, _)) in STAGES.iter().enumerate() {
            assert_eq!(*stage as usize, index);
        }
    }
}
