//! Room on flash: which plane a write goes to, which page it gets there, and when its turn comes.
//!
//! # What it models
//! The part of the layer that knows planes and blocks: free, open and full blocks, how much of each address range a plane holds and
//! may hold, which plane is the least busy, and which planes are lost. It starts no command and orders no collection; where logical
//! pages are it asks the [`Translation`] that it is handed.
//!
//! # How
//! `blocks` gives out pages; `block_table` and `plane_table` hold what is known of each block and of each plane; `planes` chooses where
//! a write goes; `commitments` keeps what ranges were promised; `losses` is there once chips are lost.

mod block_table;
mod blocks;
mod commitments;
mod free_blocks;
pub(super) mod frontiers;
mod guests;
mod leaders;
mod losses;
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
pub use losses::LostPlanes;
pub use plane::{Collection, CollectionCause, CollectionRule, KEPT_FOR_COLLECTION, NextWritePosition, Plane};

use commitments::Commitments;
use guests::Guests;
use planes::WritesAtDies;
use venice_nand::geometry::{DieId, Geometry, Lpn, PlaneId, Ppn};
use venice_nand::transactions::{PageState, Purpose, Transaction};

/// Blocks and planes of a drive, and the room on them.
#[derive(Clone, Debug)]
pub struct Space {
    geometry: Geometry,
    /// Blocks and planes.
    pub(super) blocks: Blocks,
    /// Writes of the host on their way.
    pub(super) writes: WritesAtDies,
    commitments: Commitments,
    pub(super) guests: Guests,
    /// Pages of the host that a plane has with static allocation.
    logical_pages_per_plane: u32,
    /// Pages with which a plane never comes to a halt.
    most_pages_of_plane: u32,
    allocation: Allocation,
    page_allocation: PageAllocation,
    write_streams: u16,
    losses: Option<Box<LostPlanes>>,
    /// True if planes collect only where a write waits for it, since the host has no more requests.
    pub(super) is_at_rest: bool,
    /// Moves for each page written in the steady state that the drive was prepared in, if it was.
    pub steady_moves_per_write: Option<f64>,
}

impl Space {
    /// Returns the planes of an erased drive.
    pub fn new(geometry: Geometry, settings: &FtlSettings, translation: &Translation) -> Self {
        let (addresses, rule) = (&translation.addresses, CollectionRule::of(settings));
        let mut blocks = Blocks::new(geometry, settings.streams(), settings.dynamic_wear_levelling, rule);
        for page in translation.host_pages()..translation.map.logical_pages() {
            blocks.planes[addresses.place(Lpn(page)).0].committed_pages += 1;
        }
        Self {
            blocks,
            writes: WritesAtDies::none(&geometry, addresses.len()),
            commitments: Commitments::new(&geometry, addresses.len()),
            guests: Guests::new(&geometry, settings, addresses),
            logical_pages_per_plane: logical_pages_per_plane(&geometry, settings.over_provisioning_ratio),
            most_pages_of_plane: most_logical_pages_per_plane(&geometry),
            allocation: settings.allocation,
            page_allocation: settings.page_allocation,
            write_streams: settings.write_streams,
            losses: None,
            is_at_rest: false,
            steady_moves_per_write: None,
            geometry,
        }
    }

    /// Blocks and planes.
    pub const fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Returns the stream of the writes of a host queue.
    #[inline]
    pub fn stream_of_queue(&self, queue: u16) -> u16 {
        if self.write_streams == 1 { 0 } else { queue % self.write_streams }
    }

    /// Returns the stream whose pages a write takes.
    #[inline]
    pub fn stream_of(&self, write: &Transaction) -> WriteStream {
        match write.purpose {
            Purpose::MappingWrite => WriteStream::Mapping(0),
            Purpose::GcWrite if write.plane != write.collected => WriteStream::Guest,
            Purpose::GcWrite => self.blocks.stream_of_moves(write.plane),
            _ => WriteStream::Host(write.stream),
        }
    }

    /// Returns true if a program can start with the next page of a stream.
    #[inline]
    pub fn may_take_page(&self, plane: PlaneId, stream: WriteStream) -> bool {
        let has_room = self.blocks.next_offset(plane, stream).is_some();
        let asks_for_turn = self.page_allocation == PageAllocation::AtArrival;
        has_room && (!asks_for_turn || self.blocks.is_next_program_due(plane, stream))
    }

    /// Returns true if the programs before that of a given page have started, as far as that matters.
    #[inline]
    pub fn is_its_turn(&self, turn: u32, ppn: Ppn) -> bool {
        self.page_allocation == PageAllocation::AtArrivalAnyOrder
            || self.blocks.table[self.geometry.block_of(ppn)].started_programs == turn
    }

    /// Returns true if the host or the map can write to any plane of a die.
    pub fn has_room(&self, die: DieId) -> bool {
        let has_room = |plane| self.blocks.next_offset(plane, WriteStream::Mapping(0)).is_some();
        self.geometry.planes_of(die).any(has_room)
    }

    /// Returns the room for a write of the host or of the map in its plane, if it need not wait for any.
    #[inline]
    pub fn room_for(&self, write: &Transaction) -> Option<NextWritePosition> {
        self.blocks.room_now(write.plane, self.stream_of(write))
    }

    /// Gives a write the next page of its stream, in the room that was found for it if it was looked for, and its turn among the programs
    /// of the block.
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

    /// Counts a host page more, or less, on a plane.
    #[inline]
    pub fn commit(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        let committed = &mut self.blocks.planes[plane].committed_pages;
        *committed = committed.checked_add_signed(by).expect("a plane holds what was counted");
        if self.commitments.are_counted() || self.losses.is_some() {
            commit_apart(self, addresses, lpn, plane, by);
        }
    }

    /// Counts a write of the host that a plane will do and whose page it will hold.
    pub fn count_write(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.commit(addresses, lpn, plane, 1);
        self.writes.join(self.geometry.die_of(plane));
    }

    /// Uncounts a write on a lost plane, where it was counted before the loss.
    pub fn leave_lost_plane(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId) {
        self.blocks.planes[plane].committed_pages -= 1;
        self.commitments.change(|| addresses.range_of(lpn), plane, -1);
        self.writes.leave(self.geometry.die_of(plane));
    }

    /// Counts how many pages each of several address ranges has on each plane, on a drive that was filled without that.
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

    /// Returns the plane that a write goes to; `None` if all planes are full.
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
        }
    }

    /// Returns the plane whose die has the fewest writes of the host to do, looked for in allocation order
    /// from where the last search ended; in a log the first in that order. A plane that holds as much as it may is passed over; if
    /// all do, a page that is already somewhere is overwritten there, and a new page has to wait.
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

    /// Returns true if a plane takes no write that is free to go to any.
    #[inline]
    fn is_closed(&self, addresses: &AddressSpace, range: usize, plane: PlaneId) -> bool {
        match self.allocation {
            Allocation::Static(_) => self.is_full_of_substitutes(plane),
            Allocation::Dynamic(_) | Allocation::InTurn(_) => {
                self.is_taken_up(addresses, range, plane) || self.is_lost(plane)
            }
        }
    }

    /// Returns true if a plane holds as much of an address range as it may.
    #[inline]
    pub fn is_taken_up(&self, addresses: &AddressSpace, range: usize, plane: PlaneId) -> bool {
        match self.commitments.of(range, plane) {
            Some(pages) => pages >= addresses.quota(&self.geometry, plane),
            None => self.blocks.planes[plane].committed_pages >= self.most_pages_of_plane,
        }
    }

    /// Returns true if `plane` takes no more pages of another plane, after a loss with those that writes of lost planes were promised; of
    /// its own it takes any number.
    pub fn is_full_for(&self, addresses: &AddressSpace, plane: PlaneId, lpn: Lpn) -> bool {
        if self.is_full_of_substitutes(plane) {
            return true;
        }
        if self.guests.are_limited() {
            return addresses.place(lpn).0 != plane && self.guests.are_complete(plane);
        }
        self.is_taken_up(addresses, addresses.range_of(lpn), plane)
    }

    /// Counts guests of a drive that was filled or restored without counting them.
    pub fn count_guests(&mut self, translation: &Translation) {
        let Self { guests, blocks, .. } = self;
        guests.recount(|| translation.pages_away_from_home(), |plane| blocks.out_of_use(plane));
    }

    /// Returns true if writes that wait for a plane may go on when a page leaves one. With pages given out early, they go on when a
    /// program ends.
    #[inline]
    pub const fn quotas_bind_waiting_writes(&self) -> bool {
        !self.page_allocation.is_early()
            && (self.losses.is_some() || !matches!(self.allocation, Allocation::Static(_)))
    }

    /// Returns true if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_lost(plane))
    }

    /// Returns true if a plane takes no more pages of other planes after a loss.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        self.losses.as_ref().is_some_and(|losses| losses.is_full_of_substitutes(plane))
    }

    /// Lost planes, after a loss of chips.
    #[inline]
    pub fn losses(&self) -> Option<&LostPlanes> {
        self.losses.as_deref()
    }

    /// Gives planes up.
    pub fn lose(&mut self, is_lost: Vec<bool>, translation: &Translation) {
        let substitutes = match self.allocation {
            Allocation::Static(_) => self.substitutes(translation),
            Allocation::Dynamic(_) | Allocation::InTurn(_) => losses::Substitutes::default(),
        };
        self.losses = Some(Box::new(LostPlanes::new(is_lost, substitutes)));
    }

    /// Counts the pages of each plane that belong elsewhere with static allocation, and how many may.
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

/// Counts a page in the accounts that only several ranges and losses need.
fn commit_apart(space: &mut Space, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
    space.commitments.change(|| addresses.range_of(lpn), plane, by);
    if let Some(losses) = &mut space.losses {
        losses.count_substitute(addresses, lpn, plane, by);
    }
}
