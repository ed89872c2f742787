//! Chips that are lost while the drive works: what becomes of what is on them, and where writes go instead.
//!
//! # What it models
//! A controller that has given chips up. It orders no write there any more: writes that waited for them, and those that come, go to
//! the least busy plane of their address range that is left and has room, with static allocation as well. What is on lost chips
//! stays mapped, so that a read of it ends with an error instead of old data, until it is written anew. Collection leaves lost planes alone.
//!
//! # How
//! A plane takes as many pages that belong elsewhere as it can hold beyond its own share without ever coming to a halt, the same
//! limit as that of collection's guests (`moves`). A write that finds no such plane fails; the drive never waits for room that may
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

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{ChipId, DieId, Lpn, PlaneId, TransactionId};

use super::completion::Finished;
use super::{Ftl, logical_pages_per_plane, most_logical_pages_per_plane};
use crate::controller::queues::lanes::{LANES, Lane};
use crate::work::{Class, Purpose};

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

/// What is known of lost chips.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    /// By plane.
    is_lost: Vec<bool>,
    /// With static allocation, by plane: pages there, or on their way, that static allocation puts elsewhere.
    substitutes: Vec<u32>,
    /// The most of them.
    most_substitutes: Vec<u32>,
    /// Writes that found no room, to be answered.
    failed: Vec<TransactionId>,
    counters: LossCounters,
}

impl Ftl {
    /// Whether a plane is lost.
    #[inline]
    pub(super) fn is_lost(&self, plane: PlaneId) -> bool {
        self.loss.as_ref().is_some_and(|loss| loss.is_lost[plane.index()])
    }

    /// Whether chips were lost in this run.
    #[inline]
    pub(super) fn has_lost_chips(&self) -> bool {
        self.loss.is_some()
    }

    /// What the loss took and cost; none if there was none.
    pub fn loss_counters(&self) -> Option<&LossCounters> {
        self.loss.as_ref().map(|loss| &loss.counters)
    }

    /// Gives up these chips, for good.
    pub fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        let plane_is_lost =
            |plane| chips.contains(&self.geometry.chip_of(self.geometry.die_of(PlaneId(plane))));
        let is_lost: Vec<bool> = (0..self.geometry.planes()).map(plane_is_lost).collect();
        let planes_lost = is_lost.iter().filter(|&&is_lost| is_lost).count() as u64;
        let (substitutes, most_substitutes) = self.substitutes();
        let mut counters = LossCounters {
            raw_pages_lost: planes_lost * self.geometry.pages_per_plane(),
            ..LossCounters::default()
        };
        for lpn in (0..self.logical_pages).map(Lpn) {
            let (ppn, is_mapped) = self.locate(lpn);
            let is_there = is_mapped || !self.settings.unwritten_data.is_absent();
            counters.pages_lost += u64::from(is_there && is_lost[self.plane_of(ppn).index()]);
        }
        let loss = Loss { is_lost, substitutes, most_substitutes, failed: Vec::new(), counters };
        self.loss = Some(Box::new(loss));
        for die in (0..self.geometry.dies()).map(DieId) {
            if chips.contains(&self.geometry.chip_of(die)) {
                self.send_writes_elsewhere(die, now);
                self.queues.wake(die);
            }
        }
        for id in std::mem::take(&mut self.without_plane) {
            self.place_again(id, now);
        }
    }

    /// With static allocation, by plane: how many pages there belong elsewhere, and how many may.
    fn substitutes(&self) -> (Vec<u32>, Vec<u32>) {
        if !self.settings.allocation.is_static() {
            return (Vec::new(), Vec::new());
        }
        let planes = self.geometry.planes();
        let mut here = vec![0; planes as usize];
        for lpn in (0..self.logical_pages).map(Lpn) {
            let Some(plane) = self.map.physical(lpn).map(|ppn| self.plane_of(ppn)) else { continue };
            here[plane.index()] += u32::from(self.space.place(lpn).0 != plane);
        }
        let per_plane = logical_pages_per_plane(&self.geometry, self.settings.over_provisioning_ratio);
        let room = |plane: PlaneId| {
            let out_of_use = self.blocks.out_of_use(plane) * self.geometry.pages_per_block;
            let own = self.space.pages_of(plane, per_plane) + out_of_use;
            most_logical_pages_per_plane(&self.geometry).saturating_sub(own)
        };
        (here, (0..planes).map(|plane| room(PlaneId(plane))).collect())
    }

    /// A page of the host more, or less, is on its way to a plane, or there.
    #[inline]
    pub(super) fn count_substitute(&mut self, lpn: Lpn, plane: PlaneId, by: i32) {
        let Some(loss) = &mut self.loss else { return };
        if let Some(here) = loss.substitutes.get_mut(plane.index())
            && self.space.place(lpn).0 != plane
        {
            *here = here.checked_add_signed(by).expect("a plane holds what was counted");
        }
    }

    /// Whether a plane takes no page of another one's any more, after a loss.
    pub(super) fn is_full_of_substitutes(&self, plane: PlaneId) -> bool {
        self.loss.as_ref().is_some_and(|loss| {
            let most = loss.most_substitutes.get(plane.index());
            loss.is_lost[plane.index()] || most.is_some_and(|&most| loss.substitutes[plane.index()] >= most)
        })
    }

    /// A write finds no plane that takes it: it waits for room, or fails if what is left after a loss has none.
    pub(super) fn finds_no_plane(&mut self, id: TransactionId) {
        match &mut self.loss {
            Some(loss) => {
                loss.counters.writes_without_room += 1;
                loss.failed.push(id);
            }
            None => self.without_plane.push_back(id),
        }
    }

    /// The next write that found no room and is to be answered.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.loss.as_mut()?.failed.pop()
    }

    /// Ends a write that found no room.
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        let (purpose, lpn) = (write.purpose, write.lpn?);
        let done = self.transactions.remove(id);
        if let Some(next) = self.locks.release(&mut self.map, lpn) {
            self.resume_write(next, lpn, now);
        }
        let Purpose::HostWrite(origin) = purpose else { return None };
        Some(super::completion::finished(origin, lpn, None, &done))
    }

    /// A transaction of a lost chip comes to nothing.
    pub fn note_failure(&mut self, id: TransactionId) {
        self.transactions.get_mut(id).has_failed = true;
    }

    /// Writes of the host that wait for a die of a lost chip, or for room there, and have no page yet.
    fn send_writes_elsewhere(&mut self, die: DieId, now: SimTime) {
        for number in 0..LANES as u8 {
            let lane = Lane { class: Class::HostWrite, number };
            let mut next = self.queues.first(die, lane);
            while let Some(id) = next {
                next = self.transactions.after(id);
                if !self.transactions.get(id).placed {
                    self.queues.leave(&mut self.transactions, die, id, now);
                    self.send_elsewhere(id, now);
                }
            }
        }
        let planes = self.geometry.planes_per_die;
        for plane in (die.0 * planes..(die.0 + 1) * planes).map(PlaneId) {
            while let Some(id) = self.for_room[plane.index()].pop(&mut self.transactions) {
                self.send_elsewhere(id, now);
            }
        }
    }

    fn send_elsewhere(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get(id);
        let (plane, lpn) = (write.plane, write.lpn.expect("a write has a logical page"));
        // Counted when it was ordered there, before anything was lost.
        let committed = &mut self.blocks.plane_mut(plane).committed_pages;
        *committed -= 1;
        self.commitments.change(|| self.space.range_of(lpn), plane, -1);
        self.writes_at_die[self.geometry.die_of(plane).index()] -= 1;
        if let Some(loss) = &mut self.loss {
            loss.counters.writes_sent_elsewhere += 1;
        }
        self.place_again(id, now);
    }

    /// A write that had, or waited for, a place looks for another one.
    fn place_again(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        let lpn = write.lpn.expect("a write has a logical page");
        if self.settings.page_allocation.is_early() {
            self.place_host_writes(id, lpn, now);
        } else {
            self.enqueue_write(id, lpn, now);
        }
    }
}
