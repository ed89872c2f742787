//! Requests on their way: from their source through the host's queue into the drive and back.
//!
//! # How
//! Each flow issues its requests in its own rhythm: open loop, at their arrival times; closed loop,
//! whenever fewer than the given number are outstanding. The drive works on at most `queue_depth` commands; the others wait in
//! the host's queue. Commands, data and completions cross the link as the protocol has it (see
//! [`Protocol`]).

use std::collections::VecDeque;

use slab::Slab;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::geometry::RequestId;

use super::protocol::Way;
use super::request::{HostRequest, Op, SECTOR_BYTES, SourceError};
use super::{Flow, HostLink, HostSettings, Protocol};

/// A flow of the host, by its place in the list of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowId(pub u32);

/// A request in flight.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// As its source gave it, but that `arrival` is when it was issued.
    pub host: HostRequest,
    /// The flow it is of.
    pub flow: FlowId,
    /// Its number in the run, from zero.
    pub number: u64,
    /// When the drive took it.
    pub fetched: SimTime,
    /// Messages of its command that have arrived.
    pub messages: u8,
    /// Pages not yet finished.
    pub outstanding: u32,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Where its time went.
    pub clock: StageClock,
}

impl Request {
    /// Bytes of data it moves.
    #[inline]
    pub fn data(&self) -> u64 {
        u64::from(self.host.sectors) * u64::from(SECTOR_BYTES)
    }
}

/// What follows the arrival of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Another message of the command, which arrives then.
    MoreAt(SimTime),
    /// The command, and a write's data, are in the drive.
    Complete(HostRequest),
}

/// The host's side of the drive.
pub struct HostInterface {
    settings: HostSettings,
    flows: Vec<Flow>,
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
    pub fn new(settings: HostSettings, flows: Vec<Flow>) -> Self {
        let link = HostLink::new(settings.link);
        Self {
            settings,
            flows,
            requests: Slab::with_capacity(1024),
            waiting: VecDeque::new(),
            in_drive: 0,
            submitted: 0,
            completed: 0,
            to_drive: link,
            to_host: link,
        }
    }

    /// The flows.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// A flow, for taking requests from it.
    #[inline]
    pub fn flow_mut(&mut self, id: FlowId) -> &mut Flow {
        &mut self.flows[id.0 as usize]
    }

    /// Requests of all flows together, where every source knows beforehand.
    pub fn total(&self) -> Option<u64> {
        self.flows.iter().map(|flow| flow.source().total()).sum()
    }

    /// Requests issued so far.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Requests completed so far.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Bytes on the link so far, both ways, packets' headers included.
    pub fn link_bytes(&self) -> u64 {
        self.to_drive.bytes() + self.to_host.bytes()
    }

    /// The error that ended a source early, if one did.
    pub fn take_source_error(&mut self) -> Option<SourceError> {
        self.flows.iter_mut().find_map(Flow::take_error)
    }

    /// A request in flight.
    pub fn request(&self, id: RequestId) -> &Request {
        &self.requests[id.index()]
    }

    /// Issues a request. If the drive takes it at once, says which it is and when
    /// its first message arrives there.
    #[inline]
    pub fn submit(&mut self, flow: FlowId, host: HostRequest, now: SimTime) -> Option<(RequestId, SimTime)> {
        let request = Request {
            host: HostRequest { arrival: now, ..host },
            flow,
            number: self.submitted,
            fetched: now,
            messages: 0,
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

    /// The drive takes a command: its first message crosses the link. Returns when it arrives.
    fn fetch(&mut self, id: RequestId, now: SimTime) -> SimTime {
        self.in_drive += 1;
        let request = &mut self.requests[id.index()];
        request.clock.charge(Stage::Queue, now);
        request.fetched = now;
        self.send_message(id, now).expect("a command is at least one message")
    }

    /// A message of a command has arrived.
    #[inline]
    pub fn message_arrived(&mut self, id: RequestId, now: SimTime) -> Arrival {
        self.requests[id.index()].messages += 1;
        match self.send_message(id, now) {
            Some(at) => Arrival::MoreAt(at),
            None => Arrival::Complete(self.arrived(id, now)),
        }
    }

    /// Sends the next message of a command, if any is left. Returns when it arrives.
    fn send_message(&mut self, id: RequestId, now: SimTime) -> Option<SimTime> {
        let request = &self.requests[id.index()];
        let (protocol, sizes) = (self.settings.protocol, &self.settings.sizes);
        let (way, bytes) = protocol.message(request.messages, request.host.op, request.data(), sizes)?;
        let link = match way {
            Way::In => &mut self.to_drive,
            Way::Out => &mut self.to_host,
        };
        Some(link.send(bytes, now))
    }

    /// A command is in the drive. What follows is its pages' time.
    fn arrived(&mut self, id: RequestId, now: SimTime) -> HostRequest {
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

    /// Sends a command's data, if it is a read, and its completion. Returns when the latter arrives.
    fn answer(&mut self, id: RequestId, now: SimTime) -> SimTime {
        let request = &self.requests[id.index()];
        let data = if request.host.op == Op::Read { request.data() } else { 0 };
        let completion = u64::from(self.settings.sizes.completion_bytes);
        match self.settings.protocol {
            Protocol::Direct => self.to_host.send(completion + data, now),
            Protocol::Nvme => {
                if data > 0 {
                    self.to_host.send(data, now);
                }
                self.to_host.send(completion, now)
            }
        }
    }

    /// The host has the answer: the request is complete and forgotten. Its final state is returned.
    #[inline]
    pub fn complete(&mut self, id: RequestId, now: SimTime) -> Request {
        let mut request = self.requests.remove(id.index());
        request.clock.charge(Stage::HostLink, now);
        self.in_drive -= 1;
        self.completed += 1;
        if self.settings.protocol == Protocol::Nvme {
            // The host says how far it has read the completion queue.
            self.to_drive.send(u64::from(self.settings.sizes.doorbell_bytes), now);
        }
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
