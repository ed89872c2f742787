//! A drive that gives chips up while it works: what had been ordered there goes elsewhere.
//!
//! What is modelled, and what is left out, says [`super::space::Losses`].

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};

use super::Ftl;
use super::completion::Finished;
use super::scheduling::LANES;
use super::space::LossCounters;
use super::transaction::{Class, Purpose};

impl Ftl {
    /// What the loss took and cost; none if there was none.
    pub fn loss_counters(&self) -> Option<&LossCounters> {
        self.space.loss.as_ref().map(|loss| &loss.counters)
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
        for lpn in (0..self.translation.logical_pages).map(Lpn) {
            let (ppn, is_mapped) = self.locate(lpn);
            let is_there = is_mapped || !self.settings.unwritten_data.is_absent();
            counters.pages_lost += u64::from(is_there && is_lost[self.plane_of(ppn).index()]);
        }
        let loss = Loss { is_lost, substitutes, most_substitutes, failed: Vec::new(), counters };
        self.space.loss = Some(Box::new(loss));
        for die in (0..self.geometry.dies()).map(DieId) {
            if chips.contains(&self.geometry.chip_of(die)) {
                self.send_writes_elsewhere(die, now);
                self.kick(die);
            }
        }
        for id in std::mem::take(&mut self.space.without_plane) {
            self.place_again(id, now);
        }
    }

    /// The next write that found no room and is to be answered.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.space.loss.as_mut()?.failed.pop()
    }

    /// Ends a write that found no room.
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        let (purpose, lpn) = (write.purpose, write.lpn?);
        let done = self.transactions.remove(id);
        if let Some(next) = self.translation.locks.release(&mut self.translation.map, lpn) {
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
        for lane in 0..LANES as u8 {
            let mut next = self.transactions.first(die, Class::HostWrite, lane);
            while let Some(id) = next {
                next = self.transactions.after(id);
                if !self.transactions.get(id).placed {
                    self.leave_queue(die, id, now);
                    self.send_elsewhere(id, now);
                }
            }
        }
        let planes = self.geometry.planes_per_die;
        for plane in (die.0 * planes..(die.0 + 1) * planes).map(PlaneId) {
            while let Some(id) = self.transactions.next_for_room(plane) {
                self.send_elsewhere(id, now);
            }
        }
    }

    fn send_elsewhere(&mut self, id: TransactionId, now: SimTime) {
        let write = self.transactions.get(id);
        let (plane, lpn) = (write.plane, write.lpn.expect("a write has a logical page"));
        // Counted when it was ordered there, before anything was lost.
        let committed = &mut self.space.blocks.plane_mut(plane).committed_pages;
        *committed -= 1;
        self.space.commitments.change(|| self.translation.addresses.range_of(lpn), plane, -1);
        self.space.writes_at_die[self.geometry.die_of(plane).index()] -= 1;
        if let Some(loss) = &mut self.space.loss {
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
