//! Page in the controller, represented by the errors in its sixteen codewords.
//!
//! The code is linear, so syndromes and strengths (reliabilities) depend only on the errors. Pages are
//! therefore not encoded.

use venice_kernel::RandomStream;

use super::SUB_PAGES;
use venice_ecc::channel::SoftChannel;
use venice_ecc::code::{Codeword, Syndrome, failing_checks, is_clean, syndrome_of_places};
use venice_ecc::decoder::{ErrorPattern, FlippedBits, MinSum};

/// Errors that remain in a sub-page.
#[derive(Clone, Debug)]
enum RemainingErrors {
    /// All raw errors of the sub-page remain.
    All,
    None,
    /// Errors that remain after a decoder was applied: none if the sub-page was corrected, or a codeword if
    /// it was miscorrected.
    Others(Box<Codeword>),
}

/// Sub-page, represented by its errors and their syndrome.
#[derive(Clone, Debug)]
struct SubPage<'a> {
    /// Positions of the raw errors.
    places: &'a [u16],
    left: RemainingErrors,
    failing: Syndrome,
}

impl SubPage<'_> {
    fn errors(&self) -> Codeword {
        match &self.left {
            RemainingErrors::All => Codeword::of_places(self.places),
            RemainingErrors::None => Codeword::ZERO,
            RemainingErrors::Others(errors) => **errors,
        }
    }

    /// Applies the result of a decoder to the sub-page, which stays unchanged after a failure. Returns the
    /// number of iterations.
    fn take(&mut self, found: &FlippedBits) -> u32 {
        match found {
            Ok((flips, corrected)) => {
                if *flips == ErrorPattern::Known {
                    self.left = RemainingErrors::None;
                } else {
                    // The remaining errors, if any, form a codeword.
                    self.left = RemainingErrors::Others(Box::new(self.errors() ^ flips.of(self.places)));
                }
                self.failing = Syndrome::default();
                corrected.iterations
            }
            Err(uncorrectable) => uncorrectable.iterations,
        }
    }
}

/// Page that the controller has read and decodes.
#[derive(Clone, Debug)]
pub struct ReadPage<'a>([SubPage<'a>; SUB_PAGES]);

impl<'a> ReadPage<'a> {
    /// Creates the page with these errors, one slice of bit positions per sub-page.
    pub fn new(mut errors: impl Iterator<Item = &'a [u16]>) -> Self {
        Self(std::array::from_fn(|_| {
            let places = errors.next().unwrap_or_default();
            SubPage { places, left: RemainingErrors::All, failing: syndrome_of_places(places) }
        }))
    }

    /// Returns true if the syndrome of every sub-page is zero.
    pub fn is_corrected(&self) -> bool {
        self.0.iter().all(|word| is_clean(&word.failing))
    }

    /// Decodes the sub-pages from the hard read, those with the most failing checks first. Stops at a
    /// sub-page that has more than `most` failing checks or cannot be decoded, since extra reads of the page
    /// are then required. Returns the number of iterations.
    pub fn decode_worst_first(&mut self, decoder: &mut MinSum, most: u32) -> u32 {
        let mut order: Vec<(u32, usize)> =
            self.0.iter().map(|word| failing_checks(&word.failing)).zip(0..).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        let mut iterations = 0;
        for (failing, index) in order {
            if failing > most {
                break;
            }
            let word = &mut self.0[index];
            iterations += word.take(&decoder.hard_flips(&word.failing, Some(word.places)));
            if !is_clean(&word.failing) {
                break;
            }
        }
        iterations
    }

    /// Simulates the extra reads of `channel`. Decodes the sub-pages that still have errors from the hard
    /// read and the extra reads. Returns the number of iterations.
    pub fn decode_soft(
        &mut self,
        channel: &SoftChannel,
        decoder: &mut MinSum,
        random: &mut RandomStream,
    ) -> u32 {
        let mut iterations = 0;
        for word in &mut self.0 {
            let strength = channel.strengths(&word.errors(), random);
            if is_clean(&word.failing) {
                continue;
            }
            let known = Some(word.places);
            iterations += word.take(&decoder.soft_flips(&word.failing, &strength, channel.reads(), known));
        }
        iterations
    }

    /// Returns the sub-pages with remaining errors, and the positions of these errors.
    pub fn left(&self) -> Vec<(usize, Vec<u16>)> {
        let left = self.0.iter().map(|word| match &word.left {
            RemainingErrors::All => word.places.to_vec(),
            RemainingErrors::None => Vec::new(),
            RemainingErrors::Others(errors) => errors.places(),
        });
        left.enumerate().filter(|(_, places)| !places.is_empty()).collect()
    }
}
