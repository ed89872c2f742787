//! [`super::TwoBit`] over many words at once.
//!
//! # How
//!
//! A decoder sees failing checks, and where a word differs from what was read; both depend on the errors alone, as the code is linear. So words are given
//! by the places of their errors. For every bit of the code there is a row of [`LANES`] binary digits, a word in each lane: rotations of circulants are
//! then addresses, and one instruction works on as many words as a vector has digits. A lane whose word is done takes the next one, so that words of many
//! iterations hold no others up.
//!
//! The words belong to pages of some words each: the first word of a page that cannot be corrected condemns it, and those after it are not begun, or let go.
//! What comes of each word is what [`super::TwoBit`] makes of it; a test holds them together.

#![allow(clippy::inline_always, reason = "what is not inlined into the dispatch has no wide vectors")]

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::two_bit::{AGREEING, DIFFERING};
use super::{Corrected, Outcome, Uncorrectable};
use crate::code::base::checks_of_bit;
use crate::code::{BASE, BLOCK_ROWS, CIRCULANT_BITS, CODEWORD_BITS, COLUMN_WEIGHT};

/// Words that are decoded side by side.
pub const LANES: usize = 512;
/// Machine words of a row of lanes.
const UNITS: usize = LANES / u64::BITS as usize;
const CHECKS: usize = BLOCK_ROWS * CIRCULANT_BITS;
/// Binary digits of reliability plus change: −11 … 4.
const DIGITS: usize = 5;

/// A binary digit of every lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Row([u64; UNITS]);

const NONE: Row = Row([0; UNITS]);

impl Row {
    fn set(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    fn toggle(&mut self, lane: usize) {
        self.0[lane / 64] ^= 1 << (lane % 64);
    }

    fn is_any(&self) -> bool {
        self.0.iter().any(|&lanes| lanes != 0)
    }

    const fn has(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }
}

/// What is known of a bit of the code in each lane.
#[derive(Clone, Copy, Debug)]
struct Bit {
    /// Whether it was flipped.
    differs: Row,
    /// Its reliability's lower binary digit.
    low: Row,
    /// The higher one inverted: the initial reliability, 2, is then all zeros.
    high: Row,
}

/// A word that was begun.
#[derive(Clone, Copy, Debug)]
struct Work {
    word: usize,
    iterations: u32,
}

/// Words by the places of their errors, in groups that are pages.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// Places of errors, of all words.
    pub places: &'a [u16],
    /// Where each word's are.
    pub words: &'a [Range<usize>],
    /// Words of a page.
    pub per_page: usize,
}

/// What came of words.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// By word; none of those that were not begun or let go, as their page was condemned.
    pub outcomes: Vec<Option<Outcome>>,
    /// Words that were taken for another codeword, and the errors that are left in them.
    pub miscorrected: Vec<(usize, Vec<u16>)>,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct TwoBitLanes {
    iterations: u32,
    bits: Vec<Bit>,
    /// Errors while words are tried for one iteration, else none.
    errors: Vec<Row>,
    checks: Vec<Row>,
    lanes: Vec<Option<Work>>,
    /// Lanes that were given a word since the last iteration: what is known of their bits is of the word before.
    fresh: Row,
}

impl TwoBitLanes {
    /// The decoder that gives up after this many iterations, 1 at least.
    pub fn new(iterations: u32) -> Self {
        let unlike = Bit { differs: NONE, low: NONE, high: NONE };
        Self {
            iterations: iterations.max(1),
            bits: vec![unlike; CODEWORD_BITS],
            errors: vec![NONE; CODEWORD_BITS],
            checks: vec![NONE; CHECKS],
            lanes: vec![None; LANES],
            fresh: NONE,
        }
    }

    /// Decodes words until each page is corrected or condemned.
    pub fn decode(&mut self, words: Words<'_>) -> Decoded {
        pulp::Arch::new().dispatch(Run { decoder: self, words })
    }

    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S, words: Words<'_>) -> Decoded {
        let pages = words.words.len().div_ceil(words.per_page);
        let mut decoded = Decoded { outcomes: vec![None; words.words.len()], miscorrected: Vec::new() };
        for first in (0..words.words.len()).step_by(LANES) {
            self.try_once(simd, words, first, &mut decoded);
        }
        let begun = decoded.clone();
        // By the word's place in its page, then by page: what is begun in vain is then least.
        let mut order = (0..words.per_page)
            .flat_map(|place| (0..pages).map(move |page| page * words.per_page + place))
            .filter(|&word| word < words.words.len() && begun.outcomes[word].is_none());
        let mut condemned = vec![usize::MAX; pages];
        loop {
            self.fill(words, &mut order, &condemned);
            if self.lanes.iter().all(Option::is_none) {
                return decoded;
            }
            if !self.finish(words, &mut condemned, &mut decoded) {
                sweep(simd, &mut self.bits, &mut self.checks, &self.fresh);
                self.fresh = NONE;
                self.lanes.iter_mut().flatten().for_each(|work| work.iterations += 1);
            }
        }
    }

    /// One iteration of as many words as there are lanes, from this one on. Where wear is little most need no more, and the first iteration is a simple one:
    /// every bit is as it was read. What it does not correct is as if it had not been tried.
    #[inline(always)]
    fn try_once<S: Simd>(&mut self, simd: S, words: Words<'_>, first: usize, decoded: &mut Decoded) {
        let tried = &words.words[first..words.words.len().min(first + LANES)];
        for (lane, word) in tried.iter().enumerate() {
            for &place in &words.places[word.clone()] {
                self.errors[usize::from(place)].set(lane);
                for check in checks_of_bit(usize::from(place)) {
                    self.checks[check].toggle(lane);
                }
            }
        }
        let left = first_sweep(simd, &self.errors, &mut self.checks);
        let failing = any(self.checks.iter());
        for (lane, word) in tried.iter().enumerate() {
            let places = &words.places[word.clone()];
            for &place in places {
                self.errors[usize::from(place)].toggle(lane);
            }
            if !failing.has(lane) && !left.has(lane) {
                let flips = places.len() as u32;
                decoded.outcomes[first + lane] = Some(Ok(Corrected { flips, iterations: flips.min(1) }));
            }
        }
        self.checks.fill(NONE);
    }

    /// Gives words to lanes that have none.
    #[inline(always)]
    fn fill(&mut self, words: Words<'_>, order: &mut impl Iterator<Item = usize>, condemned: &[usize]) {
        for lane in 0..LANES {
            if self.lanes[lane].is_some() {
                continue;
            }
            let Some(word) = order.find(|word| *word < condemned[word / words.per_page]) else { return };
            for &place in &words.places[words.words[word].clone()] {
                for check in checks_of_bit(usize::from(place)) {
                    self.checks[check].toggle(lane);
                }
            }
            self.lanes[lane] = Some(Work { word, iterations: 0 });
            self.fresh.set(lane);
        }
    }

    /// Takes words from lanes that are done with them, and says whether there were any.
    #[inline(always)]
    fn finish(&mut self, words: Words<'_>, condemned: &mut [usize], decoded: &mut Decoded) -> bool {
        let failing = any(self.checks.iter());
        let (mut given_up, mut corrected) = (NONE, NONE);
        for lane in 0..LANES {
            let Some(Work { word, iterations }) = self.lanes[lane] else { continue };
            let page = word / words.per_page;
            if !failing.has(lane) {
                corrected.set(lane);
                continue;
            }
            if iterations == self.iterations {
                decoded.outcomes[word] = Some(Err(Uncorrectable { iterations }));
                condemned[page] = condemned[page].min(word);
            } else if word < condemned[page] {
                continue;
            }
            given_up.set(lane);
            self.lanes[lane] = None;
        }
        if given_up.is_any() {
            clear(&mut self.checks, &given_up);
        }
        if corrected.is_any() {
            self.take_corrected(words, &corrected, decoded);
        }
        given_up.is_any() || corrected.is_any()
    }

    #[inline(always)]
    fn take_corrected(&mut self, words: Words<'_>, corrected: &Row, decoded: &mut Decoded) {
        let places_of = |work: &Work| &words.places[words.words[work.word].clone()];
        let taken = |lanes: &[Option<Work>], lane: usize| lanes[lane].filter(|_| corrected.has(lane));
        for lane in 0..LANES {
            let Some(work) = taken(&self.lanes, lane) else { continue };
            let places = places_of(&work);
            if work.iterations > 0 {
                // Flipped where it was wrong and nowhere else: nothing is left.
                for &place in places {
                    self.bits[usize::from(place)].differs.toggle(lane);
                }
            }
            let flips = if work.iterations > 0 { places.len() as u32 } else { 0 };
            decoded.outcomes[work.word] = Some(Ok(Corrected { flips, iterations: work.iterations }));
        }
        let left = any(self.bits.iter().map(|bit| &bit.differs));
        for lane in 0..LANES {
            let Some(work) = taken(&self.lanes, lane) else { continue };
            self.lanes[lane] = None;
            let places = places_of(&work);
            if work.iterations == 0 && !places.is_empty() {
                decoded.miscorrected.push((work.word, places.to_vec()));
            } else if work.iterations > 0 && left.has(lane) {
                self.note_miscorrected(work, places, lane, decoded);
            }
        }
    }

    #[cold]
    fn note_miscorrected(&self, work: Work, places: &[u16], lane: usize, decoded: &mut Decoded) {
        let is_left = |place: &u16| self.bits[usize::from(*place)].differs.has(lane);
        let left: Vec<u16> = (0..CODEWORD_BITS as u16).filter(is_left).collect();
        let flipped = |place: &u16| is_left(place) != places.contains(place);
        let flips = (0..CODEWORD_BITS as u16).filter(flipped).count() as u32;
        decoded.outcomes[work.word] = Some(Ok(Corrected { flips, iterations: work.iterations }));
        decoded.miscorrected.push((work.word, left));
    }
}

/// A run, as `pulp` compiles it for each width of vectors.
struct Run<'a> {
    decoder: &'a mut TwoBitLanes,
    words: Words<'a>,
}

impl WithSimd for Run<'_> {
    type Output = Decoded;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Decoded {
        self.decoder.run(simd, self.words)
    }
}

/// Lanes in which any of the rows is set.
#[inline(always)]
fn any<'a>(rows: impl Iterator<Item = &'a Row>) -> Row {
    let mut any = NONE;
    for row in rows {
        any.0.iter_mut().zip(&row.0).for_each(|(any, row)| *any |= row);
    }
    any
}

#[inline(always)]
fn clear(rows: &mut [Row], lanes: &Row) {
    for row in rows {
        row.0.iter_mut().zip(&lanes.0).for_each(|(row, lanes)| *row &= !lanes);
    }
}

/// The first iteration of every lane: four or five failing checks flip a bit. Says in which lanes other bits than the errors were flipped.
#[inline(always)]
fn first_sweep<S: Simd>(simd: S, errors: &[Row], checks: &mut [Row]) -> Row {
    let mut left = NONE;
    for (column, errors) in BASE.iter().zip(errors.as_chunks::<CIRCULANT_BITS>().0) {
        for (lane, errors) in errors.iter().enumerate() {
            let at = column.map(|edge| edge.check_of(lane));
            let (left, _) = S::as_mut_simd_u64s(&mut left.0);
            let (errors, _) = S::as_simd_u64s(&errors.0);
            for (unit, (left, &errors)) in left.iter_mut().zip(errors).enumerate() {
                let failing = at.map(|check| S::as_simd_u64s(&checks[check].0).0[unit]);
                let [_, _, flips] = count(simd, failing);
                *left = simd.or_u64s(*left, simd.xor_u64s(errors, flips));
                for (check, failing) in at.into_iter().zip(failing) {
                    S::as_mut_simd_u64s(&mut checks[check].0).0[unit] = simd.xor_u64s(failing, flips);
                }
            }
        }
    }
    left
}

/// One iteration of every lane.
#[inline(always)]
fn sweep<S: Simd>(simd: S, bits: &mut [Bit], checks: &mut [Row], fresh: &Row) {
    let known = Row(fresh.0.map(|lanes| !lanes));
    for (column, bits) in BASE.iter().zip(bits.as_chunks_mut::<CIRCULANT_BITS>().0) {
        for (lane, bit) in bits.iter_mut().enumerate() {
            let at = column.map(|edge| edge.check_of(lane));
            visit(simd, bit, checks, at, &known);
        }
    }
}

/// The rule of [`super::TwoBit`] for one bit of every lane.
#[inline(always)]
fn visit<S: Simd>(simd: S, bit: &mut Bit, checks: &mut [Row], at: [usize; COLUMN_WEIGHT], known: &Row) {
    let known = S::as_simd_u64s(&known.0).0;
    let (differs, _) = S::as_mut_simd_u64s(&mut bit.differs.0);
    let (low, _) = S::as_mut_simd_u64s(&mut bit.low.0);
    let (high, _) = S::as_mut_simd_u64s(&mut bit.high.0);
    for (unit, ((differs, low), high)) in differs.iter_mut().zip(low).zip(high).enumerate() {
        let failing = at.map(|check| S::as_simd_u64s(&checks[check].0).0[unit]);
        let [was_differing, low_before, high_before] =
            [&*differs, low, high].map(|row| simd.and_u64s(*row, known[unit]));
        let reliability = [low_before, simd.not_u64s(high_before)];
        let change = change(simd, count(simd, failing), was_differing);
        let zero = simd.splat_u64s(0);
        let mut sum = [zero; DIGITS];
        let mut carry = zero;
        for digit in 0..DIGITS {
            let before = if digit < 2 { reliability[digit] } else { zero };
            (sum[digit], carry) = full_add(simd, before, change[digit], carry);
        }
        let flips = sum[DIGITS - 1];
        let above_three = simd.or_u64s(simd.xor_u64s(sum[2], flips), simd.xor_u64s(sum[3], flips));
        *low = simd.or_u64s(simd.xor_u64s(sum[0], flips), above_three);
        *high = simd.not_u64s(simd.or_u64s(simd.xor_u64s(sum[1], flips), above_three));
        *differs = simd.xor_u64s(was_differing, flips);
        for (check, failing) in at.into_iter().zip(failing) {
            S::as_mut_simd_u64s(&mut checks[check].0).0[unit] = simd.xor_u64s(failing, flips);
        }
    }
}

/// How many of five checks fail in each lane.
#[inline(always)]
fn count<S: Simd>(simd: S, checks: [S::u64s; COLUMN_WEIGHT]) -> [S::u64s; 3] {
    let (sum, first) = full_add(simd, checks[0], checks[1], checks[2]);
    let (ones, second) = full_add(simd, sum, checks[3], checks[4]);
    [ones, simd.xor_u64s(first, second), simd.and_u64s(first, second)]
}

/// Sum and carry of three digits.
#[inline(always)]
fn full_add<S: Simd>(simd: S, a: S::u64s, b: S::u64s, c: S::u64s) -> (S::u64s, S::u64s) {
    let half = simd.xor_u64s(a, b);
    (simd.xor_u64s(half, c), simd.or_u64s(simd.and_u64s(a, b), simd.and_u64s(half, c)))
}

/// The tables, looked up by failing checks and disagreement, as two's complement digits.
#[inline(always)]
fn change<S: Simd>(simd: S, [ones, twos, fours]: [S::u64s; 3], differs: S::u64s) -> [S::u64s; DIGITS] {
    let (not_ones, not_twos, not_fours) = (simd.not_u64s(ones), simd.not_u64s(twos), simd.not_u64s(fours));
    let few = simd.and_u64s(not_fours, not_twos);
    let is = [
        simd.and_u64s(few, not_ones),
        simd.and_u64s(few, ones),
        simd.and_u64s(twos, not_ones),
        simd.and_u64s(twos, ones),
        simd.and_u64s(fours, not_ones),
        simd.and_u64s(fours, ones),
    ];
    let agrees = simd.not_u64s(differs);
    let mut change = [simd.splat_u64s(0); DIGITS];
    for (digit, plane) in change.iter_mut().enumerate() {
        let mut agreeing = simd.splat_u64s(0);
        let mut differing = simd.splat_u64s(0);
        for u in 0..=COLUMN_WEIGHT {
            if AGREEING[u] >> digit & 1 == 1 {
                agreeing = simd.or_u64s(agreeing, is[u]);
            }
            if DIFFERING[u] >> digit & 1 == 1 {
                differing = simd.or_u64s(differing, is[u]);
            }
        }
        *plane = simd.or_u64s(simd.and_u64s(agreeing, agrees), simd.and_u64s(differing, differs));
    }
    change
}

#[cfg(test)]
mod tests {
    use venice_kernel::RandomStream;

    use super::*;
    use crate::channel::flip_exactly;
    use crate::code::Codeword;
    use crate::decoder::{HardDecoder, TwoBit};

    #[test]
    fn what_comes_of_each_word_is_what_the_decoder_of_one_word_makes_of_it() {
        const PER_PAGE: usize = 4;
        const ITERATIONS: u32 = 40;
        let mut random = RandomStream::new(1, "lanes");
        let (mut places, mut words, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let mut one = TwoBit::new(ITERATIONS);
        for index in 0..2 * LANES + 3 {
            let mut word = Codeword::ZERO;
            flip_exactly(&mut word, [0, 3, 14, 60, 72, 84][index % 6], &mut random);
            let from = places.len();
            places.extend((0..CODEWORD_BITS as u16).filter(|&bit| word.bit(usize::from(bit))));
            words.push(from..places.len());
            expected.push(one.decode(&mut word));
        }
        let words = Words { places: &places, words: &words, per_page: PER_PAGE };
        let mut decoder = TwoBitLanes::new(ITERATIONS);
        // Twice, as nothing is left of the first time.
        for _ in 0..2 {
            let decoded = decoder.decode(words);
            assert!(decoded.miscorrected.is_empty());
            for (page, expected) in expected.chunks(PER_PAGE).enumerate() {
                let first_failed = expected.iter().position(Result::is_err);
                let begun = first_failed.map_or(expected.len(), |place| place + 1);
                for (place, expected) in expected.iter().enumerate().take(begun) {
                    assert_eq!(
                        decoded.outcomes[page * PER_PAGE + place],
                        Some(*expected),
                        "page {page}, {place}"
                    );
                }
            }
        }
        assert!(expected.iter().filter(|outcome| outcome.is_err()).count() > 100);
    }

    #[test]
    fn a_word_that_is_another_codeword_is_told_with_what_is_left_in_it() {
        let other = crate::code::encode(&[0x11; crate::code::DATA_BYTES]);
        let places: Vec<u16> = (0..CODEWORD_BITS as u16).filter(|&bit| other.bit(usize::from(bit))).collect();
        let decoded = TwoBitLanes::new(5).decode(Words {
            places: &places,
            words: std::slice::from_ref(&(0..places.len())),
            per_page: 1,
        });
        assert_eq!(decoded.outcomes, [Some(Ok(Corrected { flips: 0, iterations: 0 }))]);
        assert_eq!(decoded.miscorrected, [(0, places)]);
    }
}
