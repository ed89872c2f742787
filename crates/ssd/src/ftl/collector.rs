//! Which block is collected, when, and where its pages go.

use crate::geometry::{BlockId, Geometry, PlaneId};

use super::gc::{AnyVictimPolicy, Candidate, PlaneShape};
use super::moves::Moves;
use super::settings::{FtlSettings, WriteFrontiers};
use super::space::{Block, Blocks, CollectionRule};
use super::translation::AddressSpace;
use super::wear::WearLevelling;

/// The choices of collection.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    pub(super) policy: AnyVictimPolicy,
    /// What the policy chooses from; kept for its memory.
    pub(super) candidates: Vec<Candidate>,
    pub(super) moves: Moves,
    pub(super) wear: WearLevelling,
}

impl Collector {
    /// That of a drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let shape = PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block };
        Self {
            policy: settings.victim.build(&settings.victim_parameters, shape, settings.seed),
            candidates: Vec::new(),
            moves: Moves::none(geometry, settings, addresses),
            wear: WearLevelling::new(geometry, settings),
        }
    }

    /// What giving out pages has to know of collection.
    pub(super) fn rule(&self, settings: &FtlSettings) -> CollectionRule {
        CollectionRule {
            trigger: settings.gc_trigger,
            start_free_blocks: settings.gc_start_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            // A page that comes from another plane takes room that a waiting host was promised.
            write_frontiers: if self.moves.leaves() {
                WriteFrontiers::Shared
            } else {
                settings.write_frontiers
            },
            wear_measure: settings.wear_measure,
        }
    }

    /// The block of a plane that the policy collects.
    pub(super) fn choose(
        &mut self,
        blocks: &Blocks,
        plane: PlaneId,
        must: bool,
        geometry: &Geometry,
    ) -> Option<BlockId> {
        self.candidates.clear();
        self.candidates.extend(candidates(blocks, plane));
        let index = self.policy.choose(&self.candidates, must)?;
        Some(geometry.block(plane, index))
    }
}

/// Blocks of a plane that may be collected: full, no program in flight, an invalid page.
#[inline]
fn candidates(blocks: &Blocks, plane: PlaneId) -> impl Iterator<Item = Candidate> {
    let table = blocks.table();
    let worth_it = move |(_, block): &(u32, &Block)| block.valid < table.pages_per_block();
    blocks.settled(plane).filter(worth_it).map(move |(index, block)| Candidate {
        index,
        valid: block.valid,
        age: table.age(block),
        erases: block.erases,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::Ftl;
    use crate::ftl::space::Stream;
    use crate::geometry::Ppn;
    use crate::registry::FabricKind;
    use crate::testkit::drive::small_drive;

    const PLANE: PlaneId = PlaneId(0);

    /// A drive of one plane of four blocks of two pages, so many of which were given out to programs that have not ended.
    fn drive_with(pages: u32) -> Ftl {
        let mut drive = small_drive(FabricKind::Bus, 1, 1);
        (drive.geometry.planes_per_die, drive.geometry.blocks_per_plane) = (1, 4);
        drive.geometry.pages_per_block = 2;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, drive.flash, false);
        for _ in 0..pages {
            ftl.space.blocks.allocate(PLANE, Stream::Host(0)).unwrap();
        }
        ftl
    }

    #[test]
    fn only_full_settled_blocks_with_an_invalid_page_are_candidates() {
        let mut blocks = drive_with(3).space.blocks;
        blocks.invalidate(Ppn(0));
        assert_eq!(candidates(&blocks, PLANE).count(), 0, "its programs are in flight");
        blocks.block_mut(BlockId(0)).pending_programs = 0;
        let found: Vec<_> = candidates(&blocks, PLANE).collect();
        assert_eq!(found, [Candidate { index: 0, valid: 1, age: 1, erases: 0 }]);
    }

    #[test]
    fn the_least_worn_block_is_a_full_one_and_the_oldest_of_equals() {
        let Ftl { space, collector, .. } = drive_with(6);
        let mut blocks = space.blocks;
        let least_worn = |blocks: &Blocks| collector.wear.least_worn(blocks, PLANE);
        assert_eq!(least_worn(&blocks), None, "their programs are in flight");
        for block in (0..3).map(BlockId) {
            blocks.block_mut(block).pending_programs = 0;
        }
        assert_eq!(least_worn(&blocks), Some(BlockId(0)));
        blocks.block_mut(BlockId(0)).erases = 1;
        assert_eq!(least_worn(&blocks), Some(BlockId(1)));
    }
}
