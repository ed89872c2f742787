//! Which block is collected, when, and where its pages go.

use crate::geometry::{BlockId, Geometry, PlaneId};

use super::gc::{AnyVictimPolicy, Candidate, PlaneShape};
use super::moves::Moves;
use super::settings::{FtlSettings, WriteFrontiers};
use super::space::{Blocks, CollectionRule};
use super::translation::AddressSpace;

/// The choices of collection.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    pub(super) policy: AnyVictimPolicy,
    /// What the policy chooses from; kept for its memory.
    pub(super) candidates: Vec<Candidate>,
    pub(super) moves: Moves,
}

impl Collector {
    /// That of a drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let shape = PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block };
        Self {
            policy: settings.victim.build(&settings.victim_parameters, shape, settings.seed),
            candidates: Vec::new(),
            moves: Moves::none(geometry, settings, addresses),
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
        self.candidates.extend(blocks.candidates(plane));
        let index = self.policy.choose(&self.candidates, must)?;
        Some(geometry.block(plane, index))
    }
}
