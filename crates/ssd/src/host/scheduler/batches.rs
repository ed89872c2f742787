//! A list of batches: requests of one batch touch no unit in common.
//!
//! # How
//! A new request joins the first batch of the list with whose vector its own has no bit in common, and its bits are
//! added there; if there is none, it begins a new batch at the tail. A batch that has begun to be handed over takes no
//! more.
//!
//! Batches that touch a request's first unit need not be looked at again: for every unit it is known how many batches from the
//! head on touch it. So where most requests want one unit, and each is a batch of its own, the list is not walked each time. The
//! comparisons that are counted are those of the walk.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-B.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{Location, Queued, UnitSet};

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
    /// Batches that have left the list; a batch's number counts them, too.
    gone: u64,
    /// By unit: all batches of lower numbers touch it or are gone.
    touched_below: Vec<u64>,
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
        Self {
            units,
            list: VecDeque::new(),
            gone: 0,
            touched_below: vec![0; units as usize],
            spare: Vec::new(),
            begun: false,
            waiting: 0,
            vector_tests: 0,
        }
    }

    /// Takes in a request.
    pub fn push(&mut self, queued: Queued) {
        self.waiting += 1;
        let open = usize::from(self.begun);
        let place = self.first_without(queued.location, open);
        self.vector_tests += (self.list.len().min(place + 1) - open) as u64;
        if place == self.list.len() {
            self.begin(queued.since);
        }
        let batch = &mut self.list[place];
        batch.units.insert(queued.location);
        batch.members.push_back(queued);
    }

    /// The first batch from `open` on that touches none of these units; the end of the list if there is none.
    fn first_without(&mut self, location: Location, open: usize) -> usize {
        let below = &mut self.touched_below[location.first as usize];
        let mut known = below.saturating_sub(self.gone) as usize;
        while self.list.get(known).is_some_and(|batch| batch.units.has(location.first)) {
            known += 1;
        }
        *below = self.gone + known as u64;
        let from = known.max(open).min(self.list.len());
        let free = |batch: &Batch| !batch.units.intersects(location);
        self.list.range(from..).position(free).map_or(self.list.len(), |place| from + place)
    }

    /// A new batch at the tail.
    fn begin(&mut self, since: SimTime) {
        let fresh = || Batch { members: VecDeque::new(), units: UnitSet::empty(self.units), since };
        let mut batch = self.spare.pop().unwrap_or_else(fresh);
        batch.since = since;
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
            self.gone += 1;
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
