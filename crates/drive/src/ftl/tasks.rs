//! Follow-up work that an owner leaves to other owners.
//!
//! # How
//! A method of an owner does its own step and pushes a task for each step of another owner that follows. The [pump](super::pump) runs
//! tasks depth first: those of the latest step come before older ones, and each step's tasks run in the order in which they were pushed.
//! So events have the order that nested calls would give them.

use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};

use super::space::NextWritePosition;

/// One step that is left to an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Queues: queue a transaction for its die.
    Enqueue(TransactionId),
    /// Reads or writes: go on with a transaction whose map entry is in memory.
    Proceed(TransactionId),
    /// Reads: read the sectors of a page that a write does not cover.
    ReadMissing {
        /// Write that waits for the data.
        write: TransactionId,
        /// Sectors to be read, one bit each.
        sectors: u64,
    },
    /// Reads: queue a read of a mapped page.
    SendRead {
        /// Read whose place is known.
        read: TransactionId,
        /// Physical page, which the map has.
        ppn: Ppn,
    },
    /// Writes: go on with a write that has got the lock of its logical page.
    WakeWrite(TransactionId),
    /// Writes: give a write its page in the room found for it.
    PlaceWrite(Placement),
    /// Writes: give a write-back of the map its page.
    PlaceMapWrite(TransactionId),
    /// Writes: go on with the writes that wait for room in a plane which has some.
    RoomFreed(PlaneId),
    /// Writes: place the next of the writes that wait for room in a plane.
    PlaceWaiting(PlaneId),
    /// Writes: place the writes that found no plane, from the one at this position on.
    PlaceWithoutPlane(u32),
    /// Writes: try again to find a plane for a write of this page's address range.
    QuotaFreed(Lpn),
    /// Collector: collect a block of a plane if it is short of free blocks.
    Collect(PlaneId),
    /// Collector: order further moves of the collection in progress in a plane.
    OrderMoves(PlaneId),
    /// Mapper: note that the map entry of a host page has changed.
    EntryChanged(Lpn),
    /// Mapper: note that garbage collection has moved a host page.
    PageMoved(Lpn),
    /// Mapper: read a translation page, for a write-back or for look-ups.
    ReadMap {
        /// Translation page, as a logical page.
        page: Lpn,
        /// Bytes that cross the fabric.
        bytes: u32,
        /// True if changed entries are merged into what is read.
        writes_back: bool,
    },
    /// Mapper: give a translation page its next place without a program.
    MoveMap(Lpn),
    /// Mapper: go on with the next transaction that waited for the translation page read last.
    WakeLookUp {
        /// True if the read of the translation page met a path conflict.
        conflicted: bool,
    },
    /// Loss: fail a write that found no room on the remaining chips.
    FailWrite(TransactionId),
}

/// A write of the host and the room that was found for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) write: TransactionId,
    pub(super) room: NextWritePosition,
    /// True if the sectors that the write does not cover are being read.
    pub(super) waits_for_read: bool,
    /// True if the plane is to collect afterwards if it is short of free blocks.
    pub(super) may_collect: bool,
}

/// A stack of tasks, whose memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    stack: Vec<Task>,
    /// Tasks of earlier steps, in the order in which they are popped.
    earlier: usize,
}

impl Tasks {
    /// Leaves a task.
    #[inline]
    pub(super) fn push(&mut self, task: Task) {
        self.stack.push(task);
    }

    /// Returns true if the present step has left a task.
    #[inline]
    pub(super) fn has_new(&self) -> bool {
        self.stack.len() > self.earlier
    }

    /// Removes the task that is to run next.
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
