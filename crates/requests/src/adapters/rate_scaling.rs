//! Adapter that scales the arrival rate of a source.

use venice_kernel::SimTime;

use crate::request::{HostRequest, RequestSource, SourceError};

/// Number of steps per unit of a rate factor, whose resolution is 10^-12.
const UNITS: u64 = 1_000_000_000_000;

/// Factor of the arrival rate: 2 halves every gap between requests, 0.5 doubles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateScale {
    units: u64,
}

impl RateScale {
    /// Returns a rate factor. `factor` must be from 10^-6 to 10^6 and is rounded to twelve decimals; all
    /// further arithmetic is exact.
    ///
    /// # Errors
    /// [`SourceError::RateScale`] for a factor out of range.
    pub fn new(factor: f64) -> Result<Self, SourceError> {
        if !(1e-6..=1e6).contains(&factor) {
            return Err(SourceError::RateScale { factor });
        }
        Ok(Self { units: (factor * UNITS as f64).round() as u64 })
    }

    /// Returns the scaled arrival time, rounded down to a picosecond; `None` beyond the simulated time range.
    #[inline]
    fn apply(self, arrival: SimTime) -> Option<SimTime> {
        let scaled = u128::from(arrival.as_ps()) * u128::from(UNITS) / u128::from(self.units);
        u64::try_from(scaled).ok().map(SimTime::from_ps)
    }
}

/// Source that divides the arrival times of another source by a factor. Rounding down preserves the order of
/// requests.
pub struct RateScaledSource<S> {
    inner: S,
    scale: RateScale,
    given: u64,
}

impl<S: RequestSource> RateScaledSource<S> {
    /// Returns a source of the requests of `inner` at `scale` times their arrival rate.
    pub fn new(inner: S, scale: RateScale) -> Self {
        Self { inner, scale, given: 0 }
    }

    #[cold]
    fn beyond_clock(&self) -> SourceError {
        SourceError::BeyondClock { label: self.inner.label().to_owned(), number: self.given + 1 }
    }
}

impl<S: RequestSource> RequestSource for RateScaledSource<S> {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let before = into.len();
        let given = self.inner.fill(into, at_most)?;
        for index in before..into.len() {
            let Some(arrival) = self.scale.apply(into[index].arrival) else {
                into.truncate(index);
                return Err(self.beyond_clock());
            };
            into[index].arrival = arrival;
            self.given += 1;
        }
        Ok(given)
    }

    passes_on!(label, is_synthetic, total, format_choice, counters, device_name, write_law);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scaled_ps(factor: f64, ps: u64) -> Option<u64> {
        RateScale::new(factor).unwrap().apply(SimTime::from_ps(ps)).map(SimTime::as_ps)
    }

    #[test]
    fn decimal_factors_are_exact_at_the_end_of_the_clock() {
        assert_eq!(scaled_ps(1.0, u64::MAX), Some(u64::MAX));
        assert_eq!(scaled_ps(0.1, 1_844_674_407_370_955_161), Some(18_446_744_073_709_551_610));
        assert_eq!(scaled_ps(2.5, 18_446_744_073_709_551_615), Some(7_378_697_629_483_820_646));
        assert_eq!(scaled_ps(0.1, 1_844_674_407_370_955_162), None);
    }

    #[test]
    fn factors_out_of_range_are_refused() {
        for factor in [0.0, -1.0, 9e-7, 1.1e6, f64::NAN, f64::INFINITY] {
            assert!(RateScale::new(factor).is_err(), "{factor}");
        }
        let text = RateScale::new(0.0).unwrap_err().to_string();
        assert_eq!(text, "the rate scale is 0; expected: from 0.000001 to 1000000");
    }

    proptest! {
        #[test]
        fn order_is_kept(factor in 1e-3_f64..1e3, first in 0_u64..1 << 50, gap in 0_u64..1 << 50) {
            prop_assert!(scaled_ps(factor, first) <= scaled_ps(factor, first + gap));
        }
    }
}
