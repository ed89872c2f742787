//! Locations of logical pages: address ranges, page map, and the sectors that were written.
//!
//! # What it models
//! The address range, the physical page and the written sectors of each logical page. Blocks, dies and times
//! are in other modules.
//!
//! # Rules
//!
//! 1. The page map always contains the location of every page, for reads, moves and the audit. `ftl.mapping`
//!    determines only the cost of a look-up.
//! 2. With `ideal`, look-ups cost nothing. With `cached`, a transaction whose entry is not in the cached
//!    table waits until its translation page has been read from flash.

mod addresses;
mod first_map;
mod page_map;
mod plane_history;
pub(super) mod resources;
mod sectors;
mod striping;

use std::ops::Range;

use venice_kernel::mem::EntryPosition;
use venice_nand::geometry::{Geometry, Lpn, PlaneId, Ppn, remainder};
use venice_nand::transactions::{Purpose, Transaction};

use super::allocation::HierarchyLevel;
use super::settings::{FtlSettings, Mapping, UnwrittenPlace};

pub use addresses::AddressSpace;
pub use first_map::{FirstMap, PageShift, PlaneMoment};
pub use page_map::{PageLocation, PageMap};
pub use plane_history::{PlaneHistory, PlaneRecording};
pub use resources::{PartitionParameters, Resources};
pub use sectors::SectorRules;
pub use striping::planes_in_order;

/// Locations of logical pages, and the sectors that were written.
#[derive(Clone, Debug)]
pub struct Translation {
    geometry: Geometry,
    /// Address ranges, with the location of each page under static allocation.
    pub(in crate::ftl) addresses: AddressSpace,
    /// Physical page of each logical page.
    pub(in crate::ftl) map: PageMap,
    /// True if the mapping table is on flash and only a part of it is in memory.
    pub(in crate::ftl) is_paged: bool,
    /// Rules that determine which sectors of a page a request covers.
    pub(in crate::ftl) sectors: SectorRules,
    /// Choice of the plane to which a read maps a page that was never written.
    unwritten_place: UnwrittenPlace,
    partitions: Vec<Resources>,
}

impl Translation {
    /// Creates the address ranges and the empty page map of an erased drive.
    pub fn new(geometry: Geometry, settings: &FtlSettings) -> Self {
        let addresses = AddressSpace::new(&geometry, settings);
        let sectors = SectorRules::new(&geometry, settings);
        let all_pages = addresses.logical_pages() + addresses.map_pages();
        Self {
            map: PageMap::new(all_pages, geometry.pages() as u32, sectors.parts()),
            is_paged: matches!(settings.mapping, Mapping::Cached(_)),
            sectors,
            unwritten_place: settings.unwritten_place,
            partitions: settings.partitions.clone(),
            addresses,
            geometry,
        }
    }

    /// Returns the number of host pages. Translation pages are numbered after them.
    #[inline]
    pub fn host_pages(&self) -> u32 {
        self.addresses.logical_pages()
    }

    /// Returns the address range of a logical page.
    #[inline]
    pub fn range_of(&self, lpn: Lpn) -> usize {
        self.addresses.range_of(lpn)
    }

    /// Returns the number of sectors per page.
    #[inline]
    pub const fn sectors_per_page(&self) -> u32 {
        self.sectors.per_page()
    }

    /// Returns the number of sectors that each bit of a page's sector mask represents. The number is more
    /// than one only if a page has more than 64 sectors.
    #[inline]
    pub const fn sectors_per_bit(&self) -> u32 {
        self.sectors.per_bit()
    }

    /// Returns the largest part of the sector range `range` that sector masks of pages can represent exactly.
    pub fn whole_parts(&self, range: Range<u64>) -> Range<u64> {
        self.sectors.within(range)
    }

    /// Returns the number of sectors that the host can address.
    pub fn capacity_sectors(&self) -> u64 {
        u64::from(self.host_pages()) * u64::from(self.sectors.per_page())
    }

    /// Iterates over the address ranges, each as a range of sectors. The ranges are contiguous and cover all
    /// sectors of the host.
    pub fn address_ranges(&self) -> impl ExactSizeIterator<Item = Range<u64>> + '_ {
        let sectors = u64::from(self.sectors.per_page());
        let in_sectors =
            move |pages: Range<u32>| u64::from(pages.start) * sectors..u64::from(pages.end) * sectors;
        self.addresses.ranges().map(in_sectors)
    }

    /// Returns the number of logical pages that have a physical page, including translation pages.
    pub fn mapped_pages(&self) -> u64 {
        self.map.mapped_pages()
    }

    /// Returns the number of host pages that have a physical page.
    pub fn host_pages_in_use(&self) -> u64 {
        (0..self.host_pages()).filter(|&lpn| self.map.physical(Lpn(lpn)).is_some()).count() as u64
    }

    /// Returns the physical page from which a logical page is read, and true if the page was mapped in this
    /// run.
    #[inline]
    pub fn locate(&self, lpn: Lpn) -> (Ppn, bool) {
        match self.map.physical(lpn) {
            Some(ppn) => (ppn, true),
            None => (self.place_before_the_run(lpn).0, false),
        }
    }

    /// Returns the location of a logical page that was not written in this run: the physical page from which
    /// it is read, and its plane.
    pub fn place_before_the_run(&self, lpn: Lpn) -> (Ppn, PlaneId) {
        let (plane, index) = self.addresses.place(lpn);
        let first = self.geometry.block(plane, 0);
        (Ppn(self.geometry.ppn(first, 0).0 + index), plane)
    }

    /// Returns the host page of an address range that a read would find in the slot (location of a mapping
    /// unit) `slot`: valid data, or a page that was not written in this run.
    pub fn page_at(&self, slot: Ppn, range: usize) -> Option<Lpn> {
        let pages = self.addresses.pages_of_range(range);
        let found = self.map.logical(slot).or_else(|| {
            let plane = self.geometry.plane_of_page(slot);
            let index = slot.0 - self.geometry.ppn(self.geometry.block(plane, 0), 0).0;
            let lpn = self.addresses.page_placed_at(range, plane, index)?;
            (self.locate(lpn) == (slot, false)).then_some(lpn)
        });
        found.filter(|lpn| pages.contains(&lpn.0))
    }

    /// Returns the plane of a mapped logical page.
    #[inline]
    pub fn plane_of(&self, lpn: Lpn) -> Option<PlaneId> {
        self.map.physical(lpn).map(|ppn| self.geometry.plane_of_page(ppn))
    }

    /// Returns, for each plane, the number of its host pages that static allocation would place in another
    /// plane.
    pub fn pages_away_from_home(&self) -> Vec<u32> {
        let mut away = vec![0; self.geometry.planes() as usize];
        for lpn in (0..self.host_pages()).map(Lpn) {
            let Some(plane) = self.plane_of(lpn) else { continue };
            away[plane.index()] += u32::from(self.addresses.place(lpn).0 != plane);
        }
        away
    }

    /// Returns true if a logical page is a translation page.
    #[inline]
    pub fn is_translation_page(&self, lpn: Lpn) -> bool {
        self.is_paged && lpn.0 >= self.host_pages()
    }

    /// Returns true if the data of a read is still the content of its page. Returns false if the page was
    /// written, or was moved by garbage collection, in the meantime. `read_at` is the physical page that was
    /// read.
    pub fn is_current(&self, lpn: Lpn, read_at: Option<Ppn>) -> bool {
        let is_data = read_at.is_some() || self.sectors.present_though_unwritten();
        is_data && !self.map.is_blank(lpn) && self.map.physical(lpn) == read_at
    }

    /// Returns true if a trim of a part of a page zeroes the covered sectors.
    pub const fn zeroes_parts(&self) -> bool {
        self.sectors.zeroes_parts()
    }

    /// Iterates over the pages that the sectors `start..end` cover, each with a bit mask of the covered
    /// sectors.
    #[inline]
    pub fn page_pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (Lpn, u64)> + use<> {
        let first = || Lpn((start / u64::from(self.sectors.per_page())) as u32);
        let cut = self.sectors.cut_of(|| self.addresses.range_of(first()));
        self.sectors.pieces(cut, start, end)
    }

    /// Returns a bit mask of the sectors of the page `lpn` that a host read or write covers, in the
    /// representation that `ftl.sector_sets` selects.
    #[inline]
    pub fn taken_sectors(&self, transaction: &Transaction, lpn: Lpn) -> u64 {
        self.sectors.taken(transaction, || self.addresses.range_of(lpn))
    }

    /// Returns a bit mask of the sectors of a page that contain data.
    #[inline]
    pub fn present_sectors(&self, lpn: Lpn) -> u64 {
        if self.sectors.zeroes_parts() && self.map.is_deallocated(lpn) {
            return 0;
        }
        present(&self.sectors, |bits| self.map.written_sectors(lpn, bits), || self.map.missing_sectors(lpn))
    }

    /// Returns a bit mask of the sectors of a page that read as zeroes, because trims have zeroed them or
    /// they were never written. The page itself is not deallocated.
    pub fn zeroed_sectors(&self, lpn: Lpn) -> u64 {
        self.map.missing_sectors(lpn) & self.sectors.whole_page()
    }

    /// Zeroes some sectors of a page. If no other sector of the page has data, returns false without an
    /// effect.
    pub fn zero_sectors(&mut self, lpn: Lpn, sectors: u64) -> bool {
        let missing = self.zeroed_sectors(lpn) | sectors;
        let has_data = missing != self.sectors.whole_page() && !self.map.is_deallocated(lpn);
        if has_data {
            self.map.set_missing_sectors(lpn, missing);
        }
        has_data
    }

    /// Extends a write to all sectors with data in its page, so that its program includes them. `spot` is the
    /// page's map entry. Returns a bit mask of the sectors that must be read first.
    #[inline]
    pub fn cover(&self, write: &mut Transaction, spot: EntryPosition, lpn: Lpn) -> u64 {
        let mut present = present(
            &self.sectors,
            |bits| self.map.written_sectors_at(spot, lpn, bits),
            || self.map.missing_sectors(lpn),
        );
        let new = self.taken_sectors(write, lpn);
        if present & !new != 0 && self.map.is_deallocated(lpn) {
            present = 0;
        }
        self.sectors.extend(write, new, present);
        present & !new
    }

    /// Maps a page that the host writes to the physical page `to`. `spot` is the page's map entry. Returns
    /// the old physical page.
    pub fn rewrite(&mut self, spot: EntryPosition, lpn: Lpn, to: Ppn, sectors: u64) -> Option<Ppn> {
        if self.sectors.are_recorded() {
            self.map.remap_written(spot, lpn, to, sectors, self.sectors.bits())
        } else {
            self.map.remap_at(spot, lpn, to)
        }
    }

    /// Unmaps a page that the host deallocates. Returns its old physical page.
    pub fn deallocate(&mut self, lpn: Lpn) -> Option<Ppn> {
        self.map.unmap(lpn)
    }

    /// Returns true if a read of an unmapped page maps the page to a physical page.
    #[inline]
    pub fn is_mapped_by(&self, read: &Transaction) -> bool {
        self.sectors.mapped_on_read()
            && matches!(read.purpose, Purpose::HostRead(_) | Purpose::OperandRead(_))
    }

    /// Returns the plane to which a read maps a page that was never written.
    pub fn place_of_unwritten(&self, lpn: Lpn) -> PlaneId {
        let (plane, _) = self.addresses.place(lpn);
        if self.unwritten_place == UnwrittenPlace::AsWritten {
            return plane;
        }
        let all = Resources::default();
        let resources = self.partitions.get(self.addresses.range_of(lpn)).unwrap_or(&all);
        let [dies, planes] =
            [HierarchyLevel::Die, HierarchyLevel::Plane].map(|level| resources.listed(&self.geometry, level));
        let own = remainder(plane.0, self.geometry.planes_per_die);
        let place = planes.iter().position(|&listed| listed == own);
        let by_die = place.and_then(|place| dies.get(place).copied()).unwrap_or(0);
        if planes.contains(&by_die) { PlaneId(plane.0 - own + by_die) } else { plane }
    }
}

/// Returns a bit mask of the sectors of a page that contain data. The function `written` returns the sectors
/// that are recorded as written. The function `missing` returns the sectors that are recorded as missing; it
/// is also called for a page that is not mapped.
#[inline]
fn present(rules: &SectorRules, written: impl FnOnce(u64) -> u64, missing: impl FnOnce() -> u64) -> u64 {
    let whole = rules.whole_page();
    if !rules.absent_unless_written() {
        return if rules.zeroes_parts() { whole & !missing() } else { whole };
    }
    match written(rules.bits()) {
        // The page was filled by preconditioning, not by requests.
        u64::MAX => whole,
        present => present,
    }
}
