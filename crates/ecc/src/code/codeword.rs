//! Word of the code, stored as one `u128` per block column.

use std::ops::BitXor;

use super::{BLOCK_COLUMNS, CIRCULANT_BITS, CODEWORD_BITS, CODEWORD_BYTES, DATA_BYTES};

/// Number of bytes in a block column.
const COLUMN_BYTES: usize = CIRCULANT_BITS / 8;

/// Word of 9,216 bits, which is a codeword only if its syndrome is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codeword([u128; BLOCK_COLUMNS]);

impl Codeword {
    /// All-zero codeword.
    pub const ZERO: Self = Self([0; BLOCK_COLUMNS]);

    /// Creates the word with these block columns.
    pub const fn from_columns(columns: [u128; BLOCK_COLUMNS]) -> Self {
        Self(columns)
    }

    /// Creates the word in which the bits at `places` are set.
    pub fn of_places(places: &[u16]) -> Self {
        let mut word = Self::ZERO;
        for &place in places {
            word.flip(usize::from(place));
        }
        word
    }

    /// Returns the positions of the set bits, in ascending order.
    pub fn places(&self) -> Vec<u16> {
        (0..CODEWORD_BITS as u16).filter(|&place| self.bit(usize::from(place))).collect()
    }

    /// Returns the word stored as `bytes`, data before parity.
    pub fn from_bytes(bytes: &[u8; CODEWORD_BYTES]) -> Self {
        let mut word = Self::ZERO;
        word.fill(bytes);
        word
    }

    /// Returns the bytes to store, data before parity.
    pub fn to_bytes(&self) -> [u8; CODEWORD_BYTES] {
        let mut bytes = [0; CODEWORD_BYTES];
        self.copy_to(&mut bytes);
        bytes
    }

    /// Returns the data bytes of the word.
    pub fn data(&self) -> [u8; DATA_BYTES] {
        let mut bytes = [0; DATA_BYTES];
        self.copy_to(&mut bytes);
        bytes
    }

    /// Returns the block columns.
    #[inline]
    pub const fn columns(&self) -> &[u128; BLOCK_COLUMNS] {
        &self.0
    }

    /// Returns the block columns for modification.
    #[inline]
    pub const fn columns_mut(&mut self) -> &mut [u128; BLOCK_COLUMNS] {
        &mut self.0
    }

    /// Returns the bit at `index`.
    ///
    /// # Panics
    /// Panics if `index` is 9,216 or more.
    #[inline]
    pub fn bit(&self, index: usize) -> bool {
        self.0[index / CIRCULANT_BITS] >> (index % CIRCULANT_BITS) & 1 == 1
    }

    /// Inverts the bit at `index`.
    #[inline]
    pub fn flip(&mut self, index: usize) {
        debug_assert!(index < CODEWORD_BITS, "bit {index} of {CODEWORD_BITS}");
        self.0[index / CIRCULANT_BITS] ^= 1 << (index % CIRCULANT_BITS);
    }

    /// Returns the number of set bits (Hamming weight).
    pub fn weight(&self) -> u32 {
        self.0.iter().map(|column| column.count_ones()).sum()
    }

    /// Returns the number of bits that differ from `other` (Hamming distance).
    pub fn distance(&self, other: &Self) -> u32 {
        (*self ^ *other).weight()
    }

    /// Stores `bytes` in the first block columns of the word.
    pub(super) fn fill(&mut self, bytes: &[u8]) {
        for (column, bytes) in self.0.iter_mut().zip(bytes.as_chunks::<COLUMN_BYTES>().0) {
            *column = u128::from_le_bytes(*bytes);
        }
    }

    /// Fills `bytes` with the first bytes of the word.
    pub fn copy_to(&self, bytes: &mut [u8]) {
        for (column, bytes) in self.0.iter().zip(bytes.as_chunks_mut::<COLUMN_BYTES>().0) {
            *bytes = column.to_le_bytes();
        }
    }
}

impl BitXor for Codeword {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_bits_are_numbered_from_the_lowest_of_the_first_byte() {
        let bytes: [u8; CODEWORD_BYTES] = std::array::from_fn(|i| (i * 7 + i / 256) as u8);
        let word = Codeword::from_bytes(&bytes);
        assert_eq!(word.to_bytes(), bytes);
        for index in (0..CODEWORD_BITS).step_by(11) {
            assert_eq!(word.bit(index), bytes[index / 8] >> (index % 8) & 1 == 1, "bit {index}");
        }
    }

    #[test]
    fn flipped_bits_count_as_distance() {
        let mut word = Codeword::ZERO;
        for index in [0, 127, 128, 9215] {
            word.flip(index);
        }
        assert_eq!((word.weight(), word.distance(&Codeword::ZERO)), (4, 4));
        assert_eq!(word.places(), [0, 127, 128, 9215]);
        assert_eq!(Codeword::of_places(&word.places()), word);
        word.flip(127);
        assert!(!word.bit(127) && word.bit(128));
    }
}
