//! Destination policies: choice of the plane and block for the pages that garbage collection moves.
//!
//! # The contract
//!
//! 1. When a victim is chosen for want of free blocks, [`Destination::frontier`] selects the block that its
//!    pages fill if they stay in their plane. Either block has enough free pages for all of them.
//! 2. A policy that [`LEAVES`](Destination::LEAVES) is called for each page once the page has been read.
//!    Offered are the planes of the page's address range, except its own, that have free pages promised
//!    neither to the host nor to their own GC, and in which no GC is running. The policy returns one of them,
//!    or none. With none the page stays in its plane, where a page is reserved for it.
//! 3. A policy changes only its own state.
//!
//! To add a policy: write its file with [`Destination`], and add its `mod` line and its line of the catalogue
//! below. Configuration, reference and the contract tests then include the policy and the parameters that its
//! file declares.

mod cold_apart;
mod least_busy_of_column;
mod least_busy_plane;
mod same_plane;

use venice_nand::geometry::PlaneId;
use venice_params::{ParameterSet, catalogue, choices, gather};

/// Plane that can accept a moved page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestinationPlane {
    /// Plane of the drive.
    pub plane: PlaneId,
    /// Position of the plane in the order in which consecutive logical pages visit the planes; ascending
    /// among the offered planes.
    pub position: u32,
    /// Column of the plane's chip.
    pub column: u32,
    /// Outstanding writes of host and GC on the plane's die.
    pub busy: u32,
}

/// Block whose pages are moved because the plane is short of free blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Number of blocks of the drive that have become full since the victim did, including the victim.
    pub age: u64,
    /// Valid pages of the victim.
    pub valid: u32,
    /// Blocks of the drive.
    pub blocks: u32,
}

/// Open block of a plane that moved pages fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frontier {
    /// The GC block.
    #[default]
    Collection,
    /// The block of cold data, which static wear levelling fills too.
    Resting,
}

/// Destination policy; the module comment states its contract. By default, pages stay in their plane and fill
/// the plane's block for garbage collection.
pub trait Destination {
    /// Policy-specific parameters; `()` if there are none.
    type Parameters: ParameterSet;

    /// True if pages may leave their plane.
    const LEAVES: bool = false;

    /// Creates the policy in its initial state.
    fn new(own: &Self::Parameters) -> Self;

    /// Returns the open block for pages of a victim that stay in its plane.
    fn frontier(&mut self, _victim: &Victim) -> Frontier {
        Frontier::Collection
    }

    /// Returns the index in `places` of the plane that accepts a page of a chip in `column`; `None` if the
    /// page stays in its plane.
    fn choose(&mut self, _column: u32, _places: &[DestinationPlane]) -> Option<usize> {
        None
    }
}

/// Choice of the least busy plane; of several, the next plane after the last chosen one.
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
    /// Destination of pages moved by garbage collection.
    pub enum GcDestination, match_kind!;

    /// Any of the policies, dispatched by `match`.
    #[derive(Clone, Debug)]
    pub enum AnyDestination, match_policy!;

    same_plane::SamePlane: "same_plane" => SamePlane, "the plane of the victim";
    least_busy_plane::LeastBusyPlane:
        "least_busy_plane" => LeastBusyPlane,
            "the plane with free pages and no running GC whose die has the fewest outstanding writes";
    least_busy_of_column::LeastBusyOfColumn:
        "least_busy_of_column" => LeastBusyOfColumn,
            "as `least_busy_plane`, but only on chips of the same column";
    cold_apart::ColdApart:
        "cold_apart" => ColdApart, "the plane of the victim, with separate blocks for pages of cold victims";

    => gather! {
        /// Parameters of the destination policies.
        pub struct DestinationParameters of Destination
    }
}

choices! { kind GcDestination, "destination of collection"; }

impl GcDestination {
    /// True if moved pages may leave their plane.
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

    /// Returns planes from their columns and loads, in order of position.
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
