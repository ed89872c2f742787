//! Chips that are lost while the drive works: what becomes of what is on them, and where writes go instead.
//!
//! # What it models
//! A controller that has given chips up. It orders no write there any more: writes that waited for them, and those that come, go to
//! the least busy plane of their address range that is left and has room, with static allocation as well. What is on lost chips
//! stays mapped, so that a read of it ends with an error instead of old data, until it is written anew. Collection leaves lost planes alone.
//!
//! # How
//! A plane takes as many pages that belong elsewhere as it can hold beyond its own share without ever coming to a halt, the same
//! limit as that of collection's guests (`collection`). A write that finds no such plane fails; the drive never waits for room that may
//! not come.
//!
//! What was ordered before is not taken back: it goes through its die as ever, in no time and with an error, so that locks,
//! collections and multi-plane commands end as they begin. A write whose page had been given out fails; one that had not goes elsewhere.
//!
//! # What is left out
//! Redundancy across chips (RAIN), from which lost pages could be made up; a map on flash, part of which would be lost (refused).
//!
//! # Source
//! Ours. Which limit makes a drive come to a halt: `blocks`.
//!
//! # Parameters
//! `fabric.faults.degraded_mode`

use venice_nand::geometry::{Lpn, PlaneId};

use crate::ftl::translation::AddressSpace;

/// Pages on each plane that are not at home, with static allocation.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Those there, or on their way.
    pub here: Vec<u32>,
    /// The most of them.
    pub most: Vec<u32>,
}

/// Lost planes, and the pages that the remaining ones hold in their place.
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

    /// Returns true if a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.is_lost[plane.index()]
    }

    /// Counts a host page more, or less, that is on a plane or on its way there.
    #[inline]
    pub fn count_substitute(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        if let Some(here) = self.substitutes.here.get_mut(plane.index())
            && addresses.place(lpn).0 != plane
        {
            *here = here.checked_add_signed(by).expect("a plane holds what was counted");
        }
    }

    /// Returns true if a plane takes no more pages of other planes.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        let Substitutes { here, most } = &self.substitutes;
        let is_full = |&most: &u32| here[plane.index()] >= most;
        self.is_lost(plane) || most.get(plane.index()).is_some_and(is_full)
    }
}
