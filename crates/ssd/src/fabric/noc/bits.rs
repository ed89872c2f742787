//! Bits of a grid's places, in words of 64, and regions that grow over them.
//!
//! Place (row, column) of a grid with `columns` columns is bit `row * columns + column`.

/// Makes of `region`, which has some places, all that can be reached from them, where `right` and `up` have the places from
/// which one may go (and to which one may come back) to the right and up.
#[inline]
pub(super) fn grow(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) {
    match (region.len(), columns) {
        (1, _) => grow_word(&mut region[0], right[0], up[0], columns),
        (4, SIXTEEN) => grow_sixteen_square(region, right, up),
        _ => while grow_once(region, right, up, columns) {},
    }
}

const SIXTEEN: u32 = 16;

/// The same for 16×16, whose words have four whole rows each: each word in turn, upwards and downwards, as far as it goes by itself.
fn grow_sixteen_square(region: &mut [u64], right: &[u64], up: &[u64]) {
    let four = |words: &[u64]| -> [u64; 4] { std::array::from_fn(|index| words[index]) };
    let (mut grown, up) = (four(region), four(up));
    let runs = four(right).map(Runs::new);
    // What a word was when nothing was added to it any more.
    let mut settled = [0; 4];
    loop {
        let before = grown;
        for index in [0, 1, 2, 3, 2, 1, 0] {
            let from_below = if index > 0 { (grown[index - 1] & up[index - 1]) >> (64 - SIXTEEN) } else { 0 };
            let from_above = if index < 3 { grown[index + 1] << (64 - SIXTEEN) & up[index] } else { 0 };
            grown[index] |= from_below | from_above;
            if grown[index] != settled[index] {
                grown[index] = grow_four_rows(grown[index], &runs[index], up[index]);
                settled[index] = grown[index];
            }
        }
        if grown == before {
            break;
        }
    }
    region.copy_from_slice(&grown);
}

fn grow_four_rows(mut region: u64, runs: &Runs, up: u64) -> u64 {
    loop {
        let mut grown = runs.spread(region);
        grown |= (grown & up) << SIXTEEN;
        grown |= (grown & up) << SIXTEEN;
        grown |= (grown & up) << SIXTEEN;
        grown |= grown >> SIXTEEN & up;
        grown |= grown >> SIXTEEN & up;
        grown |= grown >> SIXTEEN & up;
        if grown == region {
            return region;
        }
        region = grown;
    }
}

/// The links of four rows of sixteen, and where two, four and eight of them follow each other.
#[derive(Clone, Copy)]
struct Runs([u64; 4]);

impl Runs {
    fn new(one: u64) -> Self {
        let two = one & one >> 1;
        let four = two & two >> 2;
        Self([one, two, four, four & four >> 4])
    }

    /// All that lies in one run with some place of `region`.
    #[inline]
    fn spread(&self, region: u64) -> u64 {
        let Self([one, two, four, eight]) = *self;
        // To the right by carrying: a bit that is added to its run of ones clears it from there on and sets the place behind its end.
        let mut spread = region | ((region & one) + one) ^ one;
        spread |= spread >> 1 & one;
        spread |= spread >> 2 & two;
        spread |= spread >> 4 & four;
        spread | spread >> 8 & eight
    }
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

/// Whether a step in each direction added a place.
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

/// One word of `bits`, each bit moved up by `by` places.
#[inline]
pub(super) fn moved_up(bits: &[u64], by: u32, index: usize) -> u64 {
    moved_up_within(bits, bits, by, index)
}

/// One word of (`bits` and `mask`), each bit moved up by `by` places.
#[inline]
fn moved_up_within(bits: &[u64], mask: &[u64], by: u32, index: usize) -> u64 {
    let word = |back: usize| index.checked_sub(back).map_or(0, |at| bits[at] & mask[at]);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) << part | if part == 0 { 0 } else { word(whole + 1) >> (64 - part) }
}

/// One word of `bits`, each bit moved down by `by` places.
#[inline]
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
            grow(&mut region, &right, &up, SIXTEEN);
            prop_assert_eq!(region, expected);
        }
    }
}
