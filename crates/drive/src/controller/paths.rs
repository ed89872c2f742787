//! Fabric as used by the controller, with the locations of dies and the lost chips.
//!
//! This module forms no commands and has no access to die states.

use std::ops::Range;

use venice_fabric::{
    DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, Hints, Hold, Offer, Outbox, RelocatedData,
    Transfer,
};
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{Operation, SearchOutput};
use venice_nand::geometry::{ChipId, DieId, Geometry, TransactionId};
use venice_nand::transactions::Transactions;

use super::losses::Losses;
use super::{FlashEvent, FlashEventSink};

/// Chip and arbitration domain of a die.
#[derive(Clone, Copy, Debug)]
pub(super) struct DieLocation {
    /// Chip of the die.
    pub(super) chip: ChipId,
    /// Arbitration domain of the chip.
    pub(super) domain: DomainId,
}

/// Fabric that connects flash controllers and chips, with the controller's settings for its use.
pub struct Paths<F: Fabric + ?Sized> {
    geometry: Geometry,
    /// Location of each die, followed by the location of each search output. The table avoids a division at
    /// each event.
    homes: Vec<DieLocation>,
    /// Duration for which a path is reserved: one transfer, a read, or a whole operation.
    hold: Hold,
    /// True if erases also hold their paths.
    hold_erases: bool,
    /// True if relocated pages bypass the drive's memory.
    relocation_bypasses_memory: bool,
    losses: Losses,
    outbox: Outbox,
    /// Fabric counters at the start of the measured phase.
    before: FabricCounters,
    /// Busy times of paths at the start of the measured phase.
    busy_before: Vec<SimSpan>,
    /// Must be the last field, because `F` is unsized if it is a trait object.
    fabric: F,
}

impl<F: Fabric> Paths<F> {
    /// Creates the paths of an idle fabric.
    pub(super) fn new(geometry: Geometry, settings: &FabricSettings, fabric: F) -> Self {
        Self {
            homes: homes(&geometry, &fabric.domains()),
            hold: settings.hold,
            hold_erases: settings.hold_erases,
            relocation_bypasses_memory: fabric.wiring().relocation_bypasses_memory,
            losses: Losses::new(settings.faults.clone()),
            outbox: Outbox::default(),
            before: FabricCounters::default(),
            busy_before: Vec::new(),
            geometry,
            fabric,
        }
    }
}

/// Returns the location of each die, then of each search output.
fn homes(geometry: &Geometry, domains: &[Range<u32>]) -> Vec<DieLocation> {
    let domain_of = DomainId::of_chips(domains);
    let chips = (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)));
    let outputs = SearchOutput::all(geometry).map(|output| output.chip);
    chips.chain(outputs).map(|chip| DieLocation { chip, domain: domain_of[chip.index()] }).collect()
}

impl<F: Fabric + ?Sized> Paths<F> {
    /// Returns the fabric.
    #[inline]
    pub const fn fabric(&self) -> &F {
        &self.fabric
    }

    /// Returns the fabric's counters in the measured phase up to `now`.
    pub fn counters(&self, now: SimTime) -> FabricCounters {
        self.fabric.counters(now) - self.before
    }

    /// Returns the busy time of each path of the fabric in the measured phase up to `now`.
    pub fn busy(&self, now: SimTime) -> Vec<SimSpan> {
        let mut busy = self.fabric.path_busy(now);
        for (span, before) in busy.iter_mut().zip(&self.busy_before) {
            *span = *span - *before;
        }
        busy
    }

    /// Starts the measured phase: later counters and busy times of the fabric count from `now`.
    pub(super) fn begin_measuring(&mut self, now: SimTime) {
        self.before = self.fabric.counters(now);
        self.busy_before = self.fabric.path_busy(now);
    }

    /// Returns the configured faults and the lost chips.
    #[inline]
    pub const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Returns the configured faults and the lost chips for modification.
    #[inline]
    pub(super) const fn losses_mut(&mut self) -> &mut Losses {
        &mut self.losses
    }

    /// Returns the drive's geometry.
    #[inline]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns true if `fabric.hold` keeps a path reserved for a die between its transfers.
    #[inline]
    pub(super) fn are_held(&self) -> bool {
        self.hold != Hold::Transfer
    }

    /// Returns true if commands for `operation` keep their path until the end of the array operation.
    #[inline]
    pub(super) fn are_held_during(&self, operation: Operation) -> bool {
        self.hold == Hold::Request
            && match operation {
                Operation::Program | Operation::Copyback => true,
                Operation::Erase => self.hold_erases,
                Operation::Read | Operation::Combine | Operation::Search => false,
            }
    }

    /// Releases the path that a die has held during its array operation. The arbitration domains in which
    /// transfers may now succeed are added to the outbox.
    #[inline]
    pub(super) fn release(&mut self, die: DieId, operation: Operation, now: SimTime) {
        if self.are_held_during(operation) {
            self.fabric.release_path(self.chip_of(die), die, now, &mut self.outbox);
        }
    }

    /// Returns the location of a die.
    #[inline]
    pub(super) fn home(&self, die: DieId) -> DieLocation {
        self.homes[die.index()]
    }

    #[inline]
    pub(super) fn chip_of(&self, die: DieId) -> ChipId {
        self.homes[die.index()].chip
    }

    /// Returns true if no transfer of the domain can be accepted. After a loss of chips, the result is always
    /// false, because failed transfers to lost chips need no path.
    #[inline]
    pub(super) fn are_full(&self, domain: DomainId) -> bool {
        self.hint(|hints| hints.is_full(domain)) && !self.losses.are_some()
    }

    /// Returns true if the fabric would refuse any transfer of `chip` that has no held path.
    #[inline]
    pub(super) fn refuse(&self, chip: ChipId, now: SimTime) -> bool {
        self.hint(|hints| hints.refuses(chip, now))
    }

    /// Passes the fabric's hints to `is_known` and returns its result. Returns false if the fabric gives no
    /// hints.
    #[inline]
    pub(super) fn hint(&self, is_known: impl FnOnce(&dyn Hints) -> bool) -> bool {
        self.fabric.capabilities().hints.is_some_and(is_known)
    }

    /// Returns true if a path is held for the next transfer of `die`.
    #[inline]
    pub(super) fn hold(&self, die: DieId) -> bool {
        self.are_held() && self.fabric.capabilities().holds_path(die)
    }

    /// Returns true if the fabric can send pages from chip to chip without a controller.
    #[inline]
    pub(super) fn carry_copies(&self) -> bool {
        self.fabric.capabilities().copies.is_some()
    }

    /// Returns true if relocated pages bypass the drive's memory.
    #[inline]
    pub(super) const fn relocation_bypasses_memory(&self) -> bool {
        self.relocation_bypasses_memory
    }

    /// Returns true if an offer of the die's read data may succeed. `is_refused` is true if the fabric has
    /// refused the domain or the chip since the last wake-up.
    #[inline]
    pub(super) fn may_take_data(
        &self,
        die: DieId,
        chip: ChipId,
        domain: DomainId,
        is_refused: bool,
        now: SimTime,
    ) -> bool {
        let is_full = || self.are_held() && self.hint(|hints| hints.is_full(domain));
        let refused = is_refused || is_full() || self.refuse(chip, now);
        !refused || self.hold(die) || self.losses.is_lost(chip)
    }

    /// Returns the number of bytes of relocated pages in the batch, and the chip from which these pages come.
    /// If the pages come from several chips, this is the chip whose row is farthest from the row of `chip`.
    #[inline]
    pub(super) fn moved(
        &self,
        all: &Transactions,
        batch: &[TransactionId],
        chip: ChipId,
    ) -> Option<RelocatedData> {
        let (mut bytes, mut from) = (0, chip);
        let rows = |other| self.geometry.array.row(other).abs_diff(self.geometry.array.row(chip));
        for &id in batch {
            let Some(page) = all.get(id).moved_page(&self.geometry) else { continue };
            bytes += page.bytes;
            let source = self.chip_of(page.from);
            from = if rows(source) > rows(from) { source } else { from };
        }
        (bytes > 0).then_some(RelocatedData { bytes, from })
    }

    /// Offers a transfer to the fabric. A transfer to or from a lost chip is accepted and fails at once.
    pub(super) fn offer(&mut self, transfer: &Transfer, now: SimTime) -> Offer {
        if self.losses.is_lost(transfer.chip) && !self.hold(transfer.die) {
            self.losses.comes_to_nothing(transfer.die);
            return Offer::Accepted;
        }
        self.fabric.offer(transfer, now, &mut self.outbox)
    }

    /// Offers the fabric a copy of the page in a register of the chip `from` to another chip.
    pub(super) fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime) -> Offer {
        let Self { fabric, outbox, .. } = self;
        fabric.copies_mut().map_or(Offer::PathBusy, |copies| copies.offer_copy(transfer, from, now, outbox))
    }

    /// Processes an event of the fabric, which adds its results to the outbox.
    #[inline]
    pub(super) fn handle(&mut self, event: FabricEvent, now: SimTime) {
        self.fabric.handle(event, now, &mut self.outbox);
    }

    /// Skips the periods of an announced repetition of the fabric that end before `until`. Returns the skipped
    /// time.
    pub fn skip(&mut self, until: SimTime) -> SimSpan {
        self.fabric.skip(until)
    }

    /// Processes a failure of the fabric, or its detection by the controllers. Returns the newly lost chips.
    pub(super) fn faults_due(&mut self, now: SimTime) -> Vec<ChipId> {
        self.fabric.faults_due(now, &mut self.outbox);
        let fabric = &self.fabric;
        self.losses.give_up(now, self.geometry.array.chips(), |chip| fabric.reaches(chip))
    }

    /// Returns the outbox, which contains the fabric's results that have not been processed yet.
    #[inline]
    pub const fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Schedules the events that the fabric has requested.
    #[inline]
    pub(super) fn schedule(&mut self, event_sink: &mut impl FlashEventSink) {
        self.outbox.scheduled.take_each(|at, event| event_sink.post(at, FlashEvent::Fabric(event)));
    }
}
