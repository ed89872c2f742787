//! Garbage collection and wear levelling: when a plane collects, which block, and how its pages move.
//!
//! # How
//! [`Victims`] has the trigger and the victim policy, [`Destinations`] the planes that pages move to, [`WearLevelling`] the blocks that have
//! worn too little; `moves` has the course of a collection. Blocks and pages are [`Space`]'s, and so is the collection in progress of a plane,
//! which keeps room for its moves.

mod destinations;
mod moves;
pub(super) mod settings;
mod victims;
mod wear;

use super::gc::OwnVictim;
use super::settings::FtlSettings;
use super::space::{Collection, CollectionCause, Space};

use destinations::Destinations;
pub use settings::{CollectionParameters, GcTrigger, LevellingParameters, WearMeasure, WriteFrontiers};
use venice_nand::geometry::{BlockId, DieId, Geometry, PlaneId};
use victims::Victims;
use wear::WearLevelling;

/// The owner of garbage collection.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    geometry: Geometry,
    pub(super) victims: Victims,
    pub(super) destinations: Destinations,
    pub(super) wear: WearLevelling,
    /// With fewer free blocks, collection goes before the host.
    hard_free_blocks: u32,
    /// With fewer free blocks, the host waits for collection.
    stop_free_blocks: u32,
    /// Most moves of a collection that are ordered and not finished.
    most_in_flight: u32,
    /// True if a move reads and programs its page by one command.
    copyback: bool,
    /// True if a move gets its new page when the old one was read.
    pages_are_early: bool,
}

impl Collector {
    /// Returns the collector of an erased drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        Self {
            geometry: *geometry,
            victims: Victims::new(geometry, settings),
            destinations: Destinations::new(geometry, settings),
            wear: WearLevelling::new(geometry, settings.static_wear_levelling, settings.wear_measure),
            hard_free_blocks: settings.gc_hard_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            most_in_flight: settings.gc_moves_in_flight,
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
        }
    }

    /// Replaces the victim policy by one from outside the catalogue.
    pub(super) fn choose_victims_by(&mut self, own: OwnVictim) {
        self.victims.choose_by(own);
    }

    /// Returns how a victim policy from outside the catalogue broke its contract, if it did.
    pub(super) fn broken_contract(&self) -> Option<&str> {
        self.victims.broken_contract()
    }

    /// Returns true if moves are copybacks.
    #[inline]
    pub(super) const fn is_copyback(&self) -> bool {
        self.copyback
    }

    /// Returns true if a plane has so few free blocks that its moves cannot wait.
    #[inline]
    pub(super) fn is_pressed(&self, space: &Space, plane: PlaneId) -> bool {
        space.blocks.planes[plane].free_blocks() < self.hard_free_blocks
    }

    /// Returns true if a plane of a die has a collection in progress and so few free blocks that its moves cannot wait.
    #[inline]
    pub(super) fn is_urgent(&self, space: &Space, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        let planes = space.blocks.planes.row(PlaneId(die.0 * planes), planes);
        planes.iter().any(|plane| plane.collection.is_some() && plane.free_blocks() < self.hard_free_blocks)
    }

    /// Begins the collection of a full block; one block of a plane at a time.
    pub(super) fn begin(
        &mut self,
        space: &mut Space,
        plane: PlaneId,
        victim: BlockId,
        cause: CollectionCause,
    ) {
        let moves = space.blocks.table[victim].valid;
        let frontier = self.destinations.frontier(&space.blocks, victim);
        let (in_flight, next_offset, erasing) = (0, 0, false);
        let collection = Collection {
            victim,
            cause,
            frontier,
            unplaced: moves,
            unfinished: moves,
            in_flight,
            next_offset,
            erasing,
        };
        space.blocks.planes[plane].collection = Some(collection);
    }

    /// Ends the collection of an erased victim: its plane has a free block more. Returns the next block to collect, and why.
    fn end(
        &mut self,
        space: &mut Space,
        plane: PlaneId,
        victim: BlockId,
    ) -> Option<(BlockId, CollectionCause)> {
        space.blocks.erase(victim);
        let state = &mut space.blocks.planes[plane];
        let ended = state.collection.take();
        if state.free_blocks() < self.stop_free_blocks {
            // The host waits: one more, though no block has become full.
            state.owed_collections += 1;
        }
        let for_space = ended.is_some_and(|collection| collection.cause == CollectionCause::Space);
        let cold =
            if for_space && !space.is_lost(plane) { self.wear.due_block(&space.blocks, plane) } else { None };
        let for_wear = cold.map(|block| (block, CollectionCause::Wear));
        for_wear.or_else(|| self.victims.next(space, plane).map(|block| (block, CollectionCause::Space)))
    }
}
