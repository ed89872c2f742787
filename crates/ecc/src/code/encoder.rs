//! Encoder. It computes s = `H_m` · u from the data u by sparse rotations, then the parity p = `H_p`⁻¹ · s.
//! `H_m` and `H_p` are the data columns and the parity columns of H.
//!
//! # How
//!
//! `H_p`⁻¹ consists of 8 × 8 dense circulants `M_ij`. With `s_j` = Σ `s_jt` xᵗ, parity column i is `p_i` = Σ
//! over t of xᵗ · Σ over j of `s_jt` · `M_ij`. The inner sum depends on eight bits only and is looked up in a
//! table of 256 rows of eight circulants (32 KB). The outer sum is evaluated by Horner's scheme: the sum is
//! rotated by one and the next term added, 128 times.

use std::sync::LazyLock;

use super::base::toggle;
use super::ring::{CirculantMatrix, inverse_matrix, parity_matrix};
use super::{BASE, BLOCK_ROWS, CIRCULANT_BITS, Codeword, DATA_BYTES, DATA_COLUMNS, Syndrome};

/// Lookup table: row b is the sum of the columns j of `H_p`⁻¹ for the set bits j of b.
static SUMS: LazyLock<Box<[[u128; BLOCK_ROWS]; 256]>> = LazyLock::new(|| {
    let inverse = inverse_matrix(parity_matrix()).expect("the base has an odd circulant for its parity");
    Box::new(std::array::from_fn(|byte| sum_of_columns(&inverse, byte)))
});

fn sum_of_columns(matrix: &CirculantMatrix, chosen: usize) -> [u128; BLOCK_ROWS] {
    let sum = |row: &[u128; BLOCK_ROWS]| {
        (0..BLOCK_ROWS).filter(|j| chosen >> j & 1 == 1).fold(0, |sum, j| sum ^ row[j])
    };
    std::array::from_fn(|i| sum(&matrix[i]))
}

/// Returns the codeword of `data`.
pub fn encode(data: &[u8; DATA_BYTES]) -> Codeword {
    let mut word = Codeword::ZERO;
    word.fill(data);
    let mut syndrome = [0; BLOCK_ROWS];
    for (bits, column) in word.columns().iter().zip(&BASE[..DATA_COLUMNS]) {
        toggle(&mut syndrome, column, *bits);
    }
    word.columns_mut()[DATA_COLUMNS..].copy_from_slice(&parity(&syndrome));
    word
}

/// Returns the parity `H_p`⁻¹ · `syndrome` for data with this syndrome.
fn parity(syndrome: &Syndrome) -> [u128; BLOCK_ROWS] {
    let sums = &**SUMS;
    let mut parity = [0_u128; BLOCK_ROWS];
    for &bits in transposed(syndrome).iter().rev() {
        let row = &sums[usize::from(bits)];
        for (column, sum) in parity.iter_mut().zip(row) {
            *column = column.rotate_left(1) ^ sum;
        }
    }
    parity
}

/// Returns the transposed syndrome: byte t holds bit t of each block row.
fn transposed(syndrome: &Syndrome) -> [u8; CIRCULANT_BITS] {
    let mut bytes = [0; CIRCULANT_BITS];
    for (t, byte) in bytes.iter_mut().enumerate() {
        *byte = syndrome.iter().rev().fold(0, |byte, row| byte << 1 | (row >> t) as u8 & 1);
    }
    bytes
}
