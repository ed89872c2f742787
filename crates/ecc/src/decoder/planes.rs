//! Bit-sliced arithmetic: small numbers of 128 lanes, one `u128` per binary digit, lowest first.

use crate::code::COLUMN_WEIGHT;

/// Returns the number of failing checks in each lane: 0 … 5.
#[inline]
pub fn count(checks: &[u128; COLUMN_WEIGHT]) -> [u128; 3] {
    let (sum, first) = full_add(checks[0], checks[1], checks[2]);
    let (ones, second) = full_add(sum, checks[3], checks[4]);
    [ones, first ^ second, first & second]
}

/// Returns the sum and the carry of three binary digits in each lane.
#[inline]
pub fn full_add(a: u128, b: u128, c: u128) -> (u128, u128) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_32_cases_of_five_checks_are_counted() {
        let checks =
            std::array::from_fn(|i| (0..32).filter(|n| n >> i & 1 == 1).fold(0, |lanes, n| lanes | 1 << n));
        let planes = count(&checks);
        for lane in 0..32_u32 {
            let number = (0..3).map(|digit| (planes[digit] >> lane & 1) << digit).sum::<u128>();
            assert_eq!(number, u128::from(lane.count_ones()));
        }
    }
}
