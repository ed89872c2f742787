//! Table of a decoder's failure probability by raw bit error rate, for drives that draw the outcome of each
//! read.
//!
//! # How
//!
//! The probability at a rate is a sum over the numbers of raw errors. The table contains the probability at
//! equidistant rates and interpolates linearly. Sixteen steps of the rate add one raw error per codeword on
//! average. The spacing is far below the width of the binomial distribution (about eight errors where codes
//! fail). Entries are computed when they are first needed, since a run uses few rates. Beyond the last rate
//! every codeword fails.

use crate::code::CODEWORD_BITS;
use crate::curve::FailureCurve;

/// Number of steps of the tabulated rate that add one raw error per codeword on average.
const RATES_PER_ERROR: usize = 16;
/// Highest tabulated rate, relative to the rate at which a codeword has, on average, the largest number of
/// raw errors of the curve. At the highest rate, a codeword has fewer errors than that largest number with a
/// probability below 1e-9.
const REACH: f64 = 1.75;

/// Failure probabilities of a decoder at equidistant raw bit error rates.
#[derive(Clone, Debug)]
pub struct FailureTable {
    curve: FailureCurve,
    /// Probability that a codeword is not corrected, by rate; `None` until it is needed.
    failure: Vec<Option<f64>>,
}

/// Factor from a raw bit error rate to its position in the table.
const SCALE: f64 = (CODEWORD_BITS * RATES_PER_ERROR) as f64;

impl FailureTable {
    /// Returns the table of a curve.
    pub fn new(curve: FailureCurve) -> Self {
        let last = (curve.most_errors() as f64 * REACH) as usize * RATES_PER_ERROR;
        Self { curve, failure: vec![None; last + 1] }
    }

    /// Returns the probability that a codeword is not corrected at the raw bit error rate `rate`.
    pub fn codeword_failure(&mut self, rate: f64) -> f64 {
        let place = (rate * SCALE).max(0.0);
        let index = place as usize;
        let (low, high) = (self.at(index), self.at(index + 1));
        low + (high - low) * (place - index as f64)
    }

    /// Returns the probability that at least one of `codewords` codewords is not corrected at the raw bit
    /// error rate `rate`.
    pub fn read_failure(&mut self, rate: f64, codewords: u32) -> f64 {
        -libm::expm1(f64::from(codewords) * libm::log1p(-self.codeword_failure(rate)))
    }

    /// Returns the table's entry at `index`, which is computed when it is first needed.
    fn at(&mut self, index: usize) -> f64 {
        let Self { curve, failure } = self;
        let entry = failure.get_mut(index);
        entry.map_or(1.0, |entry| *entry.get_or_insert_with(|| curve.codeword_failure(index as f64 / SCALE)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::ExtraReads;
    use crate::curve::CurveDecoder;

    #[test]
    fn table_agrees_with_the_sum_over_raw_errors() {
        for decoder in [CurveDecoder::MinSum, CurveDecoder::SoftMinSum(ExtraReads::Two)] {
            let curve = FailureCurve::measured(decoder);
            let mut table = FailureTable::new(curve.clone());
            for mean in [0.0, 13.64, 55.54, 62.57, 75.24, 91.52, 120.03, 160.0] {
                let rate = mean / CODEWORD_BITS as f64;
                let (found, expected) = (table.codeword_failure(rate), curve.codeword_failure(rate));
                assert!((found - expected).abs() <= 2e-3 * expected + 1e-12, "{mean}: {found}, {expected}");
                let of_page = curve.page_failure(rate, 16);
                assert!((table.read_failure(rate, 16) - of_page).abs() <= 2e-3 * of_page + 1e-10, "{mean}");
            }
        }
    }

    #[test]
    fn every_codeword_fails_beyond_the_table() {
        let mut table = FailureTable::new(FailureCurve::measured(CurveDecoder::MinSum));
        let last = table.at(table.failure.len() - 1);
        assert!(1.0 - last < 1e-9, "{last}");
        assert!(table.read_failure(0.5, 1) >= 1.0);
    }
}
