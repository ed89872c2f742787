//! The host's side of the drive, put together.
//!
//! # How
//! A flow gives a request ([`Flows`]). Without a scheduler it goes on its way at once ([`Transport`]); with one it first waits in the
//! host's I/O queue ([`IoQueue`]), which is asked again whenever a request has come or is complete.

use arrayvec::ArrayVec;
use venice_kernel::SimTime;
use venice_requests::{Flow, HostRequest};

use crate::geometry::{Priority, RequestId};

use super::HostSettings;
use super::agenda::{HostAgenda, HostEvent};
use super::flows::Flows;
use super::io_queue::IoQueue;
use super::request::{FlowId, Issued, Request};
use super::scheduler::{Failure, OwnScheduler};
use super::transport::Transport;

/// The host's side of the drive.
pub struct HostInterface {
    /// Where requests come from, and when they are issued.
    pub flows: Flows,
    /// What is on its way between host and drive.
    pub transport: Transport,
    io_queue: Option<IoQueue>,
    submitted: u64,
    completed: u64,
}

impl HostInterface {
    /// A host that has issued nothing yet. If it has an I/O queue, a scheduler from outside the catalogue takes the place of that of the
    /// settings.
    pub fn new(settings: &HostSettings, flows: Vec<Flow>, own: Option<OwnScheduler>) -> Self {
        Self {
            flows: Flows::new(flows),
            transport: Transport::new(settings),
            io_queue: settings.scheduler.map(|settings| IoQueue::new(settings, own)),
            submitted: 0,
            completed: 0,
        }
    }

    /// Requests issued so far.
    pub const fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Requests completed so far.
    pub const fn completed(&self) -> u64 {
        self.completed
    }

    /// Requests issued and not complete.
    pub const fn outstanding(&self) -> u64 {
        self.submitted - self.completed
    }

    /// What waits in front of the drive, if the host has a scheduler.
    pub const fn io_queue(&self) -> Option<&IoQueue> {
        self.io_queue.as_ref()
    }

    /// Why the host's scheduler cannot go on, if so.
    pub fn scheduler_failure(&mut self) -> Option<Failure> {
        self.io_queue.as_mut()?.failure()
    }

    /// From now on is measured.
    pub fn begin_measuring(&mut self, now: SimTime) {
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.begin_measuring(now);
        }
    }

    /// Whether [`come_near`](Self::come_near) has nothing to say.
    #[inline]
    pub fn has_near<const MOST: usize>(&self, flow: FlowId) -> bool {
        self.transport.fetcher.waiting() as usize <= MOST && self.flows.has_near(flow)
    }

    /// Where requests begin that the drive gets soon, `MOST` of them at a time, if they were not given before: what is known of
    /// their pages is fetched for all of them at once. Asked whenever a flow gives a request: these come soon, unless there are
    /// more to be taken than would stay at hand until then.
    pub fn come_near<const MOST: usize>(&mut self, flow: FlowId) -> Option<ArrayVec<u64, MOST>> {
        let fetcher = &mut self.transport.fetcher;
        if fetcher.waiting() as usize > MOST { fetcher.come_near() } else { self.flows.come_near(flow) }
    }

    /// Issues a request.
    pub fn submit(&mut self, flow: FlowId, host: HostRequest, now: SimTime, agenda: &mut impl HostAgenda) {
        let pair = self.transport.pair(host.queue);
        let number = self.submitted;
        self.submitted += 1;
        let id = self.transport.requests.put(Request::new(Issued { host, flow, number, pair }, now));
        if self.io_queue.is_none() {
            self.transport.enter(id, pair, now, agenda);
        } else {
            self.enter_io_queue(id, now, agenda);
        }
    }

    fn enter_io_queue(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let Some(io_queue) = &mut self.io_queue else { return };
        let request = &mut self.transport.requests[id];
        let priority = self.transport.fetcher.priority(usize::from(request.pair));
        io_queue.add(id, request, priority, now);
        self.hand_over(now, agenda);
    }

    /// Requests that the host's scheduler chooses now go on their way to the drive.
    fn hand_over(&mut self, now: SimTime, agenda: &mut impl HostAgenda) {
        let Some(io_queue) = &mut self.io_queue else { return };
        while let Some(queued) = io_queue.next(now) {
            self.transport.requests[queued.id].hand_over(&queued, now);
            self.transport.send(queued.id, now, agenda);
        }
        if let Some(at) = io_queue.new_alarm() {
            agenda.post(at.max(now), HostEvent::SchedulerWakes);
        }
    }

    /// The host's scheduler is woken, as it asked to be.
    #[cold]
    pub fn scheduler_wakes(&mut self, now: SimTime, agenda: &mut impl HostAgenda) {
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.alarm(now);
            self.hand_over(now, agenda);
        }
    }

    /// The class of the queue that a request came on. SATA knows no classes.
    #[inline]
    pub fn priority(&self, request: &Request) -> Priority {
        self.transport.fetcher.priority(usize::from(request.pair))
    }

    /// A completion has reached the host. Says whether the request is complete, as it is without an adapter.
    #[inline]
    pub fn complete(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let is_complete = self.transport.came_back(id, now, agenda);
        if is_complete {
            self.on_complete(id, now, agenda);
        }
        is_complete
    }

    /// The adapter has passed something on: a request into the queue, or a completion. Says whether the request is
    /// complete.
    #[cold]
    pub fn passed(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let is_complete = self.transport.passed(id, now, agenda);
        if is_complete {
            self.on_complete(id, now, agenda);
        }
        is_complete
    }

    #[inline]
    fn on_complete(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        self.completed += 1;
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.completed(&self.transport.requests[id], now);
            self.hand_over(now, agenda);
        }
    }
}
