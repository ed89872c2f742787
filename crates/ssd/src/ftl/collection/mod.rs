//! Garbage collection: when a plane collects, which block, and how its moves and its erase are ordered.
//!
//! # What it knows
//! The trigger, the policies for victims and destinations, and wear levelling. Room is [`Space`]'s, and so is the collection in progress of
//! a plane; what is read and written is ordered through the [`Floor`] that it is handed. What follows from the end of a move or
//! an erase, is wired by the layer (`moving`).
//!
//! # The invariant
//! In a plane where a write waits for room, a collection is in progress, or a program whose end asks for one. So whatever
//! can take room away is followed by asking ([`Collector::victim`]): the end of a program or an erase, a page of the plane that is
//! overwritten elsewhere, and, since a run may begin with a plane as full as may be, a write that finds no room and no program.
//! Asked so, a policy must name a block if any gains a page, and with what a plane has to spare one does (`space::plane`).

mod destinations;
pub(super) mod settings;
mod wear;

use venice_kernel::SimTime;
use venice_requests::SECTOR_BYTES;

use crate::accounting::StageClock;
use crate::controller::queues::Queues;
use crate::geometry::{BlockId, DieId, Geometry, PlaneId, Ppn};
use crate::work::{PageState, Purpose, Transaction, Transactions};

use super::books::Books;
use super::gc::{AnyVictimPolicy, Candidate, Candidates, OwnVictim, PlaneShape, VictimSelection};
use super::settings::FtlSettings;
use super::space::{Block, Blocks, Cause, Collection, CollectionRule, KEPT_FOR_COLLECTION, Space, Stream};
use super::translation::{AddressSpace, Translation};

pub(super) use destinations::Destinations;
pub use settings::{CollectionParameters, GcTrigger, LevellingParameters, WearMeasure, WriteFrontiers};
pub(super) use wear::WearLevelling;

/// What ordering reads, writes and erases takes.
#[derive(Debug)]
pub(super) struct Floor<'a> {
    pub(super) space: &'a mut Space,
    pub(super) translation: &'a Translation,
    pub(super) transactions: &'a mut Transactions,
    pub(super) queues: &'a mut Queues,
    pub(super) books: &'a mut Books,
}

/// The choices of collection.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    geometry: Geometry,
    rule: CollectionRule,
    /// With fewer free blocks, collection goes before the host.
    hard_free_blocks: u32,
    /// Most moves of a collection that are ordered and not finished.
    most_in_flight: u32,
    /// Whether a move reads and programs its page by one command.
    copyback: bool,
    policy: AnyVictimPolicy,
    pub(super) destinations: Destinations,
    pub(super) wear: WearLevelling,
}

impl Collector {
    /// That of a drive.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let shape = PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block };
        let destinations = Destinations::new(geometry, settings, addresses);
        let rule = CollectionRule {
            trigger: settings.gc_trigger,
            start_free_blocks: settings.gc_start_free_blocks,
            stop_free_blocks: settings.gc_stop_free_blocks,
            // A page that comes from another plane takes room that a waiting host was promised.
            write_frontiers: if destinations.leave() {
                WriteFrontiers::Shared
            } else {
                settings.write_frontiers
            },
            wear_measure: settings.wear_measure,
        };
        Self {
            geometry: *geometry,
            rule,
            hard_free_blocks: settings.gc_hard_free_blocks,
            most_in_flight: settings.gc_moves_in_flight,
            copyback: settings.gc_copyback,
            policy: settings.victim.build(&settings.victim_parameters, shape, settings.seed),
            destinations,
            wear: WearLevelling::new(geometry, settings.static_wear_levelling, settings.wear_measure),
        }
    }

    /// From now on this policy chooses.
    pub(super) fn choose_by(&mut self, own: OwnVictim) {
        self.policy = AnyVictimPolicy::Own(own);
    }

    /// How a policy from outside the catalogue broke its contract, if it did.
    pub(super) fn broken_contract(&self) -> Option<&str> {
        match &self.policy {
            AnyVictimPolicy::Own(own) => own.broken(),
            _ => None,
        }
    }

    /// What giving out pages has to know of collection.
    pub(super) const fn rule(&self) -> CollectionRule {
        self.rule
    }

    /// Whether moves are copybacks.
    #[inline]
    pub(super) const fn is_copyback(&self) -> bool {
        self.copyback
    }

    /// Whether a plane has so few free blocks that its moves cannot wait.
    #[inline]
    pub(super) fn is_pressed(&self, space: &Space, plane: PlaneId) -> bool {
        space.blocks.planes[plane].free_blocks() < self.hard_free_blocks
    }

    /// Whether any plane of a die has a collection in progress and so few free blocks that its moves cannot wait.
    #[inline]
    pub(super) fn is_urgent(&self, space: &Space, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        let planes = space.blocks.planes.row(PlaneId(die.0 * planes), planes);
        planes.iter().any(|plane| plane.collection.is_some() && plane.free_blocks() < self.hard_free_blocks)
    }

    /// The block to collect now in `plane`, if it runs short of free ones.
    pub(super) fn victim(&mut self, space: &mut Space, plane: PlaneId) -> Option<BlockId> {
        if space.is_lost(plane) {
            return None;
        }
        if self.rule.trigger == GcTrigger::FullBlock {
            return self.owed_victim(space, plane);
        }
        let state = &space.blocks.planes[plane];
        let missing = self.rule.start_free_blocks.saturating_sub(state.free_blocks());
        if missing == 0 || !state.may_collect() {
            return None;
        }
        let must = space.blocks.next_offset(plane, Stream::Mapping(0)).is_none();
        if !must && (space.is_at_rest || !self.is_early_enough(space, plane, missing)) {
            return None;
        }
        self.choose(&space.blocks, plane, must)
    }

    /// The block to collect for one that became full, or because the host has no room left.
    fn owed_victim(&mut self, space: &mut Space, plane: PlaneId) -> Option<BlockId> {
        let state = &space.blocks.planes[plane];
        if !state.may_collect() {
            return None;
        }
        let must = space.blocks.next_offset(plane, Stream::Host(0)).is_none();
        let state = &mut space.blocks.planes[plane];
        if !must && state.owed_collections == 0 {
            return None;
        }
        state.owed_collections = state.owed_collections.saturating_sub(1);
        self.choose(&space.blocks, plane, must)
    }

    fn choose(&mut self, blocks: &Blocks, plane: PlaneId, must: bool) -> Option<BlockId> {
        let index = self.policy.choose(&PlaneBlocks { blocks, plane }, must)?;
        Some(self.geometry.block(plane, index))
    }

    /// Whether to collect although the host still has room: as long as it has free blocks, and if
    /// all invalid pages together would make up what is missing. Otherwise collection waits until
    /// the host's room is used up, and finds more invalid pages then.
    fn is_early_enough(&self, space: &Space, plane: PlaneId, missing: u32) -> bool {
        let state = &space.blocks.planes[plane];
        let within_reach = state.invalid_pages / self.geometry.pages_per_block;
        state.free_blocks() > KEPT_FOR_COLLECTION && within_reach >= missing
    }

    /// The collection of a full block begins; one block of a plane at a time.
    pub(super) fn begin(&mut self, space: &mut Space, plane: PlaneId, victim: BlockId, cause: Cause) {
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

    /// Starts moving the valid pages of a full block and erasing it.
    pub(super) fn collect(
        &mut self,
        floor: &mut Floor<'_>,
        plane: PlaneId,
        victim: BlockId,
        cause: Cause,
        now: SimTime,
    ) {
        floor.books.collection_begins(cause);
        self.begin(floor.space, plane, victim, cause);
        floor.queues.measured.plan_erase(plane, now);
        self.go_on(floor, plane, now);
    }

    /// Orders further moves of the collection in progress, as many as may be in flight, and the victim's erase after the last.
    pub(super) fn go_on(&self, floor: &mut Floor<'_>, plane: PlaneId, now: SimTime) {
        while let Some(ppn) = self.next_page(floor, plane) {
            self.order_move(floor, plane, ppn, now);
        }
        self.erase_if_empty(floor, plane, now);
    }

    /// The next page of the victim to be moved, if another move may be in flight.
    fn next_page(&self, floor: &mut Floor<'_>, plane: PlaneId) -> Option<Ppn> {
        let collection = floor.space.blocks.planes[plane].collection.as_mut()?;
        while collection.in_flight < self.most_in_flight
            && collection.next_offset < self.geometry.pages_per_block
        {
            let ppn = self.geometry.ppn(collection.victim, collection.next_offset);
            collection.next_offset += 1;
            if floor.translation.map.logical(ppn).is_some() {
                collection.in_flight += 1;
                return Some(ppn);
            }
        }
        None
    }

    /// Orders the move of a valid page.
    fn order_move(&self, floor: &mut Floor<'_>, plane: PlaneId, ppn: Ppn, now: SimTime) {
        let Some(lpn) = floor.translation.map.logical(ppn) else { return };
        // A copyback is a write that reads its page by itself, and moves no byte.
        let (purpose, bytes) = if self.copyback {
            (Purpose::GcWrite, 0)
        } else {
            (Purpose::GcRead, floor.translation.sectors_per_page() * SECTOR_BYTES)
        };
        let page = Transaction {
            lpn: Some(lpn),
            page: PageState::From(ppn),
            bytes,
            ..Transaction::new(purpose, plane, StageClock::start(now))
        };
        let id = floor.transactions.insert(page);
        floor.books.read_accepted(id, lpn, &page);
        floor.queues.join(floor.transactions, id, now);
    }

    /// Orders the victim's erase when all moves are over and nobody reads the block any more.
    pub(super) fn erase_if_empty(&self, floor: &mut Floor<'_>, plane: PlaneId, now: SimTime) {
        let Some(collection) = &mut floor.space.blocks.planes[plane].collection else { return };
        let (victim, is_over) = (collection.victim, collection.unfinished == 0 && !collection.erasing);
        if !is_over || floor.space.blocks.table[victim].pending_reads > 0 {
            return;
        }
        if let Some(collection) = &mut floor.space.blocks.planes[plane].collection {
            collection.erasing = true;
        }
        let erase = Transaction {
            page: PageState::At { ppn: self.geometry.ppn(victim, 0), is_pinned: false },
            ..Transaction::new(Purpose::GcErase, plane, StageClock::start(now))
        };
        let id = floor.transactions.insert(erase);
        floor.queues.join_erase(floor.transactions, id);
    }

    /// The victim of a plane is erased: the plane has a free block more. Says what is to be collected next, and why.
    pub(super) fn end(
        &mut self,
        space: &mut Space,
        plane: PlaneId,
        victim: BlockId,
    ) -> Option<(BlockId, Cause)> {
        space.blocks.erase(victim);
        let state = &mut space.blocks.planes[plane];
        let ended = state.collection.take();
        if state.free_blocks() < self.rule.stop_free_blocks {
            // The host waits: one more, though no block has become full.
            state.owed_collections += 1;
        }
        let for_space = ended.is_some_and(|collection| collection.cause == Cause::Space);
        let cold =
            if for_space && !space.is_lost(plane) { self.wear.due_block(&space.blocks, plane) } else { None };
        let for_wear = cold.map(|block| (block, Cause::Wear));
        for_wear.or_else(|| self.victim(space, plane).map(|block| (block, Cause::Space)))
    }
}

/// The blocks of a plane, of which those may be collected that are full, have no program in flight, and an invalid page.
struct PlaneBlocks<'a> {
    blocks: &'a Blocks,
    plane: PlaneId,
}

impl PlaneBlocks<'_> {
    #[inline]
    fn candidate(&self, index: u32, block: &Block) -> Option<Candidate> {
        let table = &self.blocks.table;
        let Block { valid, erases, .. } = *block;
        (valid < table.pages_per_block()).then(|| Candidate { index, valid, age: table.age(block), erases })
    }
}

impl Candidates for PlaneBlocks<'_> {
    #[inline]
    fn get(&self, index: u32) -> Option<Candidate> {
        self.blocks.settled_at(self.plane, index).and_then(|block| self.candidate(index, block))
    }

    #[inline]
    fn all(&self) -> impl Iterator<Item = Candidate> {
        self.blocks.settled(self.plane).filter_map(|(index, block)| self.candidate(index, block))
    }

    fn emptiest(&self) -> Option<Candidate> {
        let [emptiest, _] = self.blocks.leaders(self.plane);
        self.get(emptiest?)
    }

    fn oldest(&self) -> Option<Candidate> {
        let [_, oldest] = self.blocks.leaders(self.plane);
        self.get(oldest?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::Ftl;
    use crate::ftl::space::Stream;
    use crate::ftl::{PageAllocation, VictimPolicy, WriteFrontiers};
    use crate::geometry::{Lpn, Ppn, Priority, RequestId};
    use crate::registry::FabricKind;
    use crate::testkit::drive::small_drive;
    use crate::work::Origin;

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
        let found = |blocks: &Blocks| {
            let offered = PlaneBlocks { blocks, plane: PLANE };
            let all: Vec<_> = offered.all().collect();
            let one_by_one: Vec<_> = (0..4).filter_map(|index| offered.get(index)).collect();
            assert_eq!(all, one_by_one);
            all
        };
        assert_eq!(found(&blocks), [], "its programs are in flight");
        blocks.table[BlockId(0)].pending_programs = 0;
        assert_eq!(found(&blocks), [Candidate { index: 0, valid: 1, age: 1, erases: 0 }]);
        assert_eq!(PlaneBlocks { blocks: &blocks, plane: PLANE }.get(3), None, "it was never used");
    }

    #[test]
    fn the_least_worn_block_is_a_full_one_and_the_oldest_of_equals() {
        let Ftl { space, collector, .. } = drive_with(6);
        let mut blocks = space.blocks;
        let least_worn = |blocks: &Blocks| collector.wear.least_worn(blocks, PLANE);
        assert_eq!(least_worn(&blocks), None, "their programs are in flight");
        for block in (0..3).map(BlockId) {
            blocks.table[block].pending_programs = 0;
        }
        assert_eq!(least_worn(&blocks), Some(BlockId(0)));
        blocks.table[BlockId(0)].erases = 1;
        assert_eq!(least_worn(&blocks), Some(BlockId(1)));
    }

    /// A plane at the start of a run: eight blocks of two pages, seven full and none open; of six, one page is invalid.
    fn full_plane(page_allocation: PageAllocation, write_frontiers: WriteFrontiers) -> Ftl {
        let mut drive = small_drive(FabricKind::Bus, 1, 1);
        drive.geometry.planes_per_die = 1;
        drive.geometry.blocks_per_plane = 8;
        drive.geometry.pages_per_block = 2;
        (drive.ftl.page_allocation, drive.ftl.write_frontiers) = (page_allocation, write_frontiers);
        // Unless it must name a block, it seldom does.
        drive.ftl.victim = VictimPolicy::Random;
        let mut ftl = Ftl::new(drive.geometry, drive.ftl, drive.flash, false);
        for page in 0..14 {
            let ppn = ftl.space.blocks.allocate_written(PLANE, Stream::Host(0)).unwrap();
            if page < 12 && page % 2 == 0 {
                ftl.space.blocks.invalidate(ppn);
            }
        }
        ftl
    }

    #[test]
    fn a_write_that_finds_no_room_has_its_plane_collect_though_nothing_was_programmed_yet() {
        for page_allocation in [PageAllocation::AtStart, PageAllocation::AtArrival] {
            for write_frontiers in [WriteFrontiers::Separate, WriteFrontiers::Shared] {
                let mut ftl = full_plane(page_allocation, write_frontiers);
                assert_eq!(ftl.space.blocks.next_offset(PLANE, Stream::Host(0)), None);
                let origin = Origin::Request(RequestId(0));
                let all_sectors = ftl.translation.sectors.whole_page();
                ftl.write_page(origin, 0, Priority::High, Lpn(0), all_sectors, SimTime::ZERO);
                let collects = ftl.space.blocks.planes[PLANE].collection.is_some();
                assert!(collects, "{page_allocation:?}, {write_frontiers:?}");
            }
        }
    }
}
