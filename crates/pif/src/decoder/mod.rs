//! How a word that was read becomes the codeword that was stored.
//!
//! # The contract
//!
//! 1. A decoder sees the hard read alone. It corrects the word in place and says how many bits it flipped and in how many
//!    iterations, or it says that it cannot and **leaves the word as it was read**, for a stronger decoder.
//! 2. What it returns as corrected satisfies every check. It may still be another codeword than the stored one
//!    (*miscorrection*); none was ever seen, see `docs/models/pif-codes.md`.
//! 3. A word that satisfies every check takes 0 iterations. At most `iterations` are done.
//! 4. The outcome depends on the word alone: a decoder that draws lots draws the same for every word.
//!
//! To add a decoder: write its file with [`HardDecoder`], and add its line below. The test of the contract finds it by itself.
//!
//! # Which is which
//!
//! `ECC_w` is the decoder in the flash chip, `ECC_s` the one in the controller. The paper's `ECC_w` is [`Gdbf`] or [`Pgdbf`] by its citations and corrects
//! 72 errors by its text. These decoders do not: [`TwoBit`] does. `ECC_s` is [`MinSum`], which also takes soft reads.

mod gdbf;
mod min_sum;
mod pgdbf;
mod planes;
mod two_bit;
mod two_bit_lanes;

use thiserror::Error;
use venice_kernel::catalogue;

pub use gdbf::Gdbf;
pub use min_sum::{Bits, Flips, MinSum};
pub use pgdbf::Pgdbf;
pub use two_bit::TwoBit;
pub use two_bit_lanes::{Decoded, TwoBitLanes, Words};

use crate::code::Codeword;

/// A word that was corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// Bits in which the codeword differs from what was read.
    pub flips: u32,
    /// Iterations that it took; 0 if there was nothing to correct.
    pub iterations: u32,
}

/// A word that this decoder cannot correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not corrected in {iterations} iterations")]
pub struct Uncorrectable {
    /// Iterations that were tried.
    pub iterations: u32,
}

/// What decoding came to.
pub type Outcome = Result<Corrected, Uncorrectable>;

/// A decoder of hard reads; see the contract in the module comment.
pub trait HardDecoder {
    /// Iterations that it is given when nothing else is asked for.
    const USUAL_ITERATIONS: u32;

    /// The decoder that gives up after this many iterations.
    fn new(iterations: u32) -> Self;

    /// Corrects the word in place.
    ///
    /// # Errors
    /// [`Uncorrectable`] when it cannot; the word is then as it was read.
    fn decode(&mut self, word: &mut Codeword) -> Outcome;
}

catalogue! {
    /// How a hard read is decoded.
    pub enum HardDecoderKind, match_kind!;

    /// Any of the decoders, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyHardDecoder, match_decoder!;

    gdbf::Gdbf: "gdbf" => Gdbf;
    pgdbf::Pgdbf: "pgdbf" => Pgdbf;
    two_bit::TwoBit: "two_bit" => TwoBit;
    min_sum::MinSum: "min_sum" => MinSum;
}

impl HardDecoderKind {
    /// See [`HardDecoder::USUAL_ITERATIONS`].
    pub const fn usual_iterations(self) -> u32 {
        match_kind!(self, Decoder => Decoder::USUAL_ITERATIONS)
    }

    /// Builds the decoder that gives up after this number of iterations.
    pub fn build(self, iterations: u32) -> AnyHardDecoder {
        match_kind!(self, Decoder => Decoder::new(iterations).into())
    }
}

impl AnyHardDecoder {
    /// See [`HardDecoder::decode`].
    ///
    /// # Errors
    /// [`Uncorrectable`] when it cannot; the word is then as it was read.
    #[inline]
    pub fn decode(&mut self, word: &mut Codeword) -> Outcome {
        match_decoder!(self, decoder => decoder.decode(word))
    }
}
