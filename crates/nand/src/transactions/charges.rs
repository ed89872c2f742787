//! Assignment of a transaction's time to latency stages.

use venice_kernel::{SimSpan, SimTime};

use crate::geometry::{DieId, Geometry};
use crate::latency::Stage;

use super::{Purpose, Transaction};

/// Page in transit from one chip to another: relocated by garbage collection, or an operand of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedPage {
    /// Number of bytes of the page.
    pub bytes: u32,
    /// Die from which the page is moved.
    pub from: DieId,
}

impl Transaction {
    /// Returns the start of the transaction's wait for its die.
    #[inline]
    pub const fn waits_since(&self) -> SimTime {
        self.clock.mark
    }

    /// Returns the creation time of the transaction, from which its age is counted.
    #[inline]
    pub const fn requested_since(&self) -> SimTime {
        self.clock.started()
    }

    /// Returns the page in transit, if the transaction relocates a page for garbage collection or transfers
    /// an operand of a gather.
    #[inline]
    pub fn moved_page(&self, geometry: &Geometry) -> Option<MovedPage> {
        let is_move = matches!(
            self.purpose,
            Purpose::GcRead | Purpose::GcWrite | Purpose::OperandRead(_) | Purpose::OperandLoad(_)
        );
        is_move.then(|| MovedPage { bytes: self.bytes, from: geometry.die_of(self.collected) })
    }

    /// Assigns the time before a transfer that starts at `now`. Time up to `ready` is assigned to the wait
    /// for the chip or for a free page, later time to the wait for a path. Returns true if the transfer met a
    /// path conflict.
    #[inline]
    pub fn charge_wait(&mut self, ready: SimTime, now: SimTime) -> bool {
        self.clock.charge_until(Stage::ChipWait, ready.min(now));
        let conflict = now > self.clock.mark;
        self.clock.charge(Stage::PathWait, now);
        self.conflicted |= conflict;
        conflict
    }

    /// Assigns the time of a transfer that ends at `now`. A part of it, `path_wait`, is assigned to the wait
    /// for a path, the rest to the transfer.
    #[inline]
    pub fn charge_transfer(&mut self, path_wait: SimSpan, now: SimTime) {
        let waited_until = self.clock.mark + path_wait;
        self.clock.charge_until(Stage::PathWait, waited_until);
        self.clock.charge(Stage::Transfer, now);
        self.conflicted |= !path_wait.is_zero();
    }

    /// Assigns all time up to `now` to the wait for a path, after a path search without success.
    pub fn charge_path_wait(&mut self, now: SimTime) {
        self.clock.charge(Stage::PathWait, now);
        self.conflicted = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::PlaneId;
    use crate::latency::StageClock;

    const fn at(us: u64) -> SimTime {
        SimTime::from_ps(us * 1_000_000)
    }

    fn requested_at(us: u64) -> Transaction {
        Transaction::new(Purpose::GcRead, PlaneId(0), StageClock::start(at(us)))
    }

    fn spent(transaction: &Transaction, stage: Stage) -> u64 {
        transaction.clock.spans[stage as usize].as_ps() / 1_000_000
    }

    #[test]
    fn a_wait_is_for_the_chip_up_to_when_it_was_ready_and_for_a_path_after_that() {
        let mut waits = requested_at(2);
        assert!(waits.charge_wait(at(5), at(9)));
        assert_eq!((spent(&waits, Stage::ChipWait), spent(&waits, Stage::PathWait)), (3, 4));
        assert!(waits.conflicted);
        assert_eq!((waits.requested_since(), waits.waits_since()), (at(2), at(9)));
    }

    #[test]
    fn a_transfer_that_starts_when_the_chip_is_ready_met_no_conflict() {
        for ready in [at(9), at(12)] {
            let mut waits = requested_at(2);
            assert!(!waits.charge_wait(ready, at(9)));
            assert_eq!((spent(&waits, Stage::ChipWait), spent(&waits, Stage::PathWait)), (7, 0));
            assert!(!waits.conflicted);
        }
    }

    #[test]
    fn what_a_transfer_waits_inside_the_fabric_is_a_conflict_and_no_transfer() {
        let mut moves = requested_at(0);
        moves.charge_transfer(SimSpan::ZERO, at(3));
        assert_eq!((spent(&moves, Stage::PathWait), spent(&moves, Stage::Transfer)), (0, 3));
        assert!(!moves.conflicted);
        moves.charge_transfer(SimSpan::from_us(1), at(8));
        assert_eq!((spent(&moves, Stage::PathWait), spent(&moves, Stage::Transfer)), (1, 7));
        assert!(moves.conflicted);
    }

    #[test]
    fn a_search_for_a_path_that_failed_is_path_wait_however_short() {
        let mut searches = requested_at(4);
        searches.charge_path_wait(at(4));
        assert!(searches.conflicted);
        assert_eq!(spent(&searches, Stage::PathWait), 0);
        searches.charge_path_wait(at(6));
        assert_eq!(spent(&searches, Stage::PathWait), 2);
    }
}
