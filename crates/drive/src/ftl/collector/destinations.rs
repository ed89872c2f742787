//! Relocation of pages to other planes by garbage collection (GC).
//!
//! # What it models
//! With an `ftl.gc_destination` that leaves the plane, a page of a victim may be written to any plane of its
//! address range. The victim is erased when all its pages have been programmed, on any plane.
//!
//! # How
//! The destination is chosen when the page has been read. No free page is reserved at the destination. If the
//! destination has no free page when the page is to be allocated, the page returns to the plane of its
//! victim, where a page is reserved for it ([reserved
//! block](../../../../../docs/decisions/reserved-block.md)). The choice of a destination therefore cannot
//! cause a deadlock.
//!
//! A page that is moved from another plane is called a guest of its new plane. A guest takes a page of the
//! open GC block that the plane's own GC does not need, or opens a block other than the reserved one. The
//! number of guests is limited so that the plane's GC cannot deadlock. With static allocation, the plane
//! keeps room for all logical pages allocated to it, written or not. With dynamic allocation, guests are
//! subject to the same limit as host writes.
//!
//! Only pages of a GC that is started because of a lack of free blocks may leave their plane. Pages moved by
//! wear levelling, which balances the blocks of one plane, and translation pages stay in their plane.
//!
//! # Source
//! A model of this project for the designs of Kim et al., "Decoupled SSD", ISCA 2023 and "Networked SSD",
//! MICRO 2022, and Nadig et al., "Venice", ISCA 2023, §8.
//!
//! # Parameters
//! `ftl.gc_destination`

use venice_nand::geometry::{BlockId, DieId, Geometry, Lpn, PlaneId};
use venice_nand::transactions::Transaction;

use crate::ftl::gc_destination::{AnyDestination, DestinationPlane, Frontier, Victim};
use crate::ftl::settings::FtlSettings;
use crate::ftl::space::{Blocks, Space, WriteStream};
use crate::ftl::translation::{AddressSpace, Translation};

/// Choice of the planes to which garbage collection (GC) moves pages, with the moves in flight.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct Destinations {
    geometry: Geometry,
    policy: AnyDestination,
    /// True if the destination policy may move pages to other planes.
    leave: bool,
    /// Planes offered to the destination policy. The vector is kept to reuse its memory.
    places: Vec<DestinationPlane>,
    /// Number of moves in flight to each die.
    at_die: Vec<u32>,
}

impl Destinations {
    /// Creates the choice of destinations, without moves in flight.
    pub(super) fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let leave = settings.moves_leave();
        Self {
            geometry: *geometry,
            policy: settings.gc_destination.build(&settings.destination_parameters),
            leave,
            places: Vec::new(),
            at_die: vec![0; if leave { geometry.dies() as usize } else { 0 }],
        }
    }

    /// Returns true if GC may move pages to other planes.
    #[inline]
    pub(in crate::ftl) const fn leave(&self) -> bool {
        self.leave
    }

    /// Returns the open block (ordinary or cold) to which the valid pages of `victim` are moved if they
    /// stay in their plane.
    pub(super) fn frontier(&mut self, blocks: &Blocks, victim: BlockId) -> Frontier {
        let block = &blocks.table[victim];
        let of_drive = self.geometry.planes() * self.geometry.blocks_per_plane;
        self.policy.frontier(&Victim { age: blocks.table.age(block), valid: block.valid, blocks: of_drive })
    }

    /// Returns the plane that the policy chooses for a moved page, or `None` if the page stays in its plane.
    /// The policy chooses among the planes for which `can` returns true.
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
        if collection.cause.is_for_reliability() {
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
                && takes_guest(space, translation, plane, lpn);
            if takes_it {
                let busy = space.writes.of(die) + self.at_die[die.index()];
                places.push(DestinationPlane { plane, position, column: self.column(plane), busy });
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

    /// Returns true if a queued write may be programmed now. A page moved from another plane waits while its
    /// destination accepts no pages of other planes; other writes need not wait.
    #[inline]
    pub(in crate::ftl) fn may_program(
        &self,
        space: &Space,
        addresses: &AddressSpace,
        write: &Transaction,
    ) -> bool {
        let is_full = |lpn| space.is_full_for(addresses, write.plane, lpn);
        !self.leave || !write.is_guest() || write.lpn.is_some_and(|lpn| !is_full(lpn))
    }

    /// Returns true if the destination plane of a queued move no longer has a free page for it.
    pub(in crate::ftl) fn has_no_room(
        &self,
        space: &Space,
        translation: &Translation,
        moved: &Transaction,
    ) -> bool {
        let takes_it = |lpn| takes_guest(space, translation, moved.plane, lpn);
        self.leave && moved.is_guest() && !moved.is_placed() && !moved.lpn.is_some_and(takes_it)
    }

    /// Increments the number of moves in flight to the die of `plane`.
    pub(in crate::ftl) fn join(&mut self, plane: PlaneId) {
        if self.leave {
            self.at_die[self.geometry.die_of(plane).index()] += 1;
        }
    }

    /// Decrements the number of moves in flight to the die of `plane`, after a move has ended or has been
    /// redirected to another plane.
    pub(in crate::ftl) fn end(&mut self, plane: PlaneId) {
        if self.leave {
            self.at_die[self.geometry.die_of(plane).index()] -= 1;
        }
    }
}

/// Returns true if `plane` accepts the page `lpn`, which garbage collection moves from another plane, now.
fn takes_guest(space: &Space, translation: &Translation, plane: PlaneId, lpn: Lpn) -> bool {
    space.blocks.next_offset(plane, WriteStream::Guest).is_some()
        && !space.is_full_for(&translation.addresses, plane, lpn)
}
