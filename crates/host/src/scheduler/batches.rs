//! List of batches of requests. No two requests of a batch use the same unit.
//!
//! # How
//! A *location vector* is the set of units (chips or planes) of a request or a batch. A new request joins the
//! first batch of the list whose vector has no unit in common with its own, and its units are added to the
//! vector. If there is no such batch, the request begins a new batch at the tail. Units are never removed
//! from a vector, so a batch uses each unit at most once. A batch stays in the list until all of its requests
//! are complete. With open batches, a request can therefore join a batch that is already in the drive, and
//! precedes the later batches. A closed batch accepts no requests once its first one has been sent.
//!
//! If batches are spread over channels, a request prefers the first batch that has no request on its
//! channels, and joins the first one without a common unit if there is none.
//!
//! The next request is the oldest that the drive accepts in the first batch with waiting members. If the
//! drive notifies the host of garbage collection, requests for chips without garbage collection go first,
//! including those of the next batch.
//!
//! For each unit, the list stores the number of batches at its head that all use the unit, so that a search
//! can skip them. Without this, a load whose requests all need one unit would search the whole list for each
//! request. The counter of comparisons includes the skipped ones.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A1 (both waiting and outstanding requests count), §IV-B2, Figure 7. The
//! preference for channels is an addition.

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_params::choices;

use super::{DriveCapacity, QueuedRequest, UnitRange, UnitSet};

/// Condition under which a request may join a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchRule {
    /// A request can join until all requests of the batch are complete.
    Open,
    /// A request can join until the first request of the batch is sent.
    Closed,
}

choices! {
    BatchRule, "rule of batches": "open" => Open, "closed" => Closed;
}

#[derive(Clone, Debug)]
struct RequestBatch {
    /// Waiting members in order of arrival.
    members: VecDeque<QueuedRequest>,
    /// Units of all requests that have joined the batch; all units once the batch is complete.
    units: UnitSet,
    /// Channels of all requests that have joined the batch, if batches are spread over channels.
    channels: UnitSet,
    joined: u32,
    in_drive: u32,
}

impl RequestBatch {
    fn is_complete(&self) -> bool {
        self.in_drive == 0 && self.members.is_empty()
    }
}

/// Request that was removed from its batch to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchedRequest {
    /// Removed request.
    pub queued: QueuedRequest,
    /// True if the request is the first one of its batch that is sent.
    pub begins: bool,
    /// True if no other member of the request's batch waits.
    pub empties: bool,
}

/// List of batches in the order in which they will be sent.
#[derive(Clone, Debug)]
pub struct RequestBatches {
    units: u32,
    /// Number of channels if requests prefer batches without requests on their channels, otherwise 0.
    channels: u32,
    rule: BatchRule,
    list: VecDeque<RequestBatch>,
    /// Number of batches that have been removed from the list. Batch numbers count them too, list indices do
    /// not.
    gone: u64,
    /// For each unit, the number of the first batch that may not use the unit: all earlier batches use it or
    /// have been removed.
    touched_below: Vec<u64>,
    /// Empty batches, kept to reuse their allocations.
    spare: Vec<RequestBatch>,
    /// Number of batches, from the head of the list, whose first request has been sent.
    begun: usize,
    /// Number of complete batches in the list behind its head. They are removed when they reach the head.
    complete: usize,
    /// Index of the first batch with a waiting request; the length of the list if there is none.
    current: usize,
    waiting: usize,
    vector_tests: u64,
    /// Number of complete batches, indexed by their number of requests.
    sizes: Vec<u64>,
}

impl RequestBatches {
    /// Creates an empty list for requests to `units` parallel units.
    pub fn new(units: u32, rule: BatchRule) -> Self {
        Self {
            units,
            channels: 0,
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

    /// Sets the number of channels. A request then joins the first batch that uses none of its channels or,
    /// if there is none, the first batch that uses none of its units.
    #[must_use]
    pub fn over_channels(self, channels: Option<u32>) -> Self {
        Self { channels: channels.unwrap_or(0), ..self }
    }

    /// Adds a request to an existing or new batch.
    pub fn push(&mut self, queued: QueuedRequest) {
        self.waiting += 1;
        let from = if self.rule == BatchRule::Open { 0 } else { self.begun };
        let first = self.first_without(queued.location, from);
        let place = self.without_channels(queued.location, first);
        let looked_at = self.list.len().min(place + 1);
        self.vector_tests += (looked_at - from - self.complete_in(from..looked_at)) as u64;
        if place == self.list.len() {
            self.begin();
        }
        let batch = &mut self.list[place];
        batch.units.insert(queued.location);
        if self.channels > 0 {
            batch.channels.insert(queued.location.channels(self.channels));
        }
        batch.joined += 1;
        batch.members.push_back(queued);
        self.current = self.current.min(place);
    }

    /// Returns the index of the first batch from `from` on that uses none of the units in `location`, or the
    /// length of the list.
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

    /// Returns the index of the first batch from `first` on that uses none of the units in `location` and
    /// none of their channels. Returns `first` if there is none, or if channels are not considered.
    fn without_channels(&self, location: UnitRange, first: usize) -> usize {
        if self.channels == 0 {
            return first;
        }
        let on_channels = location.channels(self.channels);
        let is_free = |batch: &RequestBatch| {
            !batch.units.intersects(location) && !batch.channels.intersects(on_channels)
        };
        self.list.range(first..).position(is_free).map_or(first, |place| first + place)
    }

    /// Returns the number of complete batches in a range of list indices.
    fn complete_in(&self, places: std::ops::Range<usize>) -> usize {
        if self.complete == 0 {
            return 0;
        }
        let end = places.end.min(self.begun);
        self.list.range(places.start.min(end)..end).filter(|batch| batch.is_complete()).count()
    }

    /// Appends an empty batch to the list.
    fn begin(&mut self) {
        let (units, channels) = (self.units, self.channels);
        let fresh = || RequestBatch {
            members: VecDeque::new(),
            units: UnitSet::empty(units),
            channels: UnitSet::empty(channels),
            joined: 0,
            in_drive: 0,
        };
        self.list.push_back(self.spare.pop().unwrap_or_else(fresh));
    }

    /// Removes and returns the next request that the drive accepts.
    pub fn take(&mut self, room: &DriveCapacity) -> Option<BatchedRequest> {
        let idle = room.has_collecting().then(|| self.take_beside_collecting(room)).flatten();
        idle.or_else(|| self.take_if(self.current, usize::MAX, |queued| room.takes(queued)))
    }

    /// Removes and returns the next request for chips without garbage collection. Considers the batches that
    /// have begun and the first batch that has not.
    fn take_beside_collecting(&mut self, room: &DriveCapacity) -> Option<BatchedRequest> {
        let passes = |queued: &QueuedRequest| room.takes(queued) && !room.collects(queued);
        (self.current..=self.begun).find_map(|place| self.take_if(place, usize::MAX, passes))
    }

    /// Removes and returns the next request that the drive accepts and that uses none of the reserved units.
    pub fn take_beside(&mut self, reserved: &UnitSet, room: &DriveCapacity) -> Option<BatchedRequest> {
        let passes = |queued: &QueuedRequest| room.takes(queued) && !reserved.intersects(queued.location);
        self.take_if(self.current, usize::MAX, passes)
    }

    /// Removes and returns the next request that the drive accepts, among the `oldest` waiting members of
    /// batch `number`.
    pub fn take_from(&mut self, number: u64, oldest: usize, room: &DriveCapacity) -> Option<BatchedRequest> {
        let place = (number - 1 - self.gone) as usize;
        self.take_if(place, oldest, |queued| room.takes(queued))
    }

    fn take_if(
        &mut self,
        place: usize,
        oldest: usize,
        is_accepted: impl FnMut(&QueuedRequest) -> bool,
    ) -> Option<BatchedRequest> {
        let batch = self.list.get_mut(place)?;
        let member = batch.members.iter().take(oldest).position(is_accepted)?;
        let mut queued = batch.members.remove(member)?;
        queued.batch = self.gone + place as u64 + 1;
        batch.in_drive += 1;
        let empties = batch.members.is_empty();
        let begins = place == self.begun;
        self.begun += usize::from(begins);
        self.waiting -= 1;
        self.move_on();
        Some(BatchedRequest { queued, begins, empties })
    }

    /// Records the completion of a request of batch `number`.
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
        batch.channels.clear();
        batch.joined = 0;
        self.spare.push(batch);
    }

    /// Makes the first batch with a waiting request the current batch.
    fn move_on(&mut self) {
        while self.list.get(self.current).is_some_and(|batch| batch.members.is_empty()) {
            self.current += 1;
        }
    }

    /// True if a request of the current batch has been sent.
    pub fn has_begun(&self) -> bool {
        self.current < self.begun
    }

    /// Returns the arrival of the oldest waiting request in the current batch.
    pub fn first_since(&self) -> Option<SimTime> {
        self.first_members().next().map(|queued| queued.since)
    }

    /// Iterates over the waiting requests of the current batch, the oldest first.
    pub fn first_members(&self) -> impl Iterator<Item = &QueuedRequest> {
        self.list.get(self.current).into_iter().flat_map(|batch| &batch.members)
    }

    /// Returns the number of the current batch.
    pub const fn first_number(&self) -> u64 {
        self.gone + self.current as u64 + 1
    }

    /// Returns the number of waiting requests in all batches.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns the number of comparisons of location vectors so far.
    pub const fn vector_tests(&self) -> u64 {
        self.vector_tests
    }

    /// Returns the number of complete batches, indexed by their number of requests.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}
