//! A list of batches: requests of one batch touch no unit in common.
//!
//! # How
//! A new request joins the first batch of the list with whose vector its own has no bit in common, and its bits are
//! added there; if there is none, it begins a new batch at the tail. A batch that has begun to be handed over takes no
//! more.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-B.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{Queued, UnitSet};

#[derive(Clone, Debug)]
struct Batch {
    members: VecDeque<Queued>,
    units: UnitSet,
    since: SimTime,
}

/// Batches, in the order in which they will be handed over.
#[derive(Clone, Debug)]
pub struct Batches {
    units: u32,
    list: VecDeque<Batch>,
    /// Empty batches, kept for their memory.
    spare: Vec<Batch>,
    /// Whether the first batch has begun.
    begun: bool,
    waiting: usize,
    vector_tests: u64,
}

impl Batches {
    /// None yet, over so many units.
    pub fn new(units: u32) -> Self {
        Self { units, list: VecDeque::new(), spare: Vec::new(), begun: false, waiting: 0, vector_tests: 0 }
    }

    /// Takes in a request.
    pub fn push(&mut self, queued: Queued) {
        self.waiting += 1;
        let open = usize::from(self.begun);
        for batch in self.list.iter_mut().skip(open) {
            self.vector_tests += 1;
            if !batch.units.intersects(queued.location) {
                batch.units.insert(queued.location);
                batch.members.push_back(queued);
                return;
            }
        }
        let mut batch = self.spare.pop().unwrap_or_else(|| Batch {
            members: VecDeque::new(),
            units: UnitSet::empty(self.units),
            since: queued.since,
        });
        batch.since = queued.since;
        batch.units.insert(queued.location);
        batch.members.push_back(queued);
        self.list.push_back(batch);
    }

    /// The next request of the first batch, which has begun thereby, and whether it was the batch's last.
    pub fn pop(&mut self) -> Option<(Queued, bool)> {
        let first = self.list.front_mut()?;
        let queued = first.members.pop_front()?;
        self.waiting -= 1;
        let is_last = first.members.is_empty();
        self.begun = !is_last;
        if is_last && let Some(mut batch) = self.list.pop_front() {
            batch.units.clear();
            self.spare.push(batch);
        }
        Some((queued, is_last))
    }

    /// Whether a batch has begun and is not handed over whole.
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// When the first request of the first batch came.
    pub fn first_since(&self) -> Option<SimTime> {
        self.list.front().map(|batch| batch.since)
    }

    /// Requests that wait.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Comparisons of vectors so far.
    pub const fn vector_tests(&self) -> u64 {
        self.vector_tests
    }
}
