//! Flood fill over the nodes of a grid. Sets of nodes are bit sets of 64-bit words.
//!
//! Node (row, column) of a grid with `columns` columns is bit `row * columns + column`.

/// Extends a non-empty `region` to all nodes that are connected to it. The bits in `right` and `up` mark
/// nodes with a bidirectional edge to their right or upper neighbour.
#[inline]
pub(super) fn grow(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) {
    grow_towards(region, right, up, columns, None);
}

/// Extends `region` as [`grow`] does, but may stop early once the region contains `goal`. Returns true if the
/// region is complete.
#[inline]
pub(super) fn grow_towards(
    region: &mut [u64],
    right: &[u64],
    up: &[u64],
    columns: u32,
    goal: Option<u32>,
) -> bool {
    match (right.len(), columns) {
        (1, _) => grow_word(&mut region[0], right[0], up[0], columns),
        // Each word holds four complete rows.
        (4, SIXTEEN) => return grow_sixteen_square(region, right, up, goal),
        _ => while grow_once(region, right, up, columns) {},
    }
    true
}

const SIXTEEN: u32 = 16;

/// Performs the flood fill of a 16×16 grid on all four words at once. Each iteration extends the region along
/// complete horizontal runs, then along vertical runs of up to 15 edges.
fn grow_sixteen_square(region: &mut [u64], right: &[u64], up: &[u64], goal: Option<u32>) -> bool {
    let (runs, rises) =
        (HorizontalRuns::new(words(|index| right[index])), VerticalRuns::new(words(|index| up[index])));
    let goal = words(|index| goal.map_or(0, |at| u64::from(at / 64 == index as u32) << (at % 64)));
    let mut grown = words(|index| region[index]);
    let is_whole = loop {
        let spread = runs.spread(&grown);
        grown = rises.one_row_on(&spread);
        // No node was added, since all nodes of the runs were already included.
        if grown == spread {
            break true;
        }
        grown = rises.more_rows_on(&grown);
        if (0..4).fold(0, |met, it| met | grown[it] & goal[it]) != 0 {
            break false;
        }
    };
    region.copy_from_slice(&grown);
    is_whole
}

/// Set of nodes of a 16×16 grid, one bit per node and four rows per word.
type BitGrid = [u64; 4];

#[inline]
fn words(word: impl FnMut(usize) -> u64) -> BitGrid {
    std::array::from_fn(word)
}

/// Bit sets of the nodes at which runs of at least one, two, four and eight consecutive edges to the right
/// begin.
struct HorizontalRuns([BitGrid; 4]);

impl HorizontalRuns {
    #[inline]
    fn new(one: BitGrid) -> Self {
        let two = one.map(|one| one & one >> 1);
        let four = two.map(|two| two & two >> 2);
        Self([one, two, four, four.map(|four| four & four >> 4)])
    }

    /// Returns `region` and all nodes that share a horizontal run of edges with one of its nodes.
    #[inline]
    fn spread(&self, region: &BitGrid) -> BitGrid {
        let Self([one, two, four, eight]) = self;
        // Spreads to the right by carry propagation: adding a bit to its run of ones clears the run from
        // there and sets the bit after its end.
        let spread = words(|it| region[it] | ((region[it] & one[it]) + one[it]) ^ one[it]);
        let spread = words(|it| spread[it] | spread[it] >> 1 & one[it]);
        let spread = words(|it| spread[it] | spread[it] >> 2 & two[it]);
        let spread = words(|it| spread[it] | spread[it] >> 4 & four[it]);
        words(|it| spread[it] | spread[it] >> 8 & eight[it])
    }
}

/// Bit sets of the nodes at which runs of at least one, two, four and eight consecutive edges upwards begin.
struct VerticalRuns {
    one: BitGrid,
    two: BitGrid,
    four: BitGrid,
    eight: BitGrid,
}

impl VerticalRuns {
    #[inline]
    fn new(one: BitGrid) -> Self {
        let two = both(&one, &rows_down::<1>(&one));
        let four = both(&two, &rows_down::<2>(&two));
        let eight = both(&four, &[four[1], four[2], four[3], 0]);
        Self { one, two, four, eight }
    }

    /// Extends the region by one vertical edge, upwards and downwards.
    #[inline]
    fn one_row_on(&self, rows: &BitGrid) -> BitGrid {
        climb::<1>(rows, &self.one)
    }

    /// Extends the region along up to 14 further vertical edges. Shifts by four or more rows move whole
    /// words.
    #[inline]
    fn more_rows_on(&self, rows: &BitGrid) -> BitGrid {
        let (four, eight) = (&self.four, &self.eight);
        let rows = climb::<2>(rows, &self.two);
        let rise = both(&rows, four);
        let rows = [
            rows[0] | rows[1] & four[0],
            rows[1] | rows[2] & four[1] | rise[0],
            rows[2] | rows[3] & four[2] | rise[1],
            rows[3] | rise[2],
        ];
        [
            rows[0] | rows[2] & eight[0],
            rows[1] | rows[3] & eight[1],
            rows[2] | rows[0] & eight[0],
            rows[3] | rows[1] & eight[1],
        ]
    }
}

#[inline]
fn both(some: &BitGrid, others: &BitGrid) -> BitGrid {
    words(|it| some[it] & others[it])
}

/// Shifts all rows down by `ROWS`, at most four.
#[inline]
fn rows_down<const ROWS: u32>(rows: &BitGrid) -> BitGrid {
    let above = [rows[1], rows[2], rows[3], 0];
    words(|it| rows[it] >> (ROWS * SIXTEEN) | above[it] << (64 - ROWS * SIXTEEN))
}

/// Extends the region along vertical runs of `ROWS` edges, in both directions.
#[inline]
fn climb<const ROWS: u32>(rows: &BitGrid, up: &BitGrid) -> BitGrid {
    let (rising, lower) = (both(rows, up), rows_down::<ROWS>(rows));
    let below = [0, rising[0], rising[1], rising[2]];
    words(|it| {
        let higher = rising[it] << (ROWS * SIXTEEN) | below[it] >> (64 - ROWS * SIXTEEN);
        rows[it] | higher | lower[it] & up[it]
    })
}

fn grow_word(region: &mut u64, right: u64, up: u64, columns: u32) {
    loop {
        let across = *region | (*region & right) << 1 | (*region >> 1) & right;
        let along = across | shl(across & up, columns) | shr(across, columns) & up;
        if along == *region {
            return;
        }
        *region = along;
    }
}

fn shl(bits: u64, by: u32) -> u64 {
    bits.checked_shl(by).unwrap_or(0)
}

fn shr(bits: u64, by: u32) -> u64 {
    bits.checked_shr(by).unwrap_or(0)
}

/// Extends the region by one step in each direction. Returns true if a node was added.
#[inline]
fn grow_once(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) -> bool {
    let mut has_grown = false;
    for index in 0..region.len() {
        let from_left = moved_up_within(region, right, 1, index);
        let from_below = moved_up_within(region, up, columns, index);
        let from_right = right[index] & moved_down(region, 1, index);
        let from_above = up[index] & moved_down(region, columns, index);
        let grown = region[index] | from_left | from_below | from_right | from_above;
        has_grown |= grown != region[index];
        region[index] = grown;
    }
    has_grown
}

/// Returns word `index` of the bit set `bits`, shifted by `by` positions towards higher bits.
pub(super) fn moved_up(bits: &[u64], by: u32, index: usize) -> u64 {
    moved_up_within(bits, bits, by, index)
}

/// Returns word `index` of the bit set `bits` AND `mask`, shifted by `by` positions towards higher bits.
pub(super) fn moved_up_within(bits: &[u64], mask: &[u64], by: u32, index: usize) -> u64 {
    let word = |back: usize| index.checked_sub(back).map_or(0, |at| bits[at] & mask[at]);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) << part | if part == 0 { 0 } else { word(whole + 1) >> (64 - part) }
}

/// Returns word `index` of the bit set `bits`, shifted by `by` positions towards lower bits.
pub(super) fn moved_down(bits: &[u64], by: u32, index: usize) -> u64 {
    let word = |ahead: usize| bits.get(index + ahead).copied().unwrap_or(0);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) >> part | if part == 0 { 0 } else { word(whole + 1) << (64 - part) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn four_words_of_sixteen_columns_grow_as_single_steps_do(
            start in 0_usize..256,
            right in any::<[u64; 4]>(),
            more in any::<[u64; 4]>(),
            up in any::<[u64; 4]>(),
            is_dense in any::<bool>(),
            goal in 0_u32..256,
        ) {
            let last_column = 0x8000_8000_8000_8000_u64;
            let links = |words: [u64; 4]| -> [u64; 4] {
                std::array::from_fn(|index| if is_dense { words[index] | more[3 - index] } else { words[index] })
            };
            let (right, mut up) = (links(right).map(|word| word & !last_column), links(up));
            up[3] &= u64::MAX >> SIXTEEN;
            let mut region = [0; 4];
            region[start / 64] = 1 << (start % 64);
            let mut expected = region;
            while grow_once(&mut expected, &right, &up, SIXTEEN) {}
            let mut some = region;
            grow(&mut region, &right, &up, SIXTEEN);
            prop_assert_eq!(region, expected);
            let has = |region: [u64; 4], place: u32| region[place as usize / 64] >> (place % 64) & 1 == 1;
            let is_whole = grow_towards(&mut some, &right, &up, SIXTEEN, Some(goal));
            prop_assert_eq!(has(some, goal), has(expected, goal), "it stops at its goal at the earliest");
            prop_assert!((0..4).all(|word| some[word] & !expected[word] == 0));
            prop_assert!(!is_whole || some == expected);
        }
    }
}
