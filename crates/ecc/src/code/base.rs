//! Base matrix: position and shift of the circulants of H.
//!
//! # Positions
//!
//! The 5-of-8 subsets of the block rows form seven classes under cyclic rotation of the rows. Group g of
//! eight block columns uses the eight rotations of one class. Every block row thus has 5 circulants in each
//! group, and 45 in all nine groups. Groups 0 … 6 use one class each. Groups 7 and 8 use two of the classes a
//! second time, one of them in the parity columns. The parity columns thus form a circulant 8 × 8 base of
//! weight 5. A circulant of odd weight and size 2^n is invertible over GF(2), hence `H_p` is invertible (see
//! [`super::ring`]).
//!
//! # Shifts
//!
//! The first shift of each column is 0, since rotation of a block column only renumbers its bits. The others
//! are drawn by `SplitMix64` from a fixed seed. The shifts of a column are drawn again if the
//! difference between two of them already occurs between the same two block rows of another column. Such a
//! repeated difference would be a cycle of length 4. Codes from all tested seeds decode equally well.

use super::{BLOCK_COLUMNS, BLOCK_ROWS, CIRCULANT_BITS, COLUMN_WEIGHT, Syndrome};

/// Circulant of a block column: check z of block row `row` covers bit (z + `shift`) mod 128 of the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circulant {
    /// Block row that contains the circulant.
    pub row: u8,
    /// Shift of the circulant, 0 … 127.
    pub shift: u8,
}

impl Circulant {
    /// Returns the index of the check that covers bit `lane` of the block column. Checks are numbered over
    /// all block rows.
    #[inline]
    pub const fn check_of(self, lane: usize) -> usize {
        self.row as usize * CIRCULANT_BITS + (lane + CIRCULANT_BITS - self.shift as usize) % CIRCULANT_BITS
    }
}

/// Circulants of a block column, by ascending row.
pub type BlockColumn = [Circulant; COLUMN_WEIGHT];

/// Base matrix, by block column.
pub static BASE: [BlockColumn; BLOCK_COLUMNS] = construct();

/// Block rows that each group of eight block columns uses before rotation, as a bit mask: bit r stands for
/// block row r.
const CLASSES: [u8; BLOCK_COLUMNS / BLOCK_ROWS] = [
    0b0001_1111,
    0b0010_1111,
    0b0011_0111,
    0b0011_1011,
    0b0011_1101,
    0b0101_0111,
    0b0101_1011,
    0b0010_1111,
    0b0001_1111,
];

/// Arbitrary seed: codes from all tested seeds decode equally well.
const SEED: u64 = 1;

/// Returns the indices of the checks that cover bit `bit` of a codeword. Checks are numbered over all block
/// rows.
#[inline]
pub fn checks_of_bit(bit: usize) -> [usize; COLUMN_WEIGHT] {
    BASE[bit / CIRCULANT_BITS].map(|edge| edge.check_of(bit % CIRCULANT_BITS))
}

/// Adds the product of `column` and `bits` to the syndrome.
#[inline]
pub fn toggle(syndrome: &mut Syndrome, column: &BlockColumn, bits: u128) {
    for edge in column {
        syndrome[usize::from(edge.row)] ^= bits.rotate_right(u32::from(edge.shift));
    }
}

/// Returns the values of the checks that cover each bit of a block column: bit v of element i is set if the
/// check of bit v in the column's i-th block row fails.
#[inline]
pub fn checks_of(syndrome: &Syndrome, column: &BlockColumn) -> [u128; COLUMN_WEIGHT] {
    column.map(|edge| syndrome[usize::from(edge.row)].rotate_left(u32::from(edge.shift)))
}

/// Differences of shifts that are already used, for each pair of block rows, as a bit mask: bit d stands for
/// difference d.
type UsedDifferences = [[u128; BLOCK_ROWS]; BLOCK_ROWS];

const fn construct() -> [BlockColumn; BLOCK_COLUMNS] {
    let mut base = [[Circulant { row: 0, shift: 0 }; COLUMN_WEIGHT]; BLOCK_COLUMNS];
    let mut used = [[0; BLOCK_ROWS]; BLOCK_ROWS];
    let mut random = SEED;
    let mut index = 0;
    while index < BLOCK_COLUMNS {
        let rows = CLASSES[index / BLOCK_ROWS].rotate_left((index % BLOCK_ROWS) as u32);
        let mut column = draw(rows, &mut random);
        while closes_a_cycle(&column, &used) {
            column = draw(rows, &mut random);
        }
        note(&column, &mut used);
        base[index] = column;
        index += 1;
    }
    base
}

/// Returns a block column with circulants of random shifts in the block rows `rows`.
const fn draw(rows: u8, random: &mut u64) -> BlockColumn {
    let mut column = [Circulant { row: 0, shift: 0 }; COLUMN_WEIGHT];
    let (mut edge, mut row) = (0, 0);
    while edge < COLUMN_WEIGHT {
        if (rows >> row) & 1 == 1 {
            let shift = if edge == 0 { 0 } else { splitmix64(random) % CIRCULANT_BITS as u64 };
            column[edge] = Circulant { row, shift: shift as u8 };
            edge += 1;
        }
        row += 1;
    }
    column
}

/// Returns the next number of `SplitMix64`.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
const fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn difference(column: &BlockColumn, i: usize, j: usize) -> u128 {
    1 << ((column[i].shift as usize + CIRCULANT_BITS - column[j].shift as usize) % CIRCULANT_BITS)
}

const fn closes_a_cycle(column: &BlockColumn, used: &UsedDifferences) -> bool {
    let mut i = 0;
    while i < COLUMN_WEIGHT {
        let mut j = i + 1;
        while j < COLUMN_WEIGHT {
            if used[column[i].row as usize][column[j].row as usize] & difference(column, i, j) != 0 {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

const fn note(column: &BlockColumn, used: &mut UsedDifferences) {
    let mut i = 0;
    while i < COLUMN_WEIGHT {
        let mut j = i + 1;
        while j < COLUMN_WEIGHT {
            used[column[i].row as usize][column[j].row as usize] |= difference(column, i, j);
            j += 1;
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CODEWORD_BITS, ROW_WEIGHT};
    use super::*;

    /// Reference for [`checks_of_bit`], computed from the definition of a circulant.
    fn checks(bit: usize) -> Vec<usize> {
        let (column, lane) = (&BASE[bit / CIRCULANT_BITS], bit % CIRCULANT_BITS);
        let check = |edge: &Circulant| {
            let z = (lane + CIRCULANT_BITS - usize::from(edge.shift)) % CIRCULANT_BITS;
            usize::from(edge.row) * CIRCULANT_BITS + z
        };
        column.iter().map(check).collect()
    }

    #[test]
    fn no_two_bits_share_two_checks() {
        let mut seen = vec![false; (BLOCK_ROWS * CIRCULANT_BITS).pow(2)];
        for bit in 0..CODEWORD_BITS {
            let checks = checks(bit);
            for &a in &checks {
                for &b in checks.iter().filter(|&&b| b > a) {
                    let pair = a * BLOCK_ROWS * CIRCULANT_BITS + b;
                    assert!(!seen[pair], "bit {bit} closes a cycle of length 4 through checks {a} and {b}");
                    seen[pair] = true;
                }
            }
        }
    }

    #[test]
    fn every_bit_has_five_checks_in_different_rows_and_every_row_45_circulants() {
        let mut weights = [0; BLOCK_ROWS];
        for column in &BASE {
            assert!(column.windows(2).all(|pair| pair[0].row < pair[1].row), "{column:?}");
            for edge in column {
                assert!(usize::from(edge.shift) < CIRCULANT_BITS);
                weights[usize::from(edge.row)] += 1;
            }
        }
        assert_eq!(weights, [ROW_WEIGHT; BLOCK_ROWS]);
    }

    #[test]
    fn all_56_subsets_of_the_rows_are_there() {
        let mask = |column: &BlockColumn| column.iter().fold(0_u8, |mask, edge| mask | 1 << edge.row);
        let mut masks: Vec<u8> = BASE.iter().map(mask).collect();
        masks.sort_unstable();
        masks.dedup();
        assert_eq!(masks.len(), 56);
    }

    #[test]
    fn checks_of_and_toggle_agree_with_the_definition() {
        for bit in (0..CODEWORD_BITS).step_by(37) {
            let (column, lane) = (&BASE[bit / CIRCULANT_BITS], bit % CIRCULANT_BITS);
            let mut syndrome = [0; BLOCK_ROWS];
            toggle(&mut syndrome, column, 1 << lane);
            let mut expected = [0; BLOCK_ROWS];
            for check in checks(bit) {
                expected[check / CIRCULANT_BITS] |= 1 << (check % CIRCULANT_BITS);
            }
            assert_eq!(syndrome, expected);
            assert_eq!(checks_of_bit(bit).to_vec(), checks(bit));
            assert!(checks_of(&syndrome, column).iter().all(|lanes| lanes >> lane & 1 == 1));
        }
    }

    #[test]
    fn the_matrix_is_the_same_for_ever() {
        let fold = |hash: u64, edge: &Circulant| {
            (hash ^ (u64::from(edge.row) << 8 | u64::from(edge.shift))).wrapping_mul(0x0000_0100_0000_01b3)
        };
        let hash = BASE.iter().flatten().fold(0xcbf2_9ce4_8422_2325, fold);
        assert_eq!(
            hash, 0xbe42_03f6_fee2_6524,
            "stored words of other versions could not be read: {hash:#x}"
        );
    }
}
