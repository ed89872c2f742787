//! Chips that are lost during operation: their data, and the planes for redirected writes.
//!
//! # What it models
//! After chips have been lost, no write is queued for them. Writes that waited for them, and later ones, go
//! to the least busy remaining plane of their address range that has a free page, also with static
//! allocation. Data on lost chips stays mapped until it is written again, so that a read of it ends with an
//! error. Garbage collection (GC) ignores lost planes.
//!
//! # How
//! A plane accepts pages of other planes only up to a limit. Below this limit, GC in the plane cannot
//! deadlock even when all logical pages that are allocated to the plane are written. The same limit applies
//! to foreign pages moved by GC (`collector`). A write that finds no plane fails, since waiting for a free
//! page might never end.
//!
//! Transactions queued before the loss are not cancelled. Their dies execute them in zero time and with an
//! error, so that locks, garbage collections and multi-plane commands end as usual. A write with an allocated
//! page fails; a write without one is redirected.
//!
//! # What is left out
//! Redundancy across chips (RAIN), from which lost pages could be rebuilt; a map on flash, part of which
//! would be lost: this combination is rejected.
//!
//! # Source
//! A model of this project. The limit beyond which GC deadlocks is derived in `plane`.
//!
//! # Parameters
//! `fabric.faults.degraded_mode`

use venice_nand::geometry::{Lpn, PlaneId};

use crate::ftl::translation::AddressSpace;

/// Counts of substitutes in each plane, and their limits. A substitute is a host page that static allocation
/// would store in another plane.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// For each plane, the number of its host pages that static allocation would store in another plane,
    /// including queued writes.
    pub here: Vec<u32>,
    /// For each plane, the maximum number of host pages that static allocation would store in another plane.
    pub most: Vec<u32>,
}

/// Lost planes, and for each plane the number of its host pages that static allocation would store in another
/// plane.
#[derive(Clone, Debug)]
pub struct LostPlanes {
    /// True for each lost plane.
    is_lost: Vec<bool>,
    substitutes: Substitutes,
}

impl LostPlanes {
    /// Creates the record of lost planes after a loss of chips.
    pub const fn new(is_lost: Vec<bool>, substitutes: Substitutes) -> Self {
        Self { is_lost, substitutes }
    }

    /// Returns true if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.is_lost[plane.index()]
    }

    /// Adds `by` to the count of substitutes in a plane, if `lpn` is one: a host page that static allocation
    /// would store in another plane.
    #[inline]
    pub fn count_substitute(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        if let Some(here) = self.substitutes.here.get_mut(plane.index())
            && addresses.place(lpn).0 != plane
        {
            *here = here.checked_add_signed(by).expect("a plane holds what was counted");
        }
    }

    /// Returns true if a plane accepts no more substitutes: host pages that static allocation would store in
    /// another plane.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        let Substitutes { here, most } = &self.substitutes;
        let is_full = |&most: &u32| here[plane.index()] >= most;
        self.is_lost(plane) || most.get(plane.index()).is_some_and(is_full)
    }
}
