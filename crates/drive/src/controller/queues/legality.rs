//! Legality of transactions, as queried from the layer above.

use venice_nand::geometry::{DieId, PlaneId};
use venice_nand::transactions::{Transaction, TransactionClass};

/// Page offsets that must be equal for all planes of a command, on chips that require it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffsetRule {
    /// Offset of the page that is read or programmed; `None` for an erase.
    pub page: Option<u32>,
    /// Offset of the source page of a copyback.
    pub source: Option<u32>,
}

/// Interface to the owner of the page bookkeeping. The controller chooses among waiting transactions and asks
/// this interface which of them may be started. Queries have no side effects, and their answers are constant
/// between changes of the bookkeeping.
pub trait Legality {
    /// True if garbage collection on this die takes precedence over all consumers of free pages.
    fn collection_is_urgent(&self, die: DieId) -> bool;

    /// True if a nearly full plane waits for this relocation.
    fn is_urgent(&self, moved: &Transaction) -> bool;

    /// True if garbage collection is in progress in a plane; otherwise no relocation or erase of the plane
    /// waits.
    fn is_collected(&self, plane: PlaneId) -> bool;

    /// True if a plane of the die can accept writes of the host or of the mapping.
    fn has_room(&self, die: DieId) -> bool;

    /// True if a write can be started: a write with a page, in its program order and with its data available,
    /// or a write without a page if there is a free one.
    fn can_program(&self, write: &Transaction) -> bool;

    /// True for a relocation of a page that has become invalid.
    fn is_needless(&self, transaction: &Transaction) -> bool;

    /// True if a relocation must be removed from its queue without being executed: it is needless, or this
    /// plane has no free page for it.
    fn is_obsolete(&self, moved: &Transaction) -> bool;

    /// Returns the page offsets that the transactions of the command on other planes must have.
    fn offsets(&self, transaction: &Transaction) -> OffsetRule;

    /// Returns the offset of the page that the next write of a class would be allocated on a plane; `None`
    /// without a free page. `stream` is the host's write stream; for relocations, 0 for pages of the plane
    /// itself and 1 for those of other planes.
    fn next_offset(&self, plane: PlaneId, class: TransactionClass, stream: u16) -> Option<u32>;
}
