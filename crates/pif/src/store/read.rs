//! Reading a page: sense, `ECC_w`, and as much of `ECC_s` as it takes.

use std::borrow::Cow;

use venice_kernel::RandomStream;

use super::{Correction, Fate, Mode, PAGE_BYTES, PAPER_REACH, ReadSettings, SUB_PAGES, SoftReads};
use crate::channel::{ExtraReads, SoftChannel, count_at_rate, flip_with_syndrome};
use crate::code::{BLOCK_ROWS, Codeword, DATA_BYTES};
use crate::curve::{Decoding, FailureCurve};
use crate::decoder::{AnyHardDecoder, HardDecoder, HardDecoderKind, MinSum, TwoBit};
use crate::page::{PageOutcome, StoredPage};

/// Reads pages; one for each thread.
#[derive(Clone, Debug)]
pub struct PageReader {
    settings: ReadSettings,
    rate: f64,
    ecc_w: TwoBit,
    ecc_s: AnyHardDecoder,
    soft: MinSum,
    channels: [SoftChannel; 2],
    curves: [FailureCurve; 4],
}

/// The steps of correction, in order.
const STEPS: [(Correction, SoftReads); 4] = [
    (Correction::Chip, SoftReads::None),
    (Correction::Controller, SoftReads::None),
    (Correction::Soft { extra_reads: 2 }, SoftReads::Two),
    (Correction::Soft { extra_reads: 8 }, SoftReads::Six),
];

impl PageReader {
    /// A reader of pages that have been through what the settings say.
    pub fn new(settings: ReadSettings) -> Self {
        let rate = settings.model.raw_bit_error_rate(settings.wear);
        let usual = |kind: HardDecoderKind| kind.build(kind.usual_iterations());
        let curves = [
            Decoding::TwoBit,
            Decoding::MinSum,
            Decoding::SoftMinSum(ExtraReads::Two),
            Decoding::SoftMinSum(ExtraReads::Six),
        ];
        Self {
            settings,
            rate,
            ecc_w: TwoBit::new(settings.chip_iterations),
            ecc_s: usual(HardDecoderKind::MinSum),
            soft: MinSum::new(MinSum::USUAL_ITERATIONS),
            channels: [ExtraReads::Two, ExtraReads::Six].map(|reads| SoftChannel::new(rate, reads)),
            curves: curves.map(|decoding| match decoding {
                Decoding::TwoBit => FailureCurve::of_chip(settings.chip_iterations),
                decoding => FailureCurve::measured(decoding),
            }),
        }
    }

    /// What it reads by.
    pub const fn settings(&self) -> &ReadSettings {
        &self.settings
    }

    /// Reads the drive's page of this number, which holds `data`, [`PAGE_BYTES`] at most: what its errors came to, and what the decoder
    /// gave. The data are to be trusted only if it is [readable](Fate::is_readable).
    pub fn read<'a>(&mut self, number: u64, data: &'a [u8]) -> (Fate, Cow<'a, [u8]>) {
        let mut random = RandomStream::new(self.settings.seed, &format!("page {number}"));
        match self.settings.mode {
            Mode::Functional => self.decode(data, &mut random),
            Mode::Statistical | Mode::Threshold => (self.draw(&mut random), Cow::Borrowed(data)),
        }
    }

    fn decode<'a>(&mut self, data: &'a [u8], random: &mut RandomStream) -> (Fate, Cow<'a, [u8]>) {
        let mut errors = vec![Codeword::ZERO; SUB_PAGES];
        let mut syndromes = [[0; BLOCK_ROWS]; SUB_PAGES];
        for (word, syndrome) in errors.iter_mut().zip(&mut syndromes) {
            *syndrome = flip_with_syndrome(word, self.rate, random);
        }
        let mut fate = Fate { by: Correction::Chip, ecc_w_iterations: 0, ecc_s_iterations: 0 };
        let mut left = errors.clone();
        for (word, syndrome) in left.iter_mut().zip(syndromes) {
            match self.ecc_w.decode_with(word, syndrome) {
                Ok(corrected) => fate.ecc_w_iterations += corrected.iterations,
                Err(failed) => {
                    fate.ecc_w_iterations += failed.iterations;
                    return self.decode_in_controller(data, &errors, fate, random);
                }
            }
        }
        (fate, with_errors(data, &left))
    }

    /// What the controller makes of the page as it was read.
    fn decode_in_controller<'a>(
        &mut self,
        data: &'a [u8],
        errors: &[Codeword],
        mut fate: Fate,
        random: &mut RandomStream,
    ) -> (Fate, Cow<'a, [u8]>) {
        let stored = encoded(data);
        let mut read = stored.clone();
        for (word, errors) in read.codewords_mut().iter_mut().zip(errors) {
            *word = *word ^ *errors;
        }
        fate.by = Correction::Nobody;
        for (step, (by, _)) in self.allowed().enumerate().skip(1) {
            let outcome = self.attempt(step, &stored, &mut read, random);
            fate.ecc_s_iterations += outcome.iterations;
            if outcome.is_corrected() {
                fate.by = by;
                break;
            }
        }
        let mut decoded = read.data();
        decoded.truncate(data.len());
        (fate, Cow::Owned(decoded))
    }

    /// Sub-pages that earlier steps of the controller corrected are clean and take no iteration.
    fn attempt(
        &mut self,
        step: usize,
        stored: &StoredPage,
        read: &mut StoredPage,
        random: &mut RandomStream,
    ) -> PageOutcome {
        if step == 1 {
            return read.decode_worst_first(&mut self.ecc_s);
        }
        read.decode_soft(stored, &self.channels[step - 2], &mut self.soft, random)
    }

    fn draw(&self, random: &mut RandomStream) -> Fate {
        match self.settings.mode {
            Mode::Threshold => self.by_threshold(),
            Mode::Functional | Mode::Statistical => self.by_curves(random),
        }
    }

    fn by_threshold(&self) -> Fate {
        let beyond = self.settings.model.raw_errors_per_codeword(self.settings.wear) > PAPER_REACH;
        let by = if beyond { Correction::Controller } else { Correction::Chip };
        Fate { by, ecc_w_iterations: 0, ecc_s_iterations: 0 }
    }

    /// One draw for each sub-page decides over all steps: what is hard for one decoder is hard for the next.
    fn by_curves(&self, random: &mut RandomStream) -> Fate {
        let words: [(u32, f64); SUB_PAGES] =
            std::array::from_fn(|_| (count_at_rate(self.rate, random), random.unit()));
        let mut left = words.to_vec();
        let mut fate = Fate { by: Correction::Nobody, ecc_w_iterations: 0, ecc_s_iterations: 0 };
        let chip = &self.curves[0];
        let first_failed = left.iter().position(|&(errors, draw)| draw < chip.failure(errors));
        let tried = &left[..first_failed.map_or(SUB_PAGES, |index| index + 1)];
        fate.ecc_w_iterations = iterations(chip, tried);
        if first_failed.is_none() {
            return Fate { by: Correction::Chip, ..fate };
        }
        for (step, (by, _)) in self.allowed().enumerate().skip(1) {
            let curve = &self.curves[step];
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

/// Mean iterations over these words, of so many errors each.
fn iterations(curve: &FailureCurve, words: &[(u32, f64)]) -> u32 {
    libm::round(words.iter().map(|&(errors, _)| curve.iterations(errors)).sum()) as u32
}

/// Data in which these bits are wrong, as a decoder that took another codeword for the stored one would leave them.
fn with_errors<'a>(data: &'a [u8], left: &[Codeword]) -> Cow<'a, [u8]> {
    if left.iter().all(|word| *word == Codeword::ZERO) {
        return Cow::Borrowed(data);
    }
    let mut wrong = data.to_vec();
    for (data, left) in wrong.chunks_mut(DATA_BYTES).zip(left) {
        data.iter_mut().zip(left.data()).for_each(|(byte, left)| *byte ^= left);
    }
    Cow::Owned(wrong)
}

fn encoded(data: &[u8]) -> StoredPage {
    let mut page = [0; PAGE_BYTES];
    page[..data.len()].copy_from_slice(data);
    StoredPage::encode(&page).expect("a page has 1 to 64 sub-pages")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wear::{Wear, WearModel};

    fn settings(mode: Mode, cycles: f64, days: f64, soft: SoftReads) -> ReadSettings {
        let wear = Wear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
        let model = WearModel::TLC_72_LAYERS;
        ReadSettings { mode, model, wear, soft, chip_iterations: 300, seed: 1 }
    }

    fn fates(settings: ReadSettings, pages: usize) -> Vec<Fate> {
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
        for mode in [Mode::Functional, Mode::Statistical, Mode::Threshold] {
            let young = fates(settings(mode, 500.0, 30.0, SoftReads::Six), 4);
            assert!(young.iter().all(Fate::in_chip), "{mode:?}: {young:?}");
            let old = fates(settings(mode, 2000.0, 365.0, SoftReads::Six), 12);
            assert!(old.iter().filter(|fate| !fate.in_chip()).count() >= 9, "{mode:?}: {old:?}");
            assert!(old.iter().all(Fate::is_readable), "{mode:?}: {old:?}");
        }
    }

    #[test]
    fn a_page_beyond_every_decoder_is_nobodys() {
        for mode in [Mode::Functional, Mode::Statistical] {
            for (soft, reads) in [(SoftReads::None, 0), (SoftReads::Two, 2), (SoftReads::Six, 8)] {
                for fate in fates(settings(mode, 6000.0, 3650.0, soft), 2) {
                    assert_eq!((fate.by, fate.extra_reads(soft)), (Correction::Nobody, reads), "{mode:?}");
                }
            }
        }
    }

    #[test]
    fn decoding_errors_alone_comes_to_what_decoding_the_stored_word_does() {
        // 75 errors a codeword: some sub-pages are corrected and some are not.
        let mut random = RandomStream::new(1, "linear");
        let mut decoder = HardDecoderKind::TwoBit.build(300);
        for word in 0..60_u8 {
            let stored = crate::code::encode(&std::array::from_fn(|at| (at as u8).wrapping_mul(word)));
            let mut errors = Codeword::ZERO;
            crate::channel::flip_at_rate(&mut errors, 0.0082, &mut random);
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
        for mode in [Mode::Functional, Mode::Statistical] {
            let (long, short) = (with(mode, 300), with(mode, 8));
            let handed_over = |fates: &[Fate]| fates.iter().filter(|fate| !fate.in_chip()).count();
            assert!(handed_over(&short) > 15 && handed_over(&long) < 10, "{mode:?}");
            let iterations = |fates: &[Fate]| fates.iter().map(|fate| fate.ecc_w_iterations).sum::<u32>();
            assert!(iterations(&short) < iterations(&long) / 3, "{mode:?}");
        }
    }

    #[test]
    fn a_page_is_wrong_in_the_same_places_each_time() {
        let settings = settings(Mode::Functional, 2000.0, 180.0, SoftReads::Six);
        assert_eq!(fates(settings, 6), fates(settings, 6));
    }

    #[test]
    fn both_modes_agree_on_the_controllers_share() {
        // 2,000 cycles and 6 months: 0.17 of the pages fail in the chip; the standard error of 300 is 0.022.
        for mode in [Mode::Functional, Mode::Statistical] {
            let fates = fates(settings(mode, 2000.0, 182.5, SoftReads::Six), 300);
            let share = fates.iter().filter(|fate| !fate.in_chip()).count() as f64 / 300.0;
            assert!((share - 0.17).abs() < 0.087, "{mode:?}: {share}");
        }
    }
}
