//! Requests between their issue and their completion.

use std::ops::{Index, IndexMut};

use venice_kernel::{SimSpan, SimTime};
use venice_requests::{HostRequest, Op, SECTOR_BYTES};

use crate::accounting::{Stage, StageClock};
use crate::geometry::{RequestId, Slots};

use super::scheduler::{Done, Location, Met, Queued};

/// A flow of the host, by its place in the list of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowId(pub u32);

/// A request that is issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    /// As its source gave it.
    pub(super) host: HostRequest,
    /// The flow it is of.
    pub(super) flow: FlowId,
    /// Its number in the run, from zero.
    pub(super) number: u64,
    /// The pair of rings that it travels on.
    pub(super) pair: u16,
}

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// As its source gave it, but that `arrival` is when it was issued.
    pub host: HostRequest,
    /// The flow it is of.
    pub flow: FlowId,
    /// Its number in the run, from zero.
    pub number: u64,
    /// When the host's scheduler handed it over; without a scheduler, when it was issued.
    pub handed_over: SimTime,
    /// What waited or was served on its units when it was issued, if there is a scheduler.
    pub met: Met,
    /// The number of its batch, from 1, among those of its kind; 0 where the host's scheduler has none.
    pub batch: u64,
    /// The units that the host's scheduler believed it to touch.
    pub(super) location: Location,
    /// When it entered the drive's queue; without rings, when the drive took it.
    pub enqueued: SimTime,
    /// The pair of rings that it travels on.
    pub(super) pair: u16,
    /// What its completion says of the submission ring.
    pub(super) submission_head: u32,
    /// Whether its completion has reached the host's adapter, with SATA.
    pub(super) at_adapter: bool,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether one of its pages was lost, so that it ends with an error.
    pub has_failed: bool,
    /// Pages not yet finished.
    pub(super) outstanding: u32,
    /// Where its time went.
    pub clock: StageClock,
}

impl Request {
    /// A request that is issued now.
    pub(super) fn new(Issued { host, flow, number, pair }: Issued, now: SimTime) -> Self {
        Self {
            host: HostRequest { arrival: now, ..host },
            pair,
            flow,
            number,
            handed_over: now,
            met: Met::default(),
            batch: 0,
            location: Location::default(),
            enqueued: now,
            submission_head: 0,
            at_adapter: false,
            conflicted: false,
            has_failed: false,
            outstanding: 0,
            clock: StageClock::start(now),
        }
    }

    /// Bytes of data it moves.
    #[inline]
    pub fn data(&self) -> u64 {
        data_of(&self.host)
    }

    /// Its latency if it is complete now, split: (all of it, the part from its entry into the drive's queue).
    #[inline]
    pub fn latencies(&self, now: SimTime) -> (SimSpan, SimSpan) {
        (now.since(self.host.arrival), now.since(self.enqueued))
    }

    /// The host's scheduler hands it over.
    pub(super) fn hand_over(&mut self, queued: &Queued, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        (self.handed_over, self.batch) = (now, queued.batch);
        // The ideal without conflicts sends a request elsewhere.
        self.host.start_sector = queued.start_sector;
    }

    /// It enters the drive's queue.
    #[inline]
    pub(super) fn enter(&mut self, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        self.enqueued = now;
    }

    /// A page of it is finished. Says whether it was the last, whose time is the one that counts for the request.
    #[inline]
    pub(super) fn end_page(&mut self, page: &PageResult<'_>, now: SimTime) -> bool {
        self.outstanding -= 1;
        self.conflicted |= page.conflicted;
        self.has_failed |= page.has_failed;
        if self.outstanding > 0 {
            return false;
        }
        self.clock.go_on_with(page.clock, now);
        true
    }

    /// It is complete now: what the host's scheduler is told.
    pub(super) fn done(&self, now: SimTime) -> Done {
        Done {
            op: self.host.op.side(),
            location: self.location,
            batch: self.batch,
            latency: now.since(self.host.arrival),
            in_drive: now.since(self.handed_over),
        }
    }
}

/// Bytes of data that a request moves.
#[inline]
pub(super) fn data_of(host: &HostRequest) -> u64 {
    u64::from(host.sectors) * u64::from(SECTOR_BYTES)
}

/// What became of a page of a request.
#[derive(Clone, Copy, Debug)]
pub struct PageResult<'a> {
    /// Where its time went.
    pub clock: &'a StageClock,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether it was lost.
    pub has_failed: bool,
}

/// Requests that are on their way, each at a place of its own.
pub struct InFlight(Slots<Request>);

impl InFlight {
    /// None yet.
    pub(super) fn new() -> Self {
        let host =
            HostRequest { arrival: SimTime::ZERO, start_sector: 0, sectors: 0, queue: 0, op: Op::Read };
        let blank = Request::new(Issued { host, flow: FlowId(0), number: 0, pair: 0 }, SimTime::ZERO);
        Self(Slots::new(1024, blank))
    }

    /// A request gets a place.
    pub(super) fn put(&mut self, request: Request) -> RequestId {
        RequestId(self.0.put(request))
    }

    /// A request gives its place up, since it waits.
    #[inline]
    pub(super) fn take(&mut self, id: RequestId) -> Request {
        let request = self[id];
        self.forget(id);
        request
    }

    /// What became of a complete request is known to whom it concerns.
    #[inline]
    pub fn forget(&mut self, id: RequestId) {
        self.0.give_up(id.0);
    }
}

impl Index<RequestId> for InFlight {
    type Output = Request;

    #[inline]
    fn index(&self, id: RequestId) -> &Request {
        self.0.get(id.0)
    }
}

impl IndexMut<RequestId> for InFlight {
    #[inline]
    fn index_mut(&mut self, id: RequestId) -> &mut Request {
        self.0.get_mut(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testkit::drive::pages;

    fn request() -> Request {
        let host = pages(Op::Read, 0, 2, SimTime::ZERO);
        Request::new(Issued { host, flow: FlowId(0), number: 0, pair: 0 }, SimTime::ZERO)
    }

    #[test]
    fn the_page_that_ends_last_says_where_a_requests_time_went() {
        let at = SimTime::from_ps;
        let mut request = Request { outstanding: 2, ..request() };
        let page = |stage, end| {
            let mut clock = StageClock::start(SimTime::ZERO);
            clock.charge(stage, end);
            clock
        };
        let (first, last) = (page(Stage::PathWait, at(5)), page(Stage::Queue, at(9)));
        let result = |clock, conflicted| PageResult { clock, conflicted, has_failed: false };
        assert!(!request.end_page(&result(&first, true), at(5)));
        assert!(request.end_page(&result(&last, false), at(9)));
        assert!(request.conflicted && !request.has_failed);
        assert_eq!(request.clock.spans, last.spans);
        assert_eq!(request.clock.mark, at(9));
    }

    #[test]
    fn one_lost_page_makes_a_request_fail() {
        let clock = StageClock::start(SimTime::ZERO);
        let mut request = Request { outstanding: 2, ..request() };
        for has_failed in [true, false] {
            request.end_page(&PageResult { clock: &clock, conflicted: false, has_failed }, SimTime::ZERO);
        }
        assert!(request.has_failed);
    }
}
