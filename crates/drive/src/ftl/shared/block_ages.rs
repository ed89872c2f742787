//! Ages of the data in blocks: time since it was programmed, and reads since then.
//!
//! # What it models
//! Retention errors grow with the time since a block was programmed. The data of a block is as old as its first
//! program since the last erase. A block that was open at the start of the run has data of two ages: that from before
//! the run, and that of the run, which is as old as the block's first program in the run. The slots (locations of
//! mapping units) of a block are programmed in their order, so the number of old slots separates the two.

use bytemuck::Zeroable;
use venice_kernel::SimTime;
use venice_kernel::mem::SparseTable;
use venice_nand::geometry::{BlockId, Geometry};

use crate::ftl::space::Blocks;

/// Picoseconds per day.
pub(in crate::ftl) const PS_PER_DAY: f64 = 86_400.0 * 1e12;

/// Age of the data in a block. The default value describes a block without programs and reads since its last
/// erase or since the start of the run.
#[derive(Clone, Copy, Debug, Default, Zeroable)]
pub(in crate::ftl) struct BlockAge {
    /// Number of reads in this run since the last erase of the block.
    pub(in crate::ftl) reads: u64,
    /// First program of the block in this run since its last erase, in picoseconds.
    programmed_ps: u64,
    /// Age at the start of the run in days, of data that was programmed before it.
    days_before: f64,
    /// Number of slots that were programmed before the run.
    old_slots: u32,
    /// True if the block has been programmed in this run since its last erase.
    is_programmed_in_run: bool,
}

impl BlockAge {
    /// Returns the age of the oldest data of the block at `now`, in days since it was programmed.
    pub(in crate::ftl) fn days(&self, now: SimTime) -> f64 {
        self.days_of(self.has_old_data(), now)
    }

    /// Returns the age of data of the block at `now`, in days since it was programmed. `is_old` is true for
    /// data from before the run. If the block contains no such data, its age at the start of the run counts
    /// as zero.
    pub(in crate::ftl) fn days_of(&self, is_old: bool, now: SimTime) -> f64 {
        let (since_ps, days_before) = if is_old { (0, self.days_before) } else { (self.programmed_ps, 0.0) };
        (now.as_ps() - since_ps) as f64 / PS_PER_DAY + days_before
    }

    /// Returns true if the block has data that was programmed before the run.
    pub(in crate::ftl) const fn has_old_data(&self) -> bool {
        self.old_slots > 0
    }

    /// Returns true if the slot at `offset` of the block was programmed before the run.
    pub(in crate::ftl) const fn is_old(&self, offset: u32) -> bool {
        offset < self.old_slots
    }

    /// Returns the instant of the block's first program since its last erase; time zero if this was before
    /// the run.
    pub(in crate::ftl) const fn programmed(&self) -> SimTime {
        SimTime::from_ps(if self.has_old_data() { 0 } else { self.programmed_ps })
    }

    /// Returns true if the block has been programmed since its last erase.
    pub(in crate::ftl) const fn is_programmed(&self) -> bool {
        self.has_old_data() || self.is_programmed_in_run
    }
}

/// Ages, at the start of the run, of the data that was programmed before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InitialAges {
    /// Age of the youngest data, in days.
    pub youngest_days: f64,
    /// Difference between the ages of the oldest and the youngest data, in days. The ages of the blocks are
    /// spread evenly over it.
    pub spread_days: f64,
}

/// Ages of the data in all blocks.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct BlockAges {
    blocks: SparseTable<BlockAge>,
}

impl BlockAges {
    /// Creates the ages at the start of a run. Blocks with the same number have neighbouring ages in all planes,
    /// so that planes and superblocks age alike.
    pub(in crate::ftl) fn new(geometry: &Geometry, blocks: &Blocks, initial: InitialAges) -> Self {
        let mut ages = Self { blocks: SparseTable::new(geometry.blocks() as usize) };
        let by_number = (0..geometry.blocks_per_plane).flat_map(|number| {
            (0..geometry.planes()).map(move |plane| plane * geometry.blocks_per_plane + number)
        });
        let old: Vec<BlockId> =
            by_number.map(BlockId).filter(|&block| blocks.table[block].written > 0).collect();
        for (rank, block) in (0_u32..).zip(&old) {
            let share = (f64::from(rank) + 0.5) / old.len() as f64;
            *ages.blocks.entry(block.0 as usize) = BlockAge {
                days_before: initial.youngest_days + initial.spread_days * share,
                old_slots: blocks.table[*block].written,
                ..BlockAge::default()
            };
        }
        ages
    }

    /// Returns the age and the number of reads of a block's data.
    pub(in crate::ftl) fn of(&self, block: BlockId) -> BlockAge {
        self.blocks.get(block.0 as usize)
    }

    /// Counts a read of a page in the block. The page's data has been sent to a controller.
    pub(in crate::ftl) fn note_read(&mut self, block: BlockId) {
        self.blocks.entry(block.0 as usize).reads += 1;
    }

    /// Records the start of a program in a block. Returns true if this is the first program of the block
    /// since its last erase.
    pub(in crate::ftl) fn program_starts(&mut self, block: BlockId, now: SimTime) -> bool {
        let age = self.blocks.entry(block.0 as usize);
        let is_first = !age.is_programmed();
        if !age.is_programmed_in_run {
            (age.is_programmed_in_run, age.programmed_ps) = (true, now.as_ps());
        }
        is_first
    }

    /// Records the erase of a block.
    pub(in crate::ftl) fn erased(&mut self, block: BlockId) {
        *self.blocks.entry(block.0 as usize) = BlockAge::default();
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the expected values are exact")]
mod tests {
    use super::*;
    use crate::ftl::shared::bench::Bench;

    const DAY: SimTime = SimTime::from_ps(PS_PER_DAY as u64);

    /// Returns a drive of two planes. Its first plane has two written blocks, its second plane has one.
    fn ages(initial: InitialAges) -> BlockAges {
        let mut bench = Bench::new(2, |_| {});
        bench.fill(0, 0, 5);
        bench.fill(1, 1, 1);
        let ages = BlockAges::new(&bench.shared.geometry, bench.shared.space.blocks(), initial);
        assert_eq!(bench.shared.geometry.blocks_per_plane, 8);
        ages
    }

    #[test]
    fn data_from_before_the_run_has_evenly_spread_ages() {
        let ages = ages(InitialAges { youngest_days: 10.0, spread_days: 6.0 });
        let days = [0, 8, 1].map(|block| ages.of(BlockId(block)).days(SimTime::ZERO));
        assert_eq!(days, [11.0, 13.0, 15.0]);
        assert_eq!(ages.of(BlockId(0)).days(DAY), 12.0);
        assert!(!ages.of(BlockId(2)).is_programmed());
    }

    #[test]
    fn erase_and_next_program_renew_a_block() {
        let (mut ages, block) = (ages(InitialAges { youngest_days: 10.0, spread_days: 0.0 }), BlockId(0));
        ages.note_read(block);
        assert!(!ages.program_starts(block, DAY), "a block with old data stays old");
        assert_eq!((ages.of(block).days(DAY), ages.of(block).reads), (11.0, 1));
        assert_eq!(ages.of(block).programmed(), SimTime::ZERO);
        ages.erased(block);
        assert!(ages.program_starts(block, DAY) && !ages.program_starts(block, DAY));
        let age = ages.of(block);
        assert_eq!((age.days(DAY), age.reads, age.has_old_data(), age.programmed()), (0.0, 0, false, DAY));
    }

    #[test]
    fn block_that_was_open_before_the_run_has_data_of_two_ages() {
        // The plane's last block has one of its pages from before the run.
        let (mut ages, block) = (ages(InitialAges { youngest_days: 10.0, spread_days: 0.0 }), BlockId(1));
        assert!(
            !ages.program_starts(block, DAY) && !ages.program_starts(block, DAY + DAY.since(SimTime::ZERO))
        );
        let (age, now) = (ages.of(block), SimTime::from_ps(3 * DAY.as_ps()));
        assert_eq!([0, 1, 3].map(|offset| age.is_old(offset)), [true, false, false]);
        assert_eq!([true, false].map(|is_old| age.days_of(is_old, now)), [13.0, 2.0]);
        assert_eq!(age.days(now), 13.0, "the block is as old as its oldest data");
    }
}
