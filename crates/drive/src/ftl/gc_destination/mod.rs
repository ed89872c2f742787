//! Where garbage collection moves the pages of its victims.
//!
//! # The contract
//!
//! 1. When a victim is chosen for want of space, a policy is asked once which block its pages fill where they stay in its plane. Either has
//!    room for all of them.
//! 2. One that [`LEAVES`](Destination::LEAVES) is asked for each page, when the page has been read, and is offered planes that may take
//!    it: they have room that neither the host nor their own collection is promised, they do not collect, and they belong to
//!    the page's address range. The page's own plane is not among them. It names one of them, or none. With none the page stays in its
//!    plane, where room for it is kept.
//! 3. It changes nothing but its own state.
//!
//! To add a policy: write its file with [`Destination`], and add its `mod` line and its line of the catalogue below. Configuration,
//! reference and the tests of the contract find it, and the parameters that its file declares, by themselves.

mod cold_apart;
mod least_busy_of_column;
mod least_busy_plane;
mod same_plane;

use venice_nand::geometry::PlaneId;
use venice_params::{Declared, catalogue, choices, gather};

/// A plane that may take a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestinationPlane {
    /// Plane that may take the pages.
    pub plane: PlaneId,
    /// Its number in the order in which consecutive logical pages visit the planes; ascending among those offered.
    pub position: u32,
    /// The column of its chip.
    pub column: u32,
    /// Writes of the host, and of collection, that its die has to do.
    pub busy: u32,
}

/// A block whose pages are about to be moved for want of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Blocks of the drive that have become full since it did, itself included.
    pub age: u64,
    /// Its valid pages.
    pub valid: u32,
    /// Blocks of the drive.
    pub blocks: u32,
}

/// Which open block of a plane moved pages fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frontier {
    /// That of collection.
    #[default]
    Collection,
    /// That of data that rests, which static wear levelling fills, too.
    Resting,
}

/// A policy of choosing destinations; see the contract in the module comment. Unless it says otherwise, pages stay in their plane and
/// fill collection's block.
pub trait Destination {
    /// Parameters of this policy alone; `()` if it has none.
    type Parameters: Declared;

    /// True if pages may leave their plane.
    const LEAVES: bool = false;

    /// The policy, before its first choice.
    fn new(own: &Self::Parameters) -> Self;

    /// Returns the open block for pages of a victim that stay in its plane.
    fn frontier(&mut self, _victim: &Victim) -> Frontier {
        Frontier::Collection
    }

    /// The number among `places` of the one that takes a page of a chip in this column.
    fn choose(&mut self, _column: u32, _places: &[DestinationPlane]) -> Option<usize> {
        None
    }
}

/// Choice of the least busy place; ties go to the next place after the one chosen last.
#[derive(Clone, Copy, Debug, Default)]
struct LeastBusyChoice {
    next: u32,
}

impl LeastBusyChoice {
    fn least_busy<'a>(
        &mut self,
        places: impl Iterator<Item = (usize, &'a DestinationPlane)>,
    ) -> Option<usize> {
        let (index, chosen) = places.min_by_key(|(_, it)| (it.busy, it.position < self.next, it.position))?;
        self.next = chosen.position + 1;
        Some(index)
    }
}

catalogue! {
    /// Where collection moves pages.
    pub enum GcDestination, match_kind!;

    /// Any of the policies, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyDestination, match_policy!;

    same_plane::SamePlane: "same_plane" => SamePlane, "they stay";
    least_busy_plane::LeastBusyPlane:
        "least_busy_plane" => LeastBusyPlane,
            "to the plane of the drive whose die has the fewest writes to do, of those with room that do not collect";
    least_busy_of_column::LeastBusyOfColumn:
        "least_busy_of_column" => LeastBusyOfColumn, "likewise among the chips of the same column";
    cold_apart::ColdApart:
        "cold_apart" => ColdApart, "they stay, and those of victims that have rested fill blocks of their own";

    => gather! {
        /// Parameters of the destination policies.
        pub struct DestinationParameters of Destination
    }
}

choices! { kind GcDestination, "destination of collection"; }

impl GcDestination {
    /// Returns true if pages ever leave their plane.
    #[inline]
    pub const fn leaves(self) -> bool {
        match_kind!(self, Policy => Policy::LEAVES)
    }

    /// Builds the policy.
    pub fn build(self, parameters: &DestinationParameters) -> AnyDestination {
        match_kind!(self, Policy, own in parameters => Policy::new(own).into())
    }
}

impl AnyDestination {
    /// See [`Destination::frontier`].
    pub fn frontier(&mut self, victim: &Victim) -> Frontier {
        match_policy!(self, policy => policy.frontier(victim))
    }

    /// See [`Destination::choose`].
    #[inline]
    pub fn choose(&mut self, column: u32, places: &[DestinationPlane]) -> Option<usize> {
        match_policy!(self, policy => policy.choose(column, places))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns places from their columns and loads, in order of position.
    fn places(of: &[(u32, u32)]) -> Vec<DestinationPlane> {
        let place = |(position, &(column, busy))| DestinationPlane {
            plane: PlaneId(90 - position),
            position,
            column,
            busy,
        };
        (0..).zip(of).map(place).collect()
    }

    proptest! {
        #[test]
        fn every_policy_names_a_place_or_none_and_only_one_that_leaves_names_any(
            offers in prop::collection::vec(prop::collection::vec((0_u32..4, 0_u32..3), 0..9), 1..9),
            column in 0_u32..4,
        ) {
            for &kind in GcDestination::ALL {
                let mut policy = kind.build(&DestinationParameters::default());
                for offer in &offers {
                    let chosen = policy.choose(column, &places(offer));
                    prop_assert!(chosen.is_none_or(|index| kind.leaves() && index < offer.len()), "{kind:?}");
                }
            }
        }
    }

    #[test]
    fn the_least_busy_plane_takes_the_page_and_equals_take_turns() {
        let mut policy = GcDestination::LeastBusyPlane.build(&DestinationParameters::default());
        let offer = places(&[(0, 2), (1, 1), (0, 1), (1, 3)]);
        let chosen: Vec<_> = (0..3).map(|_| policy.choose(0, &offer)).collect();
        assert_eq!(chosen, [Some(1), Some(2), Some(1)]);
        assert_eq!(policy.choose(0, &[]), None);
    }

    #[test]
    fn of_the_column_only_its_own_planes_take_the_page() {
        let mut policy = GcDestination::LeastBusyOfColumn.build(&DestinationParameters::default());
        let offer = places(&[(0, 2), (1, 1), (0, 1), (1, 3), (1, 1)]);
        assert_eq!([policy.choose(1, &offer), policy.choose(1, &offer)], [Some(1), Some(4)]);
        assert_eq!(policy.choose(2, &offer), None);
    }
}
