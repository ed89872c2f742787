//! Driver of the simulator's cycle-level mode with the timing of the hardware.
//!
//! The fabric leaves three choices to its caller; this driver makes them as the hardware does. Scouts of one
//! cycle are processed by position: first those in routers with an even sum of row and column, then the
//! others; within a router by port. Ends of circuits come last. The release of loop links also comes last,
//! except at the end that starts the release.
//!
//! The simulator does not model the wires between a controller and its router. A packet takes its beats on
//! them in each direction: the next scout after a failed one enters the router that much later, and a
//! transfer takes one cycle less than that longer. A controller needs some cycles from the end of a circuit
//! until its next scout can be in its router.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::io::Write;

use venice_fabric::noc::{Port, PortSet, RouterId};
use venice_fabric::testkit::paper_settings;
use venice_fabric::venice::{
    ControllerId, EventEffect, LfsrCycle, ReservationRow, ScoutPacketFormat, Venice, port_number,
};
use venice_fabric::{
    Direction, Fabric, FabricEvent, FabricParameters, FabricSettings, Offer, Outbox, PathLoops, PortChoice,
    Reservation, Routing, Transfer, VeniceSettings,
};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};

use crate::jobs::Job;
use crate::options::Options;

/// Number of waiting jobs among which the next one is chosen.
const WINDOW: usize = 64;
/// Number of cycles from the end of a circuit until the controller's next scout can be in a router.
const REST: u64 = 4;

const KEPT_OUT: &str = "scouts keep each other out for ever, where their ways are settled beforehand: the simulator sets \
    them apart by microseconds, the router does not. Set searching=1.";

const fn cycle_of(at: SimTime) -> u64 {
    at.as_ps() / 1000
}

const fn instant(cycle: u64) -> SimTime {
    SimTime::from_ps(cycle * 1000)
}

/// Sort key of the events of one cycle.
type Place = (u8, u32, u32);

const LAST: Place = (9, 0, 0);

struct Driver<'a, W: Write> {
    fabric: Venice,
    array: Array,
    beats: u64,
    now: u64,
    pending: BTreeMap<u64, Vec<FabricEvent>>,
    waiting: VecDeque<Job>,
    /// For each controller, the first cycle in which its next scout can be in its router.
    rests_until: Vec<u64>,
    /// Transfer in progress of each controller.
    carries: Vec<Option<Job>>,
    searching: usize,
    rows: Vec<Vec<ReservationRow>>,
    busy: Vec<PortSet>,
    told_cycle: bool,
    failures: u64,
    out: &'a mut W,
}

fn settings(options: &Options, seed: u64) -> FabricSettings {
    let paper = paper_settings(options.array.rows, options.array.cols);
    let venice = VeniceSettings {
        routing: options.routing,
        port_choice: options.port_choice,
        path_loops: options.path_loops,
        reservation: Reservation::CycleLevel,
        ..paper.own.venice
    };
    let own = FabricParameters { venice, ..paper.own };
    FabricSettings { own, seed, ..paper }
}

impl<'a, W: Write> Driver<'a, W> {
    fn new(options: &Options, seed: u64, out: &'a mut W) -> Result<Self, Box<dyn Error>> {
        let array = options.array;
        let settings = settings(options, seed);
        let fabric = Venice::new(&settings);
        let routers = array.chips() as usize;
        let format = ScoutPacketFormat::new(array);
        let (routing, choice) = (routing_number(options.routing), choice_number(options.port_choice));
        let loops = u8::from(options.path_loops == PathLoops::Cut);
        write!(out, "mesh {} {} {} {routing} {choice} {loops}", array.rows, array.cols, format.beats(8))?;
        for router in (0..array.chips()).map(RouterId) {
            write!(out, " {}", fabric.network().lfsr(router).bits(LfsrCycle::default()))?;
        }
        writeln!(out)?;
        Ok(Self {
            array,
            beats: u64::from(format.beats(8)),
            now: 0,
            pending: BTreeMap::new(),
            waiting: VecDeque::new(),
            rests_until: vec![2 * u64::from(format.beats(8)); array.rows as usize],
            carries: vec![None; array.rows as usize],
            searching: 0,
            rows: vec![Vec::new(); routers],
            busy: vec![PortSet::EMPTY; routers],
            told_cycle: false,
            failures: 0,
            fabric,
            out,
        })
    }

    fn place(&self, event: FabricEvent) -> Place {
        // The router that releases a link uses the new state in the next cycle; if it decides late in the
        // cycle, before its decision.
        if let Some(router) = Venice::gives_back(event) {
            return if self.is_late(router) { (1, u32::MAX, 0) } else { LAST };
        }
        match self.fabric.due(event) {
            Some((_, EventEffect::Step(router, port))) => self.place_in(router, port),
            Some((_, EventEffect::SetOut(router))) => self.place_in(router, Port::Controller),
            _ => LAST,
        }
    }

    fn place_in(&self, router: RouterId, port: Port) -> Place {
        (1 + u8::from(self.is_late(router)), router.0, port_number(port))
    }

    fn is_late(&self, router: RouterId) -> bool {
        (router.0 / self.array.cols + router.0 % self.array.cols) % 2 == 1
    }

    fn tell(&mut self, line: std::fmt::Arguments<'_>) -> std::io::Result<()> {
        if !std::mem::replace(&mut self.told_cycle, true) {
            writeln!(self.out, "@ {}", self.now)?;
        }
        writeln!(self.out, "{line}")
    }

    /// Simulates one cycle: all due events, and at most one new transfer.
    fn cycle(&mut self, limit: usize) -> Result<(), Box<dyn Error>> {
        self.told_cycle = false;
        let mut due = self.pending.remove(&self.now).unwrap_or_default();
        due.sort_by_key(|&event| self.place(event));
        let mut offer = self.next_job(limit);
        for event in due {
            let goes_first = offer.is_some_and(|(who, _)| self.place_of(who) < self.place(event));
            if goes_first && let Some((who, job)) = offer.take() {
                self.offer(who, job)?;
            }
            self.handle(event)?;
        }
        if let Some((who, job)) = offer {
            self.offer(who, job)?;
        }
        self.tell_changes()?;
        self.now += 1;
        Ok(())
    }

    fn place_of(&self, who: ControllerId) -> Place {
        self.place_in(RouterId(who.0 * self.array.cols), Port::Controller)
    }

    /// Returns a waiting job that an idle controller can take.
    fn next_job(&mut self, limit: usize) -> Option<(ControllerId, Job)> {
        if self.searching >= limit {
            return None;
        }
        let fits = |job: &Job| {
            let who = self.fabric.would_serve(job.chip)?;
            (job.cycle <= self.now && self.rests_until[who.index()] <= self.now).then_some(who)
        };
        let found = self.waiting.iter().take(WINDOW).enumerate().find_map(|(i, job)| Some((i, fits(job)?)));
        let (index, who) = found?;
        Some((who, self.waiting.remove(index)?))
    }

    fn offer(&mut self, who: ControllerId, job: Job) -> Result<(), Box<dyn Error>> {
        let transfer = Transfer {
            die: DieId(job.chip.0),
            chip: job.chip,
            direction: job.direction,
            command: SimSpan::ZERO,
            bytes: job.words,
            keeps_path: false,
            moved: None,
            waiting_since: None,
        };
        let way = if job.direction == Direction::ToChip { 'w' } else { 'r' };
        self.tell(format_args!("s {} {} {way} {}", who.0, job.chip.0, job.words))?;
        self.carries[who.index()] = Some(job);
        self.searching += 1;
        let mut out = Outbox::default();
        let answer = self.fabric.offer(&transfer, instant(self.now), &mut out);
        assert_eq!(answer, Offer::Accepted, "it was asked before");
        self.after(out)
    }

    fn handle(&mut self, event: FabricEvent) -> Result<(), Box<dyn Error>> {
        match self.fabric.due(event) {
            Some((who, EventEffect::Delivery)) => {
                self.rests_until[who.index()] = self.now + REST;
                self.tell(format_args!("d {}", who.0))?;
            }
            Some((who, EventEffect::SetOut(_))) => self.tell(format_args!("r {}", who.0))?,
            _ => {}
        }
        let mut out = Outbox::default();
        self.fabric.handle(event, instant(self.now), &mut out);
        self.after(out)
    }

    /// Schedules the following events, delayed by the wires of the controller.
    fn after(&mut self, mut out: Outbox) -> Result<(), Box<dyn Error>> {
        for (at, event) in out.scheduled.drain() {
            let wires = 2 * self.beats;
            let cycle = match self.fabric.due(event) {
                Some((who, EventEffect::SetOut(_))) => {
                    if cycle_of(at) > self.now + 1 {
                        return Err(KEPT_OUT.into());
                    }
                    self.failures += 1;
                    self.tell(format_args!("f {}", who.0))?;
                    self.now + wires
                }
                Some((who, EventEffect::Delivery)) => {
                    let hops = self.fabric.circuit_hops(who).ok_or("a transfer has a circuit")?;
                    self.searching -= 1;
                    self.tell(format_args!("p {} {hops}", who.0))?;
                    cycle_of(at) + wires - 1
                }
                _ => cycle_of(at),
            };
            self.pending.entry(cycle).or_default().push(event);
        }
        Ok(())
    }

    /// Writes the added and removed table rows, and the ports of each router that belong to a path.
    fn tell_changes(&mut self) -> Result<(), Box<dyn Error>> {
        for (router, table) in (0..).map(RouterId).zip(self.fabric.network().tables()) {
            let rows: Vec<ReservationRow> = table.rows().collect();
            let old = std::mem::take(&mut self.rows[router.index()]);
            for row in old.iter().filter(|row| !rows.contains(row)) {
                self.tell(format_args!("- {}", row_text(router, *row)))?;
            }
            for row in rows.iter().filter(|row| !old.contains(row)) {
                self.tell(format_args!("+ {}", row_text(router, *row)))?;
            }
            self.rows[router.index()] = rows;
            let busy = self.busy_ports(router);
            if busy != self.busy[router.index()] {
                let bits: u32 = busy.iter().map(|port| 1 << port_number(port)).sum();
                self.tell(format_args!("b {} {bits}", router.0))?;
                self.busy[router.index()] = busy;
            }
        }
        Ok(())
    }

    /// Returns the ports that belong to a path, without the controller's port, whose wires are modelled by
    /// the caller.
    fn busy_ports(&self, router: RouterId) -> PortSet {
        let network = self.fabric.network();
        let exists = |port: &Port| *port == Port::Chip || network.mesh().neighbour(router, *port).is_some();
        let free = network.free_ports(router);
        let ports = Port::ALL.into_iter().filter(|port| *port != Port::Controller && exists(port));
        ports.filter(|port| !free.contains(*port)).collect()
    }

    fn scouts(&self) -> u64 {
        self.fabric.counters(instant(self.now)).scouts
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.pending.is_empty()
    }

    fn end(mut self) -> Result<(), Box<dyn Error>> {
        assert!(self.fabric.is_quiet(), "everything has ended");
        let (scouts, failures) = (self.scouts(), self.failures);
        self.told_cycle = false;
        self.tell(format_args!("end {scouts} {failures}"))?;
        Ok(())
    }
}

fn row_text(router: RouterId, row: ReservationRow) -> String {
    format!("{} {} {} {}", router.0, row.packet.0, port_number(row.entry), port_number(row.exit))
}

const fn routing_number(routing: Routing) -> u8 {
    match routing {
        Routing::NonMinimalAdaptive | Routing::Exhaustive => 0,
        Routing::MinimalAdaptive => 1,
        Routing::DimensionOrder => 2,
    }
}

const fn choice_number(choice: PortChoice) -> u8 {
    match choice {
        PortChoice::Random => 0,
        PortChoice::Unbiased => 1,
        PortChoice::Fixed => 2,
    }
}

/// Transfers jobs until this number of scouts has been sent.
pub fn run(
    options: &Options,
    mut jobs: Box<dyn Iterator<Item = Job>>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut driver = Driver::new(options, options.seed, out)?;
    let mut more = true;
    while more || !driver.is_done() {
        if driver.scouts() >= options.scouts {
            (more, driver.waiting) = (false, VecDeque::new());
        }
        while more && driver.waiting.len() < WINDOW {
            let job = jobs.next();
            more = job.is_some();
            driver.waiting.extend(job);
        }
        driver.cycle(options.searching)?;
    }
    driver.end()
}

/// Circuits of Figure 8 with their controllers.
const FIGURE_8: [(u32, &[u32]); 3] = [(1, &[5, 6, 7, 8]), (0, &[0, 1, 6]), (2, &[10, 11, 12, 7])];
/// Request of Figure 8: flash controller FC3 to chip F2.
const REQUEST: (u32, ChipId) = (3, ChipId(2));
/// Transfer length in words with which the three circuits stay reserved until the fourth exists.
const LONG: u32 = 250;
/// Number of cycles between two transfers, enough for each scout to end.
const APART: u64 = 40;

/// Writes the worked example for several initial LFSR states for which scouts reserve the figure's three
/// circuits.
pub fn figure_8(options: &Options, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (mut runs, mut seed) = (0, options.seed);
    while runs < options.runs {
        let mut text = Vec::new();
        if example(options, seed, &mut text)? {
            out.write_all(&text)?;
            runs += 1;
        }
        seed += 1;
    }
    Ok(())
}

/// Returns true if the three circuits are those of the figure. In that case, sends the request and completes
/// the run.
fn example(options: &Options, seed: u64, out: &mut Vec<u8>) -> Result<bool, Box<dyn Error>> {
    let mut driver = Driver::new(options, seed, out)?;
    let goals = FIGURE_8.iter().map(|(_, path)| ChipId(path[path.len() - 1])).chain([REQUEST.1]);
    driver.waiting.extend(goals.zip(1..).map(|(chip, number)| Job {
        cycle: number * APART,
        chip,
        direction: Direction::ToChip,
        words: LONG,
    }));
    while !driver.is_done() {
        let paths = |who: u32| driver.fabric.network().path_of(ControllerId(who));
        let is_figures =
            |(who, path): &(u32, &[u32])| paths(*who).iter().map(|router| router.0).eq(path.iter().copied());
        if driver.now == 4 * APART - 1 && !FIGURE_8.iter().all(is_figures) {
            return Ok(false);
        }
        driver.cycle(options.searching)?;
        if driver.now == 4 * APART + 1 {
            assert!(driver.carries[REQUEST.0 as usize].is_some(), "the figure's controller has the request");
        }
    }
    driver.end()?;
    Ok(true)
}
