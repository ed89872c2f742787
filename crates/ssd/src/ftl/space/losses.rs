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

use crate::geometry::{Geometry, Lpn, PlaneId, TransactionId};

use crate::ftl::translation::{AddressSpace, Translation};

/// What a loss took and what it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounters {
    /// Pages of the host that had their data on lost chips.
    pub pages_lost: u64,
    /// Pages of lost chips, raw.
    pub raw_pages_lost: u64,
    /// Writes that had been ordered there and went elsewhere.
    pub writes_sent_elsewhere: u64,
    /// Writes that found no room on what is left.
    pub writes_without_room: u64,
}

/// With static allocation, by plane: pages that are not at home.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Those there, or on their way.
    pub here: Vec<u32>,
    /// The most of them.
    pub most: Vec<u32>,
}

/// What is known of lost chips.
#[derive(Clone, Debug)]
pub struct Losses {
    /// By plane.
    is_lost: Vec<bool>,
    substitutes: Substitutes,
    /// Writes that found no room, to be answered.
    failed: Vec<TransactionId>,
    /// What the loss took and cost.
    pub counters: LossCounters,
}

impl Losses {
    /// Planes are lost, and the pages that lie there.
    pub fn new(
        geometry: &Geometry,
        is_lost: Vec<bool>,
        substitutes: Substitutes,
        translation: &Translation,
    ) -> Self {
        let planes_lost = is_lost.iter().filter(|&&is_lost| is_lost).count() as u64;
        let is_gone = |&lpn: &Lpn| {
            let (ppn, is_mapped) = translation.locate(lpn);
            let is_there = is_mapped || !translation.sectors.absent_unless_written();
            is_there && is_lost[geometry.plane_of_page(ppn).index()]
        };
        let counters = LossCounters {
            raw_pages_lost: planes_lost * geometry.pages_per_plane(),
            pages_lost: (0..translation.host_pages()).map(Lpn).filter(is_gone).count() as u64,
            ..LossCounters::default()
        };
        Self { is_lost, substitutes, failed: Vec::new(), counters }
    }

    /// Whether a plane is lost.
    #[inline]
    pub fn is_lost(&self, plane: PlaneId) -> bool {
        self.is_lost[plane.index()]
    }

    /// A page of the host more, or less, is on its way to a plane, or there.
    #[inline]
    pub fn count_substitute(&mut self, addresses: &AddressSpace, lpn: Lpn, plane: PlaneId, by: i32) {
        if let Some(here) = self.substitutes.here.get_mut(plane.index())
            && addresses.place(lpn).0 != plane
        {
            *here = here.checked_add_signed(by).expect("a plane holds what was counted");
        }
    }

    /// Whether a plane takes no page of another one's any more.
    pub fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        let Substitutes { here, most } = &self.substitutes;
        let is_full = |&most: &u32| here[plane.index()] >= most;
        self.is_lost(plane) || most.get(plane.index()).is_some_and(is_full)
    }

    /// A write finds no room on what is left.
    pub fn fail(&mut self, id: TransactionId) {
        self.counters.writes_without_room += 1;
        self.failed.push(id);
    }

    /// The next write that found no room and is to be answered.
    pub fn next_failed(&mut self) -> Option<TransactionId> {
        self.failed.pop()
    }
}
