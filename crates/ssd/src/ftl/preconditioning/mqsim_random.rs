//! MQSim's random numbers, to the bit.
//!
//! # How
//! L'Ecuyer's combined multiple recursive generator with two components of order three; MQSim's seed says how far its
//! sequence is jumped ahead, by (seed / 200 + 1) times 2 to the power of seed modulo 200. The jump is computed in whole
//! numbers of 64 bits that overflow, so that it leads elsewhere than it should; that is kept.
//!
//! # Source
//! L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", Operations
//! Research 1999 (`MRG32k3a`); MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `RandomGenerator.cpp`.

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
pub struct MqsimRandom {
    values: [[f64; 3]; 2],
    /// A normally distributed number that is left over; zero if none is.
    spare_normal: f64,
}

impl MqsimRandom {
    /// The sequence of a seed.
    pub fn new(seed: u32) -> Self {
        let (factor, power) = (seed / SEEDS_OF_A_FACTOR + 1, seed % SEEDS_OF_A_FACTOR);
        Self { values: [0, 1].map(|component| jumped(component, factor, power)), spare_normal: 0.0 }
    }

    /// Above 0 and below 1.
    pub fn unit(&mut self) -> f64 {
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
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + ((most.wrapping_sub(least).wrapping_add(1)) as f64 * self.unit()) as u64
    }

    /// Normally distributed, by the polar method; every second number is left over from the one before.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let left_over = std::mem::take(&mut self.spare_normal);
        if left_over != 0.0 {
            return mean + left_over * deviation;
        }
        loop {
            let [x, y] = [(); 2].map(|()| 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare_normal = y * factor;
                return mean + x * factor * deviation;
            }
        }
    }

    /// Exponentially distributed.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.unit())
    }
}

/// What is left of `x` after whole moduli, in MQSim's floating-point steps.
fn remainder(x: f64, modulus: f64) -> f64 {
    // There are fewer than two million of them, so this is `trunc`, which the oldest processors of 64 bits have no instruction for.
    let whole = f64::from((x / modulus) as i32);
    let left = x - whole * modulus;
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
