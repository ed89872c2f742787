//! By unit: a request passes those that wait for other units, as in a queue of physical addresses.
//!
//! # How
//! In the order in which requests came, the first goes whose units are all idle and not wanted by an earlier one. So each
//! unit serves its requests in order, nothing waits behind a request that it shares no unit with, and nothing starves.
//!
//! # What is left out
//! The physical address itself: the paper's queue is in the drive and knows where each read's page is. Here a request is
//! where the host believes it to be, which is the same under static allocation. Packing of reads into commands to several
//! planes is the drive's (`flash.multiplane`).
//!
//! # Source
//! Jung, Wilson, Kandemir: "Physically Addressed Queueing (PAQ): Improving Parallelism in Solid State Disks", ISCA 2012.

use std::collections::VecDeque;

use venice_kernel::SimTime;

use super::{HostScheduler, Location, Queued, SchedulerCounters, UnitSet};

/// One queue, and the units at work.
#[derive(Clone, Debug)]
pub struct Paq {
    queue: VecDeque<Queued>,
    /// Units of what was handed over and is not complete.
    at_work: UnitSet,
    /// Those, and the units that earlier requests of the queue want: memory for `next`.
    wanted: UnitSet,
    vector_tests: u64,
}

impl Paq {
    /// Nothing waits, all units are idle.
    pub fn new(units: u32) -> Self {
        let none = UnitSet::empty(units);
        Self { queue: VecDeque::new(), at_work: none.clone(), wanted: none, vector_tests: 0 }
    }

    /// The place in the queue of the request that goes next.
    fn find(&mut self) -> Option<usize> {
        self.wanted.clone_from(&self.at_work);
        for (place, queued) in self.queue.iter().enumerate() {
            self.vector_tests += 1;
            if !self.wanted.intersects(queued.location) {
                return Some(place);
            }
            self.wanted.insert(queued.location);
        }
        None
    }
}

impl HostScheduler for Paq {
    fn add(&mut self, queued: Queued) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime) -> Option<Queued> {
        let place = self.find()?;
        let queued = self.queue.remove(place)?;
        self.at_work.insert(queued.location);
        Some(queued)
    }

    fn completed(&mut self, location: Location) {
        self.at_work.remove(location);
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters { vector_tests: self.vector_tests, ..SchedulerCounters::default() }
    }
}
