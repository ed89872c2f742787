//! A drive that gives chips up while it works: what had been ordered there goes elsewhere.
//!
//! What is modelled, and what is left out, says [`super::space::Losses`].

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};

use super::Ftl;
use super::completion::Finished;
use crate::controller::queues::lanes::{LANES, Lane};
use crate::work::{Class, Purpose};

impl Ftl {
    /// Gives up these chips, for good.
    pub fn lose(&mut self, chips: &[ChipId], now: SimTime) {
        let chip_of = |plane| self.geometry.chip_of(self.geometry.die_of(PlaneId(plane)));
        let is_lost = (0..self.geometry.planes()).map(|plane| chips.contains(&chip_of(plane))).collect();
        self.space.lose(is_lost, &self.translation);
        for die in (0..self.geometry.dies()).map(DieId) {
            if chips.contains(&self.geometry.chip_of(die)) {
                self.send_writes_elsewhere(die, now);
                self.queues.wake(die);
            }
        }
        for id in std::mem::take(self.space.without_plane()) {
            self.place_again(id, now);
        }
    }

    /// The next write that found no room and is to be answered.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.space.losses_mut()?.next_failed()
    }

    /// Ends a write that found no room.
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        let (purpose, lpn) = (write.purpose, write.lpn?);
        let done = self.transactions.remove(id);
        if let Some(next) = self.translation.unlock(lpn) {
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
                if !self.transactions.get(id).is_placed() {
                    self.queues.leave(&mut self.transactions, die, id, now);
                    self.send_elsewhere(id, now);
                }
            }
        }
        for plane in self.geometry.planes_of(die) {
            while let Some(id) = self.space.for_room[plane.index()].pop(&mut self.transactions) {
                self.send_elsewhere(id, now);
            }
        }
    }

    fn send_elsewhere(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get(id);
        let (plane, lpn) = (write.plane, write.lpn.expect("a write has a logical page"));
        self.space.leave_lost_plane(&self.translation.addresses, lpn, plane);
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
