//! Where garbage collection moves the pages of its victims.
//!
//! # The contract
//!
//! 1. A policy is asked for one page at a time, when the page has been read, and is offered planes that may take it: they have
//!    room that neither the host nor their own collection is promised, they do not collect, and they belong to the page's
//!    address range. The page's own plane is not among them.
//! 2. It names one of them, or none. With none the page stays in its plane, where room for it is kept.
//! 3. It changes nothing but its own state.
//! 4. One for which [`Destination::LEAVES`] is false is never asked.
//!
//! To add a policy: write its file with [`Destination`], and add its line below. Configuration and the tests of the contract find
//! it by themselves.

mod least_busy_of_column;
mod least_busy_plane;
mod same_plane;

use crate::geometry::PlaneId;

use least_busy_of_column::LeastBusyOfColumn;
use least_busy_plane::LeastBusyPlane;
use same_plane::SamePlane;

/// A plane that may take a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which.
    pub plane: PlaneId,
    /// Its number in the order in which consecutive logical pages visit the planes; ascending among those offered.
    pub position: u32,
    /// The column of its chip.
    pub column: u32,
    /// Writes of the host, and of collection, that its die has to do.
    pub busy: u32,
}

/// A policy of choosing destinations; see the contract in the module comment.
pub trait Destination {
    /// Whether pages ever leave their plane.
    const LEAVES: bool;

    /// The policy, before its first choice.
    fn new() -> Self;

    /// The number among `places` of the one that takes a page of a chip in this column.
    fn choose(&mut self, column: u32, places: &[Place]) -> Option<usize>;
}

/// Of some places the least busy one, and of equals the next behind the one that was chosen last.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    next: u32,
}

impl Turn {
    fn least_busy<'a>(&mut self, places: impl Iterator<Item = (usize, &'a Place)>) -> Option<usize> {
        let (index, chosen) = places.min_by_key(|(_, it)| (it.busy, it.position < self.next, it.position))?;
        self.next = chosen.position + 1;
        Some(index)
    }
}

/// The catalogue: `"name" => Model`.
macro_rules! destinations {
    ($($name:literal => $model:ident),+ $(,)?) => {
        /// Names of the destination policies, as users write them.
        pub const DESTINATION_NAMES: &[&str] = &[$($name),+];

        /// Where collection moves pages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum GcDestination {
            $(#[doc = concat!("`", $name, "`.")] $model,)+
        }

        impl GcDestination {
            /// Every policy, in the order of [`DESTINATION_NAMES`].
            pub const ALL: &[Self] = &[$(Self::$model),+];

            /// Whether pages ever leave their plane.
            #[inline]
            pub const fn leaves(self) -> bool {
                match self { $(Self::$model => <$model as Destination>::LEAVES,)+ }
            }

            /// The policy at work.
            pub fn build(self) -> AnyDestination {
                match self { $(Self::$model => AnyDestination::$model(<$model as Destination>::new()),)+ }
            }
        }

        /// Any of the policies, dispatched by `match`.
        #[derive(Clone, Debug)]
        pub enum AnyDestination {
            $(#[doc = concat!("The policy called `", $name, "`.")] $model($model),)+
        }

        impl AnyDestination {
            /// See [`Destination::choose`].
            #[inline]
            pub fn choose(&mut self, column: u32, places: &[Place]) -> Option<usize> {
                match self { $(Self::$model(policy) => policy.choose(column, places),)+ }
            }
        }
    };
}

destinations! {
    "same_plane" => SamePlane,
    "least_busy_plane" => LeastBusyPlane,
    "least_busy_of_column" => LeastBusyOfColumn,
}

impl GcDestination {
    /// The policy of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = DESTINATION_NAMES.iter().zip(Self::ALL);
        named.into_iter().find_map(|(&known, &policy)| (known == name).then_some(policy))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By position: the column, and how busy.
    fn places(of: &[(u32, u32)]) -> Vec<Place> {
        let place =
            |(position, &(column, busy))| Place { plane: PlaneId(90 - position), position, column, busy };
        (0..).zip(of).map(place).collect()
    }

    proptest! {
        #[test]
        fn every_policy_names_a_place_or_none_and_only_one_that_leaves_names_any(
            offers in prop::collection::vec(prop::collection::vec((0_u32..4, 0_u32..3), 0..9), 1..9),
            column in 0_u32..4,
        ) {
            for &kind in GcDestination::ALL {
                let mut policy = kind.build();
                for offer in &offers {
                    let chosen = policy.choose(column, &places(offer));
                    prop_assert!(chosen.is_none_or(|index| kind.leaves() && index < offer.len()), "{kind:?}");
                }
            }
        }
    }

    #[test]
    fn every_name_leads_to_its_policy() {
        for (&name, &policy) in DESTINATION_NAMES.iter().zip(GcDestination::ALL) {
            assert_eq!(GcDestination::from_name(name), Some(policy));
        }
        assert_eq!(GcDestination::from_name("anywhere"), None);
    }

    #[test]
    fn the_least_busy_plane_takes_the_page_and_equals_take_turns() {
        let mut policy = GcDestination::LeastBusyPlane.build();
        let offer = places(&[(0, 2), (1, 1), (0, 1), (1, 3)]);
        let chosen: Vec<_> = (0..3).map(|_| policy.choose(0, &offer)).collect();
        assert_eq!(chosen, [Some(1), Some(2), Some(1)]);
        assert_eq!(policy.choose(0, &[]), None);
    }

    #[test]
    fn of_the_column_only_its_own_planes_take_the_page() {
        let mut policy = GcDestination::LeastBusyOfColumn.build();
        let offer = places(&[(0, 2), (1, 1), (0, 1), (1, 3), (1, 1)]);
        assert_eq!([policy.choose(1, &offer), policy.choose(1, &offer)], [Some(1), Some(4)]);
        assert_eq!(policy.choose(2, &offer), None);
    }
}
