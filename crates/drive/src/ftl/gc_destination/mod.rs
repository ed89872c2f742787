//! Destination policies: choice of the plane and block for the pages that garbage collection moves.
//!
//! # Rules
//!
//! 1. When a victim is chosen because a plane has too few free blocks, [`Destination::frontier`] selects the
//!    open block for pages that stay in their plane. Both blocks that a policy can select have enough free
//!    pages for all valid pages of the victim.
//! 2. A policy with [`LEAVES`](Destination::LEAVES) is called for each page when the page has been read. It
//!    may choose among planes of the page's address range, except the page's own plane. A plane is eligible
//!    if no GC is running in it and it has free pages that are reserved neither for the host nor for its own
//!    GC. If the policy returns no plane, the page stays in its plane, where a page is reserved for it.
//! 3. A policy changes only its own state.
//!
//! To add a policy: write its file with [`Destination`], and add its `mod` line and its line of the catalogue
//! below. Configuration, reference documentation and tests of the rules then include the policy and the
//! parameters that its file declares.

mod cold_apart;
mod least_busy_of_column;
mod least_busy_plane;
mod same_plane;

use venice_nand::geometry::PlaneId;
use venice_params::{ParameterSet, catalogue, choices, gather};

/// Plane that can accept a moved page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestinationPlane {
    /// Number of the plane in the drive.
    pub plane: PlaneId,
    /// Position of the plane in the order in which consecutive logical pages are spread over planes. The
    /// planes offered to a policy are sorted by this position.
    pub position: u32,
    /// Column of the plane's chip in the array.
    pub column: u32,
    /// Number of outstanding writes of the host and of garbage collection on the plane's die.
    pub busy: u32,
}

/// Block that is collected because its plane has too few free blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Number of blocks of the drive that have become full since the victim did, counting the victim itself.
    pub age: u64,
    /// Number of valid pages in the victim.
    pub valid: u32,
    /// Number of blocks in the drive.
    pub blocks: u32,
}

/// Open block (write frontier) to which garbage collection moves pages: for ordinary or for cold data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frontier {
    /// Open block for pages moved by garbage collection.
    #[default]
    Collection,
    /// Open block for cold (rarely written, "resting") data, which static wear levelling also uses.
    Resting,
}

/// Destination policy; the module documentation states the rules. By default, pages stay in their plane and
/// go to the open block of garbage collection.
pub trait Destination {
    /// Policy-specific parameters; `()` if there are none.
    type Parameters: ParameterSet;

    /// True if pages may leave their plane.
    const LEAVES: bool = false;

    /// Creates the policy. `own` contains the policy-specific parameters.
    fn new(own: &Self::Parameters) -> Self;

    /// Returns the open block (ordinary or cold) for pages of a victim that stay in their plane.
    fn frontier(&mut self, _victim: &Victim) -> Frontier {
        Frontier::Collection
    }

    /// Returns the plane to which a page of a chip in `column` is moved, as an index into `places`, or `None`
    /// if the page stays in its plane.
    fn choose(&mut self, _column: u32, _places: &[DestinationPlane]) -> Option<usize> {
        None
    }
}

/// Choice of the least busy plane. On a tie, the next plane after the previous choice is chosen.
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

    /// Enum with a variant for each destination policy, for static dispatch.
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
        /// Parameters of all destination policies.
        pub struct DestinationParameters of Destination
    }
}

choices! { kind GcDestination, "destination of collection"; }

impl GcDestination {
    /// Returns true if the policy may move pages to other planes.
    #[inline]
    pub const fn leaves(self) -> bool {
        match_kind!(self, Policy => Policy::LEAVES)
    }

    /// Creates the configured destination policy.
    pub fn build(self, parameters: &DestinationParameters) -> AnyDestination {
        match_kind!(self, Policy, own in parameters => Policy::new(own).into())
    }
}

impl AnyDestination {
    /// Calls [`Destination::frontier`] of the policy.
    pub fn frontier(&mut self, victim: &Victim) -> Frontier {
        match_policy!(self, policy => policy.frontier(victim))
    }

    /// Calls [`Destination::choose`] of the policy.
    #[inline]
    pub fn choose(&mut self, column: u32, places: &[DestinationPlane]) -> Option<usize> {
        match_policy!(self, policy => policy.choose(column, places))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Creates planes from pairs of column and number of outstanding writes, in order of position.
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
