//! Reads of units of one page that one operation serves.
//!
//! # The rule
//! A read of a unit joins a read of another unit, or of the same one, of its page that waits for the die in the
//! same lane. The page is sensed once, and the data of all its reads leave together.

use std::collections::BTreeMap;

use venice_nand::geometry::{Ppn, TransactionId};
use venice_nand::transactions::Purpose;

use crate::ftl::shared::Shared;

/// Reads that wait for their die, by the first slot of their page; none with units of one page.
#[derive(Clone, Debug, Default)]
pub(super) struct QueuedReads(BTreeMap<Ppn, TransactionId>);

impl QueuedReads {
    /// Joins a read to a waiting read of the same page. Returns true if there is one; otherwise later reads of
    /// the page may join this read.
    #[inline]
    pub(super) fn join(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn) -> bool {
        shared.units.share_pages() && self.join_page(shared, id, ppn)
    }

    fn join_page(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn) -> bool {
        let read = shared.transactions.get(id);
        if !matches!(read.purpose, Purpose::HostRead(_) | Purpose::UpdateRead(_)) {
            return false;
        }
        let first = *self.0.entry(shared.units.first_of_page(ppn)).or_insert(id);
        let joins = first != id && shared.transactions.get(first).lane == read.lane;
        if joins {
            shared.join_page(first, id);
            // The units lie in different parts of the page, so that no part of the read time suffices.
            shared.transactions.get_mut(first).command_sectors = u32::MAX;
            shared.stats.read_shared();
        }
        joins
    }

    /// Removes a read that starts.
    #[inline]
    pub(super) fn leave(&mut self, shared: &Shared, id: TransactionId, ppn: Ppn) {
        if !shared.units.share_pages() {
            return;
        }
        let page = shared.units.first_of_page(ppn);
        if self.0.get(&page) == Some(&id) {
            self.0.remove(&page);
        }
    }
}
