//! When a transfer whose scout failed may send the next one.
//!
//! # What it models
//! The flash controller's patience where it gives a transfer back: a new scout a fixed time after the failed one is
//! back, or when some circuit has been released since the failed one set out. Where it does not give it back see
//! `polling`, and where it remembers what is out of reach, `memory`.
//!
//! # How
//! A failure bars its chip until an instant and, for `OnRelease`, until the count of releases has
//! moved on. A barred chip's transfer is refused without a scout, so that a wake-up meant for others
//! does not cut its wait short. When nothing is left that could be released, the count moves on by
//! itself and no one waits for ever.
//!
//! Scouts that go step by step can stand in each other's only way, fail together, and set out together again: under
//! dimension order, and fixed ports, for ever. When as many as [`MANY`] in a row failed while there was no circuit that
//! could have been in their way, each comes back later than the others of its kind, by its chip's number times
//! [`APART`].
//!
//! # What is left out
//! Growing or random back-off.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4: a new scout follows a failed one. The other policies are ours.
//!
//! # Parameters
//! `retry`.

use venice_kernel::{SimSpan, SimTime};

use crate::fabric::{Retry, VeniceSettings};
use crate::geometry::ChipId;

/// So many failures in a row, without any circuit, are no accident.
const MANY: u32 = 10_000;
/// What keeps scouts apart that would meet for ever: more than their whole way takes.
const APART: SimSpan = SimSpan::from_ns(1_000);

/// Until when a chip's transfers are not worth a scout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bar {
    until: SimTime,
    until_release: u64,
}

/// The bars of all chips.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    retry: Retry,
    /// How long after a failed scout's return its successor may start.
    back_off: SimSpan,
    bars: Vec<Bar>,
    releases: u64,
    /// Failures in a row while there was no circuit.
    in_vain: u32,
}

impl Patience {
    /// No chip is barred.
    pub(super) fn new(settings: &VeniceSettings, chips: u32) -> Self {
        let retry = settings.retry;
        let back_off = if retry == Retry::BackOff { settings.back_off } else { SimSpan::ZERO };
        Self { retry, back_off, bars: vec![Bar::default(); chips as usize], releases: 0, in_vain: 0 }
    }

    /// The releases so far; a scout that sets out notes them.
    #[inline]
    pub(super) const fn releases(&self) -> u64 {
        self.releases
    }

    /// Notes that a circuit was released, or that none is left to be.
    #[inline]
    pub(super) const fn note_release(&mut self) {
        self.releases += 1;
    }

    /// A scout failed: how much later than otherwise it is back.
    #[inline]
    pub(super) fn note_failure(&mut self, chip: ChipId, has_circuits: bool) -> SimSpan {
        self.in_vain = if has_circuits { 0 } else { self.in_vain + 1 };
        if self.in_vain < MANY { SimSpan::ZERO } else { APART * u64::from(chip.0) }
    }

    /// How long after a failed scout's return its successor may start.
    #[inline]
    pub(super) const fn back_off(&self) -> SimSpan {
        self.back_off
    }

    /// Bars a chip whose scout set out after `releases_then` releases and is back at `back`.
    pub(super) fn bar(&mut self, chip: ChipId, back: SimTime, releases_then: u64) {
        let waits_for_release = self.retry == Retry::OnRelease;
        let until_release = if waits_for_release { releases_then + 1 } else { 0 };
        self.bars[chip.index()] = Bar { until: back + self.back_off(), until_release };
    }

    /// Whether a scout for this chip has to wait.
    #[inline]
    pub(super) fn is_barred(&self, chip: ChipId, now: SimTime) -> bool {
        let bar = self.bars[chip.index()];
        now < bar.until || self.releases < bar.until_release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHIP: ChipId = ChipId(3);
    const BACK: SimTime = SimTime::from_ps(1_000);
    const JUST_BEFORE: SimTime = SimTime::from_ps(999);

    fn patience(retry: Retry) -> Patience {
        let back_off = SimSpan::from_ps(500);
        Patience::new(&VeniceSettings { retry, back_off, ..VeniceSettings::default() }, 4)
    }

    fn barred(retry: Retry) -> Patience {
        let mut patience = patience(retry);
        patience.bar(CHIP, BACK, 0);
        patience
    }

    #[test]
    fn at_once_means_when_the_failed_scout_is_back() {
        let patience = barred(Retry::AtOnce);
        assert!(patience.is_barred(CHIP, JUST_BEFORE));
        assert!(!patience.is_barred(CHIP, BACK));
        assert!(!patience.is_barred(ChipId(2), JUST_BEFORE));
    }

    #[test]
    fn a_back_off_counts_from_the_return() {
        let patience = barred(Retry::BackOff);
        assert!(patience.is_barred(CHIP, SimTime::from_ps(1_499)));
        assert!(!patience.is_barred(CHIP, SimTime::from_ps(1_500)));
    }

    #[test]
    fn only_scouts_that_fail_without_a_circuit_in_their_way_are_kept_apart() {
        let mut patience = patience(Retry::AtOnce);
        let late = |patience: &mut Patience, chip, circuits| patience.note_failure(ChipId(chip), circuits);
        assert!((0..2 * MANY).all(|_| late(&mut patience, 3, true).is_zero()));
        assert!((1..MANY).all(|_| late(&mut patience, 3, false).is_zero()));
        assert_eq!(late(&mut patience, 3, false), SimSpan::from_us(3));
        assert_eq!(late(&mut patience, 1, false), SimSpan::from_us(1));
        assert_eq!(late(&mut patience, 1, true), SimSpan::ZERO);
        assert_eq!(late(&mut patience, 1, false), SimSpan::ZERO);
    }

    #[test]
    fn waiting_for_a_release_ends_with_one() {
        let mut patience = barred(Retry::OnRelease);
        assert!(patience.is_barred(CHIP, SimTime::MAX));
        patience.note_release();
        assert!(patience.is_barred(CHIP, JUST_BEFORE), "not before its own scout is back");
        assert!(!patience.is_barred(CHIP, BACK));
    }
}
