//! Moves of collection that leave their plane.
//!
//! # What it models
//! With an `ftl.gc_destination` by which pages leave, a page of a victim may be written to any plane of its address range. The
//! victim's plane has its block back when all its pages have been programmed, wherever that is.
//!
//! # How
//! The destination is chosen when the page has been read. Room is never set aside there: it is looked for again when the page is
//! given out, and a move that finds none then goes home, to the plane of its victim, where room for it is kept as ever
//! ([decision 5](../../../../docs/decisions/0005-the-kept-block.md)). So a drive never comes to a halt for a move's destination.
//!
//! A guest, as a page is called in a plane that is not its victim's, takes a page of the open collection block that the plane's own
//! collection can spare, or opens one while that leaves the kept block free. A plane takes no more guests than the most pages with
//! which it never halts: with static allocation, its own share of the logical pages is set aside for them, present or not; with
//! dynamic allocation, the limit is that of the host's writes.
//!
//! Moves for want of space leave; those of wear levelling, which is about the blocks of one plane, and those of translation pages
//! stay.
//!
//! # Source
//! Ours, for Kim et al., "Decoupled SSD", ISCA 2023 and "Networked SSD", MICRO 2022, and Nadig et al., "Venice", ISCA 2023, §8.
//!
//! # Parameters
//! `ftl.gc_destination`

use venice_kernel::SimTime;

use crate::chip::ArrayWork;
use crate::geometry::{BlockId, DieId, Geometry, Lpn, PlaneId, Ppn, TransactionId};

use super::gc_destination::{AnyDestination, Frontier, Place, Victim};
use super::settings::FtlSettings;
use super::space::{Cause, Stream};
use super::translation::AddressSpace;
use super::{Ftl, logical_pages_per_plane, most_logical_pages_per_plane};
use crate::controller::queues::Legality;
use crate::work::{Purpose, Transaction};

/// What is known of pages that left their plane.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    policy: AnyDestination,
    /// Whether the policy ever lets a page leave.
    leaves: bool,
    /// What the policy chooses from; kept for its memory.
    places: Vec<Place>,
    /// By die: moves that were sent there and have not ended.
    at_die: Vec<u32>,
    /// With static allocation, by plane: pages there that static allocation puts elsewhere.
    guests: Vec<u32>,
    /// The most of them.
    most_guests: Vec<u32>,
}

impl Moves {
    /// Whether moves ever leave their plane.
    pub(super) const fn leaves(&self) -> bool {
        self.leaves
    }

    /// What is known before the first move.
    pub(super) fn none(geometry: &Geometry, settings: &FtlSettings, space: &AddressSpace) -> Self {
        let leaves = settings.gc_destination.leaves() && !settings.gc_copyback;
        let is_static = settings.allocation.is_static();
        let guarded = if leaves && is_static { geometry.planes() } else { 0 };
        let per_plane = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
        let most = most_logical_pages_per_plane(geometry);
        let room = |plane| most.saturating_sub(space.pages_of(PlaneId(plane), per_plane));
        Self {
            policy: settings.gc_destination.build(&settings.destination_parameters),
            leaves,
            places: Vec::new(),
            at_die: vec![0; if leaves { geometry.dies() as usize } else { 0 }],
            guests: vec![0; guarded as usize],
            most_guests: (0..guarded).map(room).collect(),
        }
    }
}

impl Ftl {
    /// Whether moves ever leave their plane.
    #[inline]
    pub const fn moves_leave(&self) -> bool {
        self.collector.moves.leaves
    }

    /// What the pages of a victim fill that stay in its plane.
    pub(super) fn frontier_of(&mut self, victim: BlockId) -> Frontier {
        let (block, geometry) = (self.space.blocks.block(victim), &self.geometry);
        let age = self.space.blocks.table().age(block);
        let blocks = geometry.planes() * geometry.blocks_per_plane;
        self.collector.moves.policy.frontier(&Victim { age, valid: block.valid, blocks })
    }

    /// Sends a move whose page was read to its destination.
    pub(super) fn choose_destination(&mut self, read: &Transaction) -> PlaneId {
        self.destination(read, |_, _, _| true).unwrap_or(read.collected)
    }

    /// The plane that the policy chooses for a move among those of dies that `can` take it; none if it is to stay.
    fn destination(
        &mut self,
        read: &Transaction,
        can: impl Fn(&Self, PlaneId, DieId) -> bool,
    ) -> Option<PlaneId> {
        let leaves = self.collector.moves.leaves && !self.space.is_lost(read.collected);
        let lpn = read.lpn.filter(|&lpn| leaves && !self.translation.is_translation_page(lpn))?;
        let collection = self.space.blocks.plane(read.collected).collection?;
        if collection.cause == Cause::Wear {
            return None;
        }
        let mut places = std::mem::take(&mut self.collector.moves.places);
        places.clear();
        let planes = self.translation.addresses.planes(self.translation.addresses.range_of(lpn));
        for (position, &plane) in (0..).zip(planes) {
            let die = self.geometry.die_of(plane);
            let takes_it = plane != read.collected
                && self.space.blocks.plane(plane).collection.is_none()
                && can(self, plane, die)
                && self.takes_guest(plane, lpn);
            if takes_it {
                let busy = self.space.writes.of(die) + self.collector.moves.at_die[die.index()];
                places.push(Place { plane, position, column: self.column(plane), busy });
            }
        }
        let chosen = self.collector.moves.policy.choose(self.column(read.collected), &places);
        let plane = chosen.map(|index| places[index].plane);
        self.collector.moves.places = places;
        plane
    }

    /// Where a page that a die has read may go at once, if collection is to move it: the plane that the policy chooses among those
    /// of dies that have nothing waiting and that `can` take it.
    pub fn copy_destination(&mut self, read: TransactionId, can: impl Fn(DieId) -> bool) -> Option<PlaneId> {
        if !self.collector.moves.leaves || self.is_needless(self.transactions.get(read)) {
            return None;
        }
        let read = *self.transactions.get(read);
        self.destination(&read, |ftl, plane, die| {
            !ftl.queues.waits_for(die) && can(die) && ftl.space.may_take_page(plane, Stream::Guest)
        })
    }

    /// A page goes from its register to that of another chip, where its program starts: the transaction that it is there, and how
    /// long its array will work.
    pub fn start_copy(
        &mut self,
        read: TransactionId,
        plane: PlaneId,
        now: SimTime,
    ) -> (TransactionId, ArrayWork) {
        let write = Transaction { purpose: Purpose::GcWrite, plane, ..*self.transactions.get(read) };
        let id = self.transactions.insert(write);
        self.books.copied_between_chips();
        self.move_sets_out(plane);
        let work = self.start_one(id, now);
        (id, work)
    }

    /// A page has left its register for another chip: its read is over.
    pub fn copied(&mut self, read: TransactionId, now: SimTime) {
        let done = self.transactions.remove(read);
        self.books.ended(read, &done);
        self.unpin(done.pinned(), done.plane, now);
    }

    fn column(&self, plane: PlaneId) -> u32 {
        self.geometry.array.col(self.geometry.chip_of(self.geometry.die_of(plane)))
    }

    /// Whether a page of another plane may be written to this one now.
    fn takes_guest(&self, plane: PlaneId, lpn: Lpn) -> bool {
        self.space.blocks.next_offset(plane, Stream::Guest).is_some()
            && !self.is_full_of_guests(plane, lpn)
            && !self.space.is_full_of_substitutes(plane)
    }

    pub(super) fn is_full_of_guests(&self, plane: PlaneId, lpn: Lpn) -> bool {
        match self.collector.moves.most_guests.get(plane.index()) {
            Some(&most) => {
                self.translation.addresses.place(lpn).0 != plane
                    && self.collector.moves.guests[plane.index()] >= most
            }
            None => self.space.is_taken_up(
                &self.translation.addresses,
                self.translation.addresses.range_of(lpn),
                plane,
            ),
        }
    }

    /// A move sets out for the die of its plane.
    pub(super) fn move_sets_out(&mut self, plane: PlaneId) {
        if self.collector.moves.leaves {
            self.collector.moves.at_die[self.geometry.die_of(plane).index()] += 1;
        }
    }

    /// A move has ended, or goes elsewhere.
    pub(super) fn move_leaves_die(&mut self, plane: PlaneId) {
        if self.collector.moves.leaves {
            self.collector.moves.at_die[self.geometry.die_of(plane).index()] -= 1;
        }
    }

    /// Whether a move that waits for its die finds no room where it was sent.
    pub(super) fn finds_no_room(&self, moved: &Transaction) -> bool {
        let takes_it = |lpn| self.takes_guest(moved.plane, lpn);
        moved.is_guest() && !moved.is_placed() && !moved.lpn.is_some_and(takes_it)
    }

    /// A move that waits for its die goes back to its victim's plane.
    pub(super) fn send_home(&mut self, die: DieId, id: TransactionId, now: SimTime) {
        self.queues.leave(&mut self.transactions, die, id, now);
        let moved = self.transactions.get_mut(id);
        let (left, home) = (moved.plane, moved.collected);
        moved.plane = home;
        self.move_leaves_die(left);
        self.move_sets_out(home);
        self.queues.join(&mut self.transactions, id, now);
    }

    /// A page of the host was at `old`, if anywhere, and is at `to` now.
    #[inline]
    pub(super) fn count_guest(&mut self, lpn: Lpn, old: Ppn, to: Ppn) {
        if self.collector.moves.guests.is_empty() {
            return;
        }
        let home = self.translation.addresses.place(lpn).0;
        let (old, to) = (self.geometry.plane_of_page(old), self.geometry.plane_of_page(to));
        self.collector.moves.guests[to.index()] += u32::from(to != home);
        self.collector.moves.guests[old.index()] -= u32::from(old != home);
    }

    /// A page that was nowhere is at `to` now, which after a loss may be elsewhere than at home.
    pub(super) fn count_new_guest(&mut self, lpn: Lpn, to: Ppn) {
        let (home, to) = (self.translation.addresses.place(lpn).0, self.geometry.plane_of_page(to));
        if let (true, Some(guests)) = (to != home, self.collector.moves.guests.get_mut(to.index())) {
            *guests += 1;
        }
    }

    /// Counts the guests of a drive that was filled, or restored, without them being counted. What filling took out of use has no
    /// room for any.
    pub(super) fn count_guests(&mut self) {
        if self.collector.moves.guests.is_empty() {
            return;
        }
        self.collector.moves.guests.fill(0);
        for (plane, most) in (0..).zip(&mut self.collector.moves.most_guests) {
            let out_of_use = self.space.blocks.out_of_use(PlaneId(plane)) * self.geometry.pages_per_block;
            *most = most.saturating_sub(out_of_use);
        }
        for lpn in (0..self.translation.host_pages()).map(Lpn) {
            let Some(plane) = self.translation.map.physical(lpn).map(|ppn| self.geometry.plane_of_page(ppn))
            else {
                continue;
            };
            self.collector.moves.guests[plane.index()] +=
                u32::from(self.translation.addresses.place(lpn).0 != plane);
        }
    }
}
