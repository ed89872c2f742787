//! Static allocation of logical pages to planes.
//!
//! # What it models
//! The 24 static orders in which consecutive logical pages are spread over channels (C), ways (W), dies (D)
//! and planes (P). The pages of an address range may be restricted to some of the channels, ways, dies and
//! planes.
//!
//! # How
//! The page number, counted from the first page of the range, is divided successively by the number of units
//! of each level, in the order of the letters. Each remainder selects a unit from the range's list for that
//! level, so the level of the first letter varies fastest. CWDP thus places consecutive pages on different
//! channels. The last quotient is the index of the page in its plane.
//!
//! Ranges that share a plane have equal shares of it. If the planes of a range have shares of different
//! sizes, a plane is skipped once its share is used up.
//!
//! # Source
//! Tavakkol et al., "MQSim", FAST 2018, Table 2 (`Plane_Allocation_Scheme`), and its `Channel_IDs`,
//! `Chip_IDs`, `Die_IDs`, `Plane_IDs`; Hu et al., "Performance impact and interplay of SSD parallelism
//! through advanced commands, allocation strategy and data granularity", ICS 2011. MQSim spreads pages evenly
//! even if the shares are unequal.
//!
//! # Parameters
//! `ftl.allocation_mode`, `ftl.allocation`, `[partition]`

use venice_nand::geometry::{Geometry, MappingUnits, PlaneId};

use super::resources::Resources;
use crate::ftl::allocation::HierarchyLevel;

/// Section of logical pages that are spread evenly over the same planes.
#[derive(Clone, Debug)]
struct StripeSection {
    /// First page of the section, counted from the first page of the range.
    first: u32,
    /// Index, within its plane, of the first page of the section.
    row: u32,
    planes: Vec<PlaneId>,
}

/// Static allocation of the logical pages of an address range to planes.
#[derive(Clone, Debug)]
pub struct Striping {
    /// Sections in ascending order. The last one has no end.
    sections: Vec<StripeSection>,
    /// Planes of the range in the order in which consecutive logical pages are spread over them.
    planes: Vec<PlaneId>,
    pages: u32,
    units: MappingUnits,
}

impl Striping {
    /// Creates the static allocation over the planes of `resources`, in this `order` of levels. `share_of`
    /// returns the number of pages of the range in a plane.
    pub fn new(
        geometry: &Geometry,
        order: [HierarchyLevel; 4],
        resources: &Resources,
        units: MappingUnits,
        share_of: impl Fn(PlaneId) -> u32,
    ) -> Self {
        let planes = planes_in_order(geometry, order, resources);
        let (mut sections, mut first, mut row) = (Vec::new(), 0, 0);
        let mut left = planes.clone();
        while let Some(smallest) = left.iter().map(|&plane| share_of(plane)).min() {
            let rows = smallest - row;
            let pages = rows * left.len() as u32;
            sections.push(StripeSection { first, row, planes: left.clone() });
            (first, row) = (first + pages, smallest);
            left.retain(|&plane| share_of(plane) > smallest);
        }
        Self { sections, planes, pages: first, units }
    }

    /// Returns the number of host pages in the address range.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Returns the plane of a page and the index of the page in that plane. `page` is counted from the first
    /// page of the range. Translation pages, which follow the host pages, are spread over all planes of the
    /// range.
    #[inline]
    pub fn place(&self, page: u32) -> (PlaneId, u32) {
        match self.sections.as_slice() {
            [only] if page < self.pages || !self.units.share_pages() => only.place(page, self.units),
            _ if page >= self.pages => {
                let planes = self.planes.len() as u32;
                // Translation pages of any size are spread over the planes in turn.
                let first = if self.units.share_pages() { self.pages } else { 0 };
                let (position, index) = MappingUnits::PAGES.place(page - first, planes);
                (self.planes[position as usize], first / planes + index)
            }
            several => {
                several[several.partition_point(|section| section.first <= page) - 1].place(page, self.units)
            }
        }
    }

    /// Returns the planes of the range in the order in which consecutive logical pages are spread over them.
    pub fn planes(&self) -> &[PlaneId] {
        &self.planes
    }
}

impl StripeSection {
    #[inline]
    fn place(&self, page: u32, units: MappingUnits) -> (PlaneId, u32) {
        let (position, index) = units.place(page - self.first, self.planes.len() as u32);
        (self.planes[position as usize], self.row + index)
    }
}

/// Returns the planes of `resources` in the order in which consecutive logical pages are spread over them.
pub fn planes_in_order(
    geometry: &Geometry,
    order: [HierarchyLevel; 4],
    resources: &Resources,
) -> Vec<PlaneId> {
    let lists = order.map(|level| resources.listed(geometry, level));
    let count: usize = lists.iter().map(Vec::len).product();
    let planes = (0..count).map(|position| plane_at(geometry, order, &lists, position));
    let is_excluded =
        |die| resources.lost.contains(&geometry.chip_of(die)) || resources.parity.contains(&die);
    planes.filter(|&plane| !is_excluded(geometry.die_of(plane))).collect()
}

fn plane_at(
    geometry: &Geometry,
    order: [HierarchyLevel; 4],
    lists: &[Vec<u32>; 4],
    mut position: usize,
) -> PlaneId {
    let (mut channel, mut way, mut die, mut plane) = (0, 0, 0, 0);
    for (level, list) in order.into_iter().zip(lists) {
        let digit = match level {
            HierarchyLevel::Channel => &mut channel,
            HierarchyLevel::Way => &mut way,
            HierarchyLevel::Die => &mut die,
            HierarchyLevel::Plane => &mut plane,
        };
        *digit = list[position % list.len()];
        position /= list.len();
    }
    let chip = geometry.array.chip(channel, way).0;
    PlaneId((chip * geometry.dies_per_chip + die) * geometry.planes_per_die + plane)
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::Array;

    use super::*;

    const LEVELS: [HierarchyLevel; 4] =
        [HierarchyLevel::Channel, HierarchyLevel::Way, HierarchyLevel::Die, HierarchyLevel::Plane];

    fn geometry() -> Geometry {
        Geometry {
            array: Array { rows: 3, cols: 2 },
            dies_per_chip: 2,
            planes_per_die: 4,
            blocks_per_plane: 8,
            pages_per_block: 4,
            page_bytes: 4096,
        }
    }

    /// Creates the static allocation of an address range that covers the whole drive.
    fn whole(order: [HierarchyLevel; 4]) -> Striping {
        Striping::new(&geometry(), order, &Resources::default(), MappingUnits::PAGES, |_| 20)
    }

    fn orders() -> Vec<[HierarchyLevel; 4]> {
        let mut orders = Vec::new();
        for first in LEVELS {
            for second in LEVELS {
                for third in LEVELS {
                    for fourth in LEVELS {
                        let order = [first, second, third, fourth];
                        if LEVELS.iter().all(|level| order.contains(level)) {
                            orders.push(order);
                        }
                    }
                }
            }
        }
        orders
    }

    #[test]
    fn each_of_the_24_orders_visits_every_plane_once_per_stripe() {
        let orders = orders();
        assert_eq!(orders.len(), 24);
        for order in orders {
            let mut planes = whole(order).planes().to_vec();
            planes.sort_unstable();
            assert_eq!(planes, (0..48).map(PlaneId).collect::<Vec<_>>(), "{order:?}");
        }
    }

    #[test]
    fn the_first_level_of_an_order_varies_fastest() {
        let cwdp = whole(LEVELS);
        // With two dies of four planes, a chip has 8 planes, and a channel has 16.
        assert_eq!(cwdp.planes()[..4], [PlaneId(0), PlaneId(16), PlaneId(32), PlaneId(8)]);
        let pdwc =
            whole([HierarchyLevel::Plane, HierarchyLevel::Die, HierarchyLevel::Way, HierarchyLevel::Channel]);
        assert_eq!(pdwc.planes(), (0..48).map(PlaneId).collect::<Vec<_>>());
    }

    #[test]
    fn pages_beyond_a_stripe_are_numbered_within_their_plane() {
        assert_eq!(whole(LEVELS).place(48 * 5 + 1), (PlaneId(16), 5));
        assert_eq!(whole(LEVELS).pages(), 48 * 20);
    }

    #[test]
    fn lists_are_followed_in_their_order() {
        let resources =
            Resources { channels: vec![2, 0], dies: vec![1], planes: vec![3], ..Resources::default() };
        let striping = Striping::new(&geometry(), LEVELS, &resources, MappingUnits::PAGES, |_| 20);
        // Plane 3 of die 1 is plane 7 of its chip.
        assert_eq!(striping.planes(), [PlaneId(39), PlaneId(7), PlaneId(47), PlaneId(15)]);
        assert_eq!(striping.place(6), (PlaneId(47), 1));
    }

    #[test]
    fn planes_whose_share_is_used_up_are_passed_over() {
        let resources = Resources { ways: vec![0], dies: vec![0], planes: vec![0], ..Resources::default() };
        let share = |plane: PlaneId| if plane == PlaneId(16) { 1 } else { 3 };
        let striping = Striping::new(&geometry(), LEVELS, &resources, MappingUnits::PAGES, share);
        let places: Vec<_> = (0..striping.pages()).map(|page| striping.place(page)).collect();
        let at = |plane, row| (PlaneId(plane), row);
        assert_eq!(places, [at(0, 0), at(16, 0), at(32, 0), at(0, 1), at(32, 1), at(0, 2), at(32, 2)]);
    }
}
