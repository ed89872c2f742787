//! `HyperLink` NAND: each flash controller and its chips form a ring of point-to-point links.
//!
//! # What it models
//! Controller *i* and the chips of row *i* are joined in a ring by links that lead one way: from the
//! controller to the chip of column 0, from each chip to the next, and from the last chip back to the
//! controller. A chip passes on what is not for it. Commands and data to a chip travel from the
//! controller to it and no further; data from a chip travels through the chips behind it to the
//! controller. Every transfer has an arc of the ring: a program and a read meet only on the links that
//! both their arcs contain.
//!
//! # How
//! Link 0 leaves the controller, link *c* + 1 leaves the chip of column *c*. A transfer to column *c* takes
//! links 0 to *c*, one from there links *c* + 1 to C. It needs each link for its wire time, command + bytes /
//! rate, and the *n*-th link of its arc *n* × hop later than the first (cut-through). Chips keep nothing, so the
//! controller, which orders every transfer of its ring, starts one only when each link will be free by the
//! time the head comes there: transfers may follow each other closely, and never meet. What cannot start
//! now is refused, with a wake-up at the instant at which it could. Idle time: the wire time + one hop for
//! each chip that is passed.
//!
//! A ring is a domain. The paths are the links, ring by ring.
//!
//! # What is left out
//! The packet that asks for data (as on the bus), the bridge chip's own channels to the dies of its package
//! (a chip is what is behind the pins, as everywhere), status packets, and links that fail.
//!
//! # Source
//! Gillingham et al., "A 256Gb NAND flash memory stack with 300MB/s HLNAND interface chip for
//! point-to-point ring topology", IMW 2011; "800 MB/s DDR NAND flash memory multi-chip package with
//! source-synchronous interface for point-to-point ring topology", IEEE Access 2013 (byte-wide DDR links,
//! the ring, data cut off behind its addressee); named by Nadig et al., "Venice", ISCA 2023, §7.
//!
//! # Parameters
//! All of `hlnand`.

use std::ops::{Range, RangeInclusive};

use venice_kernel::{SimSpan, SimTime};

use super::{
    Delivery, Direction, DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, HlnandSettings,
    Offer, Outbox, Transfer, Wiring,
};
use crate::geometry::{Array, ChipId};

/// What a [`FabricEvent`] means here.
enum Event {
    /// The transfer of this chip has arrived.
    Arrived(ChipId),
    /// What was refused in this ring might start.
    Wake(DomainId),
}

/// A ring of chips for each controller.
#[derive(Clone, Debug)]
pub struct HlNand {
    array: Array,
    settings: HlnandSettings,
    /// By link: when the last tail that was let onto it will have crossed.
    free_at: Vec<SimTime>,
    /// By link.
    busy: Vec<SimSpan>,
    /// By chip: what its transfer will tell when it ends.
    carried: Vec<Option<Delivery>>,
    in_flight: u32,
    /// By ring: the earliest wake-up to come.
    wake_at: Vec<Option<SimTime>>,
}

impl HlNand {
    /// The rings over the settings' array.
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        let links = (array.rows * (array.cols + 1)) as usize;
        Self {
            array,
            settings: settings.hlnand,
            free_at: vec![SimTime::ZERO; links],
            busy: vec![SimSpan::ZERO; links],
            carried: vec![None; array.chips() as usize],
            in_flight: 0,
            wake_at: vec![None; array.rows as usize],
        }
    }

    /// The links of a transfer, in the order in which it crosses them.
    #[inline]
    fn arc(&self, transfer: &Transfer) -> RangeInclusive<usize> {
        let (row, col) = (self.array.row(transfer.chip), self.array.col(transfer.chip));
        let ring = row * (self.array.cols + 1);
        let (first, last) = match transfer.direction {
            Direction::ToChip => (0, col),
            Direction::FromChip => (col + 1, self.array.cols),
        };
        (ring + first) as usize..=(ring + last) as usize
    }

    #[inline]
    fn wire_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + self.settings.rate.time_for(u64::from(transfer.bytes))
    }

    /// The earliest instant at which a head may leave so that it finds each link of its arc free.
    #[inline]
    fn earliest(&self, arc: RangeInclusive<usize>) -> SimTime {
        let first = *arc.start();
        let leave = |link: usize| {
            let head_start = (self.settings.hop * (link - first) as u64).as_ps();
            self.free_at[link].as_ps().saturating_sub(head_start)
        };
        SimTime::from_ps(arc.map(leave).max().unwrap_or(0))
    }

    fn refuse(&mut self, transfer: &Transfer, until: SimTime, out: &mut Outbox) -> Offer {
        let ring = self.domain_of(transfer.chip);
        let wake_at = &mut self.wake_at[ring.0 as usize];
        if wake_at.is_none_or(|at| until < at) {
            *wake_at = Some(until);
            out.schedule(until, self.event(&Event::Wake(ring)));
        }
        Offer::PathBusy
    }

    /// Wakes a ring, unless an earlier wake-up has taken this one's place: who was refused has been offered
    /// again then, and asked for another.
    fn wake(&mut self, ring: DomainId, now: SimTime, out: &mut Outbox) {
        let wake_at = &mut self.wake_at[ring.0 as usize];
        if wake_at.take_if(|&mut at| at == now).is_some() {
            out.woken.push(ring);
        }
    }

    #[inline]
    fn event(&self, event: &Event) -> FabricEvent {
        match event {
            Event::Arrived(chip) => FabricEvent(chip.0),
            Event::Wake(ring) => FabricEvent(self.array.chips() + ring.0),
        }
    }

    #[inline]
    fn meaning(&self, FabricEvent(number): FabricEvent) -> Event {
        match number.checked_sub(self.array.chips()) {
            None => Event::Arrived(ChipId(number)),
            Some(ring) => Event::Wake(DomainId(ring)),
        }
    }

    fn arrive(&mut self, chip: ChipId, out: &mut Outbox) {
        let ended = self.carried[chip.index()].take();
        self.in_flight -= 1;
        out.delivered.push(ended.expect("a transfer in flight is delivered"));
    }
}

impl Fabric for HlNand {
    fn domains(&self) -> Vec<Range<u32>> {
        self.array.chips_by_row().collect()
    }

    #[inline]
    fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId(self.array.row(chip))
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let arc = self.arc(transfer);
        let earliest = self.earliest(arc.clone());
        // Nobody is let past those who wait for a wake-up that is due at this instant.
        let is_due = self.wake_at[self.domain_of(transfer.chip).0 as usize] == Some(now);
        if earliest > now || is_due {
            return self.refuse(transfer, earliest.max(now), out);
        }
        let wire_time = self.wire_time(transfer);
        let hops = (arc.end() - arc.start()) as u32;
        let mut head = now;
        for link in arc {
            self.free_at[link] = head + wire_time;
            self.busy[link] += wire_time;
            head = head + self.settings.hop;
        }
        let delivery = Delivery { die: transfer.die, path_wait: SimSpan::ZERO, hops };
        self.carried[transfer.chip.index()] = Some(delivery);
        self.in_flight += 1;
        out.schedule(now + self.idle_time(transfer), self.event(&Event::Arrived(transfer.chip)));
        Offer::Accepted
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        match self.meaning(event) {
            Event::Arrived(chip) => self.arrive(chip, out),
            Event::Wake(ring) => self.wake(ring, now, out),
        }
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        let arc = self.arc(transfer);
        self.wire_time(transfer) + self.settings.hop * (arc.end() - arc.start()) as u64
    }

    fn is_quiet(&self) -> bool {
        self.in_flight == 0
    }

    fn counters(&self) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        let links = self.array.rows * (self.array.cols + 1);
        Wiring { links, routers: self.array.chips(), ..Wiring::default() }
    }

    fn path_busy(&self) -> Vec<SimSpan> {
        self.busy.clone()
    }
}
