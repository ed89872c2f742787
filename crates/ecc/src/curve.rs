//! Statistical mode: the outcome of a codeword is drawn from a measured curve, without decoding.
//!
//! # What it models
//!
//! The number of raw errors of each codeword follows the binomial distribution given by the raw bit error
//! rate. This is also so in the functional mode, which decodes. At each number of errors, the probability of
//! failure is the share of codewords (frames) that failed in a measurement with `examples/ecc_curves.rs`
//! (20,000 frames per point). A test compares the two modes.
//!
//! # How
//!
//! The logarithm of the failure rate is interpolated between measured points. At and below the last point
//! without failures, the failure rate is 0. For the interpolation to the next point, this last point counts
//! as half a failed frame. Beyond the last point, where nearly all frames failed, all fail. Mean iterations
//! are interpolated linearly; failed frames count with the iteration limit.
//!
//! # What is left out
//!
//! Miscorrections, which were not observed, and the variance of iterations.

use venice_kernel::RandomStream;

use crate::channel::{ErrorDraws, ExtraReads};
use crate::code::{BLOCK_ROWS, CIRCULANT_BITS, CODEWORD_BITS, COLUMN_WEIGHT, ROW_WEIGHT};

/// Simulated codewords (frames) per measured point.
pub const FRAMES: u32 = 20_000;

/// Decoder with a measured failure curve at its default iteration limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveDecoder {
    /// Decoder in the chip: [`crate::decoder::TwoBit`].
    TwoBit,
    /// Decoder in the controller, after a hard read: [`crate::decoder::MinSum`].
    MinSum,
    /// Decoder in the controller, after extra reads: [`crate::decoder::MinSum`].
    SoftMinSum(ExtraReads),
}

/// Measured point: number of raw errors, number of failed frames (out of [`FRAMES`]), and mean number of
/// iterations.
type MeasuredPoint = (u16, u16, f32);

const TWO_BIT: [MeasuredPoint; 18] = [
    (10, 0, 1.1),
    (20, 0, 1.7),
    (30, 0, 2.6),
    (40, 0, 3.7),
    (50, 0, 5.6),
    (60, 0, 11.5),
    (64, 0, 16.5),
    (66, 0, 20.1),
    (68, 0, 24.6),
    (70, 21, 31.3),
    (72, 48, 40.7),
    (74, 195, 55.3),
    (76, 642, 77.4),
    (78, 1727, 111.0),
    (80, 4139, 157.4),
    (84, 13076, 256.2),
    (88, 19327, 296.9),
    (92, 19989, 300.0),
];

/// Iteration limit in the measurement of [`TWO_BIT`].
const TWO_BIT_ITERATIONS: u32 = 300;
/// Iteration limits for which the uncorrected frames were counted, see [`TWO_BIT_NOT_AFTER`].
const GIVEN_UP_AFTER: [u16; 5] = [10, 20, 40, 80, 160];
/// Number of frames, out of [`FRAMES`], that were not corrected within each limit of [`GIVEN_UP_AFTER`], at
/// the points of [`TWO_BIT`]. The numbers are scaled from a measurement with 4,000 frames.
const TWO_BIT_NOT_AFTER: [[u16; 5]; 18] = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0],
    [130, 2, 0, 0, 0],
    [10820, 450, 0, 0, 0],
    [17540, 4135, 90, 5, 0],
    [19185, 7930, 415, 20, 0],
    [19705, 12690, 1245, 50, 0],
    [19930, 16415, 3450, 255, 25],
    [19985, 18620, 7290, 820, 95],
    [20000, 19610, 11875, 2480, 465],
    [20000, 19865, 15805, 5450, 1440],
    [20000, 19990, 18600, 10255, 3705],
    [20000, 20000, 19610, 14885, 7735],
    [20000, 20000, 19995, 19600, 16940],
    [20000, 20000, 20000, 20000, 20000],
    [20000, 20000, 20000, 20000, 20000],
];

const MIN_SUM: [MeasuredPoint; 16] = [
    (10, 0, 1.0),
    (20, 0, 1.6),
    (40, 0, 2.2),
    (60, 0, 3.6),
    (66, 0, 4.3),
    (68, 0, 4.6),
    (70, 1, 5.0),
    (72, 5, 5.5),
    (74, 45, 6.2),
    (76, 183, 7.4),
    (78, 659, 9.6),
    (80, 1814, 13.4),
    (84, 7605, 27.7),
    (88, 15400, 42.7),
    (92, 19310, 49.0),
    (96, 19959, 50.0),
];

const MIN_SUM_TWO: [MeasuredPoint; 16] = [
    (20, 0, 1.0),
    (72, 0, 2.0),
    (100, 0, 2.5),
    (120, 0, 3.3),
    (126, 1, 3.7),
    (130, 1, 4.0),
    (134, 2, 4.4),
    (138, 33, 5.0),
    (142, 84, 5.8),
    (146, 344, 7.4),
    (150, 1041, 10.2),
    (156, 3697, 17.9),
    (162, 8719, 29.5),
    (168, 14169, 40.3),
    (174, 17915, 46.8),
    (180, 19528, 49.3),
];

const MIN_SUM_SIX: [MeasuredPoint; 17] = [
    (20, 0, 1.0),
    (72, 0, 1.9),
    (100, 0, 2.1),
    (130, 0, 3.0),
    (140, 0, 3.5),
    (146, 0, 3.9),
    (150, 1, 4.2),
    (154, 11, 4.6),
    (158, 34, 5.3),
    (162, 158, 6.3),
    (166, 507, 8.2),
    (170, 1399, 11.5),
    (176, 4662, 20.3),
    (182, 9728, 31.6),
    (188, 15093, 42.0),
    (194, 18362, 47.5),
    (202, 19780, 49.7),
];

/// Failure rate and mean iterations of a decoder at each number of raw errors.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureCurve {
    /// Probability of failure, by number of raw errors; 1 beyond the last element.
    failure: Vec<f64>,
    /// Mean iterations, by number of raw errors; constant beyond the last element.
    iterations: Vec<f64>,
    /// Maximum number of failing checks for which decoding is attempted.
    most_failing_checks: u32,
}

/// Ratio of the standard deviation of the number of failing checks to the square root of the number of raw
/// errors. Measured at 62 … 98 errors.
const SCATTER_OF_CHECKS: f64 = 1.18;

/// Returns the probability that more than `most` checks fail for a word with `errors` raw errors. The number
/// of failing checks is approximated by a normal distribution. Its mean assumes that error positions are
/// drawn independently, so that two errors may coincide.
fn fails_more_checks(errors: u32, most: u32) -> f64 {
    let errors = f64::from(errors);
    if COLUMN_WEIGHT as f64 * errors <= f64::from(most) {
        return 0.0;
    }
    let checks = (BLOCK_ROWS * CIRCULANT_BITS) as f64;
    let even = libm::pow(1.0 - 2.0 * errors / CODEWORD_BITS as f64, ROW_WEIGHT as f64);
    let beyond = f64::from(most) + 0.5 - checks * (1.0 - even) / 2.0;
    0.5 * libm::erfc(beyond / (SCATTER_OF_CHECKS * libm::sqrt(2.0 * errors)))
}

/// Returns a measured point of the decoder in the chip for a lower iteration limit. Frames that need more
/// iterations fail. The other frames need as many iterations as with the higher limit. Below 10 iterations
/// there is no measurement, and the result is pessimistic.
fn given_up(point: MeasuredPoint, not_after: [u16; GIVEN_UP_AFTER.len()], iterations: u32) -> MeasuredPoint {
    let (errors, failed, mean) = point;
    let most = f64::from(TWO_BIT_ITERATIONS);
    let knots = || {
        let measured = GIVEN_UP_AFTER.into_iter().zip(not_after);
        let measured = measured.map(|(after, left)| (f64::from(after), f64::from(left.max(failed))));
        let first = (0.0, f64::from(FRAMES));
        std::iter::once(first).chain(measured).chain(std::iter::once((most, f64::from(failed))))
    };
    let until = f64::from(iterations).min(most);
    let (mut left, mut sum) = (f64::from(failed), 0.0);
    for ((from, high), (to, low)) in knots().zip(knots().skip(1)) {
        if from < until {
            let end = until.min(to);
            left = high + (low - high) * (end - from) / (to - from);
            sum += (end - from) * f64::midpoint(high, left) / f64::from(FRAMES);
        }
    }
    if until >= most { point } else { (errors, libm::round(left) as u16, mean.min(sum as f32)) }
}

impl FailureCurve {
    /// Returns the curve of the decoder in the chip with this iteration limit.
    pub fn of_chip(iterations: u32) -> Self {
        let points = TWO_BIT.iter().zip(TWO_BIT_NOT_AFTER);
        Self::of(points.map(|(&point, not_after)| given_up(point, not_after, iterations)))
    }

    /// Returns the curve of a decoder at its default iteration limit.
    pub fn measured(decoding: CurveDecoder) -> Self {
        let points: &[MeasuredPoint] = match decoding {
            CurveDecoder::TwoBit => &TWO_BIT,
            CurveDecoder::MinSum => &MIN_SUM,
            CurveDecoder::SoftMinSum(ExtraReads::Two) => &MIN_SUM_TWO,
            CurveDecoder::SoftMinSum(ExtraReads::Six) => &MIN_SUM_SIX,
        };
        Self::of(points.iter().copied())
    }

    fn of(points: impl Iterator<Item = MeasuredPoint>) -> Self {
        let most_failing_checks = (BLOCK_ROWS * CIRCULANT_BITS) as u32;
        let mut curve = Self { failure: vec![0.0], iterations: vec![0.0], most_failing_checks };
        let mut before = (0, 0, 0.0);
        for point in points {
            curve.add(before, point);
            before = point;
        }
        curve
    }

    /// Appends the interpolated values between two measured points: those after `from`, up to and including
    /// `to`.
    fn add(&mut self, from: MeasuredPoint, to: MeasuredPoint) {
        let rate = |failed: u16| f64::from(failed).max(0.5) / f64::from(FRAMES);
        let (low, high) = (libm::log(rate(from.1)), libm::log(rate(to.1)));
        for errors in from.0 + 1..=to.0 {
            let part = f64::from(errors - from.0) / f64::from(to.0 - from.0);
            self.failure.push(if to.1 == 0 { 0.0 } else { libm::exp(low + part * (high - low)) });
            self.iterations.push(f64::from(from.2) + part * f64::from(to.2 - from.2));
        }
    }

    /// Returns the curve of a decoder that rejects words with more than `most_failing_checks` failing checks
    /// without decoding.
    #[must_use]
    pub fn giving_up_beyond(mut self, most_failing_checks: u32) -> Self {
        for (errors, failure) in (0..).zip(&mut self.failure) {
            *failure += (1.0 - *failure) * fails_more_checks(errors, most_failing_checks);
        }
        Self { most_failing_checks, ..self }
    }

    /// Returns the curve of a decoder that counts words with at least `errors` raw errors as failed.
    #[must_use]
    pub fn failing_from(mut self, errors: u32) -> Self {
        self.failure.iter_mut().skip(errors as usize).for_each(|failure| *failure = 1.0);
        self
    }

    /// Returns the smallest number of raw errors with a failure probability of at least one half.
    pub fn capability(&self) -> u32 {
        self.failure.iter().take_while(|&&failure| failure < 0.5).count() as u32
    }

    /// Returns the probability that a word with `errors` raw errors is rejected without decoding.
    /// [`Self::failure`] includes such words.
    pub fn hopeless(&self, errors: u32) -> f64 {
        fails_more_checks(errors, self.most_failing_checks)
    }

    /// Returns the probability that a codeword with `errors` raw errors is not corrected.
    pub fn failure(&self, errors: u32) -> f64 {
        self.failure.get(errors as usize).copied().unwrap_or(1.0)
    }

    /// Returns the mean number of iterations at `errors` raw errors.
    pub fn iterations(&self, errors: u32) -> f64 {
        self.iterations.get(errors as usize).or(self.iterations.last()).copied().unwrap_or(0.0)
    }

    /// Returns the largest number of raw errors with a failure probability below 1.
    pub const fn most_errors(&self) -> usize {
        self.failure.len() - 1
    }

    /// Returns the probability that a codeword is not corrected at the raw bit error rate `rate`.
    pub fn codeword_failure(&self, rate: f64) -> f64 {
        let corrected = |(errors, failure): (usize, &f64)| (1.0 - failure) * binomial(errors as u32, rate);
        (1.0 - self.failure.iter().enumerate().map(corrected).sum::<f64>()).clamp(0.0, 1.0)
    }

    /// Returns the probability that at least one of the `sub_pages` codewords of a page is not corrected at
    /// the raw bit error rate `rate`.
    pub fn page_failure(&self, rate: f64, sub_pages: u32) -> f64 {
        -libm::expm1(f64::from(sub_pages) * libm::log1p(-self.codeword_failure(rate)))
    }

    /// Draws the number of raw errors of a codeword and its outcome. Returns the number, and true if the
    /// codeword is corrected.
    pub fn draw(&self, draws: &ErrorDraws, random: &mut RandomStream) -> (u32, bool) {
        let errors = draws.draw(random, |_| ());
        (errors, !random.chance(self.failure(errors)))
    }
}

/// Returns the binomial probability of exactly `errors` errors in a codeword.
fn binomial(errors: u32, rate: f64) -> f64 {
    if rate <= 0.0 || rate >= 1.0 {
        let certain = if rate <= 0.0 { 0 } else { CODEWORD_BITS as u32 };
        return f64::from(u8::from(errors == certain));
    }
    let (bits, errors) = (CODEWORD_BITS as f64, f64::from(errors));
    let choices = libm::lgamma(bits + 1.0) - libm::lgamma(errors + 1.0) - libm::lgamma(bits - errors + 1.0);
    libm::exp(choices + errors * libm::log(rate) + (bits - errors) * libm::log1p(-rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [CurveDecoder; 4] = [
        CurveDecoder::TwoBit,
        CurveDecoder::MinSum,
        CurveDecoder::SoftMinSum(ExtraReads::Two),
        CurveDecoder::SoftMinSum(ExtraReads::Six),
    ];

    #[test]
    fn words_fail_from_a_number_of_errors_on_and_below_it_as_before() {
        let curve = FailureCurve::measured(CurveDecoder::MinSum);
        // 38 % of the words fail at 84 errors, and 77 % at 88.
        assert!((84..=88).contains(&curve.capability()), "{}", curve.capability());
        let stricter = curve.clone().failing_from(80);
        let difference = |errors, expected: f64| (stricter.failure(errors) - expected).abs();
        assert!(difference(79, curve.failure(79)) + difference(80, 1.0) + difference(96, 1.0) < 1e-12);
        // With 60 errors on average, a word has at least 62 with the probability of the binomial distribution.
        let rate = 60.0 / CODEWORD_BITS as f64;
        let expected: f64 = (62..200).map(|errors| binomial(errors, rate)).sum();
        assert!((curve.failing_from(62).codeword_failure(rate) - expected).abs() < 1e-4);
    }

    #[test]
    fn curves_rise_from_never_to_always_and_pass_through_what_was_measured() {
        for decoding in ALL {
            let curve = FailureCurve::measured(decoding);
            assert!(curve.failure.windows(2).all(|pair| pair[0] <= pair[1]), "{decoding:?}");
            assert_eq!((curve.failure(0), curve.failure(1_000)), (0.0, 1.0));
            assert!(curve.failure.last().is_some_and(|&last| last > 0.95), "{decoding:?}");
            assert!((curve.iterations(0), curve.iterations(9_216)) >= (0.0, 25.0));
        }
        for (errors, failed, iterations) in TWO_BIT {
            let curve = FailureCurve::measured(CurveDecoder::TwoBit);
            let expected = f64::from(failed) / f64::from(FRAMES);
            assert!((curve.failure(errors.into()) - expected).abs() < 1e-9, "{errors}");
            assert!((curve.iterations(errors.into()) - f64::from(iterations)).abs() < 1e-6, "{errors}");
        }
    }

    #[test]
    fn the_claims_of_the_codes_are_met_by_what_was_measured() {
        let rate = |decoding, errors| FailureCurve::measured(decoding).failure(errors);
        assert!(rate(CurveDecoder::TwoBit, 60) <= 1e-4);
        assert!(rate(CurveDecoder::TwoBit, 70) <= 2e-3);
        assert!(rate(CurveDecoder::TwoBit, 72) <= 1e-2);
        assert!(rate(CurveDecoder::MinSum, 72) <= 5e-3);
        assert!(rate(CurveDecoder::SoftMinSum(ExtraReads::Two), 130) <= 1e-2);
        assert!(rate(CurveDecoder::SoftMinSum(ExtraReads::Six), 150) <= 1e-2);
    }

    #[test]
    fn probabilities_of_all_numbers_of_errors_add_up_to_one() {
        for rate in [1e-5, 0.0078, 0.3] {
            let (sum, mean) = (0..=CODEWORD_BITS as u32).fold((0.0, 0.0), |(sum, mean), errors| {
                let p = binomial(errors, rate);
                (sum + p, mean + p * f64::from(errors))
            });
            assert!((sum - 1.0).abs() < 1e-8, "{rate}: {sum}");
            assert!((mean / (rate * CODEWORD_BITS as f64) - 1.0).abs() < 1e-8, "{rate}: {mean}");
        }
        assert_eq!((binomial(0, 0.0), binomial(1, 0.0), binomial(9216, 1.0)), (1.0, 0.0, 1.0));
    }

    #[test]
    fn drawn_failures_come_as_often_as_the_closed_form_says() {
        let curve = FailureCurve::measured(CurveDecoder::TwoBit);
        let mut random = RandomStream::new(1, "curve");
        for mean in [60.0, 72.0, 80.0] {
            let rate = mean / CODEWORD_BITS as f64;
            let draws = ErrorDraws::new(rate);
            let failed = (0..20_000).filter(|_| !curve.draw(&draws, &mut random).1).count() as f64 / 2e4;
            let p = curve.codeword_failure(rate);
            assert!((failed - p).abs() <= 4.0 * (p * (1.0 - p) / 2e4).sqrt(), "{failed} for {p} at {mean}");
        }
    }

    #[test]
    fn a_chip_that_gives_up_earlier_corrects_less_in_fewer_iterations() {
        assert_eq!(FailureCurve::of_chip(300), FailureCurve::measured(CurveDecoder::TwoBit));
        let curves = [5, 10, 15, 40, 200, 300].map(FailureCurve::of_chip);
        for errors in [30, 60, 70, 76] {
            for two in curves.windows(2) {
                assert!(two[0].failure(errors) >= two[1].failure(errors), "{errors}");
                assert!(two[0].iterations(errors) <= two[1].iterations(errors) + 1e-6, "{errors}");
            }
        }
        assert!(curves[0].failure(60) > 0.5 && curves[2].failure(10) < 0.01);
    }

    #[test]
    fn words_fail_as_many_checks_as_the_normal_tail_says() {
        let mut random = RandomStream::new(2, "checks");
        for (errors, most) in [(64, 250), (74, 260), (76, 284), (84, 284), (90, 292)] {
            let fails = |_: &u32| {
                let mut word = crate::code::Codeword::ZERO;
                crate::channel::flip_exactly(&mut word, errors, &mut random);
                crate::code::failing_checks(&crate::code::syndrome(&word)) > most
            };
            let share = f64::from((0..2000).filter(fails).count() as u32) / 2000.0;
            let p = fails_more_checks(errors, most);
            assert!((share - p).abs() < 0.05, "{errors} errors, {most} checks: {share} for {p}");
        }
        assert!(fails_more_checks(10, 60) == 0.0 && fails_more_checks(300, 284) > 0.999);
    }

    #[test]
    fn what_is_not_tried_fails_too() {
        let curve = FailureCurve::of_chip(300);
        let early = curve.clone().giving_up_beyond(284);
        assert_eq!(curve.clone().giving_up_beyond(1024), curve);
        for errors in [60, 76, 84, 90] {
            assert!(early.failure(errors) >= curve.failure(errors).max(early.hopeless(errors)), "{errors}");
        }
        assert!(early.failure(78) > curve.failure(78) + 0.1 && early.failure(60) < 0.01);
    }

    #[test]
    fn a_page_fails_when_any_of_its_codewords_does() {
        let curve = FailureCurve::measured(CurveDecoder::TwoBit);
        for mean in [50.0, 62.6, 75.2] {
            let rate = mean / CODEWORD_BITS as f64;
            let expected = 1.0 - (1.0 - curve.codeword_failure(rate)).powi(16);
            assert!((curve.page_failure(rate, 16) - expected).abs() < 1e-12);
        }
        assert!(curve.page_failure(0.0, 16).abs() < 1e-12 && curve.page_failure(0.5, 16) > 0.999);
    }
}
