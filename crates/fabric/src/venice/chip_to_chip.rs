//! Chip-to-chip circuits.
//!
//! # What it models
//! With `fabric.chip_to_chip`, a page can be sent from the page register of one chip to the chip that will
//! program it. The router of the source chip sends a scout to the router of the destination. The circuit
//! consists of mesh links only: it uses no controller and no link between a controller and the mesh.
//!
//! Each circuit needs a unique packet id, which is stored in the reservation tables. With `copy_id = own` it
//! is the sending chip's number plus the number of controllers. It is unique, because a chip sends one page
//! at a time. The width of ids grows from log2(controllers) bits to log2(controllers + chips). Tables do not
//! grow, since the five ports of a router occupy at most two rows. With `copy_id = lent` the circuit uses the
//! id of a free controller, which serves no transfer until the circuit is released. The tables are then those
//! of the paper. Copies then compete with transfers for controllers, but not for the links between
//! controllers and the mesh.
//!
//! # How
//! The scout completes its search at the instant of the offer, in both reservation modes, with the same
//! routing as other scouts. On success the page is sent after the scout's return. A copy thus takes the
//! scout's travel time, plus the transfer time of Equation 1 of the paper. On failure the copy is refused,
//! and the chip sends no other scout until the failed one would have returned. In the meantime the page can
//! be moved through a controller.
//!
//! # What is left out
//! The messages that notify the chips: the order to send a page is assumed to be part of its read command, as
//! the second address of a copyback is. Error correction, which only the controllers can do. Delay of other
//! transfers by a failed scout on its way back.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §8, names garbage collection and near-data processing as uses of the
//! mesh. The mechanism has no published source.
//!
//! # Parameters
//! `chip_to_chip`, `copy_id`

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::ChipId;

use super::controller_state::ControllerState;
use super::event::VeniceEvent;
use super::trace::ScoutOutcome;
use super::{ControllerId, Scout, Venice, WHOLE_MESH};
use crate::noc::Mesh;
use crate::{CopyId, Delivery, FabricSettings, Offer, Outbox, Transfer};

/// Page that a chip is sending to another chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OutgoingPage {
    to: ChipId,
    delivery: Delivery,
    /// Controller whose id the circuit uses; `None` unless `copy_id = lent`.
    lender: Option<ControllerId>,
}

/// State of all circuits between chips.
#[derive(Clone, Debug)]
pub(super) struct CopyCircuits {
    allowed: bool,
    copy_id: CopyId,
    /// Number of packet ids of controllers, one for each controller port.
    controllers: u32,
    /// For each chip, the copy that it is sending.
    under_way: Vec<Option<OutgoingPage>>,
    /// True for each chip that sends or receives a page.
    taken: Vec<bool>,
    /// For each chip, the return time of its last failed scout. The chip sends no other scout before that
    /// time.
    barred: Vec<SimTime>,
}

impl CopyCircuits {
    /// Creates the state in which no copy is in progress.
    pub(super) fn new(mesh: Mesh, settings: &FabricSettings) -> Self {
        let chips = settings.array.chips() as usize;
        Self {
            allowed: settings.chip_to_chip,
            copy_id: settings.own.venice.copy_id,
            controllers: mesh.entrances(),
            under_way: vec![None; chips],
            taken: vec![false; chips],
            barred: vec![SimTime::ZERO; chips],
        }
    }

    /// True if chip-to-chip copies are enabled.
    #[inline]
    pub(super) const fn are_allowed(&self) -> bool {
        self.allowed
    }

    /// True if `chip` sends or receives a page.
    #[inline]
    pub(super) fn occupy(&self, chip: ChipId) -> bool {
        self.taken[chip.index()]
    }

    /// Returns the packet id of the circuit over which a page is copied to `chip`, if there is one.
    pub(super) fn packet_to(&self, chip: ChipId) -> Option<ControllerId> {
        let goes_there = |copying: &Option<OutgoingPage>| copying.is_some_and(|copying| copying.to == chip);
        let from = self.under_way.iter().position(goes_there)?;
        Some(self.packet(ChipId(from as u32)))
    }

    /// Returns the packet id of a circuit from `chip`.
    pub(super) const fn packet(&self, chip: ChipId) -> ControllerId {
        ControllerId(self.controllers + chip.0)
    }
}

impl Venice {
    /// Sends a scout from chip `from` to the chip of `transfer`, which must be a different chip. If the scout
    /// finds a path, starts the copy.
    pub(super) fn copy(
        &mut self,
        transfer: &Transfer,
        from: ChipId,
        now: SimTime,
        out: &mut Outbox,
    ) -> Offer {
        self.repetition.restart();
        self.keep_up(now, out);
        let is_taken = |chip: ChipId| self.served_by[chip.index()].is_some() || self.copies.occupy(chip);
        if is_taken(from) || is_taken(transfer.chip) || now < self.copies.barred[from.index()] {
            return Offer::PathBusy;
        }
        let lender = match self.copies.copy_id {
            CopyId::Own => None,
            CopyId::Lent => {
                match self.controllers.choose(self.mesh.position(self.mesh.router_of(from)), |_| true) {
                    None => return Offer::PathBusy,
                    lender => lender,
                }
            }
        };
        self.keep_polls_up(now);
        self.counters.scouts += 1;
        let (packet, goal) = (self.copies.packet(from), self.mesh.router_of(transfer.chip));
        match self.network.reserve(packet, goal, self.timing.clock(now), now) {
            Err(hops) => {
                self.counters.scout_failures += 1;
                self.counters.scout_hops += u64::from(hops);
                let back = now + self.timing.failed_scout(hops);
                self.copies.barred[from.index()] = back;
                if out.trips.is_some() {
                    let outcome = ScoutOutcome { hops, back, found: false };
                    self.tell_scout_of_copy(from, transfer, outcome, now, out);
                }
                Offer::PathBusy
            }
            Ok(scout) => {
                self.start_copy(from, lender, transfer, &scout, now, out);
                self.note_change_along(packet);
                if out.trips.is_some() {
                    let hops = scout.travelled_hops();
                    let back = now + self.timing.scout(hops + scout.path_hops());
                    let outcome = ScoutOutcome { hops, back, found: true };
                    self.tell_scout_of_copy(from, transfer, outcome, now, out);
                }
                Offer::Accepted
            }
        }
    }

    fn start_copy(
        &mut self,
        from: ChipId,
        lender: Option<ControllerId>,
        transfer: &Transfer,
        scout: &Scout,
        now: SimTime,
        out: &mut Outbox,
    ) {
        let (travelled, hops) = (scout.travelled_hops(), scout.path_hops());
        let shortest = self.mesh.distance(self.mesh.router_of(from), self.mesh.router_of(transfer.chip));
        self.counters.detour_hops += u64::from(hops - shortest);
        self.counters.scout_hops += u64::from(travelled + hops);
        let end = now + self.timing.scout(travelled + hops) + self.timing.circuit(hops, transfer);
        self.count_crossing(hops, transfer);
        let delivery = Delivery { die: transfer.die, path_wait: SimSpan::ZERO, hops };
        self.copies.under_way[from.index()] = Some(OutgoingPage { to: transfer.chip, delivery, lender });
        for chip in [from, transfer.chip] {
            self.copies.taken[chip.index()] = true;
        }
        if let Some(who) = lender {
            self.controllers.set(who, ControllerState::Lent);
            self.open_up();
        }
        out.schedule(end, VeniceEvent::Copied(from).into());
    }

    /// Delivers a copied page and releases its circuit.
    pub(super) fn copied(&mut self, from: ChipId, now: SimTime, out: &mut Outbox) {
        let Some(OutgoingPage { to, delivery, lender }) = self.copies.under_way[from.index()].take() else {
            return;
        };
        self.keep_polls_up(now);
        let packet = self.copies.packet(from);
        self.network.forget_freed();
        self.network.release(packet, now);
        for chip in [from, to] {
            self.copies.taken[chip.index()] = false;
        }
        if let Some(who) = lender {
            self.controllers.set(who, ControllerState::Free);
        }
        self.retry_policy.note_release();
        self.note_freed(None);
        self.look_again(out);
        out.delivered.push(delivery);
        out.woken.push(WHOLE_MESH);
    }

    /// Returns the time of a copy on an idle mesh.
    pub(super) fn idle_copy(&self, transfer: &Transfer, from: ChipId) -> SimSpan {
        let hops = self.mesh.distance(self.mesh.router_of(from), self.mesh.router_of(transfer.chip));
        self.timing.scout(2 * hops) + self.timing.circuit(hops, transfer)
    }
}
