//! Simulated time. Picoseconds, because one byte on a 1200 MT/s flash bus lasts 833 ps and a
//! nanosecond clock would round that by a fifth.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A length of time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimSpan(u64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The last instant there is; used as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// An instant from picoseconds since the start.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Microseconds since the start, for people and reports.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The instant `span` later, or [`SimTime::MAX`] if that is beyond the clock.
    #[must_use]
    pub const fn saturating_add(self, span: SimSpan) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// The time since `earlier`.
    ///
    /// # Panics
    /// When `earlier` is later: spans are never negative, so that is a bug in the caller.
    #[track_caller]
    #[inline]
    pub fn since(self, earlier: Self) -> SimSpan {
        SimSpan(self.0.checked_sub(earlier.0).expect("`since` was given a later instant"))
    }
}

impl SimSpan {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of this many picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// A span of this many nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// A span of this many microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// The nearest whole number of picoseconds to `us` microseconds (halves away from zero).
    ///
    /// # Panics
    /// When `us` is negative, not a number, or beyond 2^64 ps; configuration bounds forbid all three.
    pub fn from_us_f64(us: f64) -> Self {
        let ps = (us * 1e6).round();
        assert!(ps >= 0.0 && ps < u64::MAX as f64, "{us} us is not a span of time");
        Self(ps as u64)
    }

    /// Picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Microseconds, for people and reports.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The part of this span that exceeds `other`, or nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// # Panics
/// On overflow: 2^64 ps is 213 days, so reaching it is a bug in the caller.
impl Add<SimSpan> for SimTime {
    type Output = Self;
    #[inline]
    fn add(self, span: SimSpan) -> Self {
        Self(self.0.checked_add(span.0).expect("simulated time overflowed"))
    }
}

/// # Panics
/// On overflow, as for an instant plus a span.
impl Add for SimSpan {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).expect("a span of time overflowed"))
    }
}

impl AddAssign for SimSpan {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// # Panics
/// When the result would be negative.
impl Sub for SimSpan {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("a span of time cannot be negative"))
    }
}

/// # Panics
/// On overflow, as for an instant plus a span.
impl Mul<u64> for SimSpan {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.checked_mul(times).expect("a span of time overflowed"))
    }
}

impl Sum for SimSpan {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} us", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl fmt::Display for SimSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SimTime(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_prints_as_exact_microseconds() {
        assert_eq!(SimTime::from_ps(3_413_333_334).to_string(), "3413.333334 us");
    }

    #[test]
    fn microseconds_round_to_the_nearest_picosecond() {
        assert_eq!(SimSpan::from_us_f64(0.000_000_6), SimSpan::from_ps(1));
        assert_eq!(SimSpan::from_us_f64(0.000_000_4), SimSpan::ZERO);
    }

    #[test]
    #[should_panic(expected = "later instant")]
    fn a_negative_span_is_a_bug() {
        let _ = SimTime::ZERO.since(SimTime::from_ps(1));
    }

    #[test]
    #[should_panic(expected = "overflowed")]
    fn time_does_not_wrap() {
        let _ = SimTime::MAX + SimSpan::from_ps(1);
    }
}
