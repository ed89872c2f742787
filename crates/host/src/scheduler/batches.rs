//! List of batches: the requests of a batch have no unit in common.
//!
//! # How
//! A new request joins the first batch of the list whose location vector is disjoint from its own, and its
//! bits are added there; if there is none, it begins a new batch at the tail. A batch's vector only grows, so
//! the batch uses each unit once. The batch stays in the list until all of it is complete: with open batches,
//! a request also joins a batch that is already in the drive, and precedes the batches behind it. A closed
//! batch accepts no requests once its first one has been sent.
//!
//! The next request is the oldest that the drive accepts in the first batch with waiting members.
//!
//! For every unit, the number of batches from the head that all use the unit is known, so these are skipped.
//! If most requests need one unit, and each is a batch of its own, the list is not walked each time. The
//! counted comparisons are those of the complete walk.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A1 (requests that wait and that are outstanding count), §IV-B2 and Figure
//! 7.

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_params::choices;

use super::{DriveCapacity, QueuedRequest, UnitRange, UnitSet};

/// Rule for requests that join a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchRule {
    /// Requests without a common unit join until the batch is complete.
    Open,
    /// Requests join until the first one of the batch is sent.
    Closed,
}

choices! {
    BatchRule, "rule of batches": "open" => Open, "closed" => Closed;
}

#[derive(Clone, Debug)]
struct RequestBatch {
    /// Waiting members in order of arrival.
    members: VecDeque<QueuedRequest>,
    /// Units of all requests that ever joined; all units once the batch is complete.
    units: UnitSet,
    joined: u32,
    in_drive: u32,
}

impl RequestBatch {
    fn is_complete(&self) -> bool {
        self.in_drive == 0 && self.members.is_empty()
    }
}

/// Request removed from its batch to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedRequest {
    /// Request itself.
    pub queued: QueuedRequest,
    /// True if it is the first of its batch.
    pub begins: bool,
    /// True if no other member of its batch waits.
    pub empties: bool,
}

/// Batches in the order in which they will be sent.
#[derive(Clone, Debug)]
pub struct RequestBatches {
    units: u32,
    rule: BatchRule,
    list: VecDeque<RequestBatch>,
    /// Number of batches that have left the list, which offsets batch numbers.
    gone: u64,
    /// For each unit, the batch number below which all batches use the unit or have left.
    touched_below: Vec<u64>,
    /// Empty batches, kept to reuse their allocations.
    spare: Vec<RequestBatch>,
    /// Number of batches from the head that have begun to be sent.
    begun: usize,
    /// Number of complete batches behind the head.
    complete: usize,
    /// Index of the first batch with a waiting request; the list's length if there is none.
    current: usize,
    waiting: usize,
    vector_tests: u64,
    /// Number of complete batches, indexed by size.
    sizes: Vec<u64>,
}

impl RequestBatches {
    /// Creates an empty list over `units` units.
    pub fn new(units: u32, rule: BatchRule) -> Self {
        Self {
            units,
            rule,
            list: VecDeque::new(),
            gone: 0,
            touched_below: vec![0; units as usize],
            spare: Vec::new(),
            begun: 0,
            complete: 0,
            current: 0,
            waiting: 0,
            vector_tests: 0,
            sizes: vec![0; units as usize + 1],
        }
    }

    /// Adds a request.
    pub fn push(&mut self, queued: QueuedRequest) {
        self.waiting += 1;
        let from = if self.rule == BatchRule::Open { 0 } else { self.begun };
        let place = self.first_without(queued.location, from);
        let looked_at = self.list.len().min(place + 1);
        self.vector_tests += (looked_at - from - self.complete_in(from..looked_at)) as u64;
        if place == self.list.len() {
            self.begin();
        }
        let batch = &mut self.list[place];
        batch.units.insert(queued.location);
        batch.joined += 1;
        batch.members.push_back(queued);
        self.current = self.current.min(place);
    }

    /// Returns the first batch from `from` that uses none of these units, or the list's length.
    fn first_without(&mut self, location: UnitRange, from: usize) -> usize {
        let below = &mut self.touched_below[location.first as usize];
        let mut known = below.saturating_sub(self.gone) as usize;
        while self.list.get(known).is_some_and(|batch| batch.units.has(location.first)) {
            known += 1;
        }
        *below = self.gone + known as u64;
        let from = known.max(from).min(self.list.len());
        let free = |batch: &RequestBatch| !batch.units.intersects(location);
        self.list.range(from..).position(free).map_or(self.list.len(), |place| from + place)
    }

    /// Returns the number of complete batches in a range.
    fn complete_in(&self, places: std::ops::Range<usize>) -> usize {
        if self.complete == 0 {
            return 0;
        }
        let end = places.end.min(self.begun);
        self.list.range(places.start.min(end)..end).filter(|batch| batch.is_complete()).count()
    }

    /// Appends an empty batch.
    fn begin(&mut self) {
        let units = self.units;
        let fresh = || RequestBatch {
            members: VecDeque::new(),
            units: UnitSet::empty(units),
            joined: 0,
            in_drive: 0,
        };
        self.list.push_back(self.spare.pop().unwrap_or_else(fresh));
    }

    /// Removes and returns the next request that the drive accepts.
    pub fn take(&mut self, room: &DriveCapacity) -> Option<BatchedRequest> {
        let batch = self.list.get_mut(self.current)?;
        let place = batch.members.iter().position(|queued| room.takes(queued))?;
        let mut queued = batch.members.remove(place)?;
        queued.batch = self.gone + self.current as u64 + 1;
        batch.in_drive += 1;
        let empties = batch.members.is_empty();
        let begins = self.current == self.begun;
        self.begun += usize::from(begins);
        self.waiting -= 1;
        self.move_on();
        Some(BatchedRequest { queued, begins, empties })
    }

    /// Records a completion in batch `number`.
    pub fn completed(&mut self, number: u64) {
        let batch = &mut self.list[(number - 1 - self.gone) as usize];
        batch.in_drive -= 1;
        if !batch.is_complete() {
            return;
        }
        self.sizes[batch.joined as usize] += 1;
        batch.units.fill();
        self.complete += 1;
        while self.list.front().is_some_and(RequestBatch::is_complete) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        let Some(mut batch) = self.list.pop_front() else { return };
        self.gone += 1;
        self.complete -= 1;
        self.begun -= 1;
        self.current -= 1;
        batch.units.clear();
        batch.joined = 0;
        self.spare.push(batch);
    }

    /// Advances to the first batch with a waiting request.
    fn move_on(&mut self) {
        while self.list.get(self.current).is_some_and(|batch| batch.members.is_empty()) {
            self.current += 1;
        }
    }

    /// True if the current batch is partly sent.
    pub fn has_begun(&self) -> bool {
        self.current < self.begun
    }

    /// Returns the arrival of the oldest waiting request in the current batch.
    pub fn first_since(&self) -> Option<SimTime> {
        let first = self.list.get(self.current)?.members.front();
        first.map(|queued| queued.since)
    }

    /// Returns the number of waiting requests.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns the number of vector comparisons so far.
    pub const fn vector_tests(&self) -> u64 {
        self.vector_tests
    }

    /// Returns the number of complete batches, indexed by size.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}
