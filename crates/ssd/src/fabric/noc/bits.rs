//! Bits of a grid's places, in words of 64, and regions that grow over them.
//!
//! Place (row, column) of a grid with `columns` columns is bit `row * columns + column`.

/// Makes of `region`, which has some places, all that can be reached from them, where `right` and `up` have the places from
/// which one may go (and to which one may come back) to the right and up.
#[inline]
pub(super) fn grow(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) {
    match region.len() {
        1 => grow_word(&mut region[0], right[0], up[0], columns),
        4 => grow_words::<4>(region, right, up, columns),
        _ => while grow_once(region, right, up, columns) {},
    }
}

/// The same for a size that the compiler knows, here that of 16×16.
fn grow_words<const WORDS: usize>(region: &mut [u64], right: &[u64], up: &[u64], columns: u32) {
    let first = |words: &[u64]| -> [u64; WORDS] { std::array::from_fn(|index| words[index]) };
    let (mut grown, right, up) = (first(region), first(right), first(up));
    while grow_once(&mut grown, &right, &up, columns) {}
    region.copy_from_slice(&grown);
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
