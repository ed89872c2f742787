//! Circulants as polynomials over GF(2) modulo x¹²⁸ + 1; bit i is the coefficient of xⁱ.
//!
//! Since x¹²⁸ + 1 = (x + 1)¹²⁸, the ring is local. An element is invertible if and only if its weight is odd.
//! A matrix is invertible if and only if its matrix of weight parities is invertible over GF(2).

use super::{BASE, BLOCK_ROWS, DATA_COLUMNS};

/// Square matrix of circulants.
pub type CirculantMatrix = [[u128; BLOCK_ROWS]; BLOCK_ROWS];

/// Returns a · b.
pub fn product(a: u128, b: u128) -> u128 {
    (0..u128::BITS).filter(|i| a >> i & 1 == 1).fold(0, |sum, i| sum ^ b.rotate_left(i))
}

/// Returns the multiplicative inverse of a, or `None` for even weight.
///
/// Squaring doubles exponents, so a¹²⁸ = 1 for odd weight, and a⁻¹ = a¹²⁷ = a · a² · … · a⁶⁴.
pub fn inverse(a: u128) -> Option<u128> {
    if a.count_ones().is_multiple_of(2) {
        return None;
    }
    let (mut result, mut power) = (a, a);
    for _ in 1..7 {
        power = product(power, power);
        result = product(result, power);
    }
    Some(result)
}

/// Returns the inverse of a matrix by Gauss-Jordan elimination with invertible pivots, or `None` for a
/// singular matrix.
pub fn inverse_matrix(mut a: CirculantMatrix) -> Option<CirculantMatrix> {
    let mut b = std::array::from_fn(|i| std::array::from_fn(|j| u128::from(i == j)));
    for column in 0..BLOCK_ROWS {
        let pivot = (column..BLOCK_ROWS).find(|&row| a[row][column].count_ones() % 2 == 1)?;
        a.swap(column, pivot);
        b.swap(column, pivot);
        let scale = inverse(a[column][column])?;
        a[column] = a[column].map(|entry| product(scale, entry));
        b[column] = b[column].map(|entry| product(scale, entry));
        for row in (0..BLOCK_ROWS).filter(|&row| row != column) {
            let factor = a[row][column];
            a[row] = subtract(a[row], factor, &a[column]);
            b[row] = subtract(b[row], factor, &b[column]);
        }
    }
    Some(b)
}

/// Returns row − factor · pivot.
fn subtract(row: [u128; BLOCK_ROWS], factor: u128, pivot: &[u128; BLOCK_ROWS]) -> [u128; BLOCK_ROWS] {
    std::array::from_fn(|i| row[i] ^ product(factor, pivot[i]))
}

/// Returns `H_p`, the parity columns of H. A circulant with shift s, whose check z covers bit z + s, is the
/// polynomial x⁻ˢ.
pub fn parity_matrix() -> CirculantMatrix {
    let mut matrix = [[0; BLOCK_ROWS]; BLOCK_ROWS];
    for (j, column) in BASE[DATA_COLUMNS..].iter().enumerate() {
        for edge in column {
            matrix[usize::from(edge.row)][j] = 1_u128.rotate_right(u32::from(edge.shift));
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn odd_weight_is_invertible_and_even_weight_is_not(a in any::<u128>(), b in any::<u128>()) {
            prop_assert_eq!(product(a, b), product(b, a));
            let inverse = inverse(a);
            prop_assert_eq!(inverse.is_some(), a.count_ones() % 2 == 1);
            prop_assert!(inverse.is_none_or(|inverse| product(a, inverse) == 1));
        }
    }

    #[test]
    fn the_parity_part_is_invertible() {
        let parity = parity_matrix();
        let inverse = inverse_matrix(parity).expect("the base has an odd circulant for its parity");
        let entry =
            |i: usize, j: usize| (0..BLOCK_ROWS).fold(0, |sum, k| sum ^ product(parity[i][k], inverse[k][j]));
        for (i, j) in (0..BLOCK_ROWS).flat_map(|i| (0..BLOCK_ROWS).map(move |j| (i, j))) {
            assert_eq!(entry(i, j), u128::from(i == j), "entry ({i}, {j}) of the product");
        }
    }

    #[test]
    fn a_matrix_whose_rows_add_up_to_zero_has_no_inverse() {
        let mut matrix = parity_matrix();
        matrix[7] = (0..7).fold([0; BLOCK_ROWS], |sum, row| subtract(sum, 1, &matrix[row]));
        assert_eq!(inverse_matrix(matrix), None);
    }
}
