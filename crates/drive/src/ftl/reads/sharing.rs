//! Sharing of one array operation by several reads of mapping units in one physical page.

use std::collections::BTreeMap;

use venice_nand::geometry::{Ppn, TransactionId};
use venice_nand::transactions::Purpose;

use venice_params::choices;

use crate::ftl::shared::Shared;

/// Reads of mapping units that join a waiting read of the same page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSharing {
    /// All reads.
    All,
    /// Reads of the same host request.
    Request,
}

choices! {
    ReadSharing, "sharing of reads": "all" => All, "request" => Request;
}

/// Queued reads that further reads of the same page can join, indexed by the location of the page's first
/// mapping unit. Empty if a mapping unit is a whole page.
#[derive(Clone, Debug)]
pub(super) struct QueuedReads {
    sharing: ReadSharing,
    by_page: BTreeMap<Ppn, TransactionId>,
}

impl QueuedReads {
    /// Creates an empty set of queued reads. `sharing` determines which reads may join them.
    pub(super) const fn new(sharing: ReadSharing) -> Self {
        Self { sharing, by_page: BTreeMap::new() }
    }

    /// Adds a read to a waiting read of the same page and returns true. If no read of the page is waiting,
    /// returns false, and later reads of the page may join the read `id`.
    #[inline]
    pub(super) fn join(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn) -> bool {
        shared.units.share_pages() && self.join_page(shared, id, ppn)
    }

    fn join_page(&mut self, shared: &mut Shared, id: TransactionId, ppn: Ppn) -> bool {
        let read = shared.transactions.get(id);
        if !matches!(read.purpose, Purpose::HostRead(_) | Purpose::UpdateRead(_)) {
            return false;
        }
        let first = self.by_page.entry(shared.units.first_of_page(ppn)).or_insert(id);
        let waiting = shared.transactions.get(*first);
        if self.sharing == ReadSharing::Request && waiting.purpose != read.purpose {
            *first = id;
        }
        let first = *first;
        let joins = first != id && shared.transactions.get(first).lane == read.lane;
        if joins {
            shared.join_page(first, id);
            // The reads need different parts of the page, so that a partial read does not suffice.
            shared.transactions.get_mut(first).command_sectors = u32::MAX;
            shared.stats.read_shared();
        }
        joins
    }

    /// Removes a read that starts, so that no further read joins it.
    #[inline]
    pub(super) fn leave(&mut self, shared: &Shared, id: TransactionId, ppn: Ppn) {
        if !shared.units.share_pages() {
            return;
        }
        let page = shared.units.first_of_page(ppn);
        if self.by_page.get(&page) == Some(&id) {
            self.by_page.remove(&page);
        }
    }
}
