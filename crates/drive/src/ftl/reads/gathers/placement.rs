//! Choice of the operands of a gather.

use venice_nand::geometry::{Lpn, Ppn};

use crate::ftl::translation::Translation;

use super::{GatherPlacement, Gathers, Operands};

impl Gathers {
    /// Returns the operands of the gather that requests the page `first`. All operands are different pages.
    pub(super) fn operands_of(&self, translation: &Translation, first: Lpn) -> Operands {
        let addresses = &translation.addresses;
        let range = addresses.pages_of_range(addresses.range_of(first));
        let pages = range.end - range.start;
        let wanted = self.settings.operands.min(pages) as usize;
        let mut chosen = Operands::new();
        chosen.push(first);
        self.add_stored_together(translation, wanted, &mut chosen);
        let mut draw = self.seed ^ u64::from(first.0);
        let mut next = first.0 - range.start;
        while chosen.len() < wanted {
            next = match self.settings.placement {
                GatherPlacement::Random => below(&mut draw, pages),
                _ => (next + 1) % pages,
            };
            while chosen.contains(&Lpn(range.start + next)) {
                next = (next + 1) % pages;
            }
            chosen.push(Lpn(range.start + next));
        }
        chosen
    }

    /// Adds operands that are stored in the block or in the plane of the first operand, as the placement
    /// requires, up to `wanted` operands.
    fn add_stored_together(&self, translation: &Translation, wanted: usize, chosen: &mut Operands) {
        let (first, geometry) = (chosen[0], &self.geometry);
        let (slot, range) = (translation.locate(first).0, translation.addresses.range_of(first));
        let (block, per_block) = (geometry.block_of(slot), geometry.pages_per_block);
        let (begin, count, step) = match self.settings.placement {
            GatherPlacement::SameBlock => (geometry.ppn(block, 0), per_block, 1),
            GatherPlacement::SamePlane => {
                let first_block = geometry.block(geometry.plane_of(block), 0);
                let offset = geometry.page_offset(slot);
                (geometry.ppn(first_block, offset), geometry.blocks_per_plane, per_block)
            }
            GatherPlacement::Random | GatherPlacement::Consecutive => return,
        };
        let at = (slot.0 - begin.0) / step;
        let slots = (1..count).map(|number| Ppn(begin.0 + (at + number) % count * step));
        let aligned = slots.filter(|&other| self.share_bit_lines(slot, other));
        let stored = aligned.filter_map(|slot| translation.page_at(slot, range));
        chosen.extend(stored.filter(|&lpn| lpn != first).take(wanted - 1));
    }
}

/// Returns a pseudorandom number below `bound`, and updates `state` (`SplitMix64` by Steele, Lea and Flood,
/// OOPSLA 2014). The operands of a gather depend only on the requested page and the seed.
fn below(state: &mut u64, bound: u32) -> u32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(mixed ^ (mixed >> 31)) * u128::from(bound)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use venice_nand::testkit::paper_flash;

    use super::super::{GatherSettings, OperandCells};
    use super::*;
    use crate::ftl::shared::bench::Bench;

    /// Creates the gathers of a drive of two chips with 16 host pages each, and a test bench of the drive.
    fn gathers(settings: GatherSettings) -> (Gathers, Bench) {
        let bench = Bench::new(2, |ftl| ftl.gather = settings);
        let cells = OperandCells::of(&paper_flash(1).array);
        (Gathers::new(&bench.settings, cells, &bench.shared.geometry), bench)
    }

    fn operands(gathers: &Gathers, bench: &Bench, first: u32) -> Vec<u32> {
        gathers.operands_of(&bench.shared.translation, Lpn(first)).iter().map(|lpn| lpn.0).collect()
    }

    #[test]
    fn consecutive_operands_follow_the_requested_page_within_its_range() {
        let placement = GatherPlacement::Consecutive;
        let (gathers, bench) =
            gathers(GatherSettings { operands: 4, placement, ..GatherSettings::default() });
        assert_eq!(operands(&gathers, &bench, 30), [30, 31, 0, 1]);
    }

    #[test]
    fn random_operands_are_distinct_even_if_they_are_all_pages_of_the_range() {
        let (gathers, bench) = gathers(GatherSettings { operands: 32, ..GatherSettings::default() });
        for first in 0..32 {
            let mut operands = operands(&gathers, &bench, first);
            assert_eq!(operands[0], first);
            operands.sort_unstable();
            assert!(operands.iter().copied().eq(0..32), "{operands:?}");
        }
    }

    /// Never written pages alternate between the two planes, in blocks of four pages.
    #[test]
    fn operands_of_one_block_are_where_static_allocation_put_them() {
        let placement = GatherPlacement::SameBlock;
        let (gathers, bench) =
            gathers(GatherSettings { operands: 4, placement, ..GatherSettings::default() });
        assert_eq!(operands(&gathers, &bench, 0), [0, 2, 4, 6]);
        assert_eq!(operands(&gathers, &bench, 13), [13, 15, 9, 11]);
    }

    #[test]
    fn operands_of_one_plane_are_in_different_blocks() {
        let placement = GatherPlacement::SamePlane;
        let (gathers, bench) =
            gathers(GatherSettings { operands: 4, placement, ..GatherSettings::default() });
        assert_eq!(operands(&gathers, &bench, 10), [10, 18, 26, 2]);
    }

    #[test]
    fn written_operands_are_where_they_were_written() {
        let placement = GatherPlacement::SameBlock;
        let (gathers, mut bench) =
            gathers(GatherSettings { operands: 4, placement, ..GatherSettings::default() });
        // The pages fill a block in this order. The second one is outdated by its newer copy.
        for lpn in [7, 3, 20, 3] {
            bench.fill(0, lpn, 1);
        }
        // Page 2, which was never written, is read from the slot that static allocation gives it.
        assert_eq!(operands(&gathers, &bench, 20), [20, 3, 7, 2]);
    }
}
