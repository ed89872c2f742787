//! Random number generator of MQSim, with bit-identical results.
//!
//! # How
//! L'Ecuyer's combined multiple recursive generator with two components of order three. MQSim's seed
//! determines how far the sequence jumps ahead: by (seed / 200 + 1) × 2^(seed mod 200) steps. MQSim computes
//! the jump with 64-bit integers that overflow, so that the result differs from the intended one and may
//! contain negative numbers. This is reproduced.
//!
//! MQSim computes each step in floating-point arithmetic. If the last three values are non-negative, the
//! result is exact and equal to that of modular integer arithmetic, which takes a third of the time and is
//! used here. The first three steps may begin at negative numbers and are computed as in MQSim.
//!
//! # Source
//! L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
//! Operations Research 1999 (`MRG32k3a`); MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3,
//! `RandomGenerator.cpp`.

/// Moduli of the generator's two components. `COEFFICIENTS` contains the coefficients of the last three
/// values in the recursions, the oldest value first.
const MODULI: [u32; 2] = [4_294_967_087, 4_294_944_443];
const COEFFICIENTS: [[i32; 3]; 2] = [[-810_728, 1_403_580, 0], [-1_370_589, 0, 527_612]];
/// Factor that converts values of the first component to numbers below 1: 1 / (first modulus + 1), with the
/// digits given in L'Ecuyer's paper.
const NORM: f64 = 2.328_306_549_295_728e-10;
/// Divisor of the seed in the jump distance (seed / 200 + 1) × 2^(seed mod 200).
const SEEDS_OF_A_FACTOR: u32 = 200;

type GeneratorMatrix = [[i64; 3]; 3];

/// Random number generator of MQSim.
#[derive(Clone, Debug)]
pub struct MqsimRandom {
    /// Last three values of each component, the oldest first.
    values: [[u32; 3]; 2],
    /// Second number of the last pair of normally distributed numbers; zero after it has been used.
    spare_normal: f64,
}

impl MqsimRandom {
    /// Creates MQSim's random number generator for the seed `seed`.
    pub fn new(seed: u32) -> Self {
        let (factor, power) = (seed / SEEDS_OF_A_FACTOR + 1, seed % SEEDS_OF_A_FACTOR);
        let first = |component| first_values(component, jumped(component, factor, power));
        Self { values: [0, 1].map(first), spare_normal: 0.0 }
    }

    /// Returns a uniformly distributed number above 0 and below 1.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        let [first, second] = [self.values[0][0], self.values[1][0]];
        for (component, values) in self.values.iter_mut().enumerate() {
            *values = [values[1], values[2], next(component, *values)];
        }
        let difference = first.wrapping_sub(second);
        let difference = if first < second { difference.wrapping_add(MODULI[0]) } else { difference };
        f64::from(difference + 1) * NORM
    }

    /// Returns a uniformly distributed integer from `least` to `most`, both included.
    #[inline]
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        let count = most.wrapping_sub(least).wrapping_add(1);
        // A range contains fewer than 2^63 numbers, and signed integers convert to `f64` in fewer
        // instructions.
        debug_assert!(i64::try_from(count).is_ok(), "{least} to {most}");
        let above = (count.cast_signed() as f64 * self.unit()) as i64;
        least + above.cast_unsigned()
    }

    /// Returns a normally distributed number by the polar method. The method yields pairs; every second call
    /// returns the second number of a pair.
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

    /// Returns an exponentially distributed number.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.unit())
    }
}

/// Returns the next value of a component, given its last three values.
#[inline]
fn next(component: usize, [three, two, one]: [u32; 3]) -> u32 {
    let modulus = u64::from(MODULI[component]);
    // A negative coefficient times a value equals, modulo the modulus, the positive coefficient times
    // (modulus − value).
    let term = |coefficient: i32, value: u32| {
        let value = if coefficient < 0 { modulus - u64::from(value) } else { value.into() };
        u64::from(coefficient.unsigned_abs()) * value
    };
    let [of_three, of_two, of_one] = COEFFICIENTS[component];
    ((term(of_three, three) + term(of_two, two) + term(of_one, one)) % modulus) as u32
}

/// Returns the next three values of a component after a jump, in MQSim's floating-point arithmetic.
fn first_values(component: usize, [mut three, mut two, mut one]: [f64; 3]) -> [u32; 3] {
    let [of_three, of_two, of_one] = COEFFICIENTS[component].map(f64::from);
    [(); 3].map(|()| {
        let next = remainder(of_three * three + of_two * two + of_one * one, MODULI[component].into());
        (three, two, one) = (two, one, next);
        next as u32
    })
}

/// Returns `x` modulo `modulus`, in MQSim's floating-point arithmetic.
fn remainder(x: f64, modulus: f64) -> f64 {
    // Equal to `trunc`, since the quotient is below two million. The oldest 64-bit processors have no
    // instruction for `trunc`.
    let whole = f64::from((x / modulus) as i32);
    let left = x - whole * modulus;
    if left < 0.0 { left + modulus } else { left }
}

/// Returns the dot product of `row` and `column` modulo `modulus`. The sum overflows 64 bits as in MQSim.
fn dot(row: &[i64; 3], column: &[i64; 3], modulus: i64) -> i64 {
    let add = |sum: i64, (a, b): (&i64, &i64)| a.wrapping_mul(*b).wrapping_add(sum) % modulus;
    row.iter().zip(column).fold(0, add)
}

/// Returns the values of a component after a jump of factor × 2^power steps from the state (1, 1, 1).
fn jumped(component: usize, factor: u32, power: u32) -> [f64; 3] {
    let modulus = i64::from(MODULI[component]);
    let whole = |coefficient: i32| i64::from(coefficient) + if coefficient < 0 { modulus } else { 0 };
    let mut step: GeneratorMatrix = [[0, 1, 0], [0, 0, 1], COEFFICIENTS[component].map(whole)];
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

fn product(a: &GeneratorMatrix, b: &GeneratorMatrix, modulus: i64) -> GeneratorMatrix {
    let column = |n: usize| std::array::from_fn(|row| b[row][n]);
    std::array::from_fn(|row| std::array::from_fn(|n| dot(&a[row], &column(n), modulus)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference generator, which computes all steps in floating-point arithmetic like MQSim.
    struct Steps([[f64; 3]; 2]);

    impl Steps {
        fn new(seed: u32) -> Self {
            let (factor, power) = (seed / SEEDS_OF_A_FACTOR + 1, seed % SEEDS_OF_A_FACTOR);
            Self([0, 1].map(|component| jumped(component, factor, power)))
        }

        fn unit(&mut self) -> f64 {
            let [three, two, _] = self.0[0];
            let first = remainder(1_403_580.0 * two - 810_728.0 * three, 4_294_967_087.0);
            let [three, _, one] = self.0[1];
            let second = remainder(527_612.0 * one - 1_370_589.0 * three, 4_294_944_443.0);
            for (values, next) in self.0.iter_mut().zip([first, second]) {
                *values = [values[1], values[2], next];
            }
            let difference = first - second;
            (if difference < 0.0 { difference + 4_294_967_087.0 } else { difference } + 1.0) * NORM
        }
    }

    #[test]
    fn whole_numbers_are_those_of_mqsims_steps_whatever_a_jump_overflows_to() {
        let mut jumps_below_zero = 0;
        for seed in (0..1_000).chain([123_456_789, u32::MAX]) {
            let (mut steps, mut random) = (Steps::new(seed), MqsimRandom::new(seed));
            jumps_below_zero += u32::from(steps.0.iter().flatten().any(|&value| value < 0.0));
            for draw in 0..100 {
                assert_eq!(random.unit().to_bits(), steps.unit().to_bits(), "seed {seed}, draw {draw}");
            }
        }
        assert!(jumps_below_zero > 0, "the first three steps matter");
    }

    #[test]
    fn a_whole_number_of_a_range_is_from_its_first_to_its_last() {
        let mut random = MqsimRandom::new(7);
        let drawn: Vec<u64> = (0..200).map(|_| random.within(3, 6)).collect();
        assert_eq!((3..=6).map(|number| drawn.contains(&number)).collect::<Vec<_>>(), [true; 4]);
        assert!(drawn.iter().all(|number| (3..=6).contains(number)));
        assert_eq!(random.within(5, 4), 5, "a range of none");
    }
}
