//! Page reads with the stages of error correction: `ECC_w`, then `ECC_s`.

use std::borrow::Cow;
use std::ops::Range;

use venice_kernel::RandomStream;

use super::controller::ReadPage;
use super::outcome::PageReadOutcome;
use super::read_ahead::DecodedPages;
use super::{Correction, CorrectionResult, ErrorModel, PAGE_BYTES, PAPER_REACH, ReadSettings, SUB_PAGES};
use venice_ecc::channel::{ErrorDraws, ExtraReads, SoftChannel, SoftReads};
use venice_ecc::code::{CODEWORD_BITS, COLUMN_WEIGHT, DATA_BYTES, failing_checks, syndrome_of_places};
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_ecc::decoder::{HardDecoder, MinSum, TwoBitLanes, WordErrors};

/// Reader of pages; one per thread.
#[derive(Clone, Debug)]
pub struct PageReader {
    settings: ReadSettings,
    draws: ErrorDraws,
    ecc_w: TwoBitLanes,
    ecc_s: MinSum,
    channels: [SoftChannel; 2],
    curves: [FailureCurve; 4],
    foreseen: DecodedPages,
}

/// Positions of the wrong bits of several pages, grouped by codeword.
#[derive(Clone, Debug, Default)]
struct WrongBits {
    places: Vec<u16>,
    words: Vec<Range<usize>>,
}

impl WrongBits {
    fn draw_page(&mut self, draws: &ErrorDraws, random: &mut RandomStream) {
        let mut from = self.places.len();
        for end in draws.draw_words::<SUB_PAGES>(random, &mut self.places) {
            self.words.push(from..end);
            from = end;
        }
    }

    const fn pages(&self) -> usize {
        self.words.len() / SUB_PAGES
    }

    fn words_of(&self, page: usize) -> impl Iterator<Item = &[u16]> {
        self.words[page * SUB_PAGES..][..SUB_PAGES].iter().map(|word| &self.places[word.clone()])
    }
}

/// Returns true if more than `most` checks fail for a word with errors at `places`. The syndrome is computed
/// only if the word has enough errors to fail more than `most` checks.
fn fails_more_checks(places: &[u16], most: u32) -> bool {
    (COLUMN_WEIGHT * places.len()) as u32 > most && failing_checks(&syndrome_of_places(places)) > most
}

/// Result of the chip's decoder for a page.
#[derive(Clone, Debug)]
struct ChipOutcome {
    iterations: u32,
    is_corrected: bool,
    /// Miscorrected sub-pages, with the positions of their remaining errors.
    left: Vec<(usize, Vec<u16>)>,
}

/// Stages of error correction in order, with the extra reads that they require.
const STEPS: [(Correction, SoftReads); 4] = [
    (Correction::Chip, SoftReads::None),
    (Correction::Controller, SoftReads::None),
    (Correction::Soft { extra_reads: 2 }, SoftReads::Two),
    (Correction::Soft { extra_reads: 8 }, SoftReads::Six),
];

impl PageReader {
    /// Creates a reader with these settings.
    pub fn new(settings: ReadSettings) -> Self {
        let rate = settings.model.raw_bit_error_rate(settings.wear);
        let curves = [
            CurveDecoder::TwoBit,
            CurveDecoder::MinSum,
            CurveDecoder::SoftMinSum(ExtraReads::Two),
            CurveDecoder::SoftMinSum(ExtraReads::Six),
        ];
        Self {
            settings,
            draws: ErrorDraws::new(rate),
            ecc_w: TwoBitLanes::new(settings.chip_iterations),
            ecc_s: MinSum::new(MinSum::USUAL_ITERATIONS),
            channels: [ExtraReads::Two, ExtraReads::Six].map(|reads| SoftChannel::new(rate, reads)),
            curves: curves.map(|decoding| match decoding {
                CurveDecoder::TwoBit => FailureCurve::of_chip(settings.chip_iterations)
                    .giving_up_beyond(settings.chip_failing_checks),
                CurveDecoder::MinSum => {
                    FailureCurve::measured(decoding).giving_up_beyond(settings.controller_failing_checks)
                }
                decoding @ CurveDecoder::SoftMinSum(_) => FailureCurve::measured(decoding),
            }),
            foreseen: DecodedPages::default(),
        }
    }

    /// Returns the settings of page reads.
    pub const fn settings(&self) -> &ReadSettings {
        &self.settings
    }

    /// Reads the page `number` of the drive, which stores `data` (at most [`PAGE_BYTES`] bytes). Returns the
    /// result of error correction and the decoded data. The data are valid only if the result is
    /// [readable](CorrectionResult::is_readable).
    pub fn read<'a>(&mut self, number: u64, data: &'a [u8]) -> (CorrectionResult, Cow<'a, [u8]>) {
        self.read_all(number, data).pop().unwrap_or_else(|| unreachable!("an empty page is a page"))
    }

    /// Reads consecutive pages, starting at page `first`. The results equal those of separate calls of
    /// [`Self::read`].
    pub fn read_all<'a>(&mut self, first: u64, data: &'a [u8]) -> Vec<(CorrectionResult, Cow<'a, [u8]>)> {
        let pages: Vec<&[u8]> = if data.is_empty() { vec![data] } else { data.chunks(PAGE_BYTES).collect() };
        let outcomes = self.outcomes(first, pages.len());
        let read =
            |(data, outcome): (&'a [u8], PageReadOutcome)| (outcome.fate, with_errors(data, &outcome.left));
        pages.into_iter().zip(outcomes).map(read).collect()
    }

    fn outcomes(&mut self, first: u64, pages: usize) -> Vec<PageReadOutcome> {
        let missing = self.foreseen.missing(first, pages);
        if missing.end > missing.start {
            let decoded = self.decode(missing);
            self.foreseen.add(decoded);
        }
        self.foreseen.take(pages)
    }

    fn decode(&mut self, pages: Range<u64>) -> Vec<PageReadOutcome> {
        let seed = self.settings.seed;
        let cells = pages.map(|number| RandomStream::new(seed, &format!("page {number}")));
        if self.settings.mode == ErrorModel::Functional {
            return self.decode_errors(cells.collect());
        }
        let draw = |mut random| PageReadOutcome { fate: self.draw(&mut random), left: Vec::new() };
        cells.map(draw).collect()
    }

    fn decode_errors(&mut self, mut cells: Vec<RandomStream>) -> Vec<PageReadOutcome> {
        let mut errors = WrongBits::default();
        for random in &mut cells {
            errors.draw_page(&self.draws, random);
        }
        let in_chip = self.decode_in_chip(&errors);
        let each = in_chip.into_iter().zip(&mut cells).enumerate();
        let finish = |(page, (chip, random)): (usize, (ChipOutcome, &mut RandomStream))| {
            let by = Correction::Chip;
            let fate = CorrectionResult { by, ecc_w_iterations: chip.iterations, ecc_s_iterations: 0 };
            if chip.is_corrected {
                return PageReadOutcome { fate, left: chip.left };
            }
            self.decode_in_controller(ReadPage::new(errors.words_of(page)), fate, random)
        };
        each.map(finish).collect()
    }

    /// Decodes each page in the chip.
    fn decode_in_chip(&mut self, errors: &WrongBits) -> Vec<ChipOutcome> {
        let most = self.settings.chip_failing_checks;
        let mut outcomes: Vec<ChipOutcome> = (0..errors.pages())
            .map(|page| {
                // The word with the most errors is the most likely one to exceed the limit.
                let worst = errors.words_of(page).max_by_key(|places| places.len());
                let is_hopeless = worst
                    .into_iter()
                    .chain(errors.words_of(page))
                    .any(|places| fails_more_checks(places, most));
                // The computation of the syndromes counts as one iteration over every sub-page.
                let iterations = if is_hopeless { SUB_PAGES as u32 } else { 0 };
                ChipOutcome { iterations, is_corrected: !is_hopeless, left: Vec::new() }
            })
            .collect();
        let tried: Vec<usize> = (0..errors.pages()).filter(|&page| outcomes[page].is_corrected).collect();
        self.decode_side_by_side(errors, &tried, &mut outcomes);
        outcomes
    }

    fn decode_side_by_side(&mut self, errors: &WrongBits, tried: &[usize], outcomes: &mut [ChipOutcome]) {
        let words: Vec<Range<usize>> =
            tried.iter().flat_map(|page| &errors.words[page * SUB_PAGES..][..SUB_PAGES]).cloned().collect();
        let decoded =
            self.ecc_w.decode(WordErrors { places: &errors.places, words: &words, per_page: SUB_PAGES });
        for (&page, words) in tried.iter().zip(decoded.outcomes.chunks(SUB_PAGES)) {
            for word in words.iter().flatten() {
                match word {
                    Ok(corrected) => outcomes[page].iterations += corrected.iterations,
                    Err(failed) => {
                        outcomes[page].iterations += failed.iterations;
                        outcomes[page].is_corrected = false;
                        break;
                    }
                }
            }
        }
        for (word, left) in decoded.miscorrected {
            outcomes[tried[word / SUB_PAGES]].left.push((word % SUB_PAGES, left));
        }
    }

    /// Decodes the hard read of a page in the controller, with extra reads as necessary.
    fn decode_in_controller(
        &mut self,
        mut read: ReadPage<'_>,
        mut fate: CorrectionResult,
        random: &mut RandomStream,
    ) -> PageReadOutcome {
        fate.by = Correction::Uncorrectable;
        for (step, (by, _)) in self.allowed().enumerate().skip(1) {
            fate.ecc_s_iterations += if step == 1 {
                read.decode_worst_first(&mut self.ecc_s, self.settings.controller_failing_checks)
            } else {
                read.decode_soft(&self.channels[step - 2], &mut self.ecc_s, random)
            };
            if read.is_corrected() {
                fate.by = by;
                break;
            }
        }
        PageReadOutcome { fate, left: read.left() }
    }

    fn draw(&self, random: &mut RandomStream) -> CorrectionResult {
        match self.settings.mode {
            ErrorModel::Threshold => self.by_threshold(),
            ErrorModel::Functional | ErrorModel::Statistical => self.by_curves(random),
        }
    }

    fn by_threshold(&self) -> CorrectionResult {
        let errors = self.settings.model.raw_bit_error_rate(self.settings.wear) * CODEWORD_BITS as f64;
        let beyond = errors > PAPER_REACH;
        let by = if beyond { Correction::Controller } else { Correction::Chip };
        CorrectionResult { by, ecc_w_iterations: 0, ecc_s_iterations: 0 }
    }

    /// Draws the outcome of each stage of error correction from failure curves. All stages use the same
    /// random number for a sub-page, so a word that is difficult for one decoder is also difficult for the
    /// next.
    fn by_curves(&self, random: &mut RandomStream) -> CorrectionResult {
        let words: [(u32, f64); SUB_PAGES] =
            std::array::from_fn(|_| (self.draws.draw(random, |_| ()), random.unit()));
        let mut left = words.to_vec();
        let mut fate =
            CorrectionResult { by: Correction::Uncorrectable, ecc_w_iterations: 0, ecc_s_iterations: 0 };
        let chip = &self.curves[0];
        let is_hopeless = |curve: &FailureCurve, left: &[(u32, f64)]| {
            left.iter().any(|&(errors, draw)| draw < curve.hopeless(errors))
        };
        let first_failed = left.iter().position(|&(errors, draw)| draw < chip.failure(errors));
        let tried = &left[..first_failed.map_or(SUB_PAGES, |index| index + 1)];
        let is_given_up = is_hopeless(chip, &left);
        fate.ecc_w_iterations = if is_given_up { SUB_PAGES as u32 } else { iterations(chip, tried) };
        if first_failed.is_none() {
            return CorrectionResult { by: Correction::Chip, ..fate };
        }
        for (step, (by, _)) in self.allowed().enumerate().skip(1) {
            let curve = &self.curves[step];
            if is_hopeless(curve, &left) {
                continue;
            }
            fate.ecc_s_iterations += iterations(curve, &left);
            left.retain(|&(errors, draw)| draw < curve.failure(errors));
            if left.is_empty() {
                fate.by = by;
                break;
            }
        }
        fate
    }

    fn allowed(&self) -> impl Iterator<Item = (Correction, SoftReads)> + use<> {
        let allowed = self.settings.soft;
        STEPS.into_iter().take_while(move |(_, needs)| *needs <= allowed)
    }
}

/// Returns the sum of the mean iterations for words with these numbers of errors.
fn iterations(curve: &FailureCurve, words: &[(u32, f64)]) -> u32 {
    libm::round(words.iter().map(|&(errors, _)| curve.iterations(errors)).sum()) as u32
}

/// Returns the data with the bit errors `left`, which remain in some sub-pages after a miscorrection.
fn with_errors<'a>(data: &'a [u8], left: &[(usize, Vec<u16>)]) -> Cow<'a, [u8]> {
    if left.is_empty() {
        return Cow::Borrowed(data);
    }
    let mut wrong = data.to_vec();
    for (index, places) in left {
        for &place in places.iter().filter(|&&place| usize::from(place) < 8 * DATA_BYTES) {
            if let Some(byte) = wrong.get_mut(index * DATA_BYTES + usize::from(place / 8)) {
                *byte ^= 1 << (place % 8);
            }
        }
    }
    Cow::Owned(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_ecc::code::Codeword;
    use venice_ecc::decoder::HardDecoderKind;
    use venice_nand::wear::{PageWear, WearModel};

    fn settings(mode: ErrorModel, cycles: f64, days: f64, soft: SoftReads) -> ReadSettings {
        let wear = PageWear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
        let model = WearModel::default();
        ReadSettings {
            mode,
            model,
            wear,
            soft,
            chip_iterations: 300,
            chip_failing_checks: 1024,
            controller_failing_checks: 1024,
            seed: 1,
        }
    }

    fn fates(settings: ReadSettings, pages: usize) -> Vec<CorrectionResult> {
        let data: Vec<u8> = (0..pages * PAGE_BYTES).map(|i| (i / 7) as u8).collect();
        let mut reader = PageReader::new(settings);
        let read = |(page, stored): (usize, &[u8])| {
            let (fate, read) = reader.read(3 + page as u64, stored);
            assert!(!fate.is_readable() || *read == *stored);
            fate
        };
        data.chunks(PAGE_BYTES).enumerate().map(read).collect()
    }

    #[test]
    fn a_young_page_is_the_chips_and_an_old_one_the_controllers() {
        for mode in [ErrorModel::Functional, ErrorModel::Statistical, ErrorModel::Threshold] {
            let young = fates(settings(mode, 500.0, 30.0, SoftReads::Six), 4);
            assert!(young.iter().all(CorrectionResult::in_chip), "{mode:?}: {young:?}");
            let old = fates(settings(mode, 2000.0, 365.0, SoftReads::Six), 12);
            assert!(old.iter().filter(|fate| !fate.in_chip()).count() >= 9, "{mode:?}: {old:?}");
            assert!(old.iter().all(CorrectionResult::is_readable), "{mode:?}: {old:?}");
        }
    }

    #[test]
    fn a_page_that_no_decoder_corrects_is_unreadable() {
        for mode in [ErrorModel::Functional, ErrorModel::Statistical] {
            for (soft, reads) in [(SoftReads::None, 0), (SoftReads::Two, 2), (SoftReads::Six, 8)] {
                for fate in fates(settings(mode, 6000.0, 3650.0, soft), 2) {
                    assert_eq!(
                        (fate.by, fate.extra_reads(soft)),
                        (Correction::Uncorrectable, reads),
                        "{mode:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn decoding_an_error_pattern_equals_decoding_the_stored_word() {
        // With 75 errors per codeword, some sub-pages are corrected and others are not.
        let mut random = RandomStream::new(1, "linear");
        let mut decoder = HardDecoderKind::TwoBit.build(300);
        for word in 0..60_u8 {
            let stored = venice_ecc::code::encode(&std::array::from_fn(|at| (at as u8).wrapping_mul(word)));
            let mut errors = Codeword::ZERO;
            venice_ecc::channel::flip_at_rate(&mut errors, 0.0082, &mut random);
            let mut read = stored ^ errors;
            let whole = decoder.decode(&mut read);
            assert_eq!(decoder.decode(&mut errors), whole);
            assert_eq!(read, stored ^ errors);
        }
    }

    #[test]
    fn a_chip_that_gives_up_early_hands_more_pages_over_and_takes_fewer_iterations() {
        let with = |mode, chip_iterations| {
            let settings = settings(mode, 2000.0, 182.5, SoftReads::Six);
            fates(ReadSettings { chip_iterations, ..settings }, 20)
        };
        for mode in [ErrorModel::Functional, ErrorModel::Statistical] {
            let (long, short) = (with(mode, 300), with(mode, 8));
            let handed_over =
                |fates: &[CorrectionResult]| fates.iter().filter(|fate| !fate.in_chip()).count();
            assert!(handed_over(&short) > 15 && handed_over(&long) < 10, "{mode:?}");
            let iterations =
                |fates: &[CorrectionResult]| fates.iter().map(|fate| fate.ecc_w_iterations).sum::<u32>();
            assert!(iterations(&short) < iterations(&long) / 3, "{mode:?}");
        }
    }

    #[test]
    fn pages_are_forwarded_undecoded_equally_often_in_both_modes() {
        // After 2,000 cycles and 9 months, about half of the pages fail in the chip.
        let of = |mode, chip_failing_checks, controller_failing_checks| {
            let settings = settings(mode, 2000.0, 270.0, SoftReads::Six);
            fates(ReadSettings { chip_failing_checks, controller_failing_checks, ..settings }, 60)
        };
        let given_up = |fates: &[CorrectionResult]| {
            fates.iter().filter(|fate| !fate.in_chip() && fate.ecc_w_iterations == SUB_PAGES as u32).count()
        };
        let functional = of(ErrorModel::Functional, 284, 292);
        let statistical = of(ErrorModel::Statistical, 284, 292);
        let (first, second) = (given_up(&functional), given_up(&statistical));
        assert!(first > 12 && second > 12 && first.abs_diff(second) < 20, "{first} and {second}");
        let by_chip = |fates: &[CorrectionResult]| fates.iter().filter(|fate| fate.in_chip()).count();
        let patient = of(ErrorModel::Functional, 1024, 1024);
        assert!(by_chip(&patient) >= by_chip(&functional), "{patient:?}");
        for (early, patient) in functional.iter().zip(&patient) {
            assert!(early.in_chip() <= patient.in_chip() && early.is_readable());
            assert!(!early.in_chip() || early == patient);
        }
    }

    #[test]
    fn reading_many_pages_equals_reading_each_separately() {
        let data: Vec<u8> = (0..40 * PAGE_BYTES - 5000).map(|i| (i / 11) as u8).collect();
        for (cycles, days) in [(1.0, 0.0), (2000.0, 182.5)] {
            let settings = settings(ErrorModel::Functional, cycles, days, SoftReads::Six);
            let together = PageReader::new(settings).read_all(7, &data);
            let mut reader = PageReader::new(settings);
            let each: Vec<_> =
                (7..).zip(data.chunks(PAGE_BYTES)).map(|(number, page)| reader.read(number, page)).collect();
            assert_eq!(together, each);
        }
    }

    #[test]
    fn pages_read_in_small_batches_equal_pages_read_separately() {
        let settings = settings(ErrorModel::Functional, 2000.0, 100.0, SoftReads::Two);
        let data = vec![b'x'; 3 * PAGE_BYTES];
        let mut together = PageReader::new(settings);
        // Sequential reads, then reads from the start again, then reads after a gap.
        for first in [0, 3, 6, 9, 0, 3, 20, 23] {
            let read = together.read_all(first, &data);
            for (number, (read, data)) in (first..).zip(read.iter().zip(data.chunks(PAGE_BYTES))) {
                assert_eq!(*read, PageReader::new(settings).read(number, data), "page {number}");
            }
        }
    }

    #[test]
    fn a_page_is_wrong_in_the_same_places_each_time() {
        let settings = settings(ErrorModel::Functional, 2000.0, 180.0, SoftReads::Six);
        assert_eq!(fates(settings, 6), fates(settings, 6));
    }

    #[test]
    fn both_modes_agree_on_the_controllers_share() {
        // After 2,000 cycles and 6 months, a share of 0.17 of the pages fails in the chip; the standard error
        // over 300 pages is 0.022.
        for mode in [ErrorModel::Functional, ErrorModel::Statistical] {
            let fates = fates(settings(mode, 2000.0, 182.5, SoftReads::Six), 300);
            let share = fates.iter().filter(|fate| !fate.in_chip()).count() as f64 / 300.0;
            assert!((share - 0.17).abs() < 0.087, "{mode:?}: {share}");
        }
    }
}
