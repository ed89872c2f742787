//! Loss of chips during operation: host writes queued for a lost chip are redirected to other chips. They
//! fail if no other chip has a free page.
//!
//! # How
//! The model and the choice of planes are described in [`LostPlanes`](super::space::LostPlanes).

use venice_kernel::SimTime;
use venice_nand::geometry::{ChipId, DieId, Geometry, Lpn, PlaneId, TransactionId};
use venice_nand::transactions::TransactionClass;

use crate::controller::queues::lanes::{DieLane, LANES};

use super::shared::Shared;
use super::stats::LossCounters;
use super::translation::Translation;

/// Writes that fail because chips have been lost, and the state of the search for writes to be redirected.
#[derive(Clone, Debug, Default)]
pub(super) struct Loss {
    /// Writes that failed for lack of a free page, and have not been reported yet.
    failed: Vec<TransactionId>,
    /// Position of the search in the queues of a lost die: the number of the lane (a queue of host writes),
    /// and the next transaction in this lane.
    scan: (u8, Option<TransactionId>),
}

impl Loss {
    /// Marks `chips` as lost, and counts the lost pages.
    pub(super) fn lose(&mut self, shared: &mut Shared, chips: &[ChipId]) {
        self.failed.clear();
        let geometry = shared.geometry;
        let chip_of = |plane| geometry.chip_of(geometry.die_of(PlaneId(plane)));
        let is_lost: Vec<bool> =
            (0..geometry.planes()).map(|plane| chips.contains(&chip_of(plane))).collect();
        shared.stats.losses = LossCounters {
            raw_pages_lost: is_lost.iter().filter(|&&is_lost| is_lost).count() as u64
                * geometry.pages_per_plane(),
            pages_lost: host_pages_on(&is_lost, &geometry, &shared.translation),
            ..LossCounters::default()
        };
        shared.space.lose(is_lost, &shared.translation);
    }

    /// Begins the search for host writes in the queues of a lost die.
    pub(super) fn begin_scan(&mut self, shared: &Shared, die: DieId) {
        self.scan = (0, shared.queues.first(die, DieLane::new(TransactionClass::HostWrite, 0)));
    }

    /// Removes and returns the next queued host write of a lost die that has no physical page yet, so that it
    /// can be redirected.
    pub(super) fn next_queued(
        &mut self,
        shared: &mut Shared,
        die: DieId,
        now: SimTime,
    ) -> Option<TransactionId> {
        loop {
            let (lane, next) = self.scan;
            let Some(id) = next else {
                if usize::from(lane) + 1 == LANES {
                    return None;
                }
                self.scan =
                    (lane + 1, shared.queues.first(die, DieLane::new(TransactionClass::HostWrite, lane + 1)));
                continue;
            };
            self.scan.1 = shared.transactions.after(id);
            if !shared.transactions.get(id).is_placed() {
                shared.queues.leave(&mut shared.transactions, die, id, now);
                return Some(id);
            }
        }
    }

    /// Records the failure of a write for which the remaining chips have no free page.
    pub(super) fn fail(&mut self, shared: &mut Shared, id: TransactionId) {
        shared.stats.losses.writes_without_room += 1;
        self.failed.push(id);
    }

    /// Removes and returns a failed write that has not been completed yet.
    pub(super) fn next_failed(&mut self) -> Option<TransactionId> {
        self.failed.pop()
    }
}

/// Returns the number of host pages whose data is on lost planes.
fn host_pages_on(is_lost: &[bool], geometry: &Geometry, translation: &Translation) -> u64 {
    let is_gone = |&lpn: &Lpn| {
        let (ppn, is_mapped) = translation.locate(lpn);
        let is_there = is_mapped || !translation.sectors.absent_unless_written();
        is_there && is_lost[geometry.plane_of_page(ppn).index()]
    };
    (0..translation.host_pages()).map(Lpn).filter(is_gone).count() as u64
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{Ppn, RequestId};
    use venice_nand::latency::{Stage, StageClock};
    use venice_nand::transactions::{Origin, PageState, Purpose, Transaction};

    use super::*;
    use crate::ftl::settings::UnwrittenData;
    use crate::ftl::shared::bench::Bench;

    /// Queues a write for the first of two chips, and counts it for the plane.
    fn queue_write(bench: &mut Bench, lpn: u32, page: PageState) -> TransactionId {
        let purpose = Purpose::HostWrite(Origin::Request(RequestId(lpn)));
        let (plane, clock) = (PlaneId(0), StageClock::start(bench.now));
        let id = bench.shared.transactions.insert(Transaction {
            lpn: Some(Lpn(lpn)),
            page,
            ..Transaction::new(purpose, plane, clock)
        });
        bench.shared.send_write(id, Lpn(lpn), plane);
        bench.shared.enqueue(id, bench.now);
        id
    }

    #[test]
    fn loss_counts_the_pages_on_lost_chips() {
        for (data, host_pages) in [(UnwrittenData::Absent, 3), (UnwrittenData::Present, 16)] {
            let mut bench = Bench::new(2, |settings| settings.unwritten_data = data);
            for lpn in [0, 2, 4] {
                bench.fill(0, lpn, 1);
            }
            bench.fill(1, 1, 1);
            Loss::default().lose(&mut bench.shared, &[ChipId(0)]);
            let losses = bench.shared.stats.losses;
            assert_eq!((losses.raw_pages_lost, losses.pages_lost), (32, host_pages));
            assert_eq!([0, 1].map(|plane| bench.shared.space.is_lost(PlaneId(plane))), [true, false]);
        }
    }

    #[test]
    fn queued_writes_without_a_page_leave_a_lost_die_in_order() {
        let mut bench = Bench::new(2, |_| {});
        let given = PageState::Given { ppn: Ppn(0), turn: 0, waits_for_read: false };
        let pages = [PageState::Unknown, given, PageState::Unknown];
        let writes = [0, 2, 4].map(|lpn| queue_write(&mut bench, lpn, pages[lpn as usize / 2]));
        let mut loss = Loss::default();
        loss.lose(&mut bench.shared, &[ChipId(0)]);
        loss.begin_scan(&bench.shared, DieId(0));
        let mut scanned = Vec::new();
        while let Some(id) = loss.next_queued(&mut bench.shared, DieId(0), bench.now) {
            bench.shared.leave_lost_plane(id);
            scanned.push(id);
        }
        assert_eq!((scanned, bench.queued(0)), (vec![writes[0], writes[2]], vec![writes[1]]));
        assert_eq!(bench.shared.stats.losses.writes_sent_elsewhere, 2);
        assert_eq!(bench.shared.space.blocks.planes[PlaneId(0)].committed_pages, 1);
        assert_eq!(bench.shared.space.writes.of(DieId(0)), 1);
    }

    #[test]
    fn failed_writes_are_answered_the_last_one_first() {
        let mut bench = Bench::new(2, |_| {});
        let writes = [0, 2].map(|lpn| queue_write(&mut bench, lpn, PageState::Unknown));
        let mut loss = Loss::default();
        for id in writes {
            loss.fail(&mut bench.shared, id);
        }
        assert_eq!(bench.shared.stats.losses.writes_without_room, 2);
        assert_eq!([(); 3].map(|()| loss.next_failed()), [Some(writes[1]), Some(writes[0]), None]);
        bench.wait_us(5);
        let done = bench.shared.fail_write(writes[1], bench.now);
        assert!(done.has_failed);
        assert_eq!(done.clock.spans[Stage::ChipWait as usize], bench.now.since(venice_kernel::SimTime::ZERO));
    }
}
