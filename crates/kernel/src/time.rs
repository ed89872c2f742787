//! Simulated time, in picoseconds. Nanoseconds would be too coarse: a byte on a flash bus of 1200 MT/s takes
//! 833 ps.
//!
//! # Range
//! 2^64 ps are 213 days. Requests are issued only in the first 160 days, and a run ends with an error once its
//! clock has passed 187 days. The sum of two times therefore cannot overflow, and a duration cannot be
//! negative. Only builds with overflow checks, such as those of the tests, verify this for each operation.
//! Totals over many requests can exceed the range, so `+=` and `sum` are always checked.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Instant, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// Duration, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimSpan(u64);

impl SimTime {
    /// Start of the run.
    pub const ZERO: Self = Self(0);
    /// Last representable time, used as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns the picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the microseconds since the start, for reports.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the instant `span` later, or [`SimTime::MAX`] on overflow.
    #[must_use]
    pub const fn saturating_add(self, span: SimSpan) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// Returns the duration since `earlier`.
    ///
    /// # Panics
    /// Panics with overflow checks if `earlier` is later than `self`, which is a bug in the caller.
    #[track_caller]
    #[inline]
    pub const fn since(self, earlier: Self) -> SimSpan {
        SimSpan(self.0 - earlier.0)
    }
}

impl SimSpan {
    /// Zero duration.
    pub const ZERO: Self = Self(0);

    /// Returns a duration of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns a duration of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// Returns a duration of `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// Returns the whole number of picoseconds nearest to `us` microseconds (halves away from zero).
    ///
    /// # Panics
    /// Panics if `us` is negative, not a number, or beyond 2^64 ps; parameter ranges exclude all three.
    pub fn from_us_f64(us: f64) -> Self {
        let ps = (us * 1e6).round();
        assert!(ps >= 0.0 && ps < u64::MAX as f64, "{us} us is not a span of time");
        Self(ps as u64)
    }

    /// Returns the duration in picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the duration in microseconds, for reports.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the difference of `self` and `other`, or zero if `other` is greater.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns true if the duration is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Adds a duration to an instant.
///
/// # Panics
/// Panics on overflow with overflow checks.
impl Add<SimSpan> for SimTime {
    type Output = Self;
    #[inline]
    fn add(self, span: SimSpan) -> Self {
        Self(self.0 + span.0)
    }
}

/// Adds two durations.
///
/// # Panics
/// Panics on overflow with overflow checks.
impl Add for SimSpan {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// Adds a duration to a total.
///
/// # Panics
/// Panics on overflow, also without overflow checks.
impl AddAssign for SimSpan {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.checked_add(other.0).expect("a sum of spans of time overflowed");
    }
}

/// Subtracts a duration from another.
///
/// # Panics
/// Panics with overflow checks if the result would be negative.
impl Sub for SimSpan {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Multiplies a duration by a whole number.
///
/// # Panics
/// Panics on overflow with overflow checks.
impl Mul<u64> for SimSpan {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for SimSpan {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        let mut sum = Self::ZERO;
        spans.for_each(|span| sum += span);
        sum
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} µs", self.0 / 1_000_000, self.0 % 1_000_000)
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
        assert_eq!(SimTime::from_ps(3_413_333_334).to_string(), "3413.333334 µs");
    }

    #[test]
    fn microseconds_round_to_the_nearest_picosecond() {
        assert_eq!(SimSpan::from_us_f64(0.000_000_6), SimSpan::from_ps(1));
        assert_eq!(SimSpan::from_us_f64(0.000_000_4), SimSpan::ZERO);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "overflow")]
    fn a_negative_span_is_a_bug() {
        let _ = SimTime::ZERO.since(SimTime::from_ps(1));
    }

    #[test]
    #[should_panic(expected = "a sum of spans of time overflowed")]
    fn totals_do_not_wrap_in_any_build() {
        let mut total = SimSpan::from_ps(u64::MAX);
        total += SimSpan::from_ps(1);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "overflow")]
    fn time_does_not_wrap() {
        let _ = SimTime::MAX + SimSpan::from_ps(1);
    }
}
