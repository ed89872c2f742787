//! Moves of collection that leave their plane.
//!
//! # What it models
//! With an `ftl.gc_destination` by which pages leave, a page of a victim may be written to any plane of its address range. The
//! victim's plane has its block back when all its pages have been programmed, wherever that is.
//!
//! # How
//! The destination is chosen when the page has been read. Room is never set aside there: it is looked for again when the page is
//! given out, and a move that finds none then goes home, to the plane of its victim, where room for it is kept as ever
//! ([reserved block](../../../../../docs/decisions/reserved-block.md)). So a drive never comes to a halt for a move's destination.
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

use crate::geometry::{BlockId, DieId, Geometry, Lpn, PlaneId, Ppn};
use crate::work::Transaction;

use crate::ftl::gc_destination::{AnyDestination, Frontier, Place, Victim};
use crate::ftl::settings::FtlSettings;
use crate::ftl::space::{Blocks, Cause, Space, Stream};
use crate::ftl::translation::{AddressSpace, Translation};
use crate::ftl::{logical_pages_per_plane, most_logical_pages_per_plane};

/// Where moves go, and what is known of pages that left their plane.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Destinations {
    geometry: Geometry,
    policy: AnyDestination,
    /// Whether the policy ever lets a page leave.
    leave: bool,
    /// What the policy chooses from; kept for its memory.
    places: Vec<Place>,
    /// By die: moves that were sent there and have not ended.
    at_die: Vec<u32>,
    /// With static allocation, by plane: pages there that static allocation puts elsewhere.
    guests: Vec<u32>,
    /// The most of them.
    most_guests: Vec<u32>,
}

impl Destinations {
    /// What is known before the first move.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let leave = settings.gc_destination.leaves() && !settings.gc_copyback;
        let is_static = settings.allocation.is_static();
        let guarded = if leave && is_static { geometry.planes() } else { 0 };
        let per_plane = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
        let most = most_logical_pages_per_plane(geometry);
        let room = |plane| most.saturating_sub(addresses.pages_of(PlaneId(plane), per_plane));
        Self {
            geometry: *geometry,
            policy: settings.gc_destination.build(&settings.destination_parameters),
            leave,
            places: Vec::new(),
            at_die: vec![0; if leave { geometry.dies() as usize } else { 0 }],
            guests: vec![0; guarded as usize],
            most_guests: (0..guarded).map(room).collect(),
        }
    }

    /// Whether moves ever leave their plane.
    #[inline]
    pub(in crate::ftl) const fn leave(&self) -> bool {
        self.leave
    }

    /// What the pages of a victim fill that stay in its plane.
    pub(super) fn frontier(&mut self, blocks: &Blocks, victim: BlockId) -> Frontier {
        let block = &blocks.table[victim];
        let of_drive = self.geometry.planes() * self.geometry.blocks_per_plane;
        self.policy.frontier(&Victim { age: blocks.table.age(block), valid: block.valid, blocks: of_drive })
    }

    /// The plane that the policy chooses for a move among those of dies that `can` take it; none if it is to stay.
    pub(in crate::ftl) fn choose(
        &mut self,
        space: &Space,
        translation: &Translation,
        read: &Transaction,
        can: impl Fn(PlaneId, DieId) -> bool,
    ) -> Option<PlaneId> {
        let leaves = self.leave && !space.is_lost(read.collected);
        let lpn = read.lpn.filter(|&lpn| leaves && !translation.is_translation_page(lpn))?;
        let collection = space.blocks.planes[read.collected].collection?;
        if collection.cause == Cause::Wear {
            return None;
        }
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        let planes = translation.addresses.planes(translation.range_of(lpn));
        for (position, &plane) in (0..).zip(planes) {
            let die = self.geometry.die_of(plane);
            let takes_it = plane != read.collected
                && space.blocks.planes[plane].collection.is_none()
                && can(plane, die)
                && self.is_taken_by(space, translation, plane, lpn);
            if takes_it {
                let busy = space.writes.of(die) + self.at_die[die.index()];
                places.push(Place { plane, position, column: self.column(plane), busy });
            }
        }
        let chosen = self.policy.choose(self.column(read.collected), &places);
        let plane = chosen.map(|index| places[index].plane);
        self.places = places;
        plane
    }

    fn column(&self, plane: PlaneId) -> u32 {
        self.geometry.array.col(self.geometry.chip_of(self.geometry.die_of(plane)))
    }

    /// Whether a page of another plane may be written to this one now.
    fn is_taken_by(&self, space: &Space, translation: &Translation, plane: PlaneId, lpn: Lpn) -> bool {
        space.blocks.next_offset(plane, Stream::Guest).is_some()
            && !self.is_full(space, &translation.addresses, plane, lpn)
    }

    /// Whether a plane holds as many pages of other planes as it may, after a loss with those that writes of lost planes were promised;
    /// of its own it takes any number.
    fn is_full(&self, space: &Space, addresses: &AddressSpace, plane: PlaneId, lpn: Lpn) -> bool {
        if space.is_full_of_substitutes(plane) {
            return true;
        }
        match self.most_guests.get(plane.index()) {
            Some(&most) => addresses.place(lpn).0 != plane && self.guests[plane.index()] >= most,
            None => space.is_taken_up(addresses, addresses.range_of(lpn), plane),
        }
    }

    /// Whether the plane of a move that leaves its own takes it now; of other writes there is no question.
    #[inline]
    pub(in crate::ftl) fn may_program(
        &self,
        space: &Space,
        addresses: &AddressSpace,
        write: &Transaction,
    ) -> bool {
        let is_full = |lpn| self.is_full(space, addresses, write.plane, lpn);
        !self.leave || !write.is_guest() || write.lpn.is_some_and(|lpn| !is_full(lpn))
    }

    /// Whether a move that waits for its die finds no room where it was sent.
    pub(in crate::ftl) fn has_no_room(
        &self,
        space: &Space,
        translation: &Translation,
        moved: &Transaction,
    ) -> bool {
        let takes_it = |lpn| self.is_taken_by(space, translation, moved.plane, lpn);
        self.leave && moved.is_guest() && !moved.is_placed() && !moved.lpn.is_some_and(takes_it)
    }

    /// A move sets out for the die of its plane.
    pub(in crate::ftl) fn join(&mut self, plane: PlaneId) {
        if self.leave {
            self.at_die[self.geometry.die_of(plane).index()] += 1;
        }
    }

    /// A move has ended, or goes elsewhere.
    pub(in crate::ftl) fn end(&mut self, plane: PlaneId) {
        if self.leave {
            self.at_die[self.geometry.die_of(plane).index()] -= 1;
        }
    }

    /// A page of the host was at `old`, if anywhere, and is at `to` now.
    #[inline]
    pub(in crate::ftl) fn count_guest(&mut self, addresses: &AddressSpace, lpn: Lpn, old: Ppn, to: Ppn) {
        if self.guests.is_empty() {
            return;
        }
        let home = addresses.place(lpn).0;
        let (old, to) = (self.geometry.plane_of_page(old), self.geometry.plane_of_page(to));
        self.guests[to.index()] += u32::from(to != home);
        self.guests[old.index()] -= u32::from(old != home);
    }

    /// A page that was nowhere is at `to` now, which after a loss may be elsewhere than at home.
    pub(in crate::ftl) fn count_new_guest(&mut self, addresses: &AddressSpace, lpn: Lpn, to: Ppn) {
        let (home, to) = (addresses.place(lpn).0, self.geometry.plane_of_page(to));
        if let (true, Some(guests)) = (to != home, self.guests.get_mut(to.index())) {
            *guests += 1;
        }
    }

    /// Counts the guests of a drive that was filled, or restored, without them being counted. What filling took out of use has no
    /// room for any.
    pub(in crate::ftl) fn count_guests(&mut self, blocks: &Blocks, translation: &Translation) {
        if self.guests.is_empty() {
            return;
        }
        for (plane, most) in (0..).zip(&mut self.most_guests) {
            let out_of_use = blocks.out_of_use(PlaneId(plane)) * self.geometry.pages_per_block;
            *most = most.saturating_sub(out_of_use);
        }
        self.guests = translation.pages_away_from_home();
    }
}
