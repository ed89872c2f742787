//! Tasks: work that an owner leaves to other owners.
//!
//! # How
//!
//! A method of an owner executes its own step and pushes a task for each subsequent step of another owner.
//! The [pump](super::pump) runs tasks depth first: those of the latest step precede older ones, and each
//! step's tasks run in the order in which they were pushed. Events therefore have the order of nested calls.

use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};

use super::space::NextWritePosition;

/// Step that is left to another owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Queues: queue a transaction for its die.
    Enqueue(TransactionId),
    /// Reads or writes: continue a transaction whose mapping entry is in memory.
    Proceed(TransactionId),
    /// Reads: read the sectors of a page that a write does not cover.
    ReadMissing {
        /// Write that waits for the data.
        write: TransactionId,
        /// Mask of the sectors to be read.
        sectors: u64,
    },
    /// Reads: queue a read of a mapped page.
    SendRead {
        /// Read with a known physical page.
        read: TransactionId,
        /// Physical page from the map.
        ppn: Ppn,
    },
    /// Writes: continue a write or trim that has acquired the lock of its logical page.
    WakeWrite(TransactionId),
    /// Writes: allocate the page of a write at the position found for it.
    PlaceWrite(Placement),
    /// Writes: allocate the page of a write-back of the map.
    PlaceMapWrite(TransactionId),
    /// Writes: continue the writes that wait for a free page in a plane that has one.
    RoomFreed(PlaneId),
    /// Writes: place the next of the writes that wait for a free page in a plane.
    PlaceWaiting(PlaneId),
    /// Writes: place the writes that found no plane, beginning with the one at this position.
    PlaceWithoutPlane(u32),
    /// Writes: search again for a plane for a write of this page's address range.
    QuotaFreed(Lpn),
    /// Collector: start garbage collection in a plane if it is short of free blocks.
    Collect(PlaneId),
    /// Collector: order further moves of the GC in progress in a plane.
    OrderMoves(PlaneId),
    /// Mapper: record that the mapping entry of a host page has changed.
    EntryChanged(Lpn),
    /// Mapper: record that garbage collection has moved a host page.
    PageMoved(Lpn),
    /// Mapper: read a translation page, for a write-back or for look-ups.
    ReadMap {
        /// Translation page, as a logical page.
        page: Lpn,
        /// Bytes that cross the fabric.
        bytes: u32,
        /// True if dirty entries are merged into the page.
        writes_back: bool,
    },
    /// Mapper: move a translation page to its next physical page without a program.
    MoveMap(Lpn),
    /// Mapper: wake the next transaction that waited for the translation page that was read last.
    WakeLookUp {
        /// True if the read of the translation page met a path conflict.
        conflicted: bool,
    },
    /// Loss: fail a write that found no free page on the remaining chips.
    FailWrite(TransactionId),
}

/// Host write, and the position of the free page that was found for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) write: TransactionId,
    pub(super) room: NextWritePosition,
    /// True if the sectors that the write does not cover are being read.
    pub(super) waits_for_read: bool,
    /// True if GC is to start afterwards if the plane is short of free blocks.
    pub(super) may_collect: bool,
}

/// Stack of tasks, whose memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    stack: Vec<Task>,
    /// Number of tasks that earlier steps have left, in the order in which they are popped.
    earlier: usize,
}

impl Tasks {
    /// Pushes a task of the present step.
    #[inline]
    pub(super) fn push(&mut self, task: Task) {
        self.stack.push(task);
    }

    /// True if no task is left.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// True if the current step has left a task.
    #[inline]
    pub(super) fn has_new(&self) -> bool {
        self.stack.len() > self.earlier
    }

    /// Removes and returns the task that runs next.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Task> {
        self.stack[self.earlier..].reverse();
        let next = self.stack.pop();
        self.earlier = self.stack.len();
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_run_depth_first_in_the_order_of_pushing() {
        let mut tasks = Tasks::default();
        let task = |plane| Task::Collect(PlaneId(plane));
        tasks.push(task(1));
        tasks.push(task(4));
        assert!(tasks.has_new());
        assert_eq!(tasks.next(), Some(task(1)));
        assert!(!tasks.has_new(), "the remaining task belongs to an earlier step");
        tasks.push(task(2));
        tasks.push(task(3));
        let rest: Vec<_> = std::iter::from_fn(|| tasks.next()).collect();
        assert_eq!(rest, [task(2), task(3), task(4)]);
    }
}
