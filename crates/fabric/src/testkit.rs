//! Test bench for fabrics: offers transfers, advances time, records the fabric's responses, and checks the
//! fabric contract on each event.
//!
//! # How
//! [`FabricBench::offer`] makes one offer at one instant, for tests of a single rule. [`FabricBench::submit`]
//! acts as a caller that satisfies the contract of fabrics (see the crate documentation). It keeps one
//! transfer per chip in progress. It queues refused transfers, and offers them again, oldest first, when
//! their domain is woken. [`FabricBench::submit_operation`] does this for the transfers of one operation.
//! Each transfer starts after a delay from the end of the previous one. During the delay other dies of the
//! chip may use its pins.
//!
//! [`contract`] contains the checks for all fabrics, including user-defined ones.

pub mod contract;

use std::collections::{BTreeMap, VecDeque};

use dyn_clone::{DynClone, clone_trait_object};
use venice_kernel::{EventQueue, Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_nand::testkit::COMMAND;

use crate::catalogue::{FabricKind, FabricVisitor};
use crate::hlnand::HlnandSettings;
use crate::{
    BusSettings, Delivery, Direction, DomainId, Fabric, FabricCounters, FabricError, FabricEvent,
    FabricParameters, FabricSettings, FaultSettings, FirstOnPath, Hold, MeshLink, Offer, Outbox, PathLoops,
    PortChoice, Retry, ServiceOrder, Transfer, VeniceSettings,
};

/// Returns settings with the rates of Nadig et al., "Venice", ISCA 2023, Table 1 and §5: channels of 1.2
/// GB/s, links of 8 bits at 1 GHz, and Venice exactly as in the paper. Other fabrics have their default
/// parameters.
pub fn paper_settings(rows: u32, cols: u32) -> FabricSettings {
    FabricSettings {
        array: Array { rows, cols },
        seed: 1,
        chip_to_chip: false,
        first_on_path: FirstOnPath::Data,
        hold: Hold::Transfer,
        hold_erases: false,
        bus: BusSettings { rate: Rate::from_mb_per_s(1200.0) },
        mesh_link: MeshLink { width_bits: 8, latency: SimSpan::from_ns(1) },
        faults: FaultSettings::default(),
        own: FabricParameters {
            venice: VeniceSettings {
                port_choice: PortChoice::Random,
                retry: Retry::AtOnce,
                path_loops: PathLoops::Kept,
                order: ServiceOrder::FirstCome,
                ..VeniceSettings::default()
            },
            hlnand: HlnandSettings { rate: Some(Rate::from_mb_per_s(800.0)), ..HlnandSettings::default() },
            ..FabricParameters::default()
        },
    }
}

/// Returns a command without data to a chip with one die.
pub fn command_to(chip: ChipId) -> Transfer {
    Transfer {
        die: DieId(chip.0),
        chip,
        direction: Direction::ToChip,
        command: COMMAND,
        bytes: 0,
        keeps_path: false,
        moved: None,
        waiting_since: None,
    }
}

/// Returns a program command with its data to a chip with one die.
pub fn program_to(chip: ChipId, bytes: u32) -> Transfer {
    Transfer { bytes, ..command_to(chip) }
}

/// Returns a transfer of read data from a chip with one die.
pub fn data_from(chip: ChipId, bytes: u32) -> Transfer {
    Transfer { direction: Direction::FromChip, command: SimSpan::ZERO, bytes, ..command_to(chip) }
}

/// Returns the time of a chip-to-chip copy on an idle fabric, according to
/// [`Copies::idle_time_of_copy`](crate::Copies::idle_time_of_copy).
///
/// # Panics
/// Panics if the fabric does not support copies between chips.
pub fn idle_time_of_copy(fabric: &(impl Fabric + ?Sized), transfer: &Transfer, from: ChipId) -> SimSpan {
    let copies = fabric.capabilities().copies.expect("the fabric carries copies between chips");
    copies.idle_time_of_copy(transfer, from)
}

/// Transfer that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveredTransfer {
    /// Time of the delivery.
    pub at: SimTime,
    /// Time from the acceptance of the transfer to its delivery. If the transfer bounced, time from its last
    /// acceptance.
    pub took: SimSpan,
    /// Transfer as it was offered.
    pub transfer: Transfer,
    /// Delivery as reported by the fabric.
    pub delivery: Delivery,
}

#[derive(Clone, Copy, Debug)]
enum BenchEvent {
    Fabric(FabricEvent),
    /// An operation is submitted; the number is its index.
    Submitted(usize),
    /// The next transfer of this die's operation becomes ready.
    Next(DieId),
    /// The array operation of this die ends. The path of the die has been held since the die's last transfer.
    ArrayDone(ChipId, DieId),
    /// Faults occur, or the controllers detect faults.
    Faults,
    Pause,
}

/// Transfers of an operation, each with its delay after the end of the previous one.
type TransferSequence = VecDeque<(SimSpan, Transfer)>;

#[derive(Clone, Copy, Debug)]
struct Flight {
    transfer: Transfer,
    /// Source chip of a chip-to-chip transfer.
    from: Option<ChipId>,
    accepted: SimTime,
    /// Minimum duration of the transfer, which the fabric reported before it accepted the transfer.
    idle: SimSpan,
}

/// Transfer that is ready but not in progress.
#[derive(Clone, Copy, Debug)]
struct ReadyTransfer {
    transfer: Transfer,
    /// True if the fabric has refused the transfer; false if the transfer waits for the pins of its chip.
    was_refused: bool,
}

/// Fabric that can be copied, so that a check can make an offer without affecting the original.
pub trait CloneFabric: Fabric + DynClone {}

impl<F: Fabric + Clone> CloneFabric for F {}

clone_trait_object!(CloneFabric);

/// Test bench of a fabric: an event queue, and a caller that satisfies the contract of fabrics.
#[derive(Clone)]
pub struct FabricBench {
    /// Fabric under test.
    pub fabric: Box<dyn CloneFabric>,
    /// Deliveries so far, in the order in which they occurred.
    pub ended: Vec<DeliveredTransfer>,
    /// Time and die of each bounced transfer so far, in the order in which they occurred.
    pub bounced: Vec<(SimTime, DieId)>,
    /// Time and arbitration domain of each wake-up so far, in the order in which they occurred.
    pub woken: Vec<(SimTime, DomainId)>,
    /// Array time of operations that hold their path until the array operation ends.
    pub array_time: SimSpan,
    future: EventQueue<BenchEvent>,
    out: Outbox,
    flights: Vec<Flight>,
    /// For each domain, the ready transfers that are not in progress.
    waiting: Vec<VecDeque<ReadyTransfer>>,
    operations: Vec<TransferSequence>,
    /// For each chip, the indices of the operations that have not started.
    queued_at_chip: Vec<VecDeque<usize>>,
    /// For each chip, the index of the operation whose first transfer is ready but has not ended.
    beginning: Vec<Option<usize>>,
    /// For each die with a started operation, the index of this operation.
    begun: BTreeMap<DieId, usize>,
}

/// Visitor that creates a bench for a built-in fabric.
struct BenchVisitor;

impl FabricVisitor for BenchVisitor {
    type Output = FabricBench;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        FabricBench::new(fabric)
    }
}

impl FabricBench {
    /// Creates a bench at time zero with a built-in fabric.
    ///
    /// # Errors
    /// Returns the errors of [`FabricKind::validate`].
    pub fn of(kind: FabricKind, settings: &FabricSettings) -> Result<Self, FabricError> {
        kind.build_with(settings, BenchVisitor)
    }

    /// Creates a bench at time zero.
    pub fn new(fabric: impl Fabric + Clone + 'static) -> Self {
        let domains = fabric.domains();
        let chips = domains.last().map_or(0, |range| range.end as usize);
        Self {
            fabric: Box::new(fabric),
            ended: Vec::new(),
            bounced: Vec::new(),
            woken: Vec::new(),
            array_time: SimSpan::from_ns(2_345),
            future: EventQueue::new(),
            out: Outbox::default(),
            flights: Vec::new(),
            waiting: vec![VecDeque::new(); domains.len()],
            operations: Vec::new(),
            queued_at_chip: vec![VecDeque::new(); chips],
            beginning: vec![None; chips],
            begun: BTreeMap::new(),
        }
    }

    /// Returns the current time.
    pub fn now(&self) -> SimTime {
        self.future.now()
    }

    /// Returns the fabric's counters.
    pub fn counters(&self) -> FabricCounters {
        self.fabric.counters(self.now())
    }

    /// True if a transfer of this chip is in progress.
    pub fn is_in_flight(&self, chip: ChipId) -> bool {
        self.flights.iter().any(|flight| flight.transfer.chip == chip || flight.from == Some(chip))
    }

    /// Returns the arbitration domain of a chip.
    ///
    /// # Panics
    /// Panics if no domain contains the chip.
    pub fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId::of_chips(&self.fabric.domains())[chip.index()]
    }

    /// True if the fabric holds a path for the next transfer of `die`.
    pub fn holds_path(&self, die: DieId) -> bool {
        self.fabric.capabilities().holds_path(die)
    }

    /// True if the fabric reports that it would now refuse every transfer of `chip`, except those with a held
    /// path.
    pub fn is_refused(&self, chip: ChipId) -> bool {
        self.fabric.capabilities().hints.is_some_and(|hints| hints.refuses(chip, self.now()))
    }

    /// True if the fabric reports that it would now refuse every transfer in the domain of `chip`, except
    /// those with a held path.
    pub fn is_full_at(&self, chip: ChipId) -> bool {
        self.fabric.capabilities().hints.is_some_and(|hints| hints.is_full(self.domain_of(chip)))
    }

    /// Returns the transfers in progress.
    pub fn in_flight(&self) -> impl Iterator<Item = &Transfer> {
        self.flights.iter().map(|flight| &flight.transfer)
    }

    /// Returns the transfers that the fabric refused and that wait for a wake-up of their domain.
    pub fn refused(&self) -> impl Iterator<Item = &Transfer> {
        let all = self.waiting.iter().flatten().filter(|waiting| waiting.was_refused);
        all.map(|waiting| &waiting.transfer).filter(|transfer| !self.is_in_flight(transfer.chip))
    }

    /// Schedules the instants of the faults and of their detection, as the drive does.
    pub fn expect_faults(&mut self, faults: &FaultSettings) {
        for at in [faults.at, faults.known_at()] {
            self.future.schedule(at, BenchEvent::Faults);
        }
    }

    /// Processes all events up to and including `at`, then offers a transfer once.
    ///
    /// # Panics
    /// Panics if the chip has a transfer in progress, since the contract allows only one.
    #[track_caller]
    pub fn offer(&mut self, transfer: &Transfer, at: SimTime) -> Offer {
        self.run_until(at);
        assert!(
            !self.is_in_flight(transfer.chip),
            "the test offers a second transfer to {:?}",
            transfer.chip
        );
        let answer = self.offer_now(transfer);
        self.settle();
        answer
    }

    /// Processes all events up to and including `at`, then offers a chip-to-chip transfer once.
    ///
    /// # Panics
    /// Panics if one of the chips has a transfer in progress, or if the fabric does not support copies
    /// between chips.
    #[track_caller]
    pub fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, at: SimTime) -> Offer {
        self.run_until(at);
        for chip in [from, transfer.chip] {
            assert!(!self.is_in_flight(chip), "the test offers a second transfer to {chip:?}");
        }
        let now = self.future.now();
        let copies = self.fabric.copies_mut().expect("the fabric carries copies between chips");
        let idle = copies.idle_time_of_copy(transfer, from);
        let answer = copies.offer_copy(transfer, from, now, &mut self.out);
        if answer == Offer::Accepted {
            self.flights.push(Flight { transfer: *transfer, from: Some(from), accepted: now, idle });
        }
        self.settle();
        answer
    }

    /// Submits a transfer that is ready at `at`, or later if its chip is not free then. The bench offers the
    /// transfer until the fabric accepts it.
    pub fn submit(&mut self, transfer: Transfer, at: SimTime) {
        self.submit_operation([(SimSpan::ZERO, transfer)], at);
    }

    /// Submits an operation. Its first transfer is ready at `at`. Each further transfer is ready after its
    /// own delay, counted from the end of the previous transfer. The die starts no other operation before the
    /// last transfer has ended.
    pub fn submit_operation(
        &mut self,
        transfers: impl IntoIterator<Item = (SimSpan, Transfer)>,
        at: SimTime,
    ) {
        self.future.schedule(at, BenchEvent::Submitted(self.operations.len()));
        self.operations.push(transfers.into_iter().collect());
    }

    /// Processes all events up to and including `at`.
    pub fn run_until(&mut self, at: SimTime) {
        self.future.schedule(at, BenchEvent::Pause);
        let mut paused = false;
        while let Some((_, event)) = self.future.pop() {
            let pause = matches!(event, BenchEvent::Pause);
            if pause && paused {
                return;
            }
            paused = pause;
            self.happen(event);
        }
    }

    /// Processes one event; returns false if there is none.
    pub fn step(&mut self) -> bool {
        let event = self.future.pop();
        if let Some((_, event)) = event {
            self.happen(event);
        }
        event.is_some()
    }

    /// Processes all events.
    ///
    /// # Panics
    /// Panics if a submitted transfer was never delivered, or if the fabric is not quiet at the end.
    #[track_caller]
    pub fn run_to_end(&mut self) {
        while self.step() {}
        assert!(self.flights.is_empty(), "accepted, never ended: {:?}", self.flights);
        let refused: Vec<_> = self.waiting.iter().flatten().collect();
        assert!(refused.is_empty(), "lost wake-up: refused and never woken: {refused:?}");
        assert!(self.fabric.is_quiet(), "everything has ended and the fabric is not quiet");
    }

    /// Asserts that the fabric accepts `transfer` at `at`, but not one picosecond earlier.
    ///
    /// # Panics
    /// Panics if the fabric accepts the transfer earlier or not at `at`.
    #[track_caller]
    pub fn assert_earliest_ready(&mut self, transfer: &Transfer, at: SimTime) {
        let just_before = SimTime::from_ps(at.as_ps() - 1);
        assert_ne!(self.offer(transfer, just_before), Offer::Accepted, "loose: accepted before {at}");
        assert_eq!(self.offer(transfer, at), Offer::Accepted, "late: not yet accepted at {at}");
    }

    /// Asserts that delivery number `index`, counted from 0, was for `chip` and occurred at `at`.
    ///
    /// # Panics
    /// Panics if the delivery differs or is missing.
    #[track_caller]
    pub fn assert_delivered(&self, index: usize, chip: ChipId, at: SimTime) {
        let ended = self.ended.get(index).expect("so many transfers were delivered");
        assert_eq!((ended.transfer.chip, ended.at), (chip, at));
    }

    fn happen(&mut self, event: BenchEvent) {
        match event {
            BenchEvent::Fabric(event) => self.fabric.handle(event, self.future.now(), &mut self.out),
            BenchEvent::Faults => self.fabric.faults_due(self.future.now(), &mut self.out),
            BenchEvent::Submitted(operation) => self.arrive(operation),
            BenchEvent::ArrayDone(chip, die) => self.end_array_work(chip, die),
            BenchEvent::Next(die) => self.make_ready(self.operations[self.begun[&die]][0].1),
            // Events that were scheduled for this instant in the meantime precede the second pause.
            BenchEvent::Pause => self.future.schedule(self.future.now(), BenchEvent::Pause),
        }
        self.settle();
    }

    fn arrive(&mut self, operation: usize) {
        let chip = self.operations[operation][0].1.chip;
        self.queued_at_chip[chip.index()].push_back(operation);
        self.begin_next(chip);
    }

    /// Starts the next operation of the chip if its die is idle.
    fn begin_next(&mut self, chip: ChipId) {
        if self.beginning[chip.index()].is_some() {
            return;
        }
        let Some(&next) = self.queued_at_chip[chip.index()].front() else { return };
        let (_, transfer) = self.operations[next][0];
        if self.begun.contains_key(&transfer.die) {
            return;
        }
        self.queued_at_chip[chip.index()].pop_front();
        self.beginning[chip.index()] = Some(next);
        self.make_ready(transfer);
    }

    fn make_ready(&mut self, transfer: Transfer) {
        let is_busy = self.is_in_flight(transfer.chip);
        if is_busy || self.offer_now(&transfer) != Offer::Accepted {
            self.keep(transfer, !is_busy);
        }
    }

    fn keep(&mut self, transfer: Transfer, was_refused: bool) {
        let domain = self.domain_of(transfer.chip);
        self.waiting[domain.0 as usize].push_back(ReadyTransfer { transfer, was_refused });
    }

    fn offer_now(&mut self, transfer: &Transfer) -> Offer {
        let now = self.future.now();
        let is_held = self.holds_path(transfer.die);
        let idle = self.fabric.idle_time(transfer);
        let answer = self.fabric.offer(transfer, now, &mut self.out);
        assert!(!is_held || answer == Offer::Accepted, "{transfer:?} is refused its own path: {answer:?}");
        if answer == Offer::Accepted {
            self.flights.push(Flight { transfer: *transfer, from: None, accepted: now, idle });
        }
        answer
    }

    /// Processes the outputs of the fabric until no output is left.
    fn settle(&mut self) {
        loop {
            let mut out = std::mem::take(&mut self.out);
            for (at, event) in out.scheduled.drain() {
                self.future.schedule(at, BenchEvent::Fabric(event));
            }
            if out.delivered.is_empty() && out.bounced.is_empty() && out.woken.is_empty() {
                return;
            }
            out.delivered.drain(..).for_each(|delivery| self.end(delivery));
            out.bounced.drain(..).for_each(|die| self.bounce(die));
            out.woken.drain(..).for_each(|domain| self.wake(domain));
        }
    }

    fn land(&mut self, die: DieId) -> Flight {
        let index = self.flights.iter().position(|flight| flight.transfer.die == die);
        self.flights.swap_remove(index.expect("only what is in flight can end"))
    }

    fn end(&mut self, delivery: Delivery) {
        let Flight { transfer, from, accepted, idle } = self.land(delivery.die);
        let at = self.future.now();
        let took = at.since(accepted);
        assert!(took >= idle, "{transfer:?} was faster than on an idle fabric");
        assert!(delivery.path_wait <= took, "{transfer:?} was blocked for longer than it took");
        self.ended.push(DeliveredTransfer { at, took, transfer, delivery });
        if from.is_none() {
            self.go_on(&transfer);
        }
        for chip in from.into_iter().chain([transfer.chip]) {
            self.offer_same_chip(chip);
            self.begin_next(chip);
        }
    }

    /// Schedules the next transfer of the operation to which `transfer` belongs, after the end of `transfer`.
    fn go_on(&mut self, transfer: &Transfer) {
        let is_its = |&operation: &usize| self.operations[operation][0].1.die == transfer.die;
        let beginning = self.beginning[transfer.chip.index()].take_if(|operation| is_its(operation));
        let Some(operation) = beginning.or_else(|| self.begun.get(&transfer.die).copied()) else { return };
        self.operations[operation].pop_front();
        match self.operations[operation].front() {
            Some(&(after, _)) => {
                self.begun.insert(transfer.die, operation);
                self.future.schedule(self.future.now() + after, BenchEvent::Next(transfer.die));
            }
            None if transfer.keeps_path => {
                self.begun.insert(transfer.die, operation);
                let done = BenchEvent::ArrayDone(transfer.chip, transfer.die);
                self.future.schedule(self.future.now() + self.array_time, done);
            }
            None => drop(self.begun.remove(&transfer.die)),
        }
    }

    /// Releases the path that was held during an array operation, which has ended.
    fn end_array_work(&mut self, chip: ChipId, die: DieId) {
        self.begun.remove(&die);
        self.fabric.release_path(chip, die, self.future.now(), &mut self.out);
        assert!(!self.holds_path(die), "a path is held for {die:?} after its release");
        self.begin_next(chip);
    }

    /// Offers transfers that waited for the pins of the chip.
    fn offer_same_chip(&mut self, chip: ChipId) {
        let domain = self.domain_of(chip).0 as usize;
        let waits = |it: &ReadyTransfer| it.transfer.chip == chip && !it.was_refused;
        while let Some(place) = self.waiting[domain].iter().position(waits) {
            let Some(ReadyTransfer { transfer, .. }) = self.waiting[domain].remove(place) else { return };
            self.make_ready(transfer);
            if self.is_in_flight(chip) {
                return;
            }
        }
    }

    fn bounce(&mut self, die: DieId) {
        let Flight { transfer, .. } = self.land(die);
        self.bounced.push((self.future.now(), die));
        self.keep(transfer, true);
        self.offer_same_chip(transfer.chip);
    }

    fn wake(&mut self, domain: DomainId) {
        self.woken.push((self.future.now(), domain));
        let waiting = std::mem::take(&mut self.waiting[domain.0 as usize]);
        let mut domain_busy = false;
        for ReadyTransfer { transfer, .. } in waiting {
            if self.is_in_flight(transfer.chip) {
                self.keep(transfer, false);
                continue;
            }
            if domain_busy && !self.holds_path(transfer.die) {
                self.keep(transfer, true);
                continue;
            }
            let answer = self.offer_now(&transfer);
            domain_busy |= answer == Offer::DomainBusy;
            if answer != Offer::Accepted {
                self.keep(transfer, true);
            }
        }
    }
}
