//! Distribution of valid pages over blocks in steady state, by the formulas of MQSim.
//!
//! # What it models
//! The share of blocks with 0, 1, … N valid pages, under uniform writes, for each victim policy. For hot and
//! cold writes, this distribution is transformed as in MQSim. For sequential writes, the pages of a block are
//! either all valid or all invalid.
//!
//! # What is left out
//! Corrections of MQSim's errors, since the purpose is to start in MQSim's state. MQSim treats the greedy and
//! FIFO policies as d-choices with d = 30. It integrates the differential equation for ten units of time
//! only, even if it has not converged. For RANDOM it raises to a power where the paper multiplies.
//!
//! # Source
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state
//! drives", SIGMETRICS 2013: equations of d-choices, RANDOM and RANDOM++. MQSim (Tavakkol et al., FAST 2018),
//! commit 7ec40e3, `FTL::Perform_precondition`.

use crate::ftl::gc::MeanField;

/// Step of the numerical integration, which takes at most `MAX_STEPS` steps.
const STEP: f64 = 0.001;
const MAX_STEPS: u32 = 10_000;
/// Largest change per step at which the integration ends.
const STILL: f64 = 1e-10;

/// Inputs of the mean-field formulas.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanFieldInputs {
    /// Number of pages in a block.
    pub(super) pages: u32,
    /// Number of valid pages divided by the number of pages outside the blocks that are kept free.
    pub(super) density: f64,
    /// Number of valid pages divided by the number of all pages of the plane.
    pub(super) raw_density: f64,
    /// Occupancy from which the bound of RANDOM++ is computed, from 0 to 1.
    pub(super) threshold_occupancy: f64,
}

/// Shares of the blocks with 0, 1, … N valid pages.
pub(super) type ValidPageShares = Vec<f64>;

/// Returns the distribution of valid pages under uniform writes.
pub(super) fn uniform(formula: MeanField, field: &MeanFieldInputs) -> ValidPageShares {
    match formula {
        MeanField::Choices(choices) => self::choices(choices, field),
        MeanField::Random => random(field),
        MeanField::RandomUpTo => random_pp(field),
    }
}

/// Returns the distribution of valid pages under hot and cold writes. `hot_pages` is the hot share of the
/// pages, and `hot_writes` is the share of the writes that go to them.
pub(super) fn hot_cold(
    formula: MeanField,
    field: &MeanFieldInputs,
    hot_pages: f64,
    hot_writes: f64,
) -> ValidPageShares {
    let even = uniform(formula, field);
    let stretch = (hot_writes / hot_pages).sqrt();
    let mean = mean(&even);
    let place = |i: usize| ((i as f64 - mean) * stretch) as i64;
    let moved = (0..even.len()).map(|i| match usize::try_from(place(i)) {
        Ok(from) if from < field.pages as usize => stretch * even[from],
        _ => 0.0,
    });
    let moved: ValidPageShares = moved.collect();
    let total: f64 = moved.iter().sum();
    moved.into_iter().map(|share| share / total).collect()
}

/// Returns the distribution of valid pages under sequential writes.
pub(super) fn streaming(field: &MeanFieldInputs) -> ValidPageShares {
    let mut shape = vec![0.0; field.pages as usize + 1];
    shape[0] = 1.0 - field.density;
    shape[field.pages as usize] = field.density;
    shape
}

/// Returns the mean number of valid pages per block.
pub(super) fn mean(shape: &ValidPageShares) -> f64 {
    shape.iter().enumerate().map(|(valid, share)| valid as f64 * share).sum()
}

/// Returns the distribution if the block with the fewest valid pages of `d` random blocks is collected.
/// Solves the equation for the share w(i) of blocks with at least i valid pages. The initial state is that
/// pages are valid independently of each other.
fn choices(d: u32, field: &MeanFieldInputs) -> ValidPageShares {
    let pages = field.pages as usize;
    let block = f64::from(field.pages);
    let mut at_least: Vec<f64> = vec![0.0; pages + 2];
    for (i, share) in binomial(field).into_iter().enumerate().rev() {
        at_least[i] = at_least[i + 1] + share;
    }
    at_least[0] = 1.0;
    let mut powers = vec![0.0; pages + 2];
    for _ in 0..MAX_STEPS {
        for (power, share) in powers.iter_mut().zip(&at_least) {
            *power = raised(*share, d);
        }
        let freed = block - powers[1..=pages].iter().sum::<f64>();
        let mut most = 0.0_f64;
        for i in 1..pages {
            let lost = i as f64 * (at_least[i] - at_least[i + 1]) / (block * field.density);
            let change = STEP * (1.0 - powers[i] - freed * lost);
            at_least[i] += change;
            most = most.max(change.abs());
        }
        if most <= STILL {
            break;
        }
    }
    at_least.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

fn raised(x: f64, power: u32) -> f64 {
    (0..power).fold(1.0, |product, _| product * x)
}

fn binomial(field: &MeanFieldInputs) -> ValidPageShares {
    let (n, p) = (f64::from(field.pages), field.density);
    let chance = |k: f64| {
        let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
        libm::exp(ways + k * libm::log(p) + (n - k) * libm::log(1.0 - p))
    };
    (0..=field.pages).map(f64::from).map(chance).collect()
}

/// Returns the distribution if blocks are collected at random with equal probability.
fn random(field: &MeanFieldInputs) -> ValidPageShares {
    let rho = field.density;
    let kept = |j: f64| (1.0 - rho) * j / (rho + (1.0 - rho) * j);
    let mut at_most: ValidPageShares = Vec::with_capacity(field.pages as usize + 1);
    // From full blocks downwards; `fuller` is the product over all blocks with more valid pages.
    let mut fuller = 1.0;
    for i in (0..=field.pages).rev() {
        at_most.push(fuller * rho / (rho + raised(1.0 - rho, i)));
        fuller *= kept(f64::from(i));
    }
    at_most.reverse();
    let below = std::iter::once(0.0).chain(at_most.iter().copied());
    at_most.iter().zip(below).map(|(share, below)| share - below).collect()
}

/// Returns the distribution if blocks with at most a given number of valid pages are collected at random.
fn random_pp(field: &MeanFieldInputs) -> ValidPageShares {
    let (rho, block) = (field.raw_density, f64::from(field.pages));
    let threshold = (field.threshold_occupancy * block) as u32;
    let most = f64::from(threshold);
    let harmonic: f64 = (threshold + 1..=field.pages).map(|j| 1.0 / f64::from(j)).sum();
    let a = block - most - block * harmonic;
    let b = rho * harmonic + 1.0 - rho;
    let c = -rho / block;
    let full = (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let pull = rho / (1.0 - rho - full * (block * harmonic - block + most));
    let mut shape = vec![0.0; field.pages as usize + 2];
    for i in (0..=field.pages).rev() {
        let k = f64::from(i);
        shape[i as usize] = if i <= threshold {
            (k + 1.0) * shape[i as usize + 1] / (k + pull)
        } else if i < field.pages {
            block * full / k
        } else {
            full
        };
    }
    shape.pop();
    shape
}
