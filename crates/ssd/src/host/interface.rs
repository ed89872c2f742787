//! Requests on their way: from their source through the host's queue into the drive and back.
//!
//! # How
//! Open loop, a request is issued at its arrival time; closed loop, whenever fewer than the given
//! number are outstanding. The drive works on at most `queue_depth` commands; the others wait in
//! the host's queue. A command crosses the link to the drive with its data, if it is a write; its
//! completion crosses back with its data, if it is a read.

use std::collections::VecDeque;

use slab::Slab;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::geometry::RequestId;

use super::request::{HostRequest, Op, RequestSource, SECTOR_BYTES, SourceError};
use super::{HostLink, HostSettings};

/// Requests taken from the source at a time.
const BATCH: usize = 4096;

/// When requests are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// At their arrival times.
    Open,
    /// As soon as fewer than this many are outstanding.
    Closed {
        /// Requests kept outstanding.
        depth: u32,
    },
}

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// As its source gave it, but that `arrival` is when it was issued.
    pub host: HostRequest,
    /// Its number in the run, from zero.
    pub number: u64,
    /// When the drive took it.
    pub fetched: SimTime,
    /// Pages not yet finished.
    pub outstanding: u32,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Where its time went.
    pub clock: StageClock,
}

/// The host's side of the drive.
pub struct HostInterface {
    settings: HostSettings,
    mode: LoopMode,
    source: Box<dyn RequestSource + Send>,
    batch: Vec<HostRequest>,
    next_in_batch: usize,
    source_error: Option<SourceError>,
    requests: Slab<Request>,
    waiting: VecDeque<RequestId>,
    in_drive: u32,
    submitted: u64,
    completed: u64,
    to_drive: HostLink,
    to_host: HostLink,
}

impl HostInterface {
    /// A host that has issued nothing yet.
    pub fn new(settings: HostSettings, mode: LoopMode, source: Box<dyn RequestSource + Send>) -> Self {
        let link = HostLink::new(settings.link_rate, settings.link_latency);
        Self {
            settings,
            mode,
            source,
            batch: Vec::with_capacity(BATCH),
            next_in_batch: 0,
            source_error: None,
            requests: Slab::with_capacity(1024),
            waiting: VecDeque::new(),
            in_drive: 0,
            submitted: 0,
            completed: 0,
            to_drive: link,
            to_host: link,
        }
    }

    /// When requests are issued.
    pub fn mode(&self) -> LoopMode {
        self.mode
    }

    /// Where requests come from.
    pub fn source(&self) -> &dyn RequestSource {
        &*self.source
    }

    /// Requests issued so far.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Requests completed so far.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// The error that ended the source early, if one did.
    pub fn take_source_error(&mut self) -> Option<SourceError> {
        self.source_error.take()
    }

    /// A request in flight.
    pub fn request(&self, id: RequestId) -> &Request {
        &self.requests[id.index()]
    }

    /// The next request of the source; none when it is exhausted or failed.
    pub fn next_from_source(&mut self) -> Option<HostRequest> {
        if self.next_in_batch == self.batch.len() {
            self.batch.clear();
            self.next_in_batch = 0;
            if let Err(error) = self.source.fill(&mut self.batch, BATCH) {
                self.source_error = Some(error);
            }
        }
        let request = self.batch.get(self.next_in_batch).copied()?;
        self.next_in_batch += 1;
        Some(request)
    }

    /// Issues a request. If the drive takes it at once, says which it is and when it arrives there.
    #[inline]
    pub fn submit(&mut self, host: HostRequest, now: SimTime) -> Option<(RequestId, SimTime)> {
        let request = Request {
            host: HostRequest { arrival: now, ..host },
            number: self.submitted,
            fetched: now,
            outstanding: 0,
            conflicted: false,
            clock: StageClock::start(now),
        };
        self.submitted += 1;
        let id = RequestId(self.requests.insert(request) as u32);
        if self.in_drive == self.settings.queue_depth {
            self.waiting.push_back(id);
            return None;
        }
        Some((id, self.fetch(id, now)))
    }

    /// The drive takes a command: it crosses the link.
    fn fetch(&mut self, id: RequestId, now: SimTime) -> SimTime {
        self.in_drive += 1;
        let request = &mut self.requests[id.index()];
        request.clock.charge(Stage::Queue, now);
        request.fetched = now;
        let data = match request.host.op {
            Op::Write => u64::from(request.host.sectors) * u64::from(SECTOR_BYTES),
            Op::Read => 0,
        };
        self.to_drive.send(u64::from(self.settings.command_bytes) + data, now)
    }

    /// A command has arrived in the drive. What follows is its pages' time.
    #[inline]
    pub fn arrived(&mut self, id: RequestId, now: SimTime) -> HostRequest {
        let request = &mut self.requests[id.index()];
        request.clock.charge(Stage::HostLink, now);
        request.host
    }

    /// How many pages a command turned out to need. If none, it is answered at once.
    #[inline]
    pub fn set_outstanding(&mut self, id: RequestId, pages: u32, now: SimTime) -> Option<SimTime> {
        self.requests[id.index()].outstanding = pages;
        (pages == 0).then(|| self.answer(id, now))
    }

    /// A page of a command is finished. If it was the last, returns when the host gets the answer.
    /// The last page to finish is the one whose time counts for the request.
    #[inline]
    pub fn page_finished(
        &mut self,
        id: RequestId,
        page: &StageClock,
        conflicted: bool,
        now: SimTime,
    ) -> Option<SimTime> {
        let request = &mut self.requests[id.index()];
        request.outstanding -= 1;
        request.conflicted |= conflicted;
        if request.outstanding > 0 {
            return None;
        }
        for (sum, span) in request.clock.spans.iter_mut().zip(page.spans) {
            *sum += span;
        }
        request.clock.mark = now;
        Some(self.answer(id, now))
    }

    fn answer(&mut self, id: RequestId, now: SimTime) -> SimTime {
        let request = &self.requests[id.index()];
        let data = match request.host.op {
            Op::Read => u64::from(request.host.sectors) * u64::from(SECTOR_BYTES),
            Op::Write => 0,
        };
        self.to_host.send(u64::from(self.settings.completion_bytes) + data, now)
    }

    /// The host has the answer: the request is complete and forgotten. Its final state is returned.
    #[inline]
    pub fn complete(&mut self, id: RequestId, now: SimTime) -> Request {
        let mut request = self.requests.remove(id.index());
        request.clock.charge(Stage::HostLink, now);
        self.in_drive -= 1;
        self.completed += 1;
        request
    }

    /// After a completion: the request that waited longest for a place in the drive, if any, and
    /// when it arrives there.
    #[inline]
    pub fn fetch_waiting(&mut self, now: SimTime) -> Option<(RequestId, SimTime)> {
        if self.in_drive == self.settings.queue_depth {
            return None;
        }
        let id = self.waiting.pop_front()?;
        Some((id, self.fetch(id, now)))
    }

    /// The latency of a completed request, split: (all of it, the part inside the drive).
    pub fn latencies(request: &Request, now: SimTime) -> (SimSpan, SimSpan) {
        (now.since(request.host.arrival), now.since(request.fetched))
    }
}
