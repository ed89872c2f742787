//! Address ranges of a drive, and the planes that contain the data of each.
//!
//! # What it models
//! The host's addresses are divided into consecutive ranges, one for each flow with separate resources. The
//! pages of a range and its translation pages are stored only on the channels, ways, dies and planes of the
//! range, and stay there when garbage collection (GC) moves them. The pages of a plane that are left to the
//! host after over-provisioning are divided equally among the ranges that use the plane, rounded down.
//!
//! # How
//! Logical pages are numbered through all ranges. The translation pages follow, range by range. With dynamic
//! allocation, the pages of a plane that GC does not need are divided among its ranges, and each range may
//! fill its share. With static allocation, a range never has more pages in a plane than its share of the
//! host's pages.
//!
//! # What is left out
//! Separate blocks for the ranges of a plane: pages of different ranges may share a block.
//!
//! # Source
//! MQSim (Tavakkol et al., FAST 2018), commit 7ec40e3, `Logical_Address_Partitioning_Unit.cpp`, which rounds
//! down to sectors rather than pages.
//!
//! # Parameters
//! `[partition]`, `ftl.over_provisioning_pct`

use std::ops::Range;

use venice_nand::geometry::{Geometry, Lpn, MappingUnits, PlaneId};

use crate::observe::PlaneRestriction;

use super::resources::Resources;
use super::striping::{Striping, planes_in_order};
use crate::ftl::settings::FtlSettings;
use crate::ftl::{logical_pages_per_plane, most_logical_pages_per_plane};

/// Range of host addresses, with the planes that store its pages.
#[derive(Clone, Debug)]
pub struct AddressRange {
    /// First logical page of the range.
    first: u32,
    /// Static allocation of the range's pages to planes.
    striping: Striping,
    /// First translation page of the range, counted from the first translation page of the drive.
    first_map_page: u32,
    map_pages: u32,
}

/// All address ranges of a drive.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    ranges: Vec<AddressRange>,
    units: MappingUnits,
    /// Planes of the address range if there is only one, for faster access in this usual case. Empty if there
    /// are several ranges.
    only: Vec<PlaneId>,
    /// Number of address ranges that use each plane.
    sharers: Vec<u32>,
    logical_pages: u32,
    map_pages: u32,
    map_pages_of_plane: Vec<u32>,
    /// Maximum number of logical pages in a plane. Up to this number, garbage collection cannot deadlock.
    most_pages_of_plane: u32,
}

impl AddressSpace {
    /// Creates the address ranges that the settings define.
    pub fn new(geometry: &Geometry, settings: &FtlSettings) -> Self {
        let order = settings.allocation.order();
        let whole = [Resources { lost: settings.lost_chips.clone(), ..Resources::default() }];
        let partitions = if settings.partitions.is_empty() { &whole } else { settings.partitions.as_slice() };
        let parity = settings.parity_layout(geometry).map_or_else(Vec::new, |layout| layout.parity_dies());
        let with_parity = |resources: &Resources| Resources { parity: parity.clone(), ..resources.clone() };
        let partitions: &[Resources] = &partitions.iter().map(with_parity).collect::<Vec<_>>();
        let mut sharers = vec![0; geometry.planes() as usize];
        for resources in partitions {
            for plane in planes_in_order(geometry, order, resources) {
                sharers[plane.index()] += 1;
            }
        }
        let per_plane = logical_pages_per_plane(geometry, settings.over_provisioning_ratio);
        let mut space = Self {
            ranges: Vec::new(),
            units: settings.units,
            only: Vec::new(),
            sharers,
            logical_pages: 0,
            map_pages: 0,
            map_pages_of_plane: vec![0; geometry.planes() as usize],
            most_pages_of_plane: most_logical_pages_per_plane(
                &settings.usable_geometry(geometry),
                settings.units,
            ),
        };
        for resources in partitions {
            let units = settings.units;
            let share = |plane: PlaneId| units.round_down(per_plane / space.sharers[plane.index()]);
            let striping = Striping::new(geometry, order, resources, units, share);
            space.append(striping, settings);
        }
        if let [only] = space.ranges.as_slice() {
            space.only = only.striping.planes().to_vec();
        }
        space
    }

    fn append(&mut self, striping: Striping, settings: &FtlSettings) {
        let pages = striping.pages();
        let map_pages = settings.mapping.translation_pages(pages);
        for page in pages..pages + map_pages {
            self.map_pages_of_plane[striping.place(page).0.index()] += 1;
        }
        let (first, first_map_page) = (self.logical_pages, self.map_pages);
        self.ranges.push(AddressRange { first, striping, first_map_page, map_pages });
        self.logical_pages += pages;
        self.map_pages += map_pages;
    }

    /// Returns the number of pages that the host can address.
    pub fn logical_pages(&self) -> u32 {
        self.logical_pages
    }

    /// Returns the number of translation pages of the drive.
    pub fn map_pages(&self) -> u32 {
        self.map_pages
    }

    /// Returns the number of translation pages in a plane.
    pub fn map_pages_of(&self, plane: PlaneId) -> u32 {
        self.map_pages_of_plane[plane.index()]
    }

    /// Returns the number of address ranges.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Iterates over the address ranges, each as a range of logical pages.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + '_ {
        self.ranges.iter().map(|range| range.first..range.first + range.striping.pages())
    }

    /// Returns the logical pages of an address range.
    pub fn pages_of_range(&self, range: usize) -> Range<u32> {
        let range = &self.ranges[range];
        range.first..range.first + range.striping.pages()
    }

    /// Iterates over the address ranges, each as a range of translation pages. These are counted from the
    /// first translation page of the drive.
    pub fn map_ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + '_ {
        self.ranges.iter().map(|range| range.first_map_page..range.first_map_page + range.map_pages)
    }

    /// Returns the address range of a host page or of a translation page.
    #[inline]
    pub fn range_of(&self, lpn: Lpn) -> usize {
        if self.ranges.len() == 1 {
            return 0;
        }
        match lpn.0.checked_sub(self.logical_pages) {
            None => self.ranges.partition_point(|range| range.first <= lpn.0) - 1,
            Some(page) => self.ranges.partition_point(|range| range.first_map_page <= page) - 1,
        }
    }

    /// Returns the location that static allocation gives to a host page or translation page: its plane, and
    /// its index among the pages of the plane.
    #[inline]
    pub fn place(&self, lpn: Lpn) -> (PlaneId, u32) {
        let planes = self.only.len() as u32;
        if planes > 0 && (lpn.0 < self.logical_pages || !self.units.share_pages()) {
            let (position, index) = self.units.place(lpn.0, planes);
            return (self.only[position as usize], index);
        }
        self.place_in_range(lpn)
    }

    /// Returns the host page that static allocation places at an index of a plane, as the inverse of
    /// [`Self::place`]. Returns `None` unless the address range has the same number of pages in each of its
    /// planes.
    pub fn page_placed_at(&self, range: usize, plane: PlaneId, index: u32) -> Option<Lpn> {
        let (planes, pages) = (self.planes(range), self.pages_of_range(range));
        let position = planes.iter().position(|&other| other == plane)? as u32;
        let unit = self.units.unit_at(position, index, planes.len() as u64) + u64::from(pages.start);
        let lpn = Lpn(u32::try_from(unit).ok()?);
        (pages.contains(&lpn.0) && self.place(lpn) == (plane, index)).then_some(lpn)
    }

    fn place_in_range(&self, lpn: Lpn) -> (PlaneId, u32) {
        let range = &self.ranges[self.range_of(lpn)];
        let page = match lpn.0.checked_sub(self.logical_pages) {
            None => lpn.0 - range.first,
            Some(page) => range.striping.pages() + page - range.first_map_page,
        };
        range.striping.place(page)
    }

    /// Returns the planes of an address range in the order in which its consecutive pages are spread over
    /// them.
    pub fn planes(&self, range: usize) -> &[PlaneId] {
        self.ranges[range].striping.planes()
    }

    /// Returns, for the audit, the planes to which the pages of each address range are restricted. Ranges
    /// that use the whole drive are omitted.
    pub fn homes(&self, geometry: &Geometry) -> Vec<PlaneRestriction> {
        let home = |(number, (host, map)): (usize, (Range<u32>, Range<u32>))| {
            let mut planes = vec![false; geometry.planes() as usize];
            for plane in self.planes(number) {
                planes[plane.index()] = true;
            }
            PlaneRestriction {
                pages: [host, self.logical_pages + map.start..self.logical_pages + map.end],
                planes,
            }
        };
        self.ranges()
            .zip(self.map_ranges())
            .enumerate()
            .map(home)
            .filter(|home| home.planes.contains(&false))
            .collect()
    }

    /// Returns the maximum number of host pages that one address range may have in a plane. Within this
    /// limit, garbage collection cannot deadlock, and every range gets its share.
    pub fn quota(&self, plane: PlaneId) -> u32 {
        let room = self.most_pages_of_plane.saturating_sub(self.map_pages_of(plane));
        room / self.sharers[plane.index()].max(1)
    }

    /// Returns the number of host pages and translation pages that static allocation places in a plane.
    /// `per_plane` is the number of host pages.
    pub fn pages_of(&self, plane: PlaneId, per_plane: u32) -> u32 {
        match self.sharers[plane.index()] {
            0 => 0,
            sharers => per_plane / sharers * sharers + self.map_pages_of(plane),
        }
    }

    /// Returns the first plane whose number of host pages and translation pages could cause a deadlock of
    /// garbage collection, and this number.
    pub fn overfull_plane(&self, geometry: &Geometry, per_plane: u32) -> Option<(PlaneId, u32)> {
        let planes = (0..geometry.planes()).map(PlaneId);
        let pages = |plane| (plane, self.pages_of(plane, per_plane));
        planes.map(pages).find(|&(_, pages)| pages > self.most_pages_of_plane)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ftl::{CachedMapping, Mapping, MappingWriteBack, TableSharing};
    use crate::testkit::settings::SmallDrive;

    /// Creates the address ranges of a drive of 2 × 2 chips with two planes of 16 blocks of 8 pages, and 96
    /// host pages per plane.
    fn space(partitions: Vec<Resources>) -> (Geometry, AddressSpace) {
        let mut drive = SmallDrive::new(2, 2);
        drive.ftl.partitions = partitions;
        drive.ftl.mapping = Mapping::Cached(CachedMapping {
            table_entries: 4,
            entries_per_page: 100,
            page_entry_bytes: 6,
            write_back: MappingWriteBack::Flash,
            sharing: TableSharing::Shared,
        });
        (drive.geometry, AddressSpace::new(&drive.geometry, &drive.ftl))
    }

    fn on_channels(channels: &[u32]) -> Resources {
        Resources { channels: channels.to_vec(), ..Resources::default() }
    }

    #[test]
    fn a_plane_is_shared_equally_by_those_who_name_it() {
        let (_, space) = space(vec![on_channels(&[0]), on_channels(&[])]);
        let ranges: Vec<_> = space.ranges().collect();
        // The first range has four planes of 48 pages. The second has four planes of 48 pages and four of 96.
        assert_eq!(ranges, [0..192, 192..768]);
        assert_eq!((space.logical_pages(), space.map_pages()), (768, 2 + 6));
        assert_eq!(space.map_ranges().collect::<Vec<_>>(), [0..2, 2..8]);
    }

    #[test]
    fn pages_of_the_host_and_of_the_map_stay_on_the_planes_of_their_range() {
        let partitions = vec![on_channels(&[1]), on_channels(&[0])];
        let (geometry, space) = space(partitions);
        let channel = |lpn| geometry.array.row(geometry.chip_of(geometry.die_of(space.place(Lpn(lpn)).0)));
        assert_eq!(space.ranges().collect::<Vec<_>>(), [0..384, 384..768]);
        assert!((0..384).chain(768..772).all(|lpn| channel(lpn) == 1));
        assert!((384..768).chain(772..776).all(|lpn| channel(lpn) == 0));
        assert_eq!(space.place(Lpn(384)), (PlaneId(0), 0), "each range begins at its first plane");
    }

    #[test]
    fn no_two_pages_of_the_host_have_a_plane_and_a_number_more_often_than_it_has_sharers() {
        let (_, space) = space(vec![on_channels(&[0]), on_channels(&[]), on_channels(&[1, 0])]);
        let mut seen = std::collections::BTreeMap::new();
        for lpn in 0..space.logical_pages() {
            *seen.entry(space.place(Lpn(lpn))).or_insert(0) += 1;
        }
        assert!(seen.iter().all(|(&(plane, _), &times)| times <= space.sharers[plane.index()]), "{seen:?}");
    }

    #[test]
    fn a_range_is_promised_no_more_than_it_may_fill() {
        let (geometry, space) = space(vec![on_channels(&[0]), on_channels(&[])]);
        for range in space.ranges().enumerate() {
            let (number, pages) = range;
            let quotas: u32 = space.planes(number).iter().map(|&plane| space.quota(plane)).sum();
            assert!(quotas >= pages.len() as u32);
        }
        assert_eq!(space.overfull_plane(&geometry, 96), None);
        assert!(space.overfull_plane(&geometry, 120).is_some());
    }
}
