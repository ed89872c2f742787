//! `HyperLink` NAND: each flash controller and its chips form a ring of point-to-point links.
//!
//! # What it models
//! Controller *i* and the chips of row *i* form a ring of one-way links: from the controller to the chip of
//! column 0, from each chip to the next, and from the last chip back to the controller. A chip forwards
//! packets addressed to others. Commands and data to a chip cross the links from the controller to that chip;
//! data from a chip crosses the links from that chip onwards to the controller. Every transfer occupies an
//! *arc* of the ring, so two transfers compete only if their arcs have common links.
//!
//! # How
//! Link 0 leaves the controller, link *c* + 1 leaves the chip of column *c*. A transfer to column *c* uses
//! links 0 to *c*, a transfer from column *c* uses links *c* + 1 to C. It occupies each link for its wire
//! time, command time + bytes / rate. The packet is cut through: the *n*-th link after the first is occupied
//! *n* hop times later. Chips have no buffers. The controller orders all transfers of its ring, and starts a
//! transfer only if each link will be free when the head of the packet arrives there. A transfer that cannot
//! start is refused, and the ring is woken at the earliest possible start. On an idle ring a transfer takes
//! its wire time plus one hop time per forwarding chip.
//!
//! A refused transfer has priority over younger ones on its arc: a transfer with free links starts only if it
//! delays no older refused transfer. Age is counted from the creation of the page's read or write. Without
//! this rule, chips at the far end of a ring would starve, since their commands need links that all other
//! transfers cross. A refused transfer that is not offered again after the next wake-up of its ring loses its
//! priority. Until that wake-up, the transfer is refused again if it is offered.
//!
//! With `hold = operation` a read holds its whole ring: the command arrives over one arc, the data leaves
//! over the other. The command starts only if each link will be free when a head that went once around the
//! ring would arrive there. The ring is held until the last byte of the data has reached the controller.
//! Programs and erases are not affected.
//!
//! A failed link cuts its ring. Transfers that need the link wait until the controller detects the failure.
//! The ring and all of its chips are then lost, since a chip needs all links of the ring: some for data to
//! the chip, the others for data from it. With `links_turn` the links of a cut ring are bidirectional. The
//! ring then becomes two lines from the controller, which are used in both directions. Chips before the first
//! cut use links 0 to *c*. Chips after the last cut use links *c* + 1 to C. Since such a link serves one
//! direction at a time, a transfer holds all links of its line from start to end. Chips between two cuts are
//! lost.
//!
//! Each ring is an arbitration domain. The paths of this fabric are the links, ring by ring.
//!
//! # What is left out
//! The packet that requests data, as on the bus; the channels from a package's bridge chip to its dies;
//! status packets; the turn-around time of links.
//!
//! # Source
//! Gillingham et al., "A 256Gb NAND flash memory stack with 300MB/s HLNAND interface chip for point-to-point
//! ring topology", IMW 2011; "800 MB/s DDR NAND flash memory multi-chip package with source-synchronous
//! interface for point-to-point ring topology", IEEE Access 2013 (byte-wide DDR links, the ring, no data on
//! links beyond the addressed chip); named by Nadig et al., "Venice", ISCA 2023, §7.
//!
//! # Parameters
//! `fabric.hold`, and all of `fabric.hlnand`.

use std::ops::{Range, RangeInclusive};

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_params::{LONGEST_NS, ParameterKind, declare, number, wire_rate_or};

use super::loss::{PathFaults, UnreachableChips};
use super::{
    Capabilities, Delivery, Direction, DomainId, Fabric, FabricCounters, FabricEvent, FabricModel,
    FabricSettings, Hints, Hold, Holds, NamedPath, Offer, Outbox, PathStop, Topology, Transfer, Wiring, path,
};

/// Event of a ring, decoded from a [`FabricEvent`].
enum RingEvent {
    /// The transfer of this chip has ended.
    Arrived(ChipId),
    /// A refused transfer of this ring may start.
    Wake(DomainId),
}

/// Transfer in progress on a ring.
#[derive(Clone, Copy, Debug)]
struct RingTransfer {
    /// Delivery that is reported when the transfer ends.
    delivery: Delivery,
    /// True if the ring is held for the die after the transfer.
    keep: bool,
    /// Links that the transfer occupies, or `None` if the whole ring is held for the die.
    crossing: Option<ArcUse>,
}

/// Occupation of the links of an arc by a transfer in progress.
#[derive(Clone, Copy, Debug)]
struct ArcUse {
    /// First link of the arc.
    first: usize,
    links: usize,
    /// Instant at which the head of the packet enters the first link.
    sent: SimTime,
    /// Delay of the head from one link to the next.
    hop: SimSpan,
    /// Time for which each link is occupied.
    wire_time: SimSpan,
}

impl ArcUse {
    /// Returns the links of the arc, each with the time for which it will still be occupied after `now`.
    fn ahead(self, now: SimTime) -> impl Iterator<Item = (usize, SimSpan)> {
        (0..self.links).map(move |step| {
            let head = self.sent + self.hop * step as u64;
            let end = head + self.wire_time;
            (self.first + step, end.max(now).since(head.max(now)))
        })
    }
}

/// Refused transfer that has priority over younger transfers on its arc.
#[derive(Clone, Debug)]
struct RefusedTransfer {
    arc: RangeInclusive<usize>,
    /// Start of the transfer's wait, from which its age is counted.
    since: SimTime,
    /// Earliest possible start, which was reported when the transfer was refused.
    until: SimTime,
    /// Number of wake-ups of the ring before the transfer was last offered. The transfer loses its priority
    /// after two further wake-ups.
    round: u64,
}

/// Cut of a ring by failed links, which the controller has detected.
#[derive(Clone, Debug)]
struct RingCut {
    /// True if links are bidirectional, so that a cut ring becomes two lines.
    turns: bool,
    /// First and last failed link, counted from the controller.
    links: RangeInclusive<usize>,
}

impl RingCut {
    /// Returns the part of a cut ring that serves the chip of `column`: the part from the controller to the
    /// first cut, or the part from the last cut back to the controller.
    fn end_of(&self, column: usize) -> Option<RingEnd> {
        if !self.turns {
            None
        } else if column < *self.links.start() {
            Some(RingEnd::Front)
        } else {
            (column >= *self.links.end()).then_some(RingEnd::Back)
        }
    }
}

/// Remaining part of a cut ring: the line before the first cut, or the line after the last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RingEnd {
    Front,
    Back,
}

/// Exclusive use of a ring by one die.
#[derive(Clone, Copy, Debug)]
struct RingHold {
    die: DieId,
    /// Instant at which the hold of the first link begins. On each further link, the hold begins one hop time
    /// later.
    since: SimTime,
    /// Time for which the ring's links have carried data during the hold, summed over links.
    crossed: SimSpan,
}

declare! {
    /// Rings of chips of `hlnand`.
    pub struct HlnandSettings in "fabric.hlnand." {
        /// Data rate of a ring link.
        ///
        /// `channel`: that of a channel (`fabric.channel_rate_mb_per_s`). Byte-wide DDR links of 800 MB/s are
        /// published (Gillingham et al., IEEE Access 2013).
        rate as link_rate_mb_per_s: Option<Rate> = wire_rate_or("channel"), unit "MB/s", default "channel",
            source "ours: a chip's pins have the same rate on a link as on a channel";
        /// Latency that each chip of a ring adds when it forwards a transfer.
        hop as hop_latency_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "5",
            source "assumed: two cycles of the link's 400 MHz clock, to receive and forward a byte";
        /// If true, the remaining links of a ring with failed links carry transfers in both directions.
        ///
        /// Chips before the first failed link are then reached over the start of the ring, and chips after
        /// the last failed link over its end, with one transfer on a link at a time. Published links are
        /// one-way: there, one failed link makes all chips of the ring unreachable.
        links_turn: bool = ParameterKind::Boolean, unit "", default "false",
            source "Gillingham et al., IEEE Access 2013 (unidirectional links); links that turn are ours";
    }
}

/// Fabric of one ring of chips per controller.
#[derive(Clone, Debug)]
pub struct HlNand {
    array: Array,
    settings: HlnandSettings,
    /// Data rate of a link.
    rate: Rate,
    hold: Hold,
    /// Instant at which each link ends its last accepted transfer.
    free_at: Vec<SimTime>,
    /// Accumulated busy time of each link.
    busy: Vec<SimSpan>,
    /// Transfer in progress of each chip, or `None`.
    carried: Vec<Option<RingTransfer>>,
    in_flight: u32,
    /// For each ring, the hold by a die, or `None`.
    held: Vec<Option<RingHold>>,
    /// Time for which links of held rings carried no data, summed over links.
    kept: SimSpan,
    /// For each ring, instant of the next scheduled wake-up.
    wake_at: Vec<Option<SimTime>>,
    /// Refused transfers of each chip. Index 0: to the chip. Index 1: from the chip.
    waiting: Vec<[Option<RefusedTransfer>; 2]>,
    /// Number of refused transfers of each ring, including those that have lost their priority.
    waiting_count: Vec<u32>,
    /// Number of wake-ups of each ring so far.
    rounds: Vec<u64>,
    faults: Option<Box<PathFaults>>,
    /// Detected cut of each ring, or `None`. The list is empty if no link ever fails.
    cuts: Vec<Option<RingCut>>,
}

/// Returns the cut of a ring whose failed links are those for which `is_cut` is true, or `None` if the ring
/// is intact.
fn cut_of(columns: u32, turns: bool, is_cut: impl Fn(usize) -> bool) -> Option<RingCut> {
    let mut cuts = (0..=columns as usize).filter(|&link| is_cut(link));
    let first = cuts.next()?;
    Some(RingCut { turns, links: first..=cuts.last().unwrap_or(first) })
}

impl FabricModel for HlNand {
    type Parameters = HlnandSettings;

    /// Returns the chips that become unreachable because their ring is cut.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        let (array, turns) = (settings.array, settings.own.hlnand.links_turn);
        let cut = |row| {
            cut_of(array.cols, turns, |link| settings.faults.fails(row * (array.cols + 1) + link as u32))
        };
        let cuts: Vec<_> = (0..array.rows).map(cut).collect();
        let lost = |chip| {
            let cut = cuts[array.row(chip) as usize].as_ref();
            cut.is_some_and(|cut| cut.end_of(array.col(chip) as usize).is_none())
        };
        UnreachableChips::of(settings.array, "their ring", lost)
    }
}

impl HlNand {
    /// Creates the rings for the array.
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

    /// Applies the faults due at `now`. When a cut is detected, its ring becomes one or two lines, and
    /// refused transfers of the ring lose their priority.
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

    /// True if the controllers have detected a cut of the ring. A transfer then holds all links of its line
    /// from start to end.
    #[inline]
    fn is_cut(&self, DomainId(ring): DomainId) -> bool {
        self.cuts.get(ring as usize).is_some_and(Option::is_some)
    }

    /// True if a link of `arc` has failed, so that no transfer can start over it.
    #[inline]
    fn is_broken(&self, mut arc: RangeInclusive<usize>) -> bool {
        self.faults.as_ref().is_some_and(|faults| arc.any(|link| faults.has_failed(link as u32)))
    }

    /// Returns the delay of a packet's head from one link of an arc to the next. It is zero on a cut ring,
    /// where a transfer occupies all links at once.
    #[inline]
    fn head_start(&self, ring: DomainId) -> SimSpan {
        if self.is_cut(ring) { SimSpan::ZERO } else { self.settings.hop }
    }

    /// Returns the time for which a transfer occupies each link of its arc.
    #[inline]
    fn occupancy(&self, transfer: &Transfer) -> SimSpan {
        if self.is_cut(self.domain_of(transfer.chip)) {
            self.idle_time(transfer)
        } else {
            self.wire_time(transfer)
        }
    }

    /// Returns the links of a transfer in the order of crossing.
    #[inline]
    fn arc(&self, transfer: &Transfer) -> RangeInclusive<usize> {
        let col = self.array.col(transfer.chip) as usize;
        let domain = self.domain_of(transfer.chip);
        let ring = self.ring(domain);
        let (before, behind) = (*ring.start()..=ring.start() + col, ring.start() + col + 1..=*ring.end());
        if let Some(Some(cut)) = self.cuts.get(domain.0 as usize) {
            return if cut.end_of(col) == Some(RingEnd::Back) { behind } else { before };
        }
        match transfer.direction {
            Direction::ToChip => before,
            Direction::FromChip => behind,
        }
    }

    /// Returns the links of a whole ring, from the controller and back to it.
    #[inline]
    fn ring(&self, DomainId(ring): DomainId) -> RangeInclusive<usize> {
        let first = (ring * (self.array.cols + 1)) as usize;
        first..=first + self.array.cols as usize
    }

    #[inline]
    fn wire_time(&self, transfer: &Transfer) -> SimSpan {
        transfer.command + self.rate.time_for(u64::from(transfer.bytes))
    }

    /// Returns the earliest start at which the head of a packet would find each link of its arc free.
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
            out.schedule(until, self.event(&RingEvent::Wake(ring)));
        }
        Offer::PathBusy
    }

    /// Wakes the ring at `now`. Ignores a wake-up event that an earlier wake-up has replaced.
    fn wake(&mut self, ring: DomainId, now: SimTime, out: &mut Outbox) {
        let wake_at = &mut self.wake_at[ring.0 as usize];
        if wake_at.take_if(|&mut at| at == now).is_some() {
            self.rounds[ring.0 as usize] += 1;
            out.woken.push(ring);
        }
    }

    /// Returns the instant until which a transfer must wait although its arc is free, because it would delay
    /// an older refused transfer. Returns `None` if it would delay none.
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
            // All heads advance at the same speed, so it suffices to compare the first common link.
            let is_delayed =
                !shared.is_empty() && head(*arc.start(), now) + occupancy > head(*it.arc.start(), leaves);
            is_delayed.then_some(leaves)
        });
        delayed.max()
    }

    /// Returns the instant since which the transfer waits: the creation of its page's read or write if known,
    /// otherwise its first refusal.
    fn since(&self, transfer: &Transfer, now: SimTime) -> SimTime {
        let waiting = self.waiting[transfer.chip.index()][transfer.direction as usize].as_ref();
        let refused = || waiting.map(|waiting| waiting.since);
        transfer.waiting_since.or_else(refused).unwrap_or(now)
    }

    /// Records a refused transfer, which then has priority over younger ones.
    fn waits(&mut self, transfer: &Transfer, waiting: RefusedTransfer) {
        let ring = self.domain_of(transfer.chip).0 as usize;
        let place = &mut self.waiting[transfer.chip.index()][transfer.direction as usize];
        self.waiting_count[ring] += u32::from(place.is_none());
        *place = Some(waiting);
    }

    /// Returns the earliest start that was reported when the transfer was refused, if its ring has not been
    /// woken since then. Until that instant the transfer is refused again, even if the older transfer that
    /// blocked it has started.
    fn refused_until(&self, transfer: &Transfer, ring: usize) -> Option<SimTime> {
        let waiting = self.waiting[transfer.chip.index()][transfer.direction as usize].as_ref()?;
        (waiting.round == self.rounds[ring] && self.wake_at[ring].is_some()).then_some(waiting.until)
    }

    fn waits_no_more(&mut self, transfer: &Transfer) {
        if self.waiting[transfer.chip.index()][transfer.direction as usize].take().is_some() {
            self.waiting_count[self.array.row(transfer.chip) as usize] -= 1;
        }
    }

    #[inline]
    fn event(&self, event: &RingEvent) -> FabricEvent {
        match event {
            RingEvent::Arrived(chip) => FabricEvent(chip.0),
            RingEvent::Wake(ring) => FabricEvent(self.array.chips() + ring.0),
        }
    }

    #[inline]
    fn meaning(&self, FabricEvent(number): FabricEvent) -> RingEvent {
        match number.checked_sub(self.array.chips()) {
            None => RingEvent::Arrived(ChipId(number)),
            Some(ring) => RingEvent::Wake(DomainId(ring)),
        }
    }

    /// Starts a transfer on an arc. Each link must be free when the head of the packet arrives there.
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
        let keep = self.hold.keeps(transfer.keeps_path);
        self.carried[transfer.chip.index()] = Some(RingTransfer { delivery, keep, crossing });
        self.in_flight += 1;
        out.schedule(now + self.idle_time(transfer), self.event(&RingEvent::Arrived(transfer.chip)));
    }

    fn use_links(&mut self, arc: RangeInclusive<usize>, transfer: &Transfer, now: SimTime) -> ArcUse {
        let (wire_time, occupancy) = (self.wire_time(transfer), self.occupancy(transfer));
        let (mut head, hop) = (now, self.head_start(self.domain_of(transfer.chip)));
        let (first, links) = (*arc.start(), arc.end() - arc.start() + 1);
        for link in arc {
            self.free_at[link] = head + occupancy;
            self.busy[link] += wire_time;
            head = head + hop;
        }
        ArcUse { first, links, sent: now, hop, wire_time }
    }

    fn arrive(&mut self, chip: ChipId, now: SimTime, out: &mut Outbox) {
        let ended = self.carried[chip.index()].take();
        let RingTransfer { delivery, keep, .. } = ended.expect("a transfer in flight is delivered");
        self.in_flight -= 1;
        out.delivered.push(delivery);
        let ring = self.domain_of(chip);
        if !keep {
            self.release(ring, delivery.die, now, out);
        }
    }

    /// Returns the time for which a link of a held ring has been held at `now`. `step` is the number of
    /// working links before this link.
    fn held_time(&self, held: RingHold, step: u64, now: SimTime) -> SimSpan {
        let head = held.since + self.settings.hop * step;
        now.since(head.min(now))
    }

    /// Returns the working links of all held rings, each with the time for which it has been held at `now`.
    fn held_links(&self, now: SimTime) -> impl Iterator<Item = (usize, SimSpan)> {
        let held = (0..).map(DomainId).zip(&self.held).filter_map(|(ring, held)| Some((ring, (*held)?)));
        held.flat_map(move |(ring, held)| {
            let working = self.ring(ring).filter(|&link| !self.is_broken(link..=link));
            (0..).zip(working).map(move |(step, link)| (link, self.held_time(held, step, now)))
        })
    }

    /// Releases the ring if it is held for `die`.
    fn release(&mut self, ring: DomainId, die: DieId, now: SimTime, out: &mut Outbox) {
        let held = self.held[ring.0 as usize].take_if(|held| held.die == die);
        if let Some(held) = held {
            self.count_hold(ring, held, now);
            out.woken.push(ring);
        }
    }

    /// Adds a hold that ended at `now` to the counters: the held time of each link to the link's busy time,
    /// and the part without data to `kept`.
    fn count_hold(&mut self, ring: DomainId, held: RingHold, now: SimTime) {
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

    #[inline]
    fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId(self.array.row(chip))
    }
}

impl Fabric for HlNand {
    fn domains(&self) -> Vec<Range<u32>> {
        self.array.chips_by_row().collect()
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
        let keeps = self.hold.keeps(transfer.keeps_path);
        let arc = if keeps { self.ring(domain) } else { self.arc(transfer) };
        if self.faults.is_some() && !self.is_cut(domain) && self.is_broken(arc.clone()) {
            // The transfer is refused until the controller detects the failure, which wakes the ring.
            return Offer::PathBusy;
        }
        let earliest = self.earliest(domain, arc.clone());
        let looks = earliest <= now && self.waiting_count[ring] > 0;
        let held_back = if looks { self.held_back(transfer, &arc, now) } else { None };
        if earliest > now || held_back.is_some() {
            let until = held_back.unwrap_or(earliest).max(now);
            let (since, round) = (self.since(transfer, now), self.rounds[ring]);
            self.waits(transfer, RefusedTransfer { arc, since, until, round });
            return self.refuse(transfer, until, out);
        }
        self.waits_no_more(transfer);
        if keeps {
            self.held[ring] = Some(RingHold { die: transfer.die, since: now, crossed: SimSpan::ZERO });
        }
        self.send(transfer, now, out);
        Offer::Accepted
    }

    fn release_path(&mut self, chip: ChipId, die: DieId, now: SimTime, out: &mut Outbox) {
        self.release(self.domain_of(chip), die, now, out);
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        match self.meaning(event) {
            RingEvent::Arrived(chip) => self.arrive(chip, now, out),
            RingEvent::Wake(ring) => self.wake(ring, now, out),
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

    fn counters(&self, now: SimTime) -> FabricCounters {
        let held: SimSpan = self.held_links(now).map(|(_, time)| time).sum();
        let crossed: SimSpan = self.held.iter().flatten().map(|held| held.crossed).sum();
        FabricCounters { paths_kept: self.kept + (held - crossed.min(held)), ..FabricCounters::default() }
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

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { holds: Some(self), hints: Some(self), topology: Some(self), ..Capabilities::default() }
    }
}

impl Holds for HlNand {
    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.held.iter().flatten().any(|held| held.die == die)
    }
}

impl Hints for HlNand {
    #[inline]
    fn is_full(&self, domain: DomainId) -> bool {
        self.held[domain.0 as usize].is_some()
    }
}

impl Topology for HlNand {
    fn occupied_by(&self, chip: ChipId, _die: DieId, paths: &mut Vec<u32>) -> bool {
        paths.push(self.busy.len() as u32 + self.array.row(chip));
        true
    }

    fn paths(&self) -> Vec<NamedPath> {
        let stops = |ring| {
            let chips = path::row(self.array, ring).map(PathStop::Chip);
            [PathStop::Controller(ring)].into_iter().chain(chips).chain([PathStop::Controller(ring)])
        };
        let rings = 0..self.array.rows;
        let links = rings.clone().flat_map(|ring| {
            let ends = stops(ring).zip(stops(ring).skip(1)).enumerate();
            ends.map(move |(link, (from, to))| NamedPath::new(format!("ring {ring} link {link}"), [from, to]))
        });
        links.chain(rings.map(|ring| NamedPath::new(format!("ring {ring}"), stops(ring)))).collect()
    }
}
