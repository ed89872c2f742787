//! Drive with its host: dispatch of events, and the path of a request through all components.
//!
//! `host (requests) → ftl (transactions) → fabric (transfers) → chip (operations)`, and back. The front end
//! consists of host interface, cache and translation layer; the back end of flash controllers, chips and
//! paths. Each event is handled by one of the two. Then [`Backend::offer_work`] offers the fabric all
//! transfers that have become possible.
//!
//! # Events of a 4-KiB read on an idle drive
//! 1. [`DriveEvent::Fetched`] → front end: the command is in the drive; the FTL creates a transaction, which
//!    waits for its die. The back end requests the die's next command from the FTL and offers it to the
//!    fabric.
//! 2. [`DriveEvent::Fabric`] → back end: the command has reached the chip; the array operation starts.
//! 3. [`DriveEvent::ArrayDone`] → back end: data waits in the page register and is offered to the fabric.
//! 4. [`DriveEvent::Fabric`] → back end: the data has reached the controller, and the transaction is
//!    complete. The FTL reports that the request's page is complete, and the completion is sent over the host
//!    link.
//! 5. [`DriveEvent::Completed`] → front end: the completion has reached the host. A closed loop issues the
//!    next request.
//!
//! If the controller has cores, the FTL is called by [`DriveEvent::Processed`] after step 1, when the command
//! leaves its core. If it has decoders, [`DriveEvent::Decoded`] follows step 4, and a page that could not be
//! corrected is read again from step 1.
//!
//! A page of a search leaves its chip after [`DriveEvent::Matched`] instead of step 3, and passes the controller
//! and the host link by [`DriveEvent::Searched`].
//!
//! If the drive has a data cache, step 1 goes through the cache, which forwards missing pages to the FTL.
//! [`DriveEvent::CacheServed`] marks the end of an access to its DRAM.

mod any_device;
mod decoding;
mod front_end;
mod measurement_window;
mod meters;
mod power_loss;
mod searching;
mod service;

pub use any_device::{AnyDevice, Assembly, FabricConsumer, joining};
pub use measurement_window::{
    ChipShares, DecodingWork, DrainPeriod, MeasurementWindow, WindowUtilisation, WindowWork, WorkDone,
};
pub use meters::Meters;
pub use power_loss::PowerLoss;

use venice_fabric::{Fabric, FabricEvent};
use venice_host::{CollectionNotice, FlowId, HostEvent, HostInterface, Transport};
use venice_kernel::{EventHandler, EventQueue, SimTime};
use venice_nand::geometry::{ChipId, DieId, RequestId, TransactionId};

use crate::cache::{Cache, CacheEvent};
use crate::controller::{Backend, Cores, FlashEvent, FlashEventSink, Losses};
use crate::ftl::Ftl;
use crate::observe::{Probes, Recorder};

use front_end::FrontEnd;
use service::ServiceRecord;

/// Event of a drive, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveEvent {
    /// Issue of the next request of an open-loop flow.
    Arrival(FlowId),
    /// Issue of a request of a closed-loop flow, at the start of the flow or after its think time.
    Issue(FlowId),
    /// Departure of a request from a core of the host.
    Submitted(RequestId),
    /// Start of a time slice on this core of the host.
    SliceStart(u16),
    /// Arrival of a command's doorbell in the drive.
    Announced(RequestId),
    /// Earliest arrival of a fetched submission-queue entry. Other messages on the link may delay it.
    EntryDue(RequestId),
    /// Arrival of a complete command in the drive.
    Fetched(RequestId),
    /// Earliest arrival of a write's fetched data. Other messages on the link may delay it.
    DataDue(RequestId),
    /// Arrival of a write's data in the drive.
    DataFetched(RequestId),
    /// Event of the fabric, interpreted by the fabric only.
    Fabric(FabricEvent),
    /// Failure of a part of the fabric, or its detection by the controllers.
    Faults,
    /// Time-out of a transfer to or from a die of a lost chip.
    CameToNothing(DieId),
    /// End of an array operation. The event is ignored if the operation has been suspended.
    ArrayDone(DieId),
    /// Arrival of a completion in the host.
    Completed(RequestId),
    /// Departure of a request or completion from the host adapter.
    Passed(RequestId),
    /// Arrival of a completion-queue doorbell, which frees an entry for a waiting completion of this queue.
    CompletionRoom(u16),
    /// Wake-up of the host scheduler, at a time that it requested.
    SchedulerWakes,
    /// Arrival at the host of a notice that a chip has begun or ended garbage collection.
    CollectionNotice(CollectionNotice),
    /// End of a part of a request that is served by the data cache, such as an access to its DRAM. The
    /// variant does not contain a [`CacheEvent`], so that the kind of event is found by a single look-up.
    CacheServed(RequestId),
    /// End of the DRAM access that has read evicted pages of this cache lane.
    CacheReadOut(u32),
    /// Departure of a command from the controller's cores.
    Processed(RequestId),
    /// End of the decoding of a page by the controller.
    Decoded(TransactionId),
    /// End of the search of a page in the matcher of a chip.
    Matched(ChipId),
    /// End of a step outside the chips for a page of a search. The step is the search of the page in the
    /// controller or in the host, or the transfer to the host.
    Searched(TransactionId),
    /// End of a trim's processing time in the drive. Its mapping units are now deallocated.
    TrimDue(RequestId),
    /// Latest time at which partly filled pages of host writes are programmed.
    PagesDue,
    /// End of the time without host commands after which the drive folds its pSLC cache or collects garbage.
    IdleDue,
    /// Instant at which a block must be refreshed because of the age of its data.
    RefreshDue,
    /// Instant at which the next page must be read by scrub.
    ScrubDue,
    /// End of a read of map entries from the host memory buffer.
    MapFetched,
    /// Loss of power. Its consequences are examined, but the run continues as if power had not failed.
    PowerLoss,
}

impl From<HostEvent> for DriveEvent {
    fn from(event: HostEvent) -> Self {
        match event {
            HostEvent::Arrival(flow) => Self::Arrival(flow),
            HostEvent::Issue(flow) => Self::Issue(flow),
            HostEvent::Submitted(request) => Self::Submitted(request),
            HostEvent::SliceStart(core) => Self::SliceStart(core),
            HostEvent::Announced(request) => Self::Announced(request),
            HostEvent::EntryDue(request) => Self::EntryDue(request),
            HostEvent::Fetched(request) => Self::Fetched(request),
            HostEvent::DataDue(request) => Self::DataDue(request),
            HostEvent::DataFetched(request) => Self::DataFetched(request),
            HostEvent::Completed(request) => Self::Completed(request),
            HostEvent::Passed(request) => Self::Passed(request),
            HostEvent::CompletionRoom(queue) => Self::CompletionRoom(queue),
            HostEvent::SchedulerWakes => Self::SchedulerWakes,
            HostEvent::CollectionNotice(notice) => Self::CollectionNotice(notice),
        }
    }
}

impl FlashEventSink for EventQueue<DriveEvent> {
    fn post(&mut self, at: SimTime, event: FlashEvent) {
        let event = match event {
            FlashEvent::Fabric(event) => DriveEvent::Fabric(event),
            FlashEvent::Faults => DriveEvent::Faults,
            FlashEvent::CameToNothing(die) => DriveEvent::CameToNothing(die),
            FlashEvent::ArrayDone(die) => DriveEvent::ArrayDone(die),
            FlashEvent::Matched(chip) => DriveEvent::Matched(chip),
        };
        self.schedule(at, event);
    }
}

const _: () = assert!(size_of::<DriveEvent>() == 8, "events are small");

/// Drive with its host. The fabric is dispatched statically. Where speed does not matter, `Device<dyn
/// Fabric>` represents a drive with any fabric.
pub struct Device<F: Fabric + ?Sized> {
    fabric_name: String,
    front: FrontEnd,
    service: ServiceRecord,
    power_losses: Vec<PowerLoss>,
    /// Instant up to which repetitions of the fabric may be skipped.
    skip_limit: SimTime,
    /// Must be the last field, because `Backend` is unsized if the fabric is a trait object.
    back: Backend<F>,
}

impl<F: Fabric> Device<F> {
    /// Creates a drive with idle dies. `fabric_name` is the name of the fabric in reports.
    pub fn new(parts: Assembly<'_>, fabric: F, fabric_name: &str) -> Self {
        let Assembly { geometry, flash, host, cores, decoders, cache, ftl, paths, probes } = parts;
        let back = Backend::new(geometry, flash, paths, fabric, ftl.queues().looks_everywhere());
        let service = ServiceRecord::new(probes.scheduled.is_some());
        let front = FrontEnd::new(host, Cores::new(&cores), decoders, cache, ftl, probes);
        Self {
            fabric_name: fabric_name.to_owned(),
            front,
            service,
            power_losses: Vec::new(),
            skip_limit: SimTime::MAX,
            back,
        }
    }
}

impl<F: Fabric + ?Sized> Device<F> {
    /// Returns the host interface.
    pub fn host(&self) -> &HostInterface {
        &self.front.host
    }

    /// Returns mutable access to the host interface, so that its errors can be taken.
    pub fn host_mut(&mut self) -> &mut HostInterface {
        &mut self.front.host
    }

    /// Returns the data cache, if the drive has one.
    pub fn cache(&self) -> Option<&Cache> {
        self.front.cache.as_ref()
    }

    /// Returns the flash translation layer of the drive.
    pub fn ftl(&self) -> &Ftl {
        &self.front.ftl
    }

    /// Returns mutable access to the flash translation layer, so that its audit can be used.
    pub fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.front.ftl
    }

    /// Writes dirty data of the cache to flash in zero time, as at a clean shutdown.
    pub fn empty_cache(&mut self) {
        if let Some(cache) = &mut self.front.cache {
            cache.write_all_at_once(&mut self.front.ftl);
        }
    }

    /// Returns the losses of power examined in this run.
    pub fn power_losses(&self) -> &[PowerLoss] {
        &self.power_losses
    }

    /// Returns the fabric that connects the drive's chips and controllers.
    pub fn fabric(&self) -> &F {
        self.back.paths().fabric()
    }

    /// Returns the name of the fabric.
    pub fn fabric_name(&self) -> &str {
        &self.fabric_name
    }

    /// Returns the configured faults of the fabric, and the chips that have been lost.
    pub fn losses(&self) -> &Losses {
        self.back.paths().losses()
    }

    /// Returns the recorder of the run's requests.
    pub fn recorder(&self) -> &Recorder {
        &self.front.probes.recorder
    }

    /// Returns the probes, which record the steps of the run.
    pub fn probes(&self) -> &Probes {
        &self.front.probes
    }

    /// Returns mutable access to the probes of the run.
    pub fn probes_mut(&mut self) -> &mut Probes {
        &mut self.front.probes
    }

    /// Enables the recording of the fabric's scouts and packets for traces.
    pub fn ask_for_details(&mut self) {
        self.back.paths_mut().outbox().record_details();
    }

    /// Sets the instant of the caller's next measurement, which no skip of the fabric's repetitions passes.
    pub fn limit_skips(&mut self, limit: SimTime) {
        self.skip_limit = limit;
    }

    /// Completes the slices (trace events) of the current event with information of the fabric and the host.
    pub fn complete_slices(&mut self, now: SimTime) {
        let Some(slices) = self.front.probes.slices_mut() else { return };
        let requests = &self.front.host.transport.requests;
        let trips: Vec<_> = self.back.paths_mut().outbox().take_trips().collect();
        let hops: Vec<_> = self.back.paths_mut().outbox().take_hops().collect();
        let fabric = self.back.paths().fabric();
        slices.complete(fabric, |id| requests[id].number, trips, hops, now);
    }

    /// Returns access to the measurements of the drive.
    pub const fn meters(&self) -> Meters<'_, F> {
        Meters { front: &self.front, back: &self.back, service: &self.service }
    }

    /// Issues the first requests of every flow, at the start of the run.
    fn start(&mut self, future: &mut EventQueue<DriveEvent>) {
        self.back.paths().losses().schedule(future);
        self.front.start(future);
        self.on_issued(future.now());
        self.note_service(future.now(), future);
    }

    /// Processes an event on the host side of the link, which creates no new work for the flash back end.
    #[inline]
    fn host_event(&mut self, event: DriveEvent, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let front = &mut self.front;
        match event {
            DriveEvent::Arrival(flow) => front.arrival(flow, now, future),
            DriveEvent::Issue(flow) => front.issue(flow, now, future),
            DriveEvent::Submitted(request) => front.host.leave_core(request, now, future),
            DriveEvent::SliceStart(core) => front.host.start_slice(core, now, future),
            DriveEvent::Completed(request) => front.completed(request, now, future),
            DriveEvent::Passed(request) => front.passed(request, now, future),
            DriveEvent::CompletionRoom(queue) => front.host.transport.completion_room(queue, now, future),
            DriveEvent::SchedulerWakes => front.host.scheduler_wakes(now, future),
            DriveEvent::CollectionNotice(notice) => front.host.collection_notice(notice, now, future),
            _ => debug_assert!(false, "{event:?} concerns the drive"),
        }
        self.on_issued(now);
        self.note_service(now, future);
    }

    /// Starts the measured phase of the back end if the first measured request has just been issued.
    #[inline]
    fn on_issued(&mut self, now: SimTime) {
        if self.front.begins_measuring() {
            self.back.begin_measuring(now);
            self.service.restart();
        }
    }

    /// Offers the fabric the transfers that have become possible, and sets the timers of the translation layer.
    #[inline]
    fn offer_work(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        self.back.offer_work(&mut self.front, now, future);
        if self.front.ftl.has_ended_without_die() {
            self.end_without_die(now, future);
        }
        if self.front.ftl.has_timers() {
            self.set_timers(future);
        }
        if !self.front.ftl.has_no_collection_notice() {
            self.front.send_collection_notices(now, future);
        }
        if !self.back.paths_mut().outbox().repeated.is_empty() {
            self.skip_repetition(future);
        }
    }

    /// Schedules the next events of the translation layer's timers, unless they are scheduled already.
    fn set_timers(&mut self, future: &mut EventQueue<DriveEvent>) {
        let ftl = &mut self.front.ftl;
        let timers =
            [(ftl.set_page_timer(), DriveEvent::PagesDue), (ftl.set_map_timer(), DriveEvent::MapFetched)];
        for (at, event) in timers {
            if let Some(at) = at {
                future.schedule(at, event);
            }
        }
    }

    /// Skips the periods that the fabric repeats until the next event that may change its state.
    #[cold]
    fn skip_repetition(&mut self, future: &mut EventQueue<DriveEvent>) {
        let paths = self.back.paths_mut();
        let mut repeated = std::mem::take(&mut paths.outbox().repeated);
        let is_repeated =
            |event: &DriveEvent| matches!(event, DriveEvent::Fabric(event) if repeated.contains(event));
        if let Some(next) = future.next_of(|event| !is_repeated(event)) {
            let span = paths.skip(next.min(self.skip_limit));
            if !span.is_zero() {
                future.postpone(is_repeated, span);
            }
        }
        repeated.clear();
        paths.outbox().repeated = repeated;
    }

    /// Checks if a pause has begun or ended. During a pause, no host request is outstanding.
    #[inline]
    fn note_service(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let is_paused = self.front.host.outstanding() == 0;
        if is_paused != self.service.is_paused() {
            self.on_service_change(is_paused, now, future);
        }
    }

    /// Completes the pages that need no operation of a die, and offers the transfers that become possible.
    #[cold]
    fn end_without_die(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        while self.front.ftl.has_ended_without_die() {
            self.front.end_without_die(now, future);
            self.back.offer_work(&mut self.front, now, future);
        }
    }

    /// Processes the beginning or end of a pause.
    #[cold]
    fn on_service_change(&mut self, is_paused: bool, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let busy = self.service.measures_pauses().then(|| self.meters().busy_times(now));
        self.service.change(is_paused, busy);
        if !is_paused && self.service.begin() {
            // Work before the first request would lie outside the measured window.
            self.front.ftl.resume_collection(now);
            self.front.ftl.begin_slc_cache();
            self.front.ftl.begin_block_failures();
        }
        if self.front.ftl.has_background_work() {
            self.change_background_work(is_paused, now, future);
        }
        let is_measured = !self.recorder().has_only_warm_up();
        if is_paused && is_measured && !self.front.host.flows.go_on(now) {
            let work = self.meters().work_done(now);
            self.service.note_end(work);
            self.front.ftl.rest();
        } else {
            for at in self.front.ftl.note_pause(is_paused, now).into_iter().flatten() {
                future.schedule(at, DriveEvent::IdleDue);
            }
        }
    }

    /// Starts the background work at the first request, and ends it if no more requests follow, so that the run
    /// can end.
    #[cold]
    fn change_background_work(&mut self, is_paused: bool, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let is_over = is_paused && !self.front.host.flows.go_on(now);
        if is_over {
            self.front.ftl.end_background_work();
            future.remove(|event| matches!(event, DriveEvent::RefreshDue | DriveEvent::ScrubDue));
        } else if !is_paused {
            let events = [DriveEvent::RefreshDue, DriveEvent::ScrubDue];
            for (at, event) in self.front.ftl.begin_background_work(now).into_iter().zip(events) {
                if let Some(at) = at {
                    future.schedule(at.max(now), event);
                }
            }
        }
    }
}

impl<F: Fabric> EventHandler for Device<F> {
    type Event = DriveEvent;

    fn handle(&mut self, event: DriveEvent, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let Self { front, back, .. } = self;
        match event {
            DriveEvent::Arrival(_)
            | DriveEvent::Issue(_)
            | DriveEvent::Submitted(_)
            | DriveEvent::SliceStart(_)
            | DriveEvent::Completed(_)
            | DriveEvent::Passed(_)
            | DriveEvent::CompletionRoom(_)
            | DriveEvent::SchedulerWakes
            | DriveEvent::CollectionNotice(_) => return self.host_event(event, now, future),
            DriveEvent::Announced(request) => return front.host.transport.announced(request, now, future),
            DriveEvent::EntryDue(request)
            | DriveEvent::Fetched(request)
            | DriveEvent::DataDue(request)
            | DriveEvent::DataFetched(request) => {
                // Only a complete command creates new work for the flash back end.
                if !is_whole(&mut front.host.transport, event, now, future) {
                    return;
                }
                front.begin(request, now, future);
            }
            DriveEvent::Fabric(event) => back.fabric_event(event, front, now, future),
            DriveEvent::Faults => back.faults_due(&mut front.ftl, now),
            DriveEvent::CameToNothing(die) => back.came_to_nothing(die, front, now, future),
            DriveEvent::ArrayDone(die) => {
                back.array_done(die, front, now, future);
                front.resume_scrub(now, future);
            }
            DriveEvent::CacheServed(request) => front.cache_event(CacheEvent::Served(request), now, future),
            DriveEvent::CacheReadOut(lane) => front.cache_event(CacheEvent::ReadOut(lane), now, future),
            DriveEvent::Processed(request) => front.processed(request, now, future),
            DriveEvent::Decoded(page) => front.decoded(page, now, future),
            DriveEvent::Matched(chip) => back.page_matched(chip, front, now, future),
            DriveEvent::Searched(page) => front.searched(page, now, future),
            DriveEvent::TrimDue(request) => front.trim_due(request, now, future),
            DriveEvent::MapFetched => front.ftl.map_fetched(now),
            DriveEvent::PagesDue => front.ftl.queue_due_pages(now),
            DriveEvent::IdleDue => front.ftl.work_when_idle(now),
            DriveEvent::RefreshDue | DriveEvent::ScrubDue => front.background_work_due(event, now, future),
            DriveEvent::PowerLoss => return self.power_losses.push(front.lose_power(now)),
        }
        self.offer_work(now, future);
    }
}

/// Processes the arrival of a message (a part of a command, or a write's data). Returns true if the whole
/// command is then in the drive.
fn is_whole(
    transport: &mut Transport,
    event: DriveEvent,
    now: SimTime,
    future: &mut EventQueue<DriveEvent>,
) -> bool {
    match event {
        DriveEvent::EntryDue(request) => transport.entry_due(request, now, future),
        DriveEvent::Fetched(request) => transport.fetched(request, now, future),
        DriveEvent::DataDue(request) => transport.data_due(request, now, future),
        DriveEvent::DataFetched(request) => {
            transport.data_fetched(request, now);
            true
        }
        _ => {
            debug_assert!(false, "{event:?} brings nothing of a command");
            false
        }
    }
}
