//! Allocation of planes to logical pages: parameters and settings.
//!
//! # Parameters
//! `ftl.allocation`, `ftl.allocation_mode`, `ftl.placement`

use venice_params::{Choice, choices, declare, one_of};

/// Level of the hierarchy of flash chips over which consecutive logical pages are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HierarchyLevel {
    /// C: channel, a row of the chip array.
    Channel,
    /// W: way, the position of a chip in its row.
    Way,
    /// D: die of a chip.
    Die,
    /// P: plane of a die.
    Plane,
}

/// Choice of the plane to which a logical page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Plane computed from the logical page number. The first level of the order varies fastest. There are 24
    /// orders.
    Static([HierarchyLevel; 4]),
    /// Least busy plane at the time of the write. The search visits the planes in this order of levels.
    Dynamic([HierarchyLevel; 4]),
    /// Next plane in round-robin order, as in a log. Planes are visited in this order of levels.
    InTurn([HierarchyLevel; 4]),
    /// Plane of the next page in the write stream's open superblock, which has one block in each plane.
    Striped([HierarchyLevel; 4]),
}

impl Allocation {
    /// Returns the order of levels in which planes are filled.
    pub const fn order(self) -> [HierarchyLevel; 4] {
        let (Self::Static(order) | Self::Dynamic(order) | Self::InTurn(order) | Self::Striped(order)) = self;
        order
    }

    /// Returns true if the page number alone determines the plane.
    pub const fn is_static(self) -> bool {
        matches!(self, Self::Static(_))
    }

    /// Returns true if blocks form lines (superblocks), with one block of each plane.
    pub const fn is_striped(self) -> bool {
        matches!(self, Self::Striped(_))
    }
}

/// Choice of the plane to which a logical page is written. The order of levels is a separate parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationMode {
    /// Plane determined by the page number.
    Static,
    /// Least busy plane at the time of the write.
    Dynamic,
    /// Next plane in round-robin order.
    InTurn,
}

/// Unit in which blocks are allocated and garbage-collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Block: each plane opens and collects its blocks independently.
    Plane,
    /// Superblock (line): one block of each plane, opened and collected together.
    Superblock,
}

/// Order of the levels channel, way, die and plane, over which consecutive logical pages are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationOrder(pub [HierarchyLevel; 4]);

choices! {
    AllocationMode, "allocation mode": "static" => Static, "dynamic" => Dynamic, "in_turn" => InTurn;
    Placement, "placement": "plane" => Plane, "superblock" => Superblock;
}

declare! {
    /// Parameters that select the plane to which a logical page is written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AllocationParameters in "ftl." {
        /// Order in which consecutive logical pages are spread over channel (C), way (W), die (D) and plane
        /// (P).
        ///
        /// The first letter varies fastest. The way is the position of the chip within its row.
        order as allocation: AllocationOrder = one_of::<AllocationOrder>(), unit "", default "CWDP",
            source "MQSim, Plane_Allocation_Scheme = CWDP";
        /// Choice of the plane that a logical page is written to.
        ///
        /// `static`: the plane is computed from the page number. `dynamic`: the least busy plane when the
        /// page is written; the search visits planes in the order of `allocation`. `in_turn`: the next plane
        /// in that order for each page written, whatever its address, as in a log. With an order that begins
        /// with P, consecutive pages fill the planes of one die.
        mode as allocation_mode: AllocationMode = one_of::<AllocationMode>(), unit "", default "static",
            source "MQSim, Plane_Allocation_Scheme = CWDP";
        /// Unit in which blocks are allocated, garbage-collected and erased.
        ///
        /// `plane`: single blocks, independently in each plane. `superblock`: superblocks (lines) of one
        /// block per plane. A write stream fills the pages of its open superblock in the order of
        /// `allocation`, garbage collection takes a whole superblock, and moved mapping units fill a separate
        /// one. Thresholds count free superblocks. Requires `allocation_mode = "in_turn"`.
        placement: Placement = one_of::<Placement>(), unit "", default "plane",
            source "Kim et al., NVMeVirt, FAST 2023, conv_ftl.c: lines (superblock)";
    }
}

impl AllocationParameters {
    /// Returns the allocation that the parameters declare.
    pub const fn allocation(&self) -> Allocation {
        let order = self.order.0;
        match (self.placement, self.mode) {
            (Placement::Superblock, _) => Allocation::Striped(order),
            (Placement::Plane, AllocationMode::Static) => Allocation::Static(order),
            (Placement::Plane, AllocationMode::Dynamic) => Allocation::Dynamic(order),
            (Placement::Plane, AllocationMode::InTurn) => Allocation::InTurn(order),
        }
    }
}

impl Choice for AllocationOrder {
    const NOUN: &'static str = "allocation order";
    const NAMES: &'static [&'static str] = &[
        "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
        "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    ];

    fn from_name(name: &str) -> Option<Self> {
        let levels: Option<Vec<HierarchyLevel>> = name.chars().map(level).collect();
        levels?.try_into().ok().map(Self)
    }
}

fn level(letter: char) -> Option<HierarchyLevel> {
    match letter {
        'C' => Some(HierarchyLevel::Channel),
        'W' => Some(HierarchyLevel::Way),
        'D' => Some(HierarchyLevel::Die),
        'P' => Some(HierarchyLevel::Plane),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_24_orders_are_all_different_and_name_each_level_once() {
        let orders: BTreeSet<&str> = AllocationOrder::NAMES.iter().copied().collect();
        assert_eq!(orders.len(), 24);
        for order in orders {
            assert!(AllocationOrder::from_name(order).is_some(), "{order}");
            let letters: BTreeSet<char> = order.chars().collect();
            assert_eq!(letters, BTreeSet::from(['C', 'D', 'P', 'W']), "{order}");
        }
    }

    #[test]
    fn an_order_reads_from_left_to_right() {
        let order = AllocationOrder::from_name("CPDW").unwrap();
        assert_eq!(
            order.0,
            [HierarchyLevel::Channel, HierarchyLevel::Plane, HierarchyLevel::Die, HierarchyLevel::Way]
        );
    }
}
