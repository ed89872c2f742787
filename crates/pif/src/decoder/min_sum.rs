//! Layered min-sum: `ECC_s`, for hard and soft reads.
//!
//! # What it models
//!
//! Belief propagation by block rows (layers): a check tells each of its bits the sign that would satisfy it, and the least
//! magnitude among the others, times a *normalisation* below one that makes up for what the minimum overstates. The
//! next layer starts from the improved beliefs.
//!
//! # How
//!
//! Beliefs and messages are 8-bit integers with saturation, 128 lanes of a circulant side by side, which
//! compilers turn into vector instructions. A block column is kept in the rotation in which the layer that
//! visited it last saw it, written twice in a row: the next layer, rotated by the difference of the shifts, then reads 128 bytes
//! in one piece. The `pulp` crate has the whole decoder compiled for several widths of vectors and takes the widest that the processor
//! has; the numbers are the same with each.
//!
//! # What is left out
//!
//! The quantisation of an actual chip: 4 to 6 bits lose little.
//!
//! # Source
//!
//! Chen and Fossorier, "Near Optimum Universal Belief Propagation Based Decoding of LDPC Codes", IEEE Trans. Communications 2002
//! (normalisation); Hocevar, "A Reduced Complexity Decoder Architecture via Layered Decoding of LDPC Codes", IEEE Workshop
//! on Signal Processing Systems 2004.

#![allow(clippy::inline_always, reason = "what is not inlined into the dispatch has no wide vectors")]

use super::{Corrected, HardDecoder, Outcome, Uncorrectable};
use crate::channel::soft::MOST_REGIONS;
use crate::channel::{ExtraReads, SoftWord};
use crate::code::{
    BASE, BLOCK_COLUMNS, BLOCK_ROWS, CIRCULANT_BITS, COLUMN_WEIGHT, Codeword, Column, Edge, ROW_WEIGHT,
    is_clean, syndrome,
};

/// A number for each check of a layer, or each bit of a block column.
type Lanes = [i8; CIRCULANT_BITS];

/// A circulant as its layer meets it.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    column: u8,
    /// Rotation since the layer that met this column before, cyclically.
    turn: u8,
}

/// The circulants of each layer.
static LAYERS: [[Meeting; ROW_WEIGHT]; BLOCK_ROWS] = layers(&BASE);

/// The magnitude of a belief at first, by the strength of its bit.
type Magnitudes = [i8; MOST_REGIONS];

/// Belief for each unit of ln(right / wrong): the coarsest with which little is lost.
const PER_NAT: f64 = 4.0;
/// ln(right / wrong) of a bit of a hard read with 72 errors.
const HARD_LIKELIHOOD: f64 = 4.844;
/// A normalisation of 5/8: the best of 9/16, 5/8 and 3/4 for hard reads.
const HARD_SHIFT: u32 = 3;
/// A normalisation of 3/4, the best for soft reads.
const SOFT_SHIFT: u32 = 2;

fn magnitudes(likelihoods: [f64; MOST_REGIONS]) -> Magnitudes {
    likelihoods.map(|nats| libm::round(nats * PER_NAT) as i8)
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct MinSum {
    iterations: u32,
    hard: Magnitudes,
    two: Magnitudes,
    six: Magnitudes,
    /// Belief of each bit that it is 0, by block column, twice in a row.
    beliefs: Vec<[Lanes; 2]>,
    /// What each check told each of its bits last, by layer and circulant.
    messages: Vec<[Lanes; ROW_WEIGHT]>,
    /// Of the layer at hand, what each bit believes without what its check told it.
    others: Box<[Lanes; ROW_WEIGHT]>,
}

impl MinSum {
    /// The codeword that a word read more than once stands for.
    ///
    /// # Errors
    /// [`Uncorrectable`] when it cannot.
    pub fn decode_soft(&mut self, read: &SoftWord) -> Result<(Codeword, Corrected), Uncorrectable> {
        let mut word = read.hard;
        let magnitudes = match read.reads {
            ExtraReads::Two => self.two,
            ExtraReads::Six => self.six,
        };
        let corrected = self.run::<SOFT_SHIFT>(&mut word, &read.strength, magnitudes)?;
        Ok((word, corrected))
    }

    /// Decodes with a normalisation of 1/2 + 1/2^`SHIFT`, with the widest vectors that this processor has.
    fn run<const SHIFT: u32>(
        &mut self,
        word: &mut Codeword,
        strength: &[Codeword; 2],
        magnitudes: Magnitudes,
    ) -> Outcome {
        pulp::Arch::new().dispatch(Run::<SHIFT> { decoder: self, word, strength, magnitudes })
    }

    #[inline(always)]
    fn run_inlined<const SHIFT: u32>(
        &mut self,
        word: &mut Codeword,
        strength: &[Codeword; 2],
        magnitudes: Magnitudes,
    ) -> Outcome {
        if is_clean(&syndrome(word)) {
            return Ok(Corrected { flips: 0, iterations: 0 });
        }
        self.begin(word, strength, magnitudes);
        for iterations in 1..=self.iterations {
            // In the first iteration no check has told anything yet, and what the messages hold is of the word before.
            let heard_before = if iterations == 1 { 0 } else { -1 };
            for (layer, messages) in LAYERS.iter().zip(&mut self.messages) {
                visit::<SHIFT>(layer, &mut self.beliefs, messages, &mut self.others, heard_before);
            }
            let decided = self.decided();
            if is_clean(&syndrome(&decided)) {
                let flips = decided.distance(word);
                *word = decided;
                return Ok(Corrected { flips, iterations });
            }
        }
        Err(Uncorrectable { iterations: self.iterations })
    }

    #[inline(always)]
    fn begin(&mut self, word: &Codeword, strength: &[Codeword; 2], magnitudes: Magnitudes) {
        for (index, beliefs) in self.beliefs.iter_mut().enumerate() {
            let turn = last_shift(index);
            let [bits, low, high] =
                [word, &strength[0], &strength[1]].map(|plane| plane.columns()[index].rotate_right(turn));
            if low | high == 0 {
                believe_alike(&mut beliefs[0], bits, magnitudes[0]);
            } else {
                believe(&mut beliefs[0], [bits, low, high], magnitudes);
            }
            beliefs[1] = beliefs[0];
        }
    }

    /// The bits that the beliefs stand for.
    #[inline(always)]
    fn decided(&self) -> Codeword {
        let mut word = Codeword::ZERO;
        for (index, (beliefs, bits)) in self.beliefs.iter().zip(word.columns_mut()).enumerate() {
            *bits = signs(&beliefs[0]).rotate_left(last_shift(index));
        }
        word
    }
}

/// A run, as `pulp` compiles it for each width of vectors. A closure would do, if compilers were sure to inline it.
struct Run<'a, const SHIFT: u32> {
    decoder: &'a mut MinSum,
    word: &'a mut Codeword,
    strength: &'a [Codeword; 2],
    magnitudes: Magnitudes,
}

impl<const SHIFT: u32> pulp::WithSimd for Run<'_, SHIFT> {
    type Output = Outcome;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Outcome {
        self.decoder.run_inlined::<SHIFT>(self.word, self.strength, self.magnitudes)
    }
}

impl HardDecoder for MinSum {
    const USUAL_ITERATIONS: u32 = 50;

    fn new(iterations: u32) -> Self {
        Self {
            iterations,
            hard: magnitudes([HARD_LIKELIHOOD, 0.0, 0.0, 0.0]),
            two: magnitudes(ExtraReads::Two.likelihoods()),
            six: magnitudes(ExtraReads::Six.likelihoods()),
            beliefs: vec![[[0; CIRCULANT_BITS]; 2]; BLOCK_COLUMNS],
            messages: vec![[[0; CIRCULANT_BITS]; ROW_WEIGHT]; BLOCK_ROWS],
            others: Box::new([[0; CIRCULANT_BITS]; ROW_WEIGHT]),
        }
    }

    fn decode(&mut self, word: &mut Codeword) -> Outcome {
        self.run::<HARD_SHIFT>(word, &[Codeword::ZERO; 2], self.hard)
    }
}

const fn layers(base: &[Column; BLOCK_COLUMNS]) -> [[Meeting; ROW_WEIGHT]; BLOCK_ROWS] {
    let mut layers = [[Meeting { column: 0, turn: 0 }; ROW_WEIGHT]; BLOCK_ROWS];
    let mut met = [0; BLOCK_ROWS];
    let mut index = 0;
    while index < BLOCK_COLUMNS {
        let mut edge = 0;
        while edge < COLUMN_WEIGHT {
            let Edge { row, shift } = base[index][edge];
            let before = base[index][(edge + COLUMN_WEIGHT - 1) % COLUMN_WEIGHT].shift;
            let turn = (shift as usize + CIRCULANT_BITS - before as usize) % CIRCULANT_BITS;
            layers[row as usize][met[row as usize]] = Meeting { column: index as u8, turn: turn as u8 };
            met[row as usize] += 1;
            edge += 1;
        }
        index += 1;
    }
    layers
}

/// The rotation in which a block column stands before and after an iteration.
fn last_shift(index: usize) -> u32 {
    u32::from(BASE[index][COLUMN_WEIGHT - 1].shift)
}

/// Sets the beliefs of a block column from its bits, all of the same strength.
#[inline(always)]
fn believe_alike(beliefs: &mut Lanes, bits: u128, magnitude: i8) {
    let bits = spread(bits);
    for z in 0..CIRCULANT_BITS {
        beliefs[z] = (magnitude ^ bits[z]).wrapping_sub(bits[z]);
    }
}

/// Sets the beliefs of a block column from its bits and their strengths.
#[inline(always)]
fn believe(beliefs: &mut Lanes, planes: [u128; 3], magnitudes: Magnitudes) {
    let [bits, low, high] = planes.map(spread);
    let [first, second, third, fourth] = magnitudes;
    for z in 0..CIRCULANT_BITS {
        let magnitude = choose(choose(first, second, low[z]), choose(third, fourth, low[z]), high[z]);
        // x ^ mask − mask is −x where the mask is set.
        beliefs[z] = (magnitude ^ bits[z]).wrapping_sub(bits[z]);
    }
}

/// `b` where the mask is set, else `a`.
#[inline(always)]
const fn choose(a: i8, b: i8, mask: i8) -> i8 {
    a ^ (mask & (a ^ b))
}

/// Eight bits as eight bytes of all ones or all zeros, for each eight bits.
static SPREAD: [[i8; 8]; 256] = {
    let mut spread = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut lane = 0;
        while lane < 8 {
            spread[bits][lane] = -((bits >> lane & 1) as i8);
            lane += 1;
        }
        bits += 1;
    }
    spread
};

/// Bits as bytes of all ones or all zeros.
#[inline(always)]
fn spread(bits: u128) -> Lanes {
    let mut lanes = [0; CIRCULANT_BITS];
    for (lanes, bits) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(bits.to_le_bytes()) {
        *lanes = SPREAD[usize::from(bits)];
    }
    lanes
}

/// What the checks of a layer have heard from their bits.
struct Heard {
    /// Least magnitude.
    least: [u8; CIRCULANT_BITS],
    /// Least magnitude of the others.
    second: [u8; CIRCULANT_BITS],
    /// Negative if an odd number of them were.
    sign: Lanes,
}

/// The same, as they are told: times the normalisation.
struct Told {
    least: [u8; CIRCULANT_BITS],
    second: [u8; CIRCULANT_BITS],
}

#[inline(always)]
const fn normalised<const SHIFT: u32>(magnitude: u8) -> u8 {
    (magnitude >> 1) + (magnitude >> SHIFT)
}

/// One layer: beliefs without this layer's old messages, then with the new ones.
#[inline(always)]
fn visit<const SHIFT: u32>(
    layer: &[Meeting; ROW_WEIGHT],
    beliefs: &mut [[Lanes; 2]],
    messages: &mut [Lanes; ROW_WEIGHT],
    others: &mut [Lanes; ROW_WEIGHT],
    heard_before: i8,
) {
    let mut heard = Heard {
        least: [u8::MAX; CIRCULANT_BITS],
        second: [u8::MAX; CIRCULANT_BITS],
        sign: [0; CIRCULANT_BITS],
    };
    for ((meeting, others), messages) in layer.iter().zip(&mut *others).zip(messages.iter()) {
        let turned = &beliefs[usize::from(meeting.column)].as_flattened()[usize::from(meeting.turn)..];
        if let Some(column) = turned.first_chunk() {
            hear(column, messages, heard_before, others, &mut heard);
        }
    }
    let told =
        Told { least: heard.least.map(normalised::<SHIFT>), second: heard.second.map(normalised::<SHIFT>) };
    for ((meeting, others), messages) in layer.iter().zip(others.iter()).zip(messages) {
        let column = &mut beliefs[usize::from(meeting.column)];
        tell(&heard, &told, others, messages, &mut column[0]);
        column[1] = column[0];
    }
}

#[inline(always)]
fn hear(column: &Lanes, messages: &Lanes, mask: i8, others: &mut Lanes, heard: &mut Heard) {
    let Heard { least, second, sign } = heard;
    for z in 0..CIRCULANT_BITS {
        others[z] = column[z].saturating_sub(messages[z] & mask);
    }
    for z in 0..CIRCULANT_BITS {
        let magnitude = others[z].unsigned_abs();
        sign[z] ^= others[z];
        second[z] = second[z].min(magnitude.max(least[z]));
        least[z] = least[z].min(magnitude);
    }
}

#[inline(always)]
fn tell(heard: &Heard, told: &Told, others: &Lanes, messages: &mut Lanes, column: &mut Lanes) {
    for z in 0..CIRCULANT_BITS {
        // Masks, all ones or all zeros, rather than choices: they become vector instructions.
        let least_itself = u8::from(others[z].unsigned_abs() == heard.least[z]).wrapping_neg();
        let magnitude = ((told.second[z] & least_itself) | (told.least[z] & !least_itself)).cast_signed();
        // x ^ mask − mask is −x where the mask is set.
        let mask = (heard.sign[z] ^ others[z]) >> 7;
        messages[z] = (magnitude ^ mask).wrapping_sub(mask);
    }
    for z in 0..CIRCULANT_BITS {
        column[z] = others[z].saturating_add(messages[z]);
    }
}

/// The sign bits of the lanes.
#[inline(always)]
fn signs(lanes: &Lanes) -> u128 {
    let mut bits = [0; CIRCULANT_BITS / 8];
    for (bits, eight) in bits.iter_mut().zip(lanes.as_chunks::<8>().0) {
        // The top bits of eight bytes, moved side by side: one, two, then four bytes together.
        let tops = u64::from_le_bytes(eight.map(i8::cast_unsigned)) >> 7 & 0x0101_0101_0101_0101;
        let pairs = tops | tops >> 7;
        let fours = pairs | pairs >> 14;
        *bits = (fours | fours >> 28) as u8;
    }
    u128::from_le_bytes(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_gathered_in_order() {
        for seed in 0..50_u8 {
            let lanes: Lanes =
                std::array::from_fn(|i| (i as u8).wrapping_mul(seed | 1).wrapping_add(seed).cast_signed());
            let bits = signs(&lanes);
            for (lane, value) in lanes.iter().enumerate() {
                assert_eq!(bits >> lane & 1 == 1, *value < 0, "lane {lane} of seed {seed}");
            }
        }
    }

    #[test]
    fn the_beliefs_of_a_hard_read_are_those_of_72_errors() {
        let rate = 72.0 / crate::code::CODEWORD_BITS as f64;
        assert!((((1.0 - rate) / rate).ln() - HARD_LIKELIHOOD).abs() < 1e-3);
    }

    #[test]
    fn bits_are_spread_over_bytes_in_order() {
        for bits in (0..=u8::MAX).map(|bits| u128::from(bits) << 56 | 1 << 127) {
            for (lane, byte) in spread(bits).into_iter().enumerate() {
                assert_eq!(byte, if bits >> lane & 1 == 1 { -1 } else { 0 }, "bit {lane} of {bits}");
            }
        }
    }

    #[test]
    fn beliefs_have_the_sign_of_their_bit_and_the_magnitude_of_their_strength() {
        let mut beliefs = [0; CIRCULANT_BITS];
        believe(&mut beliefs, [0b1010_1010, 0b1100_1100, 0b1111_0000], [2, 3, 5, 7]);
        assert_eq!(beliefs[..9], [2, -2, 3, -3, 5, -5, 7, -7, 2]);
        believe_alike(&mut beliefs, 0b1100_1010, 2);
        assert_eq!(beliefs[..9], [2, -2, 2, -2, 2, 2, -2, -2, 2]);
    }

    #[test]
    fn the_turns_of_a_column_add_up_to_whole_rounds() {
        let mut turns = [0; BLOCK_COLUMNS];
        for meeting in LAYERS.iter().flatten() {
            turns[usize::from(meeting.column)] += usize::from(meeting.turn);
        }
        assert!(turns.iter().all(|turn| turn % CIRCULANT_BITS == 0), "{turns:?}");
    }
}
