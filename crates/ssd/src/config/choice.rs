//! The names that a configuration uses for policies and modes, each said once.

use crate::ftl::{
    FollowUpClass, GcTrigger, Level, PageAllocation, PageCuts, SectorSets, UnwrittenData, UnwrittenPlace,
    UpdateTransfer, WearMeasure, WriteFrontiers,
};
use crate::parameters::{Choice, choices};

/// What decides the plane of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationMode {
    /// The page's number.
    Static,
    /// Which plane is least busy when the page is written.
    Dynamic,
    /// Which plane is behind that of the page written before.
    InTurn,
}

/// The order in which levels of the hierarchy are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationOrder(pub [Level; 4]);

choices! {
    AllocationMode, "allocation mode": "static" => Static, "dynamic" => Dynamic, "in_turn" => InTurn;
    PageAllocation, "time to give out pages":
        "at_start" => AtStart,
        "at_arrival" => AtArrival,
        "at_arrival_any_order" => AtArrivalAnyOrder;
    PageCuts, "way of cutting requests": "pages" => Pages, "device" => Device;
    SectorSets, "kind of sector sets": "exact" => Exact, "shifted" => Shifted;
    UpdateTransfer, "transfer of an update": "merged" => Merged, "new_sectors" => NewSectors;
    FollowUpClass, "class of what requests make necessary": "own" => Own, "high" => High;
    UnwrittenData, "kind of unwritten data":
        "present" => Present, "absent" => Absent, "mapped_on_read" => MappedOnRead;
    UnwrittenPlace, "place of unwritten data": "as_written" => AsWritten, "plane_by_die" => PlaneByDie;
    GcTrigger, "trigger of collection": "shortage" => Shortage, "full_block" => FullBlock;
    WriteFrontiers, "set of write frontiers": "separate" => Separate, "shared" => Shared;
    WearMeasure, "measure of wear": "erases" => Erases, "block_numbers" => BlockNumbers;
}

impl Choice for AllocationOrder {
    const NOUN: &'static str = "allocation order";
    const NAMES: &'static [&'static str] = &[
        "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
        "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    ];

    fn from_name(name: &str) -> Option<Self> {
        let levels: Option<Vec<Level>> = name.chars().map(level).collect();
        levels?.try_into().ok().map(Self)
    }
}

fn level(letter: char) -> Option<Level> {
    match letter {
        'C' => Some(Level::Channel),
        'W' => Some(Level::Way),
        'D' => Some(Level::Die),
        'P' => Some(Level::Plane),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fabric::{FabricKind, FirstOnPath, Retry, Routing};
    use crate::ftl::{GcDestination, VictimPolicy};

    #[test]
    fn the_24_orders_are_all_different_and_name_each_level_once() {
        let orders: BTreeSet<&str> = AllocationOrder::NAMES.iter().copied().collect();
        assert_eq!(orders.len(), 24);
        for order in orders {
            let letters: BTreeSet<char> = order.chars().collect();
            assert_eq!(letters, BTreeSet::from(['C', 'D', 'P', 'W']), "{order}");
        }
    }

    #[test]
    fn an_order_reads_from_left_to_right() {
        let order = AllocationOrder::from_name("CPDW").unwrap();
        assert_eq!(order.0, [Level::Channel, Level::Plane, Level::Die, Level::Way]);
    }

    #[test]
    fn every_name_has_a_value() {
        fn check<C: Choice>() {
            assert!(!C::NAMES.is_empty(), "{}", C::NOUN);
            assert!(C::NAMES.iter().all(|name| C::from_name(name).is_some()), "{}", C::NOUN);
        }
        check::<FabricKind>();
        check::<VictimPolicy>();
        check::<GcDestination>();
        check::<AllocationOrder>();
        check::<Routing>();
        check::<Retry>();
        check::<FirstOnPath>();
    }
}
