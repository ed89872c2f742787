//! The requests that MQSim draws to find out which pages hold data: those that its flow is going to issue.
//!
//! # What it models
//! A synthetic flow of MQSim draws its requests and the pages of its preconditioning from generators of the same seeds. As
//! long as both use the same range of addresses, the run's requests therefore find the very pages that were
//! written before; the share of pages that hold data says nothing of that. So draws are MQSim's to the bit.
//!
//! # How
//! L'Ecuyer's combined multiple recursive generator with two components of order three; MQSim's seed says how far its
//! sequence is jumped ahead, by (seed / 200 + 1) times 2 to the power of seed modulo 200. The jump is computed in whole
//! numbers of 64 bits that overflow, so that it leads elsewhere than it should; that is kept.
//!
//! # Source
//! L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", Operations
//! Research 1999 (`MRG32k3a`); MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `IO_Flow_Synthetic.cpp`, `FTL.cpp`,
//! `RandomGenerator.cpp`.

use super::settings::{DrawnRequests, DrawnSize, WritePattern};

/// The two moduli, and the coefficients of the two recursions: of the values three, two and one steps ago.
const MODULI: [f64; 2] = [4_294_967_087.0, 4_294_944_443.0];
const COEFFICIENTS: [[f64; 3]; 2] = [[-810_728.0, 1_403_580.0, 0.0], [-1_370_589.0, 0.0, 527_612.0]];
/// 1 / (the first modulus + 1), as the source gives it.
const NORM: f64 = 2.328_306_549_295_728e-10;
/// Seeds that differ by less than this are jumps by different powers of two.
const SEEDS_OF_A_FACTOR: u32 = 200;

type Matrix = [[i64; 3]; 3];

/// MQSim's generator.
#[derive(Clone, Debug)]
pub(super) struct MqsimRandom {
    values: [[f64; 3]; 2],
}

impl MqsimRandom {
    pub(super) fn new(seed: u32) -> Self {
        let (factor, power) = (seed / SEEDS_OF_A_FACTOR + 1, seed % SEEDS_OF_A_FACTOR);
        Self { values: [0, 1].map(|component| jumped(component, factor, power)) }
    }

    /// Above 0 and below 1.
    fn unit(&mut self) -> f64 {
        let [three, two, _] = self.values[0];
        let first = remainder(COEFFICIENTS[0][1] * two + COEFFICIENTS[0][0] * three, MODULI[0]);
        let [three, _, one] = self.values[1];
        let second = remainder(COEFFICIENTS[1][2] * one + COEFFICIENTS[1][0] * three, MODULI[1]);
        for (values, next) in self.values.iter_mut().zip([first, second]) {
            *values = [values[1], values[2], next];
        }
        let difference = first - second;
        (if difference < 0.0 { difference + MODULI[0] } else { difference } + 1.0) * NORM
    }

    /// A whole number of a range, both ends included.
    pub(super) fn within(&mut self, least: u64, most: u64) -> u64 {
        least + ((most.wrapping_sub(least).wrapping_add(1)) as f64 * self.unit()) as u64
    }
}

/// What is left of `x` after whole moduli, in MQSim's floating-point steps.
fn remainder(x: f64, modulus: f64) -> f64 {
    let left = x - (x / modulus).trunc() * modulus;
    if left < 0.0 { left + modulus } else { left }
}

/// Sums of products by a modulus. MQSim's overflow 64 bits, and what becomes of that is kept.
fn dot(row: &[i64; 3], column: &[i64; 3], modulus: i64) -> i64 {
    let add = |sum: i64, (a, b): (&i64, &i64)| a.wrapping_mul(*b).wrapping_add(sum) % modulus;
    row.iter().zip(column).fold(0, add)
}

/// The first values of a component after a jump of factor × 2^power steps from three ones.
fn jumped(component: usize, factor: u32, power: u32) -> [f64; 3] {
    let modulus = MODULI[component] as i64;
    let whole = |coefficient: f64| {
        (if coefficient < 0.0 { coefficient + MODULI[component] } else { coefficient }) as i64
    };
    let mut step: Matrix = [[0, 1, 0], [0, 0, 1], COEFFICIENTS[component].map(whole)];
    for _ in 0..power {
        step = product(&step, &step, modulus);
    }
    let mut values = [1; 3];
    for bit in 0..u32::BITS - factor.leading_zeros() {
        if factor >> bit & 1 == 1 {
            values = std::array::from_fn(|row| dot(&step[row], &values, modulus));
        }
        step = product(&step, &step, modulus);
    }
    values.map(|value| value as f64)
}

fn product(a: &Matrix, b: &Matrix, modulus: i64) -> Matrix {
    let column = |n: usize| std::array::from_fn(|row| b[row][n]);
    std::array::from_fn(|row| std::array::from_fn(|n| dot(&a[row], &column(n), modulus)))
}

/// The addresses that requests are drawn from, in sectors of the device, and what has become of them.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    flow: DrawnRequests,
    /// First and last sector.
    range: (u64, u64),
    hot_end: u64,
    /// With a hot region: the next of its sectors, if all of them are taken first.
    hot_next: Option<u64>,
    next: Option<u64>,
    address: MqsimRandom,
    hot_address: MqsimRandom,
    hot_or_cold: MqsimRandom,
    size: MqsimRandom,
    spare_normal: f64,
}

/// A request: its sectors, counted from the flow's first, and whether they are of the hot region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Draw {
    pub(super) start: u64,
    pub(super) sectors: u64,
    pub(super) is_hot: bool,
}

impl Draws {
    /// Draws from a range of sectors, both ends included; `hot_first` takes the hot region in order, before the
    /// others.
    pub(super) fn new(flow: &DrawnRequests, range: (u64, u64), hot_end: u64, hot_first: bool) -> Self {
        let mut seed = flow.seed;
        let mut generator = || {
            seed += 1;
            MqsimRandom::new(seed)
        };
        // The flow's seed itself is for the choice of reads and writes.
        let address = generator();
        let no_hot = || MqsimRandom::new(0);
        let (hot_address, hot_or_cold) =
            if flow.has_hot_seeds { (generator(), generator()) } else { (no_hot(), no_hot()) };
        let size = generator();
        let hot_next = hot_first.then_some(range.0);
        Self {
            flow: flow.clone(),
            range,
            hot_end,
            hot_next,
            next: None,
            address,
            hot_address,
            hot_or_cold,
            size,
            spare_normal: 0.0,
        }
    }

    pub(super) fn draw(&mut self, pattern: WritePattern) -> Draw {
        let sectors = self.sectors();
        let (start, is_hot) = match pattern {
            WritePattern::Uniform => (self.anywhere(sectors), false),
            WritePattern::Sequential => (self.following(sectors), false),
            WritePattern::HotCold { region, .. } => self.hot_or_cold(sectors, region),
        };
        let start = start - self.flow.alignment.map_or(0, |alignment| start % alignment);
        Draw { start: start.saturating_sub(self.range.0), sectors, is_hot }
    }

    fn sectors(&mut self) -> u64 {
        match self.flow.size {
            DrawnSize::Fixed(sectors) => sectors,
            DrawnSize::Normal { mean, deviation } => (self.normal(mean, deviation).ceil() as u64).max(1),
        }
    }

    /// By the polar method; every second number is left over from the one before.
    fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let left_over = std::mem::take(&mut self.spare_normal);
        if left_over != 0.0 {
            return mean + left_over * deviation;
        }
        loop {
            let [x, y] = [(); 2].map(|()| 2.0 * self.size.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare_normal = y * factor;
                return mean + x * factor * deviation;
            }
        }
    }

    fn anywhere(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let start = self.address.within(first, last);
        if start + sectors > last { first } else { start }
    }

    fn following(&mut self, sectors: u64) -> u64 {
        let (first, last) = self.range;
        let next = self.next.unwrap_or_else(|| self.address.within(first, last));
        let start = if next + sectors > last { first } else { next };
        let after = if next + sectors > last { first } else { next + sectors };
        self.next = Some(self.flow.alignment.map_or(after, |alignment| after.next_multiple_of(alignment)));
        start
    }

    fn hot_or_cold(&mut self, sectors: u64, region: f64) -> (u64, bool) {
        if let Some(next) = self.hot_next.filter(|&next| next <= self.hot_end) {
            self.hot_next = Some(next + sectors);
            return (next, true);
        }
        if self.hot_next.is_some() || self.hot_or_cold.unit() < region {
            let (first, last) = (self.hot_end + 1, self.range.1);
            let start = self.hot_address.within(first, last);
            return (if start + sectors > last { first } else { start }, false);
        }
        (self.hot_address.within(self.range.0, self.hot_end), true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> DrawnRequests {
        DrawnRequests {
            first_sector: 0,
            sectors: 31_205_600,
            working_set_ratio: 0.8,
            seed: 798,
            has_hot_seeds: false,
            alignment: Some(16),
            size: DrawnSize::Fixed(16),
        }
    }

    #[test]
    fn a_flow_of_mqsim_draws_what_it_drew_there() {
        // The first requests of a run of MQSim with 80 % of a space of 31,205,600 sectors and the seed 798.
        let mut draws = Draws::new(&flow(), (0, 24_964_479), 0, false);
        let pages: Vec<u64> = (0..4).map(|_| draws.draw(WritePattern::Uniform).start / 16).collect();
        assert_eq!(pages, [784_426, 1_286_928, 979_469, 334_162]);
    }

    #[test]
    fn a_stream_goes_on_where_it_was_and_begins_anew_at_the_end() {
        let mut draws = Draws::new(&flow(), (0, 1_000), 0, false);
        let starts: Vec<u64> = (0..200).map(|_| draws.draw(WritePattern::Sequential).start).collect();
        // The first draw is aligned, and what follows it is counted from where it was not. At the end, MQSim gives the
        // first sector twice.
        let is_next = |pair: &[u64]| {
            pair[1] == pair[0] + 16 || (pair[1] == 0 && (pair[0] + 32 > 1_000 || pair[0] == 0))
        };
        let starts = &starts[1..];
        assert!(starts.windows(2).all(is_next), "{starts:?}");
    }
}
