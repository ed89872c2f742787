//! Foreign pages: host pages that are not in the plane that static allocation determines for them.
//!
//! # How
//!
//! Foreign pages are counted only if allocation is static and garbage collection moves pages to other planes.
//! A plane then accepts foreign pages only if enough space remains for all logical pages allocated to it.

use venice_nand::geometry::{Geometry, Lpn, PlaneId, Ppn};

use crate::ftl::settings::FtlSettings;
use crate::ftl::translation::AddressSpace;
use crate::ftl::{logical_pages_per_plane, most_logical_pages_per_plane};

/// Number of foreign pages in each plane, and the limit of this number. Foreign pages are host pages that
/// static allocation would place in another plane. Nothing is counted if there is no limit.
#[derive(Clone, Debug)]
pub struct ForeignPages {
    geometry: Geometry,
    here: Vec<u32>,
    most: Vec<u32>,
}

impl ForeignPages {
    /// Creates the counts of foreign pages of an erased drive. Foreign pages are host pages that static
    /// allocation would place in another plane.
    pub fn new(geometry: &Geometry, settings: &FtlSettings, addresses: &AddressSpace) -> Self {
        let is_limited = settings.moves_leave() && settings.allocation.is_static();
        let planes = if is_limited { geometry.planes() } else { 0 };
        let per_plane = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
        let most = most_logical_pages_per_plane(&settings.usable_geometry(geometry), settings.units);
        let room = |plane| most.saturating_sub(addresses.pages_of(PlaneId(plane), per_plane));
        Self { geometry: *geometry, here: vec![0; planes as usize], most: (0..planes).map(room).collect() }
    }

    /// Returns true if the number of foreign pages is limited. Foreign pages are host pages that static
    /// allocation would place in another plane.
    #[inline]
    pub const fn are_limited(&self) -> bool {
        !self.here.is_empty()
    }

    /// Returns true if `plane` contains the maximum number of foreign pages, which are host pages that static
    /// allocation would place in another plane.
    pub fn are_complete(&self, plane: PlaneId) -> bool {
        self.here[plane.index()] >= self.most[plane.index()]
    }

    /// Updates the counts of foreign pages after a host page has moved from `old` to `to`.
    #[inline]
    pub fn count_move(&mut self, addresses: &AddressSpace, lpn: Lpn, old: Ppn, to: Ppn) {
        if !self.are_limited() {
            return;
        }
        let home = addresses.place(lpn).0;
        let (old, to) = (self.geometry.plane_of_page(old), self.geometry.plane_of_page(to));
        self.here[to.index()] += u32::from(to != home);
        self.here[old.index()] -= u32::from(old != home);
    }

    /// Updates the counts of foreign pages after a host page has been deallocated at `old`.
    pub fn count_left(&mut self, addresses: &AddressSpace, lpn: Lpn, old: Ppn) {
        let (home, old) = (addresses.place(lpn).0, self.geometry.plane_of_page(old));
        if let (true, Some(here)) = (old != home, self.here.get_mut(old.index())) {
            *here -= 1;
        }
    }

    /// Updates the counts of foreign pages after a host page has been mapped to `to`. After a loss of chips,
    /// new pages may be in any plane.
    pub fn count_new(&mut self, addresses: &AddressSpace, lpn: Lpn, to: Ppn) {
        let (home, to) = (addresses.place(lpn).0, self.geometry.plane_of_page(to));
        if let (true, Some(here)) = (to != home, self.here.get_mut(to.index())) {
            *here += 1;
        }
    }

    /// Counts the foreign pages of a drive that was filled or restored: host pages that static allocation
    /// would place in another plane. `out_of_use` returns the number of unusable blocks in a plane, whose
    /// pages reduce the limit.
    pub fn recount(&mut self, here: impl FnOnce() -> Vec<u32>, out_of_use: impl Fn(PlaneId) -> u32) {
        if !self.are_limited() {
            return;
        }
        for (plane, most) in (0..).map(PlaneId).zip(&mut self.most) {
            *most = most.saturating_sub(out_of_use(plane) * self.geometry.pages_per_block);
        }
        self.here = here();
    }
}
