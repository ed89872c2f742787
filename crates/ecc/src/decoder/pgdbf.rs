//! Probabilistic gradient descent bit flipping. Unlike [`Gdbf`](super::Gdbf), it flips each bit of maximum
//! energy only with some probability, and so escapes from oscillations.
//!
//! # How
//!
//! Random decisions are generated for 128 lanes at once. For a probability of n / 16, four random words are
//! combined, one for each binary digit of n, starting at the lowest. A set digit combines by OR, a clear one
//! by AND. The random stream restarts with every word.
//!
//! # Source
//!
//! Rasheed, Ivaniš and Vasić, "Fault-Tolerant Probabilistic Gradient-Descent Bit Flipping Decoder", IEEE
//! Communications Letters 2014. The probability 15/16 is the best of 1/16 … 15/16 for this code at 54 errors
//! per codeword.

use venice_kernel::RandomStream;

use super::gdbf::descend;
use super::{DecodeResult, HardDecoder};
use crate::code::Codeword;

/// Probability that a bit of maximum energy flips, in sixteenths.
const SIXTEENTHS: u32 = 15;

/// Decoder for probabilistic gradient descent bit flipping.
#[derive(Clone, Copy, Debug)]
pub struct Pgdbf {
    iterations: u32,
}

impl HardDecoder for Pgdbf {
    const USUAL_ITERATIONS: u32 = 300;

    fn new(iterations: u32) -> Self {
        Self { iterations }
    }

    fn decode(&mut self, word: &mut Codeword) -> DecodeResult {
        let mut random = RandomStream::new(0, "pif.pgdbf");
        descend(word, self.iterations, |greatest| greatest & lots(SIXTEENTHS, &mut random))
    }
}

/// Returns a word in which each bit is set with probability `sixteenths` / 16.
fn lots(sixteenths: u32, random: &mut RandomStream) -> u128 {
    (0..4).fold(0, |lanes, digit| {
        let word = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        if sixteenths >> digit & 1 == 1 { lanes | word } else { lanes & word }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_fall_with_their_probability() {
        let mut random = RandomStream::new(6, "test");
        for sixteenths in 0..16 {
            let drawn: u32 = (0..1000).map(|_| lots(sixteenths, &mut random).count_ones()).sum();
            let (p, all) = (f64::from(sixteenths) / 16.0, 128_000.0);
            let slack = 4.0 * (p * (1.0 - p) / all).sqrt();
            assert!((f64::from(drawn) / all - p).abs() <= slack, "{drawn} for {sixteenths}/16");
        }
    }
}
