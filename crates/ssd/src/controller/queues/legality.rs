//! What the controller asks of the layer above: what may be done now.

use crate::geometry::{DieId, PlaneId};
use crate::work::{Class, Transaction};

/// Page offsets that must agree among the planes of a command, where the chip asks that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// Of the page that is read or programmed; an erase has none.
    pub page: Option<u32>,
    /// Of a copyback, of the page that it comes from.
    pub source: Option<u32>,
}

/// The contract with whoever keeps the books of the drive's pages. The controller chooses among what waits; whether something of
/// it may be done at this instant it asks here. No question changes anything, and between two changes of the books each has one answer.
pub trait Legality {
    /// Whether collection on this die goes before whatever consumes free pages.
    fn collection_is_urgent(&self, die: DieId) -> bool;

    /// Whether a plane that is nearly full waits for this move.
    fn is_urgent(&self, moved: &Transaction) -> bool;

    /// Whether a plane is being collected: else no move and no erase of it waits.
    fn is_collected(&self, plane: PlaneId) -> bool;

    /// Whether the host or the map can write to any plane of a die.
    fn has_room(&self, die: DieId) -> bool;

    /// Whether a write can start: one that has its page when it is its turn and its data are at hand, others when there is room.
    fn can_program(&self, write: &Transaction) -> bool;

    /// Whether it is a move of a page that nobody wants any more.
    fn is_needless(&self, transaction: &Transaction) -> bool;

    /// Whether a move is to leave its queue undone: it is needless, or there is no room for it on this plane.
    fn is_obsolete(&self, moved: &Transaction) -> bool;

    /// The page offsets that other planes of its command must be at.
    fn offsets(&self, transaction: &Transaction) -> Offsets;

    /// The offset of the page that the next write of a class gets on a plane, if there is one: of the host, by its stream; of moves, 0
    /// for those of the plane itself and 1 for those of others.
    fn next_offset(&self, plane: PlaneId, class: Class, stream: u16) -> Option<u32>;
}
