//! The fabric as the controller uses it: which chip is where, what may be asked, what was given up.
//!
//! # What it knows
//! The fabric, where dies are, and which chips were lost. It forms no command and knows the state of no die.

use venice_kernel::{SimSpan, SimTime};

use crate::fabric::{
    DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, Hold, Moved, Offer, Outbox, PacketHop,
    ScoutTrip, Transfer,
};
use crate::geometry::{ChipId, DieId, Geometry, TransactionId};
use crate::work::Transactions;

use super::losses::Losses;
use super::{FlashAgenda, FlashEvent};

/// Where a die is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    /// Its chip.
    pub(super) chip: ChipId,
    /// Its chip's domain.
    pub(super) domain: DomainId,
}

/// The paths between controllers and chips.
pub struct Paths<F: Fabric + ?Sized> {
    geometry: Geometry,
    /// By die: looked up, because dividing takes longer and it is asked for with every event.
    homes: Vec<Home>,
    /// Whether the fabric keeps paths for dies between transfers.
    are_held: bool,
    losses: Losses,
    outbox: Outbox,
    /// What the fabric had counted when the measured phase began.
    before: FabricCounters,
    /// For how long paths had been in use then.
    busy_before: Vec<SimSpan>,
    /// The last, since how large it is depends on which it is.
    fabric: F,
}

impl<F: Fabric> Paths<F> {
    /// The paths of a fabric on which nothing moves.
    pub(super) fn new(geometry: Geometry, settings: &FabricSettings, fabric: F) -> Self {
        let home = |die| {
            let chip = geometry.chip_of(die);
            Home { chip, domain: fabric.domain_of(chip) }
        };
        Self {
            homes: (0..geometry.dies()).map(|die| home(DieId(die))).collect(),
            are_held: settings.hold == Hold::Operation,
            losses: Losses::new(settings.faults.clone()),
            outbox: Outbox::default(),
            before: FabricCounters::default(),
            busy_before: Vec::new(),
            geometry,
            fabric,
        }
    }
}

impl<F: Fabric + ?Sized> Paths<F> {
    /// What joins the chips.
    #[inline]
    pub const fn fabric(&self) -> &F {
        &self.fabric
    }

    /// What the fabric counted in the measured phase.
    pub fn counters(&self) -> FabricCounters {
        self.fabric.counters() - self.before
    }

    /// Returns the time for which each of the fabric's paths was in use in the measured phase up to `now`.
    pub fn busy(&self, now: SimTime) -> Vec<SimSpan> {
        let mut busy = self.fabric.path_busy(now);
        for (span, before) in busy.iter_mut().zip(&self.busy_before) {
            *span = *span - *before;
        }
        busy
    }

    /// The measured phase begins.
    pub(super) fn begin_measuring(&mut self, now: SimTime) {
        self.before = self.fabric.counters();
        self.busy_before = self.fabric.path_busy(now);
    }

    /// What failed, and what was given up for it.
    #[inline]
    pub const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The same, for change.
    #[inline]
    pub(super) const fn losses_mut(&mut self) -> &mut Losses {
        &mut self.losses
    }

    /// How many of everything.
    #[inline]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Whether the fabric keeps paths for dies between transfers.
    #[inline]
    pub(super) const fn are_held(&self) -> bool {
        self.are_held
    }

    /// Where a die is.
    #[inline]
    pub(super) fn home(&self, die: DieId) -> Home {
        self.homes[die.index()]
    }

    /// The chip of a die.
    #[inline]
    pub(super) fn chip_of(&self, die: DieId) -> ChipId {
        self.homes[die.index()].chip
    }

    /// Whether nothing of a domain succeeds now. Where chips were given up, these do not wait for paths.
    #[inline]
    pub(super) fn take_nothing(&self, domain: DomainId) -> bool {
        self.fabric.takes_nothing(domain) && !self.losses.are_some()
    }

    /// Whether the fabric knows of a chip that none of its transfers for which no path is held succeeds now.
    #[inline]
    pub(super) fn refuse(&self, chip: ChipId, now: SimTime) -> bool {
        self.fabric.features().refuses_chips && self.fabric.refuses(chip, now)
    }

    /// Whether data of a die, whose domain has room, may find a path, as far as is known without asking for one; `is_refused` says
    /// whether its domain or its chip was refused before.
    #[inline]
    pub(super) fn may_take_data(
        &self,
        die: DieId,
        chip: ChipId,
        domain: DomainId,
        is_refused: bool,
        now: SimTime,
    ) -> bool {
        let refused =
            is_refused || (self.are_held && self.fabric.takes_nothing(domain)) || self.refuse(chip, now);
        !refused || self.fabric.holds_path(die) || self.losses.is_lost(chip)
    }

    /// The pages among these that collection moves, for a fabric that asks. Those of several chips count as if all came from the
    /// one that is the most rows away from `chip`.
    #[inline]
    pub(super) fn moved(&self, all: &Transactions, batch: &[TransactionId], chip: ChipId) -> Option<Moved> {
        if !self.fabric.features().asks_what_is_moved {
            return None;
        }
        let (mut bytes, mut from) = (0, chip);
        let rows = |other| self.geometry.array.row(other).abs_diff(self.geometry.array.row(chip));
        for &id in batch {
            let Some(page) = all.get(id).moved_page(&self.geometry) else { continue };
            bytes += page.bytes;
            let source = self.chip_of(page.from);
            from = if rows(source) > rows(from) { source } else { from };
        }
        (bytes > 0).then_some(Moved { bytes, from })
    }

    /// Offers a transfer that is of this transaction. One of a lost chip is taken, and comes to nothing at once.
    pub(super) fn offer(&mut self, transfer: &Transfer, now: SimTime) -> Offer {
        if self.losses.is_lost(transfer.chip) && !self.fabric.holds_path(transfer.die) {
            self.losses.comes_to_nothing(transfer.die);
            return Offer::Accepted;
        }
        self.fabric.offer(transfer, now, &mut self.outbox)
    }

    /// Tells a fabric that asks since when the page has been asked for that is offered next.
    #[inline]
    pub(super) fn tell_age(&mut self, all: &Transactions, id: TransactionId, chip: ChipId) {
        if self.fabric.features().asks_for_age {
            self.fabric.next_is_of(chip, all.get(id).asked_since());
        }
    }

    /// Offers a page that waits in a register of `from` to another chip.
    pub(super) fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime) -> Offer {
        self.fabric.offer_copy(transfer, from, now, &mut self.outbox)
    }

    /// Lets a private event of the fabric happen; what it led to is in the outbox.
    #[inline]
    pub(super) fn handle(&mut self, event: FabricEvent, now: SimTime) {
        self.fabric.handle(event, now, &mut self.outbox);
    }

    /// Something fails, or controllers learn of it: the chips that are given up.
    pub(super) fn faults_due(&mut self, now: SimTime) -> Vec<ChipId> {
        self.fabric.faults_due(now, &mut self.outbox);
        let fabric = &self.fabric;
        self.losses.give_up(now, self.geometry.array.chips(), |chip| fabric.reaches(chip))
    }

    /// What the fabric has said since it was last emptied.
    #[inline]
    pub(super) const fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// From now on the fabric tells of its scouts and packets.
    pub fn ask_for_details(&mut self) {
        (self.outbox.trips, self.outbox.hops) = (Some(Vec::new()), Some(Vec::new()));
    }

    /// The scouts that it has told of since this was last asked.
    pub fn take_scouts(&mut self) -> impl Iterator<Item = ScoutTrip> + use<'_, F> {
        self.outbox.trips.iter_mut().flat_map(|trips| trips.drain(..))
    }

    /// The packets' ways over links that it has told of since this was last asked.
    pub fn take_hops(&mut self) -> impl Iterator<Item = PacketHop> + use<'_, F> {
        self.outbox.hops.iter_mut().flat_map(|hops| hops.drain(..))
    }

    /// Schedules the fabric's own events.
    #[inline]
    pub(super) fn schedule(&mut self, agenda: &mut impl FlashAgenda) {
        self.outbox.scheduled.take_each(|at, event| agenda.post(at, FlashEvent::Fabric(event)));
    }
}
