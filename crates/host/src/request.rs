//! Requests between their issue and their completion.

use std::ops::{Index, IndexMut};

use venice_kernel::mem::Slots;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::RequestId;
use venice_nand::latency::{Stage, StageClock};
use venice_requests::{HostRequest, Op, SECTOR_BYTES};

use super::range_lists::RangeListId;
use super::scheduler::{CompletedRequest, ConflictKinds, QueuedRequest, UnitRange};

/// Index of a flow in the host's list of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowId(pub u32);

/// Request at the time of its issue.
#[derive(Clone, Copy, Debug)]
pub(super) struct IssuedRequest {
    /// Request as produced by its source.
    pub(super) host: HostRequest,
    /// Flow that issued the request.
    pub(super) flow: FlowId,
    /// Number of the request in the run, from 0.
    pub(super) number: u64,
    /// Index of the request's queue pair.
    pub(super) pair: u16,
}

/// Request between its issue and its completion.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Request as produced by its source, with `arrival` replaced by the issue time.
    pub host: HostRequest,
    /// Flow of the request.
    pub flow: FlowId,
    /// Number of the request in the run, from 0.
    pub number: u64,
    /// Time at which the host's scheduler sent the request; the issue time without a scheduler.
    pub handed_over: SimTime,
    /// Operations (reads, writes) of older requests on the same parallel units at the time of issue;
    /// empty without a host scheduler.
    pub met: ConflictKinds,
    /// Number of the request's batch among the batches of its kind, from 1; 0 if the scheduler forms no
    /// batches.
    pub batch: u64,
    /// Value that the host's scheduler has attached to the request.
    pub(super) tag: u64,
    /// Parallel units of the request, as assumed by the host's scheduler.
    pub(super) location: UnitRange,
    /// Time at which the request entered the drive's queue; for protocols without rings, the time at which
    /// the drive accepted it.
    pub enqueued: SimTime,
    /// Index of the request's queue pair.
    pub(super) pair: u16,
    /// Submission queue head that the request's completion reports to the host.
    pub(super) submission_head: u32,
    /// True if the completion has reached the host's adapter (SATA).
    pub(super) at_adapter: bool,
    /// True if a transfer of the request encountered a path conflict.
    pub conflicted: bool,
    /// True if a page of the request was lost, or the drive refuses the request. It then completes with an
    /// error.
    pub has_failed: bool,
    /// Number of pages of the request that the drive has not completed.
    pub(super) outstanding: u32,
    /// Number of sectors in the ranges of a trim after its first range; 0 for all other requests.
    pub(super) further_sectors: u32,
    /// List of the ranges of a trim after its first range; `None` for all other requests.
    pub(super) ranges: Option<RangeListId>,
    /// Latency of the request so far, by stage.
    pub clock: StageClock,
}

impl Request {
    /// Creates a request issued at `now`.
    pub(super) fn new(IssuedRequest { host, flow, number, pair }: IssuedRequest, now: SimTime) -> Self {
        Self {
            host: HostRequest { arrival: now, ..host },
            pair,
            flow,
            number,
            handed_over: now,
            met: ConflictKinds::default(),
            batch: 0,
            tag: 0,
            location: UnitRange::default(),
            enqueued: now,
            submission_head: 0,
            at_adapter: false,
            conflicted: false,
            has_failed: false,
            outstanding: 0,
            further_sectors: 0,
            ranges: None,
            clock: StageClock::start(now),
        }
    }

    /// True if the drive has completed all pages of the request.
    #[inline]
    pub const fn is_answered(&self) -> bool {
        self.outstanding == 0
    }

    /// Returns the length of the request in sectors; for a trim, the sum over its ranges.
    #[inline]
    pub const fn sectors(&self) -> u32 {
        self.host.sectors + self.further_sectors
    }

    /// Returns the bytes of data that the request transfers.
    #[inline]
    pub fn data(&self) -> u64 {
        data_of(&self.host)
    }

    /// Returns the total latency and the device latency of a request that completes at `now`. Device latency
    /// starts when the request enters the drive's queue.
    #[inline]
    pub fn latencies(&self, now: SimTime) -> (SimSpan, SimSpan) {
        (now.since(self.host.arrival), now.since(self.enqueued))
    }

    /// Records that the request leaves a core of the host.
    pub(super) fn leave_core(&mut self, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        (self.handed_over, self.enqueued) = (now, now);
    }

    /// Records that the host's scheduler sends the request.
    pub(super) fn hand_over(&mut self, queued: &QueuedRequest, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        (self.handed_over, self.batch, self.tag) = (now, queued.batch, queued.tag);
        // The conflict-free scheme changes the address of a request.
        self.host.start_sector = queued.start_sector;
    }

    /// Records that the request enters the drive's queue.
    #[inline]
    pub(super) fn enter(&mut self, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        self.enqueued = now;
    }

    /// Records that a page is complete. Returns true for the last page, whose latency stages become those of
    /// the request.
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

    /// Returns the completion record for the host's scheduler.
    pub(super) fn done(&self, now: SimTime) -> CompletedRequest {
        CompletedRequest {
            op: self.host.op.side(),
            queue: self.host.queue,
            location: self.location,
            batch: self.batch,
            tag: self.tag,
            latency: now.since(self.host.arrival),
            in_drive: now.since(self.handed_over),
        }
    }
}

/// Returns the bytes of data that a request transfers.
#[inline]
pub(super) fn data_of(host: &HostRequest) -> u64 {
    u64::from(host.sectors) * u64::from(SECTOR_BYTES)
}

/// Result of one page of a request.
#[derive(Clone, Copy, Debug)]
pub struct PageResult<'a> {
    /// Latency of the page, by stage.
    pub clock: &'a StageClock,
    /// True if a transfer of the page encountered a path conflict.
    pub conflicted: bool,
    /// True if the page was lost.
    pub has_failed: bool,
}

/// Slots of the requests in flight.
pub struct InFlight(Slots<Request>);

impl InFlight {
    /// Creates an empty set of requests in flight.
    pub(super) fn new() -> Self {
        let host = HostRequest {
            arrival: SimTime::ZERO,
            start_sector: 0,
            sectors: 0,
            queue: 0,
            op: Op::Read,
            pattern_set: 0,
        };
        let blank = Request::new(IssuedRequest { host, flow: FlowId(0), number: 0, pair: 0 }, SimTime::ZERO);
        Self(Slots::new(1024, blank))
    }

    /// Allocates a slot for a request.
    pub(super) fn put(&mut self, request: Request) -> RequestId {
        RequestId(self.0.put(request))
    }

    /// Removes and returns a request, whose slot becomes free. A request that waits for a submission entry
    /// has no slot.
    #[inline]
    pub(super) fn take(&mut self, id: RequestId) -> Request {
        let request = self[id];
        self.forget(id);
        request
    }

    /// Frees the slot of a complete request.
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

    use crate::testkit::pages;

    fn request() -> Request {
        let host = pages(Op::Read, 0, 2, SimTime::ZERO);
        Request::new(IssuedRequest { host, flow: FlowId(0), number: 0, pair: 0 }, SimTime::ZERO)
    }

    #[test]
    fn the_last_page_determines_the_stages_of_a_request() {
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
