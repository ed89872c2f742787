//! A list of batches: requests of one batch touch no unit in common.
//!
//! # How
//! A new request joins the first batch of the list with whose vector its own has no bit in common, and its bits are
//! added there; if there is none, it begins a new batch at the tail. A batch's vector only grows, so it serves a unit once,
//! and it is in the list until all of it is complete: where batches are open, a request joins one that is in the drive, too, and
//! goes before the batches behind it. A closed batch takes no more once the first of it has gone.
//!
//! What goes next is a member of the first batch of which any wait: the one that came first of those that the drive takes.
//!
//! Batches that touch a request's first unit need not be looked at again: for every unit it is known how many batches from the
//! head on touch it. So where most requests want one unit, and each is a batch of its own, the list is not walked each time. The
//! comparisons that are counted are those of the walk.
//!
//! # Source
//! Gao et al., PIQ, TCAD 2017, §IV-A1 (requests that wait and that are outstanding count), §IV-B2 and Figure 7.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{DriveRoom, Location, Queued, UnitSet};
use crate::parameters::choices;

/// Which requests a batch takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchRule {
    /// All that share no unit with it, until it is complete.
    Open,
    /// Those that come before the first of it goes.
    Closed,
}

choices! {
    BatchRule, "rule of batches": "open" => Open, "closed" => Closed;
}

#[derive(Clone, Debug)]
struct Batch {
    /// Those that wait, in order of arrival.
    members: VecDeque<Queued>,
    /// Units of all that ever joined; every unit once the batch is complete.
    units: UnitSet,
    joined: u32,
    in_drive: u32,
}

impl Batch {
    fn is_complete(&self) -> bool {
        self.in_drive == 0 && self.members.is_empty()
    }
}

/// A request on its way from its batch to the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// It.
    pub queued: Queued,
    /// Whether its batch begins with it.
    pub begins: bool,
    /// Whether no other of its batch waits.
    pub empties: bool,
}

/// Batches, in the order in which they will be handed over.
#[derive(Clone, Debug)]
pub struct Batches {
    units: u32,
    rule: BatchRule,
    list: VecDeque<Batch>,
    /// Batches that have left the list; a batch's number counts them, too.
    gone: u64,
    /// By unit: all batches of lower numbers touch it or are gone.
    touched_below: Vec<u64>,
    /// Empty batches, kept for their memory.
    spare: Vec<Batch>,
    /// Batches from the head on of which a request has gone.
    begun: usize,
    /// Of these, the complete ones that are not at the head.
    complete: usize,
    /// The first batch of which a request waits; the list's length if none does.
    current: usize,
    waiting: usize,
    vector_tests: u64,
    /// By number of requests: complete batches.
    sizes: Vec<u64>,
}

impl Batches {
    /// None yet, over so many units.
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

    /// Takes in a request.
    pub fn push(&mut self, queued: Queued) {
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

    /// The first batch from `from` on that touches none of these units; the end of the list if there is none.
    fn first_without(&mut self, location: Location, from: usize) -> usize {
        let below = &mut self.touched_below[location.first as usize];
        let mut known = below.saturating_sub(self.gone) as usize;
        while self.list.get(known).is_some_and(|batch| batch.units.has(location.first)) {
            known += 1;
        }
        *below = self.gone + known as u64;
        let from = known.max(from).min(self.list.len());
        let free = |batch: &Batch| !batch.units.intersects(location);
        self.list.range(from..).position(free).map_or(self.list.len(), |place| from + place)
    }

    /// How many of these are complete.
    fn complete_in(&self, places: std::ops::Range<usize>) -> usize {
        if self.complete == 0 {
            return 0;
        }
        let end = places.end.min(self.begun);
        self.list.range(places.start.min(end)..end).filter(|batch| batch.is_complete()).count()
    }

    /// A new batch at the tail.
    fn begin(&mut self) {
        let units = self.units;
        let fresh =
            || Batch { members: VecDeque::new(), units: UnitSet::empty(units), joined: 0, in_drive: 0 };
        self.list.push_back(self.spare.pop().unwrap_or_else(fresh));
    }

    /// The request that goes next, if the drive takes it.
    pub fn take(&mut self, room: &DriveRoom) -> Option<Taken> {
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
        Some(Taken { queued, begins, empties })
    }

    /// A request of the batch of this number is complete.
    pub fn completed(&mut self, number: u64) {
        let batch = &mut self.list[(number - 1 - self.gone) as usize];
        batch.in_drive -= 1;
        if !batch.is_complete() {
            return;
        }
        self.sizes[batch.joined as usize] += 1;
        batch.units.fill();
        self.complete += 1;
        while self.list.front().is_some_and(Batch::is_complete) {
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

    /// Passes batches of which none waits.
    fn move_on(&mut self) {
        while self.list.get(self.current).is_some_and(|batch| batch.members.is_empty()) {
            self.current += 1;
        }
    }

    /// Whether some have gone of the batch that goes next, and others wait.
    pub fn has_begun(&self) -> bool {
        self.current < self.begun
    }

    /// When the first of those came that wait in the batch that goes next.
    pub fn first_since(&self) -> Option<SimTime> {
        let first = self.list.get(self.current)?.members.front();
        first.map(|queued| queued.since)
    }

    /// Requests that wait.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Comparisons of vectors so far.
    pub const fn vector_tests(&self) -> u64 {
        self.vector_tests
    }

    /// By number of requests: batches that are complete.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}
