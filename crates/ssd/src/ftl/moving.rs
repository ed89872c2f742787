//! The course of collection: what follows when a page was read, a move is over, a block is erased.

use venice_kernel::SimTime;

use crate::controller::queues::Legality;
use crate::geometry::{BlockId, DieId, PlaneId, Ppn, TransactionId};
use crate::work::{PageState, Purpose, Transaction};

use super::Ftl;
use super::collecting::{collect, collect_if_short, go_on};
use super::placement::{place_move, room_appeared};
use super::space::Stream;

/// The valid page was read: it is written elsewhere, unless the host overwrote it meanwhile.
pub(super) fn write_moved_page(ftl: &mut Ftl, read: &Transaction, now: SimTime) {
    let Ftl { collector, space, translation, .. } = ftl;
    let chosen = collector.destinations.choose(space, translation, read, |_, _| true);
    let plane = chosen.unwrap_or(read.collected);
    let write = Transaction { purpose: Purpose::GcWrite, plane, ..*read };
    let id = ftl.transactions.insert(write);
    if let (true, Some(lpn), PageState::From(from)) =
        (ftl.settings.page_allocation.is_early(), read.lpn, read.page)
    {
        if ftl.is_needless(ftl.transactions.get(id)) {
            ftl.transactions.remove(id);
            return move_ended(ftl, read.plane, true, now);
        }
        place_move(ftl, id, lpn, from, now);
    }
    ftl.collector.destinations.join(plane);
    ftl.queues.join(&mut ftl.transactions, id, now);
}

/// A move leaves its queue undone: its page was overwritten by the host since it was ordered, or it goes back to its victim's plane.
pub(super) fn take_back_move(ftl: &mut Ftl, die: DieId, id: TransactionId, now: SimTime) {
    if !ftl.is_needless(ftl.transactions.get(id)) {
        return send_home(ftl, die, id, now);
    }
    ftl.queues.leave(&mut ftl.transactions, die, id, now);
    let dropped = ftl.transactions.remove(id);
    if dropped.purpose == Purpose::GcWrite {
        ftl.collector.destinations.end(dropped.plane);
    }
    move_ended(ftl, dropped.collected, true, now);
}

/// A move of a page of this plane is over: done, or dropped before it got a page.
fn move_ended(ftl: &mut Ftl, plane: PlaneId, dropped: bool, now: SimTime) {
    if let Some(collection) = &mut ftl.space.blocks.planes[plane].collection {
        collection.unfinished -= 1;
        collection.in_flight -= 1;
        collection.unplaced -= u32::from(dropped);
    }
    if dropped {
        // Room that was kept for the move is the host's to use.
        room_appeared(ftl, plane, now);
    }
    go_on(ftl, plane, now);
}

/// A move that waits for its die goes back to its victim's plane.
fn send_home(ftl: &mut Ftl, die: DieId, id: TransactionId, now: SimTime) {
    ftl.queues.leave(&mut ftl.transactions, die, id, now);
    let moved = ftl.transactions.get_mut(id);
    let (left, home) = (moved.plane, moved.collected);
    moved.plane = home;
    ftl.collector.destinations.end(left);
    ftl.collector.destinations.join(home);
    ftl.queues.join(&mut ftl.transactions, id, now);
}

/// Where a page that a die has read may go at once, if collection is to move it: the plane that the policy chooses among those
/// of dies that have nothing waiting and that `can` take it.
pub(super) fn copy_destination(
    ftl: &mut Ftl,
    read: TransactionId,
    can: impl Fn(DieId) -> bool,
) -> Option<PlaneId> {
    if !ftl.collector.destinations.leave() || ftl.is_needless(ftl.transactions.get(read)) {
        return None;
    }
    let Ftl { collector, space, translation, queues, transactions, .. } = ftl;
    let has_room = |plane| space.may_take_page(plane, Stream::Guest);
    collector.destinations.choose(space, translation, transactions.get(read), |plane, die| {
        !queues.waits_for(die) && can(die) && has_room(plane)
    })
}

/// A move has been programmed.
pub(super) fn move_programmed(ftl: &mut Ftl, done: &Transaction, ppn: Ppn, now: SimTime) {
    ftl.books.program_ended(None, ppn);
    ftl.space.blocks.program_ended(done.plane, ppn);
    ftl.collector.destinations.end(done.plane);
    move_ended(ftl, done.collected, false, now);
    if done.plane != done.collected {
        collect_if_short(ftl, done.plane, now);
    }
}

/// The victim is erased: its plane has a free block more.
pub(super) fn collection_ended(ftl: &mut Ftl, plane: PlaneId, victim: BlockId, now: SimTime) {
    ftl.books.erased(victim);
    if let Some((next, cause)) = ftl.collector.end(&mut ftl.space, plane, victim) {
        collect(ftl, plane, next, cause, now);
    }
    // Writes that get a page now may start the next collection themselves.
    room_appeared(ftl, plane, now);
}
