//! Distribution of the time between consecutive arrivals.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Number of significant decimal digits of the histogram, which then takes 5 MB of memory.
const DIGITS: u8 = 4;

/// End of the simulated time range, in nanoseconds.
const LONGEST_NS: u64 = u64::MAX / 1_000;

const NS_PER_US: f64 = 1e3;

/// Distribution of the gaps between consecutive arrivals. Values are exact to a nanosecond below 32 us, and
/// to one part in ten thousand above.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapDistribution {
    /// Share of gaps below one nanosecond, in %.
    pub zero_pct: f64,
    /// 10th percentile of the gaps in microseconds.
    pub p10_us: f64,
    /// 25th percentile of the gaps in microseconds.
    pub p25_us: f64,
    /// Median of the gaps in microseconds.
    pub p50_us: f64,
    /// 75th percentile of the gaps in microseconds.
    pub p75_us: f64,
    /// 90th percentile of the gaps in microseconds.
    pub p90_us: f64,
    /// 99th percentile of the gaps in microseconds.
    pub p99_us: f64,
    /// 99.9th percentile of the gaps in microseconds.
    pub p99_9_us: f64,
    /// Longest gap in microseconds.
    pub max_us: f64,
    /// Standard deviation divided by mean: 0 for constant gaps, 1 for a Poisson process, larger for bursty
    /// arrivals.
    pub coefficient_of_variation: Option<f64>,
    /// Points of the cumulative distribution for a plot. Each is a gap in microseconds and the share of gaps
    /// up to this length, in %.
    pub cdf: Vec<(f64, f64)>,
}

/// Number of points per decade of the plot.
const STEPS_PER_DECADE: f64 = 10.0;

/// Histogram of gaps.
pub(super) struct GapHistogram {
    ns: Histogram<u64>,
    zeros: u64,
    sum_us: f64,
    /// Sum of the squared gaps, in square microseconds.
    squares: f64,
}

impl GapHistogram {
    pub(super) fn new() -> Self {
        let ns = Histogram::new_with_max(LONGEST_NS, DIGITS).expect("both bounds are constants in range");
        Self { ns, zeros: 0, sum_us: 0.0, squares: 0.0 }
    }

    #[inline]
    pub(super) fn add(&mut self, ps: u64) {
        let (ns, us) = (ps / 1_000, ps as f64 / 1e6);
        self.ns.saturating_record(ns);
        self.zeros += u64::from(ns == 0);
        self.sum_us += us;
        self.squares += us * us;
    }

    /// Returns the median gap in microseconds; `None` without gaps. For an even number of gaps, this is the
    /// mean of the two middle ones.
    pub(super) fn median_us(&self) -> Option<f64> {
        let gaps = Some(self.ns.len()).filter(|&gaps| gaps > 0)?;
        let (lower, upper) = (self.of_rank_ns(gaps.div_ceil(2)), self.of_rank_ns(gaps / 2 + 1));
        Some((lower + upper) as f64 / 2.0 / NS_PER_US)
    }

    /// Returns the distribution; `None` without gaps.
    pub(super) fn distribution(&self) -> Option<GapDistribution> {
        let gaps = Some(self.ns.len()).filter(|&gaps| gaps > 0)?;
        let quantile = |share: f64| {
            let rank = ((gaps as f64 * share).ceil() as u64).clamp(1, gaps);
            self.of_rank_ns(rank) as f64 / NS_PER_US
        };
        Some(GapDistribution {
            zero_pct: 100.0 * self.zeros as f64 / gaps as f64,
            p10_us: quantile(0.1),
            p25_us: quantile(0.25),
            p50_us: quantile(0.5),
            p75_us: quantile(0.75),
            p90_us: quantile(0.9),
            p99_us: quantile(0.99),
            p99_9_us: quantile(0.999),
            max_us: quantile(1.0),
            coefficient_of_variation: self.coefficient_of_variation(gaps as f64),
            cdf: self.cdf(gaps as f64),
        })
    }

    fn coefficient_of_variation(&self, gaps: f64) -> Option<f64> {
        let mean = self.sum_us / gaps;
        let variance = (self.squares / gaps - mean * mean).max(0.0);
        (mean > 0.0).then(|| variance.sqrt() / mean)
    }

    /// Returns the points of the cumulative distribution: one for zero gaps, and one for each tenth of a
    /// decade that contains gaps.
    fn cdf(&self, gaps: f64) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut below, mut last_step) = (0, None);
        for bucket in self.ns.iter_recorded() {
            below += bucket.count_since_last_iteration();
            let gap_us = self.ns.median_equivalent(bucket.value_iterated_to()) as f64 / NS_PER_US;
            let step = (gap_us.max(1.0 / NS_PER_US).log10() * STEPS_PER_DECADE).floor() as i64;
            let point = (gap_us, 100.0 * below as f64 / gaps);
            match points.last_mut() {
                Some(last) if last_step == Some(step) => *last = point,
                _ => points.push(point),
            }
            last_step = Some(step);
        }
        points
    }

    /// Returns the gap with the given rank, in nanoseconds. The shortest gap has rank 1.
    fn of_rank_ns(&self, rank: u64) -> u64 {
        let reached = self.ns.iter_recorded().scan(0, |below, step| {
            *below += step.count_since_last_iteration();
            Some((*below, step.value_iterated_to()))
        });
        let mut at_rank = reached.skip_while(|&(count, _)| count < rank);
        at_rank.next().map_or(0, |(_, gap)| self.ns.median_equivalent(gap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(gaps_us: impl IntoIterator<Item = u64>) -> GapDistribution {
        let mut gaps = GapHistogram::new();
        gaps_us.into_iter().for_each(|us| gaps.add(us * 1_000_000));
        gaps.distribution().unwrap()
    }

    #[test]
    fn quantiles_are_gaps_of_their_rank() {
        let found = distribution((0..1_000).rev());
        let near = |found: f64, expected: f64| assert!((found - expected).abs() <= 0.1, "{found} {expected}");
        near(found.p10_us, 99.0);
        near(found.p50_us, 499.0);
        near(found.p99_9_us, 998.0);
        near(found.max_us, 999.0);
        near(found.zero_pct, 0.1);
    }

    #[test]
    fn a_clock_does_not_vary_and_two_lengths_do() {
        assert_eq!(distribution([7; 100]).coefficient_of_variation, Some(0.0));
        // Expected mean 1 and variance 1.
        let found = distribution([0, 2].repeat(50)).coefficient_of_variation.unwrap();
        assert!((found - 1.0).abs() < 1e-12, "{found}");
        assert_eq!(distribution([0; 5]).coefficient_of_variation, None);
        assert!(GapHistogram::new().distribution().is_none());
    }

    #[test]
    fn the_curve_rises_to_all_gaps() {
        let cdf = distribution((0..100_000).map(|n| n % 10_000)).cdf;
        assert!(cdf.is_sorted() && cdf.len() < 60, "{}", cdf.len());
        assert!(cdf.is_sorted_by_key(|point| point.1));
        assert!((cdf.last().unwrap().1 - 100.0).abs() < 1e-9);
        assert!((cdf[0].1 - 0.01).abs() < 1e-9, "those of zero");
    }
}
