//! Bit flipping with a 2-bit reliability per bit, block column by block column: the `ECC_w` that corrects 72
//! errors.
//!
//! # What it models
//!
//! Each bit has a reliability q, 0 … 3, initially 2. Block columns are visited in turn. The change of q
//! depends on the number u of failing checks of the bit and on its agreement with the hard read
//! ([`AGREEING`], [`DIFFERING`]). If q falls below zero, the bit flips and q becomes −q − 1. Strong evidence
//! thus gives the flipped bit a high reliability. Checks are updated before the next column is visited. Bits
//! of one column share no check and are processed in parallel.
//!
//! # How
//!
//! The decoder is bit-sliced over 128 lanes. The sum of q and its change has five binary digits, of which the
//! fifth is the sign. Since −q − 1 is the one's complement of q, a flip is an exclusive OR. The first
//! iteration starts from equal reliabilities and uses a shorter form of the rule.
//!
//! # What is left out
//!
//! Other orders of the columns. The tables were found by search on the (9216, 8192) code; other codes need
//! other tables.
//!
//! # Source
//!
//! A member of the family of Nguyen and Vasić, "Two-Bit Bit Flipping Algorithms for LDPC Codes and Collective
//! Error Correction", IEEE Trans. Communications 2014, with the column-serial order of Zhang and Fossorier,
//! "Shuffled Iterative Decoding", IEEE Trans. Communications 2005. The tables are ours.

use super::planes::{count, full_add};
use super::{CorrectionStats, DecodeFailure, DecodeResult, HardDecoder};
use crate::code::base::{checks_of, toggle};
use crate::code::{BASE, BLOCK_COLUMNS, BlockColumn, COLUMN_WEIGHT, Codeword, Syndrome, is_clean, syndrome};

/// Change of reliability of a bit that agrees with the hard read, by number of failing checks.
pub const AGREEING: [i8; COLUMN_WEIGHT + 1] = [1, 0, 0, -2, -3, -6];
/// Change of reliability of a flipped bit, by number of failing checks.
pub const DIFFERING: [i8; COLUMN_WEIGHT + 1] = [0, -1, -3, -6, -8, -11];
/// Binary digits of the initial reliability, which is 2 for every bit.
const INITIAL: [u128; 2] = [0, u128::MAX];
/// Number of binary digits for the sum of a bit's reliability and its change, which is from −11 to 4.
const DIGITS: usize = 5;

/// Two-bit bit flipping decoder.
#[derive(Clone, Copy, Debug)]
pub struct TwoBit {
    iterations: u32,
}

impl TwoBit {
    /// Corrects a word with a known syndrome; see [`HardDecoder::decode`].
    ///
    /// # Errors
    /// [`DecodeFailure`]: the word is unchanged.
    pub fn decode_with(&self, word: &mut Codeword, mut syndrome: Syndrome) -> DecodeResult {
        if is_clean(&syndrome) {
            return Ok(CorrectionStats { flips: 0, iterations: 0 });
        }
        if self.iterations == 0 {
            return Err(DecodeFailure { iterations: 0 });
        }
        let read = *word;
        let mut reliability = [INITIAL; BLOCK_COLUMNS];
        first_sweep(word, &mut syndrome, &mut reliability);
        let mut iterations = 1;
        while !is_clean(&syndrome) {
            if iterations >= self.iterations {
                *word = read;
                return Err(DecodeFailure { iterations });
            }
            sweep(word, &read, &mut syndrome, &mut reliability);
            iterations += 1;
        }
        Ok(CorrectionStats { flips: word.distance(&read), iterations })
    }
}

impl HardDecoder for TwoBit {
    const USUAL_ITERATIONS: u32 = 300;

    fn new(iterations: u32) -> Self {
        Self { iterations }
    }

    fn decode(&mut self, word: &mut Codeword) -> DecodeResult {
        let syndrome = syndrome(word);
        self.decode_with(word, syndrome)
    }
}

/// Performs the first iteration. All bits agree with the hard read and have equal reliability, so a bit flips
/// if four or five of its checks fail.
fn first_sweep(word: &mut Codeword, syndrome: &mut Syndrome, reliability: &mut [[u128; 2]; BLOCK_COLUMNS]) {
    for ((column, bits), reliability) in BASE.iter().zip(word.columns_mut()).zip(reliability) {
        let [ones, twos, fours] = count(&checks_of(syndrome, column));
        // New reliability: 3 for none or five failing checks, 2 for one or two, 0 for three or four.
        let (none, five) = (!(ones | twos | fours), fours & ones);
        *reliability = [none | five, (!fours & !(ones & twos)) | five];
        if fours != 0 {
            *bits ^= fours;
            toggle(syndrome, column, fours);
        }
    }
}

/// Performs one iteration over all block columns.
fn sweep(
    word: &mut Codeword,
    read: &Codeword,
    syndrome: &mut Syndrome,
    reliability: &mut [[u128; 2]; BLOCK_COLUMNS],
) {
    let bits = word.columns_mut().iter_mut().zip(read.columns());
    for ((column, (bits, read)), reliability) in BASE.iter().zip(bits).zip(reliability) {
        let flips = visit(syndrome, column, *bits ^ read, reliability);
        if flips != 0 {
            *bits ^= flips;
            toggle(syndrome, column, flips);
        }
    }
}

/// Updates the reliabilities of a block column and returns its bits to flip.
#[inline]
fn visit(syndrome: &Syndrome, column: &BlockColumn, differing: u128, reliability: &mut [u128; 2]) -> u128 {
    let change = change(count(&checks_of(syndrome, column)), differing);
    let mut sum = [0; DIGITS];
    let mut carry = 0;
    for digit in 0..DIGITS {
        let q = reliability.get(digit).copied().unwrap_or(0);
        (sum[digit], carry) = full_add(q, change[digit], carry);
    }
    let flips = sum[DIGITS - 1];
    let above_three = (sum[2] ^ flips) | (sum[3] ^ flips);
    *reliability = [(sum[0] ^ flips) | above_three, (sum[1] ^ flips) | above_three];
    flips
}

/// Looks up the change of reliability in [`AGREEING`] or [`DIFFERING`], as two's complement digits.
#[inline]
fn change(failing: [u128; 3], differing: u128) -> [u128; DIGITS] {
    let [ones, twos, fours] = failing;
    let few = !fours & !twos;
    let is = [few & !ones, few & ones, twos & !ones, twos & ones, fours & !ones, fours & ones];
    let mut change = [0; DIGITS];
    for (digit, plane) in change.iter_mut().enumerate() {
        let (mut agreeing_set, mut differing_set) = (0, 0);
        for (u, lanes) in is.iter().enumerate() {
            agreeing_set |= if AGREEING[u] >> digit & 1 == 1 { *lanes } else { 0 };
            differing_set |= if DIFFERING[u] >> digit & 1 == 1 { *lanes } else { 0 };
        }
        *plane = (agreeing_set & !differing) | (differing_set & differing);
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference implementation of the rule, in integers. Returns the new reliability, and true if the bit
    /// flips.
    fn rule(q: i8, u: usize, differing: bool) -> (i8, bool) {
        let q = q + if differing { DIFFERING[u] } else { AGREEING[u] };
        if q < 0 { ((-q - 1).min(3), true) } else { (q.min(3), false) }
    }

    #[test]
    fn the_first_iteration_applies_the_rule_for_unflipped_bits() {
        let mut random = venice_kernel::RandomStream::new(1, "first");
        for errors in [1, 14, 72, 200] {
            let mut word = Codeword::ZERO;
            crate::channel::flip_exactly(&mut word, errors, &mut random);
            let (mut short, mut long) = (word, word);
            let mut syndromes = [syndrome(&word); 2];
            let mut reliabilities = [[INITIAL; BLOCK_COLUMNS]; 2];
            let [of_short, of_long] = &mut syndromes;
            let [q_of_short, q_of_long] = &mut reliabilities;
            first_sweep(&mut short, of_short, q_of_short);
            sweep(&mut long, &word, of_long, q_of_long);
            assert_eq!((short, syndromes[0], reliabilities[0]), (long, syndromes[1], reliabilities[1]));
        }
    }

    #[test]
    fn all_48_cases_of_the_lanes_follow_the_rule() {
        // The five checks of bit 0 of the column are in different block rows; in each row it is check 128 −
        // shift.
        let column = &BASE[0];
        for u in 0..=COLUMN_WEIGHT {
            let mut syndrome: Syndrome = [0; 8];
            for edge in &column[..u] {
                syndrome[usize::from(edge.row)] |= 1_u128.rotate_right(u32::from(edge.shift));
            }
            for (q, differing) in (0..4_i8).flat_map(|q| [(q, false), (q, true)]) {
                let mut reliability = [0, 1].map(|digit| u128::from(q as u8) >> digit & 1);
                let flips = visit(&syndrome, column, u128::from(differing), &mut reliability);
                let now = (reliability[0] & 1 | (reliability[1] & 1) << 1) as i8;
                assert_eq!(
                    (now, flips & 1 == 1),
                    rule(q, u, differing),
                    "q {q}, u {u}, differing {differing}"
                );
            }
        }
    }
}
