//! A minimal caller of the Venice fabric that satisfies the contract of fabrics: it repeats an offer only
//! after a wake-up, and makes no offer while a domain is busy.

use std::collections::VecDeque;

use venice_fabric::noc::{Mesh, Port, RouterId};
use venice_fabric::testkit::paper_settings;
use venice_fabric::venice::{ControllerId, Network, Venice};
use venice_fabric::{
    Attachment, ControllerChoice, CopyId, Delivery, Direction, Fabric, FabricCounters, FabricEvent,
    FabricSettings, MeshLink, Offer, Outbox, PathLoops, PortChoice, Reservation, Retry, Routing,
    ServiceOrder, Transfer, VeniceSettings,
};
use venice_kernel::{EventQueue, RandomStream, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};

/// Settings of Venice exactly as in the paper.
pub(crate) const PAPER: VeniceSettings = VeniceSettings {
    routing: Routing::NonMinimalAdaptive,
    port_choice: PortChoice::Random,
    controller: ControllerChoice::NearestFree,
    retry: Retry::AtOnce,
    back_off: SimSpan::from_ns(100),
    retry_delay: SimSpan::ZERO,
    path_loops: PathLoops::Kept,
    order: ServiceOrder::FirstCome,
    copy_id: CopyId::Own,
    attachment: Attachment::PAPER,
    reservation: Reservation::Atomic,
    scout_takes_time: true,
};

/// Link of one 8-bit flit per nanosecond.
pub(crate) const LINK: MeshLink = MeshLink { width_bits: 8, latency: SimSpan::from_ns(1) };

/// Returns the settings of a mesh; parameters of other fabrics have arbitrary values.
pub(crate) fn settings(rows: u32, cols: u32, venice: VeniceSettings) -> FabricSettings {
    let mut settings = paper_settings(rows, cols);
    (settings.mesh_link, settings.own.venice) = (LINK, venice);
    settings
}

/// Returns a transfer to the only die of a chip.
pub(crate) fn transfer(chip: u32, command: SimSpan, bytes: u32) -> Transfer {
    let direction = Direction::ToChip;
    Transfer {
        die: DieId(chip),
        chip: ChipId(chip),
        direction,
        command,
        bytes,
        keeps_path: false,
        moved: None,
        waiting_since: None,
    }
}

/// Asserts that free ports and reservation tables agree, and that no link belongs to two paths.
pub(crate) fn audit(network: &Network) {
    let mesh = network.mesh();
    let mut taken = vec![0_u32; mesh.links() as usize];
    for controller in (0..mesh.entrances()).map(ControllerId) {
        for (router, exit) in network.links_of(controller) {
            let link = mesh.link(router, exit).expect("paths go from neighbour to neighbour");
            taken[link.index()] += 1;
        }
    }
    // Table rows of loops that are being released contain their links, except the link that is released next.
    let mut named = taken.clone();
    let mut is_free = vec![false; taken.len()];
    for (router, table) in (0..).map(RouterId).zip(network.tables()) {
        assert!(table.rows().count() <= mesh.entrances() as usize, "rows of {router:?}");
        for row in table.rows() {
            if let Some(link) = mesh.link(router, row.exit) {
                named[link.index()] = 1;
            }
        }
        for port in Port::LINKS {
            let Some(link) = mesh.link(router, port) else { continue };
            is_free[link.index()] = network.free_ports(router).contains(port);
        }
    }
    for (link, (&paths, &free)) in taken.iter().zip(&is_free).enumerate() {
        assert!(paths <= u32::from(!free), "paths over link {link}");
        assert!(!free || named[link] == 0, "link {link} is free and named by a row");
    }
    let nameless = named.iter().zip(&is_free).filter(|&(&rows, &free)| rows == 0 && !free).count();
    assert_eq!(nameless, network.open_loops() as usize, "links that are taken and named by no row");
}

/// State of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Die {
    /// No transfer of the die is pending.
    Quiet,
    /// The transfer was refused, or not offered because of earlier refusals.
    Waiting,
    /// A transfer of the die is in progress.
    InFlight,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Fabric(FabricEvent),
    Ready(DieId),
}

/// Load of the fabric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Number of dies per chip.
    pub(crate) dies_per_chip: u32,
    /// Number of operations per die.
    pub(crate) operations: u32,
    /// Maximum pause of a die between two operations; pauses are uniformly distributed.
    pub(crate) pause: SimSpan,
    /// Seed of the requests.
    pub(crate) seed: u64,
}

/// Results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Number of delivered transfers.
    pub(crate) delivered: u64,
    /// Time from the ready time to the delivery in excess of the idle time, summed over transfers.
    pub(crate) waited: SimSpan,
    /// Number of transfers for which no path was free at their ready time.
    pub(crate) conflicts: u64,
    /// End of the last transfer.
    pub(crate) end: SimTime,
}

/// Transfer of a die that is ready, with its measurements.
#[derive(Clone, Copy, Debug)]
struct Pending {
    transfer: Transfer,
    ready: SimTime,
    was_offered: bool,
    idle: SimSpan,
    accepted: SimTime,
    had_conflict: bool,
}

/// Traffic generator: reads, programs and two-plane programs from all dies at random times.
pub(crate) struct Traffic {
    pub(crate) fabric: Venice,
    load: Load,
    /// One random stream per die, so that all fabrics receive the same requests.
    chance: Vec<RandomStream>,
    future: EventQueue<Event>,
    out: Outbox,
    states: Vec<Die>,
    pending: Vec<VecDeque<Pending>>,
    operations_left: Vec<u32>,
    waiting: VecDeque<DieId>,
    is_domain_busy: bool,
    outcome: Outcome,
    /// Deliveries with their times; recorded by [`Self::run_recorded`] only.
    deliveries: Option<Vec<(SimTime, Delivery)>>,
    /// True if repetitions of failing scouts are skipped.
    skips: bool,
    /// Time that has been skipped.
    skipped: SimSpan,
}

/// Results of a run that must not depend on skips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    outcome: Outcome,
    deliveries: Vec<(SimTime, Delivery)>,
    counters: FabricCounters,
    path_busy: Vec<SimSpan>,
}

const T_READ: SimSpan = SimSpan::from_us(3);
const COMMAND: SimSpan = SimSpan::from_ns(10);
const PAGE_BYTES: u32 = 4096;

impl Traffic {
    pub(crate) fn new(settings: &FabricSettings, load: Load) -> Self {
        let dies = settings.array.chips() * load.dies_per_chip;
        let mut traffic = Self {
            fabric: Venice::new(settings),
            load,
            chance: (0..dies).map(|die| RandomStream::new(load.seed, &format!("die/{die}"))).collect(),
            future: EventQueue::new(),
            out: Outbox::default(),
            states: vec![Die::Quiet; dies as usize],
            pending: vec![VecDeque::new(); dies as usize],
            operations_left: vec![load.operations; dies as usize],
            waiting: VecDeque::new(),
            is_domain_busy: false,
            outcome: Outcome::default(),
            deliveries: None,
            skips: false,
            skipped: SimSpan::ZERO,
        };
        for die in (0..dies).map(DieId) {
            traffic.next_operation(die, SimTime::ZERO);
        }
        traffic
    }

    /// Runs until no event is pending.
    ///
    /// # Panics
    /// Panics if transfers are left, if time does not advance, or if the network is inconsistent.
    pub(crate) fn run(&mut self) -> Outcome {
        let (mut events, mut at_this_instant) = (0_u64, 0);
        while let Some((now, event)) = self.step() {
            events += 1;
            at_this_instant = if now == self.outcome.end { at_this_instant + 1 } else { 0 };
            assert!(at_this_instant < 50_000, "time stands still at {now} ({event:?})");
            self.outcome.end = now;
            if events.is_multiple_of(64) {
                audit(self.fabric.network());
            }
        }
        let left: usize = self.pending.iter().map(VecDeque::len).sum();
        assert_eq!(left, 0, "transfers are left with nothing to happen: a wake-up was lost");
        assert!(self.operations_left.iter().all(|&left| left == 0));
        self.outcome
    }

    /// Runs as [`Self::run`] does, with or without skips. Returns the results and the skipped time.
    pub(crate) fn run_recorded(mut self, skips: bool) -> (Record, SimSpan) {
        (self.skips, self.deliveries) = (skips, Some(Vec::new()));
        let outcome = self.run();
        let record = Record {
            outcome,
            deliveries: self.deliveries.unwrap_or_default(),
            counters: self.fabric.counters(outcome.end),
            path_busy: self.fabric.path_busy(outcome.end),
        };
        (record, self.skipped)
    }

    /// Skips the repetition that the fabric has announced.
    fn skip(&mut self) {
        let repeated = &self.out.repeated;
        let is_repeated = |event: &Event| matches!(event, Event::Fabric(it) if repeated.contains(it));
        if let Some(until) = self.future.next_of(|event| !is_repeated(event)) {
            let span = self.fabric.skip(until);
            self.future.postpone(is_repeated, span);
            self.skipped += span;
        }
        self.out.repeated.clear();
    }

    fn step(&mut self) -> Option<(SimTime, Event)> {
        let (now, event) = self.future.pop()?;
        match event {
            Event::Fabric(event) => self.fabric.handle(event, now, &mut self.out),
            Event::Ready(die) => self.make_ready(die, now),
        }
        self.drain(now);
        if self.skips && !self.out.repeated.is_empty() {
            self.skip();
        }
        Some((now, event))
    }

    fn next_operation(&mut self, die: DieId, now: SimTime) {
        let left = &mut self.operations_left[die.index()];
        if *left == 0 {
            return;
        }
        *left -= 1;
        let kind = self.chance[die.index()].below(3);
        let (read, last) = (self.transfer(die, 0, true), self.transfer(die, PAGE_BYTES, false));
        let first_plane = self.transfer(die, PAGE_BYTES, true);
        let transfers = match kind {
            0 => vec![read, Transfer { direction: Direction::FromChip, command: SimSpan::ZERO, ..last }],
            1 => vec![last],
            _ => vec![first_plane, last],
        };
        self.pending[die.index()].extend(transfers.into_iter().map(Pending::from));
        let pause = SimSpan::from_ps(self.chance[die.index()].below(self.load.pause.as_ps().max(1)));
        self.future.schedule(now + pause, Event::Ready(die));
    }

    fn transfer(&self, die: DieId, bytes: u32, keeps_path: bool) -> Transfer {
        let chip = ChipId(die.0 / self.load.dies_per_chip);
        Transfer {
            die,
            chip,
            direction: Direction::ToChip,
            command: COMMAND,
            bytes,
            keeps_path,
            moved: None,
            waiting_since: None,
        }
    }

    fn make_ready(&mut self, die: DieId, now: SimTime) {
        self.states[die.index()] = Die::Waiting;
        let pending = &mut self.pending[die.index()][0];
        (pending.ready, pending.had_conflict) = (now, self.is_domain_busy);
        if self.is_domain_busy || !self.offer(die, now) {
            self.waiting.push_back(die);
        }
    }

    /// Offers a waiting die's transfer unless another die of the chip has a transfer in progress.
    fn offer(&mut self, die: DieId, now: SimTime) -> bool {
        if self.is_chip_busy(die) {
            return false;
        }
        let pending = self.pending[die.index()].front_mut().expect("a waiting die has a transfer");
        let idle = self.fabric.idle_time(&pending.transfer);
        let answer = self.fabric.offer(&pending.transfer, now, &mut self.out);
        self.is_domain_busy = answer == Offer::DomainBusy;
        if answer == Offer::Accepted {
            (pending.accepted, pending.idle) = (now, idle);
            self.states[die.index()] = Die::InFlight;
        }
        pending.was_offered = true;
        pending.had_conflict |= answer != Offer::Accepted;
        self.schedule();
        answer == Offer::Accepted
    }

    fn is_chip_busy(&self, die: DieId) -> bool {
        let per_chip = self.load.dies_per_chip as usize;
        let first = die.index() / per_chip * per_chip;
        self.states[first..first + per_chip].contains(&Die::InFlight)
    }

    fn schedule(&mut self) {
        for (at, event) in self.out.scheduled.drain() {
            self.future.schedule(at, Event::Fabric(event));
        }
    }

    /// Processes the fabric's outputs until there are none left.
    fn drain(&mut self, now: SimTime) {
        self.schedule();
        for delivery in std::mem::take(&mut self.out.delivered) {
            self.deliver(&delivery, now);
        }
        for die in std::mem::take(&mut self.out.bounced) {
            assert_eq!(self.states[die.index()], Die::InFlight, "only accepted transfers bounce");
            self.states[die.index()] = Die::Waiting;
            self.pending[die.index()][0].had_conflict = true;
            self.waiting.push_back(die);
        }
        if !std::mem::take(&mut self.out.woken).is_empty() {
            self.is_domain_busy = false;
            self.offer_all_waiting(now);
        }
        assert!(self.out.delivered.is_empty() && self.out.woken.is_empty(), "offers only schedule");
    }

    /// Offers all waiting transfers in round-robin order: dies without a path move to the end of the queue.
    fn offer_all_waiting(&mut self, now: SimTime) {
        let mut without_path = VecDeque::new();
        for die in std::mem::take(&mut self.waiting) {
            if self.is_domain_busy {
                self.waiting.push_back(die);
            } else if !self.offer(die, now) {
                let queue = if self.is_domain_busy { &mut self.waiting } else { &mut without_path };
                queue.push_back(die);
            }
        }
        self.waiting.append(&mut without_path);
    }

    fn deliver(&mut self, delivery: &Delivery, now: SimTime) {
        let die = delivery.die;
        assert_eq!(
            self.states[die.index()],
            Die::InFlight,
            "only accepted transfers are delivered, and once"
        );
        self.states[die.index()] = Die::Quiet;
        let done = self.pending[die.index()].pop_front().expect("the transfer in flight is the first");
        assert!(now.since(done.accepted) >= done.idle, "{done:?} was delivered too early, at {now}");
        self.count(&done, delivery.path_wait, now);
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.push((now, *delivery));
        }
        if done.transfer.keeps_path {
            let wait = if done.transfer.bytes == 0 { T_READ } else { SimSpan::ZERO };
            self.future.schedule(now + wait, Event::Ready(die));
        } else {
            self.next_operation(die, now);
        }
        self.offer_same_chip(die, now);
    }

    fn count(&mut self, done: &Pending, path_wait: SimSpan, now: SimTime) {
        self.outcome.delivered += 1;
        self.outcome.waited += now.since(done.ready).saturating_sub(done.idle);
        self.outcome.conflicts += u64::from(done.had_conflict || !path_wait.is_zero());
    }

    /// Offers transfers that waited for the chip's other die; such transfers need no wake-up.
    fn offer_same_chip(&mut self, die: DieId, now: SimTime) {
        if self.load.dies_per_chip == 1 || self.is_domain_busy {
            return;
        }
        let chip = die.0 / self.load.dies_per_chip;
        let same_chip = |other: &DieId| other.0 / self.load.dies_per_chip == chip;
        let not_offered = |other: &DieId| !self.pending[other.index()][0].was_offered;
        let found = self.waiting.iter().position(|other| same_chip(other) && not_offered(other));
        if let Some(other) = found.and_then(|index| self.waiting.remove(index))
            && !self.offer(other, now)
        {
            self.waiting.push_front(other);
        }
    }
}

impl From<Transfer> for Pending {
    fn from(transfer: Transfer) -> Self {
        let (ready, idle, accepted) = (SimTime::ZERO, SimSpan::ZERO, SimTime::ZERO);
        Self { transfer, ready, was_offered: false, idle, accepted, had_conflict: false }
    }
}

/// Returns the mesh of a fabric, for counting.
pub(crate) fn mesh_of(settings: &FabricSettings) -> Mesh {
    Mesh::with(settings.array, settings.own.venice.attachment)
}
