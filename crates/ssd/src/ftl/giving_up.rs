//! A drive that gives chips up while it works: what had been ordered there goes elsewhere.
//!
//! What is modelled, and what is left out, says [`super::space::Losses`].

use venice_kernel::SimTime;

use crate::accounting::Stage;
use crate::geometry::{ChipId, DieId, PlaneId, TransactionId};

use super::Ftl;
use super::completion::Finished;
use super::placement::{place_host_writes, resume_write};
use super::remap::enqueue_write;
use crate::controller::queues::lanes::{LANES, Lane};
use crate::work::{Class, Purpose};

impl Ftl {
    /// The next write that found no room and is to be answered.
    pub fn next_failed_write(&mut self) -> Option<TransactionId> {
        self.space.losses_mut()?.next_failed()
    }

    /// Ends a write that found no room; its transaction is there until it is forgotten, as that of one that [is done](Self::finish).
    pub fn give_up_write(&mut self, id: TransactionId, now: SimTime) -> Option<Finished> {
        let write = self.transactions.get_mut(id);
        write.clock.charge(Stage::ChipWait, now);
        write.has_failed = true;
        let lpn = write.lpn?;
        let done = *write;
        if let Some(next) = self.translation.unlock(lpn) {
            resume_write(self, next, lpn, now);
        }
        let Purpose::HostWrite(origin) = done.purpose else { return None };
        Some(super::completion::finished(origin, lpn, None, &done))
    }
}

/// Writes of the host that wait for a die of a lost chip, or for room there, and have no page yet.
fn send_writes_elsewhere(ftl: &mut Ftl, die: DieId, now: SimTime) {
    for number in 0..LANES as u8 {
        let lane = Lane::new(Class::HostWrite, number);
        let mut next = ftl.queues.first(die, lane);
        while let Some(id) = next {
            next = ftl.transactions.after(id);
            if !ftl.transactions.get(id).is_placed() {
                ftl.queues.leave(&mut ftl.transactions, die, id, now);
                send_elsewhere(ftl, id, now);
            }
        }
    }
    for plane in ftl.geometry.planes_of(die) {
        while let Some(id) = ftl.space.for_room[plane.index()].pop(&mut ftl.transactions) {
            send_elsewhere(ftl, id, now);
        }
    }
}

fn send_elsewhere(ftl: &mut Ftl, id: TransactionId, now: SimTime) {
    let write = ftl.transactions.get(id);
    let (plane, lpn) = (write.plane, write.lpn.expect("a write has a logical page"));
    ftl.space.leave_lost_plane(&ftl.translation.addresses, lpn, plane);
    place_again(ftl, id, now);
}

/// A write that had, or waited for, a place looks for another one.
fn place_again(ftl: &mut Ftl, id: TransactionId, now: SimTime) {
    let write = ftl.transactions.get_mut(id);
    write.clock.charge(Stage::ChipWait, now);
    let lpn = write.lpn.expect("a write has a logical page");
    if ftl.settings.page_allocation.is_early() {
        place_host_writes(ftl, id, lpn, now);
    } else {
        enqueue_write(ftl, id, lpn, now);
    }
}

/// Gives up these chips, for good.
pub(super) fn lose(ftl: &mut Ftl, chips: &[ChipId], now: SimTime) {
    let chip_of = |plane| ftl.geometry.chip_of(ftl.geometry.die_of(PlaneId(plane)));
    let is_lost = (0..ftl.geometry.planes()).map(|plane| chips.contains(&chip_of(plane))).collect();
    ftl.space.lose(is_lost, &ftl.translation);
    for die in (0..ftl.geometry.dies()).map(DieId) {
        if chips.contains(&ftl.geometry.chip_of(die)) {
            send_writes_elsewhere(ftl, die, now);
            ftl.queues.wake(die);
        }
    }
    for id in std::mem::take(ftl.space.without_plane()) {
        place_again(ftl, id, now);
    }
}
