//! Front end of the drive: host interface, data cache and flash translation layer (FTL).
//!
//! # How
//!
//! A request that has arrived in the drive is passed to the cache, if there is one. The cache forwards pages
//! that it does not hold to the FTL. Completed pages take the reverse path. Probes are notified of each step.
//! The front end has no access to the flash back end, which requests commands through [`UpperLayer`].

use venice_host::{CollectionNotice, FlowId, FlowReaction, HostInterface, PageResult, Transport};
use venice_kernel::{EventQueue, SimTime};
use venice_nand::geometry::{ChipId, Lpn, RequestId, TransactionId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::transactions::Origin;
use venice_requests::{HostRequest, Op, SectorRange};

use crate::cache::{Cache, CacheCounters, CacheEvent};
use crate::controller::{
    CommandSize, CommandSource, CoreCounters, Cores, DecoderCounters, Decoders, UpperLayer,
};
use crate::ftl::{
    FORESEEN, FinishedPage, Ftl, FtlCounters, HostCommand, Initiator, ReadErrorCounters, SearchCounters,
};
use crate::observe::{Completion, DriveCounts, PageCompletion, Probe, Probes, StopDecision, StopGoal};

use super::DriveEvent;
use super::searching::Searchers;

/// Counters at the start of the measured phase, to be subtracted from later values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountersAtStart {
    pub(super) ftl: FtlCounters,
    pub(super) cache: CacheCounters,
    pub(super) cores: CoreCounters,
    pub(super) decoders: DecoderCounters,
    pub(super) read_errors: ReadErrorCounters,
    pub(super) searches: SearchCounters,
    pub(super) link_bytes: u64,
}

/// Front end of the drive: host interface, cache, FTL and probes.
pub(super) struct FrontEnd {
    pub(super) host: HostInterface,
    pub(super) cores: Option<Cores>,
    pub(super) decoders: Option<Decoders>,
    pub(super) cache: Option<Cache>,
    pub(super) ftl: Ftl,
    pub(super) searchers: Searchers,
    pub(super) probes: Probes,
    pub(super) before: CountersAtStart,
    /// True if the measured phase has begun and the back end has not been notified yet.
    begins_measuring: bool,
    /// Number of free blocks at the start of the run, minus the net number of blocks freed before. The sum
    /// with the net number of blocks freed so far is the current number of free blocks.
    free_blocks: i64,
}

impl FrontEnd {
    /// Creates the front end before the first request.
    pub(super) fn new(
        host: HostInterface,
        cores: Option<Cores>,
        decoders: Option<Decoders>,
        cache: Option<Cache>,
        mut ftl: Ftl,
        probes: Probes,
    ) -> Self {
        if host.wants_collection_notices() {
            ftl.record_collection_notices();
        }
        Self {
            host,
            cores,
            decoders,
            cache,
            searchers: Searchers::new(ftl.search_settings()),
            ftl,
            probes,
            before: CountersAtStart::default(),
            begins_measuring: false,
            free_blocks: 0,
        }
    }

    /// Returns true if the measured phase has begun since the last call.
    #[inline]
    pub(super) const fn begins_measuring(&mut self) -> bool {
        self.begins_measuring && std::mem::replace(&mut self.begins_measuring, false)
    }

    /// Issues the first requests of every flow, at the start of the run.
    pub(super) fn start(&mut self, future: &mut EventQueue<DriveEvent>) {
        let now = future.now();
        let blocks = self.ftl.space().blocks();
        self.free_blocks = blocks.planes.free_blocks().cast_signed() - blocks.gained;
        for flow in self.host.flows.ids() {
            for _ in 0..self.host.flows.start(flow, now, future) {
                self.issue(flow, now, future);
            }
        }
    }

    /// Issues the request of an open-loop flow whose arrival time has come.
    pub(super) fn arrival(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if let Some(request) = self.host.flows.arrival(flow, now) {
            self.submit(flow, request, now, future);
            self.host.flows.schedule_arrival(flow, now, future);
        }
    }

    /// Issues the next request of a flow, if there is one.
    pub(super) fn issue(&mut self, flow: FlowId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if let Some(request) = self.host.flows.next_request(flow, now, future) {
            self.submit(flow, request, now, future);
        }
    }

    fn submit(
        &mut self,
        flow: FlowId,
        request: HostRequest,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        if !self.host.has_near::<FORESEEN>(flow) {
            self.foresee(flow);
        }
        if self.probes.recorder.ends_warm_up(self.host.submitted(), now) {
            self.begin_measuring(now);
        }
        self.probes.on_issue(now);
        self.host.submit(flow, request, now, future);
    }

    /// Prefetches the mapping entries of a flow's next requests. Not inlined, because the call is rare (about
    /// once in 100 requests) and uses 4 KiB of stack.
    fn foresee(&mut self, flow: FlowId) {
        if let Some(near) = self.host.prefetch_next::<FORESEEN>(flow) {
            let lpns = self.ftl.foresee(near.into_iter());
            if let Some(cache) = &self.cache {
                cache.foresee(&lpns);
            }
        }
    }

    /// Begins the measured phase, before the first measured request is issued.
    ///
    /// A request belongs to the phase in which it is issued. The measured phase begins when the first request
    /// after the warm-up is issued, and ends with the completion of the last such request. Counters include
    /// all events in that period, also those of warm-up requests that are still in flight. The latencies of
    /// warm-up requests are not reported. An operation is counted when its command is sent; busy times are
    /// clipped at both ends of the phase.
    #[cold]
    fn begin_measuring(&mut self, now: SimTime) {
        self.probes.on_measuring(self.host.submitted(), now);
        self.host.begin_measuring(now);
        self.ftl.queues_mut().measured.restart(now);
        self.before = CountersAtStart {
            ftl: *self.ftl.stats().counters(),
            cache: self.cache.as_ref().map(|cache| *cache.counters()).unwrap_or_default(),
            cores: self.cores.as_ref().map(|cores| cores.counters(now)).unwrap_or_default(),
            decoders: self.decoders.as_ref().map(|decoders| decoders.counters(now)).unwrap_or_default(),
            read_errors: self.ftl.read_errors().map(|errors| *errors.counters()).unwrap_or_default(),
            searches: *self.ftl.search_counters(),
            link_bytes: self.host.transport.link_bytes(now),
        };
        self.begins_measuring = true;
    }

    /// Schedules messages to the host about the chips that have begun or ended garbage collection.
    #[cold]
    pub(super) fn send_collection_notices(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        while let Some((chip, collects)) = self.ftl.next_collection_notice() {
            self.host.transport.send_collection_notice(CollectionNotice::new(chip, collects), now, future);
        }
    }

    /// Starts the service of a command that has completely arrived in the drive. If the controller has
    /// processor cores, the command passes them first.
    #[inline]
    pub(super) fn begin(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if self.cores.is_some() {
            self.process(id, now, future);
        } else {
            self.dispatch(id, now, future);
        }
    }

    /// Passes a command to the controller's cores, and schedules its departure from them.
    #[cold]
    fn process(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let request = &self.host.transport.requests[id];
        let (op, sectors, units) = (request.host.op, request.sectors(), self.units_of(id));
        let is_read_ahead = op == Op::Read && self.is_read_ahead(id);
        if let Some(cores) = &mut self.cores {
            let at = cores.accept(CommandSize { op, sectors, units, is_read_ahead }, now);
            future.schedule(at, DriveEvent::Processed(id));
        }
    }

    /// Returns true if read-ahead has read or requested all data of a host read.
    fn is_read_ahead(&self, id: RequestId) -> bool {
        let HostRequest { start_sector, sectors, .. } = self.host.transport.requests[id].host;
        let end = start_sector + u64::from(sectors);
        self.cache.as_ref().is_some_and(|cache| cache.has_read_ahead(start_sector, end, &self.ftl))
    }

    /// Returns the number of mapping units that a command covers, at least in part. For a trim with several
    /// ranges, a unit counts once for each range that covers it.
    fn units_of(&self, id: RequestId) -> u64 {
        let Transport { requests, ranges, .. } = &self.host.transport;
        ranges.all(&requests[id]).map(|range| self.ftl.units_of(range.all())).sum()
    }

    /// Processes the departure of a command from the controller's cores.
    #[cold]
    pub(super) fn processed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        self.host.transport.requests[id].clock.charge(Stage::Firmware, now);
        self.dispatch(id, now, future);
    }

    /// Passes a command to the data cache, or to the FTL if there is no cache.
    fn dispatch(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let request = &self.host.transport.requests[id];
        let HostRequest { op, queue, start_sector, sectors, pattern_set, .. } = request.host;
        if op.changes_data() && self.ftl.is_read_only() {
            self.refuse_steady_state(now);
            return self.host.transport.refuse(id, now, future);
        }
        let initiator = Initiator { id, priority: self.host.priority(request), sectors };
        let command = &HostCommand { initiator, queue, start_sector, sectors };
        let trim = &self.ftl.settings.trim;
        if op == Op::Trim || (op == Op::DeallocateZeroes && trim.zeroes_deallocate) {
            return future.schedule(now + trim.time(self.units_of(id)), DriveEvent::TrimDue(id));
        }
        if op == Op::Read && trim.dulbe && self.lacks_data(command) {
            return self.host.transport.refuse(id, now, future);
        }
        let ftl = &mut self.ftl;
        let parts = match (&mut self.cache, op) {
            // Gathers and searches process data in flash chips. Data that only the cache holds is not included.
            (_, Op::Gather) => ftl.accept_gather(command, now),
            (_, Op::Search) => ftl.accept_search(command, pattern_set, now),
            (None, Op::Read) => ftl.accept_read(command, now),
            // Without a cache, all completed writes are on flash.
            (None, Op::Flush) => 0,
            (None, _) => ftl.accept_write(command, now),
            (Some(cache), Op::Read) => cache.accept_read(command, ftl, now),
            (Some(cache), Op::Flush) => {
                self.probes.on_cache_write(id, now);
                cache.accept_flush(id, ftl, now)
            }
            (Some(cache), _) => {
                self.probes.on_cache_write(id, now);
                cache.accept_write(command, op == Op::FuaWrite, ftl, now)
            }
        };
        self.set_outstanding(id, parts, now, future);
    }

    /// Ends a run that should reach steady state (`--until steady`), because the drive has become read-only
    /// and its writes can never reach it.
    #[cold]
    fn refuse_steady_state(&mut self, now: SimTime) {
        if self.probes.until.as_ref().is_some_and(|until| until.goal() == StopGoal::Steady) {
            self.host.flows.end_all(now);
        }
    }

    /// Returns true if a read covers a sector without data, so that the drive refuses it.
    #[cold]
    fn lacks_data(&mut self, command: &HostCommand) -> bool {
        let range = command.range();
        let pieces = || self.ftl.translation().page_pieces(range.start, range.end);
        let held = |lpn| self.cache.as_ref().map_or(0, |cache| cache.held_sectors(lpn));
        let is_lacking = |(lpn, sectors): (Lpn, u64)| self.ftl.lacks_data(lpn, sectors & !held(lpn));
        let lacks_data = pieces().any(is_lacking);
        if lacks_data {
            self.ftl.note_refused_read(range);
        }
        lacks_data
    }

    /// Sets the number of parts (pages or cache accesses) that must end before a request is complete. Some of
    /// the parts may already have ended.
    #[inline]
    fn set_outstanding(
        &mut self,
        id: RequestId,
        parts: u32,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        self.schedule_cache(now, future);
        self.host.transport.set_outstanding(id, parts, now, future);
        if parts == 0 {
            self.check_durability(id);
        }
    }

    /// Checks that the data of a flush, or of a write with forced unit access, is on flash when the drive
    /// completes it.
    #[cold]
    fn check_durability(&mut self, id: RequestId) {
        let request = &self.host.transport.requests[id];
        let is_durable = matches!(request.host.op, Op::Flush | Op::FuaWrite);
        if let (true, Some(audit)) = (is_durable && request.is_answered(), self.ftl.audit_mut()) {
            audit.durable_request_ends(id);
        }
    }

    /// Executes the background work for which `event` was planned, and plans the next one.
    #[cold]
    pub(super) fn background_work_due(
        &mut self,
        event: DriveEvent,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        let next = match event {
            DriveEvent::ScrubDue => self.ftl.scrub_due(now),
            _ => self.ftl.refresh_due(now),
        };
        if let Some(at) = next {
            future.schedule(at, event);
        }
    }

    /// Continues scrub after an array operation, if scrub was suspended and a page may have become readable.
    #[inline]
    pub(super) fn resume_scrub(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if let Some(at) = self.ftl.resume_scrub(now) {
            future.schedule(at, DriveEvent::ScrubDue);
        }
    }

    /// Deallocates the mapping units of a trim or of a write-zeroes command.
    #[cold]
    pub(super) fn trim_due(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let request = &mut self.host.transport.requests[id];
        request.clock.charge(Stage::Mapping, now);
        let request = &self.host.transport.requests[id];
        let HostRequest { op, queue, sectors, .. } = request.host;
        let initiator = Initiator { id, priority: self.host.priority(request), sectors };
        let mut parts = 0;
        for SectorRange { start_sector, sectors } in self.host.transport.ranges.all(request) {
            let command = &HostCommand { initiator, queue, start_sector, sectors };
            parts += match (&mut self.cache, op) {
                (None, Op::Trim) => self.ftl.accept_trim(command, now),
                (None, _) => self.ftl.accept_zeroes(command, now),
                (Some(cache), Op::Trim) => cache.accept_trim(command, &mut self.ftl, now),
                (Some(cache), _) => cache.accept_zeroes(command, &mut self.ftl, now),
            };
        }
        self.set_outstanding(id, parts, now, future);
    }

    /// Completes the pages of host requests that need no operation of a die.
    #[cold]
    pub(super) fn end_without_die(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        while let Some((id, page)) = self.ftl.next_without_die(now) {
            self.probes.on_transaction_end(id, &self.ftl, now);
            self.page_finished(id, None, &page, now, future);
        }
    }

    /// Ends a page of the host or the cache. `read_on` is the chip from which the page was read, if any.
    fn page_finished(
        &mut self,
        transaction: TransactionId,
        read_on: Option<ChipId>,
        page: &FinishedPage,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        if self.cache.is_some() {
            if let Origin::Cache(_) = page.origin {
                let write = self.ftl.transactions().get(transaction);
                let sectors = write.sectors.count_ones() * self.ftl.translation().sectors_per_bit();
                self.probes.on_destage(&write.clock, sectors, now);
            }
            self.tell_cache(page, now, future);
        }
        if let Origin::Request(id) = page.origin {
            let clock = &self.ftl.transactions().get(transaction).clock;
            if let Some(chip) = read_on {
                self.probes.on_flash_read(chip, clock.total(), now);
            }
            let request = &self.host.transport.requests[id];
            let is_measured = self.probes.recorder.is_measured(request.number);
            self.probes.on_page(&PageCompletion { id, request, clock, is_measured }, now);
            let &FinishedPage { conflicted, has_failed, .. } = page;
            let result = PageResult { clock, conflicted, has_failed };
            self.host.transport.page_finished(id, &result, now, future);
        }
        if page.has_failed {
            self.page_failed(page);
        }
        self.ftl.transactions_mut().forget(transaction);
    }

    fn tell_cache(&mut self, page: &FinishedPage, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let Some(cache) = &mut self.cache else { return };
        match page.origin {
            Origin::Cache(destage) => cache.destage_ended(destage, &mut self.ftl, now),
            Origin::ReadAhead(queue) => cache.read_ahead_finished(page, queue, &mut self.ftl, now),
            Origin::Request(id) => {
                let HostRequest { op, queue, .. } = self.host.transport.requests[id].host;
                match op {
                    Op::Read => cache.read_finished(page, queue, &mut self.ftl, now),
                    Op::Gather | Op::Search => {}
                    _ => cache.written_past(page.lpn),
                }
            }
        }
        self.schedule_cache(now, future);
    }

    /// Processes the end of an access to the cache's DRAM.
    pub(super) fn cache_event(
        &mut self,
        event: CacheEvent,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        match event {
            CacheEvent::Served(id) => {
                let mut clock = StageClock::start(self.host.transport.requests[id].clock.mark);
                clock.charge(Stage::Cache, now);
                self.probes.on_cache_service(id, now);
                let result = PageResult { clock: &clock, conflicted: false, has_failed: false };
                self.host.transport.page_finished(id, &result, now, future);
                if matches!(self.host.transport.requests[id].host.op, Op::Flush | Op::FuaWrite) {
                    self.check_durability(id);
                }
            }
            CacheEvent::ReadOut(lane) => {
                if let Some(cache) = &mut self.cache {
                    cache.read_out(lane, &mut self.ftl, now);
                }
            }
        }
    }

    /// Schedules the events at which accesses to the cache's DRAM end.
    #[inline]
    fn schedule_cache(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let Some(cache) = &mut self.cache else { return };
        for (at, event) in cache.scheduled() {
            let event = match event {
                CacheEvent::Served(id) => {
                    let request = &self.host.transport.requests[id];
                    if request.host.op.side() == Op::Write && request.host.op != Op::Trim {
                        self.probes.on_cache_access(id, now.since(request.clock.mark), now);
                    }
                    DriveEvent::CacheServed(id)
                }
                CacheEvent::ReadOut(lane) => DriveEvent::CacheReadOut(lane),
            };
            future.schedule(at, event);
        }
    }

    /// Processes a completion that has reached the host.
    pub(super) fn completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if self.host.complete(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    /// Processes the departure of a request or completion from the host adapter.
    pub(super) fn passed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        if self.host.passed(id, now, future) {
            self.on_completed(id, now, future);
        }
    }

    /// Records the drive's counters at the end of a measurement round, for the steady-state check.
    #[cold]
    fn mark_round(&mut self) {
        let counters = *self.ftl.stats().counters() - self.before.ftl;
        let buffer = self.cache.as_ref();
        self.probes.rounds.mark(DriveCounts {
            programs: counters.programs,
            host_programs: counters.host_programs,
            gc_moves: counters.gc_moves,
            erases: counters.erases,
            free_blocks: self.free_blocks().unsigned_abs(),
            buffer_writes: buffer.map_or(0, |cache| cache.counters().writes),
            buffered_units: buffer.map_or(0, Cache::volatile_pages),
        });
    }

    /// Returns the number of free blocks of all planes.
    pub(super) fn free_blocks(&self) -> i64 {
        self.free_blocks + self.ftl.space().blocks().gained
    }

    /// Checks the run's stop criterion after a completion. If the criterion decides so, ends the flows or
    /// restarts the measured phase.
    fn look_for_the_end(&mut self, id: RequestId, now: SimTime) {
        let request = &self.host.transport.requests[id];
        let (latency, device_latency) = request.latencies(now);
        let is_measured = self.probes.recorder.is_measured(request.number);
        let further_ranges = self.host.transport.ranges.further(request);
        let completion =
            Completion { request, further_ranges, latency, device_latency, is_measured, behind: None };
        let left = self.host.flows.total().map(|total| total.saturating_sub(self.host.submitted()));
        let Probes { rounds, until: Some(until), .. } = &mut self.probes else { return };
        match until.completed(&completion, rounds, left, now) {
            StopDecision::GoOn => {}
            StopDecision::MeasureAnew => self.probes.recorder.measure_anew(now),
            StopDecision::Stop => {
                rounds.close();
                self.host.flows.end_all(now);
            }
        }
    }

    /// Completes a request in the host: records it, releases its slot, and continues its flow.
    fn on_completed(&mut self, id: RequestId, now: SimTime, future: &mut EventQueue<DriveEvent>) {
        let request = &self.host.transport.requests[id];
        let (latency, device_latency) = request.latencies(now);
        let (flow, is_measured) = (request.flow, self.probes.recorder.is_measured(request.number));
        let behind = self.probes.take_caused_wait(id);
        let behind = behind.as_ref();
        let further_ranges = self.host.transport.ranges.further(request);
        let completion = Completion { request, further_ranges, latency, device_latency, is_measured, behind };
        self.probes.on_completion(&completion, now);
        if self.probes.rounds.is_due() {
            self.mark_round();
        }
        if self.probes.until.is_some() {
            self.look_for_the_end(id, now);
        }
        self.host.transport.forget(id);
        match self.host.flows.completed(flow, now, future) {
            FlowReaction::Nothing => {}
            FlowReaction::Issue => self.issue(flow, now, future),
            FlowReaction::Arrival => self.arrival(flow, now, future),
        }
    }
}

impl UpperLayer for FrontEnd {
    type CommandSource = Ftl;
    type EventSink = EventQueue<DriveEvent>;

    #[inline]
    fn command_source(&self) -> &Ftl {
        &self.ftl
    }

    #[inline]
    fn command_source_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }

    #[inline]
    fn observed(&mut self) -> (&mut Probes, &Ftl) {
        (&mut self.probes, &self.ftl)
    }

    #[inline]
    fn page_arrived(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        match read_on {
            Some(chip) if self.decoders.is_some() => self.decode(id, chip, now, future),
            _ => self.finish(id, read_on, now, future),
        }
    }

    fn finish(
        &mut self,
        id: TransactionId,
        read_on: Option<ChipId>,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        self.probes.on_transaction_end(id, &self.ftl, now);
        if let Some(page) = &self.ftl.finish(id, now) {
            self.page_finished(id, read_on, page, now, future);
        }
    }

    fn search_result_arrived(
        &mut self,
        id: TransactionId,
        now: SimTime,
        future: &mut EventQueue<DriveEvent>,
    ) {
        self.search_result(id, now, future);
    }

    fn answer_failed_writes(&mut self, now: SimTime, future: &mut EventQueue<DriveEvent>) -> bool {
        let mut some = false;
        while let Some(id) = self.ftl.next_failed_write() {
            some = true;
            self.probes.on_transaction_end(id, &self.ftl, now);
            if let Some(page) = self.ftl.give_up_write(id, now) {
                self.page_finished(id, None, &page, now, future);
            }
        }
        some
    }
}
