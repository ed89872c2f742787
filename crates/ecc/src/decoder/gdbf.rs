//! Gradient descent bit flipping, for a hard read.
//!
//! # What it models
//!
//! The energy of a bit is the number of its failing checks, plus one if the bit differs from the hard read.
//! Each iteration flips all bits of maximum energy at once.
//!
//! # What is left out
//!
//! Channel weights other than one, thresholds and momentum; see `docs/models/pif-codes.md`.
//!
//! # Source
//!
//! Wadayama et al., "Gradient Descent Bit Flipping Algorithms for Decoding LDPC Codes", IEEE Trans.
//! Communications 2010, in the form for the binary symmetric channel of Rasheed et al., IEEE Communications
//! Letters 2014.

use super::planes::count;
use super::{CorrectionStats, DecodeFailure, DecodeResult, HardDecoder};
use crate::code::base::{checks_of, toggle};
use crate::code::{BASE, BLOCK_COLUMNS, Codeword, Syndrome, is_clean, syndrome};

/// Gradient descent bit flipping decoder.
#[derive(Clone, Copy, Debug)]
pub struct Gdbf {
    iterations: u32,
}

impl HardDecoder for Gdbf {
    const USUAL_ITERATIONS: u32 = 300;

    fn new(iterations: u32) -> Self {
        Self { iterations }
    }

    fn decode(&mut self, word: &mut Codeword) -> DecodeResult {
        descend(word, self.iterations, |greatest| greatest)
    }
}

/// Flips, column by column, the bits that `choose` selects among those of maximum energy, until all checks
/// are satisfied.
pub(super) fn descend(word: &mut Codeword, limit: u32, mut choose: impl FnMut(u128) -> u128) -> DecodeResult {
    let read = *word;
    let mut syndrome = syndrome(word);
    let mut iterations = 0;
    while !is_clean(&syndrome) {
        if iterations == limit {
            *word = read;
            return Err(DecodeFailure { iterations });
        }
        let greatest = greatest(&energies(&syndrome, word, &read));
        for ((column, bits), greatest) in BASE.iter().zip(word.columns_mut()).zip(greatest) {
            if greatest != 0 {
                let flips = choose(greatest);
                *bits ^= flips;
                toggle(&mut syndrome, column, flips);
            }
        }
        iterations += 1;
    }
    Ok(CorrectionStats { flips: word.distance(&read), iterations })
}

/// Returns the energy of every bit, 0 … 6, in three binary digits.
fn energies(syndrome: &Syndrome, word: &Codeword, read: &Codeword) -> [[u128; 3]; BLOCK_COLUMNS] {
    std::array::from_fn(|index| {
        let [ones, twos, fours] = count(&checks_of(syndrome, &BASE[index]));
        let differing = word.columns()[index] ^ read.columns()[index];
        let carry = ones & differing;
        [ones ^ differing, twos ^ carry, fours | (twos & carry)]
    })
}

/// Returns the bits of maximum energy, found digit by digit from the highest.
fn greatest(energies: &[[u128; 3]; BLOCK_COLUMNS]) -> [u128; BLOCK_COLUMNS] {
    let mut candidates = [u128::MAX; BLOCK_COLUMNS];
    for digit in [2, 1, 0] {
        let higher = |i: usize| candidates[i] & energies[i][digit];
        if (0..BLOCK_COLUMNS).any(|i| higher(i) != 0) {
            candidates = std::array::from_fn(higher);
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{CIRCULANT_BITS, CODEWORD_BITS};

    #[test]
    fn energies_and_their_maximum_are_those_of_the_definition() {
        let read = Codeword::ZERO;
        let mut word = read;
        for index in (0..CODEWORD_BITS).step_by(401) {
            word.flip(index);
        }
        // Read errors in addition to the flipped bits.
        let mut wrong = word;
        for index in (5..CODEWORD_BITS).step_by(997) {
            wrong.flip(index);
        }
        let failing = syndrome(&wrong);
        let energy = |index: usize| {
            let mut alone = Codeword::ZERO;
            alone.flip(index);
            let checks = syndrome(&alone);
            let unsatisfied: u32 = checks.iter().zip(&failing).map(|(a, b)| (a & b).count_ones()).sum();
            unsatisfied + u32::from(word.bit(index) != read.bit(index))
        };
        let planes = energies(&failing, &word, &read);
        let top = greatest(&planes);
        let most = (0..CODEWORD_BITS).map(energy).max().unwrap();
        for index in 0..CODEWORD_BITS {
            let (column, lane) = (index / CIRCULANT_BITS, index % CIRCULANT_BITS);
            let digit = |d: usize| (planes[column][d] >> lane & 1) as u32;
            assert_eq!(digit(0) + 2 * digit(1) + 4 * digit(2), energy(index), "bit {index}");
            assert_eq!(top[column] >> lane & 1 == 1, energy(index) == most, "bit {index}");
        }
    }
}
