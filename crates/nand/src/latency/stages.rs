//! Breakdown of a request's latency into stages, whose sum always equals the latency.

use venice_kernel::{SimSpan, SimTime};

/// Stage of a request's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Waiting for the drive to accept the request, or for an earlier write of the same logical page.
    Queue,
    /// Waiting for a translation page to be read from flash.
    Mapping,
    /// Waiting for a chip, die or plane that is busy with another operation or with garbage collection.
    ChipWait,
    /// Waiting for a path although the chip is ready or, for a transfer from the chip, its data is ready.
    PathWait,
    /// Transfer between controller and chip, including the successful path search.
    Transfer,
    /// Array operation: tR, tPROG, tBERS.
    Array,
    /// Transfer over the host link, or waiting for the link.
    HostLink,
    /// Access to the data cache's DRAM, waiting for the DRAM, or waiting for free space in the cache.
    Cache,
    /// Waiting for a core of the controller, processing by the core, and the extra delay of some commands.
    Firmware,
    /// Decoding of a page by the controller, or waiting for a decoder.
    Decoding,
}

/// All stages with their names in reports, in the order of [`StageClock::spans`].
pub const STAGES: [(Stage, &str); 10] = [
    (Stage::Queue, "queue"),
    (Stage::Mapping, "mapping"),
    (Stage::ChipWait, "chip_wait"),
    (Stage::PathWait, "path_wait"),
    (Stage::Transfer, "transfer"),
    (Stage::Array, "array"),
    (Stage::HostLink, "host_link"),
    (Stage::Cache, "cache"),
    (Stage::Firmware, "firmware"),
    (Stage::Decoding, "decoding"),
];

/// Stages in the order in which a transaction passes through them.
const IN_TIME: [Stage; STAGES.len()] = [
    Stage::HostLink,
    Stage::Firmware,
    Stage::Cache,
    Stage::Queue,
    Stage::Mapping,
    Stage::ChipWait,
    Stage::PathWait,
    Stage::Transfer,
    Stage::Array,
    Stage::Decoding,
];

/// Clock that assigns time to one stage at a time.
///
/// Each instant between the start and the last reading belongs to exactly one stage, so the spans add up to
/// the elapsed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageClock {
    /// Instant up to which time has been assigned (last reading of the clock).
    pub mark: SimTime,
    start: SimTime,
    /// Time assigned to each stage.
    pub spans: [SimSpan; STAGES.len()],
}

impl StageClock {
    /// Starts a clock at `now`.
    pub const fn start(now: SimTime) -> Self {
        Self { mark: now, start: now, spans: [SimSpan::ZERO; STAGES.len()] }
    }

    /// Assigns the time since the last reading to `stage`. The spans cannot overflow, since their sum is the
    /// elapsed time.
    #[inline]
    pub fn charge(&mut self, stage: Stage, now: SimTime) {
        let span = &mut self.spans[stage as usize];
        *span = SimSpan::from_ps(span.as_ps().wrapping_add(now.since(self.mark).as_ps()));
        self.mark = now;
    }

    /// Assigns the time up to `until` to `stage`, if `until` is later than the last reading.
    #[inline]
    pub fn charge_until(&mut self, stage: Stage, until: SimTime) {
        if until > self.mark {
            self.charge(stage, until);
        }
    }

    /// Returns the instant at which the clock started.
    #[inline]
    pub const fn started(&self) -> SimTime {
        self.start
    }

    /// Returns the elapsed time.
    #[inline]
    pub fn total(&self) -> SimSpan {
        self.mark.since(self.start)
    }

    /// Returns the sum of all spans. It equals the elapsed time and therefore cannot overflow.
    #[inline]
    pub fn given(&self) -> SimSpan {
        SimSpan::from_ps(self.spans.iter().fold(0, |sum: u64, span| sum.wrapping_add(span.as_ps())))
    }

    /// Continues this clock with the stages that `other` recorded after this clock's last reading. The other
    /// clock must have started no later than that reading. Its earlier time is left out. Since spans have no
    /// dates, the time left out is assumed to belong to the first stages in [`IN_TIME`].
    pub fn follow(&mut self, other: &Self) {
        let mut before = other.total().as_ps().wrapping_sub(other.mark.since(self.mark).as_ps());
        for stage in IN_TIME {
            let span = other.spans[stage as usize].as_ps();
            let left_out = before.min(span);
            before -= left_out;
            let sum = &mut self.spans[stage as usize];
            *sum = SimSpan::from_ps(sum.as_ps() + span - left_out);
        }
        self.mark = other.mark;
    }

    /// Adds the spans of another clock, which started at the last reading of this one. The last reading of
    /// the other clock must be `now`.
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
    fn clock_that_follows_another_takes_over_its_later_time() {
        let at = SimTime::from_ps;
        let mut leader = StageClock::start(at(10));
        leader.charge(Stage::Mapping, at(12));
        leader.charge(Stage::ChipWait, at(20));
        leader.charge(Stage::Array, at(50));
        let mut follower = StageClock::start(at(11));
        follower.charge(Stage::Queue, at(15));
        follower.follow(&leader);
        let spans = [Stage::Queue, Stage::Mapping, Stage::ChipWait, Stage::Array]
            .map(|stage| follower.spans[stage as usize].as_ps());
        assert_eq!(spans, [4, 0, 5, 30]);
        assert_eq!((follower.mark, follower.given()), (at(50), follower.total()));
    }

    #[test]
    fn stages_are_listed_in_the_order_of_their_spans() {
        for (index, (stage, _)) in STAGES.iter().enumerate() {
            assert_eq!(*stage as usize, index);
        }
    }
}
