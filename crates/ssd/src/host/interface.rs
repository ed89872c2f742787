//! Requests on their way: from their source through the host's queues into the drive and back.
//!
//! # How
//! Each flow issues its requests in its own rhythm: open loop, at their arrival times; closed loop,
//! whenever fewer than the given number are outstanding. A request's queue number says on which pair of rings it
//! travels (see [`QueuePair`]); what does not fit waits in the host. The drive takes commands as [`Fetcher`] has it.
//! Commands, data and completions cross the link as the protocol has it (see [`Protocol`]).

use arrayvec::ArrayVec;
use slab::Slab;
use venice_kernel::{SimSpan, SimTime};

use crate::accounting::{Stage, StageClock};
use crate::geometry::{Priority, RequestId};

use super::adapter::Adapter;
use super::fetcher::Fetcher;
use super::io_queue::{IoQueue, IoQueueCounters, QueueHistory};
use super::protocol::{ANNOUNCED, FETCHED};
use super::queue_pair::QueuePair;
use super::scheduler::{Done, Location, Met, Queued, SchedulerSettings};
use super::wires::Wires;
use super::{HostSettings, Protocol};
use venice_requests::{Flow, HostRequest, Op, SECTOR_BYTES, SourceError};

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
    /// When the host's scheduler handed it over; without a scheduler, when it was issued.
    pub handed_over: SimTime,
    /// What waited or was served on its units when it was issued, if there is a scheduler.
    pub met: Met,
    /// The number of its batch, from 1, among those of its kind; 0 where the host's scheduler has none.
    pub batch: u64,
    /// The units that the host's scheduler believed it to touch.
    location: Location,
    /// When it entered the drive's queue; without rings, when the drive took it.
    pub enqueued: SimTime,
    /// The pair of rings that it travels on.
    pair: u16,
    /// What its completion says of the submission ring.
    submission_head: u32,
    /// Messages of its command that have arrived.
    pub(super) messages: u8,
    /// Whether its completion has reached the host's adapter, with SATA.
    at_adapter: bool,
    /// Whether one of its transfers met a path conflict.
    pub conflicted: bool,
    /// Whether one of its pages was lost, so that it ends with an error.
    pub has_failed: bool,
    /// Pages not yet finished.
    outstanding: u32,
    /// Where its time went.
    pub clock: StageClock,
}

impl Request {
    /// Bytes of data it moves.
    #[inline]
    pub fn data(&self) -> u64 {
        u64::from(self.host.sectors) * u64::from(SECTOR_BYTES)
    }

    /// It enters the drive's queue.
    #[inline]
    fn enter(&mut self, now: SimTime) {
        self.clock.charge(Stage::Queue, now);
        self.enqueued = now;
    }
}

/// What happens at the host interface at an instant that was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// A message of a command has crossed the link.
    Message(RequestId),
    /// A completion has crossed the link.
    Completed(RequestId),
    /// The host's adapter has passed a request, or its completion, on.
    Passed(RequestId),
    /// The drive learns that an entry of this queue's completion ring is free again.
    CompletionRoom(u16),
    /// The host's scheduler asked to be woken.
    SchedulerWakes,
}

/// Takes what will happen at the host interface.
pub trait HostAgenda {
    /// This happens then.
    fn post(&mut self, at: SimTime, event: HostEvent);
}

/// The host's side of the drive.
pub struct HostInterface {
    settings: HostSettings,
    flows: Vec<Flow>,
    requests: Slab<Request>,
    io_queue: Option<IoQueue>,
    /// By queue number; with SATA only the first.
    queues: Vec<QueuePair>,
    fetcher: Fetcher,
    submitted: u64,
    completed: u64,
    wires: Wires,
    into_adapter: Adapter,
    out_of_adapter: Adapter,
    /// Whether the host is sent what a gather gives, rather than told that it is done.
    gathers_send_results: bool,
}

impl HostInterface {
    /// A host that has issued nothing yet.
    pub fn new(settings: HostSettings, flows: Vec<Flow>) -> Self {
        let adapter = Adapter::new(settings.adapter_delay);
        Self {
            wires: Wires::new(&settings),
            fetcher: Fetcher::new(settings.queue_depth, settings.drive_depth, &settings.arbitration),
            io_queue: settings.scheduler.map(IoQueue::new),
            settings,
            flows,
            requests: Slab::with_capacity(1024),
            queues: vec![QueuePair::default()],
            submitted: 0,
            completed: 0,
            into_adapter: adapter,
            out_of_adapter: adapter,
            gathers_send_results: true,
        }
    }

    /// The same host; whether it is sent what a gather gives, rather than told that it is done.
    #[must_use]
    pub fn with_results(self, gathers_send_results: bool) -> Self {
        Self { gathers_send_results, ..self }
    }

    /// Whether the host is sent what a gather gives.
    pub const fn gathers_send_results(&self) -> bool {
        self.gathers_send_results
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
        self.wires.bytes()
    }

    /// The error that ended a source early, if one did.
    pub fn take_source_error(&mut self) -> Option<SourceError> {
        self.flows.iter_mut().find_map(Flow::take_error)
    }

    /// What the host's scheduler was told, if there is one.
    pub fn scheduler_settings(&self) -> Option<SchedulerSettings> {
        self.settings.scheduler
    }

    /// What the host's scheduler and its queue counted in the measured phase, if there is one.
    pub fn scheduler_counters(&self) -> Option<IoQueueCounters> {
        self.io_queue.as_ref().map(IoQueue::counters)
    }

    /// How long the host's I/O queue was over the measured phase, if there is a scheduler.
    pub fn queue_history(&self) -> Option<&QueueHistory> {
        self.io_queue.as_ref().map(IoQueue::history)
    }

    /// By number of requests: batches of this kind that were complete in the measured phase.
    pub fn batch_sizes(&self, op: Op) -> Vec<u64> {
        self.io_queue.as_ref().map_or_else(Vec::new, |io_queue| io_queue.batch_sizes(op))
    }

    /// From now on is measured.
    pub fn begin_measuring(&mut self, now: SimTime) {
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.begin_measuring(now);
        }
    }

    /// A request in flight.
    pub fn request(&self, id: RequestId) -> &Request {
        &self.requests[id.index()]
    }

    /// The class of the queue that a request came on. SATA knows no classes.
    #[inline]
    pub fn priority(&self, id: RequestId) -> Priority {
        self.settings.priority(self.queue_of(id))
    }

    /// Issues a request.
    #[inline]
    pub fn submit(&mut self, flow: FlowId, host: HostRequest, now: SimTime, agenda: &mut impl HostAgenda) {
        let pair = if self.settings.protocol == Protocol::Sata { 0 } else { host.queue };
        if usize::from(pair) >= self.queues.len() {
            self.queues.resize_with(usize::from(pair) + 1, QueuePair::default);
        }
        let request = Request {
            host: HostRequest { arrival: now, ..host },
            pair,
            flow,
            number: self.submitted,
            handed_over: now,
            met: Met::default(),
            batch: 0,
            location: Location::default(),
            enqueued: now,
            submission_head: 0,
            messages: 0,
            at_adapter: false,
            conflicted: false,
            has_failed: false,
            outstanding: 0,
            clock: StageClock::start(now),
        };
        self.submitted += 1;
        if self.has_to_wait(usize::from(pair)) {
            return self.waits(usize::from(pair), request);
        }
        let id = RequestId(self.requests.insert(request) as u32);
        if let Some(io_queue) = &mut self.io_queue {
            let entered = io_queue.add(id, (&host, self.settings.priority(usize::from(pair))), now);
            let request = &mut self.requests[id.index()];
            (request.met, request.location) = (entered.met, entered.location);
            self.hand_over(now, agenda);
        } else {
            self.enter_drive(id, now, agenda);
        }
    }

    /// Whether a request that is issued now can only wait for its ring or for the drive.
    #[inline]
    fn has_to_wait(&self, pair: usize) -> bool {
        let queue = &self.queues[pair];
        self.io_queue.is_none()
            && match self.settings.protocol {
                Protocol::Direct => !self.fetcher.may_take(queue),
                Protocol::Nvme => queue.is_full(self.settings.queue_entries),
                Protocol::Sata => false,
            }
    }

    /// A request waits where it is not in the way of those that are on theirs.
    #[inline(never)]
    fn waits(&mut self, pair: usize, request: Request) {
        let queue = &mut self.queues[pair];
        if self.wires.has_rings() {
            queue.waiting.push_back(request);
        } else {
            self.fetcher.put_off(queue, request);
        }
    }

    /// Requests that the host's scheduler chooses now enter the drive's queues.
    fn hand_over(&mut self, now: SimTime, agenda: &mut impl HostAgenda) {
        while let Some(queued) = self.io_queue.as_mut().and_then(|io_queue| io_queue.next(now)) {
            let Queued { id, start_sector, batch, .. } = queued;
            let request = &mut self.requests[id.index()];
            request.clock.charge(Stage::Queue, now);
            (request.handed_over, request.batch) = (now, batch);
            // The ideal without conflicts sends a request elsewhere.
            request.host.start_sector = start_sector;
            self.enter_drive(id, now, agenda);
        }
        if let Some(at) = self.io_queue.as_mut().and_then(IoQueue::new_alarm) {
            agenda.post(at, HostEvent::SchedulerWakes);
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

    /// A request goes on its way to the drive.
    #[inline]
    fn enter_drive(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        match self.settings.protocol {
            Protocol::Direct => self.take_directly(id, now, agenda),
            Protocol::Nvme => self.enter_ring(id, now, agenda),
            Protocol::Sata => {
                let at = self.into_adapter.pass(now);
                agenda.post(at, HostEvent::Passed(id));
            }
        }
    }

    /// A message of a command has arrived. If it was the last, the command, and a write's data, are in the drive;
    /// what follows is its pages' time.
    #[inline]
    pub fn message_arrived(
        &mut self,
        id: RequestId,
        now: SimTime,
        agenda: &mut impl HostAgenda,
    ) -> Option<HostRequest> {
        let request = &mut self.requests[id.index()];
        let queue = usize::from(request.pair);
        request.messages += 1;
        match (self.wires.has_rings(), request.messages) {
            (true, ANNOUNCED) => {
                request.clock.charge(Stage::HostLink, now);
                if !self.fetcher.take(&mut self.queues[queue]) {
                    self.put_off(id, queue);
                    return None;
                }
            }
            (true, FETCHED) => self.queues[queue].entry_arrived(),
            _ => {}
        }
        if let Some(at) = self.wires.send_next(request, now) {
            agenda.post(at, HostEvent::Message(id));
            return None;
        }
        request.clock.charge(Stage::HostLink, now);
        Some(request.host)
    }

    /// How many pages a command turned out to need. If none, it is answered at once.
    #[inline]
    pub fn set_outstanding(&mut self, id: RequestId, pages: u32, now: SimTime, agenda: &mut impl HostAgenda) {
        self.requests[id.index()].outstanding = pages;
        if pages == 0 {
            self.answer_at_once(id, now, agenda);
        }
    }

    #[cold]
    fn answer_at_once(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        self.answer(id, now, agenda);
    }

    /// A page of a command is finished. If it was the last, the command is answered.
    /// The last page to finish is the one whose time counts for the request.
    #[inline]
    pub fn page_finished(
        &mut self,
        id: RequestId,
        page: &StageClock,
        conflicted: bool,
        now: SimTime,
        agenda: &mut impl HostAgenda,
    ) {
        let request = &mut self.requests[id.index()];
        request.outstanding -= 1;
        request.conflicted |= conflicted;
        if request.outstanding > 0 {
            return;
        }
        for (sum, span) in request.clock.spans.iter_mut().zip(page.spans) {
            *sum += span;
        }
        request.clock.mark = now;
        self.answer(id, now, agenda);
    }

    /// A request is to end with an error.
    pub fn fail(&mut self, id: RequestId) {
        self.requests[id.index()].has_failed = true;
    }

    /// A completion has reached the host. Says whether the request is complete, as it is without an adapter.
    #[inline]
    pub fn complete(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        if self.settings.protocol == Protocol::Sata {
            self.requests[id.index()].at_adapter = true;
            let at = self.out_of_adapter.pass(now);
            agenda.post(at, HostEvent::Passed(id));
            return false;
        }
        self.finish(id, now, agenda);
        true
    }

    /// What became of a complete request is known to whom it concerns.
    #[inline]
    pub fn forget(&mut self, id: RequestId) {
        self.requests.remove(id.index());
    }

    /// The adapter has passed something on: a request into the queue, or a completion. Says whether the request is
    /// complete.
    #[cold]
    pub fn passed(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) -> bool {
        let is_complete = self.requests[id.index()].at_adapter;
        if is_complete {
            self.finish(id, now, agenda);
        } else {
            self.requests[id.index()].clock.charge(Stage::HostLink, now);
            self.enter_ring(id, now, agenda);
        }
        is_complete
    }

    /// Entries of a completion ring are free again: completions that were held back take them.
    #[cold]
    pub fn completion_room(&mut self, queue: u16, now: SimTime, agenda: &mut impl HostAgenda) {
        let pair = usize::from(queue);
        while !self.queues[pair].held.is_empty()
            && self.queues[pair].take_completion_entry(self.settings.queue_entries, now)
            && let Some(id) = self.queues[pair].held.pop_front()
        {
            self.post_completion(id, pair, now, agenda);
        }
        if let (false, Some(at)) = (self.queues[pair].held.is_empty(), self.queues[pair].next_doorbell()) {
            agenda.post(at, HostEvent::CompletionRoom(queue));
        }
    }

    /// The latency of a completed request, split: (all of it, the part from its entry into the drive's queue).
    pub fn latencies(request: &Request, now: SimTime) -> (SimSpan, SimSpan) {
        (now.since(request.host.arrival), now.since(request.enqueued))
    }

    #[inline]
    fn queue_of(&self, id: RequestId) -> usize {
        usize::from(self.requests[id.index()].pair)
    }

    /// A request takes an entry of its submission ring, or waits for one.
    #[inline]
    fn enter_ring(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id.index()];
        let pair = &mut self.queues[usize::from(request.pair)];
        if pair.is_full(self.settings.queue_entries) {
            let request = self.requests.remove(id.index());
            pair.waiting.push_back(request);
            return;
        }
        pair.submit();
        request.enter(now);
        if let Some(at) = self.wires.send_next(request, now) {
            agenda.post(at, HostEvent::Message(id));
        }
    }

    /// The host has read a completion: requests that waited take the entries that it now knows to be free.
    #[cold]
    fn enter_waiting(&mut self, queue: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        while !self.queues[queue].is_full(self.settings.queue_entries)
            && let Some(request) = self.queues[queue].waiting.pop_front()
        {
            let id = RequestId(self.requests.insert(request) as u32);
            self.enter_ring(id, now, agenda);
        }
    }

    /// Without rings: the drive takes a command, if it may.
    #[inline]
    fn take_directly(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let queue = self.queue_of(id);
        if self.fetcher.take(&mut self.queues[queue]) {
            self.fetch(id, now, agenda);
        } else {
            self.put_off(id, queue);
        }
    }

    /// A command that the drive knows of waits until the drive takes it.
    #[inline(never)]
    fn put_off(&mut self, id: RequestId, queue: usize) {
        let request = self.requests.remove(id.index());
        self.fetcher.put_off(&mut self.queues[queue], request);
    }

    /// The drive takes a command that waited for it.
    fn fetch(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id.index()];
        if self.wires.has_rings() {
            request.clock.charge(Stage::Queue, now);
        } else {
            request.enter(now);
        }
        if let Some(at) = self.wires.send_next(request, now) {
            agenda.post(at, HostEvent::Message(id));
        }
    }

    /// The drive has a command less to work on, and takes another, if one waits.
    #[inline]
    fn make_room(&mut self, queue: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        self.fetcher.release(&mut self.queues[queue]);
        if self.fetcher.has_waiting() {
            let settings = &self.settings;
            let next = self.fetcher.choose_waiting(&mut self.queues, |queue| settings.priority(queue));
            if let Some(request) = next.and_then(|queue| self.queues[queue].take_pending()) {
                let id = RequestId(self.requests.insert(request) as u32);
                self.fetch(id, now, agenda);
            }
        }
    }

    /// Where requests begin that the drive gets soon, `MOST` of them at a time, if they were not given before: what is known of
    /// their pages is fetched for all of them at once. Asked whenever a flow gives a request: these come soon, unless there are
    /// more to be taken than would stay at hand until then.
    #[inline]
    pub fn come_near<const MOST: usize>(&mut self, flow: FlowId) -> Option<ArrayVec<u64, MOST>> {
        if self.fetcher.waiting() as usize > MOST {
            return self.pending_come_near();
        }
        let near = self.flows[flow.0 as usize].come_near(MOST)?;
        Some(near.iter().map(|request| request.start_sector).collect())
    }

    fn pending_come_near<const MOST: usize>(&mut self) -> Option<ArrayVec<u64, MOST>> {
        let queue = self.queues.iter_mut().find(|queue| queue.is_far() && !queue.pending.is_empty())?;
        Some(queue.come_near(MOST).map(|request| request.host.start_sector).collect())
    }

    /// Sends a command's data, if it is a read, and its completion.
    #[inline]
    fn answer(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &self.requests[id.index()];
        let queue = usize::from(request.pair);
        let data = match request.host.op {
            Op::Read => request.data(),
            Op::Gather if self.gathers_send_results => request.data(),
            Op::Write | Op::Gather => 0,
        };
        if !self.wires.has_rings() {
            let at = self.wires.send_answer(data, now);
            return agenda.post(at, HostEvent::Completed(id));
        }
        self.wires.send_data(data, now);
        self.make_room(queue, now, agenda);
        let pair = &mut self.queues[queue];
        if pair.held.is_empty() && pair.take_completion_entry(self.settings.queue_entries, now) {
            self.post_completion(id, queue, now, agenda);
        } else {
            self.hold_back(id, queue, agenda);
        }
    }

    #[inline]
    fn post_completion(&mut self, id: RequestId, queue: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        self.requests[id.index()].submission_head = self.queues[queue].submission_head();
        agenda.post(self.wires.send_answer(0, now), HostEvent::Completed(id));
    }

    /// A completion waits for a doorbell. If none is on its way, the next one that is sent asks for it.
    #[cold]
    fn hold_back(&mut self, id: RequestId, queue: usize, agenda: &mut impl HostAgenda) {
        let pair = &mut self.queues[queue];
        pair.held.push_back(id);
        if let (1, Some(at)) = (pair.held.len(), pair.next_doorbell()) {
            agenda.post(at, HostEvent::CompletionRoom(queue as u16));
        }
    }

    /// The host knows that a request is complete.
    #[inline]
    fn finish(&mut self, id: RequestId, now: SimTime, agenda: &mut impl HostAgenda) {
        let request = &mut self.requests[id.index()];
        let (queue, submission_head, host) =
            (usize::from(request.pair), request.submission_head, request.host);
        let done = Done {
            op: host.op.side(),
            location: request.location,
            batch: request.batch,
            latency: now.since(host.arrival),
            in_drive: now.since(request.handed_over),
        };
        request.clock.charge(Stage::HostLink, now);
        self.completed += 1;
        if self.wires.has_rings() {
            self.queues[queue].learn_head(submission_head);
            if !self.queues[queue].waiting.is_empty() {
                self.enter_waiting(queue, now, agenda);
            }
            self.ring_completion_doorbell(queue, now, agenda);
        } else {
            self.make_room(queue, now, agenda);
        }
        if let Some(io_queue) = &mut self.io_queue {
            io_queue.completed(&host, done, now);
            self.hand_over(now, agenda);
        }
    }

    /// The host says how far it has read the completion ring.
    #[inline]
    fn ring_completion_doorbell(&mut self, queue: usize, now: SimTime, agenda: &mut impl HostAgenda) {
        let at = self.wires.send_doorbell(now);
        let pair = &mut self.queues[queue];
        let is_awaited = !pair.held.is_empty() && pair.next_doorbell().is_none();
        pair.give_completion_entry_back(at);
        if is_awaited {
            agenda.post(at, HostEvent::CompletionRoom(queue as u16));
        }
    }
}
