//! Space on flash: choice of the plane of a write, allocation of its page, and order of the programs of a
//! block.
//!
//! # What it models
//! The state of planes and blocks: free, open and full blocks, the pages of each address range on a plane and
//! their limit, the load of the planes, and lost planes. This module starts no command and orders no GC; the
//! locations of logical pages come from the [`Translation`] that its functions receive.
//!
//! # How
//! `blocks` allocates pages; `block_table` and `plane_table` hold the state of each block and of each plane;
//! `planes` chooses the plane of a write; `lines` joins blocks of all planes; `commitments` counts the pages of
//! address ranges; `losses` exists once chips are lost.

mod block_table;
mod blocks;
mod candidate_cache;
mod commitments;
mod foreign_pages;
mod free_blocks;
pub(super) mod frontiers;
mod lines;
mod losses;
mod notices;
mod plane;
mod plane_table;
mod planes;

use super::allocation::Allocation;
use super::settings::{FtlSettings, PageAllocation};
use super::translation::{AddressSpace, Translation};

use super::{logical_pages_per_plane, most_logical_pages_per_plane};

pub use block_table::Block;
pub use blocks::{Blocks, StoredBlocks};
pub use frontiers::{OpenBlockCounts, WriteStream};
pub use lines::Lines;
pub use losses::LostPlanes;
pub use plane::{Collection, CollectionCause, CollectionRule, KEPT_FOR_COLLECTION, NextWritePosition, Plane};

use commitments::Commitments;
use foreign_pages::ForeignPages;
use notices::CollectionNotices;
use planes::WritesAtDies;
use venice_nand::geometry::{DieId, Geometry, Lpn, PlaneId, Ppn};
use venice_nand::transactions::{PageState, Purpose, Transaction};

/// Blocks and planes of a drive, with their free pages.
#[derive(Clone, Debug)]
pub struct Space {
    geometry: Geometry,
    /// Blocks and planes.
    pub(super) blocks: Blocks,
    /// Host writes that are queued for dies.
    pub(super) writes: WritesAtDies,
    commitments: Commitments,
    pub(super) foreign_pages: ForeignPages,
    /// Host pages per plane under static allocation.
    logical_pages_per_plane: u32,
    /// Maximum number of pages per plane without a deadlock of GC.
    most_pages_of_plane: u32,
    allocation: Allocation,
    page_allocation: PageAllocation,
    write_streams: u16,
    losses: Option<Box<LostPlanes>>,
    /// Chips that have begun or ended garbage collection since the last notice.
    pub(super) notices: CollectionNotices,
    /// True if planes collect only for waiting writes, since the host has no more requests.
    pub(super) is_at_rest: bool,
    /// Moves per page written in the steady state in which the drive was prepared; `None` if it was not.
    pub steady_moves_per_write: Option<f64>,
}

impl Space {
    /// Returns the space of an erased drive.
    pub fn new(geometry: Geometry, settings: &FtlSettings, translation: &Translation) -> Self {
        let (addresses, rule) = (&translation.addresses, CollectionRule::of(settings));
        let mut blocks = Blocks::new(geometry, settings.streams(), settings.dynamic_wear_levelling, rule);
        if settings.allocation.is_striped() {
            blocks = blocks.with_lines(addresses.planes(0).to_vec());
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
            most_pages_of_plane: most_logical_pages_per_plane(&geometry, settings.units),
            allocation: settings.allocation,
            page_allocation: settings.page_allocation,
            write_streams: settings.write_streams,
            losses: None,
            notices: CollectionNotices::default(),
            is_at_rest: false,
            steady_moves_per_write: None,
            geometry,
        }
    }

    /// Returns the blocks and planes.
    pub const fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Returns the stream of the writes of a host queue.
    #[inline]
    pub fn stream_of_queue(&self, queue: u16) -> u16 {
        if self.write_streams == 1 { 0 } else { queue % self.write_streams }
    }

    /// Returns the stream of a write.
    #[inline]
    pub fn stream_of(&self, write: &Transaction) -> WriteStream {
        match write.purpose {
            Purpose::MappingWrite => WriteStream::Mapping(0),
            Purpose::GcWrite => self.blocks.stream_of_move(write),
            _ => WriteStream::Host(write.stream),
        }
    }

    /// True if a program can start with the next page of a stream.
    #[inline]
    pub fn may_take_page(&self, plane: PlaneId, stream: WriteStream) -> bool {
        let has_room = self.blocks.next_offset(plane, stream).is_some();
        let asks_for_turn = self.page_allocation == PageAllocation::AtArrival;
        has_room && (!asks_for_turn || self.blocks.is_next_program_due(plane, stream))
    }

    /// True if all earlier programs of the block have started, or if their order is free.
    #[inline]
    pub fn is_its_turn(&self, turn: u32, ppn: Ppn) -> bool {
        self.page_allocation == PageAllocation::AtArrivalAnyOrder
            || self.blocks.table[self.geometry.block_of(ppn)].started_programs == turn
    }

    /// True if the host or the map can write to any plane of a die.
    pub fn has_room(&self, die: DieId) -> bool {
        self.geometry.planes_of(die).any(|plane| self.blocks.takes_new_data(plane))
    }

    /// Returns the write position for a host or mapping write in its plane, if the write need not wait.
    #[inline]
    pub fn room_for(&self, write: &Transaction) -> Option<NextWritePosition> {
        self.blocks.room_now(write.plane, self.stream_of(write))
    }

    /// Allocates to a write the next page of its stream, at the position `room` if one was found before, and
    /// its position in the program order of the block.
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

    /// Changes the number of host pages on a plane by `by`.
    #[inline]
    pub fn commit(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        let committed = &mut self.blocks.planes[plane].committed_pages;
        *committed = committed.checked_add_signed(by).expect("a plane holds what was counted");
        if self.commitments.are_counted() || self.losses.is_some() {
            commit_apart(self, addresses, lpn, plane, by);
        }
    }

    /// Counts a host write that is assigned to a plane, and its page there.
    pub fn count_write(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.commit(addresses, lpn, plane, 1);
        self.writes.join(self.geometry.die_of(plane));
    }

    /// Removes a write on a lost plane from the counts that included it before the loss.
    pub fn leave_lost_plane(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.blocks.planes[plane].committed_pages -= 1;
        self.commitments.change(|| addresses.range_of(lpn), plane, -1);
        self.writes.leave(self.geometry.die_of(plane));
    }

    /// Counts the pages of each of several address ranges on each plane, for a drive that was filled without
    /// these counts.
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

    /// Returns the plane of a write; `None` if all planes are full.
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

    /// Returns the plane whose die has the fewest outstanding host writes, searched in allocation order from
    /// the end of the last search; with in-turn allocation, the first plane in that order. Planes at their
    /// limit are skipped. If all planes are, a mapped page is overwritten on its present plane, and a new
    /// page has to wait.
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

    /// True if a plane accepts another unit of an address range whose writes may go to any plane.
    pub fn takes_unit(&self, translation: &Translation, plane: PlaneId, range: usize) -> bool {
        !self.is_closed(&translation.addresses, range, plane)
    }

    /// True if a plane accepts no further write that could go to any plane.
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

    /// True if a plane holds the maximum number of pages of an address range.
    #[inline]
    pub fn is_taken_up(&self, addresses: &AddressSpace, range: usize, plane: PlaneId) -> bool {
        match self.commitments.of(range, plane) {
            Some(pages) => pages >= addresses.quota(&self.geometry, plane),
            None => self.blocks.planes[plane].committed_pages >= self.most_pages_of_plane,
        }
    }

    /// True if `plane` accepts no further pages of other planes; after a loss, pages of redirected writes
    /// count. Its own pages are never refused.
    pub fn is_full_for(&self, addresses: &AddressSpace, plane: PlaneId, lpn: Lpn) -> bool {
        if self.is_full_of_substitutes(plane) {
            return true;
        }
        if self.foreign_pages.are_limited() {
            return addresses.place(lpn).0 != plane && self.foreign_pages.are_complete(plane);
        }
        self.is_taken_up(addresses, addresses.range_of(lpn), plane)
    }

    /// Counts the foreign pages of a drive that was filled or restored without these counts.
    pub fn count_foreign_pages(&mut self, translation: &Translation) {
        let Self { foreign_pages, blocks, .. } = self;
        foreign_pages.recount(|| translation.pages_away_from_home(), |plane| blocks.out_of_use(plane));
    }

    /// True if writes that wait for a plane may continue when a page is removed from a plane. With early page
    /// allocation, they continue when a program ends.
    #[inline]
    pub const fn quotas_bind_waiting_writes(&self) -> bool {
        !self.page_allocation.is_early()
            && (self.losses.is_some()
                || matches!(self.allocation, Allocation::Dynamic(_) | Allocation::InTurn(_)))
    }

    /// True if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_lost(plane))
    }

    /// True if a plane takes no more pages of other planes after a loss.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_full_of_substitutes(plane))
    }

    /// Returns the lost planes, after a loss of chips.
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

    /// Returns the number of pages on each plane whose static plane is another one, with static allocation,
    /// and their limit.
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

/// Counts a page in the counts that exist only with several address ranges or after a loss.
fn commit_apart(space: &mut Space, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
    space.commitments.change(|| addresses.range_of(lpn), plane, by);
    if let Some(losses) = &mut space.losses {
        losses.count_substitute(addresses, lpn, plane, by);
    }
}
