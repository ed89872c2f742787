//! Reading a page: sense, `ECC_w`, and as much of `ECC_s` as it takes.

use std::borrow::Cow;

use venice_kernel::RandomStream;

use super::{
    Cells, Correction, Fate, Mode, PAGE_BYTES, PAPER_REACH, ReadSettings, SUB_PAGES, SoftReads, StoredFile,
};
use crate::channel::{ExtraReads, SoftChannel, count_at_rate};
use crate::curve::{Decoding, FailureCurve};
use crate::decoder::{AnyHardDecoder, HardDecoder, HardDecoderKind, MinSum};
use crate::page::{PageOutcome, StoredPage};

/// Reads pages of stored files; one for each thread.
#[derive(Clone, Debug)]
pub struct PageReader {
    settings: ReadSettings,
    rate: f64,
    ecc_w: AnyHardDecoder,
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
            ecc_w: usual(HardDecoderKind::TwoBit),
            ecc_s: usual(HardDecoderKind::MinSum),
            soft: MinSum::new(MinSum::USUAL_ITERATIONS),
            channels: [ExtraReads::Two, ExtraReads::Six].map(|reads| SoftChannel::new(rate, reads)),
            curves: curves.map(FailureCurve::measured),
        }
    }

    /// What it reads by.
    pub const fn settings(&self) -> &ReadSettings {
        &self.settings
    }

    /// Reads a page: what its errors came to, and its data, filled up to a whole page. The data are to be trusted only if it is
    /// [readable](Fate::is_readable).
    pub fn read<'a>(&mut self, file: &'a StoredFile, page: usize) -> (Fate, Cow<'a, [u8]>) {
        let number = file.first_page() + page as u64;
        let mut random = RandomStream::new(self.settings.seed, &format!("page {number}"));
        match &file.cells {
            Cells::Encoded(pages) => {
                let (fate, read) = self.decode(&pages[page], &mut random);
                (fate, Cow::Owned(read.data()))
            }
            Cells::Plain(data) => (self.draw(&mut random), whole_page(data, page)),
        }
    }

    fn decode(&mut self, stored: &StoredPage, random: &mut RandomStream) -> (Fate, StoredPage) {
        let mut read = stored.clone();
        read.corrupt(self.rate, random);
        let mut fate = Fate { by: Correction::Nobody, ecc_w_iterations: 0, ecc_s_iterations: 0 };
        for (step, (by, _)) in self.allowed().enumerate() {
            let outcome = self.attempt(step, stored, &mut read, random);
            fate.add(step, outcome.iterations);
            if outcome.is_corrected() {
                fate.by = by;
                break;
            }
        }
        (fate, read)
    }

    /// Sub-pages that earlier steps corrected are clean and take no iteration.
    fn attempt(
        &mut self,
        step: usize,
        stored: &StoredPage,
        read: &mut StoredPage,
        random: &mut RandomStream,
    ) -> PageOutcome {
        match step {
            0 => read.decode(&mut self.ecc_w),
            1 => read.decode(&mut self.ecc_s),
            _ => read.decode_soft(stored, &self.channels[step - 2], &mut self.soft, random),
        }
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
        for (step, (by, _)) in self.allowed().enumerate() {
            let curve = &self.curves[step];
            let iterations: f64 = left.iter().map(|&(errors, _)| curve.iterations(errors)).sum();
            fate.add(step, libm::round(iterations) as u32);
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

impl Fate {
    fn add(&mut self, step: usize, iterations: u32) {
        *(if step == 0 { &mut self.ecc_w_iterations } else { &mut self.ecc_s_iterations }) += iterations;
    }
}

fn whole_page(data: &[u8], page: usize) -> Cow<'_, [u8]> {
    let data = &data[page * PAGE_BYTES..];
    if let Some(whole) = data.get(..PAGE_BYTES) {
        return Cow::Borrowed(whole);
    }
    let mut filled = data.to_vec();
    filled.resize(PAGE_BYTES, 0);
    Cow::Owned(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wear::{Wear, WearModel};

    fn settings(mode: Mode, cycles: f64, days: f64, soft: SoftReads) -> ReadSettings {
        let wear = Wear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
        ReadSettings { mode, model: WearModel::TLC_72_LAYERS, wear, soft, seed: 1 }
    }

    fn fates(settings: ReadSettings, pages: usize) -> Vec<Fate> {
        let data: Vec<u8> = (0..pages * PAGE_BYTES).map(|i| (i / 7) as u8).collect();
        let file = StoredFile::store(data.clone(), 3, settings.mode);
        let mut reader = PageReader::new(settings);
        (0..pages)
            .map(|page| {
                let (fate, read) = reader.read(&file, page);
                if fate.is_readable() {
                    assert_eq!(&*read, &data[page * PAGE_BYTES..][..PAGE_BYTES]);
                }
                fate
            })
            .collect()
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
