//! A page as the controller has it: sixteen words with errors that its decoder looks for.
//!
//! The decoder sees failing checks and strengths, which depend on the errors alone, as the code is linear. So the errors stand for the page: nothing is
//! encoded.

use venice_kernel::RandomStream;

use super::SUB_PAGES;
use crate::channel::SoftChannel;
use crate::code::{Codeword, Syndrome, failing_checks, is_clean, syndrome_of_places};
use crate::decoder::{Bits, Flips, MinSum};

/// What is left of a sub-page's errors.
#[derive(Clone, Debug)]
enum Left {
    /// All, as they were read.
    All,
    None,
    /// These: the decoder took another codeword for the stored one.
    Others(Box<Codeword>),
}

/// A sub-page: the bits that are wrong in it, and the checks that fail for that.
#[derive(Clone, Debug)]
struct Word<'a> {
    /// As they were read.
    places: &'a [u16],
    left: Left,
    failing: Syndrome,
}

impl Word<'_> {
    fn errors(&self) -> Codeword {
        match &self.left {
            Left::All => Codeword::of_places(self.places),
            Left::None => Codeword::ZERO,
            Left::Others(errors) => **errors,
        }
    }

    /// Takes what a decoder found, and gives its iterations. Without errors found it stays as it is.
    fn take(&mut self, found: &Flips) -> u32 {
        match found {
            Ok((flips, corrected)) => {
                if *flips == Bits::Known {
                    self.left = Left::None;
                } else {
                    // What is left, if anything, is a codeword.
                    self.left = Left::Others(Box::new(self.errors() ^ flips.of(self.places)));
                }
                self.failing = Syndrome::default();
                corrected.iterations
            }
            Err(uncorrectable) => uncorrectable.iterations,
        }
    }
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct ReadPage<'a>([Word<'a>; SUB_PAGES]);

impl<'a> ReadPage<'a> {
    /// The page in which these bits of sub-pages are wrong.
    pub fn new(mut errors: impl Iterator<Item = &'a [u16]>) -> Self {
        Self(std::array::from_fn(|_| {
            let places = errors.next().unwrap_or_default();
            Word { places, left: Left::All, failing: syndrome_of_places(places) }
        }))
    }

    /// Whether the decoder takes every sub-page for corrected.
    pub fn is_corrected(&self) -> bool {
        self.0.iter().all(|word| is_clean(&word.failing))
    }

    /// Corrects sub-pages from the hard read, beginning with the one of which most checks fail and ending with the first that cannot be corrected, as a page that
    /// has to be read again is no use. Where more checks fail than `most` it is not tried. Gives the iterations.
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

    /// Reads the page again through `channel` and corrects sub-pages with what that tells. Gives the iterations.
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

    /// Sub-pages in which bits are wrong still, and these.
    pub fn left(&self) -> Vec<(usize, Vec<u16>)> {
        let left = self.0.iter().map(|word| match &word.left {
            Left::All => word.places.to_vec(),
            Left::None => Vec::new(),
            Left::Others(errors) => errors.places(),
        });
        left.enumerate().filter(|(_, places)| !places.is_empty()).collect()
    }
}
