//! The front end: host, data cache and translation layer, put together.
//!
//! # How
//! A request that has come goes to the cache, if there is one, which passes on to the translation layer what it does not have. A page that
//! is done goes back the same way. Who looks at the run is told on the way.
//!
//! # What it knows
//! Requests and pages. Nothing of chips and paths: these ask for work by way of [`Above`].

use venice_kernel::{EventQueue, SimTime};
use venice_requests::{HostRequest, Op};

use crate::accounting::{Stage, StageClock};
use crate::cache::{Cache, CacheCounters, CacheEvent};
use crate::controller::Above;
use crate::ftl::{FORESEEN, Finished, Ftl, FtlCounters, HostCommand, Initiator, resume_collection};
use crate::geometry::{ChipId, RequestId, TransactionId};
use crate::host::{FlowId, Following, HostInterface, PageResult};
use crate::observe::{Completion, Decision, DriveCounts, PageEnd, Probe, Probes};

use crate::work::Origin;

use super::Event;

/// What had been counted when the measured phase began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) ftl: FtlCounters,
    pub(super) cache: CacheCounters,
    pub(super) link_bytes: u64,
}

/// Host, cache and translation layer, and who looks at the run.
pub(super) struct FrontEnd {
    pub(super) host: HostInterface,
    pub(super) cache: Option<Cache>,
    pub(super) ftl: Ftl,
    pub(super) probes: Probes,
    pub(super) before: Before,
    /// Whether the measured phase has begun and nobody has taken notice.
    begins_measuring: bool,
    /// Free blocks at the start of the run, less those that the drive had gained before.
    free_blocks: i64,
}

impl FrontEnd {
    /// A host that has issued nothing yet.
    pub(super) fn new(host: HostInterface, cache: Option<Cache>, ftl: Ftl, probes: Probes) -> Self {
        Self { host, cache, ftl, probes, before: Before::default(), begins_measuring: false, free_blocks: 0 }
    }

    /// Whether the measured phase has begun since this was asked last.
    #[inline]
    pub(super) const fn begins_measuring(&mut self) -> bool {
        self.begins_measuring && std::mem::replace(&mut self.begins_measuring, false)
    }

    /// Issues the first requests of every flow.
    pub(super) fn start(&mut self, future: &mut EventQueue<Event>) {
        let now = future.now();
        let blocks = self.ftl.space().blocks();
        self.free_blocks = blocks.planes.free_blocks().cast_signed() - blocks.gained;
        // A run without requests only saves the drive as it was prepared.
        if self.host.flows.total() != Some(0) {
            resume_collection(&mut self.ftl, now);
        }
        for flow in self.host.flows.ids() {
            for _ in 0..self.host.flows.start(flow, now, future) {
                self.issue(flow, now, future);
            }
        }
    }

    /// An open loop's next request is due.
    pub(super) fn arrival(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(request) = self.host.flows.arrival(flow, now) {
            self.submit(flow, request, now, future);
            self.host.flows.schedule_arrival(flow, now, future);
        }
    }

    /// Issues the next request of a flow, if it has one.
    pub(super) fn issue(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<Event>) {
        if let Some(request) = self.host.flows.next_request(flow, now) {
            self.submit(flow, request, now, future);
        }
    }

    fn submit(&mut self, flow: FlowId, request: HostRequest, now: SimTime, future: &mut EventQueue<Event>) {
        if !self.host.has_near::<FORESEEN>(flow) {
            self.foresee(flow);
        }
        if self.probes.recorder.ends_warm_up(self.host.submitted(), now) {
            self.begin_measuring(now);
        }
        self.probes.on_issue(now);
        self.host.submit(flow, request, now, future);
    }

    /// What is known of the pages of coming requests is fetched. Apart: a request in a hundred asks for it, and it takes a page of the stack.
    fn foresee(&mut self, flow: FlowId) {
        if let Some(near) = self.host.come_near::<FORESEEN>(flow) {
            let lpns = self.ftl.foresee(near.into_iter());
            if let Some(cache) = &self.cache {
                cache.foresee(&lpns);
            }
        }
    }

    /// The first request that is measured is about to be issued.
    ///
    /// A request belongs to the phase in which the host issues it. The measured phase begins at the instant at
    /// which the first request is issued that is no longer warm-up, and ends with the completion of the last such
    /// request. What is counted from that instant on belongs to it, whichever request it is for: requests in
    /// flight then finish their work in the measured phase, as any drive in steady state has others' work in hand,
    /// but their latencies are in neither phase's figures. An operation counts with its command; times at work are cut at
    /// both ends of the phase.
    #[cold]
    fn begin_measuring(&mut self, now: SimTime) {
        self.probes.on_measuring(self.host.submitted(), now);
        self.host.begin_measuring(now);
        self.ftl.queues.measured.restart(now);
        self.before = Before {
            ftl: *self.ftl.counters(),
            cache: self.cache.as_ref().map(|cache| *cache.counters()).unwrap_or_default(),
            link_bytes: self.host.transport.link_bytes(now),
        };
        self.begins_measuring = true;
    }

    /// A command is in the drive, with all that it needs, and is handed on.
    pub(super) fn begin(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        let request = &self.host.transport.requests[id];
        let HostRequest { op, queue, start_sector, sectors, .. } = request.host;
        let initiator = Initiator { id, priority: self.host.priority(request) };
        let command = &HostCommand { initiator, queue, start_sector, sectors };
        let ftl = &mut self.ftl;
        let parts = match (&mut self.cache, op) {
            // Chips combine what flash holds: what only the cache has is not asked for.
            (_, Op::Gather) => ftl.accept_gather(command, now),
            (None, Op::Read) => ftl.accept_read(command, now),
            (None, Op::Write) => ftl.accept_write(command, now),
            (Some(cache), Op::Read) => cache.accept_read(command, ftl, now),
            (Some(cache), Op::Write) => {
                self.probes.on_cache_write(id, now);
                cache.accept_write(command, ftl, now)
            }
        };
        self.schedule_cache(now, future);
        self.host.transport.set_outstanding(id, parts, now, future);
    }

    fn page_finished(
        &mut self,
        transaction: TransactionId,
        page: &Finished,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        if self.cache.is_some() {
            if let Origin::Cache(_) = page.origin {
                let write = self.ftl.transactions.get(transaction);
                self.probes.on_destage(&write.clock, write.sectors.count_ones(), now);
            }
            self.tell_cache(page, now, future);
        }
        if let Origin::Request(id) = page.origin {
            let clock = &self.ftl.transactions.get(transaction).clock;
            let request = &self.host.transport.requests[id];
            let is_measured = self.probes.recorder.is_measured(request.number);
            self.probes.on_page(&PageEnd { id, request, clock, is_measured }, now);
            let &Finished { conflicted, has_failed, .. } = page;
            let result = PageResult { clock, conflicted, has_failed };
            self.host.transport.page_finished(id, &result, now, future);
        }
        self.ftl.transactions.forget(transaction);
    }

    fn tell_cache(&mut self, page: &Finished, now: SimTime, future: &mut EventQueue<Event>) {
        let Some(cache) = &mut self.cache else { return };
        match page.origin {
            Origin::Cache(destage) => cache.destage_ended(destage, &mut self.ftl, now),
            Origin::Request(id) => {
                let HostRequest { op, queue, .. } = self.host.transport.requests[id].host;
                match op {
                    Op::Read => cache.read_finished(page, queue, &mut self.ftl, now),
                    Op::Write => cache.written_past(page.lpn),
                    Op::Gather => {}
                }
            }
        }
        self.schedule_cache(now, future);
    }

    /// The cache's memory has done something.
    pub(super) fn cache_event(&mut self, event: CacheEvent, now: SimTime, future: &mut EventQueue<Event>) {
        match event {
            CacheEvent::Served(id) => {
                let mut clock = StageClock::start(self.host.transport.requests[id].clock.mark);
                clock.charge(Stage::Cache, now);
                self.probes.on_cache_service(id, now);
                let result = PageResult { clock: &clock, conflicted: false, has_failed: false };
                self.host.transport.page_finished(id, &result, now, future);
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
    fn schedule_cache(&mut self, now: SimTime, future: &mut EventQueue<Event>) {
        let Some(cache) = &mut self.cache else { return };
        for (at, event) in cache.scheduled() {
            let event = match event {
                CacheEvent::Served(id) => {
                    let request = &self.host.transport.requests[id];
                    if request.host.op == Op::Write {
                        self.probes.on_cache_access(id, now.since(request.clock.mark), now);
                    }
                    Event::CacheServed(id)
                }
                CacheEvent::ReadOut(lane) => Event::CacheReadOut(lane),
            };
            future.schedule(at, event);
        }
    }

    /// The host has the answer to a command.
    pub(super) fn completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.host.complete(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    /// The host's adapter has passed a request or a completion on.
    pub(super) fn passed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        if self.host.passed(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    /// Takes the drive's counts for the rounds of the measured phase.
    #[cold]
    fn mark_round(&mut self) {
        let counters = *self.ftl.counters() - self.before.ftl;
        self.probes.rounds.mark(DriveCounts {
            programs: counters.programs,
            host_programs: counters.host_programs,
            gc_moves: counters.gc_moves,
            free_blocks: self.free_blocks().unsigned_abs(),
        });
    }

    /// Returns the number of free blocks of all planes.
    pub(super) fn free_blocks(&self) -> i64 {
        self.free_blocks + self.ftl.space().blocks().gained
    }

    /// Ends the flows, or begins the measured phase anew, if the run's criterion says so.
    fn look_for_the_end(&mut self, id: RequestId, now: SimTime) {
        let request = &self.host.transport.requests[id];
        let (latency, device_latency) = request.latencies(now);
        let is_measured = self.probes.recorder.is_measured(request.number);
        let completion = Completion { request, latency, device_latency, is_measured, behind: None };
        let left = self.host.flows.total().map(|total| total.saturating_sub(self.host.submitted()));
        let Probes { rounds, until: Some(until), .. } = &mut self.probes else { return };
        match until.completed(&completion, rounds, left, now) {
            Decision::GoOn => {}
            Decision::MeasureAnew => self.probes.recorder.measure_anew(now),
            Decision::Stop => {
                rounds.close();
                self.host.flows.end_all(now);
            }
        }
    }

    /// A request is complete: it is recorded and forgotten, and its flow goes on.
    fn on_completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<Event>) {
        let request = &self.host.transport.requests[id];
        let (latency, device_latency) = request.latencies(now);
        let (flow, is_measured) = (request.flow, self.probes.recorder.is_measured(request.number));
        let behind = self.probes.take_behind(id);
        let behind = behind.as_ref();
        self.probes.on_completion(&Completion { request, latency, device_latency, is_measured, behind }, now);
        if self.probes.rounds.is_due() {
            self.mark_round();
        }
        if self.probes.until.is_some() {
            self.look_for_the_end(id, now);
        }
        self.host.transport.requests.forget(id);
        match self.host.flows.completed(flow, now, future) {
            Following::Nothing => {}
            Following::Issue => self.issue(flow, now, future),
            Following::Arrival => self.arrival(flow, now, future),
        }
    }
}

impl Above for FrontEnd {
    type Orders = Ftl;
    type Agenda = EventQueue<Event>;

    #[inline]
    fn orders(&self) -> &Ftl {
        &self.ftl
    }

    #[inline]
    fn orders_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }

    #[inline]
    fn observed(&mut self) -> (&mut Probes, &Ftl) {
        (&mut self.probes, &self.ftl)
    }

    fn finish(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        future: &mut EventQueue<Event>,
    ) {
        self.probes.on_transaction_end(id, &self.ftl, now);
        let Some(page) = self.ftl.finish(id, now) else { return };
        if let (Some(chip), Origin::Request(_)) = (read_on, page.origin) {
            self.probes.on_flash_read(chip, self.ftl.transactions.get(id).clock.total(), now);
        }
        self.page_finished(id, &page, now, future);
    }

    fn answer_failed_writes(&mut self, now: SimTime, future: &mut EventQueue<Event>) -> bool {
        let mut some = false;
        while let Some(id) = self.ftl.next_failed_write() {
            some = true;
            self.probes.on_transaction_end(id, &self.ftl, now);
            if let Some(page) = self.ftl.give_up_write(id, now) {
                self.page_finished(id, &page, now, future);
            }
        }
        some
    }
}
