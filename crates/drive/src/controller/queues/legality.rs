//! Conditions under which transactions may be started, as provided by the FTL.

use venice_nand::geometry::{DieId, PlaneId};
use venice_nand::transactions::{Transaction, TransactionClass};

/// Page offsets that a transaction requires of the other transactions in its command, on chips whose
/// multi-plane commands need equal offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffsetRule {
    /// Offset of the page that is read or programmed; `None` for an erase.
    pub page: Option<u32>,
    /// Offset of the page that a copyback reads; `None` for transactions other than copybacks.
    pub source: Option<u32>,
}

/// Interface to query if transactions may be started. The FTL implements it, since it knows the state of
/// planes, blocks and pages. Queries have no side effects, and their results change only when the FTL changes
/// its state.
pub trait Legality {
    /// Returns true if garbage collection on this die is urgent, so that it precedes all other transactions
    /// that need free pages.
    fn collection_is_urgent(&self, die: DieId) -> bool;

    /// Returns true if all garbage collection in progress that may need the die moves data for its
    /// reliability (read reclaim, refresh). Such garbage collection yields to host transactions under all
    /// settings.
    fn collects_only_due_data(&self, die: DieId) -> bool;

    /// Returns true if the relocation `moved` is urgent, because a plane that is almost full waits for it.
    fn is_urgent(&self, moved: &Transaction) -> bool;

    /// Returns true if garbage collection is in progress in a plane. Otherwise no relocation or erase of the
    /// plane is queued.
    fn is_collected(&self, plane: PlaneId) -> bool;

    /// Returns true if a plane of the die has free pages for writes of the host or of the mapping table.
    fn has_room(&self, die: DieId) -> bool;

    /// Returns true if a write can be started. If its physical page is allocated, the page must be next in
    /// program order and the data available. Otherwise the plane needs a free page.
    fn can_program(&self, write: &Transaction) -> bool;

    /// Returns true for a relocation that has become unnecessary, because its page has been overwritten or
    /// trimmed.
    fn is_needless(&self, transaction: &Transaction) -> bool;

    /// Returns true if a relocation must be removed from its queue without being executed: its page has been
    /// overwritten or trimmed, or the plane to which it is to be moved has no free page.
    fn is_obsolete(&self, moved: &Transaction) -> bool;

    /// Returns the page offsets that other transactions need to share a command with this transaction.
    fn offsets(&self, transaction: &Transaction) -> OffsetRule;

    /// Returns the offset of the page that the next write of a class will get on a plane, or `None` without a
    /// free page. For host writes, `stream` is the number of the write stream. For relocations it is 0 for
    /// pages of the plane itself and 1 for pages of other planes.
    fn next_offset(&self, plane: PlaneId, class: TransactionClass, stream: u16) -> Option<u32>;
}
