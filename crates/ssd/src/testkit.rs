//! A bench for fabrics: offers transfers, lets time pass, writes down what the fabric says, and
//! checks on every event what the contract demands of every fabric.
//!
//! # How
//! [`FabricBench::offer`] makes one offer at one instant, for tests of a single rule.
//! [`FabricBench::submit`] plays the caller of the contract: it keeps to one transfer per chip, keeps
//! refused transfers, and offers them again, oldest first, when their domain is woken.
//!
//! Built with the feature `testkit` only.

pub mod drive;
pub mod trace;

use std::collections::VecDeque;

use venice_kernel::{EventQueue, Rate, SimSpan, SimTime};

use crate::fabric::{
    BusChoice, BusSettings, ControllerChoice, DecoupledSettings, Delivery, Direction, DomainId, Fabric,
    FabricEvent, FabricSettings, FaultSettings, HlnandSettings, Hold, MeshLink, NossdSettings, Offer, Outbox,
    PathLoops, PnssdSettings, PortChoice, PssdSettings, Reply, Reservation, Retry, Routing, Transfer,
    VeniceSettings,
};
use crate::geometry::{Array, ChipId, DieId};

/// Settings with the rates of Nadig et al., "Venice", ISCA 2023, Table 1 and §5: channels of 1.2 GB/s,
/// links of 8 bits at 1 GHz, port buffers of 16 KB; headers and payloads are plausible round numbers.
pub fn paper_settings(rows: u32, cols: u32) -> FabricSettings {
    FabricSettings {
        array: Array { rows, cols },
        seed: 1,
        hold: Hold::Transfer,
        bus: BusSettings { rate: Rate::from_mb_per_s(1200.0) },
        pssd: PssdSettings { speedup: 2, header_bytes: 8 },
        pnssd: PnssdSettings { path_choice: BusChoice::Free, transfers_per_controller: 2 },
        mesh_link: MeshLink { width_bits: 8, latency: SimSpan::from_ns(1) },
        hlnand: HlnandSettings { rate: Rate::from_mb_per_s(800.0), hop: SimSpan::from_ns(5) },
        decoupled: DecoupledSettings {
            system_bus: Rate::from_mb_per_s(8000.0),
            global_copyback: true,
            link: Rate::from_mb_per_s(2400.0),
            hop: SimSpan::from_ns(2),
        },
        faults: FaultSettings::default(),
        nossd: NossdSettings {
            controller: ControllerChoice::NearestFree,
            reply: Reply::Retrace,
            port_buffer_bytes: 16 * 1024,
            header_bytes: 8,
            max_payload_bytes: 4096,
            router_latency: SimSpan::from_ns(1),
        },
        venice: VeniceSettings {
            routing: Routing::NonMinimalAdaptive,
            port_choice: PortChoice::Random,
            controller: ControllerChoice::NearestFree,
            retry: Retry::AtOnce,
            path_loops: PathLoops::Kept,
            reservation: Reservation::Atomic,
            scout_takes_time: true,
        },
    }
}

/// The wire time of a command in Nadig et al., "Venice", ISCA 2023, §3.1.
pub const COMMAND: SimSpan = SimSpan::from_ns(10);

/// A bare command to the only die of a chip.
pub fn command_to(chip: ChipId) -> Transfer {
    Transfer {
        die: DieId(chip.0),
        chip,
        direction: Direction::ToChip,
        command: COMMAND,
        bytes: 0,
        more_follows: false,
        moved: None,
    }
}

/// A command with data to be programmed, to the only die of a chip.
pub fn program_to(chip: ChipId, bytes: u32) -> Transfer {
    Transfer { bytes, ..command_to(chip) }
}

/// Data that was read, from the only die of a chip.
pub fn data_from(chip: ChipId, bytes: u32) -> Transfer {
    Transfer { direction: Direction::FromChip, command: SimSpan::ZERO, bytes, ..command_to(chip) }
}

/// A transfer that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When.
    pub at: SimTime,
    /// Since its (last) acceptance.
    pub took: SimSpan,
    /// What was delivered.
    pub transfer: Transfer,
    /// What the fabric said of it.
    pub delivery: Delivery,
}

#[derive(Clone, Copy, Debug)]
enum BenchEvent {
    Fabric(FabricEvent),
    Submitted(Transfer),
    Pause,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    transfer: Transfer,
    accepted: SimTime,
}

/// A fabric, a future, and a caller that keeps the contract.
#[derive(Clone, Debug)]
pub struct FabricBench<F> {
    /// The fabric on the bench.
    pub fabric: F,
    /// Deliveries, in the order in which they came.
    pub ended: Vec<Ended>,
    /// Bounces, in the order in which they came.
    pub bounced: Vec<(SimTime, DieId)>,
    /// Wake-ups, in the order in which they came.
    pub woken: Vec<(SimTime, DomainId)>,
    future: EventQueue<BenchEvent>,
    out: Outbox,
    flights: Vec<Flight>,
    waiting: Vec<VecDeque<Transfer>>,
    queued_at_chip: Vec<VecDeque<Transfer>>,
}

impl<F: Fabric> FabricBench<F> {
    /// A bench at instant zero.
    pub fn new(fabric: F) -> Self {
        let domains = fabric.domains();
        let chips = domains.last().map_or(0, |range| range.end as usize);
        Self {
            fabric,
            ended: Vec::new(),
            bounced: Vec::new(),
            woken: Vec::new(),
            future: EventQueue::new(),
            out: Outbox::default(),
            flights: Vec::new(),
            waiting: vec![VecDeque::new(); domains.len()],
            queued_at_chip: vec![VecDeque::new(); chips],
        }
    }

    /// The present instant.
    pub fn now(&self) -> SimTime {
        self.future.now()
    }

    /// Whether a transfer of this chip was accepted and has not ended.
    pub fn is_in_flight(&self, chip: ChipId) -> bool {
        self.flights.iter().any(|flight| flight.transfer.chip == chip)
    }

    /// The refused transfers that wait for their domain to be woken.
    pub fn refused(&self) -> impl Iterator<Item = &Transfer> {
        self.waiting.iter().flatten()
    }

    /// Lets everything up to `at` happen, that instant included, and offers once.
    ///
    /// # Panics
    /// When the chip has a transfer in flight: the contract forbids the caller a second one.
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

    /// Makes a transfer ready at `at` (or when its chip is free, if that is later); the bench sees to
    /// it that it is offered until it is accepted.
    pub fn submit(&mut self, transfer: Transfer, at: SimTime) {
        self.future.schedule(at, BenchEvent::Submitted(transfer));
    }

    /// Lets everything up to `at` happen, that instant included.
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

    /// Lets one event happen; false when there is none.
    pub fn step(&mut self) -> bool {
        let event = self.future.pop();
        if let Some((_, event)) = event {
            self.happen(event);
        }
        event.is_some()
    }

    /// Lets everything happen.
    ///
    /// # Panics
    /// When a submitted transfer was never delivered, or the fabric is not quiet at the end.
    #[track_caller]
    pub fn run_to_end(&mut self) {
        while self.step() {}
        assert!(self.flights.is_empty(), "accepted, never ended: {:?}", self.flights);
        let refused: Vec<_> = self.refused().collect();
        assert!(refused.is_empty(), "lost wake-up: refused and never woken: {refused:?}");
        assert!(self.fabric.is_quiet(), "everything has ended and the fabric is not quiet");
    }

    /// Asserts that `transfer` can be accepted at `at` and not one picosecond earlier.
    ///
    /// # Panics
    /// When the gate is loose or late.
    #[track_caller]
    pub fn assert_earliest_ready(&mut self, transfer: &Transfer, at: SimTime) {
        let just_before = SimTime::from_ps(at.as_ps() - 1);
        assert_ne!(self.offer(transfer, just_before), Offer::Accepted, "loose: accepted before {at}");
        assert_eq!(self.offer(transfer, at), Offer::Accepted, "late: not yet accepted at {at}");
    }

    /// Asserts that the delivery of number `index` came at `at`.
    ///
    /// # Panics
    /// When it came at another instant, or not at all.
    #[track_caller]
    pub fn assert_delivered(&self, index: usize, chip: ChipId, at: SimTime) {
        let ended = self.ended.get(index).expect("so many transfers were delivered");
        assert_eq!((ended.transfer.chip, ended.at), (chip, at));
    }

    fn happen(&mut self, event: BenchEvent) {
        match event {
            BenchEvent::Fabric(event) => self.fabric.handle(event, self.future.now(), &mut self.out),
            BenchEvent::Submitted(transfer) => self.arrive(transfer),
            // Events that were scheduled for this very instant meanwhile come before the second pause.
            BenchEvent::Pause => self.future.schedule(self.future.now(), BenchEvent::Pause),
        }
        self.settle();
    }

    fn arrive(&mut self, transfer: Transfer) {
        let queue = &mut self.queued_at_chip[transfer.chip.index()];
        queue.push_back(transfer);
        if queue.len() == 1 {
            self.offer_or_keep(transfer);
        }
    }

    fn offer_or_keep(&mut self, transfer: Transfer) {
        if self.offer_now(&transfer) != Offer::Accepted {
            self.keep(transfer);
        }
    }

    fn keep(&mut self, transfer: Transfer) {
        let domain = self.fabric.domain_of(transfer.chip);
        self.waiting[domain.0 as usize].push_back(transfer);
    }

    fn offer_now(&mut self, transfer: &Transfer) -> Offer {
        let now = self.future.now();
        let answer = self.fabric.offer(transfer, now, &mut self.out);
        if answer == Offer::Accepted {
            self.flights.push(Flight { transfer: *transfer, accepted: now });
        }
        answer
    }

    /// Empties the outbox, and what answering it puts there.
    fn settle(&mut self) {
        loop {
            let mut out = std::mem::take(&mut self.out);
            for (at, event) in out.scheduled.drain(..) {
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
        let Flight { transfer, accepted } = self.land(delivery.die);
        let at = self.future.now();
        let took = at.since(accepted);
        assert!(took >= self.fabric.idle_time(&transfer), "{transfer:?} was faster than on an idle fabric");
        assert!(delivery.path_wait <= took, "{transfer:?} was blocked for longer than it took");
        self.ended.push(Ended { at, took, transfer, delivery });
        let queue = &mut self.queued_at_chip[transfer.chip.index()];
        queue.pop_front();
        if let Some(&next) = queue.front() {
            self.offer_or_keep(next);
        }
    }

    fn bounce(&mut self, die: DieId) {
        let Flight { transfer, .. } = self.land(die);
        self.bounced.push((self.future.now(), die));
        self.keep(transfer);
    }

    fn wake(&mut self, domain: DomainId) {
        self.woken.push((self.future.now(), domain));
        let refused = std::mem::take(&mut self.waiting[domain.0 as usize]);
        let mut domain_busy = false;
        for transfer in refused {
            let answer = if domain_busy { Offer::DomainBusy } else { self.offer_now(&transfer) };
            domain_busy = answer == Offer::DomainBusy;
            if answer != Offer::Accepted {
                self.keep(transfer);
            }
        }
    }
}
