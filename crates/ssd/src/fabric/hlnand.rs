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
//! What was refused keeps its arc from younger ones: a transfer whose links are free is let go only if it delays
//! none that was refused and has been asked for longer, by the age of the page's read or write. Without that the
//! far end of a ring starves, since its commands need the links that everybody else's cross. A refused one that is
//! not offered again when its ring is woken has gone, and keeps nothing. What was refused stays refused until its
//! ring is woken.
//!
//! With `hold = operation` the path of a read is its ring: the command comes in over one arc, the data leave over
//! the other. A read's command starts when a head that went on round the ring would find each link free, and the
//! ring is the die's until the last byte of its data has reached the controller. Programs and erases follow each
//! other as ever.
//!
//! A link that fails cuts its ring: whatever crosses it waits, and when the controller knows, the ring is lost with all its chips, as each
//! needs every link, some for what goes to it and the others for what comes from it. With `links_turn` links are turned round in a
//! cut ring. It then is two lines that begin at the controller: chips before the first cut are served over links 0 to *c*, those behind
//! the last over links *c* + 1 to C, in both directions. Since a link serves one direction at a time there, a transfer has all
//! links of its line from its start to its end. Chips between two cuts are lost.
//!
//! A ring is a domain. The paths are the links, ring by ring.
//!
//! # What is left out
//! The packet that asks for data (as on the bus), the bridge chip's own channels to the dies of its package
//! (a chip is what is behind the pins, as everywhere), status packets, and the time that links take to turn.
//!
//! # Source
//! Gillingham et al., "A 256Gb NAND flash memory stack with 300MB/s HLNAND interface chip for
//! point-to-point ring topology", IMW 2011; "800 MB/s DDR NAND flash memory multi-chip package with
//! source-synchronous interface for point-to-point ring topology", IEEE Access 2013 (byte-wide DDR links,
//! the ring, data cut off behind its addressee); named by Nadig et al., "Venice", ISCA 2023, §7.
//!
//! # Parameters
//! `fabric.hold`, and all of `fabric.hlnand`.

use std::ops::{Range, RangeInclusive};

use venice_kernel::{Rate, SimSpan, SimTime};

use super::loss::{Loss, PathFaults};
use super::{
    Delivery, Direction, DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, Features, Hold,
    Model, Offer, Outbox, Place, Stop, Transfer, Wiring, place,
};
use crate::geometry::{Array, ChipId, DieId};
use crate::parameters::{Kind, LONGEST_NS, declare, number, wire_rate_or};

/// What a [`FabricEvent`] means here.
enum Event {
    /// The transfer of this chip has arrived.
    Arrived(ChipId),
    /// What was refused in this ring might start.
    Wake(DomainId),
}

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
struct Carried {
    /// What it will tell when it ends.
    delivery: Delivery,
    /// Whether it leaves its ring to its die then.
    keep: bool,
    /// Its use of the links, unless its ring is held for its die.
    crossing: Option<Crossing>,
}

/// The use of an arc of links by a transfer under way.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// The first link.
    first: usize,
    /// Number of links.
    links: usize,
    /// The instant at which the head enters the first link.
    sent: SimTime,
    /// Time that the head takes from one link to the next.
    hop: SimSpan,
    /// Time for which each link is in use.
    wire_time: SimSpan,
}

impl Crossing {
    /// Returns the links, each with the time after `now` for which the transfer uses it.
    fn ahead(self, now: SimTime) -> impl Iterator<Item = (usize, SimSpan)> {
        (0..self.links).map(move |step| {
            let head = self.sent + self.hop * step as u64;
            let end = head + self.wire_time;
            (self.first + step, end.max(now).since(head.max(now)))
        })
    }
}

/// A transfer that was refused and keeps its arc from younger ones.
#[derive(Clone, Debug)]
struct Waiting {
    arc: RangeInclusive<usize>,
    /// Since when it has been asked for.
    since: SimTime,
    /// The earliest instant at which it may leave, as far as it was told.
    until: SimTime,
    /// The wake-up of its ring after which it was offered last. Two later it is taken to be gone.
    round: u64,
}

/// A ring that was cut, once that is known.
#[derive(Clone, Debug)]
struct Cut {
    /// Whether its links turn, so that it is two lines.
    turns: bool,
    /// The first link that failed, and the last one, counted from the controller round to it.
    links: RangeInclusive<usize>,
}

impl Cut {
    /// Which end of a cut ring serves the chip of a column: the one before the first cut, or the one behind the last.
    fn end_of(&self, column: usize) -> Option<End> {
        if !self.turns {
            None
        } else if column < *self.links.start() {
            Some(End::Front)
        } else {
            (column >= *self.links.end()).then_some(End::Back)
        }
    }
}

/// One of the two lines that are left of a cut ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

/// A ring that one die has to itself.
#[derive(Clone, Copy, Debug)]
struct Held {
    die: DieId,
    /// Since when; the *n*-th link *n* hops later.
    since: SimTime,
    /// Time for which bytes have crossed its links, summed over links.
    crossed: SimSpan,
}

declare! {
    /// The rings of chips of `hlnand`.
    pub struct HlnandSettings in "fabric.hlnand." {
        /// Data rate of a link of a ring.
        ///
        /// `channel`: that of a channel (`fabric.channel_rate_mb_per_s`). Byte-wide DDR links of 800 MB/s are published (Gillingham et
        /// al., IEEE Access 2013).
        rate as link_rate_mb_per_s: Option<Rate> = wire_rate_or("channel"), unit "MB/s", default "channel",
            source "ours: the pins of a chip are as fast on a link as on a channel";
        /// Time that a chip takes to pass on what is not for it.
        hop as hop_latency_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "5",
            source "assumed: two cycles of the 400 MHz clock of such a link, to take a byte in and to send it on";
        /// Whether the links of a ring that was cut turn round as needed.
        ///
        /// Then its chips before the first cut are reached from one end, those behind the last from the other, one transfer on a link
        /// at a time. As published links lead one way, and a ring with a cut anywhere reaches none of its chips and hears none.
        links_turn: bool = Kind::Boolean, unit "", default "false",
            source "Gillingham et al., IEEE Access 2013 (links lead one way); turning is ours";
    }
}

/// A ring of chips for each controller.
#[derive(Clone, Debug)]
pub struct HlNand {
    array: Array,
    settings: HlnandSettings,
    /// Data rate of a link.
    rate: Rate,
    hold: Hold,
    /// By link: when the last tail that was let onto it will have crossed.
    free_at: Vec<SimTime>,
    /// By link.
    busy: Vec<SimSpan>,
    /// By chip.
    carried: Vec<Option<Carried>>,
    in_flight: u32,
    /// By ring.
    held: Vec<Option<Held>>,
    /// Time for which rings were held and nothing crossed their links, summed over links.
    kept: SimSpan,
    /// By ring: the earliest wake-up to come.
    wake_at: Vec<Option<SimTime>>,
    /// By chip: what waits to go to it, and what waits to come from it.
    waiting: Vec<[Option<Waiting>; 2]>,
    /// By chip: since when what is offered has been asked for, where that was said.
    asked_since: Vec<Option<SimTime>>,
    /// By ring: how many of these there are, gone ones included.
    waiting_count: Vec<u32>,
    /// By ring: wake-ups so far.
    rounds: Vec<u64>,
    faults: Option<Box<PathFaults>>,
    /// By ring: where it was cut, once that is known; empty if no ring ever is.
    cuts: Vec<Option<Cut>>,
}

/// Where a ring is cut by the links of which `is_cut` holds, counted round it; none where it is whole.
fn cut_of(columns: u32, turns: bool, is_cut: impl Fn(usize) -> bool) -> Option<Cut> {
    let mut cuts = (0..=columns as usize).filter(|&link| is_cut(link));
    let first = cuts.next()?;
    Some(Cut { turns, links: first..=cuts.last().unwrap_or(first) })
}

impl Model for HlNand {
    type Parameters = HlnandSettings;

    /// Returns the chips of cut rings that are not on either line that is left.
    fn loss(settings: &FabricSettings) -> Loss {
        let (array, turns) = (settings.array, settings.own.hlnand.links_turn);
        let cut = |row| {
            cut_of(array.cols, turns, |link| settings.faults.fails(row * (array.cols + 1) + link as u32))
        };
        let cuts: Vec<_> = (0..array.rows).map(cut).collect();
        let lost = |chip| {
            let cut = cuts[array.row(chip) as usize].as_ref();
            cut.is_some_and(|cut| cut.end_of(array.col(chip) as usize).is_none())
        };
        Loss::of(settings.array, "their ring", lost)
    }
}

impl HlNand {
    /// The rings over the settings' array.
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        let links = (array.rows * (array.cols + 1)) as usize;
        Self {
            array,
            settings: settings.own.hlnand,
            rate: settings.own.hlnand.rate.unwrap_or(settings.bus.rate),
            hold: settings.hold,
            free_at: vec![SimTime::ZERO; links],
            busy: vec![SimSpan::ZERO; links],
            carried: vec![None; array.chips() as usize],
            in_flight: 0,
            held: vec![None; array.rows as usize],
            kept: SimSpan::ZERO,
            wake_at: vec![None; array.rows as usize],
            waiting: vec![[None, None]; array.chips() as usize],
            asked_since: vec![None; array.chips() as usize],
            waiting_count: vec![0; array.rows as usize],
            rounds: vec![0; array.rows as usize],
            faults: PathFaults::new(links as u32, &settings.faults).map(Box::new),
            cuts: Vec::new(),
        }
        .knowing_what_failed(SimTime::ZERO)
    }

    fn knowing_what_failed(mut self, now: SimTime) -> Self {
        self.keep_up(now);
        self
    }

    /// Lets fail what is due. When it is known, cut rings are lines, and what waited in them asks anew.
    fn keep_up(&mut self, now: SimTime) {
        let held: Vec<(usize, SimSpan)> = self.held_links(now).collect();
        let Some(faults) = &mut self.faults else { return };
        faults.keep_up(now);
        for (link, time) in held {
            if faults.has_failed(link as u32) {
                self.busy[link] += time;
                self.kept += time;
            }
        }
        let (width, turns) = (self.array.cols + 1, self.settings.links_turn);
        let given_up = |row, link: usize| faults.is_given_up(row * width + link as u32);
        self.cuts = (0..self.array.rows)
            .map(|row| cut_of(self.array.cols, turns, |link| given_up(row, link)))
            .collect();
        for chip in (0..self.array.chips()).map(ChipId) {
            if self.cuts[self.array.row(chip) as usize].is_some() {
                self.waiting[chip.index()] = [None, None];
                self.waiting_count[self.array.row(chip) as usize] = 0;
            }
        }
    }

    /// Whether a ring is known to be cut, so that its transfers have their links from start to end.
    #[inline]
    fn is_cut(&self, DomainId(ring): DomainId) -> bool {
        self.cuts.get(ring as usize).is_some_and(Option::is_some)
    }

    /// Whether one of these links has failed, so that nothing starts over them.
    #[inline]
    fn is_broken(&self, mut arc: RangeInclusive<usize>) -> bool {
        self.faults.as_ref().is_some_and(|faults| arc.any(|link| faults.has_failed(link as u32)))
    }

    /// How much later each link of an arc is needed than the one before it.
    #[inline]
    fn head_start(&self, ring: DomainId) -> SimSpan {
        if self.is_cut(ring) { SimSpan::ZERO } else { self.settings.hop }
    }

    /// For how long a transfer needs each link of its arc.
    #[inline]
    fn occupancy(&self, transfer: &Transfer) -> SimSpan {
        if self.is_cut(self.domain_of(transfer.chip)) {
            self.idle_time(transfer)
        } else {
            self.wire_time(transfer)
        }
    }

    /// The links of a transfer, in the order in which it crosses them.
    #[inline]
    fn arc(&self, transfer: &Transfer) -> RangeInclusive<usize> {
        let col = self.array.col(transfer.chip) as usize;
        let domain = self.domain_of(transfer.chip);
        let ring = self.ring(domain);
        let (before, behind) = (*ring.start()..=ring.start() + col, ring.start() + col + 1..=*ring.end());
        if let Some(Some(cut)) = self.cuts.get(domain.0 as usize) {
            return if cut.end_of(col) == Some(End::Back) { behind } else { before };
        }
        match transfer.direction {
            Direction::ToChip => before,
            Direction::FromChip => behind,
        }
    }

    /// The links of a ring, from the controller round to it.
    #[inline]
    fn ring(&self, DomainId(ring): DomainId) -> RangeInclusive<usize> {
        let first = (ring * (self.array.cols + 1)) as usize;
        first..=first + self.array.cols as usize
    }

    #[inline]
    fn wire_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + self.rate.time_for(u64::from(transfer.bytes))
    }

    /// The earliest instant at which a head may leave so that it finds each link of its arc free.
    #[inline]
    fn earliest(&self, ring: DomainId, arc: RangeInclusive<usize>) -> SimTime {
        let (first, hop) = (*arc.start(), self.head_start(ring));
        let leave = |link: usize| {
            let head_start = (hop * (link - first) as u64).as_ps();
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
            self.rounds[ring.0 as usize] += 1;
            out.woken.push(ring);
        }
    }

    /// Until when a transfer that finds its arc free now must wait for older ones: the latest instant at which one of those may
    /// leave that it would delay. None if it delays nobody.
    #[cold]
    fn held_back(&self, transfer: &Transfer, arc: &RangeInclusive<usize>, now: SimTime) -> Option<SimTime> {
        let ring = self.domain_of(transfer.chip);
        let since = self.since(transfer, now);
        let (occupancy, hop) = (self.occupancy(transfer), self.head_start(ring));
        let first = (ring.0 * self.array.cols) as usize;
        let waiting = self.waiting[first..first + self.array.cols as usize].iter().flatten().flatten();
        let older = waiting.filter(|it| it.since < since && it.round + 1 >= self.rounds[ring.0 as usize]);
        let delayed = older.filter_map(|it| {
            let leaves = self.earliest(ring, it.arc.clone()).max(it.until).max(now);
            let shared = (*arc.start()).max(*it.arc.start())..=(*arc.end()).min(*it.arc.end());
            let first = *shared.start();
            let head = |from: usize, at: SimTime| at + hop * (first - from) as u64;
            // Heads go at the same pace, so the first link that both cross decides.
            let is_delayed =
                !shared.is_empty() && head(*arc.start(), now) + occupancy > head(*it.arc.start(), leaves);
            is_delayed.then_some(leaves)
        });
        delayed.max()
    }

    /// Since when a transfer has been asked for: as was said, or else since it was refused first.
    fn since(&self, transfer: &Transfer, now: SimTime) -> SimTime {
        let waiting = self.waiting[transfer.chip.index()][transfer.direction as usize].as_ref();
        let refused = || waiting.map(|waiting| waiting.since);
        self.asked_since[transfer.chip.index()].or_else(refused).unwrap_or(now)
    }

    /// Notes that a transfer waits, or still waits.
    fn waits(&mut self, transfer: &Transfer, waiting: Waiting) {
        let ring = self.domain_of(transfer.chip).0 as usize;
        let place = &mut self.waiting[transfer.chip.index()][transfer.direction as usize];
        self.waiting_count[ring] += u32::from(place.is_none());
        *place = Some(waiting);
    }

    /// Until when a transfer was refused since its ring was woken last. That stands until it is woken again, though an older
    /// one for whose sake it was refused may have left meanwhile.
    fn refused_until(&self, transfer: &Transfer, ring: usize) -> Option<SimTime> {
        let waiting = self.waiting[transfer.chip.index()][transfer.direction as usize].as_ref()?;
        (waiting.round == self.rounds[ring] && self.wake_at[ring].is_some()).then_some(waiting.until)
    }

    fn waits_no_more(&mut self, transfer: &Transfer) {
        self.asked_since[transfer.chip.index()] = None;
        if self.waiting[transfer.chip.index()][transfer.direction as usize].take().is_some() {
            self.waiting_count[self.array.row(transfer.chip) as usize] -= 1;
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

    /// Sends a transfer off on an arc whose links are free by the time its head comes there.
    fn send(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) {
        let (arc, wire_time) = (self.arc(transfer), self.wire_time(transfer));
        let hops = (arc.end() - arc.start()) as u32;
        let crossing = if let Some(held) = &mut self.held[self.array.row(transfer.chip) as usize] {
            held.crossed += wire_time * u64::from(hops + 1);
            None
        } else {
            Some(self.use_links(arc, transfer, now))
        };
        let delivery = Delivery { die: transfer.die, path_wait: SimSpan::ZERO, hops };
        let keep = self.hold.keeps(transfer.more_follows);
        self.carried[transfer.chip.index()] = Some(Carried { delivery, keep, crossing });
        self.in_flight += 1;
        out.schedule(now + self.idle_time(transfer), self.event(&Event::Arrived(transfer.chip)));
    }

    fn use_links(&mut self, arc: RangeInclusive<usize>, transfer: &Transfer, now: SimTime) -> Crossing {
        let (wire_time, occupancy) = (self.wire_time(transfer), self.occupancy(transfer));
        let (mut head, hop) = (now, self.head_start(self.domain_of(transfer.chip)));
        let (first, links) = (*arc.start(), arc.end() - arc.start() + 1);
        for link in arc {
            self.free_at[link] = head + occupancy;
            self.busy[link] += wire_time;
            head = head + hop;
        }
        Crossing { first, links, sent: now, hop, wire_time }
    }

    fn arrive(&mut self, chip: ChipId, now: SimTime, out: &mut Outbox) {
        let ended = self.carried[chip.index()].take();
        let Carried { delivery, keep, .. } = ended.expect("a transfer in flight is delivered");
        self.in_flight -= 1;
        out.delivered.push(delivery);
        let ring = self.domain_of(chip);
        let its_own = self.held[ring.0 as usize].take_if(|held| !keep && held.die == delivery.die);
        if let Some(held) = its_own {
            self.release(ring, held, now);
            out.woken.push(ring);
        }
    }

    /// Returns the time for which a link of a held ring has been held at `now`; `step` counts the working links before it.
    fn held_time(&self, held: Held, step: u64, now: SimTime) -> SimSpan {
        let head = held.since + self.settings.hop * step;
        now.since(head.min(now))
    }

    /// Returns the working links of every held ring, each with the time for which it has been held at `now`.
    fn held_links(&self, now: SimTime) -> impl Iterator<Item = (usize, SimSpan)> {
        let held = (0..).map(DomainId).zip(&self.held).filter_map(|(ring, held)| Some((ring, (*held)?)));
        held.flat_map(move |(ring, held)| {
            let working = self.ring(ring).filter(|&link| !self.is_broken(link..=link));
            (0..).zip(working).map(move |(step, link)| (link, self.held_time(held, step, now)))
        })
    }

    /// Counts what a ring was held for.
    fn release(&mut self, ring: DomainId, held: Held, now: SimTime) {
        let mut in_use = SimSpan::ZERO;
        let mut step = 0;
        for link in self.ring(ring) {
            if self.is_broken(link..=link) {
                continue;
            }
            let time = self.held_time(held, step, now);
            self.busy[link] += time;
            in_use += time;
            step += 1;
        }
        self.kept += in_use - held.crossed.min(in_use);
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
        let domain = self.domain_of(transfer.chip);
        let ring = domain.0 as usize;
        if let Some(held) = self.held[ring] {
            if held.die != transfer.die {
                return Offer::DomainBusy;
            }
            self.send(transfer, now, out);
            return Offer::Accepted;
        }
        if let Some(until) = self.refused_until(transfer, ring) {
            return self.refuse(transfer, until.max(now), out);
        }
        let keeps = self.hold.keeps(transfer.more_follows);
        let arc = if keeps { self.ring(domain) } else { self.arc(transfer) };
        if self.faults.is_some() && !self.is_cut(domain) && self.is_broken(arc.clone()) {
            // Until the controller knows; then the ring is woken.
            return Offer::PathBusy;
        }
        let earliest = self.earliest(domain, arc.clone());
        let looks = earliest <= now && self.waiting_count[ring] > 0;
        let held_back = if looks { self.held_back(transfer, &arc, now) } else { None };
        if earliest > now || held_back.is_some() {
            let until = held_back.unwrap_or(earliest).max(now);
            let (since, round) = (self.since(transfer, now), self.rounds[ring]);
            self.waits(transfer, Waiting { arc, since, until, round });
            return self.refuse(transfer, until, out);
        }
        self.waits_no_more(transfer);
        if keeps {
            self.held[ring] = Some(Held { die: transfer.die, since: now, crossed: SimSpan::ZERO });
        }
        self.send(transfer, now, out);
        Offer::Accepted
    }

    fn features(&self) -> Features {
        Features { asks_for_age: true, ..Features::default() }
    }

    #[inline]
    fn next_is_of(&mut self, chip: ChipId, since: SimTime) {
        self.asked_since[chip.index()] = Some(since);
    }

    #[inline]
    fn takes_nothing(&self, domain: DomainId) -> bool {
        self.held[domain.0 as usize].is_some()
    }

    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.held.iter().flatten().any(|held| held.die == die)
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        match self.meaning(event) {
            Event::Arrived(chip) => self.arrive(chip, now, out),
            Event::Wake(ring) => self.wake(ring, now, out),
        }
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        let arc = self.arc(transfer);
        self.wire_time(transfer) + self.settings.hop * (arc.end() - arc.start()) as u64
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.keep_up(now);
        out.woken.extend((0..self.array.rows).map(DomainId));
    }

    fn reaches(&self, chip: ChipId) -> bool {
        match self.cuts.get(self.array.row(chip) as usize) {
            Some(Some(cut)) => cut.end_of(self.array.col(chip) as usize).is_some(),
            _ => true,
        }
    }

    fn is_quiet(&self) -> bool {
        self.in_flight == 0 && self.held.iter().all(Option::is_none)
    }

    fn counters(&self) -> FabricCounters {
        FabricCounters { paths_kept: self.kept, ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        let links = self.array.rows * (self.array.cols + 1);
        Wiring {
            links,
            routers: self.array.chips(),
            path_rate: self.rate,
            router_rate: self.rate,
            ..Wiring::default()
        }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        let mut busy = self.busy.clone();
        let crossings = self.carried.iter().flatten().filter_map(|carried| carried.crossing);
        for (link, ahead) in crossings.flat_map(|crossing| crossing.ahead(now)) {
            busy[link] = busy[link] - ahead;
        }
        for (link, time) in self.held_links(now) {
            busy[link] += time;
        }
        busy
    }

    fn way_of(&self, chip: ChipId, _die: DieId, way: &mut Vec<u32>) -> bool {
        way.push(self.busy.len() as u32 + self.array.row(chip));
        true
    }

    fn places(&self) -> Vec<Place> {
        let stops = |ring| {
            let chips = place::row(self.array, ring).map(Stop::Chip);
            [Stop::Controller(ring)].into_iter().chain(chips).chain([Stop::Controller(ring)])
        };
        let rings = 0..self.array.rows;
        let links = rings.clone().flat_map(|ring| {
            let ends = stops(ring).zip(stops(ring).skip(1)).enumerate();
            ends.map(move |(link, (from, to))| Place::new(format!("ring {ring} link {link}"), [from, to]))
        });
        links.chain(rings.map(|ring| Place::new(format!("ring {ring}"), stops(ring)))).collect()
    }
}
