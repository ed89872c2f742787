//! Garbage collection (GC) and wear levelling: trigger, choice of the victim block, and moves of its pages.
//!
//! # How
//! [`Victims`] contains the trigger and the victim policy, [`Destinations`] the choice of the planes to which
//! pages are moved, [`WearLevelling`] the choice of blocks with too few erases, [`ReadReclaim`] the choice of
//! blocks with too many reads, and [`Refresh`] the choice of blocks with old data. The module `moves`
//! contains the steps of the GC of one block. The state of blocks, pages and of each plane's GC in progress
//! is part of [`Space`].

mod destinations;
mod due_blocks;
mod idle;
mod lines;
mod moves;
mod packing;
mod reclaim;
mod refresh;
pub(super) mod settings;
mod victims;
mod wear;

use super::gc::ExternalVictim;
use super::settings::FtlSettings;
use super::space::{Blocks, Collection, CollectionCause, Space};

use destinations::Destinations;
use due_blocks::DueBlocks;
use packing::MovePages;
use reclaim::ReadReclaim;
use refresh::Refresh;
pub use refresh::RefreshSettings;
pub use settings::{
    CollectionParameters, GcTrigger, LevellingParameters, RefreshParameters, WearMeasure, WriteFrontiers,
};
use venice_nand::geometry::{BlockId, DieId, Geometry, PlaneId};
use victims::Victims;
use wear::WearLevelling;

/// Garbage collection and wear levelling of a drive.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    geometry: Geometry,
    pub(super) victims: Victims,
    pub(super) destinations: Destinations,
    pub(super) wear: WearLevelling,
    /// Read reclaim; `None` if blocks are read without limit.
    reclaim: Option<ReadReclaim>,
    /// Refresh for age; `None` if data ages without limit.
    refresh: Option<Refresh>,
    /// Blocks due for read reclaim or refresh; `None` on a drive with neither of the two.
    due: Option<DueBlocks>,
    /// Pages being filled with moved mapping units: one entry per plane, or a single entry if victims are
    /// lines (superblocks). Not used if a mapping unit is a whole page.
    pages: Vec<MovePages>,
    /// True if a victim is a line (superblock), with one block of each plane.
    by_line: bool,
    /// Hard threshold: if a plane has fewer free blocks, its GC precedes host commands. The value is
    /// `u32::MAX` while the drive folds a line of the pSLC cache that must precede host commands.
    hard_free_blocks: u32,
    /// Hard threshold as configured. `hard_free_blocks` returns to this value after folding.
    stated_hard_free_blocks: u32,
    /// Write stop threshold: if a plane has fewer free blocks, host writes wait for its GC.
    stop_free_blocks: u32,
    /// Maximum number of pages that the GC of one block moves at the same time. A move lasts from the read of
    /// the page to the end of its program.
    most_in_flight: u32,
    /// True if a page is moved by copyback, which reads and programs it with one command.
    copyback: bool,
    /// True if the new page of a move is allocated when the old page has been read, false if it is allocated
    /// when the program starts.
    pages_are_early: bool,
}

impl Collector {
    /// Creates the garbage collection and wear levelling of an erased drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        Self {
            geometry: *geometry,
            victims: Victims::new(geometry, settings),
            destinations: Destinations::new(geometry, settings),
            wear: WearLevelling::new(geometry, settings.static_wear_levelling, settings.wear_measure),
            reclaim: ReadReclaim::new(geometry, settings.read_reclaim_reads),
            refresh: Refresh::new(settings.refresh),
            due: settings.has_due_blocks().then(|| DueBlocks::new(geometry)),
            hard_free_blocks: settings.gc_hard_free_blocks,
            stated_hard_free_blocks: settings.gc_hard_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            pages: vec![MovePages::default(); geometry.planes() as usize],
            by_line: settings.allocation.is_striped(),
            most_in_flight: settings.gc_moves_in_flight.saturating_mul(settings.units.per_program()),
            copyback: settings.gc_copyback,
            pages_are_early: settings.page_allocation.is_early(),
        }
    }

    /// Replaces the victim policy by a user-defined one.
    pub(super) fn choose_victims_by(&mut self, external: ExternalVictim) {
        self.victims.choose_by(external);
    }

    /// Returns true if the victim policy is user-defined.
    pub(super) const fn has_external_victims(&self) -> bool {
        self.victims.are_external()
    }

    /// Returns the first violation of the policy rules by a user-defined victim policy, if there was one.
    pub(super) fn broken_contract(&self) -> Option<&str> {
        self.victims.broken_contract()
    }

    /// Returns true if pages are moved by copyback.
    #[inline]
    pub(super) const fn is_copyback(&self) -> bool {
        self.copyback
    }

    /// Returns true if a plane is under pressure: it has fewer free blocks than the hard threshold, so that
    /// its moves must not wait for host commands.
    #[inline]
    pub(super) fn is_pressed(&self, space: &Space, plane: PlaneId) -> bool {
        space.blocks.planes[plane].free_blocks() < self.hard_free_blocks
    }

    /// Returns true if at least one plane of `die` has a GC in progress and fewer free blocks than the hard
    /// threshold.
    #[inline]
    pub(super) fn is_urgent(&self, space: &Space, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        let planes = space.blocks.planes.row(PlaneId(die.0 * planes), planes);
        planes.iter().any(|plane| plane.collection.is_some() && plane.free_blocks() < self.hard_free_blocks)
    }

    /// Returns true if GCs are in progress that may need `die`, and all of them are for read reclaim or refresh.
    pub(super) fn collects_only_due_data(&self, space: &Space, die: DieId) -> bool {
        if self.due.is_none() {
            return false;
        }
        let moves_leave = self.by_line || self.destinations.leave();
        let planes = if moves_leave { self.geometry.planes() } else { self.geometry.planes_per_die };
        let first = if moves_leave { PlaneId(0) } else { PlaneId(die.0 * planes) };
        let mut causes =
            space.blocks.planes.row(first, planes).iter().filter_map(|plane| Some(plane.collection?.cause));
        causes.next().is_some_and(CollectionCause::is_of_due_data)
            && causes.all(CollectionCause::is_of_due_data)
    }

    /// Starts the GC of a full block. A plane collects one block at a time.
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
            is_stopped: false,
        };
        space.blocks.planes[plane].collection = Some(collection);
        space.blocks.line_collection_begins(cause);
        space.notices.note(plane);
    }

    /// Ends the GC of a victim whose erase has ended, and adds the victim to the free blocks. Returns the
    /// next block to collect, and the reason for its collection.
    fn end(
        &mut self,
        space: &mut Space,
        plane: PlaneId,
        victim: BlockId,
    ) -> Option<(BlockId, CollectionCause)> {
        space.blocks.erase(victim);
        if let Some(due) = &mut self.due {
            due.erased(victim, plane);
        }
        if let Some(reclaim) = &mut self.reclaim {
            reclaim.erased(victim);
        }
        space.notices.note(plane);
        let state = &mut space.blocks.planes[plane];
        let ended = state.collection.take();
        let is_of_due_data = ended.is_some_and(|collection| collection.cause.is_of_due_data());
        if state.free_blocks() < self.stop_free_blocks && !is_of_due_data {
            // Host writes are stopped, so one more block is collected, although no block has become full.
            state.owed_collections += 1;
        }
        if space.blocks.is_line_collected() {
            return None;
        }
        self.hard_free_blocks = self.stated_hard_free_blocks;
        space.blocks.fold_ended();
        let for_space = ended.is_some_and(|collection| {
            matches!(collection.cause, CollectionCause::Space | CollectionCause::Idle)
        });
        let cold =
            if for_space && !space.is_lost(plane) { self.wear.due_block(&space.blocks, plane) } else { None };
        let cold = cold.filter(|&block| is_victim(&space.blocks, block));
        let for_wear = cold.map(|block| (block, CollectionCause::Wear));
        let first = for_wear.or_else(|| if for_space { self.next_due(space, plane) } else { None });
        first.or_else(|| self.victims.next(space, plane)).or_else(|| self.next_due(space, plane))
    }
}

/// Returns true if wear levelling may move the data of a full block. With lines (superblocks), all other
/// blocks of its line must be full, too.
fn is_victim(blocks: &Blocks, block: BlockId) -> bool {
    let Some(lines) = blocks.lines() else { return true };
    let index = block.0 % blocks.table.blocks_per_plane();
    !blocks.is_slc_line(index) && lines.all_planes().all(|plane| blocks.settled_at(plane, index).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::shared::bench::Bench;

    #[test]
    fn die_is_urgent_while_a_plane_of_it_collects_below_the_hard_threshold() {
        for (hard, is_urgent) in [(6, false), (7, true)] {
            let mut bench = Bench::of(|geometry, settings| {
                (geometry.array.cols, geometry.planes_per_die) = (2, 2);
                (settings.over_provisioning_ratio, settings.gc_hard_free_blocks) = (0.5, hard);
            });
            // Writes to two of the eight blocks in the first plane of the second die.
            bench.fill(2, 0, 8);
            let mut collector = Collector::new(&bench.shared.geometry, &bench.settings);
            assert!(!collector.is_urgent(&bench.shared.space, DieId(1)), "nothing is collected");
            let victim = bench.shared.geometry.block(PlaneId(2), 0);
            collector.begin(&mut bench.shared.space, PlaneId(2), victim, CollectionCause::Space);
            let urgent = [0, 1].map(|die| collector.is_urgent(&bench.shared.space, DieId(die)));
            assert_eq!(urgent, [false, is_urgent]);
        }
    }
}
