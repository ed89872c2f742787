//! Scheduler that prefers reads of idle units. It detects idle units with the test of SAC.
//!
//! # How
//! *Test.* A request completes while other requests are in the drive. If many of these were sent before it,
//! its units are considered idle, otherwise busy. A unit is considered idle until a completion shows that it
//! is busy.
//!
//! *Order.* Requests are sent in order of arrival, but a read of idle units overtakes waiting writes and
//! reads of busy units. The number of times that a request can be overtaken is limited.
//!
//! # What is left out
//! The cache policy of the paper, which evicts read data of idle channels before that of busy ones. A host
//! scheduler has no such cache; this one applies the paper's test to the order of requests. According to Gao
//! et al., SAC resolves only conflicts of reads.
//!
//! # Source
//! Chen, Xiao, Liu: "SAC: Rethinking the Cache Replacement Policy for SSD-Based Storage Systems", SYSTOR 2012
//! (the test); Gao et al., PIQ, TCAD 2017, §II-B. The order of requests has no published source.

use std::collections::VecDeque;

use venice_kernel::SimTime;
use venice_params::{declare, whole};
use venice_requests::request::Op;

use super::{
    CompletedRequest, DriveCapacity, HostScheduler, QueuedRequest, SchedulerCounters, SchedulerModel,
    SchedulerSettings, Scheme, UnitSet,
};

declare! {
    /// Parameters of `sac`.
    pub struct SacParameters in "host.scheduler." {
        /// Minimum number of overtaken requests from which `sac` concludes that parallel units are idle.
        ///
        /// If a request overtakes at least this number of requests that were sent earlier, its parallel units
        /// count as idle, otherwise as busy.
        sac_overtaken: u32 = whole(1, 65_536), unit "requests", default "2",
            source "Chen, Xiao, Liu, SAC, SYSTOR 2012 (\"many\"); value assumed";
        /// Maximum number of reads that may overtake a waiting request, for `sac`.
        sac_most_passes: u32 = whole(0, 65_536), unit "reads", default "16", source "ours, against starvation";
    }
}

/// Scheduler that prefers reads of idle units, as detected by the test of SAC.
#[derive(Clone, Debug)]
pub struct Sac {
    settings: SacParameters,
    queue: VecDeque<QueuedRequest>,
    /// Number of reads that have overtaken the head of the queue.
    passes: u32,
    /// Serial numbers of the requests in the drive, in the order in which they were sent.
    in_drive: Vec<u64>,
    dispatched: u64,
    busy: UnitSet,
}

impl SchedulerModel for Sac {
    type Parameters = SacParameters;

    fn new(_scheme: Scheme, own: &SacParameters, settings: &SchedulerSettings) -> Self {
        let units = settings.units.units();
        Self {
            settings: *own,
            queue: VecDeque::new(),
            passes: 0,
            in_drive: Vec::new(),
            dispatched: 0,
            busy: UnitSet::empty(units),
        }
    }
}

impl Sac {
    /// Returns the index of the next request in the queue.
    fn select(&self, room: &DriveCapacity) -> Option<usize> {
        let passes = |queued: &QueuedRequest| {
            queued.op != Op::Write && !self.busy.intersects(queued.location) && room.takes(queued)
        };
        let may_pass = self.passes < self.settings.sac_most_passes;
        let idle_read = may_pass.then(|| self.queue.iter().position(passes)).flatten();
        idle_read.or_else(|| room.takes(self.queue.front()?).then_some(0))
    }
}

impl HostScheduler for Sac {
    fn add(&mut self, queued: QueuedRequest) {
        self.queue.push_back(queued);
    }

    fn next(&mut self, _now: SimTime, room: &DriveCapacity) -> Option<QueuedRequest> {
        let place = self.select(room)?;
        self.passes = if place == 0 { 0 } else { self.passes + 1 };
        let queued = self.queue.remove(place)?;
        self.dispatched += 1;
        self.in_drive.push(self.dispatched);
        Some(QueuedRequest { tag: self.dispatched, ..queued })
    }

    fn completed(&mut self, done: CompletedRequest, _now: SimTime) {
        let overtaken = self.in_drive.iter().position(|&number| number == done.tag);
        let overtaken = overtaken.expect("a request completes once, after its dispatch");
        self.in_drive.remove(overtaken);
        if overtaken >= self.settings.sac_overtaken as usize {
            self.busy.remove(done.location);
        } else {
            self.busy.insert(done.location);
        }
    }

    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn counters(&self) -> SchedulerCounters {
        SchedulerCounters::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testkit::contract::{at, queued, settings};

    fn sac(overtaken: u32, most_passes: u32) -> Sac {
        let own = SacParameters { sac_overtaken: overtaken, sac_most_passes: most_passes };
        Sac::new(Scheme::Sac, &own, &settings())
    }

    fn add(sac: &mut Sac, requests: &[(usize, Op, u64)]) {
        for &(number, op, page) in requests {
            sac.add(queued(number, op, page, 1, at(0)));
        }
    }

    fn send(sac: &mut Sac) -> Vec<QueuedRequest> {
        std::iter::from_fn(|| sac.next(at(0), &DriveCapacity::unlimited())).collect()
    }

    fn ids(sent: &[QueuedRequest]) -> Vec<u32> {
        sent.iter().map(|queued| queued.id.0).collect()
    }

    #[test]
    fn a_unit_is_idle_if_its_request_overtakes_enough_others_and_busy_otherwise() {
        let mut sac = sac(2, 16);
        add(&mut sac, &[(0, Op::Read, 0), (1, Op::Read, 1), (2, Op::Read, 2), (3, Op::Read, 3)]);
        let sent = send(&mut sac);
        // The third request overtakes two requests, the second one overtakes one, the first and the fourth
        // none.
        for place in [2, 1, 0, 3] {
            sac.completed(CompletedRequest::at_once(&sent[place]), at(1));
        }
        assert_eq!(sac.busy.iter().collect::<Vec<_>>(), [0, 1, 3]);
        add(&mut sac, &[(4, Op::Write, 5), (5, Op::Read, 0), (6, Op::Read, 2), (7, Op::Read, 7)]);
        assert_eq!(ids(&send(&mut sac)), [6, 7, 4, 5], "unit 7 has never been seen busy");
    }

    #[test]
    fn a_request_is_passed_as_often_as_allowed() {
        let mut sac = sac(2, 2);
        add(&mut sac, &[(0, Op::Write, 0), (1, Op::Read, 1), (2, Op::Read, 2), (3, Op::Read, 3)]);
        assert_eq!(ids(&send(&mut sac)), [1, 2, 0, 3]);
    }
}
