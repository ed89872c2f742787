//! The drive at work: events, and the way of a request through every room.
//!
//! `host (requests) → ftl (transactions) → fabric (transfers) → chip (operations)`, and back.
//!
//! # The events of one 4-KiB read on an idle drive
//! 1. [`Event::Message`]: the command has crossed the host link; the FTL makes a transaction, its
//!    die is idle, the read command is offered to the fabric.
//! 2. [`Event::Fabric`]: the command has reached the chip; the array starts.
//! 3. [`Event::ArrayDone`]: data waits in the page register and is offered to the fabric.
//! 4. [`Event::Fabric`]: the data has reached the controller; the answer enters the host link.
//! 5. [`Event::Completed`]: the host has it. Closed loop, it issues the next request.
//!
//! With a data cache, step 1 asks the cache, which passes on to the FTL what it does not have;
//! [`Event::Cache`] says that its memory has done its part.

mod any;
mod arbiter;
mod copies;
mod dies;
mod losses;
mod paths;
mod phases;
mod sample;
mod suspension;

pub use any::{AnyDevice, Assembly};
pub use losses::FailureCounters;

use venice_kernel::{EventQueue, SimTime, World};

use crate::accounting::{Stage, StageClock};
use crate::cache::{Cache, CacheEvent};
use crate::chip::Chips;
use crate::fabric::{DomainId, Fabric, FabricEvent, FaultSettings, FirstOnPath, Hold, Outbox};
use crate::ftl::{FORESEEN, Finished, Ftl, Initiator};
use crate::geometry::{ChipId, DieId, Geometry, RequestId};
use crate::host::{FlowId, Following, HostAgenda, HostEvent, HostInterface, Rhythms};
use crate::observe::{Completion, PageEnd, Probe, Probes, Recorder};
use crate::registry::FabricKind;
use crate::work::Origin;
use venice_requests::{HostRequest, LoopMode, Op};

use arbiter::Arbiter;
use losses::Losses;
use phases::Baseline;

/// What can happen in a drive. Eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next request of an open-loop flow is issued.
    Arrival(FlowId),
    /// A closed-loop flow begins, or has thought, and issues a request.
    Issue(FlowId),
    /// A message of a command has crossed the link.
    Message(RequestId),
    /// Something inside the fabric.
    Fabric(FabricEvent),
    /// Something fails, or controllers learn of it.
    Faults,
    /// A transfer of a lost chip's die has come to nothing.
    CameToNothing(DieId),
    /// A die's array has finished, unless its operation was suspended meanwhile.
    ArrayDone(DieId),
    /// The host has the answer to a command.
    Completed(RequestId),
    /// The host's adapter has passed a request or a completion on.
    Passed(RequestId),
    /// The drive learns that there is room in the completion ring of this queue.
    CompletionRoom(u16),
    /// The host's scheduler asked to be woken.
    SchedulerWakes,
    /// The data cache's memory has done something.
    Cache(CacheEvent),
}

impl HostAgenda for EventQueue<Event> {
    #[inline]
    fn post(&mut self, at: SimTime, event: HostEvent) {
        let event = match event {
            HostEvent::Message(request) => Event::Message(request),
            HostEvent::Completed(request) => Event::Completed(request),
            HostEvent::Passed(request) => Event::Passed(request),
            HostEvent::CompletionRoom(queue) => Event::CompletionRoom(queue),
            HostEvent::SchedulerWakes => Event::SchedulerWakes,
        };
        self.schedule(at, event);
    }
}

const _: () = assert!(size_of::<Event>() == 8, "events are small");

/// Where a die is.
#[derive(Clone, Copy, Debug)]
struct Home {
    chip: ChipId,
    domain: DomainId,
}

/// A drive with its host. Its chips are joined by a fabric that is known when the program is compiled, so that nothing is asked of it
/// by way of a table or a `match`; where this does not matter, a `Device<dyn Fabric>` is any of them.
pub struct Device<F: Fabric + ?Sized> {
    geometry: Geometry,
    fabric_kind: FabricKind,
    host: HostInterface,
    cache: Option<Cache>,
    ftl: Ftl,
    /// By die: looked up, because dividing takes longer and it is asked for with every event.
    homes: Vec<Home>,
    chips: Chips,
    arbiter: Arbiter,
    /// Whether the fabric keeps paths for dies between transfers.
    paths_are_held: bool,
    /// Whether chips are asked for a command even if nothing waits for them: where rows are joined, whose turn is next depends on
    /// who was asked; where operations are suspended, dies at work have commands; and some schedulers count looks.
    asks_all_chips: bool,
    outbox: Outbox,
    probes: Probes,
    baseline: Baseline,
    rhythms: Rhythms,
    /// What fails.
    faults: FaultSettings,
    /// Chips that were given up in this run.
    losses: Option<Box<Losses>>,
    /// The last, since how large it is depends on which it is.
    fabric: F,
}

impl<F: Fabric + ?Sized> Device<F> {
    /// The host's side.
    pub fn host(&self) -> &HostInterface {
        &self.host
    }

    /// The host's side, for taking its errors.
    pub fn host_mut(&mut self) -> &mut HostInterface {
        &mut self.host
    }

    /// The data cache, if the drive has one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The flash translation layer.
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// The flash translation layer, for its audit.
    pub fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }

    /// Writes to flash what only the data cache has, without time, as at the end of a drive's day.
    pub fn empty_cache(&mut self) {
        if let Some(cache) = &mut self.cache {
            cache.write_all_at_once(&mut self.ftl);
        }
    }

    /// What joins the chips.
    pub fn fabric(&self) -> &F {
        &self.fabric
    }

    /// Which fabric that is.
    pub fn fabric_kind(&self) -> FabricKind {
        self.fabric_kind
    }

    /// What was recorded.
    pub fn recorder(&self) -> &Recorder {
        &self.probes.recorder
    }

    /// Everybody who looks at the run.
    pub fn probes(&self) -> &Probes {
        &self.probes
    }

    /// The same, for taking something out.
    pub fn probes_mut(&mut self) -> &mut Probes {
        &mut self.probes
    }
}

impl<F: Fabric> Device<F> {
    /// A drive whose dies are all idle.
    pub fn new(parts: Assembly<'_>, fabric: F, fabric_kind: FabricKind) -> Self {
        let Assembly { geometry, flash, host, cache, ftl, paths, probes } = parts;
        let commands_first = paths.first_on_path == FirstOnPath::Commands;
        let home = |die| {
            let chip = geometry.chip_of(die);
            Home { chip, domain: fabric.domain_of(chip) }
        };
        let arbiter = Arbiter::new(fabric.domains(), geometry.array.cols, commands_first)
            .with_data_by_age(!fabric.features().data_as_it_comes);
        Self {
            asks_all_chips: arbiter.joins_rows()
                || flash.suspension.is_some()
                || ftl.queues.looks_everywhere(),
            fabric_kind,
            chips: Chips::new(flash, &geometry),
            homes: (0..geometry.dies()).map(|die| home(DieId(die))).collect(),
            rhythms: Rhythms::new(host.flows().len()),
            host,
            cache,
            ftl,
            arbiter,
            paths_are_held: paths.hold == Hold::Operation,
            outbox: Outbox::default(),
            probes,
            baseline: Baseline::default(),
            faults: paths.faults.clone(),
            losses: None,
            geometry,
            fabric,
        }
    }
}

impl<F: Fabric + ?Sized> Device<F> {
    #[inline]
    fn chip_of(&self, die: DieId) -> ChipId {
        self.homes[die.index()].chip
    }

    /// Issues the first requests of every flow.
    fn issue_first(&mut self, future: &mut EventQueue<Event>) {
        self.schedule_faults(future);
        for flow in (0..self.host.flows().len() as u32).map(FlowId) {
            match self.host.flows()[flow.0 as usize].mode() {
                LoopMode::Open => self.schedule_next_arrival(flow, future),
                LoopMode::Closed { depth } => self.start_closed(flow, depth, future),
            }
        }
    }

    fn start_closed(&mut self, flow: FlowId, depth: u32, future: &mut EventQueue<Event>) {
        let pace = self.host.flows()[flow.0 as usize].pace();
        for _ in 0..self.rhythms.begin_round(flow, depth, &pace) {
            if pace.start > future.now() {
                future.schedule(pace.start, Event::Issue(flow));
            } else {
                self.issue(flow, future.now(), future);
            }
        }
    }

    fn schedule_next_arrival(&mut self, flow: FlowId, future: &mut EventQueue<Event>) {
        let next = self.next_request(flow, future.now());
        self.rhythms.arrives_next(flow, next);
        if let Some(request) = next {
            future.schedule(request.arrival.max(future.now()), Event::Arrival(flow));
        }
    }

    /// A closed loop's next request.
    fn issue(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(request) = self.next_request(flow, now) {
            self.submit(flow, request, now, future);
        }
    }

    #[inline]
    fn next_request(&mut self, flow: FlowId, now: SimTime) -> Option<HostRequest> {
        let next = self.host.flow_mut(flow).next_request(now);
        if let Some(near) = self.host.come_near::<FORESEEN>(flow) {
            self.ftl.foresee(near.into_iter());
        }
        next
    }

    fn submit(&mut self, flow: FlowId, request: HostRequest, now: SimTime, future: &mut EventQueue<Event>) {
        self.note_issue(now);
        self.host.submit(flow, request, now, future);
    }

    /// An open loop's next request is due.
    fn arrival(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        let request = self.rhythms.arrives(flow, &self.host.flows()[flow.0 as usize], now);
        if let Some(request) = request {
            self.submit(flow, request, now, future);
            self.schedule_next_arrival(flow, future);
        }
    }

    /// A request of the flow is complete: what follows from that.
    fn issue_next(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        let of = &self.host.flows()[flow.0 as usize];
        match self.rhythms.completed(flow, of) {
            Following::Nothing => {}
            Following::Issue => self.issue(flow, now, future),
            Following::Think(requests) => {
                let again = now + of.pace().think;
                for _ in 0..requests {
                    future.schedule(again, Event::Issue(flow));
                }
            }
            Following::Arrival => self.arrival(flow, now, future),
        }
    }

    fn message(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(request) = self.host.message_arrived(id, now, future) {
            let parts = self.accept(id, &request, now);
            self.schedule_cache(future);
            self.host.set_outstanding(id, parts, now, future);
        }
    }

    /// Hands a request on to the cache, if there is one, or to the FTL. Says for how many parts it waits.
    fn accept(&mut self, id: RequestId, request: &HostRequest, now: SimTime) -> u32 {
        let initiator = Initiator { id, priority: self.host.priority(id) };
        let (id, sectors) = ((initiator, request.queue), (request.start_sector, request.sectors));
        match (&mut self.cache, request.op) {
            // Chips combine what flash holds: what only the cache has is not asked for.
            (_, Op::Gather) => self.ftl.accept_gather(id, sectors, now),
            (None, Op::Read) => self.ftl.accept_read(id, sectors, now),
            (None, Op::Write) => self.ftl.accept_write(id, sectors, now),
            (Some(cache), Op::Read) => cache.accept_read(id, sectors, &mut self.ftl, now),
            (Some(cache), Op::Write) => cache.accept_write(id, sectors, &mut self.ftl, now),
        }
    }

    fn page_finished(&mut self, page: &Finished, now: SimTime, future: &mut EventQueue<Event>) {
        if self.cache.is_some() {
            self.tell_cache(page, now, future);
        }
        let Origin::Request(id) = page.origin else { return };
        let request = self.host.request(id);
        let is_measured = self.probes.recorder.is_measured(request.number);
        self.probes.on_page(&PageEnd { id, request, clock: &page.clock, is_measured }, now);
        if page.has_failed {
            self.page_failed(id);
        }
        self.host.page_finished(id, &page.clock, page.conflicted, now, future);
    }

    fn tell_cache(&mut self, page: &Finished, now: SimTime, future: &mut EventQueue<Event>) {
        let Some(cache) = &mut self.cache else { return };
        match page.origin {
            Origin::Cache(destage) => cache.destage_ended(destage, &mut self.ftl, now),
            Origin::Request(id) => {
                let HostRequest { op, queue, .. } = self.host.request(id).host;
                match op {
                    Op::Read => cache.read_finished(page, queue, &mut self.ftl, now),
                    Op::Write => cache.written_past(page.lpn),
                    Op::Gather => {}
                }
            }
        }
        self.schedule_cache(future);
    }

    fn cache_event(&mut self, event: CacheEvent, now: SimTime, future: &mut EventQueue<Event>) {
        match event {
            CacheEvent::Served(id) => {
                let mut clock = StageClock::start(self.host.request(id).clock.mark);
                clock.charge(Stage::Cache, now);
                self.probes.on_cache_service(id, now);
                self.host.page_finished(id, &clock, false, now, future);
            }
            CacheEvent::ReadOut(lane) => {
                if let Some(cache) = &mut self.cache {
                    cache.read_out(lane, &mut self.ftl, now);
                }
            }
        }
    }

    /// Passes on what the cache's memory will have done, and when.
    #[inline]
    fn schedule_cache(&mut self, future: &mut EventQueue<Event>) {
        let Some(cache) = &mut self.cache else { return };
        for (at, event) in cache.scheduled() {
            future.schedule(at, Event::Cache(event));
        }
    }

    fn completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.host.complete(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    fn passed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.host.passed(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    /// A request is complete: it is recorded and forgotten, and a closed loop issues the next of its flow.
    #[inline]
    fn on_completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        let request = self.host.request(id);
        let (latency, device_latency) = HostInterface::latencies(request, now);
        let (flow, is_measured) = (request.flow, self.probes.recorder.is_measured(request.number));
        let behind = self.probes.take_behind(id);
        let behind = behind.as_ref();
        self.probes.on_completion(&Completion { request, latency, device_latency, is_measured, behind }, now);
        self.host.forget(id);
        self.issue_next(flow, now, future);
    }
}

impl<F: Fabric> World for Device<F> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, event: Event, now: SimTime, future: &mut EventQueue<Event>) {
        match event {
            Event::Arrival(flow) => self.arrival(flow, now, future),
            Event::Issue(flow) => self.issue(flow, now, future),
            Event::Message(request) => self.message(request, now, future),
            Event::Fabric(event) => self.fabric_event(event, now, future),
            Event::Faults => self.faults_due(now),
            Event::CameToNothing(die) => self.came_to_nothing(die, now, future),
            Event::ArrayDone(die) => self.array_done(die, now, future),
            Event::Completed(request) => self.completed(request, now, future),
            Event::Passed(request) => self.passed(request, now, future),
            Event::CompletionRoom(queue) => self.host.completion_room(queue, now, future),
            Event::SchedulerWakes => self.host.scheduler_wakes(now, future),
            Event::Cache(event) => self.cache_event(event, now, future),
        }
        self.offer_work(now, future);
    }
}
