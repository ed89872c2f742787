//! The drive at work: events, and the way of a request through every room.
//!
//! `host (requests) → ftl (transactions) → fabric (transfers) → chip (operations)`, and back. The front end is host, cache and translation
//! layer; the back end is the flash controllers with chips and paths. Each event is one call into one of the two; then
//! [`Backend::offer_work`] offers the fabric whatever became possible.
//!
//! # The events of one 4-KiB read on an idle drive
//! 1. [`Event::Fetched`] → front end: the host interface has the command; the FTL makes a transaction, which waits for its die.
//!    The back end asks the FTL for the die's next command, and offers it to the fabric.
//! 2. [`Event::Fabric`] → back end: the command has reached the chip; the array starts.
//! 3. [`Event::ArrayDone`] → back end: data waits in the page register and is offered to the fabric.
//! 4. [`Event::Fabric`] → back end: the data has reached the controller. The transaction is finished: the FTL says that it was a
//!    page of a request, whose answer enters the host link.
//! 5. [`Event::Completed`] → front end: the host has it. Closed loop, it issues the next request.
//!
//! With a data cache, step 1 asks the cache, which passes on to the FTL what it does not have;
//! [`Event::CacheServed`] says that its memory has done its part.

mod any;
mod front_end;
mod meters;
mod served;
mod service;

pub use any::{AnyDevice, Assembly, Joins, joining};
pub use meters::Meters;
pub use served::{Afterwards, ChipShares, Occupation, Served, Window, WorkDone};

use venice_kernel::{EventQueue, SimTime, World};

use crate::cache::{Cache, CacheEvent};
use crate::controller::{Backend, FlashAgenda, FlashEvent, Losses};
use crate::fabric::{Fabric, FabricEvent};
use crate::ftl::{Ftl, rest};
use crate::geometry::{DieId, RequestId};
use crate::host::{FlowId, HostAgenda, HostEvent, HostInterface, Transport};
use crate::observe::{Probes, Recorder};

use front_end::FrontEnd;
use service::ServiceRecord;

/// What can happen in a drive. Eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next request of an open-loop flow is issued.
    Arrival(FlowId),
    /// A closed-loop flow begins, or has thought, and issues a request.
    Issue(FlowId),
    /// The drive learns of a command: its doorbell has crossed the link.
    Announced(RequestId),
    /// The submission entry of a command, which the drive has asked for, arrives, unless something went before it on the link.
    EntryDue(RequestId),
    /// The drive has the command itself.
    Fetched(RequestId),
    /// A write's data, which the drive has asked for, arrive, likewise.
    DataDue(RequestId),
    /// The drive has a write's data.
    DataFetched(RequestId),
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
    /// The data cache's memory has done its part of a request. Not as what the cache calls it, so that which event it is can be looked up as it is.
    CacheServed(RequestId),
    /// It has read what a lane of the data cache has to write.
    CacheReadOut(u32),
}

impl HostAgenda for EventQueue<Event> {
    fn post(&mut self, at: SimTime, event: HostEvent) {
        let event = match event {
            HostEvent::Arrival(flow) => Event::Arrival(flow),
            HostEvent::Issue(flow) => Event::Issue(flow),
            HostEvent::Announced(request) => Event::Announced(request),
            HostEvent::EntryDue(request) => Event::EntryDue(request),
            HostEvent::Fetched(request) => Event::Fetched(request),
            HostEvent::DataDue(request) => Event::DataDue(request),
            HostEvent::DataFetched(request) => Event::DataFetched(request),
            HostEvent::Completed(request) => Event::Completed(request),
            HostEvent::Passed(request) => Event::Passed(request),
            HostEvent::CompletionRoom(queue) => Event::CompletionRoom(queue),
            HostEvent::SchedulerWakes => Event::SchedulerWakes,
        };
        self.schedule(at, event);
    }
}

impl FlashAgenda for EventQueue<Event> {
    fn post(&mut self, at: SimTime, event: FlashEvent) {
        let event = match event {
            FlashEvent::Fabric(event) => Event::Fabric(event),
            FlashEvent::Faults => Event::Faults,
            FlashEvent::CameToNothing(die) => Event::CameToNothing(die),
            FlashEvent::ArrayDone(die) => Event::ArrayDone(die),
        };
        self.schedule(at, event);
    }
}

const _: () = assert!(size_of::<Event>() == 8, "events are small");

/// A drive with its host. Its chips are joined by a fabric that is known when the program is compiled, so that nothing is asked of it
/// by way of a table or a `match`; where this does not matter, a `Device<dyn Fabric>` is any of them.
pub struct Device<F: Fabric + ?Sized> {
    fabric_name: String,
    front: FrontEnd,
    service: ServiceRecord,
    /// The last, since how large it is depends on the fabric.
    back: Backend<F>,
}

impl<F: Fabric> Device<F> {
    /// A drive whose dies are all idle, with a fabric of this name.
    pub fn new(parts: Assembly<'_>, fabric: F, fabric_name: &str) -> Self {
        let Assembly { geometry, flash, host, cache, ftl, paths, probes } = parts;
        let back = Backend::new(geometry, flash, paths, fabric, ftl.queues.looks_everywhere());
        let service = ServiceRecord::new(probes.scheduled.is_some());
        let front = FrontEnd::new(host, cache, ftl, probes);
        Self { fabric_name: fabric_name.to_owned(), front, service, back }
    }
}

impl<F: Fabric + ?Sized> Device<F> {
    /// The host's side.
    pub fn host(&self) -> &HostInterface {
        &self.front.host
    }

    /// The host's side, for taking its errors.
    pub fn host_mut(&mut self) -> &mut HostInterface {
        &mut self.front.host
    }

    /// The data cache, if the drive has one.
    pub fn cache(&self) -> Option<&Cache> {
        self.front.cache.as_ref()
    }

    /// The flash translation layer.
    pub fn ftl(&self) -> &Ftl {
        &self.front.ftl
    }

    /// The flash translation layer, for its audit.
    pub fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.front.ftl
    }

    /// Writes to flash what only the data cache has, without time, as at the end of a drive's day.
    pub fn empty_cache(&mut self) {
        if let Some(cache) = &mut self.front.cache {
            cache.write_all_at_once(&mut self.front.ftl);
        }
    }

    /// What joins the chips.
    pub fn fabric(&self) -> &F {
        self.back.paths().fabric()
    }

    /// What that is called.
    pub fn fabric_name(&self) -> &str {
        &self.fabric_name
    }

    /// What fails, and which chips were lost with it.
    pub fn losses(&self) -> &Losses {
        self.back.paths().losses()
    }

    /// What was recorded.
    pub fn recorder(&self) -> &Recorder {
        &self.front.probes.recorder
    }

    /// Everybody who looks at the run.
    pub fn probes(&self) -> &Probes {
        &self.front.probes
    }

    /// The same, for taking something out.
    pub fn probes_mut(&mut self) -> &mut Probes {
        &mut self.front.probes
    }

    /// From now on the fabric tells of its scouts and packets.
    pub fn ask_for_details(&mut self) {
        self.back.paths_mut().ask_for_details();
    }

    /// An event is over: what is kept of it is completed with what only the fabric and the host know.
    pub fn complete_slices(&mut self, now: SimTime) {
        let Some(slices) = self.front.probes.slices_mut() else { return };
        let requests = &self.front.host.transport.requests;
        let trips: Vec<_> = self.back.paths_mut().take_scouts().collect();
        let hops: Vec<_> = self.back.paths_mut().take_hops().collect();
        let fabric = self.back.paths().fabric();
        slices.complete(fabric, |id| requests[id].number, trips, hops, now);
    }

    /// What is measured of the drive.
    pub const fn meters(&self) -> Meters<'_, F> {
        Meters { front: &self.front, back: &self.back, service: &self.service }
    }

    /// Issues the first requests of every flow.
    fn start(&mut self, future: &mut EventQueue<Event>) {
        self.back.paths().losses().schedule(future);
        self.front.start(future);
        self.on_issued(future.now());
        self.note_service(future.now());
    }

    /// What concerns the host's side of the link alone: the drive has nothing to offer for it.
    #[inline]
    fn host_event(&mut self, event: Event, now: SimTime, future: &mut EventQueue<Event>) {
        let front = &mut self.front;
        match event {
            Event::Arrival(flow) => front.arrival(flow, now, future),
            Event::Issue(flow) => front.issue(flow, now, future),
            Event::Completed(request) => front.completed(request, now, future),
            Event::Passed(request) => front.passed(request, now, future),
            Event::CompletionRoom(queue) => front.host.transport.completion_room(queue, now, future),
            Event::SchedulerWakes => front.host.scheduler_wakes(now, future),
            _ => debug_assert!(false, "{event:?} concerns the drive"),
        }
        self.on_issued(now);
        self.note_service(now);
    }

    /// Requests may have been issued: if they are the first that are measured, the back end takes notice.
    #[inline]
    fn on_issued(&mut self, now: SimTime) {
        if self.front.begins_measuring() {
            self.back.begin_measuring(now);
            self.service.restart();
        }
    }

    /// Requests may have been issued or completed: takes notice if the host has none outstanding, or has one again.
    #[inline]
    fn note_service(&mut self, now: SimTime) {
        let is_paused = self.front.host.outstanding() == 0;
        if is_paused != self.service.is_paused() {
            self.on_service_change(is_paused, now);
        }
    }

    /// The host has no request outstanding any more, or has one again.
    #[cold]
    fn on_service_change(&mut self, is_paused: bool, now: SimTime) {
        let busy = self.service.measures_pauses().then(|| self.meters().busy_times(now));
        self.service.change(is_paused, busy);
        let is_measured = !self.recorder().has_only_warm_up();
        if is_paused && is_measured && !self.front.host.flows.go_on(now) {
            let work = self.meters().work_done(now);
            self.service.note_end(work);
            rest(&mut self.front.ftl);
        }
    }
}

impl<F: Fabric> World for Device<F> {
    type Event = Event;

    fn handle(&mut self, event: Event, now: SimTime, future: &mut EventQueue<Event>) {
        let Self { front, back, .. } = self;
        match event {
            Event::Arrival(_)
            | Event::Issue(_)
            | Event::Completed(_)
            | Event::Passed(_)
            | Event::CompletionRoom(_)
            | Event::SchedulerWakes => return self.host_event(event, now, future),
            Event::Announced(request) => return front.host.transport.announced(request, now, future),
            Event::EntryDue(request)
            | Event::Fetched(request)
            | Event::DataDue(request)
            | Event::DataFetched(request) => {
                // Only with a whole command is there something new to offer.
                if !is_whole(&mut front.host.transport, event, now, future) {
                    return;
                }
                front.begin(request, now, future);
            }
            Event::Fabric(event) => back.fabric_event(event, front, now, future),
            Event::Faults => back.faults_due(&mut front.ftl, now),
            Event::CameToNothing(die) => back.came_to_nothing(die, front, now, future),
            Event::ArrayDone(die) => back.array_done(die, front, now, future),
            Event::CacheServed(request) => front.cache_event(CacheEvent::Served(request), now, future),
            Event::CacheReadOut(lane) => front.cache_event(CacheEvent::ReadOut(lane), now, future),
        }
        self.back.offer_work(&mut self.front, now, future);
    }
}

/// A command, or a write's data, have come as far as this event says. Whether the drive has all that it needs now.
fn is_whole(transport: &mut Transport, event: Event, now: SimTime, future: &mut EventQueue<Event>) -> bool {
    match event {
        Event::EntryDue(request) => transport.entry_due(request, now, future),
        Event::Fetched(request) => transport.fetched(request, now, future),
        Event::DataDue(request) => transport.data_due(request, now, future),
        Event::DataFetched(request) => {
            transport.data_fetched(request, now);
            true
        }
        _ => {
            debug_assert!(false, "{event:?} brings nothing of a command");
            false
        }
    }
}
