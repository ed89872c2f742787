//! Bits of a grid's places, in words of 64, and regions that grow over them.
//!
//! Place (row, column) of a grid with `columns` columns is bit `row * columns + column`.

/// Makes of `region`, which has some places, all that can be reached from them, where `right` and `up` have the places from
/// which one may go (and to which one may come back) to the right and up.
#[inline]
pub(super) fn grow(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) {
    match (right.len(), columns) {
        (1, _) => grow_word(&mut region[0], right[0], up[0], columns),
        // Words have four whole rows each.
        (4, SIXTEEN) => grow_sixteen_square(region, right, up),
        _ => while grow_once(region, right, up, columns) {},
    }
}

const SIXTEEN: u32 = 16;

/// The places of the bits that are set, from the lowest on.
#[inline]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(place)
    })
}

/// Each word as far as it goes by itself, and again where something came to it from the next one.
fn grow_sixteen_square(region: &mut [u64], right: &[u64], up: &[u64]) {
    let runs: [Runs; 4] = std::array::from_fn(|index| Runs::new(right[index], up[index]));
    let mut grown: [u64; 4] = std::array::from_fn(|index| region[index]);
    let mut pending = (0..4).fold(0_u32, |words, index| words | u32::from(grown[index] != 0) << index);
    while pending != 0 {
        let index = pending.trailing_zeros() as usize % 4;
        pending &= pending - 1;
        let word = runs[index].grow(grown[index]);
        grown[index] = word;
        if index < 3 {
            let next = index + 1;
            let over = (word & runs[index].up) >> (64 - SIXTEEN) & !grown[next];
            grown[next] |= over;
            pending |= u32::from(over != 0) << next;
        }
        if index > 0 {
            let next = index - 1;
            let over = word << (64 - SIXTEEN) & runs[next].up & !grown[next];
            grown[next] |= over;
            pending |= u32::from(over != 0) << next;
        }
    }
    region.copy_from_slice(&grown);
}

/// The links of four rows of sixteen: up, and to the right with where two, four and eight of these follow each other.
#[derive(Clone, Copy)]
struct Runs {
    up: u64,
    right: [u64; 4],
}

impl Runs {
    #[inline]
    fn new(one: u64, up: u64) -> Self {
        let two = one & one >> 1;
        let four = two & two >> 2;
        Self { up, right: [one, two, four, four & four >> 4] }
    }

    /// All that can be reached from some place of `region` within the four rows.
    #[inline]
    fn grow(&self, mut region: u64) -> u64 {
        let up = self.up;
        loop {
            region = self.spread(region);
            let mut grown = region | (region & up) << SIXTEEN | region >> SIXTEEN & up;
            // What lies in one run lies there already.
            if grown == region {
                return region;
            }
            grown |= (grown & up) << SIXTEEN;
            grown |= (grown & up) << SIXTEEN;
            grown |= grown >> SIXTEEN & up;
            grown |= grown >> SIXTEEN & up;
            region = grown;
        }
    }

    /// All that lies in one run with some place of `region`.
    #[inline]
    fn spread(&self, region: u64) -> u64 {
        let [one, two, four, eight] = self.right;
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
#[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
#[inline(always)]
pub(super) fn moved_up(bits: &[u64], by: u32, index: usize) -> u64 {
    moved_up_within(bits, bits, by, index)
}

/// One word of (`bits` and `mask`), each bit moved up by `by` places.
#[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
#[inline(always)]
fn moved_up_within(bits: &[u64], mask: &[u64], by: u32, index: usize) -> u64 {
    let word = |back: usize| index.checked_sub(back).map_or(0, |at| bits[at] & mask[at]);
    let (whole, part) = ((by / 64) as usize, by % 64);
    word(whole) << part | if part == 0 { 0 } else { word(whole + 1) >> (64 - part) }
}

/// One word of `bits`, each bit moved down by `by` places.
#[expect(clippy::inline_always, reason = "so that it is compiled for each shape")]
#[inline(always)]
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
