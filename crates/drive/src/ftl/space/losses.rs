//! Chips that are lost during operation: treatment of their data, and planes for redirected writes.
//!
//! # What it models
//! A controller that has lost chips orders no write there any more. Writes that waited for them, and later
//! ones, go to the least busy remaining plane of their address range that has a free page, with static
//! allocation as well. Data on lost chips stays mapped until it is written again, so that its read ends with
//! an error instead of old data. GC ignores lost planes.
//!
//! # How
//! A plane takes as many pages of other planes as it can hold beyond its own share without a deadlock of GC,
//! the same limit as that of foreign pages moved by GC (`collector`). A write that finds no such plane fails; the drive never
//! waits for a free page that may not come.
//!
//! Transactions ordered before the loss are not cancelled: they pass through their die as usual, in no time
//! and with an error, so that locks, GCs and multi-plane commands end as they begin. A write with an
//! allocated page fails; one without is redirected.
//!
//! # What is left out
//! Redundancy across chips (RAIN), from which lost pages could be rebuilt; a map on flash, part of which
//! would be lost (refused).
//!
//! # Source
//! Ours. The limit beyond which GC deadlocks is derived in `plane`.
//!
//! # Parameters
//! `fabric.faults.degraded_mode`

use venice_nand::geometry::{Lpn, PlaneId};

use crate::ftl::translation::AddressSpace;

/// Number of pages on each plane whose static plane is another one, with static allocation.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Number of pages that replace pages of lost planes, by plane, including queued writes.
    pub here: Vec<u32>,
    /// Maximum number of pages that replace pages of lost planes, by plane.
    pub most: Vec<u32>,
}

/// Lost planes, and the pages that the remaining planes hold in their place.
#[derive(Clone, Debug)]
pub struct LostPlanes {
    /// True for each lost plane.
    is_lost: Vec<bool>,
    substitutes: Substitutes,
}

impl LostPlanes {
    /// Returns the state after the loss of planes.
    pub const fn new(is_lost: Vec<bool>, substitutes: Substitutes) -> Self {
        Self { is_lost, substitutes }
    }

    /// True if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.is_lost[plane.index()]
    }

    /// Adds `by` to the number of host pages on a plane, or queued for it, if the static plane of `lpn` is
    /// another one.
    #[inline]
    pub fn count_substitute(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        if let Some(here) = self.substitutes.here.get_mut(plane.index())
            && addresses.place(lpn).0 != plane
        {
            *here = here.checked_add_signed(by).expect("a plane holds what was counted");
        }
    }

    /// True if a plane takes no more pages of other planes.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        let Substitutes { here, most } = &self.substitutes;
        let is_full = |&most: &u32| here[plane.index()] >= most;
        self.is_lost(plane) || most.get(plane.index()).is_some_and(is_full)
    }
}
