//! How latencies are distributed.
//!
//! # How
//! Each is counted where an HDR histogram of three significant digits counts it, by a shift and two additions; who asks for
//! percentiles gets that histogram.
//!
//! # Source
//! Tene, `HdrHistogram`: buckets that double in width, each cut into 2,048 parts, the lower half of which is the bucket before it.

use hdrhistogram::Histogram;
use venice_kernel::SimSpan;

/// Significant decimal digits of recorded latencies: percentiles are within 0.1 %.
const DIGITS: u8 = 3;
/// The least maximum that a histogram may have (`HdrHistogram`: twice its least value, which is 1).
const LEAST_MAX: u64 = 2;
/// Bits that tell the parts of a bucket apart: 2 × 10^3 parts at least, for as many digits.
const PART_BITS: u32 = 11;
/// Parts of a bucket that are not also parts of the one before it.
const NEW_PARTS: usize = 1 << (PART_BITS - 1);

/// Latencies of one kind: their distribution in picoseconds, and their exact sum.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// The first part that there is a count of, where a bucket begins.
    first: usize,
    /// By part, from the first on: how many. Grows as far as latencies go, both ways: those of a run are a few buckets of dozens.
    counts: Vec<u64>,
    sum_ps: u128,
    min_ps: u64,
    max_ps: u64,
}

/// The part that a latency falls into.
#[inline]
const fn part_of(ps: u64) -> usize {
    // The highest bit of a number that is not zero is found at once.
    let width = ((ps | (NEW_PARTS as u64)).ilog2() - (PART_BITS - 1)) as usize;
    width * NEW_PARTS + (ps >> width) as usize
}

/// The least latency that falls into a part.
const fn least_of(part: usize) -> u64 {
    let width = (part / NEW_PARTS).saturating_sub(1);
    ((part - width * NEW_PARTS) as u64) << width
}

impl Latencies {
    /// None yet.
    pub const fn new() -> Self {
        Self { first: 0, counts: Vec::new(), sum_ps: 0, min_ps: u64::MAX, max_ps: 0 }
    }

    /// Adds one.
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

    /// There are counts from this part to that one from now on.
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

    /// The parts into which latencies fell, and how many fell there.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> {
        (self.first..).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// None was so short, or none so long: seldom so, the longer the run.
    #[cold]
    fn widen(&mut self, ps: u64) {
        self.min_ps = self.min_ps.min(ps);
        self.max_ps = self.max_ps.max(ps);
    }

    /// Adds all of another.
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

    /// The same in as much memory as there are different ones.
    pub fn pack(&self) -> PackedLatencies {
        let counts = self.filled().map(|(part, count)| (part as u32, count)).collect();
        PackedLatencies { counts, sum_ps: self.sum_ps, max_ps: self.max_ps }
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Exact mean in microseconds; none of nothing.
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ps as f64 / count as f64 / 1e6)
    }

    /// The parts into which latencies fell, as their least one in picoseconds, and how many fell there.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.filled().map(|(part, count)| (least_of(part), count))
    }

    /// How they are distributed; none of nothing.
    pub fn distribution(&self) -> Option<Distribution> {
        Distribution::of(self.filled(), self.max_ps)
    }

    /// Exact minimum in microseconds.
    pub fn min_us(&self) -> Option<f64> {
        (self.min_ps <= self.max_ps).then_some(self.min_ps as f64 / 1e6)
    }

    /// Exact maximum in microseconds.
    pub fn max_us(&self) -> Option<f64> {
        (self.min_ps <= self.max_ps).then_some(self.max_ps as f64 / 1e6)
    }
}

/// Latencies of one kind, to which no single one is added any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedLatencies {
    /// Parts and how many, in order; none without any.
    counts: Vec<(u32, u64)>,
    sum_ps: u128,
    max_ps: u64,
}

impl PackedLatencies {
    /// How many different ones are told apart.
    pub fn parts(&self) -> usize {
        self.counts.len()
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }

    /// Exact mean in microseconds; none of nothing.
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ps as f64 / count as f64 / 1e6)
    }

    /// Exact maximum in microseconds.
    pub fn max_us(&self) -> Option<f64> {
        (!self.counts.is_empty()).then_some(self.max_ps as f64 / 1e6)
    }

    /// How they are distributed; none of nothing.
    pub fn distribution(&self) -> Option<Distribution> {
        let counts = self.counts.iter().map(|&(part, count)| (part as usize, count));
        Distribution::of(counts, self.max_ps)
    }

    /// Adds all of another.
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

/// How latencies are distributed.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    max_ps: u64,
}

impl Distribution {
    /// That of so many latencies of each of these parts.
    fn of(counts: impl Iterator<Item = (usize, u64)>, max_ps: u64) -> Option<Self> {
        // As large as it will be: one that grows is made anew several times.
        let mut histogram =
            Histogram::new_with_max(max_ps.max(LEAST_MAX), DIGITS).expect("three digits are allowed");
        for (part, count) in counts {
            let recorded = histogram.record_n(least_of(part), count);
            recorded.expect("no part begins behind the longest latency");
        }
        (!histogram.is_empty()).then_some(Self { histogram, max_ps })
    }

    /// For each of these quantiles (0 to 1), which rise, the latency that it says of all do not exceed, in microseconds, within
    /// 0.1 %; the maximum is exact.
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
        fn packed_latencies_say_what_loose_ones_say(
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
