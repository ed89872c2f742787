//! Tasks: steps that a component of the flash translation layer queues for another component.
//!
//! # How
//!
//! A method of a component executes its own step, and queues a task for each following step of another
//! component. The [pump](super::pump) executes tasks depth first. Tasks of the latest step precede older
//! ones, and the tasks of one step are executed in the order in which they were queued. The order is thus the
//! same as that of nested calls.

use venice_nand::geometry::{Lpn, PlaneId, Ppn, TransactionId};

use super::space::NextWritePosition;

/// Step that one component of the flash translation layer queues for another one. The comment of each variant
/// names the component that executes the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Adds a transaction to the queue of its die; executed by `queues`.
    Enqueue(TransactionId),
    /// Continues a transaction whose map entry is in memory; executed by `reads` or `writes`.
    Proceed(TransactionId),
    /// Reads the sectors of a page that a write does not cover; executed by `reads`.
    ReadMissing {
        /// Write that waits for the data.
        write: TransactionId,
        /// Bit mask of the sectors to be read.
        sectors: u64,
    },
    /// Queues a read of a mapped page; executed by `reads`.
    SendRead {
        /// Read whose physical page is known.
        read: TransactionId,
        /// Physical page of the read, as found in the map.
        ppn: Ppn,
    },
    /// Continues a write or trim that has acquired the lock of its logical page; executed by `writes`.
    WakeWrite(TransactionId),
    /// Allocates the page of a write at the free page that was found for the write; executed by `writes`.
    PlaceWrite(WritePlacement),
    /// Allocates the page of a write-back of a translation page; executed by `writes`.
    PlaceMapWrite(TransactionId),
    /// Continues the writes that wait for a free page in a plane, which now has one; executed by `writes`.
    RoomFreed(PlaneId),
    /// Allocates the page of the next write that waits for a free page in a plane; executed by `writes`.
    PlaceWaiting(PlaneId),
    /// Chooses planes for the writes that found none before, beginning with the write at this position in
    /// their list; executed by `writes`.
    PlaceWithoutPlane(u32),
    /// Searches again for a plane for a waiting write in the address range of this page; executed by
    /// `writes`.
    QuotaFreed(Lpn),
    /// Ends a read that was served from the controller's buffer; executed by the pump
    /// after all other tasks.
    EndRead(TransactionId),
    /// Starts garbage collection in a plane with too few free blocks; executed by `collector`.
    Collect(PlaneId),
    /// Queues further moves of the garbage collection in progress in a plane; executed by `collector`.
    OrderMoves(PlaneId),
    /// Records that the map entry of a host page has changed; executed by `mapper`.
    EntryChanged(Lpn),
    /// Records that garbage collection has moved a host page; executed by `mapper`.
    PageMoved(Lpn),
    /// Reads a translation page for a write-back or for look-ups; executed by `mapper`.
    ReadMap {
        /// Translation page, numbered as a logical page.
        page: Lpn,
        /// Number of bytes of the page that are sent to the controller.
        bytes: u32,
        /// True if the page is read for a write-back, so that it will be programmed again with dirty entries.
        writes_back: bool,
    },
    /// Reads an entry of a translation page from the host memory buffer; executed by `mapper`.
    FetchMap(Lpn),
    /// Allocates the next physical page to a translation page, without programming it; executed by `mapper`.
    MoveMap(Lpn),
    /// Continues the transactions that waited for the translation page that was read last; executed by the
    /// pump.
    WakeLookUps {
        /// True if the read of the translation page had to wait for a path.
        conflicted: bool,
    },
    /// Fails a write for which the remaining chips have no free page; executed by `loss`.
    FailWrite(TransactionId),
}

/// Host write, and the position of the free page that was found for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WritePlacement {
    pub(super) write: TransactionId,
    pub(super) room: NextWritePosition,
    /// True if the sectors that the write does not cover are being read.
    pub(super) waits_for_read: bool,
    /// True if the allocation may start garbage collection in a plane with too few free blocks.
    pub(super) may_collect: bool,
}

/// Queued tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    /// Tasks of earlier steps in reverse order, so that the next one is the last, then the tasks of the current
    /// step in the order in which they were queued.
    queued: Vec<Task>,
    /// Number of tasks of earlier steps.
    earlier: usize,
}

impl Tasks {
    /// Queues a task of the current step.
    #[inline]
    pub(super) fn push(&mut self, task: Task) {
        self.queued.push(task);
    }

    /// Returns true if no task is queued.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// Returns true if the current step has queued a task.
    #[inline]
    pub(super) const fn has_new(&self) -> bool {
        self.queued.len() > self.earlier
    }

    /// Removes and returns the task that is executed next. The other tasks of the current step become earlier
    /// ones.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Task> {
        if self.queued.len() > self.earlier + 1 {
            self.queued[self.earlier..].reverse();
        }
        let next = self.queued.pop();
        self.earlier = self.queued.len();
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
