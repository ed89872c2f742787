//! [`super::TwoBit`] for many words in parallel.
//!
//! # How
//!
//! The code is linear: syndromes and differences from the hard read depend on the errors alone. Words are
//! therefore given by the positions of their errors. Words are bit-sliced: there is a machine word for every
//! bit of the code and for every check. Each of its [`LANES`] bits (lanes) belongs to a different word that
//! is being decoded. The bits of a block column are stored contiguously and share no check, so a vector
//! instruction processes several bits of all words. The checks of a block row are stored twice in succession,
//! so that a circulant's rotation is an address offset. A lane that has finished its word takes the next one,
//! so words with many iterations do not delay others. The number of lanes is small, for two reasons: the
//! checks fit into the L1 cache, and a few words suffice to occupy the lanes.
//!
//! Words belong to pages. A page fails with its first uncorrectable word; its later words are then skipped or
//! aborted. Results equal those of [`super::TwoBit`], which a test verifies.

use std::cmp::Reverse;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::two_bit::{AGREEING, DIFFERING};
use super::{CorrectionStats, DecodeFailure, DecodeResult, HardDecoder, TwoBit};
use crate::code::base::checks_of_bit;
use crate::code::{
    BASE, BLOCK_COLUMNS, BLOCK_ROWS, BlockColumn, CIRCULANT_BITS, CODEWORD_BITS, COLUMN_WEIGHT, Codeword,
    syndrome_of_places,
};

/// Words decoded in parallel: the bits of a machine word.
pub const LANES: usize = u64::BITS as usize;
/// Number of words up to which sequential decoding is faster than decoding in lanes.
const FEW: usize = 12;
/// Number of errors above which most words are uncorrectable. It affects only the order in which words are
/// decoded.
const HARDLY_CORRECTED: usize = 82;
/// Number of binary digits for the sum of a bit's reliability and its change, which is from −11 to 4.
const DIGITS: usize = 5;

/// One bit per lane, for each bit of a block column or each check of a block row.
type LaneBits = [u64; CIRCULANT_BITS];

const NONE: LaneBits = [0; CIRCULANT_BITS];

/// Wrong bits of a block column, in all lanes.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct ColumnErrors(LaneBits);

/// Failing checks by block row; each row is stored twice.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Checks([[LaneBits; 2]; BLOCK_ROWS]);

/// Flipped bits of a block column, stored twice.
#[repr(align(64))]
struct DoubledRows([LaneBits; 2]);

/// State of the bits of a block column.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct BitsOfColumn {
    /// For each bit, set in the lanes in which the bit differs from the hard read.
    differs: LaneBits,
    /// For each bit, the lower binary digit of its reliability.
    low: LaneBits,
    /// For each bit, the inverted higher binary digit of its reliability: zero at the initial reliability, 2.
    high: LaneBits,
}

/// Word that is being decoded in a lane.
#[derive(Clone, Copy, Debug)]
struct LaneWork {
    word: usize,
    iterations: u32,
}

/// Words to decode, represented by the positions of their errors, grouped by page.
#[derive(Clone, Copy, Debug)]
pub struct WordErrors<'a> {
    /// Positions of the errors of all words.
    pub places: &'a [u16],
    /// Range of `places` that contains the errors of each word.
    pub words: &'a [Range<usize>],
    /// Number of words per page.
    pub per_page: usize,
}

/// Results of decoding many words.
#[derive(Clone, Debug, Default)]
pub struct DecodedWords {
    /// Outcome of each word; `None` for words that were skipped or aborted because another word of their page
    /// failed.
    pub outcomes: Vec<Option<DecodeResult>>,
    /// Words that were corrected to a wrong codeword, with the positions of their remaining errors.
    pub miscorrected: Vec<(usize, Vec<u16>)>,
}

/// Two-bit bit flipping decoder of [`LANES`] words.
#[derive(Clone, Debug)]
pub struct TwoBitLanes {
    iterations: u32,
    bits: Vec<BitsOfColumn>,
    /// Errors of the words that [`Self::try_once`] decodes; all zeros at other times.
    errors: Vec<ColumnErrors>,
    checks: Box<Checks>,
    lanes: [Option<LaneWork>; LANES],
    /// Mask of the lanes with a new word. Their entries in `bits` still belong to the previous word.
    fresh: u64,
}

impl TwoBitLanes {
    /// Creates a decoder with this iteration limit, at least 1.
    pub fn new(iterations: u32) -> Self {
        Self {
            iterations: iterations.max(1),
            bits: vec![BitsOfColumn { differs: NONE, low: NONE, high: NONE }; BLOCK_COLUMNS],
            errors: vec![ColumnErrors(NONE); BLOCK_COLUMNS],
            checks: Box::new(Checks([[NONE; 2]; BLOCK_ROWS])),
            lanes: [None; LANES],
            fresh: 0,
        }
    }

    /// Decodes words until every page is either corrected or has failed.
    pub fn decode(&mut self, words: WordErrors<'_>) -> DecodedWords {
        pulp::Arch::new().dispatch(TwoBitKernel { decoder: self, words })
    }

    #[inline]
    fn run<S: Simd>(&mut self, simd: S, words: WordErrors<'_>) -> DecodedWords {
        let pages = words.words.len().div_ceil(words.per_page);
        let mut decoded = DecodedWords { outcomes: vec![None; words.words.len()], miscorrected: Vec::new() };
        for first in (0..words.words.len()).step_by(LANES) {
            self.try_once(simd, words, first, &mut decoded);
        }
        let left = order_of(words, &decoded.outcomes);
        let mut condemned = vec![usize::MAX; pages];
        if left.len() <= FEW {
            self.one_by_one(words, &left, &mut condemned, &mut decoded);
            return decoded;
        }
        let mut order = left.into_iter();
        loop {
            self.fill(words, &mut order, &condemned);
            if self.lanes.iter().all(Option::is_none) {
                return decoded;
            }
            if !self.finish(words, &mut condemned, &mut decoded) {
                sweep(simd, &mut self.bits, &mut self.checks, self.fresh);
                self.fresh = 0;
                self.lanes.iter_mut().flatten().for_each(|work| work.iterations += 1);
            }
        }
    }

    /// Performs the first iteration of up to [`LANES`] words from `first` on. At low wear most words need
    /// only this one, and its rule is simple, since no bit has been flipped yet. Words that are not corrected
    /// are left unchanged.
    #[inline]
    fn try_once<S: Simd>(
        &mut self,
        simd: S,
        words: WordErrors<'_>,
        first: usize,
        decoded: &mut DecodedWords,
    ) {
        let tried = &words.words[first..words.words.len().min(first + LANES)];
        for (lane, word) in tried.iter().enumerate() {
            for &place in &words.places[word.clone()] {
                let (column, bit) =
                    (usize::from(place) / CIRCULANT_BITS, usize::from(place) % CIRCULANT_BITS);
                self.errors[column].0[bit] |= 1 << lane;
            }
        }
        let left = first_sweep(simd, &mut self.errors, &mut self.checks);
        for (lane, word) in tried.iter().enumerate() {
            if left >> lane & 1 == 0 {
                let flips = word.len() as u32;
                decoded.outcomes[first + lane] =
                    Some(Ok(CorrectionStats { flips, iterations: flips.min(1) }));
            }
        }
    }

    /// Decodes a small number of words sequentially.
    fn one_by_one(
        &self,
        words: WordErrors<'_>,
        left: &[usize],
        condemned: &mut [usize],
        decoded: &mut DecodedWords,
    ) {
        let decoder = TwoBit::new(self.iterations);
        for &word in left {
            let page = word / words.per_page;
            if word > condemned[page] {
                continue;
            }
            let places = &words.places[words.words[word].clone()];
            let mut read = Codeword::of_places(places);
            let outcome = decoder.decode_with(&mut read, syndrome_of_places(places));
            decoded.outcomes[word] = Some(outcome);
            if outcome.is_err() {
                condemned[page] = condemned[page].min(word);
            } else if read != Codeword::ZERO {
                decoded.miscorrected.push((word, read.places()));
            }
        }
    }

    /// Assigns words to idle lanes. Skips words of pages that have failed (`condemned`: first failed word of
    /// each page).
    #[inline]
    fn fill(&mut self, words: WordErrors<'_>, order: &mut impl Iterator<Item = usize>, condemned: &[usize]) {
        for lane in 0..LANES {
            if self.lanes[lane].is_some() {
                continue;
            }
            let Some(word) = order.find(|word| *word < condemned[word / words.per_page]) else { return };
            for &place in &words.places[words.words[word].clone()] {
                toggle_checks(&mut self.checks, place, lane);
            }
            self.lanes[lane] = Some(LaneWork { word, iterations: 0 });
            self.fresh |= 1 << lane;
        }
    }

    /// Frees the lanes whose words are corrected, have failed or have become unnecessary. Returns true if
    /// there were any.
    #[inline]
    fn finish(&mut self, words: WordErrors<'_>, condemned: &mut [usize], decoded: &mut DecodedWords) -> bool {
        let failing = failing(&self.checks);
        let (mut given_up, mut corrected) = (0_u64, 0_u64);
        for lane in 0..LANES {
            let Some(LaneWork { word, iterations }) = self.lanes[lane] else { continue };
            let page = word / words.per_page;
            if failing >> lane & 1 == 0 {
                corrected |= 1 << lane;
                continue;
            }
            if iterations == self.iterations {
                decoded.outcomes[word] = Some(Err(DecodeFailure { iterations }));
                condemned[page] = condemned[page].min(word);
            } else if word < condemned[page] {
                continue;
            }
            given_up |= 1 << lane;
            self.lanes[lane] = None;
        }
        if given_up != 0 {
            self.checks.0.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|row| *row &= !given_up);
        }
        if corrected != 0 {
            self.take_corrected(words, corrected, decoded);
        }
        given_up | corrected != 0
    }

    #[inline]
    fn take_corrected(&mut self, words: WordErrors<'_>, corrected: u64, decoded: &mut DecodedWords) {
        let places_of = |work: &LaneWork| &words.places[words.words[work.word].clone()];
        let taken =
            |lanes: &[Option<LaneWork>], lane: usize| lanes[lane].filter(|_| corrected >> lane & 1 == 1);
        for lane in 0..LANES {
            let Some(work) = taken(&self.lanes, lane) else { continue };
            let places = places_of(&work);
            if work.iterations > 0 {
                // If exactly the wrong bits were flipped, no bit remains set.
                for &place in places {
                    *differs_mut(&mut self.bits, place) ^= 1 << lane;
                }
            }
            let flips = if work.iterations > 0 { places.len() as u32 } else { 0 };
            decoded.outcomes[work.word] = Some(Ok(CorrectionStats { flips, iterations: work.iterations }));
        }
        let left = any(self.bits.iter().map(|bits| &bits.differs));
        for lane in 0..LANES {
            let Some(work) = taken(&self.lanes, lane) else { continue };
            self.lanes[lane] = None;
            let places = places_of(&work);
            if work.iterations == 0 && !places.is_empty() {
                decoded.miscorrected.push((work.word, places.to_vec()));
            } else if work.iterations > 0 && left >> lane & 1 == 1 {
                self.note_miscorrected(work, places, lane, decoded);
            }
        }
    }

    #[cold]
    fn note_miscorrected(&self, work: LaneWork, places: &[u16], lane: usize, decoded: &mut DecodedWords) {
        let is_left =
            |place: usize| self.bits[place / CIRCULANT_BITS].differs[place % CIRCULANT_BITS] >> lane & 1 == 1;
        let left: Vec<u16> = (0..CODEWORD_BITS as u16).filter(|&place| is_left(usize::from(place))).collect();
        let flipped = |place: &u16| is_left(usize::from(*place)) != places.contains(place);
        let flips = (0..CODEWORD_BITS as u16).filter(flipped).count() as u32;
        decoded.outcomes[work.word] = Some(Ok(CorrectionStats { flips, iterations: work.iterations }));
        decoded.miscorrected.push((work.word, left));
    }
}

/// Returns the words without an outcome, in the order in which they should be decoded. If a word of a page
/// will probably fail, this word and those before it come first, because its failure makes the later words of
/// the page unnecessary. Among these, words with more errors come first, so that no lane is left working
/// alone at the end.
fn order_of(words: WordErrors<'_>, outcomes: &[Option<DecodeResult>]) -> Vec<usize> {
    let mut left = Vec::new();
    let mut is_needless = false;
    for (word, outcome) in outcomes.iter().enumerate() {
        is_needless &= word % words.per_page != 0;
        if outcome.is_none() {
            let errors = words.words[word].len();
            left.push((is_needless, Reverse(errors), word));
            is_needless |= errors > HARDLY_CORRECTED;
        }
    }
    left.sort_unstable();
    left.into_iter().map(|(.., word)| word).collect()
}

fn differs_mut(bits: &mut [BitsOfColumn], place: u16) -> &mut u64 {
    &mut bits[usize::from(place) / CIRCULANT_BITS].differs[usize::from(place) % CIRCULANT_BITS]
}

/// Toggles the checks of a bit in one lane.
#[inline]
fn toggle_checks(checks: &mut Checks, place: u16, lane: usize) {
    for check in checks_of_bit(usize::from(place)) {
        let rows = checks.0[check / CIRCULANT_BITS].as_flattened_mut();
        rows[check % CIRCULANT_BITS] ^= 1 << lane;
        rows[check % CIRCULANT_BITS + CIRCULANT_BITS] ^= 1 << lane;
    }
}

/// Kernel of the decoder for `pulp`, compiled for each vector width.
struct TwoBitKernel<'a> {
    decoder: &'a mut TwoBitLanes,
    words: WordErrors<'a>,
}

impl WithSimd for TwoBitKernel<'_> {
    type Output = DecodedWords;

    #[inline]
    fn with_simd<S: Simd>(self, simd: S) -> DecodedWords {
        self.decoder.run(simd, self.words)
    }
}

/// Returns a mask of the lanes whose words have failing checks.
#[inline]
fn failing(checks: &Checks) -> u64 {
    any(checks.0.iter().map(|[rows, _]| rows))
}

/// Returns a mask of the lanes in which at least one bit is set.
#[inline]
fn any<'a>(each: impl Iterator<Item = &'a LaneBits>) -> u64 {
    let mut any = NONE;
    for rows in each {
        any.iter_mut().zip(rows).for_each(|(any, row)| *any |= row);
    }
    any.into_iter().fold(0, |any, row| any | row)
}

/// Returns the checks of each bit of a block column, one element per circulant of the column.
#[inline]
fn checks_of<'a>(checks: &'a Checks, column: &BlockColumn) -> [&'a LaneBits; COLUMN_WEIGHT] {
    column.map(|edge| window(&checks.0[usize::from(edge.row)], CIRCULANT_BITS - usize::from(edge.shift)))
}

/// Returns the rows of a doubled row array, starting at row `from`.
#[inline]
fn window(twice: &[LaneBits; 2], from: usize) -> &LaneBits {
    twice.as_flattened()[from..].first_chunk().expect("a rotation is less than the whole")
}

/// Toggles the checks of the flipped bits of a block column.
#[inline]
fn toggle(checks: &mut Checks, column: &BlockColumn, DoubledRows(flips): &DoubledRows) {
    for edge in column {
        let [rows, again] = &mut checks.0[usize::from(edge.row)];
        let flips = window(flips, usize::from(edge.shift));
        for ((row, again), flips) in rows.iter_mut().zip(again).zip(flips) {
            *row ^= flips;
            *again = *row;
        }
    }
}

/// Performs the first iteration, which flips bits with four or five failing checks. Returns a mask of the
/// lanes in which the flipped bits are not exactly the errors, and clears `errors`.
///
/// While exactly the errors are flipped, the failing checks at a column are those of the errors in this and
/// later columns. Columns are therefore visited from the last to the first, and the checks are accumulated.
/// The rule flips exactly the errors if later errors affect fewer than two checks of each wrong bit, and
/// fewer than four checks of each correct bit.
#[inline]
fn first_sweep<S: Simd>(simd: S, errors: &mut [ColumnErrors], checks: &mut Checks) -> u64 {
    let mut left = simd.splat_u64s(0);
    let mut flips = DoubledRows([NONE; 2]);
    for (column, ColumnErrors(errors)) in BASE.iter().zip(errors).rev() {
        let failing = checks_of(checks, column).map(|rows| S::as_simd_u64s(rows).0);
        let DoubledRows([first, second]) = &mut flips;
        let copies = S::as_mut_simd_u64s(first).0.iter_mut().zip(S::as_mut_simd_u64s(second).0);
        let units = S::as_mut_simd_u64s(errors).0.iter_mut().zip(copies);
        for (unit, (errors, (flips, again))) in units.enumerate() {
            let flipped = *errors;
            let [_, twos, fours] = count(simd, failing.map(|rows| rows[unit]));
            left = simd.or_u64s(left, simd.or_u64s(fours, simd.and_u64s(twos, flipped)));
            (*flips, *again) = (flipped, flipped);
            *errors = simd.splat_u64s(0);
        }
        toggle(checks, column, &flips);
    }
    checks.0.fill([NONE; 2]);
    // One vector, which covers at most eight machine words.
    let mut lanes = [0; 8];
    S::as_mut_simd_u64s(&mut lanes).0[0] = left;
    lanes.into_iter().fold(0, |any, lane| any | lane)
}

/// Performs one iteration of every lane.
#[inline]
fn sweep<S: Simd>(simd: S, bits: &mut [BitsOfColumn], checks: &mut Checks, fresh: u64) {
    let known = simd.splat_u64s(!fresh);
    let mut flips = DoubledRows([NONE; 2]);
    for (column, bits) in BASE.iter().zip(bits) {
        let failing = checks_of(checks, column).map(|rows| S::as_simd_u64s(rows).0);
        let (differs, _) = S::as_mut_simd_u64s(&mut bits.differs);
        let (low, _) = S::as_mut_simd_u64s(&mut bits.low);
        let (high, _) = S::as_mut_simd_u64s(&mut bits.high);
        let DoubledRows([first, second]) = &mut flips;
        let units = S::as_mut_simd_u64s(first).0.iter_mut().zip(S::as_mut_simd_u64s(second).0);
        for (unit, (flips, again)) in units.enumerate() {
            let bit = [&mut differs[unit], &mut low[unit], &mut high[unit]];
            let flipped = visit(simd, bit, failing.map(|rows| rows[unit]), known);
            (*flips, *again) = (flipped, flipped);
        }
        toggle(checks, column, &flips);
    }
}

/// Applies the rule of [`super::TwoBit`] to one bit of every lane. Returns a mask of the lanes in which the
/// bit flips.
#[inline]
fn visit<S: Simd>(
    simd: S,
    [differs, low, high]: [&mut S::u64s; 3],
    failing: [S::u64s; COLUMN_WEIGHT],
    known: S::u64s,
) -> S::u64s {
    let [was_differing, low_before, high_before] =
        [&*differs, &*low, &*high].map(|row| simd.and_u64s(*row, known));
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
    flips
}

/// Returns the number of failing checks, of five, in each lane.
#[inline]
fn count<S: Simd>(simd: S, checks: [S::u64s; COLUMN_WEIGHT]) -> [S::u64s; 3] {
    let (sum, first) = full_add(simd, checks[0], checks[1], checks[2]);
    let (ones, second) = full_add(simd, sum, checks[3], checks[4]);
    [ones, simd.xor_u64s(first, second), simd.and_u64s(first, second)]
}

/// Returns the sum and the carry of three binary digits in each lane.
#[inline]
fn full_add<S: Simd>(simd: S, a: S::u64s, b: S::u64s, c: S::u64s) -> (S::u64s, S::u64s) {
    let differ = simd.xor_u64s(a, b);
    // A bitwise select: one instruction on processors with three-operand logic.
    let carry = simd.or_u64s(simd.and_u64s(differ, c), simd.and_u64s(simd.not_u64s(differ), a));
    (simd.xor_u64s(differ, c), carry)
}

/// Looks up the change of reliability in [`AGREEING`] or [`DIFFERING`], as two's complement digits.
#[inline]
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

    #[test]
    fn outcomes_equal_those_of_the_single_word_decoder() {
        const PER_PAGE: usize = 4;
        const ITERATIONS: u32 = 40;
        let mut random = RandomStream::new(1, "lanes");
        let (mut places, mut words, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let mut one = TwoBit::new(ITERATIONS);
        for index in 0..16 * LANES + 3 {
            let mut word = Codeword::ZERO;
            flip_exactly(&mut word, [0, 3, 14, 60, 72, 84][index % 6], &mut random);
            let from = places.len();
            places.extend((0..CODEWORD_BITS as u16).filter(|&bit| word.bit(usize::from(bit))));
            words.push(from..places.len());
            expected.push(one.decode(&mut word));
        }
        let mut decoder = TwoBitLanes::new(ITERATIONS);
        // The second pass checks that no state remains from the first; the third is short enough for
        // sequential decoding.
        for decoded_words in [words.len(), words.len(), 3 * PER_PAGE] {
            let words = WordErrors { places: &places, words: &words[..decoded_words], per_page: PER_PAGE };
            let decoded = decoder.decode(words);
            assert!(decoded.miscorrected.is_empty());
            for (page, expected) in expected[..decoded_words].chunks(PER_PAGE).enumerate() {
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
    fn a_miscorrected_word_is_reported_with_its_remaining_errors() {
        let other = crate::code::encode(&[0x11; crate::code::DATA_BYTES]);
        let places: Vec<u16> = (0..CODEWORD_BITS as u16).filter(|&bit| other.bit(usize::from(bit))).collect();
        let decoded = TwoBitLanes::new(5).decode(WordErrors {
            places: &places,
            words: std::slice::from_ref(&(0..places.len())),
            per_page: 1,
        });
        assert_eq!(decoded.outcomes, [Some(Ok(CorrectionStats { flips: 0, iterations: 0 }))]);
        assert_eq!(decoded.miscorrected, [(0, places)]);
    }
}
