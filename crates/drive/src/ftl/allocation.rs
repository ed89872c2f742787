//! Allocation of planes to logical pages: parameters and settings.
//!
//! # Parameters
//! `ftl.allocation`, `ftl.allocation_mode`, `ftl.placement`

use venice_params::{Choice, choices, declare, one_of};

/// Level of the hierarchy of flash chips over which consecutive logical pages are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HierarchyLevel {
    /// C: the channel, a row of the array.
    Channel,
    /// W: the way, the position of the chip within its row.
    Way,
    /// D: the die.
    Die,
    /// P: the plane.
    Plane,
}

/// Choice of the plane to which a logical page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Plane determined by the page number; the first level varies fastest. There are 24 orders of the
    /// levels.
    Static([HierarchyLevel; 4]),
    /// Least busy plane at the time of the write, searched in this order of levels.
    Dynamic([HierarchyLevel; 4]),
    /// Plane that follows the plane written before in this order of levels, so that pages are written to all
    /// planes in turn, as in a log.
    InTurn([HierarchyLevel; 4]),
    /// Plane of the next page in the stream's open line (superblock), which has a block of each plane.
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

/// Choice of the plane to which a logical page is written, without the order of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationMode {
    /// Plane determined by the page number.
    Static,
    /// Least busy plane at the time of the write.
    Dynamic,
    /// Plane that follows the plane written before.
    InTurn,
}

/// Unit in which blocks are opened and collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Single blocks: each plane opens and collects its blocks independently.
    Plane,
    /// Lines (superblocks), with one block of each plane.
    Superblock,
}

/// Order in which the levels of the hierarchy of flash chips are filled.
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
        /// `static`: by the page number alone. `dynamic`: the least busy plane when the page is written,
        /// searched in the order of `allocation`. `in_turn`: the next plane in that order for each page
        /// written, whatever its address, as in a log. With an order that begins with P, consecutive pages
        /// fill the planes of one die.
        mode as allocation_mode: AllocationMode = one_of::<AllocationMode>(), unit "", default "static",
            source "MQSim, Plane_Allocation_Scheme = CWDP";
        /// Blocks that are opened, collected and erased together.
        ///
        /// `plane`: each block alone, by the planes independently. `superblock`: a line of one block of each
        /// plane; a stream fills the pages of its open line in the order of `allocation`, garbage collection
        /// takes a whole line, and moved units fill a line of their own. Thresholds count free lines.
        /// Requires `allocation_mode = "in_turn"`.
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
