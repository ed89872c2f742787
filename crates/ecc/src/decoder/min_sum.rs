//! Layered min-sum decoder: `ECC_s`, for hard and soft reads.
//!
//! # What it models
//!
//! Belief propagation by block rows (layers). A check sends each of its bits a message with a sign and a
//! magnitude. The sign is the one that would satisfy the check. The magnitude is the smallest one of the
//! other bits times a *normalisation* below one, since the minimum alone overestimates the reliability. The
//! next layer starts from the updated beliefs.
//!
//! # How
//!
//! A belief is a log-likelihood ratio relative to the hard read: positive if the bit is taken as correct.
//! Checks start from the syndrome of the hard read. The result therefore depends on the syndrome and the
//! strengths alone, not on the stored codeword. A bit with belief zero keeps its read value.
//!
//! Beliefs and messages are saturating 8-bit integers, 128 lanes of a circulant side by side, which compilers
//! vectorise. A block column keeps the rotation of the layer that visited it last. It is stored twice in
//! succession, so that the next layer, which needs another rotation, reads 128 contiguous bytes. The `pulp`
//! crate compiles the whole decoder for several vector widths and selects the widest that the processor
//! supports; results are identical.
//!
//! # What is left out
//!
//! The quantisation of a real chip: 4 to 6 bits lose little.
//!
//! # Source
//!
//! Chen and Fossorier, "Near Optimum Universal Belief Propagation Based Decoding of LDPC Codes", IEEE Trans.
//! Communications 2002 (normalisation); Hocevar, "A Reduced Complexity Decoder Architecture via Layered
//! Decoding of LDPC Codes", IEEE Workshop on Signal Processing Systems 2004.

#![allow(
    clippy::inline_always,
    reason = "a function outside the dispatch has no wide vectors: `cargo bench --bench codes` shows twice the time"
)]

use super::{CorrectionStats, DecodeFailure, DecodeResult, HardDecoder};
use crate::channel::soft_reads::MAX_REGIONS;
use crate::channel::{ExtraReads, SoftWord};
use crate::code::{
    BASE, BLOCK_COLUMNS, BLOCK_ROWS, BlockColumn, CIRCULANT_BITS, CODEWORD_BYTES, COLUMN_WEIGHT, Circulant,
    Codeword, ROW_WEIGHT, Syndrome, is_clean, syndrome,
};

/// One signed value for each check of a layer, or for each bit of a block column.
type LaneValues = [i8; CIRCULANT_BITS];
/// One magnitude per lane (bit or check).
type Magnitude = [u8; CIRCULANT_BITS];
/// Beliefs of a block column, stored twice in succession. Aligned, because stores across cache lines take
/// twice as long.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Beliefs([LaneValues; 2]);

/// Messages of each circulant of a layer.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Messages([LaneValues; ROW_WEIGHT]);

/// Circulant of a layer, with the rotations of its block column.
#[derive(Clone, Copy, Debug)]
struct LayerCirculant {
    column: u8,
    /// Rotation of the column, in lanes, from the layer that visited it before this one. For the first layer
    /// of an iteration, that is the column's last layer in the previous iteration.
    turn: u8,
    /// Rotation of the column, in lanes, in the first iteration, which begins with unrotated columns.
    first_turn: u8,
    /// Rotation of the column, in lanes, from the last layer that visits it in an iteration.
    from_last: u8,
}

/// Circulants of H, by layer.
static LAYERS: [[LayerCirculant; ROW_WEIGHT]; BLOCK_ROWS] = layers(&BASE);

/// Initial magnitude of a belief, by strength of the bit.
type Magnitudes = [i8; MAX_REGIONS];

/// Belief units per unit of log-likelihood ratio: the coarsest scale without relevant loss.
const PER_NAT: f64 = 4.0;
/// Log-likelihood ratio that a bit is correct after a hard read of a word with 72 errors.
const HARD_LIKELIHOOD: f64 = 4.844;
/// Shift for a normalisation of 5/8: the best of 9/16, 5/8 and 3/4 for hard reads.
const HARD_SHIFT: u32 = 3;
/// Shift for a normalisation of 3/4, the best for soft reads.
const SOFT_SHIFT: u32 = 2;

fn magnitudes(likelihoods: [f64; MAX_REGIONS]) -> Magnitudes {
    likelihoods.map(|nats| libm::round(nats * PER_NAT) as i8)
}

/// Layered min-sum decoder.
#[derive(Clone, Debug)]
pub struct MinSum {
    iterations: u32,
    hard: Magnitudes,
    two: Magnitudes,
    six: Magnitudes,
    /// Belief in each bit relative to the hard read, by block column.
    beliefs: Vec<Beliefs>,
    /// Latest messages from checks to bits, by layer and circulant. While a layer is being updated, they are
    /// the messages from bits to checks.
    messages: Vec<Messages>,
    /// Sign of each check of the hard read, by layer: negative if the check fails.
    failing: Vec<LaneValues>,
}

/// Error pattern: bits that differ between the hard read and the decoded codeword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorPattern {
    /// The errors are exactly those passed by the caller.
    Known,
    /// The wrong bits are set in this word.
    These(Box<Codeword>),
}

/// Error pattern with the decoding statistics, or failure.
pub type FlippedBits = Result<(ErrorPattern, CorrectionStats), DecodeFailure>;

impl ErrorPattern {
    /// Returns the pattern as a word; `known` are the errors that the caller supplied.
    pub fn of(&self, known: &[u16]) -> Codeword {
        match self {
            Self::Known => Codeword::of_places(known),
            Self::These(bits) => **bits,
        }
    }
}

impl MinSum {
    /// Decodes a word after extra reads.
    ///
    /// # Errors
    /// [`DecodeFailure`] after the iteration limit.
    pub fn decode_soft(&mut self, read: &SoftWord) -> Result<(Codeword, CorrectionStats), DecodeFailure> {
        let (flips, corrected) = self.soft_flips(&syndrome(&read.hard), &read.strength, read.reads, None)?;
        Ok((read.hard ^ flips.of(&[]), corrected))
    }

    /// Finds the errors of a word from its syndrome and the reliabilities of its bits. If the true errors are
    /// passed as `known`, the termination test is faster; the result is identical.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeFailure`] after the iteration limit.
    pub fn soft_flips(
        &mut self,
        failing: &Syndrome,
        strength: &[Codeword; 2],
        reads: ExtraReads,
        known: Option<&[u16]>,
    ) -> FlippedBits {
        let magnitudes = match reads {
            ExtraReads::Two => self.two,
            ExtraReads::Six => self.six,
        };
        self.run::<SOFT_SHIFT>(failing, strength, magnitudes, known)
    }

    /// Finds the errors of a word from the syndrome of its hard read; see [`Self::soft_flips`] for `known`.
    ///
    /// # Errors
    /// [`DecodeFailure`] after the iteration limit.
    pub fn hard_flips(&mut self, failing: &Syndrome, known: Option<&[u16]>) -> FlippedBits {
        self.run::<HARD_SHIFT>(failing, &[Codeword::ZERO; 2], self.hard, known)
    }

    /// Decodes with a normalisation of 1/2 + 1/2^`SHIFT`, with the widest vectors of this processor.
    fn run<const SHIFT: u32>(
        &mut self,
        failing: &Syndrome,
        strength: &[Codeword; 2],
        magnitudes: Magnitudes,
        known: Option<&[u16]>,
    ) -> FlippedBits {
        if is_clean(failing) {
            return Ok((
                ErrorPattern::These(Box::new(Codeword::ZERO)),
                CorrectionStats { flips: 0, iterations: 0 },
            ));
        }
        pulp::Arch::new().dispatch(MinSumKernel::<SHIFT> {
            decoder: self,
            failing,
            strength,
            magnitudes,
            known,
        })
    }

    #[inline(always)]
    fn run_inlined<const SHIFT: u32>(
        &mut self,
        failing: &Syndrome,
        strength: &[Codeword; 2],
        magnitudes: Magnitudes,
        known: Option<&[u16]>,
    ) -> FlippedBits {
        self.begin(failing, strength, magnitudes);
        for iterations in 1..=self.iterations {
            for ((layer, messages), failing) in LAYERS.iter().zip(&mut self.messages).zip(&self.failing) {
                // In the first iteration there are no messages; `messages` still contains those of the
                // previous word.
                if iterations == 1 {
                    visit::<SHIFT, true>(layer, &mut self.beliefs, messages, failing);
                } else {
                    visit::<SHIFT, false>(layer, &mut self.beliefs, messages, failing);
                }
            }
            if let Some(errors) = known
                && self.finds(errors)
            {
                let flips = errors.len() as u32;
                return Ok((ErrorPattern::Known, CorrectionStats { flips, iterations }));
            }
            if self.is_satisfied() {
                let flips = self.flips();
                let corrected = CorrectionStats { flips: flips.weight(), iterations };
                return Ok((ErrorPattern::These(Box::new(flips)), corrected));
            }
        }
        Err(DecodeFailure { iterations: self.iterations })
    }

    #[inline(always)]
    fn begin(&mut self, failing: &Syndrome, strength: &[Codeword; 2], magnitudes: Magnitudes) {
        for (lanes, checks) in self.failing.iter_mut().zip(failing) {
            *lanes = bytes_of(&checks.to_le_bytes().map(spread));
        }
        let mut lanes = [0; CODEWORD_BYTES];
        believe(&mut lanes, strength, magnitudes);
        for (beliefs, lanes) in self.beliefs.iter_mut().zip(lanes.as_chunks().0) {
            beliefs.0 = [bytes_of(lanes); 2];
        }
    }

    /// Returns true if the decoder believes exactly the bits in `errors` to be wrong. All checks are then
    /// satisfied.
    #[inline(always)]
    fn finds(&self, errors: &[u16]) -> bool {
        let is_wrong = |&place: &u16| {
            let (column, bit) = (usize::from(place) / CIRCULANT_BITS, usize::from(place) % CIRCULANT_BITS);
            let lane = (bit + CIRCULANT_BITS - last_shift(column)) % CIRCULANT_BITS;
            self.beliefs[column].0[0][lane] < 0
        };
        if !errors.iter().all(is_wrong) {
            return false;
        }
        let mut wrong = [0; CIRCULANT_BITS];
        for Beliefs([column, _]) in &self.beliefs {
            for z in 0..CIRCULANT_BITS {
                wrong[z] += column[z].cast_unsigned() >> 7;
            }
        }
        wrong.into_iter().map(usize::from).sum::<usize>() == errors.len()
    }

    /// Returns true if the bits believed to be wrong explain all failing checks.
    #[inline(always)]
    fn is_satisfied(&self) -> bool {
        for (layer, failing) in LAYERS.iter().zip(&self.failing) {
            let mut parity = *failing;
            for meeting in layer {
                let column = window(&self.beliefs[usize::from(meeting.column)], meeting.from_last);
                for z in 0..CIRCULANT_BITS {
                    parity[z] ^= column[z];
                }
            }
            // Signs of all lanes, combined by OR.
            if any(&parity) < 0 {
                return false;
            }
        }
        true
    }

    /// Returns the bits believed to be wrong.
    #[inline(always)]
    fn flips(&self) -> Codeword {
        let mut word = Codeword::ZERO;
        for (group, beliefs) in self.beliefs.as_chunks().0.iter().enumerate() {
            for (eight, lanes) in signs(beliefs).as_chunks().0.iter().enumerate() {
                let mut left = u64::from_le_bytes(*lanes);
                while left != 0 {
                    let place = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let column = 8 * group + place % 8;
                    let bit = (8 * eight + place / 8 + last_shift(column)) % CIRCULANT_BITS;
                    word.flip(column * CIRCULANT_BITS + bit);
                }
            }
        }
        word
    }
}

/// Kernel of the decoder for `pulp`, compiled for each vector width. A closure would not be inlined reliably.
struct MinSumKernel<'a, const SHIFT: u32> {
    decoder: &'a mut MinSum,
    failing: &'a Syndrome,
    strength: &'a [Codeword; 2],
    magnitudes: Magnitudes,
    known: Option<&'a [u16]>,
}

impl<const SHIFT: u32> pulp::WithSimd for MinSumKernel<'_, SHIFT> {
    type Output = FlippedBits;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> FlippedBits {
        self.decoder.run_inlined::<SHIFT>(self.failing, self.strength, self.magnitudes, self.known)
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
            beliefs: vec![Beliefs([[0; CIRCULANT_BITS]; 2]); BLOCK_COLUMNS],
            messages: vec![Messages([[0; CIRCULANT_BITS]; ROW_WEIGHT]); BLOCK_ROWS],
            failing: vec![[0; CIRCULANT_BITS]; BLOCK_ROWS],
        }
    }

    fn decode(&mut self, word: &mut Codeword) -> DecodeResult {
        let (flips, corrected) = self.hard_flips(&syndrome(word), None)?;
        *word = *word ^ flips.of(&[]);
        Ok(corrected)
    }
}

const fn layers(base: &[BlockColumn; BLOCK_COLUMNS]) -> [[LayerCirculant; ROW_WEIGHT]; BLOCK_ROWS] {
    let none = LayerCirculant { column: 0, turn: 0, first_turn: 0, from_last: 0 };
    let mut layers = [[none; ROW_WEIGHT]; BLOCK_ROWS];
    let mut met = [0; BLOCK_ROWS];
    let mut index = 0;
    while index < BLOCK_COLUMNS {
        let mut edge = 0;
        while edge < COLUMN_WEIGHT {
            let Circulant { row, shift } = base[index][edge];
            let before = base[index][(edge + COLUMN_WEIGHT - 1) % COLUMN_WEIGHT].shift;
            let last = base[index][COLUMN_WEIGHT - 1].shift;
            let first_turn = if edge == 0 { shift } else { turn(before, shift) };
            layers[row as usize][met[row as usize]] = LayerCirculant {
                column: index as u8,
                turn: turn(before, shift),
                first_turn,
                from_last: turn(last, shift),
            };
            met[row as usize] += 1;
            edge += 1;
        }
        index += 1;
    }
    layers
}

/// Returns the rotation, in lanes, that turns a column with shift `from` into one with shift `to`.
const fn turn(from: u8, to: u8) -> u8 {
    ((to as usize + CIRCULANT_BITS - from as usize) % CIRCULANT_BITS) as u8
}

/// Returns the shift of the last layer in an iteration that visits the block column `index`.
fn last_shift(index: usize) -> usize {
    usize::from(BASE[index][COLUMN_WEIGHT - 1].shift)
}

/// Sets the initial beliefs from the strengths of all bits, eight per machine word.
#[inline]
fn believe(lanes: &mut [u64; CODEWORD_BYTES], [low, high]: &[Codeword; 2], magnitudes: Magnitudes) {
    let [first, second, third, fourth] = magnitudes.map(|magnitude| u64::from(magnitude as u8) * EACH_BYTE);
    let low = low.to_bytes();
    for (lanes, &low) in lanes.iter_mut().zip(&low) {
        *lanes = choose(first, second, spread(low));
    }
    // With at most two extra reads there are at most two regions.
    if *high != Codeword::ZERO {
        for ((lanes, &low), high) in lanes.iter_mut().zip(&low).zip(high.to_bytes()) {
            *lanes = choose(*lanes, choose(third, fourth, spread(low)), spread(high));
        }
    }
}

/// Selects `b` where `mask` is set, otherwise `a`.
#[inline]
const fn choose(a: u64, b: u64, mask: u64) -> u64 {
    a ^ (mask & (a ^ b))
}

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// Expands each bit to a byte of all ones or all zeros.
#[inline]
const fn spread(bits: u8) -> u64 {
    // Replicate the eight bits into each byte, keep a different bit in each byte, move it to the lowest
    // position.
    let one_each = (bits as u64 * EACH_BYTE) & 0x8040_2010_0804_0201;
    let lowest = (one_each + 0x7f * EACH_BYTE) >> 7 & EACH_BYTE;
    (lowest << 8).wrapping_sub(lowest)
}

#[inline]
fn bytes_of(eights: &[u64; CIRCULANT_BITS / 8]) -> LaneValues {
    let mut lanes = [0; CIRCULANT_BITS];
    for (lanes, eight) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(eights) {
        *lanes = eight.to_le_bytes().map(u8::cast_signed);
    }
    lanes
}

/// Summary of the messages from the bits to the checks of a layer.
struct CheckInputs {
    /// Smallest magnitude among the messages of a check.
    least: Magnitude,
    /// Second smallest magnitude among the messages of a check.
    second: Magnitude,
    /// Product of the signs of a check's messages, negated if the check fails for the hard read.
    sign: LaneValues,
}

/// Normalised magnitudes for the messages from checks to bits.
struct CheckOutputs {
    least: Magnitude,
    second: Magnitude,
}

#[inline]
const fn normalised<const SHIFT: u32>(magnitude: u8) -> u8 {
    (magnitude >> 1) + (magnitude >> SHIFT)
}

/// Returns 128 lanes of a doubled column, starting at lane `from`.
#[inline]
fn window(Beliefs(twice): &Beliefs, from: u8) -> &LaneValues {
    twice.as_flattened()[usize::from(from)..].first_chunk().expect("a rotation is less than the whole")
}

/// Updates one layer: removes its previous messages from the beliefs, then adds the new ones.
#[inline(always)]
fn visit<const SHIFT: u32, const FIRST: bool>(
    layer: &[LayerCirculant; ROW_WEIGHT],
    beliefs: &mut [Beliefs],
    messages: &mut Messages,
    failing: &LaneValues,
) {
    let mut inputs =
        CheckInputs { least: [u8::MAX; CIRCULANT_BITS], second: [u8::MAX; CIRCULANT_BITS], sign: *failing };
    for (meeting, messages) in layer.iter().zip(&mut messages.0) {
        let turn = if FIRST { meeting.first_turn } else { meeting.turn };
        let column = window(&beliefs[usize::from(meeting.column)], turn);
        receive::<FIRST>(column, messages, &mut inputs);
    }
    let outputs = CheckOutputs {
        least: inputs.least.map(normalised::<SHIFT>),
        second: inputs.second.map(normalised::<SHIFT>),
    };
    for (meeting, messages) in layer.iter().zip(&mut messages.0) {
        send(&inputs, &outputs, messages, &mut beliefs[usize::from(meeting.column)]);
    }
}

/// Returns the bitwise OR of all lanes.
#[inline]
fn any(lanes: &LaneValues) -> i8 {
    let mut any = 0;
    for lane in lanes {
        any |= lane;
    }
    any
}

/// Replaces the stored check-to-bit messages of a column by bit-to-check messages, and updates the summary of
/// the checks.
#[inline(always)]
fn receive<const FIRST: bool>(column: &LaneValues, messages: &mut LaneValues, inputs: &mut CheckInputs) {
    let CheckInputs { least, second, sign } = inputs;
    for z in 0..CIRCULANT_BITS {
        messages[z] = if FIRST { column[z] } else { column[z].saturating_sub(messages[z]) };
    }
    // A separate loop: merged loops make compilers derive the sign by an additional comparison.
    for z in 0..CIRCULANT_BITS {
        let others = messages[z];
        let magnitude = others.unsigned_abs();
        sign[z] ^= others;
        second[z] = second[z].min(magnitude.max(least[z]));
        least[z] = least[z].min(magnitude);
    }
}

/// Replaces the bit-to-check messages of a column by new check-to-bit messages, and updates the beliefs of
/// the column.
#[inline(always)]
fn send(
    inputs: &CheckInputs,
    outputs: &CheckOutputs,
    messages: &mut LaneValues,
    Beliefs([column, again]): &mut Beliefs,
) {
    for z in 0..CIRCULANT_BITS {
        let others = messages[z];
        // Uses masks of all ones or all zeros instead of conditionals, since these compile to vector
        // instructions.
        let least_itself = u8::from(others.unsigned_abs() == inputs.least[z]).wrapping_neg();
        let magnitude =
            ((outputs.second[z] & least_itself) | (outputs.least[z] & !least_itself)).cast_signed();
        let message = if inputs.sign[z] ^ others < 0 { magnitude.wrapping_neg() } else { magnitude };
        messages[z] = message;
        let belief = others.saturating_add(message);
        column[z] = belief;
        again[z] = belief;
    }
}

/// Returns the signs of the beliefs in eight block columns: one byte per lane, one bit per column.
#[inline]
fn signs(columns: &[Beliefs; 8]) -> Magnitude {
    let mut signs = [0; CIRCULANT_BITS];
    for Beliefs([column, _]) in columns {
        for z in 0..CIRCULANT_BITS {
            signs[z] = signs[z] >> 1 | column[z].cast_unsigned() & 0x80;
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use venice_kernel::RandomStream;

    use super::*;
    use crate::channel::{SoftChannel, flip_exactly};
    use crate::code::{CODEWORD_BITS, encode};

    #[test]
    fn signs_are_gathered_in_order() {
        for seed in 0..50_u8 {
            let value = |column: usize, lane: usize| {
                ((8 * lane + column) as u8).wrapping_mul(seed | 1).wrapping_add(seed).cast_signed()
            };
            let columns: [Beliefs; 8] =
                std::array::from_fn(|column| Beliefs([std::array::from_fn(|lane| value(column, lane)); 2]));
            for (lane, bits) in signs(&columns).into_iter().enumerate() {
                for column in 0..8 {
                    assert_eq!(
                        bits >> column & 1 == 1,
                        value(column, lane) < 0,
                        "{column}, {lane} of {seed}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_beliefs_of_a_hard_read_are_those_of_72_errors() {
        let rate = 72.0 / CODEWORD_BITS as f64;
        assert!((((1.0 - rate) / rate).ln() - HARD_LIKELIHOOD).abs() < 1e-3);
    }

    #[test]
    fn bits_are_spread_over_bytes_in_order() {
        for bits in 0..=u8::MAX {
            for (lane, byte) in spread(bits).to_le_bytes().into_iter().enumerate() {
                assert_eq!(byte, if bits >> lane & 1 == 1 { 0xff } else { 0 }, "bit {lane} of {bits}");
            }
        }
    }

    #[test]
    fn beliefs_have_the_magnitude_of_their_strength() {
        let mut strength = [Codeword::ZERO; 2];
        for (digit, bits) in [0b1010, 0b1100 | 1 << 127].into_iter().enumerate() {
            strength[digit].columns_mut()[70] = bits;
        }
        let mut lanes = [0; CODEWORD_BYTES];
        believe(&mut lanes, &strength, [2, 3, 5, 7]);
        let column = bytes_of(&lanes.as_chunks().0[70]);
        assert_eq!((&column[..5], column[127]), (&[2, 3, 5, 7, 2][..], 5));
        strength[1] = Codeword::ZERO;
        believe(&mut lanes, &strength, [2, 3, 5, 7]);
        assert_eq!(bytes_of(&lanes.as_chunks().0[70])[..5], [2, 3, 2, 3, 2]);
    }

    #[test]
    fn the_outcome_of_a_word_depends_only_on_its_errors() {
        // At 76 errors, hard decoding corrects some words but not all. With two extra reads, the same holds
        // at 140 errors.
        let mut random = RandomStream::new(4, "stored");
        let channel = SoftChannel::new(140.0 / CODEWORD_BITS as f64, ExtraReads::Two);
        let mut decoder = MinSum::new(12);
        let mut corrected = 0;
        for seed in 0..60_u8 {
            let stored = encode(&std::array::from_fn(|at| (at as u8).wrapping_mul(seed)));
            let mut errors = Codeword::ZERO;
            flip_exactly(&mut errors, 77, &mut random);
            let mut read = stored ^ errors;
            let whole = decoder.decode(&mut read);
            let places = errors.places();
            let bits = |flips: FlippedBits| flips.map(|(bits, corrected)| (bits.of(&places), corrected));
            let alone = bits(decoder.hard_flips(&syndrome(&errors), None));
            assert_eq!(bits(decoder.hard_flips(&syndrome(&errors), Some(&places))), alone);
            assert_eq!(whole, alone.map(|(_, corrected)| corrected));
            assert_eq!(read, alone.map_or(stored ^ errors, |(flips, _)| stored ^ errors ^ flips));
            corrected += u32::from(whole.is_ok());
            flip_exactly(&mut errors, 67, &mut random);
            let soft = channel.read(&stored, &(stored ^ errors), &mut random);
            let whole = decoder.decode_soft(&soft);
            let places = errors.places();
            let mut of = |known| {
                let flips = decoder.soft_flips(&syndrome(&errors), &soft.strength, ExtraReads::Two, known);
                flips.map(|(bits, corrected)| (bits.of(&places), corrected))
            };
            let alone = of(None);
            assert_eq!(of(Some(&places)), alone);
            assert_eq!(whole, alone.map(|(flips, corrected)| (stored ^ errors ^ flips, corrected)));
        }
        assert!((10..=59).contains(&corrected), "{corrected}");
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
