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
//! in one piece.
//!
//! # What is left out
//!
//! The quantisation of an actual chip: 4 to 6 bits lose little.
//!
//! # Source
//!
//! Chen and Fossorier, "Near Optimum Universal Belief Propagation Based Decoding of LDPC Codes", IEEE Trans. Communications 2002
//! (normalisation); Hocevar, "A Reduced Complexity Decoder Architecture via Layered Decoding of LDPC Codes", SiPS 2004.

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

/// How beliefs begin, and what messages are worth.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// The magnitude of a belief, by the strength of its bit.
    magnitudes: [i8; MOST_REGIONS],
    /// The normalisation is 1/2 + 1/2^shift.
    shift: u32,
}

/// Belief for each unit of ln(right / wrong): the coarsest with which little is lost.
const PER_NAT: f64 = 4.0;
/// ln(right / wrong) of a bit of a hard read with 72 errors.
const HARD_LIKELIHOOD: f64 = 4.844;
/// A normalisation of 5/8: the best of 9/16, 5/8 and 3/4 for hard reads.
const HARD_SHIFT: u32 = 3;
/// A normalisation of 3/4, the best for soft reads.
const SOFT_SHIFT: u32 = 2;

impl Scale {
    fn new(likelihoods: [f64; MOST_REGIONS], shift: u32) -> Self {
        Self { magnitudes: likelihoods.map(|nats| libm::round(nats * PER_NAT) as i8), shift }
    }
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct MinSum {
    iterations: u32,
    hard: Scale,
    two: Scale,
    six: Scale,
    /// Belief of each bit that it is 0, by block column, twice in a row.
    beliefs: Vec<[Lanes; 2]>,
    /// What each check told each of its bits last, by layer and circulant.
    messages: Vec<[Lanes; ROW_WEIGHT]>,
}

impl MinSum {
    /// The codeword that a word read more than once stands for.
    ///
    /// # Errors
    /// [`Uncorrectable`] when it cannot.
    pub fn decode_soft(&mut self, read: &SoftWord) -> Result<(Codeword, Corrected), Uncorrectable> {
        let mut word = read.hard;
        let scale = match read.reads {
            ExtraReads::Two => self.two,
            ExtraReads::Six => self.six,
        };
        let corrected = self.run(&mut word, &read.strength, scale)?;
        Ok((word, corrected))
    }

    fn run(&mut self, word: &mut Codeword, strength: &[Codeword; 2], scale: Scale) -> Outcome {
        if is_clean(&syndrome(word)) {
            return Ok(Corrected { flips: 0, iterations: 0 });
        }
        self.begin(word, strength, scale);
        for iterations in 1..=self.iterations {
            for (layer, messages) in LAYERS.iter().zip(&mut self.messages) {
                visit(layer, &mut self.beliefs, messages, scale.shift);
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

    fn begin(&mut self, word: &Codeword, strength: &[Codeword; 2], scale: Scale) {
        for (index, beliefs) in self.beliefs.iter_mut().enumerate() {
            let turn = last_shift(index);
            let [bits, low, high] =
                [word, &strength[0], &strength[1]].map(|plane| plane.columns()[index].rotate_right(turn));
            for (lane, belief) in beliefs[0].iter_mut().enumerate() {
                let at = |plane: u128| (plane >> lane) as usize & 1;
                let magnitude = scale.magnitudes[at(low) | at(high) << 1];
                *belief = if at(bits) == 1 { -magnitude } else { magnitude };
            }
            beliefs[1] = beliefs[0];
        }
        self.messages.fill([[0; CIRCULANT_BITS]; ROW_WEIGHT]);
    }

    /// The bits that the beliefs stand for.
    fn decided(&self) -> Codeword {
        let mut word = Codeword::ZERO;
        for (index, (beliefs, bits)) in self.beliefs.iter().zip(word.columns_mut()).enumerate() {
            *bits = signs(&beliefs[0]).rotate_left(last_shift(index));
        }
        word
    }
}

impl HardDecoder for MinSum {
    const USUAL_ITERATIONS: u32 = 50;

    fn new(iterations: u32) -> Self {
        Self {
            iterations,
            hard: Scale::new([HARD_LIKELIHOOD, 0.0, 0.0, 0.0], HARD_SHIFT),
            two: Scale::new(ExtraReads::Two.likelihoods(), SOFT_SHIFT),
            six: Scale::new(ExtraReads::Six.likelihoods(), SOFT_SHIFT),
            beliefs: vec![[[0; CIRCULANT_BITS]; 2]; BLOCK_COLUMNS],
            messages: vec![[[0; CIRCULANT_BITS]; ROW_WEIGHT]; BLOCK_ROWS],
        }
    }

    fn decode(&mut self, word: &mut Codeword) -> Outcome {
        self.run(word, &[Codeword::ZERO; 2], self.hard)
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

/// What the checks of a layer have heard from their bits.
struct Heard {
    /// Least magnitude.
    least: [u8; CIRCULANT_BITS],
    /// Least magnitude of the others.
    second: [u8; CIRCULANT_BITS],
    /// Negative if an odd number of them were.
    sign: Lanes,
}

/// One layer: beliefs without this layer's old messages, then with the new ones.
fn visit(
    layer: &[Meeting; ROW_WEIGHT],
    beliefs: &mut [[Lanes; 2]],
    messages: &mut [Lanes; ROW_WEIGHT],
    shift: u32,
) {
    let mut others = [[0; CIRCULANT_BITS]; ROW_WEIGHT];
    let mut heard = Heard {
        least: [u8::MAX; CIRCULANT_BITS],
        second: [u8::MAX; CIRCULANT_BITS],
        sign: [0; CIRCULANT_BITS],
    };
    for ((meeting, others), messages) in layer.iter().zip(&mut others).zip(messages.iter()) {
        let turn = usize::from(meeting.turn);
        let column = &beliefs[usize::from(meeting.column)].as_flattened()[turn..turn + CIRCULANT_BITS];
        hear(column, messages, others, &mut heard);
    }
    for ((meeting, others), messages) in layer.iter().zip(&others).zip(messages) {
        let column = &mut beliefs[usize::from(meeting.column)];
        tell(&heard, others, messages, &mut column[0], shift);
        column[1] = column[0];
    }
}

#[inline]
fn hear(column: &[i8], messages: &Lanes, others: &mut Lanes, heard: &mut Heard) {
    for z in 0..CIRCULANT_BITS {
        let other = column[z].saturating_sub(messages[z]);
        let magnitude = other.unsigned_abs();
        others[z] = other;
        heard.sign[z] ^= other;
        heard.second[z] = heard.second[z].min(magnitude.max(heard.least[z]));
        heard.least[z] = heard.least[z].min(magnitude);
    }
}

#[inline]
fn tell(heard: &Heard, others: &Lanes, messages: &mut Lanes, column: &mut Lanes, shift: u32) {
    for z in 0..CIRCULANT_BITS {
        let other = others[z];
        let least = if other.unsigned_abs() == heard.least[z] { heard.second[z] } else { heard.least[z] };
        let magnitude = ((least >> 1) + (least >> shift)) as i8;
        let message = if heard.sign[z] ^ other < 0 { -magnitude } else { magnitude };
        messages[z] = message;
        column[z] = other.saturating_add(message);
    }
}

/// The sign bits of the lanes.
fn signs(lanes: &Lanes) -> u128 {
    let bytes = lanes.map(|lane| lane as u8);
    let mut bits = 0;
    for (index, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The product moves the top bits of the eight bytes side by side into the topmost byte.
        let gathered = (u64::from_le_bytes(*eight) >> 7 & 0x0101_0101_0101_0101)
            .wrapping_mul(0x0102_0408_1020_4080)
            >> 56;
        bits |= u128::from(gathered) << (8 * index);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_gathered_in_order() {
        for seed in 0..50_u8 {
            let lanes: Lanes =
                std::array::from_fn(|i| (i as u8).wrapping_mul(seed | 1).wrapping_add(seed) as i8);
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
    fn the_turns_of_a_column_add_up_to_whole_rounds() {
        let mut turns = [0; BLOCK_COLUMNS];
        for meeting in LAYERS.iter().flatten() {
            turns[usize::from(meeting.column)] += usize::from(meeting.turn);
        }
        assert!(turns.iter().all(|turn| turn % CIRCULANT_BITS == 0), "{turns:?}");
    }
}
