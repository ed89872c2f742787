//! State of planes and blocks: choice of the plane for a write, allocation of its page, and order of the
//! programs of a block.
//!
//! # What it models
//! Free, open and full blocks, the pages of each address range in a plane and their limit, the load of the
//! planes, and lost planes. This module starts no commands and no garbage collection. The locations of
//! logical pages are in [`Translation`], which is an argument of its functions.
//!
//! # How
//! - `plane`: next write positions of a plane, and the rule for a plane without a free block.
//! - `free_blocks`: free blocks of a plane, and the choice of the next block to be opened.
//! - `blocks`: allocation of pages.
//! - `block_table`, `plane_table`: state of each block and of each plane.
//! - `planes`: choice of the plane for a write.
//! - `lines`: lines (superblocks), which have a block in each plane.
//! - `slc_lines`: lines of the pSLC cache.
//! - `commitments`: number of pages of each address range in each plane.
//! - `losses`: lost planes.

mod block_table;
mod blocks;
mod candidate_cache;
mod commitments;
mod foreign_pages;
mod free_blocks;
pub(super) mod frontiers;
mod grown_bad_blocks;
mod lines;
mod losses;
mod notices;
mod plane;
mod plane_table;
mod planes;
mod slc_lines;

use super::allocation::Allocation;
use super::bad_blocks::FactoryBadBlocks;
use super::idle::IdleCollection;
use super::settings::{FtlSettings, PageAllocation};
use super::slc_cache::SlcCache;
use super::translation::{AddressSpace, Translation};

use super::{logical_pages_per_plane, most_logical_pages_per_plane};

pub use block_table::Block;
pub use blocks::{Blocks, StoredBlocks};
pub use frontiers::{OpenBlockCounts, WriteStream};
pub use grown_bad_blocks::{GrownBadBlockSettings, GrownBadBlocks};
pub use lines::Lines;
pub use losses::LostPlanes;
pub use plane::{Collection, CollectionCause, CollectionRule, KEPT_FOR_COLLECTION, NextWritePosition, Plane};

use commitments::Commitments;
use foreign_pages::ForeignPages;
use notices::CollectionNotices;
use planes::WritesAtDies;
use venice_nand::geometry::{DieId, Geometry, Lpn, PlaneId, Ppn};
use venice_nand::transactions::{PageState, ParityCause, Purpose, Transaction};

/// State of planes and blocks of a drive, for the allocation of pages.
#[derive(Clone, Debug)]
pub struct Space {
    geometry: Geometry,
    /// State of all blocks and planes.
    pub(super) blocks: Blocks,
    /// Number of outstanding host writes of each die.
    pub(super) writes: WritesAtDies,
    commitments: Commitments,
    pub(super) foreign_pages: ForeignPages,
    /// Number of host pages in each plane with static allocation.
    logical_pages_per_plane: u32,
    /// Maximum number of logical pages in a plane. Up to this number, garbage collection cannot deadlock.
    most_pages_of_plane: u32,
    allocation: Allocation,
    page_allocation: PageAllocation,
    /// True if a page may be allocated only when all earlier programs of its block have started.
    asks_for_turn: bool,
    write_streams: u16,
    losses: Option<Box<LostPlanes>>,
    /// Notices to the host, not yet sent, that chips have begun or ended garbage collection.
    pub(super) notices: CollectionNotices,
    /// True if planes collect garbage only when writes wait for a free page, since the host has no more
    /// requests.
    pub(super) is_at_rest: bool,
    /// Garbage collection in idle time.
    pub(super) idle: IdleCollection,
    /// Number of pages that garbage collection moves per page written, in the steady state of the
    /// preconditioning. `None` without preconditioning to steady state.
    pub steady_moves_per_write: Option<f64>,
}

impl Space {
    /// Creates the state of planes and blocks for an erased drive.
    pub fn new(geometry: Geometry, settings: &FtlSettings, translation: &Translation) -> Self {
        let (addresses, rule) = (&translation.addresses, CollectionRule::of(settings));
        let mut blocks = Blocks::new(geometry, settings.streams(), settings.dynamic_wear_levelling, rule);
        if settings.bad_blocks != FactoryBadBlocks::None || settings.grown_bad_blocks.is_some() {
            blocks = blocks.with_usable_blocks(&settings.usable_blocks(&geometry));
        }
        if settings.allocation.is_striped() {
            let parity =
                settings.parity_layout(&geometry).map_or_else(Vec::new, |layout| layout.parity_planes());
            blocks = blocks.with_lines(addresses.planes(0).to_vec(), parity);
        }
        if let Some(slc) = settings.slc {
            let pages = u64::from(translation.map.logical_pages());
            let planes = settings.data_planes(&geometry);
            blocks = blocks.with_slc_cache(SlcCache::new(slc, &geometry, planes, settings.units, pages));
        }
        for page in translation.host_pages()..translation.map.logical_pages() {
            blocks.planes[addresses.place(Lpn(page)).0].committed_pages += 1;
        }
        Self {
            blocks,
            writes: WritesAtDies::none(&geometry, addresses.len()),
            commitments: Commitments::new(&geometry, addresses.len()),
            foreign_pages: ForeignPages::new(&geometry, settings, addresses),
            logical_pages_per_plane: logical_pages_per_plane(&geometry, settings.over_provisioning_ratio),
            most_pages_of_plane: most_logical_pages_per_plane(
                &settings.usable_geometry(&geometry),
                settings.units,
            ),
            allocation: settings.allocation,
            page_allocation: settings.page_allocation,
            asks_for_turn: settings.page_allocation == PageAllocation::AtArrival || settings.has_two_passes(),
            write_streams: settings.write_streams,
            losses: None,
            notices: CollectionNotices::default(),
            is_at_rest: false,
            idle: IdleCollection::new(settings.gc_idle, geometry.blocks()),
            steady_moves_per_write: None,
            geometry,
        }
    }

    /// Starts the failures of erases. Earlier erases, of preconditioning, succeed.
    pub fn begin_failures(&mut self, settings: &FtlSettings) {
        let Some(grown) = settings.grown_bad_blocks else { return };
        let state = GrownBadBlocks::new(grown, self.geometry.planes(), settings.seed);
        self.blocks.grown = Some(Box::new(state));
    }

    /// Returns the state of all blocks and planes.
    pub const fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Returns the number of the write stream of a host queue.
    #[inline]
    pub fn stream_of_queue(&self, queue: u16) -> u16 {
        if self.write_streams == 1 { 0 } else { queue % self.write_streams }
    }

    /// Returns the stream to which a write belongs.
    #[inline]
    pub fn stream_of(&self, write: &Transaction) -> WriteStream {
        match write.purpose {
            Purpose::MappingWrite | Purpose::ParityWrite(ParityCause::MappingWrite) => {
                WriteStream::Mapping(0)
            }
            Purpose::GcWrite => self.blocks.stream_of_move(write),
            Purpose::ParityWrite(ParityCause::Move) => self.blocks.stream_of_moves(write.plane),
            _ => WriteStream::Host(write.stream),
        }
    }

    /// Returns true if a program of the stream's next page may start in a plane.
    #[inline]
    pub fn may_take_page(&self, plane: PlaneId, stream: WriteStream) -> bool {
        let has_room = self.blocks.next_offset(plane, stream).is_some();
        has_room && (!self.asks_for_turn || self.blocks.is_next_program_due(plane, stream))
    }

    /// Returns true if the program order of the block permits the program of `ppn` to start: all earlier
    /// programs of the block have started, or programs may start in any order. `turn` is the number of
    /// earlier programs.
    #[inline]
    pub fn is_its_turn(&self, turn: u32, ppn: Ppn) -> bool {
        self.page_allocation == PageAllocation::AtArrivalAnyOrder
            || self.blocks.table[self.geometry.block_of(ppn)].started_programs == turn
    }

    /// Returns true if a plane of the die has a free page for host writes or for write-backs of the map.
    pub fn has_room(&self, die: DieId) -> bool {
        self.geometry.planes_of(die).any(|plane| self.blocks.takes_new_data(plane))
    }

    /// Returns the position of the next page for a host write or a write-back of the map in its plane, or
    /// `None` if the write must wait.
    #[inline]
    pub fn room_for(&self, write: &Transaction) -> Option<NextWritePosition> {
        self.blocks.room_now(write.plane, self.stream_of(write))
    }

    /// Allocates a page to a write: the page at the position `room`, or the next page of the stream if no
    /// position is given. Also sets the write's position in the program order of the block.
    pub fn give_page(&mut self, write: &mut Transaction, room: Option<NextWritePosition>) -> Ppn {
        let stream = self.stream_of(write);
        let given = match room {
            Some(room) => self.blocks.allocate_in(write.plane, stream, room),
            None => self.blocks.allocate(write.plane, stream),
        };
        let (ppn, turn) = given.expect("room was looked for, or is kept for moves");
        write.page = PageState::Given { ppn, turn, waits_for_read: false };
        ppn
    }

    /// Adds `by` to the number of host pages that are counted for a plane.
    #[inline]
    pub fn commit(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        let committed = &mut self.blocks.planes[plane].committed_pages;
        *committed = committed.checked_add_signed(by).expect("a plane holds what was counted");
        if self.commitments.are_counted() || self.losses.is_some() {
            commit_apart(self, addresses, lpn, plane, by);
        }
    }

    /// Counts a host write that is assigned to a plane: as an outstanding write of the die, and as a page of
    /// the plane.
    pub fn count_write(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.commit(addresses, lpn, plane, 1);
        self.writes.join(self.geometry.die_of(plane));
    }

    /// Removes a redirected write from the counts of its lost plane.
    pub fn leave_lost_plane(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.blocks.planes[plane].committed_pages -= 1;
        self.commitments.change(|| addresses.range_of(lpn), plane, -1);
        self.writes.leave(self.geometry.die_of(plane));
    }

    /// Counts the pages of each address range in each plane, after preconditioning has filled the drive
    /// without counting them.
    pub fn count_commitments(&mut self, translation: &Translation) {
        let addresses = &translation.addresses;
        if addresses.len() == 1 {
            return;
        }
        for lpn in (0..translation.host_pages()).map(Lpn) {
            if let Some(plane) = translation.plane_of(lpn) {
                self.commitments.change(|| addresses.range_of(lpn), plane, 1);
            }
        }
    }

    /// Returns the plane for a write, or `None` if all planes are full.
    #[inline]
    pub fn plane_of_write(
        &mut self,
        translation: &Translation,
        write: &Transaction,
        lpn: Lpn,
    ) -> Option<PlaneId> {
        match self.allocation {
            Allocation::Static(_) if self.losses.is_some() => {
                let (home, _) = translation.addresses.place(lpn);
                if self.is_lost(home) { self.chosen_plane(translation, lpn) } else { Some(home) }
            }
            Allocation::Static(_) => Some(write.plane),
            Allocation::Dynamic(_) | Allocation::InTurn(_) => self.chosen_plane(translation, lpn),
            Allocation::Striped(_) => Some(self.blocks.next_plane(WriteStream::Host(write.stream))),
        }
    }

    /// Returns the plane for a write that may go to any plane. With dynamic allocation, this is the plane
    /// whose die has the fewest outstanding host writes; on a tie, the first one after the plane chosen last,
    /// in allocation order. With in-turn allocation, it is the plane after the one chosen last. Planes at
    /// their limit are skipped. If all are at their limit, a page that is mapped stays in its plane, and a
    /// new page must wait.
    pub fn chosen_plane(&mut self, translation: &Translation, lpn: Lpn) -> Option<PlaneId> {
        let addresses = &translation.addresses;
        let range = addresses.range_of(lpn);
        let takes_first = matches!(self.allocation, Allocation::InTurn(_));
        let is_open = |plane| !self.is_closed(addresses, range, plane);
        let die_of = |plane| self.geometry.die_of(plane);
        let found = self.writes.least_busy(range, addresses.planes(range), takes_first, is_open, die_of);
        let Some(position) = found else {
            return translation.plane_of(lpn).filter(|&plane| !self.is_lost(plane));
        };
        let planes = addresses.planes(range);
        self.writes.go_on_behind(range, position, planes.len());
        Some(planes[position as usize])
    }

    /// Returns true if a plane accepts another mapping unit of an address range. Used if writes of the range
    /// may go to any plane.
    pub fn takes_unit(&self, translation: &Translation, plane: PlaneId, range: usize) -> bool {
        !self.is_closed(&translation.addresses, range, plane)
    }

    /// Returns true if a plane accepts no further mapping unit of an address range. Used if writes of the
    /// range may go to any plane.
    #[inline]
    fn is_closed(&self, addresses: &AddressSpace, range: usize, plane: PlaneId) -> bool {
        match self.allocation {
            Allocation::Static(_) => self.is_full_of_substitutes(plane),
            Allocation::Dynamic(_) | Allocation::InTurn(_) => {
                self.is_taken_up(addresses, range, plane) || self.is_lost(plane)
            }
            Allocation::Striped(_) => false,
        }
    }

    /// Returns true if an address range already has the maximum number of pages in a plane, which is its
    /// share of the plane.
    #[inline]
    pub fn is_taken_up(&self, addresses: &AddressSpace, range: usize, plane: PlaneId) -> bool {
        match self.commitments.of(range, plane) {
            Some(pages) => pages >= addresses.quota(plane),
            None => self.blocks.planes[plane].committed_pages >= self.most_pages_of_plane,
        }
    }

    /// Returns true if `plane` accepts no further pages of other planes, including redirected writes after a
    /// loss of chips. Pages that static allocation places in `plane` are always accepted.
    pub fn is_full_for(&self, addresses: &AddressSpace, plane: PlaneId, lpn: Lpn) -> bool {
        if self.is_full_of_substitutes(plane) {
            return true;
        }
        if self.foreign_pages.are_limited() {
            return addresses.place(lpn).0 != plane && self.foreign_pages.are_complete(plane);
        }
        self.is_taken_up(addresses, addresses.range_of(lpn), plane)
    }

    /// Counts the host pages that static allocation would place in another plane, after a drive was filled or
    /// restored without counting them.
    pub fn count_foreign_pages(&mut self, translation: &Translation) {
        let Self { foreign_pages, blocks, .. } = self;
        foreign_pages.recount(|| translation.pages_away_from_home(), |plane| blocks.out_of_use(plane));
    }

    /// Returns true if a decrease of a plane's page count lets writes that wait for a plane continue. If
    /// pages are allocated before programs start, such writes continue only when a program ends.
    #[inline]
    pub const fn quotas_bind_waiting_writes(&self) -> bool {
        !self.page_allocation.is_early()
            && (self.losses.is_some()
                || matches!(self.allocation, Allocation::Dynamic(_) | Allocation::InTurn(_)))
    }

    /// Returns true if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_lost(plane))
    }

    /// Returns true if a plane accepts no more host pages that static allocation would store in another
    /// plane. Before a loss of chips, returns false.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_full_of_substitutes(plane))
    }

    /// Returns the lost planes, or `None` before any loss of chips.
    #[inline]
    pub fn losses(&self) -> Option<&LostPlanes> {
        self.losses.as_deref()
    }

    /// Marks planes as lost.
    pub fn lose(&mut self, is_lost: Vec<bool>, translation: &Translation) {
        let substitutes = match self.allocation {
            Allocation::Static(_) => self.substitutes(translation),
            _ => losses::Substitutes::default(),
        };
        self.losses = Some(Box::new(LostPlanes::new(is_lost, substitutes)));
    }

    /// Counts, for each plane, the host pages that static allocation would store in another plane. Also
    /// returns the limits of these counts. Used only with static allocation.
    fn substitutes(&self, translation: &Translation) -> losses::Substitutes {
        let room = |plane: PlaneId| {
            let out_of_use = self.blocks.out_of_use(plane) * self.geometry.pages_per_block;
            let own = translation.addresses.pages_of(plane, self.logical_pages_per_plane) + out_of_use;
            self.most_pages_of_plane.saturating_sub(own)
        };
        losses::Substitutes {
            here: translation.pages_away_from_home(),
            most: (0..self.geometry.planes()).map(|plane| room(PlaneId(plane))).collect(),
        }
    }
}

/// Updates the page counts that exist only with several address ranges or after a loss of chips.
fn commit_apart(space: &mut Space, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
    space.commitments.change(|| addresses.range_of(lpn), plane, by);
    if let Some(losses) = &mut space.losses {
        losses.count_substitute(addresses, lpn, plane, by);
    }
}
