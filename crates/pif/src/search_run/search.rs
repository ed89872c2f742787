//! Event-driven simulation of a search.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use thiserror::Error;
use venice_fabric::{Direction, DomainId, Fabric, FabricEvent, Offer, Outbox, Transfer};
use venice_kernel::{Engine, EngineError, EventHandler, EventQueue, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

use super::chip::{Chip, JobKind, Message, PageJob, PageNumber};
use super::limits::LimitError;
use super::{PifSettings, SearchCounters, SearchEnergy, SearchLocation, SearchPage, SearchPhase};

/// Maximum number of events at one instant; a run that exceeds it is aborted as a livelock. The largest valid
/// number is about one per chip.
const INSTANT_LIMIT: u64 = 10_000_000;

/// Busy times of the drive's components in a search. The components work in parallel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeParts {
    /// Sensing time per chip, averaged over the chips.
    pub flash: SimSpan,
    /// Busy time of the busiest path.
    pub transfer: SimSpan,
    /// Busy time per accelerator of the controller, averaged over the accelerators.
    pub accelerators: SimSpan,
}

/// Duration, counters and energy of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTiming {
    /// Time from the first command to the last result.
    pub time: SimSpan,
    /// Busy times of the drive's components.
    pub parts: TimeParts,
    /// Counters of the search.
    pub counters: SearchCounters,
    /// Energy of the search.
    pub energy: SearchEnergy,
}

/// Error of a timed search.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchRunError {
    /// The design exceeds a limit or a restriction of the model.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The files need more pages than the drive has.
    #[error(
        "the files need {pages} pages, but the drive has {has}; expected: fewer files, or a drive with more chips or blocks"
    )]
    Capacity {
        /// Number of pages that the files need.
        pages: u64,
        /// Number of pages of the drive.
        has: u64,
    },
    /// The event loop aborted the run.
    #[error("{0}; this is a bug in the simulator: please report it with the configuration")]
    Engine(#[from] EngineError),
    /// The search cannot continue: some pages are not done, but no event is pending. This is a bug in the
    /// simulator.
    #[error(
        "deadlock of the search at {at}; this is a bug in the simulator: please report it with the configuration"
    )]
    Stuck {
        /// Time of the last event.
        at: SimTime,
    },
}

/// Simulates a search of all phases at the location `place`.
///
/// # Errors
/// Returns a [`SearchRunError`] if the drive is not valid, or for a bug in the simulator.
pub fn time_search(
    settings: &PifSettings,
    place: SearchLocation,
    phases: &[SearchPhase],
) -> Result<SearchTiming, SearchRunError> {
    settings.check()?;
    let last = phases.iter().flat_map(|phase| &phase.pages).map(|page| page.number).max();
    settings.check_capacity(last.map_or(0, |last| u64::from(last) + 1))?;
    let fabric = settings.fabric_kind.build(&settings.fabric).map_err(LimitError::from)?;
    let mut search = TimedSearch::new(settings, place, fabric);
    let mut engine = Engine::new(INSTANT_LIMIT);
    for phase in phases {
        // Outside the chips, a search loads each page only once.
        let passes = if place == SearchLocation::Chips { phase.passes.max(1) } else { 1 };
        for pass in 0..passes {
            search.hand_out(phase, pass);
            engine.future.schedule(search.last, SearchEvent::Begin);
            engine.run(&mut search, u64::MAX)?;
            if !search.is_quiet() {
                return Err(SearchRunError::Stuck { at: engine.future.now() });
            }
        }
    }
    Ok(search.timing())
}

impl PifSettings {
    /// Checks that the drive has at least this number of pages.
    ///
    /// # Errors
    /// Returns [`SearchRunError::Capacity`] if it has fewer.
    pub fn check_capacity(&self, pages: u64) -> Result<(), SearchRunError> {
        let has = self.pages;
        if pages > has { Err(SearchRunError::Capacity { pages, has }) } else { Ok(()) }
    }
}

#[derive(Clone, Copy, Debug)]
enum SearchEvent {
    Begin,
    Sensed(u32),
    Matched(u32),
    Fabric(FabricEvent),
    Decoded(PageJob),
    Linked(PageNumber),
    HostSearched,
}

/// Group of equal servers with a common FIFO queue.
#[derive(Clone, Debug)]
struct Servers {
    free_at: Vec<SimTime>,
}

impl Servers {
    fn new(count: u32) -> Self {
        Self { free_at: vec![SimTime::ZERO; count as usize] }
    }

    /// Serves a job that arrives at `now` and takes `time`. Returns its completion time.
    fn serve(&mut self, now: SimTime, time: SimSpan) -> SimTime {
        let first = self.free_at.iter_mut().min().expect("there is a server");
        *first = now.max(*first) + time;
        *first
    }
}

/// Arbitration domain of the fabric (chips that compete for the same paths), with its chips that have
/// messages to send.
#[derive(Clone, Debug, Default)]
struct SearchDomain {
    short: VecDeque<u32>,
    /// Chips that have a page to send, ordered by page.
    pages: BinaryHeap<Reverse<(PageNumber, u32)>>,
    /// Chips for which the fabric found no path. They wait until the fabric reports that a path may be free.
    refused: Vec<u32>,
    /// True if the fabric reported that it has no free path for any chip of the domain.
    is_busy: bool,
}

impl SearchDomain {
    fn add(&mut self, chip: u32, message: Message) {
        match message {
            Message::Data(job) => self.pages.push(Reverse((job.page, chip))),
            _ => self.short.push_back(chip),
        }
    }
}

struct TimedSearch<'a> {
    settings: &'a PifSettings,
    place: SearchLocation,
    work: &'a [SearchPage],
    /// Number of passes of the current phase. The field `pass` is the current pass.
    passes: u16,
    pass: u16,
    fabric: Box<dyn Fabric>,
    outbox: Outbox,
    domains: Vec<SearchDomain>,
    /// Arbitration domain of each chip.
    domain_of: Vec<DomainId>,
    chips: Vec<Chip>,
    /// For each chip, true if it is in its domain's queue for short messages (index 0) or for pages (index
    /// 1).
    queued: Vec<[bool; 2]>,
    /// For each page, the number of repeated reads (with shifted thresholds) whose data have not arrived.
    again: Vec<u8>,
    controller: Servers,
    link: Servers,
    host: Servers,
    counters: SearchCounters,
    last: SimTime,
}

impl EventHandler for TimedSearch<'_> {
    type Event = SearchEvent;

    fn handle(&mut self, event: SearchEvent, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        self.last = now;
        match event {
            SearchEvent::Begin => (0..self.chips.len()).for_each(|chip| self.advance(chip, now, future)),
            SearchEvent::Sensed(chip) => {
                let latch = &mut self.chips[chip as usize].latch;
                *latch = latch.map(|(job, _)| (job, true));
                self.advance(chip as usize, now, future);
            }
            SearchEvent::Matched(chip) => {
                let matcher = &mut self.chips[chip as usize].matcher;
                *matcher = matcher.map(|(job, _)| (job, true));
                self.advance(chip as usize, now, future);
            }
            SearchEvent::Fabric(event) => self.fabric_event(event, now, future),
            SearchEvent::Decoded(job) => self.decoded(job, now, future),
            SearchEvent::Linked(page) => self.linked(page, now, future),
            SearchEvent::HostSearched => (),
        }
        self.offer_all(now);
        for (at, event) in self.outbox.scheduled.drain() {
            future.schedule(at, SearchEvent::Fabric(event));
        }
    }
}

impl<'a> TimedSearch<'a> {
    fn new(settings: &'a PifSettings, place: SearchLocation, fabric: Box<dyn Fabric>) -> Self {
        let chips = settings.array.chips() as usize;
        Self {
            settings,
            place,
            work: &[],
            passes: 0,
            pass: 0,
            outbox: Outbox::default(),
            domains: vec![SearchDomain::default(); fabric.domains().len()],
            domain_of: DomainId::of_chips(&fabric.domains()),
            fabric,
            chips: vec![Chip::default(); chips],
            queued: vec![[false; 2]; chips],
            again: Vec::new(),
            controller: Servers::new(settings.accelerators),
            link: Servers::new(1),
            host: Servers::new(1),
            counters: SearchCounters::default(),
            last: SimTime::ZERO,
        }
    }

    /// Assigns the pages of a pass to their chips. In the last pass of a phase, also assigns the context
    /// pages (pages with lines around matches).
    fn hand_out(&mut self, phase: &'a SearchPhase, pass: u16) {
        (self.work, self.passes, self.pass) = (&phase.pages, phase.passes, pass);
        self.again = self.work.iter().map(|page| page.extra_reads).collect();
        let in_chips = self.place == SearchLocation::Chips && phase.passes > 0;
        let kind = if in_chips { JobKind::Match } else { JobKind::Read };
        for (page, work) in self.work.iter().enumerate() {
            if in_chips && work.passes <= pass {
                continue;
            }
            let chip = self.chip_of(page as PageNumber).index();
            self.chips[chip].needs_tables |= in_chips && self.settings.table_bytes > 0;
            self.chips[chip].jobs.push_back(PageJob { page: page as PageNumber, kind });
        }
        let is_last = !in_chips || pass + 1 == phase.passes;
        if self.place == SearchLocation::Host || !is_last {
            return;
        }
        for (page, _) in self.work.iter().enumerate().filter(|(_, work)| work.is_context) {
            let job = PageJob { page: page as PageNumber, kind: JobKind::Context };
            let chip = self.chip_of(job.page).index();
            self.chips[chip].jobs.push_back(job);
        }
    }

    /// Returns the chip of a page: pages are striped over channels, then chips.
    fn chip_of(&self, page: PageNumber) -> ChipId {
        let array = self.settings.array;
        let place = self.work[page as usize].number % array.chips();
        array.chip(place % array.rows, place / array.rows)
    }

    /// True if the chip sends the whole page to the controller in this pass.
    fn is_sent(&self, page: PageNumber) -> bool {
        let work = self.work[page as usize];
        work.fails_in_chip || (work.matched && work.passes == self.pass + 1)
    }

    /// Returns the time that the chip's decoder and matcher take for a page read.
    fn time_in_chip(&self, job: PageJob) -> SimSpan {
        /// Number of sub-pages per page. For a page head, only the first sub-page is decoded.
        const SUB_PAGES: u64 = 16;
        let (work, settings) = (self.work[job.page as usize], self.settings);
        let decoding = settings.iteration * u64::from(work.iterations);
        match (job.kind, work.iterations) {
            (JobKind::Head, _) => SimSpan::from_ps(settings.matching.max(decoding).as_ps() / SUB_PAGES),
            (_, 1..) if work.fails_in_chip => decoding,
            _ => settings.matching.max(decoding),
        }
    }

    /// Advances the pages of a chip through latch, matcher and output register as far as possible.
    fn advance(&mut self, index: usize, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        self.leave_matcher(index);
        self.leave_latch(index, now, future);
        let chip = &mut self.chips[index];
        if chip.latch.is_none()
            && let Some(job) = chip.next.take()
        {
            chip.latch = Some((job, false));
            self.counters.senses += 1;
            future.schedule(now + self.settings.sense, SearchEvent::Sensed(index as u32));
        }
        self.ask_for_path(index);
    }

    fn leave_matcher(&mut self, index: usize) {
        let Some((job, true)) = self.chips[index].matcher else { return };
        let is_sent = self.is_sent(job.page);
        let chip = &mut self.chips[index];
        if job.kind == JobKind::Head {
            chip.short.push_back(Message::Head);
        } else if !is_sent {
            chip.short.push_back(Message::Answer(job.page));
        } else if chip.pages.len() < self.settings.out_pages as usize {
            chip.pages.push_back(job);
        } else {
            return;
        }
        chip.matcher = None;
    }

    fn leave_latch(&mut self, index: usize, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        let Some((job, true)) = self.chips[index].latch else { return };
        let time = self.time_in_chip(job);
        let chip = &mut self.chips[index];
        if matches!(job.kind, JobKind::Match | JobKind::Head) {
            if chip.matcher.is_some() {
                return;
            }
            chip.matcher = Some((job, false));
            self.counters.matched_in_chips += u64::from(job.kind == JobKind::Match);
            self.counters.matcher_busy += time;
            future.schedule(now + time, SearchEvent::Matched(index as u32));
        } else if chip.pages.len() < self.settings.out_pages as usize {
            chip.pages.push_back(job);
        } else {
            return;
        }
        chip.latch = None;
    }

    fn ask_for_path(&mut self, index: usize) {
        let Some(message) = self.chips[index].wants() else { return };
        let class = usize::from(matches!(message, Message::Data(_)));
        if std::mem::replace(&mut self.queued[index][class], true) {
            return;
        }
        let domain = self.domain_of[index];
        self.domains[domain.0 as usize].add(index as u32, message);
    }

    fn offer_all(&mut self, now: SimTime) {
        for domain in 0..self.domains.len() {
            while !self.domains[domain].is_busy {
                let queues = &mut self.domains[domain];
                let (class, next) = match queues.short.pop_front() {
                    Some(chip) => (0, Some(chip)),
                    None => (1, queues.pages.pop().map(|Reverse((_, chip))| chip)),
                };
                let Some(chip) = next else { break };
                self.queued[chip as usize][class] = false;
                self.offer(domain, chip, now);
            }
        }
    }

    fn offer(&mut self, domain: usize, chip: u32, now: SimTime) {
        let Some(message) = self.chips[chip as usize].wants() else { return };
        let transfer = self.transfer(ChipId(chip), message);
        match self.fabric.offer(&transfer, now, &mut self.outbox) {
            Offer::Accepted => {
                self.chips[chip as usize].send(message);
                self.counters.fabric_bytes += u64::from(transfer.bytes);
            }
            Offer::PathBusy => self.domains[domain].refused.push(chip),
            Offer::DomainBusy => {
                self.domains[domain].is_busy = true;
                self.domains[domain].refused.push(chip);
            }
        }
    }

    fn transfer(&self, chip: ChipId, message: Message) -> Transfer {
        let (direction, bytes) = match message {
            Message::Tables => (Direction::ToChip, self.settings.table_bytes),
            Message::Command(_) => (Direction::ToChip, 0),
            Message::Answer(_) => (Direction::FromChip, self.settings.answer_bytes),
            Message::Head => (Direction::FromChip, self.settings.head_bytes),
            Message::Data(PageJob { kind: JobKind::Match, .. }) => {
                (Direction::FromChip, self.settings.raw_page_bytes + self.settings.answer_bytes)
            }
            Message::Data(_) => (Direction::FromChip, self.settings.raw_page_bytes),
        };
        let command = self.settings.command;
        Transfer {
            die: DieId(chip.0),
            chip,
            direction,
            command,
            bytes,
            keeps_path: false,
            moved: None,
            waiting_since: None,
        }
    }

    fn fabric_event(&mut self, event: FabricEvent, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        self.fabric.handle(event, now, &mut self.outbox);
        for index in 0..self.outbox.delivered.len() {
            let chip = self.outbox.delivered[index].die.index();
            if let Some(message) = self.chips[chip].sent() {
                self.arrived(message, now, future);
            }
            self.advance(chip, now, future);
        }
        self.outbox.delivered.clear();
        for index in 0..self.outbox.bounced.len() {
            let chip = self.outbox.bounced[index];
            self.chips[chip.index()].take_back();
            let domain = self.domain_of[chip.index()];
            self.domains[domain.0 as usize].refused.push(chip.0);
        }
        self.outbox.bounced.clear();
        for index in 0..self.outbox.woken.len() {
            self.wake(self.outbox.woken[index]);
        }
        self.outbox.woken.clear();
    }

    fn wake(&mut self, domain: DomainId) {
        let domain = &mut self.domains[domain.0 as usize];
        domain.is_busy = false;
        for chip in std::mem::take(&mut domain.refused) {
            self.ask_for_path(chip as usize);
        }
    }

    /// Processes the arrival of a message at the controller, or of a command at its chip.
    fn arrived(&mut self, message: Message, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        match message {
            Message::Tables => self.counters.tables_filled += 1,
            Message::Command(_) | Message::Head => (),
            Message::Answer(page) => self.answered(page),
            Message::Data(job) => {
                self.counters.pages_sent += 1;
                if job.kind == JobKind::Match {
                    self.answered(job.page);
                }
                // A page that matched in the chip has been corrected there.
                if job.kind == JobKind::Match && !self.work[job.page as usize].fails_in_chip {
                    self.send_to_host(job, now, future);
                } else if self.is_last_of(job) {
                    self.decode(job, now, future);
                }
            }
        }
    }

    /// Processes the end of a page's search in the chip. If a match may continue in the next page, requests
    /// the first bytes of that page, unless the whole page is sent anyway.
    fn answered(&mut self, page: PageNumber) {
        let next = page + 1;
        let (work, after) = (self.work[page as usize], self.work.get(next as usize));
        let follows = after.is_some_and(|after| after.number == work.number + 1);
        if work.asks_for_next_head && follows && !self.is_sent(next) {
            let chip = self.chip_of(next).index();
            self.chips[chip].jobs.push_front(PageJob { page: next, kind: JobKind::Head });
            self.ask_for_path(chip);
        }
    }

    /// Records the arrival of a page. Returns true if the controller can decode the page: after its first
    /// read, or after the last of its repeated reads with shifted thresholds.
    fn is_last_of(&mut self, job: PageJob) -> bool {
        let left = &mut self.again[job.page as usize];
        if job.kind == JobKind::Again {
            *left -= 1;
            return *left == 0;
        }
        true
    }

    fn decode(&mut self, job: PageJob, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        let bytes = u64::from(self.settings.page_bytes);
        // The controller's matcher processes the page once per pass.
        let times = if self.place == SearchLocation::Controller { u64::from(self.passes.max(1)) } else { 1 };
        let time = self.settings.controller_rate.time_for(bytes) * times;
        self.counters.controller_bytes += bytes * times;
        self.counters.loaded_bytes += bytes;
        self.counters.accelerators_busy += time;
        future.schedule(self.controller.serve(now, time), SearchEvent::Decoded(job));
    }

    fn decoded(&mut self, job: PageJob, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        let left = self.again[job.page as usize];
        if left > 0 && job.kind != JobKind::Context {
            let chip = self.chip_of(job.page).index();
            let again = PageJob { page: job.page, kind: JobKind::Again };
            (0..left).for_each(|_| self.chips[chip].jobs.push_front(again));
            return self.advance(chip, now, future);
        }
        self.send_to_host(job, now, future);
    }

    /// Sends a page to the host if the host searches or the page contains a match or context lines.
    fn send_to_host(&mut self, job: PageJob, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        let is_wanted = self.passes == 0 || self.work[job.page as usize].matched;
        if self.place == SearchLocation::Host || is_wanted || job.kind == JobKind::Context {
            let bytes = u64::from(self.settings.page_bytes);
            self.counters.link_bytes += bytes;
            let done = self.link.serve(now, self.settings.link_rate.time_for(bytes));
            future.schedule(done, SearchEvent::Linked(job.page));
        }
    }

    fn linked(&mut self, _page: PageNumber, now: SimTime, future: &mut EventQueue<SearchEvent>) {
        if self.place == SearchLocation::Host {
            let time = self.settings.host_rate.time_for(u64::from(self.settings.page_bytes));
            self.counters.host_busy += time;
            future.schedule(self.host.serve(now, time), SearchEvent::HostSearched);
        }
    }

    fn is_quiet(&self) -> bool {
        self.chips.iter().all(Chip::is_quiet) && self.fabric.is_quiet()
    }

    fn timing(&self) -> SearchTiming {
        let time = self.last.since(SimTime::ZERO);
        let (settings, counters) = (self.settings, self.counters);
        let energy = SearchEnergy::of(settings, &*self.fabric, time, &counters);
        let mean = |sum: SimSpan, of: u32| SimSpan::from_ps(sum.as_ps() / u64::from(of.max(1)));
        let parts = TimeParts {
            flash: mean(settings.sense * counters.senses, settings.array.chips()),
            transfer: self.fabric.path_busy(self.last).into_iter().max().unwrap_or(SimSpan::ZERO),
            accelerators: mean(counters.accelerators_busy, settings.accelerators),
        };
        SearchTiming { time, parts, counters, energy }
    }
}
