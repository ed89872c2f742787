//! Host interface, which combines flows, the host's I/O queue and the transport to the drive.
//!
//! # How
//! A request comes from a flow ([`Flows`]). If submission takes processor time, it first passes the host's cores
//! ([`HostCores`]). Without a host scheduler it goes directly to the transport
//! ([`Transport`]). With a scheduler it first waits in the host's I/O queue ([`IoQueue`]), which is polled
//! after each arrival and completion.

use arrayvec::ArrayVec;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Priority, RequestId};
use venice_requests::{Flow, HostRequest, Op};

use super::HostSettings;
use super::collection_notice::CollectionNotice;
use super::cores::HostCores;
use super::event_sink::{HostEvent, HostEventSink};
use super::flows::Flows;
use super::io_queue::IoQueue;
use super::request::{FlowId, IssuedRequest, Request};
use super::scheduler::{ExternalScheduler, SchedulerFailure};
use super::transport::Transport;

/// Host interface of the drive.
pub struct HostInterface {
    /// Flows, which produce requests and determine their issue times.
    pub flows: Flows,
    /// Requests in transit between host and drive.
    pub transport: Transport,
    /// Cores that submit requests; `None` if submission takes no time.
    cores: Option<HostCores>,
    io_queue: Option<IoQueue>,
    submitted: u64,
    completed: u64,
    /// Start of the current period with outstanding requests.
    outstanding_since: SimTime,
    /// Total length of the periods with outstanding requests that have ended in the measured phase.
    outstanding_time: SimSpan,
}

impl HostInterface {
    /// Creates the host interface before the first request. If the host has an I/O queue, `external` (a
    /// user-defined scheduler) replaces the configured one.
    pub fn new(settings: &HostSettings, flows: Vec<Flow>, external: Option<ExternalScheduler>) -> Self {
        Self {
            flows: Flows::new(flows),
            transport: Transport::new(settings),
            cores: HostCores::new(settings.cores, settings.seed),
            io_queue: settings.scheduler.as_ref().map(|settings| IoQueue::new(settings, external)),
            submitted: 0,
            completed: 0,
            outstanding_since: SimTime::ZERO,
            outstanding_time: SimSpan::ZERO,
        }
    }

    /// Returns the number of requests issued so far.
    pub const fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the number of requests completed so far.
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// Returns the number of outstanding requests.
    pub const fn outstanding(&self) -> u64 {
        self.submitted - self.completed
    }

    /// Returns the time with outstanding requests in the measured phase, up to the last completion after which
    /// no request was outstanding.
    pub const fn outstanding_time(&self) -> SimSpan {
        self.outstanding_time
    }

    /// Returns the host's I/O queue, if it has a scheduler.
    pub const fn io_queue(&self) -> Option<&IoQueue> {
        self.io_queue.as_ref()
    }

    /// Returns the failure of the host's scheduler, if there is one.
    pub fn scheduler_failure(&mut self) -> Option<SchedulerFailure> {
        self.io_queue.as_mut()?.failure()
    }

    /// Starts the measured phase.
    pub fn begin_measuring(&mut self, now: SimTime) {
        (self.outstanding_since, self.outstanding_time) = (now, SimSpan::ZERO);
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.begin_measuring(now);
        }
    }

    /// True if the requests that [`prefetch_next`](Self::prefetch_next) would return have already been
    /// returned.
    #[inline]
    pub fn has_near<const MOST: usize>(&self, flow: FlowId) -> bool {
        self.transport.fetcher.waiting() as usize <= MOST && self.flows.has_near(flow)
    }

    /// Returns the start sectors of the next requests for the drive, at most `MOST`, so that their mapping
    /// entries can be prefetched together. Returns `None` if they have already been returned.
    ///
    /// The requests are those of the flow or, if more than `MOST` commands wait to be fetched, the first of
    /// these. Entries prefetched for later requests would leave the processor's cache before use.
    pub fn prefetch_next<const MOST: usize>(&mut self, flow: FlowId) -> Option<ArrayVec<u64, MOST>> {
        let fetcher = &mut self.transport.fetcher;
        if fetcher.waiting() as usize > MOST {
            fetcher.prefetch_next()
        } else {
            self.flows.prefetch_next(flow)
        }
    }

    /// Issues a request of a flow, which goes to the host's cores, the I/O queue or directly to the drive.
    pub fn submit(
        &mut self,
        flow: FlowId,
        host: HostRequest,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        let (queue, op) = (host.queue, host.op);
        let pair = self.transport.pair(queue);
        let number = self.submitted;
        if self.outstanding() == 0 {
            self.outstanding_since = now;
        }
        self.submitted += 1;
        let id = self.transport.requests.put(Request::new(IssuedRequest { host, flow, number, pair }, now));
        if self.flows.has_further_ranges(flow) {
            let Transport { ranges, requests, .. } = &mut self.transport;
            ranges.attach(&mut requests[id], self.flows.take_further_ranges(flow));
        }
        let free_at = match &mut self.cores {
            None => {
                self.enter(id, pair, now, event_sink);
                now
            }
            Some(cores) => cores.accept(queue, id, op, now, event_sink),
        };
        self.flows.submitted(flow, now, free_at, event_sink);
    }

    /// Processes a request that leaves a core of the host.
    #[cold]
    pub fn leave_core(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let request = &mut self.transport.requests[id];
        request.leave_core(now);
        let (pair, queue) = (request.pair, request.host.queue);
        self.enter(id, pair, now, event_sink);
        if let Some(cores) = &mut self.cores {
            cores.leave(queue, now, event_sink);
        }
    }

    /// Processes the start of a time slice on a core of the host.
    #[cold]
    pub fn start_slice(&mut self, core: u16, now: SimTime, event_sink: &mut impl HostEventSink) {
        if let Some(cores) = &mut self.cores {
            cores.start_slice(core, now, event_sink);
        }
    }

    /// Sends a request to the I/O queue or directly to the drive.
    fn enter(&mut self, id: RequestId, pair: u16, now: SimTime, event_sink: &mut impl HostEventSink) {
        match &mut self.io_queue {
            None => self.transport.enter(id, pair, now, event_sink),
            Some(io_queue) if self.transport.requests[id].host.op == Op::Flush => {
                io_queue.add_bypass(now);
                self.transport.enter(id, pair, now, event_sink);
            }
            Some(_) => self.enter_io_queue(id, now, event_sink),
        }
    }

    fn enter_io_queue(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        let Some(io_queue) = &mut self.io_queue else { return };
        let request = &mut self.transport.requests[id];
        let priority = self.transport.fetcher.priority(usize::from(request.pair));
        io_queue.add(id, request, priority, now);
        self.hand_over(now, event_sink);
    }

    /// Sends the requests that the host's scheduler selects to the drive.
    fn hand_over(&mut self, now: SimTime, event_sink: &mut impl HostEventSink) {
        let Some(io_queue) = &mut self.io_queue else { return };
        while let Some(queued) = io_queue.next(now) {
            if let Some(cores) = self.cores.as_mut().filter(|_| queued.since < now) {
                cores.dispatch_waiting(queued.queue, now);
            }
            self.transport.requests[queued.id].hand_over(&queued, now);
            self.transport.send(queued.id, now, event_sink);
        }
        if let Some(at) = io_queue.new_alarm() {
            event_sink.post(at.max(now), HostEvent::SchedulerWakes);
        }
    }

    /// True if the host's scheduler avoids chips that collect garbage, and so needs notices from the drive.
    pub fn wants_collection_notices(&self) -> bool {
        self.io_queue.as_ref().is_some_and(|io_queue| io_queue.settings().avoids_collecting)
    }

    /// Processes a notice of garbage collection from the drive.
    #[cold]
    pub fn collection_notice(
        &mut self,
        notice: CollectionNotice,
        now: SimTime,
        event_sink: &mut impl HostEventSink,
    ) {
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.collection_notice(notice);
            self.hand_over(now, event_sink);
        }
    }

    /// Processes the alarm of the host's scheduler.
    #[cold]
    pub fn scheduler_wakes(&mut self, now: SimTime, event_sink: &mut impl HostEventSink) {
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.alarm(now);
            self.hand_over(now, event_sink);
        }
    }

    /// Returns the priority class of the request's queue; with SATA, that of the single command queue.
    #[inline]
    pub fn priority(&self, request: &Request) -> Priority {
        self.transport.fetcher.priority(usize::from(request.pair))
    }

    /// Processes a completion that reached the host. Returns true if the request is complete; with an
    /// adapter, it first passes the adapter.
    #[inline]
    pub fn complete(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) -> bool {
        let is_complete = self.transport.came_back(id, now, event_sink);
        if is_complete {
            self.on_complete(id, now, event_sink);
        }
        is_complete
    }

    /// Processes a request or completion that leaves the adapter. Returns true if the request is complete.
    #[cold]
    pub fn passed(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) -> bool {
        let is_complete = self.transport.passed(id, now, event_sink);
        if is_complete {
            self.on_complete(id, now, event_sink);
        }
        is_complete
    }

    #[inline]
    fn on_complete(&mut self, id: RequestId, now: SimTime, event_sink: &mut impl HostEventSink) {
        self.completed += 1;
        if self.outstanding() == 0 {
            self.outstanding_time += now.since(self.outstanding_since);
        }
        if let Some(io_queue) = &mut self.io_queue {
            let request = &self.transport.requests[id];
            if request.host.op == Op::Flush {
                io_queue.bypass_completed(now);
            } else {
                io_queue.completed(request, now);
            }
            self.hand_over(now, event_sink);
        }
    }
}
