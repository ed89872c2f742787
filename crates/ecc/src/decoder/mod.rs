//! Decoders: correction of a word that was read.
//!
//! # Contract
//!
//! 1. The only input of a decoder is the hard read. If it succeeds, it corrects the word in place and returns
//!    the numbers of flipped bits and of iterations. If it fails, it **leaves the word unchanged**, for a
//!    stronger decoder.
//! 2. A word returned as corrected satisfies every check. It may still differ from the stored codeword
//!    (*miscorrection*); none was observed, see `docs/models/pif-codes.md`.
//! 3. A word that satisfies every check takes 0 iterations. The iteration limit is never exceeded.
//! 4. The outcome depends only on the word: a randomised decoder uses the same random numbers for every word.
//!
//! To add a decoder, implement [`HardDecoder`] in a new file and add a row to the catalogue below. The
//! contract test covers all rows.
//!
//! # `ECC_w` and `ECC_s`
//!
//! `ECC_w` is the decoder in the flash chip, `ECC_s` the decoder in the controller. The paper's citations
//! identify `ECC_w` as [`Gdbf`] or [`Pgdbf`], but its text claims 72 corrected errors, which only [`TwoBit`]
//! reaches. `ECC_s` is [`MinSum`], which also takes soft reads.

mod gdbf;
mod min_sum;
mod pgdbf;
mod planes;
mod two_bit;
mod two_bit_lanes;

use thiserror::Error;
use venice_params::catalogue;

pub use gdbf::Gdbf;
pub use min_sum::{ErrorPattern, FlippedBits, MinSum};
pub use pgdbf::Pgdbf;
pub use two_bit::TwoBit;
pub use two_bit_lanes::{DecodedWords, TwoBitLanes, WordErrors};

use crate::code::Codeword;

/// Statistics of a corrected word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorrectionStats {
    /// Number of bits in which the codeword differs from the hard read.
    pub flips: u32,
    /// Number of iterations; 0 if the word had no error.
    pub iterations: u32,
}

/// Failure of a decoder to correct a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not corrected in {iterations} iterations")]
pub struct DecodeFailure {
    /// Number of iterations before the decoder gave up.
    pub iterations: u32,
}

/// Result of decoding a word.
pub type DecodeResult = Result<CorrectionStats, DecodeFailure>;

/// Decoder of hard reads; see the contract in the module documentation.
pub trait HardDecoder {
    /// Iteration limit that the decoder uses by default.
    const USUAL_ITERATIONS: u32;

    /// Creates a decoder with an iteration limit.
    fn new(iterations: u32) -> Self;

    /// Corrects the word in place.
    ///
    /// # Errors
    /// [`DecodeFailure`]: the word is unchanged.
    fn decode(&mut self, word: &mut Codeword) -> DecodeResult;
}

catalogue! {
    /// Kinds of decoders for hard reads.
    pub enum HardDecoderKind, match_kind!;

    /// Decoder of any kind, with static dispatch.
    #[derive(Clone, Debug)]
    pub enum AnyHardDecoder, match_decoder!;

    gdbf::Gdbf: "gdbf" => Gdbf;
    pgdbf::Pgdbf: "pgdbf" => Pgdbf;
    two_bit::TwoBit: "two_bit" => TwoBit;
    min_sum::MinSum: "min_sum" => MinSum;
}

impl HardDecoderKind {
    /// Returns [`HardDecoder::USUAL_ITERATIONS`] of the decoder.
    pub const fn usual_iterations(self) -> u32 {
        match_kind!(self, Decoder => Decoder::USUAL_ITERATIONS)
    }

    /// Creates a decoder with an iteration limit.
    pub fn build(self, iterations: u32) -> AnyHardDecoder {
        match_kind!(self, Decoder => Decoder::new(iterations).into())
    }
}

impl AnyHardDecoder {
    /// Corrects the word in place; see [`HardDecoder::decode`].
    ///
    /// # Errors
    /// [`DecodeFailure`]: the word is unchanged.
    #[inline]
    pub fn decode(&mut self, word: &mut Codeword) -> DecodeResult {
        match_decoder!(self, decoder => decoder.decode(word))
    }
}
