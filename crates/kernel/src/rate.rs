//! Transfer rates as exact rational numbers: 1200 MB/s is 2500/3 ps per byte, not 833 ps.

use crate::SimSpan;

/// Time per byte as the rational `ps / bytes` picoseconds, in lowest terms.
///
/// The time of a transfer is rounded **up** to a whole picosecond, once for the whole transfer. A model thus
/// never exceeds the configured bandwidth, and the error stays below one picosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    ps: u64,
    bytes: u64,
}

impl Rate {
    /// Infinite bandwidth: every transfer takes zero time.
    pub const UNLIMITED: Self = Self { ps: 0, bytes: 1 };

    /// Returns a rate of `ps` picoseconds per `bytes` bytes.
    ///
    /// # Panics
    /// Panics if `bytes` is zero.
    pub const fn from_ps_per_bytes(ps: u64, bytes: u64) -> Self {
        assert!(bytes > 0, "a rate needs at least one byte");
        let divisor = greatest_common_divisor(ps, bytes);
        Self { ps: ps / divisor, bytes: bytes / divisor }
    }

    /// Returns a rate in bytes per second.
    ///
    /// # Panics
    /// Panics if `bytes_per_s` is zero.
    pub const fn from_bytes_per_s(bytes_per_s: u64) -> Self {
        Self::from_ps_per_bytes(1_000_000_000_000, bytes_per_s)
    }

    /// Returns a rate in 10^6 bytes per second, rounded to the nearest byte per second.
    ///
    /// # Panics
    /// Panics if the rate is not positive; parameter ranges exclude that.
    pub fn from_mb_per_s(mb_per_s: f64) -> Self {
        Self::from_bytes_per_s((mb_per_s * 1e6).round() as u64)
    }

    /// Returns a rate with `times` the bandwidth of this rate.
    #[must_use]
    pub const fn faster_by(self, times: u64) -> Self {
        Self::from_ps_per_bytes(self.ps, self.bytes * times)
    }

    /// Returns the rate in 10^6 bytes per second; `None` for [`Rate::UNLIMITED`].
    pub fn mb_per_s(self) -> Option<f64> {
        const PS_US: f64 = 1e6;
        (self.ps > 0).then(|| self.bytes as f64 / self.ps as f64 * PS_US)
    }

    /// Returns the number of bytes transferred in `time`; 0 at an unlimited rate, where transfers take no
    /// time.
    pub fn bytes_in(self, time: SimSpan) -> f64 {
        if self.ps == 0 { 0.0 } else { time.as_ps() as f64 * self.bytes as f64 / self.ps as f64 }
    }

    /// Returns the duration of a transfer of `bytes` bytes, rounded up to a whole picosecond.
    #[inline]
    pub fn time_for(self, bytes: u64) -> SimSpan {
        let ps = match bytes.checked_mul(self.ps) {
            // Fast path: rates of whole picoseconds per byte are frequent, and the division is slow.
            Some(product) if self.bytes == 1 => product,
            Some(product) => product.div_ceil(self.bytes),
            None => (u128::from(bytes) * u128::from(self.ps)).div_ceil(u128::from(self.bytes)) as u64,
        };
        SimSpan::from_ps(ps)
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    if a == 0 { 1 } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_1200_mt_bus_is_neither_truncated_nor_infinitely_fast() {
        let bus = Rate::from_mb_per_s(1200.0);
        assert_eq!(bus, Rate::from_ps_per_bytes(2500, 3));
        assert_eq!(bus.time_for(3), SimSpan::from_ps(2500));
        assert_eq!(bus.time_for(1), SimSpan::from_ps(834), "833.3 ps, rounded up");
        assert_eq!(bus.time_for(4096), SimSpan::from_ps(3_413_334));
    }

    #[test]
    fn one_long_transfer_is_rounded_once() {
        let bus = Rate::from_mb_per_s(1200.0);
        assert_eq!(bus.time_for(3_000_000), SimSpan::from_us(2500));
    }

    #[test]
    fn a_product_beyond_64_bits_is_still_exact() {
        let slow = Rate::from_bytes_per_s(999_999_937);
        let terabyte = 1_000_000_000_000_u64;
        let expected = (u128::from(terabyte) * 1_000_000_000_000).div_ceil(999_999_937) as u64;
        assert_eq!(slow.time_for(terabyte), SimSpan::from_ps(expected));
    }

    #[test]
    fn a_rate_is_reported_in_the_unit_that_it_was_made_of() {
        assert_eq!(Rate::from_mb_per_s(1200.0).mb_per_s(), Some(1200.0));
        assert_eq!(Rate::from_ps_per_bytes(8000, 14).mb_per_s(), Some(1750.0));
        assert_eq!(Rate::UNLIMITED.mb_per_s(), None);
    }

    #[test]
    fn an_unlimited_rate_takes_no_time() {
        assert_eq!(Rate::UNLIMITED.time_for(u64::MAX), SimSpan::ZERO);
    }
}
