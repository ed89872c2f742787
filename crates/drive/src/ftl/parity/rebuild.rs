//! Rebuild of uncorrectable pages from the other units of their stripes.
//!
//! # How
//! A page that no recovery step corrects is rebuilt if all units of its stripe have been programmed: the
//! pages at the same offset of the stripe's other planes are read, with the priority of the failed read,
//! and combined by XOR in the controller, which takes no time. The failed read ends when the last of
//! these pages has arrived. If one of them is uncorrectable, too, the rebuild fails.

use venice_kernel::SimTime;
use venice_nand::geometry::{PlaneId, Ppn, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::{PageState, Purpose, Transaction};

use crate::ftl::Pump;
use crate::ftl::shared::Shared;

/// Rebuild of an uncorrectable page that is in progress.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Rebuild {
    /// Read that could not be corrected.
    failed_read: TransactionId,
    /// Number of reads of other pages of the stripe that have not ended.
    missing: usize,
    /// True if a page of the stripe was uncorrectable.
    has_failed: bool,
}

impl Shared {
    /// Returns the pages from which the page that contains the slot `ppn` can be computed, or `None` if some of
    /// them have not been programmed or are being erased.
    fn rest_of_stripe(&self, ppn: Ppn) -> Option<Vec<(PlaneId, Ppn)>> {
        let layout = self.parity.as_ref()?;
        let page = self.units.first_of_page(ppn);
        let (plane, offset) = (self.geometry.plane_of_page(page), self.geometry.page_offset(page));
        let index = self.geometry.block_of(page).0 % self.geometry.blocks_per_plane;
        let is_readable = |plane: PlaneId| {
            let block = &self.space.blocks.table[self.geometry.block(plane, index)];
            let in_flight = block.pending_programs * self.units.per_program();
            let collection = self.space.blocks.planes[plane].collection;
            let is_erasing =
                collection.is_some_and(|it| it.erasing && it.victim == self.geometry.block(plane, index));
            block.written - in_flight.min(block.written) > offset && !is_erasing
        };
        if !layout.stripe_of(plane).all(is_readable) {
            return None;
        }
        let others = layout.stripe_of(plane).filter(|&other| other != plane);
        Some(
            others
                .map(|other| (other, self.geometry.ppn(self.geometry.block(other, index), offset)))
                .collect(),
        )
    }

    /// Returns the number of bytes of a mapping unit or, if a page contains several mapping units, of a page.
    pub(in crate::ftl) fn page_or_unit_bytes(&self) -> u32 {
        self.geometry.page_bytes * self.units.per_page()
    }
}

impl Pump {
    /// Starts to rebuild the data of an uncorrectable read at `ppn`. Returns false if this is impossible.
    pub(in crate::ftl) fn begin_rebuild(
        &mut self,
        failed_read: TransactionId,
        ppn: Ppn,
        now: SimTime,
    ) -> bool {
        let shared = &mut self.shared;
        let Some(pages) = shared.rest_of_stripe(ppn) else { return false };
        let Transaction { purpose, priority, lane, .. } = *shared.transactions.get(failed_read);
        let purpose = Purpose::RebuildRead { failed_read, is_of_scrub: purpose == Purpose::ScrubRead };
        shared.rebuilds.push(Rebuild { failed_read, missing: pages.len(), has_failed: false });
        for (plane, ppn) in pages {
            shared.space.blocks.table.pin(shared.geometry.block_of(ppn));
            let read = shared.transactions.insert(Transaction {
                page: PageState::At { ppn, is_pinned: true },
                bytes: shared.page_or_unit_bytes(),
                priority,
                lane,
                ..Transaction::new(purpose, plane, StageClock::start(now))
            });
            shared.stats.rebuild_read();
            shared.enqueue(read, now);
        }
        self.run_tasks(now);
        true
    }

    /// Processes the end of a read of a stripe's page for a rebuild. After the last of these reads, the read
    /// that could not be corrected has its data, and the caller has to end it.
    pub(in crate::ftl) fn stripe_page_read(
        &mut self,
        failed_read: TransactionId,
        done: &Transaction,
        now: SimTime,
    ) {
        let rebuilds = &mut self.shared.rebuilds;
        let place = rebuilds.iter().position(|rebuild| rebuild.failed_read == failed_read);
        let Some(place) = place else { return };
        rebuilds[place].missing -= 1;
        rebuilds[place].has_failed |= done.has_failed;
        if rebuilds[place].missing > 0 {
            return;
        }
        let Rebuild { has_failed, .. } = rebuilds.swap_remove(place);
        // Waits of the concurrent reads cannot be added up, so that all their time counts as decoding.
        self.shared.transactions.get_mut(failed_read).clock.charge(Stage::Decoding, now);
        self.shared.stats.rebuild_ended(has_failed);
        if has_failed {
            self.lose_page(failed_read);
        } else {
            self.fail_where_unreadable(failed_read);
        }
        self.shared.rebuilt.push(failed_read);
    }
}
