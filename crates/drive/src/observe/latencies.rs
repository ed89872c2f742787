//! Latency distributions.
//!
//! # How
//! Latencies are counted in the buckets of an HDR histogram with three significant digits. The index of a
//! bucket is computed by a shift and two additions. [`Distribution::quantiles_us`] computes percentiles (p50,
//! p99 …) from the histogram by nearest rank: the smallest recorded latency such that at least this share of
//! the latencies is not larger. The percentiles of a report are computed by `report/quantiles.rs` in the
//! crate `venice-sim`.
//!
//! # Source
//! Tene, `HdrHistogram`: each bucket covers twice the range of the previous one and is divided into 2,048
//! equal parts, of which the lower half coincides with the previous bucket.

use hdrhistogram::Histogram;
use venice_kernel::SimSpan;

/// Number of significant decimal digits of recorded latencies. Percentiles are accurate to 0.1 %.
const DIGITS: u8 = 3;
/// Smallest maximum that `HdrHistogram` permits: twice its minimum of 1.
const LEAST_MAX: u64 = 2;
/// Number of index bits of the parts of a histogram bucket. Three digits need at least 2 × 10^3 parts.
const PART_BITS: u32 = 11;
/// Number of parts of a histogram bucket that lie above the previous bucket.
const NEW_PARTS: usize = 1 << (PART_BITS - 1);

/// Latency distribution as a histogram, with the exact sum in picoseconds.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// Index of the histogram part that `counts` begins with, aligned to the start of a bucket.
    first: usize,
    /// Number of latencies in each histogram part, from the part `first`. The vector grows in both
    /// directions, because the latencies of a run cover only a few of the many buckets.
    counts: Vec<u64>,
    sum_ps: u128,
    min_ps: u64,
    max_ps: u64,
}

/// Returns the index of the histogram part that contains a latency.
#[inline]
const fn part_of(ps: u64) -> usize {
    // `ilog2` of a number that is known not to be zero takes one instruction.
    let width = ((ps | (NEW_PARTS as u64)).ilog2() - (PART_BITS - 1)) as usize;
    width * NEW_PARTS + (ps >> width) as usize
}

/// Returns the smallest latency of a histogram part, in picoseconds.
const fn least_of(part: usize) -> u64 {
    let width = (part / NEW_PARTS).saturating_sub(1);
    ((part - width * NEW_PARTS) as u64) << width
}

impl Latencies {
    /// Creates an empty distribution.
    pub const fn new() -> Self {
        Self { first: 0, counts: Vec::new(), sum_ps: 0, min_ps: u64::MAX, max_ps: 0 }
    }

    /// Adds a latency to the distribution.
    #[inline]
    pub fn record(&mut self, latency: SimSpan) {
        let ps = latency.as_ps();
        let part = part_of(ps);
        if part.wrapping_sub(self.first) >= self.counts.len() {
            self.make_room(part, part);
        }
        self.counts[part - self.first] += 1;
        self.sum_ps += u128::from(ps);
        if ps < self.min_ps || ps > self.max_ps {
            self.widen(ps);
        }
    }

    /// Extends the vector `counts`, so that it covers the histogram parts from `from` to `to`.
    #[cold]
    fn make_room(&mut self, from: usize, to: usize) {
        let first = from / NEW_PARTS * NEW_PARTS;
        if self.counts.is_empty() {
            self.first = first;
        }
        let before = self.first.saturating_sub(first);
        self.first -= before;
        self.counts.splice(0..0, std::iter::repeat_n(0, before));
        let parts = (to + 1 - self.first).next_multiple_of(NEW_PARTS);
        self.counts.resize(parts.max(self.counts.len()), 0);
    }

    /// Iterates over the histogram parts that contain latencies, each with the number of latencies.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> {
        (self.first..).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// Extends the range from minimum to maximum so that it contains a latency. This is rare after the start
    /// of a run.
    #[cold]
    fn widen(&mut self, ps: u64) {
        self.min_ps = self.min_ps.min(ps);
        self.max_ps = self.max_ps.max(ps);
    }

    /// Adds all latencies of another distribution.
    pub fn merge(&mut self, other: &Self) {
        if !other.counts.is_empty() {
            self.make_room(other.first, other.first + other.counts.len() - 1);
            for (count, more) in self.counts[other.first - self.first..].iter_mut().zip(&other.counts) {
                *count += more;
            }
        }
        self.sum_ps += other.sum_ps;
        self.min_ps = self.min_ps.min(other.min_ps);
        self.max_ps = self.max_ps.max(other.max_ps);
    }

    /// Returns a copy whose memory is proportional to the number of histogram parts that contain latencies.
    pub fn pack(&self) -> PackedLatencies {
        let counts = self.filled().map(|(part, count)| (part as u32, count)).collect();
        PackedLatencies { counts, sum_ps: self.sum_ps, max_ps: self.max_ps }
    }

    /// Returns the number of recorded latencies.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the exact mean in microseconds, or `None` without latencies.
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ps as f64 / count as f64 / 1e6)
    }

    /// Iterates over the histogram parts that contain latencies, each with its smallest latency in
    /// picoseconds and the number of latencies.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.filled().map(|(part, count)| (least_of(part), count))
    }

    /// Returns the distribution for computing quantiles, or `None` without latencies.
    pub fn distribution(&self) -> Option<Distribution> {
        Distribution::of(self.filled(), self.max_ps)
    }

    /// Returns the exact minimum in microseconds, or `None` without latencies.
    pub fn min_us(&self) -> Option<f64> {
        (self.min_ps <= self.max_ps).then_some(self.min_ps as f64 / 1e6)
    }

    /// Returns the exact maximum in microseconds, or `None` without latencies.
    pub fn max_us(&self) -> Option<f64> {
        (self.min_ps <= self.max_ps).then_some(self.max_ps as f64 / 1e6)
    }
}

/// Latency distribution in compact form. It can be merged, but single latencies cannot be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedLatencies {
    /// Histogram parts that contain latencies, each with the number of latencies, in ascending order.
    counts: Vec<(u32, u64)>,
    sum_ps: u128,
    max_ps: u64,
}

impl PackedLatencies {
    /// Returns the number of histogram parts that contain latencies.
    pub fn parts(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of recorded latencies.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// Returns the exact mean in microseconds, or `None` without latencies.
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ps as f64 / count as f64 / 1e6)
    }

    /// Returns the exact maximum in microseconds, or `None` without latencies.
    pub fn max_us(&self) -> Option<f64> {
        (!self.counts.is_empty()).then_some(self.max_ps as f64 / 1e6)
    }

    /// Returns the distribution for computing quantiles, or `None` without latencies.
    pub fn distribution(&self) -> Option<Distribution> {
        let counts = self.counts.iter().map(|&(part, count)| (part as usize, count));
        Distribution::of(counts, self.max_ps)
    }

    /// Adds all latencies of another distribution.
    pub fn merge(&mut self, other: &Self) {
        let (own, more) = (std::mem::take(&mut self.counts), &other.counts);
        self.counts.reserve_exact(own.len() + more.len());
        let (mut own, mut more) = (own.into_iter().peekable(), more.iter().copied().peekable());
        while let Some(part) = own.peek().into_iter().chain(more.peek()).map(|&(part, _)| part).min() {
            let counts = [own.next_if(|&(at, _)| at == part), more.next_if(|&(at, _)| at == part)];
            self.counts.push((part, counts.into_iter().flatten().map(|(_, count)| count).sum()));
        }
        self.counts.shrink_to_fit();
        self.sum_ps += other.sum_ps;
        self.max_ps = self.max_ps.max(other.max_ps);
    }
}

/// Latency distribution for computing quantiles.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    max_ps: u64,
}

impl Distribution {
    /// Creates the distribution from indices of histogram parts and the numbers of latencies in them.
    fn of(counts: impl Iterator<Item = (usize, u64)>, max_ps: u64) -> Option<Self> {
        // The histogram is created with its final size, since extending it would rebuild it several times.
        let mut histogram =
            Histogram::new_with_max(max_ps.max(LEAST_MAX), DIGITS).expect("three digits are allowed");
        for (part, count) in counts {
            let recorded = histogram.record_n(least_of(part), count);
            recorded.expect("no part begins behind the longest latency");
        }
        (!histogram.is_empty()).then_some(Self { histogram, max_ps })
    }

    /// Returns the latencies at ascending `quantiles` (from 0 to 1) in microseconds. They are accurate to 0.1
    /// %; the maximum is exact.
    pub fn quantiles_us(&self, quantiles: impl IntoIterator<Item = f64>) -> impl Iterator<Item = f64> {
        let values = self.histogram.value_at_quantiles(quantiles);
        values.map(|ps| ps.min(self.max_ps) as f64 / 1e6)
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(all: &[u64]) -> Latencies {
        let mut latencies = Latencies::new();
        for &ps in all {
            latencies.record(SimSpan::from_ps(ps));
        }
        latencies
    }

    #[test]
    fn percentiles_agree_with_the_sorted_list_within_a_thousandth() {
        let mut all: Vec<u64> = (1..=10_000).map(|n| n * n * 37).collect();
        let latencies = of(&all);
        all.sort_unstable();
        for quantile in [0.5_f64, 0.9, 0.99, 0.999] {
            let exact = all[(quantile * 10_000.0).ceil() as usize - 1] as f64 / 1e6;
            let found = latencies.distribution().unwrap().quantiles_us([quantile]).next().unwrap();
            assert!((found / exact - 1.0).abs() <= 1e-3, "{quantile}: {found} against {exact}");
        }
        assert_eq!(latencies.max_us(), Some(3700.0));
    }

    #[test]
    fn counts_are_of_the_buckets_in_which_latencies_are_whichever_came_first() {
        let (short, long) = (1 << 20, 1 << 24);
        let latencies = of(&[long, short, long, 2 * long]);
        let found: Vec<_> = latencies.parts().collect();
        assert_eq!(found, [(short, 1), (long, 2), (2 * long, 1)]);
        assert_eq!(latencies.counts.len(), 6 * NEW_PARTS, "of 2^20 to 2^25");
    }

    proptest! {
        #[test]
        fn latencies_that_are_merged_are_as_if_they_were_of_one(
            one in proptest::collection::vec(0_u64..1 << 40, 0..20), other in proptest::collection::vec(0_u64..1 << 40, 0..20)
        ) {
            let mut merged = of(&one);
            merged.merge(&of(&other));
            prop_assert_eq!(merged.pack(), of(&[one, other].concat()).pack());
        }

        #[test]
        fn packed_and_unpacked_latencies_agree(
            one in proptest::collection::vec(0_u64..1 << 40, 0..60), other in proptest::collection::vec(0_u64..1 << 40, 0..60)
        ) {
            let (both, mut packed) = (of(&[one.clone(), other.clone()].concat()), of(&one).pack());
            packed.merge(&of(&other).pack());
            prop_assert_eq!(&packed, &both.pack());
            let quantiles = |all: Option<Distribution>| -> Vec<f64> {
                all.iter().flat_map(|all| all.quantiles_us([0.5, 0.99, 0.999])).collect()
            };
            prop_assert_eq!(quantiles(packed.distribution()), quantiles(both.distribution()));
            prop_assert_eq!((packed.count(), packed.mean_us(), packed.max_us()), (both.count(), both.mean_us(), both.max_us()));
        }

        #[test]
        fn every_latency_is_counted_where_a_histogram_of_three_digits_counts_it(bits in 0_u32..64, within: u64) {
            let ps = (1 << bits) | (within & ((1 << bits) - 1));
            let histogram = Histogram::<u64>::new(DIGITS).unwrap();
            prop_assert_eq!(least_of(part_of(ps)), histogram.lowest_equivalent(ps));
        }
    }
}
