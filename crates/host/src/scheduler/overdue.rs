//! Overdue writes of PIQ+: the writes of one batch that precede reads because of their age.
//!
//! # How
//! When a batch is selected, its waiting writes that have reached the age threshold become overdue. Writes
//! that join the batch later wait for their turn. Each overdue write is sent as soon as the drive accepts it,
//! before reads, except that a configured number of batches of waiting reads may overtake. Reads of later
//! batches overtake a blocked overdue write only if they need none of its units. An overdue write therefore
//! waits at most for the requests in the drive and for those batches.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-B3 ("only one write batch at one time can be prioritized to avoid the
//! penalty of read performance") and §V-B1 (read latency almost as with PIQ). The exception and the
//! reservation of units are additions.

use venice_kernel::{SimSpan, SimTime};
use venice_requests::Op;

use super::batches::{BatchedRequest, RequestBatches};
use super::{DriveCapacity, UnitSet};

/// Tag of overdue writes in the drive.
pub const OVERDUE_TAG: u64 = 1;

/// Overdue writes that have not been sent.
#[derive(Clone, Debug)]
pub struct OverdueWrites {
    /// Number of the batch of the overdue writes.
    batch: u64,
    /// Number of overdue writes that have not been sent. They are the oldest waiting members of their batch.
    left: usize,
    /// Units that the overdue writes use.
    units: UnitSet,
    /// Number of batches of reads that may overtake overdue writes.
    passing_batches: u64,
    /// Number of the first batch of reads that may not overtake the overdue writes. Set when reads and
    /// overdue writes first wait at the same time.
    first_behind: Option<u64>,
}

impl OverdueWrites {
    /// Creates an empty set for a drive with `units` units.
    pub fn none(units: u32, passing_batches: u32) -> Self {
        let (units, passing_batches) = (UnitSet::empty(units), u64::from(passing_batches));
        Self { batch: 0, left: 0, units, passing_batches, first_behind: None }
    }

    /// Selects the waiting writes of the first waiting batch whose age is at least `threshold`. These writes
    /// become overdue.
    pub fn select(&mut self, writes: &RequestBatches, threshold: SimSpan, now: SimTime) {
        let overdue = writes.first_members().take_while(|queued| now.since(queued.since) >= threshold);
        self.units.clear();
        self.left = overdue.map(|queued| self.units.insert(queued.location)).count();
        (self.batch, self.first_behind) = (writes.first_number(), None);
    }

    /// True if there are no overdue writes.
    pub const fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Removes and returns the next request that the drive accepts: an overdue write, or a read that may
    /// overtake it.
    pub fn next(
        &mut self,
        reads: &mut RequestBatches,
        writes: &mut RequestBatches,
        room: &DriveCapacity,
    ) -> Option<(Op, BatchedRequest)> {
        let reads_pass = self.lets_pass(reads);
        let read = reads_pass.then(|| reads.take(room)).flatten();
        if let Some(read) = read {
            return Some((Op::Read, read));
        }
        if let Some(write) = self.take(writes, room) {
            return Some((Op::Write, write));
        }
        match reads.waiting() {
            0 => writes.take_beside(&self.units, room).map(|write| (Op::Write, write)),
            _ => reads.take_beside(&self.units, room).map(|read| (Op::Read, read)),
        }
    }

    /// True if the current batch of reads may overtake the overdue writes.
    fn lets_pass(&mut self, reads: &RequestBatches) -> bool {
        let current = reads.first_number();
        reads.waiting() > 0 && current < *self.first_behind.get_or_insert(current + self.passing_batches)
    }

    fn take(&mut self, writes: &mut RequestBatches, room: &DriveCapacity) -> Option<BatchedRequest> {
        let mut taken = writes.take_from(self.batch, self.left, room)?;
        taken.queued.tag = OVERDUE_TAG;
        self.left -= 1;
        self.units.remove(taken.queued.location);
        Some(taken)
    }
}
