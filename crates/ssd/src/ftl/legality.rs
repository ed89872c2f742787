//! What can start now: room, turns, pages in the making.

use crate::geometry::{DieId, PlaneId, TransactionId};

use super::Ftl;
use crate::work::Class;

impl Ftl {
    pub(super) fn collection_is_urgent(&self, die: DieId) -> bool {
        let planes = self.geometry.planes_per_die;
        (die.0 * planes..(die.0 + 1) * planes).map(PlaneId).any(|plane| {
            self.space.blocks.plane(plane).collection.is_some()
                && self.space.blocks.free(plane) < self.settings.gc_hard_free_blocks
        }) || (self.moves_leave() && self.has_urgent_guest(die))
    }

    /// Whether a read is of a page that one of these transactions programs.
    pub(super) fn is_in_the_making(&self, read: TransactionId, beside: &[TransactionId]) -> bool {
        let read = self.transactions.get(read);
        read.pins_block && beside.iter().any(|&id| self.transactions.get(id).ppn == read.ppn)
    }

    /// Whether a write can start: one that has its page when it is its turn and its data are at hand,
    /// others when there is room.
    #[inline]
    pub(super) fn may_program(&self, id: TransactionId) -> bool {
        let write = self.transactions.get(id);
        match write.ppn {
            Some(ppn) if write.placed => !write.waits_for_read && self.space.is_its_turn(write.turn, ppn),
            _ => self.space.may_take_page(write.plane, self.space.stream_of(write)) && self.may_be_guest(id),
        }
    }

    /// Whether the plane of a move that leaves its own takes it now; of others there is no question.
    #[inline]
    fn may_be_guest(&self, id: TransactionId) -> bool {
        if !self.moves_leave() || !self.is_guest(id) {
            return true;
        }
        let write = self.transactions.get(id);
        write.lpn.is_some_and(|lpn| !self.is_full_of_guests(write.plane, lpn))
    }

    /// The page offsets that must agree among the planes of a command: of the page it reads or programs, and,
    /// of a copyback, of the page it comes from. Erases have none.
    pub(super) fn offsets(&self, id: TransactionId) -> (Option<u32>, Option<u32>) {
        let transaction = self.transactions.get(id);
        let of_page = transaction.ppn.map(|ppn| self.geometry.page_offset(ppn));
        match transaction.purpose.class() {
            Class::GcErase => (None, None),
            class if class.is_write() && !transaction.placed => {
                let next =
                    self.space.blocks.next_offset(transaction.plane, self.space.stream_of(transaction));
                (next, of_page.filter(|_| self.settings.gc_copyback))
            }
            _ => (of_page, None),
        }
    }
}
