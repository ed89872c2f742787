//! Measurement of a real trace, from which a synthetic workload can be derived: burstiness, locality, sizes
//! and alignment.
//!
//! # What it measures
//!
//! - **Gaps**: coefficient of variation, and the maximum-likelihood hyperexponential distribution with two
//!   phases, relative to the mean.
//! - **Runs**: a request continues an earlier one if it starts at the end of one of the last [`STREAMS`]
//!   requests of its device. The mean run length is the number of requests divided by the number of those
//!   that do not continue another.
//! - **Places**: the most frequent remainder of start addresses modulo 4,096; and, for the first requests of
//!   runs, the exponent of the Zipf distribution over the accessed 4-KiB places.
//! - **Sizes**: frequency of each size, which can be tilted to another mean.
//!
//! # How
//!
//! The gap distribution is fitted by expectation-maximisation, which preserves the mean in every step. Gaps
//! of zero count as half of the shortest other gap. The Zipf exponent is the maximum-likelihood estimate,
//! with places ranked by frequency and their number as n. Sizes are exponentially tilted: each share is
//! multiplied by e^(λ·size), with λ chosen for the target mean. Of all distributions with that mean, the
//! result has the smallest relative entropy.
//!
//! # What is left out
//!
//! The bias of the Zipf exponent is not corrected. The exponent is overestimated because places are ranked by
//! the same requests, especially with few requests per place. Correlation between gaps, sizes and places is
//! not measured.
//!
//! # Source
//!
//! Two phases for gaps: Wajahat et al., Performance Evaluation 2020. Expectation-maximisation: Dempster,
//! Laird and Rubin, Journal of the Royal Statistical Society B 1977. Exponential tilting: Csiszár,
//! "I-Divergence Geometry of Probability Distributions and Minimization Problems", Annals of Probability
//! 1975.
//!
//! # Parameters
//!
//! [`STREAMS`].

use std::collections::{BTreeMap, VecDeque};

use crate::request::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};

/// Number of latest requests of each device that a request may continue.
pub const STREAMS: usize = 16;

const BATCH: usize = 4096;
const PLACE_SECTORS: u64 = 4096 / SECTOR_BYTES as u64;
/// Number of iterations of the fit of gaps, which suffices for the printed digits.
const STEPS: usize = 500;

/// Measured characteristics of a trace.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Number of requests.
    pub requests: u64,
    /// Share of reads.
    pub read_ratio: f64,
    /// Mean gap in microseconds.
    pub mean_gap_us: f64,
    /// Coefficient of variation of the gaps.
    pub gap_variation: f64,
    /// Distribution of the gaps; `None` with fewer than two different gaps.
    pub gaps: Option<GapFit>,
    /// Mean number of requests in a sequential run.
    pub run_requests: f64,
    /// Most frequent remainder of start addresses modulo 4,096 bytes, in sectors, and the share of requests
    /// with it.
    pub offset: (u32, f64),
    /// Zipf exponent of the accesses to pages of 4 KiB.
    pub theta: f64,
    /// Number of distinct accessed pages of 4 KiB.
    pub places: usize,
    /// Number of requests of each length in sectors.
    pub sizes: BTreeMap<u32, u64>,
}

/// Hyperexponential distribution of gaps, with two phases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapFit {
    /// Share of long gaps.
    pub long_ratio: f64,
    /// Mean of the short gaps relative to the mean of all gaps.
    pub short_mean: f64,
}

impl Fit {
    /// Reads a source to its end and returns its characteristics. Memory use grows with the number of
    /// requests.
    ///
    /// # Errors
    /// [`SourceError`] of the source.
    pub fn of(source: &mut dyn RequestSource) -> Result<Self, SourceError> {
        let (mut survey, mut batch) = (FitSurvey::default(), Vec::with_capacity(BATCH));
        while source.fill(&mut batch, BATCH)? > 0 {
            batch.drain(..).for_each(|request| survey.add(&request));
        }
        Ok(survey.fit())
    }

    /// Returns the `most` most frequent sizes as (sectors, share). Each other size counts as the nearest of
    /// the returned sizes. The shares are exponentially tilted so that the mean size is `mean_sectors`.
    pub fn sizes_with_mean(&self, mean_sectors: f64, most: usize) -> Vec<(u32, f64)> {
        let kept = commonest(&self.sizes, most);
        let (mut low, mut high) = (-1.0_f64, 1.0);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if mean_of(&tilted(&kept, middle)) < mean_sectors { low = middle } else { high = middle }
        }
        tilted(&kept, low)
    }
}

/// Running counts and sums over the requests of a trace.
#[derive(Default)]
struct FitSurvey {
    requests: u64,
    reads: u64,
    last_ps: u64,
    gaps_us: Vec<f64>,
    going_on: u64,
    ends: VecDeque<(u16, u64)>,
    remainders: BTreeMap<u32, u64>,
    places: BTreeMap<(u16, u64), u64>,
    sizes: BTreeMap<u32, u64>,
}

impl FitSurvey {
    /// Adds a read or write. Other operations are ignored, since a fitted workload has none.
    fn add(&mut self, request: &HostRequest) {
        if !request.op.moves_data() {
            return;
        }
        let arrival_ps = request.arrival.as_ps();
        if self.requests > 0 {
            self.gaps_us.push((arrival_ps - self.last_ps) as f64 / 1e6);
        }
        self.last_ps = arrival_ps;
        self.requests += 1;
        self.reads += u64::from(request.op == Op::Read);
        *self.sizes.entry(request.sectors).or_default() += 1;
        *self.remainders.entry((request.start_sector % PLACE_SECTORS) as u32).or_default() += 1;
        self.place(request);
    }

    fn place(&mut self, request: &HostRequest) {
        if self.ends.contains(&(request.queue, request.start_sector)) {
            self.going_on += 1;
        } else {
            *self.places.entry((request.queue, request.start_sector / PLACE_SECTORS)).or_default() += 1;
        }
        if self.ends.len() == STREAMS {
            self.ends.pop_front();
        }
        self.ends.push_back((request.queue, request.end_sector()));
    }

    fn fit(self) -> Fit {
        let count = self.gaps_us.len().max(1) as f64;
        let mean_gap_us = self.gaps_us.iter().sum::<f64>() / count;
        let squares = self.gaps_us.iter().map(|gap| (gap - mean_gap_us).powi(2)).sum::<f64>();
        let offset = self.remainders.iter().max_by_key(|&(_, count)| count).map_or((0, 0), |(&r, &n)| (r, n));
        Fit {
            requests: self.requests,
            read_ratio: self.reads as f64 / self.requests as f64,
            mean_gap_us,
            gap_variation: (squares / count).sqrt() / mean_gap_us,
            gaps: two_phases(&self.gaps_us, mean_gap_us),
            run_requests: self.requests as f64 / (self.requests - self.going_on).max(1) as f64,
            offset: (offset.0, offset.1 as f64 / self.requests as f64),
            theta: zipf_exponent(self.places.values().copied().collect()),
            places: self.places.len(),
            sizes: self.sizes,
        }
    }
}

/// Fits a distribution of two exponential phases to gaps, by expectation-maximisation.
fn two_phases(gaps_us: &[f64], mean_us: f64) -> Option<GapFit> {
    let shortest = gaps_us.iter().copied().filter(|&gap| gap > 0.0).min_by(f64::total_cmp)?;
    let gaps: Vec<f64> = gaps_us.iter().map(|gap| gap.max(shortest / 2.0) / mean_us).collect();
    let (mut long_ratio, mut short_mean, mut long_mean) = (0.1, 0.1, 10.0);
    for _ in 0..STEPS {
        let (mut long_weight, mut long_sum, mut all_sum) = (0.0, 0.0, 0.0);
        for &gap in &gaps {
            let long = long_ratio / long_mean * libm::exp(-gap / long_mean);
            let short = (1.0 - long_ratio) / short_mean * libm::exp(-gap / short_mean);
            let weight = long / (long + short);
            long_weight += weight;
            long_sum += weight * gap;
            all_sum += gap;
        }
        let count = gaps.len() as f64;
        (long_ratio, long_mean) = (long_weight / count, long_sum / long_weight);
        short_mean = (all_sum - long_sum) / (count - long_weight);
    }
    let found = GapFit { long_ratio, short_mean };
    (long_ratio.is_finite() && short_mean.is_finite() && long_ratio > 0.0).then_some(found)
}

/// Returns the maximum-likelihood Zipf exponent for the number of accesses to each place.
fn zipf_exponent(mut counts: Vec<u64>) -> f64 {
    counts.sort_unstable_by(|one, other| other.cmp(one));
    let logs: Vec<f64> = (1..=counts.len()).map(|rank| libm::log(rank as f64)).collect();
    let all: u64 = counts.iter().sum();
    let seen = counts.iter().zip(&logs).map(|(&count, log)| count as f64 * log).sum::<f64>() / all as f64;
    let expected = |theta: f64| {
        let weights = logs.iter().map(|log| libm::exp(-theta * log));
        let sum: f64 = weights.clone().sum();
        weights.zip(&logs).map(|(weight, log)| weight * log).sum::<f64>() / sum
    };
    let (mut low, mut high) = (0.0, 5.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        // The expected log rank decreases with the exponent.
        if expected(middle) > seen { low = middle } else { high = middle }
    }
    low
}

fn commonest(sizes: &BTreeMap<u32, u64>, most: usize) -> BTreeMap<u32, u64> {
    let mut by_count: Vec<(u32, u64)> = sizes.iter().map(|(&sectors, &count)| (sectors, count)).collect();
    by_count.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let names: Vec<u32> = by_count.iter().take(most).map(|&(sectors, _)| sectors).collect();
    let mut kept = BTreeMap::new();
    for (sectors, count) in by_count {
        let nearest = names.iter().copied().min_by_key(|name| name.abs_diff(sectors));
        *kept.entry(nearest.unwrap_or(sectors)).or_default() += count;
    }
    kept
}

fn tilted(sizes: &BTreeMap<u32, u64>, lambda: f64) -> Vec<(u32, f64)> {
    let largest = sizes.keys().max().copied().unwrap_or(0);
    // Relative to the larger end of the range, so that no weight overflows.
    let pivot = if lambda > 0.0 { f64::from(largest) } else { 0.0 };
    let weight = |(&sectors, &count): (&u32, &u64)| {
        (sectors, count as f64 * libm::exp(lambda * (f64::from(sectors) - pivot)))
    };
    let weights: Vec<(u32, f64)> = sizes.iter().map(weight).collect();
    let sum: f64 = weights.iter().map(|&(_, weight)| weight).sum();
    weights.into_iter().map(|(sectors, weight)| (sectors, weight / sum)).collect()
}

fn mean_of(shares: &[(u32, f64)]) -> f64 {
    shares.iter().map(|&(sectors, share)| f64::from(sectors) * share).sum()
}
