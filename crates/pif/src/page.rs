//! Page as stored in flash cells: sub-pages of 1 KB, each encoded as a codeword.
//!
//! # What it models
//!
//! The controller encodes a page of 16 KB into sixteen codewords of 1,152 bytes. Each codeword has
//! independent errors and is decoded separately. If `ECC_w` (in the chip) fails on any codeword, the whole
//! page is decoded by `ECC_s` (in the controller).
//!
//! # What is left out
//!
//! Out-of-band bytes, and the randomiser, which affects neither errors nor their correction.

use thiserror::Error;
use venice_kernel::RandomStream;

use venice_ecc::channel::{ErrorDraws, SoftChannel};
use venice_ecc::code::{CODEWORD_BYTES, Codeword, DATA_BYTES, encode};
use venice_ecc::decoder::{AnyHardDecoder, DecodeResult, MinSum};

/// Maximum number of sub-pages of a page: the number of bits of [`PageOutcome::failed`].
pub const MAX_SUB_PAGES: usize = 64;

/// Error of a page size that is out of range or not a multiple of the sub-page size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a page has {bytes} bytes; expected: 1 to {MAX_SUB_PAGES} sub-pages of {each} bytes")]
pub struct PageSizeError {
    /// Size of the page in bytes.
    pub bytes: usize,
    /// Required size of a sub-page in bytes: with parity for stored bytes, without parity for data.
    pub each: usize,
}

/// Result of decoding a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PageOutcome {
    /// Bit mask of the sub-pages that were not corrected.
    pub failed: u64,
    /// Number of bits that were corrected, in the sub-pages whose correction succeeded.
    pub flips: u32,
    /// Sum of the decoder's iterations over all sub-pages.
    pub iterations: u32,
    /// Largest number of iterations that a sub-page took.
    pub most_iterations: u32,
}

impl PageOutcome {
    /// Returns true if every sub-page was corrected.
    pub const fn is_corrected(&self) -> bool {
        self.failed == 0
    }

    fn note(&mut self, index: usize, outcome: DecodeResult) {
        let iterations = match outcome {
            Ok(corrected) => {
                self.flips += corrected.flips;
                corrected.iterations
            }
            Err(uncorrectable) => {
                self.failed |= 1 << index;
                uncorrectable.iterations
            }
        };
        self.iterations += iterations;
        self.most_iterations = self.most_iterations.max(iterations);
    }
}

/// Page as stored in flash: its codewords.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPage {
    codewords: Vec<Codeword>,
}

impl StoredPage {
    /// Encodes a page of data.
    ///
    /// # Errors
    /// [`PageSizeError`] unless `data` has 1 … 64 KB.
    pub fn encode(data: &[u8]) -> Result<Self, PageSizeError> {
        Ok(Self { codewords: pieces::<DATA_BYTES>(data)?.iter().map(encode).collect() })
    }

    /// Creates the page with these stored bytes.
    ///
    /// # Errors
    ///
    /// Returns a [`PageSizeError`] unless `bytes` is 1 … 64 codewords of 1,152 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PageSizeError> {
        Ok(Self { codewords: pieces::<CODEWORD_BYTES>(bytes)?.iter().map(Codeword::from_bytes).collect() })
    }

    /// Returns the stored bytes, which are also sent over the channel if the page is not decoded in the chip.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.joined::<CODEWORD_BYTES>()
    }

    /// Returns the data bytes, including any errors.
    pub fn data(&self) -> Vec<u8> {
        self.joined::<DATA_BYTES>()
    }

    /// Returns the codewords in the order of the data.
    pub fn codewords(&self) -> &[Codeword] {
        &self.codewords
    }

    /// Returns the codewords for modification.
    pub fn codewords_mut(&mut self) -> &mut [Codeword] {
        &mut self.codewords
    }

    /// Inverts each bit with probability `rate`, the raw bit error rate. Returns the number of inverted bits.
    pub fn corrupt(&mut self, rate: f64, random: &mut RandomStream) -> u32 {
        let draws = ErrorDraws::new(rate);
        self.codewords.iter_mut().map(|word| draws.draw(random, |index| word.flip(index))).sum()
    }

    /// Corrects every sub-page in place. Uncorrectable sub-pages stay unchanged.
    pub fn decode(&mut self, decoder: &mut AnyHardDecoder) -> PageOutcome {
        let mut outcome = PageOutcome::default();
        for (index, word) in self.codewords.iter_mut().enumerate() {
            outcome.note(index, decoder.decode(word));
        }
        outcome
    }

    /// Simulates extra reads of a page whose correct content is `stored`. Corrects every sub-page in place
    /// from the hard read and the extra reads. Uncorrectable sub-pages stay unchanged.
    pub fn decode_soft(
        &mut self,
        stored: &Self,
        channel: &SoftChannel,
        decoder: &mut MinSum,
        random: &mut RandomStream,
    ) -> PageOutcome {
        let mut outcome = PageOutcome::default();
        for (index, (word, stored)) in self.codewords.iter_mut().zip(&stored.codewords).enumerate() {
            let decoded = decoder.decode_soft(&channel.read(stored, word, random));
            outcome.note(
                index,
                decoded.map(|(codeword, corrected)| {
                    *word = codeword;
                    corrected
                }),
            );
        }
        outcome
    }

    fn joined<const EACH: usize>(&self) -> Vec<u8> {
        let mut bytes = vec![0; EACH * self.codewords.len()];
        for (bytes, word) in bytes.chunks_exact_mut(EACH).zip(&self.codewords) {
            word.copy_to(bytes);
        }
        bytes
    }
}

/// Splits a page into pieces of `EACH` bytes.
fn pieces<const EACH: usize>(page: &[u8]) -> Result<&[[u8; EACH]], PageSizeError> {
    match page.as_chunks() {
        (pieces, []) if (1..=MAX_SUB_PAGES).contains(&pieces.len()) => Ok(pieces),
        _ => Err(PageSizeError { bytes: page.len(), each: EACH }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use venice_ecc::channel::{ExtraReads, flip_exactly};
    use venice_ecc::decoder::{HardDecoder, HardDecoderKind};

    const PAGE_BYTES: usize = 16 * 1024;

    fn page() -> Vec<u8> {
        let mut random = RandomStream::new(1, "page");
        (0..PAGE_BYTES).map(|_| random.next_u64() as u8).collect()
    }

    #[test]
    fn a_page_comes_back_as_data_and_as_bytes() {
        let data = page();
        let stored = StoredPage::encode(&data).unwrap();
        assert_eq!(stored.data(), data);
        let bytes = stored.to_bytes();
        assert_eq!(bytes.len(), 18_432);
        assert_eq!(bytes[1152..2176], data[1024..2048]);
        assert_eq!(StoredPage::from_bytes(&bytes), Ok(stored));
    }

    #[test]
    fn impossible_sizes_are_reported() {
        for bytes in [0, 1000, 1025, 65 * 1024] {
            assert_eq!(StoredPage::encode(&vec![0; bytes]), Err(PageSizeError { bytes, each: 1024 }));
        }
        let message = StoredPage::from_bytes(&[0; 1024]).unwrap_err().to_string();
        assert_eq!(message, "a page has 1024 bytes; expected: 1 to 64 sub-pages of 1152 bytes");
    }

    #[test]
    fn a_worn_page_is_corrected_and_its_errors_are_counted() {
        let stored = StoredPage::encode(&page()).unwrap();
        let mut read = stored.clone();
        let errors = read.corrupt(0.004, &mut RandomStream::new(2, "page"));
        assert!(read != stored && errors > 400, "{errors}");
        let outcome = read.decode(&mut HardDecoderKind::TwoBit.build(300));
        assert_eq!((outcome.failed, outcome.flips, &read), (0, errors, &stored));
        assert!(outcome.is_corrected());
        assert!(outcome.most_iterations >= 2 && outcome.iterations <= 16 * outcome.most_iterations);
    }

    #[test]
    fn sub_pages_beyond_the_chips_decoder_are_named_and_soft_reads_bring_them_back() {
        let stored = StoredPage::encode(&page()).unwrap();
        let mut read = stored.clone();
        let mut random = RandomStream::new(3, "page");
        for index in [3, 15] {
            flip_exactly(&mut read.codewords_mut()[index], 120, &mut random);
        }
        flip_exactly(&mut read.codewords_mut()[7], 40, &mut random);
        let outcome = read.decode(&mut HardDecoderKind::TwoBit.build(50));
        assert_eq!((outcome.failed, outcome.flips, outcome.most_iterations), (1 << 3 | 1 << 15, 40, 50));
        let channel = SoftChannel::new(0.013, ExtraReads::Two);
        let outcome = read.decode_soft(&stored, &channel, &mut MinSum::new(50), &mut random);
        assert_eq!((outcome.failed, outcome.flips, read), (0, 240, stored));
    }
}
