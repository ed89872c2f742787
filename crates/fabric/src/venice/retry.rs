//! Retry policies for a transfer whose scout failed.
//!
//! # What it models
//! Two policies with which the controller returns the transfer to its die. With `BackOff`, the next scout
//! departs a fixed time after the failed scout's return. With `OnRelease`, it departs when a circuit has been
//! released since the failed scout's departure. Module `retry_model` contains the policy with which the
//! controller keeps the transfer. Module `reachability` contains the policy that records unreachable chips.
//!
//! # How
//! After a failure, transfers to the chip are refused without a scout until a given instant and, with
//! `OnRelease`, until a counter of circuit releases has advanced. A wake-up that concerns other chips thus
//! does not shorten the wait. If no circuit is left, the counter advances without a release, so that no
//! transfer waits forever. With `NextTransfer`, the refusal lasts for `retry_delay`, which is usually zero.
//!
//! Hop-by-hop scouts can block each other, fail together and depart together again; with dimension-order
//! routing and fixed ports, this can repeat forever. After [`MANY`] consecutive failures without any circuit,
//! the return of each scout is delayed by its chip number times [`APART`].
//!
//! # What is left out
//! Exponential or random back-off.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4: a new scout follows a failed one. The policies of this module have
//! no published source.
//!
//! # Parameters
//! `retry`, `back_off`, `retry_delay`.

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;

use crate::{Retry, VeniceSettings};

/// Number of consecutive failures while no circuit existed, after which scouts are assumed to block each
/// other.
const MANY: u32 = 10_000;
/// Delay per chip number, by which scouts that block each other are separated in time. It is longer than a
/// scout's whole trip.
const APART: SimSpan = SimSpan::from_ns(1_000);

/// Period during which transfers to a chip are refused without a scout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RefusalPeriod {
    until: SimTime,
    until_release: u64,
}

/// Retry policy, and the period for which transfers to each chip are refused after a failed scout.
#[derive(Clone, Debug)]
pub(super) struct RetryPolicy {
    retry: Retry,
    /// Delay from the return of a failed scout to the departure of the next one.
    back_off: SimSpan,
    bars: Vec<RefusalPeriod>,
    releases: u64,
    /// Number of failed scouts in succession while no circuit existed.
    in_vain: u32,
}

impl RetryPolicy {
    /// Creates a retry policy that allows scouts to all chips.
    pub(super) fn new(settings: &VeniceSettings, chips: u32) -> Self {
        let retry = settings.retry;
        let back_off = match retry {
            Retry::BackOff => settings.back_off,
            Retry::NextTransfer => settings.retry_delay,
            Retry::AtOnce | Retry::OnRelease => SimSpan::ZERO,
        };
        Self {
            retry,
            back_off,
            bars: vec![RefusalPeriod::default(); chips as usize],
            releases: 0,
            in_vain: 0,
        }
    }

    /// Returns the number of circuit releases so far. Each departing scout records this number.
    #[inline]
    pub(super) const fn releases(&self) -> u64 {
        self.releases
    }

    /// Advances the counter of circuit releases. Called after a release, or because no circuit is left that
    /// could be released.
    #[inline]
    pub(super) const fn note_release(&mut self) {
        self.releases += 1;
    }

    /// Records a failed scout. Returns an additional delay for its return, which is usually zero.
    #[inline]
    pub(super) fn note_failure(&mut self, chip: ChipId, has_circuits: bool) -> SimSpan {
        self.in_vain = if has_circuits { 0 } else { self.in_vain + 1 };
        if self.in_vain < MANY { SimSpan::ZERO } else { APART * u64::from(chip.0) }
    }

    /// Returns the delay from the return of a failed scout to the departure of the next one.
    #[inline]
    pub(super) const fn back_off(&self) -> SimSpan {
        self.back_off
    }

    /// Refuses transfers to `chip` after a failed scout, which returns at `back`. When the scout departed,
    /// the counter of circuit releases was `releases_then`.
    pub(super) fn bar(&mut self, chip: ChipId, back: SimTime, releases_then: u64) {
        let waits_for_release = self.retry == Retry::OnRelease;
        let until_release = if waits_for_release { releases_then + 1 } else { 0 };
        self.bars[chip.index()] = RefusalPeriod { until: back + self.back_off(), until_release };
    }

    /// True if transfers to `chip` are refused without a scout at `now`.
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

    fn retry_policy(retry: Retry) -> RetryPolicy {
        let back_off = SimSpan::from_ps(500);
        RetryPolicy::new(&VeniceSettings { retry, back_off, ..VeniceSettings::default() }, 4)
    }

    fn barred(retry: Retry) -> RetryPolicy {
        let mut retry_policy = retry_policy(retry);
        retry_policy.bar(CHIP, BACK, 0);
        retry_policy
    }

    #[test]
    fn at_once_means_when_the_failed_scout_is_back() {
        let retry_policy = barred(Retry::AtOnce);
        assert!(retry_policy.is_barred(CHIP, JUST_BEFORE));
        assert!(!retry_policy.is_barred(CHIP, BACK));
        assert!(!retry_policy.is_barred(ChipId(2), JUST_BEFORE));
    }

    #[test]
    fn a_back_off_counts_from_the_return() {
        let retry_policy = barred(Retry::BackOff);
        assert!(retry_policy.is_barred(CHIP, SimTime::from_ps(1_499)));
        assert!(!retry_policy.is_barred(CHIP, SimTime::from_ps(1_500)));
    }

    #[test]
    fn only_scouts_that_fail_without_a_circuit_in_their_way_are_kept_apart() {
        let mut retry_policy = retry_policy(Retry::AtOnce);
        let late = |retry_policy: &mut RetryPolicy, chip, circuits| {
            retry_policy.note_failure(ChipId(chip), circuits)
        };
        assert!((0..2 * MANY).all(|_| late(&mut retry_policy, 3, true).is_zero()));
        assert!((1..MANY).all(|_| late(&mut retry_policy, 3, false).is_zero()));
        assert_eq!(late(&mut retry_policy, 3, false), SimSpan::from_us(3));
        assert_eq!(late(&mut retry_policy, 1, false), SimSpan::from_us(1));
        assert_eq!(late(&mut retry_policy, 1, true), SimSpan::ZERO);
        assert_eq!(late(&mut retry_policy, 1, false), SimSpan::ZERO);
    }

    #[test]
    fn waiting_for_a_release_ends_with_one() {
        let mut retry_policy = barred(Retry::OnRelease);
        assert!(retry_policy.is_barred(CHIP, SimTime::MAX));
        retry_policy.note_release();
        assert!(retry_policy.is_barred(CHIP, JUST_BEFORE), "not before its own scout is back");
        assert!(!retry_policy.is_barred(CHIP, BACK));
    }
}
