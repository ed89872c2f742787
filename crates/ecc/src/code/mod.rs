//! Code of a sub-page: quasi-cyclic LDPC, (9216, 8192), rate 8/9.
//!
//! # Properties
//!
//! The parity-check matrix H consists of 8 × 72 circulants of 128 × 128 bits. 360 of them are single cyclic
//! shifts of the identity, the others zero. Every column has weight 5, every row weight 45. Two columns share
//! at most one row (no cycle of length 4, girth 6), which bit flipping needs to distinguish errors.
//!
//! *Weight.* With weights 3 and 4, bit-flipping decoders reach 36 and 50 errors per codeword. Uniform weight
//! 4 cannot have full rank, since the rows sum to zero.
//!
//! *Construction.* Computed at compile time; see [`base`]. The paper specifies only the size of the code.
//!
//! *Systematic.* Bits 0 … 8191 of a codeword are the data, bits 8192 … 9215 the parity. Bit 128 c + v is bit
//! v of block column c; within bytes the least significant bit is first.
//!
//! # How
//!
//! A block column is a `u128` and a circulant a rotation: one or two instructions process 128 checks.
//!
//! # What is left out
//!
//! Other rates and lengths. The minimum distance is not known; see `docs/models/pif-codes.md` for
//! measurements.

pub mod base;
mod codeword;
mod encoder;
pub mod ring;

pub use base::{BASE, BlockColumn, Circulant};
pub use codeword::Codeword;
pub use encoder::encode;

/// Number of rows and columns of a circulant. A block column thus has 128 bits, and a block row 128 checks.
pub const CIRCULANT_BITS: usize = 128;
/// Number of block rows of H.
pub const BLOCK_ROWS: usize = 8;
/// Number of block columns of H.
pub const BLOCK_COLUMNS: usize = 72;
/// Number of block columns that contain data; the others contain parity.
pub const DATA_COLUMNS: usize = BLOCK_COLUMNS - BLOCK_ROWS;
/// Number of parity checks that include each bit.
pub const COLUMN_WEIGHT: usize = 5;
/// Number of bits in each parity check.
pub const ROW_WEIGHT: usize = BLOCK_COLUMNS * COLUMN_WEIGHT / BLOCK_ROWS;

/// Bits of a codeword: 9,216.
pub const CODEWORD_BITS: usize = BLOCK_COLUMNS * CIRCULANT_BITS;
/// Data bytes of a codeword, the size of a sub-page: 1,024.
pub const DATA_BYTES: usize = DATA_COLUMNS * CIRCULANT_BITS / 8;
/// Parity bytes of a codeword: 128.
pub const PARITY_BYTES: usize = BLOCK_ROWS * CIRCULANT_BITS / 8;
/// Bytes of a codeword: 1,152.
pub const CODEWORD_BYTES: usize = DATA_BYTES + PARITY_BYTES;

/// Syndrome of a word, by block row. Each bit belongs to one check, and is set if the check fails.
pub type Syndrome = [u128; BLOCK_ROWS];

/// Returns H · `word`: all zeros if and only if `word` is a codeword.
pub fn syndrome(word: &Codeword) -> Syndrome {
    let mut syndrome = [0; BLOCK_ROWS];
    for (bits, column) in word.columns().iter().zip(&BASE) {
        base::toggle(&mut syndrome, column, *bits);
    }
    syndrome
}

/// Returns the syndrome of the word in which the bits at `places` are set. Faster than [`syndrome`] for few
/// bits.
pub fn syndrome_of_places(places: &[u16]) -> Syndrome {
    const HALVES: usize = 2 * BLOCK_ROWS;
    let mut halves = [0_u64; HALVES];
    for &place in places {
        for check in base::checks_of_bit(usize::from(place)) {
            // The remainder does not change the index; it removes the bounds check.
            halves[check / 64 % HALVES] ^= 1 << (check % 64);
        }
    }
    std::array::from_fn(|row| u128::from(halves[2 * row]) | u128::from(halves[2 * row + 1]) << 64)
}

/// Returns the number of failing checks.
pub fn failing_checks(syndrome: &Syndrome) -> u32 {
    syndrome.iter().map(|checks| checks.count_ones()).sum()
}

/// Returns true if no check fails.
#[inline]
pub fn is_clean(syndrome: &Syndrome) -> bool {
    syndrome.iter().fold(0, |any, checks| any | checks) == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_encoded_word_satisfies_every_check_and_begins_with_its_data(
            data in prop::collection::vec(any::<u8>(), DATA_BYTES),
        ) {
            let data: [u8; DATA_BYTES] = data.try_into().unwrap();
            let word = encode(&data);
            prop_assert_eq!(syndrome(&word), [0; BLOCK_ROWS]);
            prop_assert_eq!(word.data(), data);
            prop_assert_eq!(&word.to_bytes()[..DATA_BYTES], &data);
        }

        #[test]
        fn a_single_wrong_bit_fails_exactly_its_five_checks(bit in 0..CODEWORD_BITS) {
            let mut word = encode(&[0x5a; DATA_BYTES]);
            word.flip(bit);
            let failed = syndrome(&word).map(u128::count_ones);
            prop_assert_eq!(failed.iter().sum::<u32>() as usize, COLUMN_WEIGHT);
            prop_assert_eq!(syndrome_of_places(&[bit as u16]), syndrome(&word));
            prop_assert_eq!(failing_checks(&syndrome(&word)) as usize, COLUMN_WEIGHT);
            let rows = BASE[bit / CIRCULANT_BITS].map(|edge| usize::from(edge.row));
            for (row, count) in failed.into_iter().enumerate() {
                prop_assert_eq!(count, u32::from(rows.contains(&row)));
            }
        }
    }

    #[test]
    fn the_sums_of_two_codewords_are_codewords() {
        let (a, b) = (encode(&[0x37; DATA_BYTES]), encode(&[0xc4; DATA_BYTES]));
        let mut sum = [0; DATA_BYTES];
        sum.fill(0x37 ^ 0xc4);
        assert_eq!(encode(&sum), a ^ b);
    }
}
