//! Fabrics: the transport of commands and data between flash controllers and flash chips.
//!
//! The array has R rows × C columns of chips; flash controller *i* sits at the left end of row *i* (Nadig et
//! al., "Venice", ISCA 2023, Figures 5 and 8).
//!
//! This crate models path arbitration, transfer times and path faults. The controller determines the order in
//! which transfers are offered; array times are modelled by the chips.
//!
//! # The contract
//!
//! Every fabric must satisfy the following rules, which `tests/fabric_contract.rs` checks for each fabric of
//! the catalogue:
//!
//! 1. The caller offers a transfer when its chip is ready for it, with at most one transfer per chip in
//!    flight. [`Fabric::offer`] accepts or refuses at once; a refused transfer is not queued.
//! 2. An accepted transfer ends exactly once. Usually it is [`Outbox::delivered`], at least
//!    [`Fabric::idle_time`] after its offer. On a fabric whose path search takes simulated time, it may be
//!    [`Outbox::bounced`] instead, and can be offered again.
//! 3. As soon as a refused or bounced transfer might succeed, the fabric lists its domain in
//!    [`Outbox::woken`] (no lost wake-up). If nothing is in flight and no path is held, a refusal schedules a
//!    private event that leads to a wake-up.
//! 4. An arbitration domain is a contiguous range of chips that compete for the same paths. An offer in one
//!    domain never changes the response to an offer in another domain.
//! 5. When every accepted transfer has ended, [`Fabric::is_quiet`] holds: no link, buffer or controller is in
//!    use.
//! 6. On an idle fabric every offer is accepted and delivered after exactly [`Fabric::idle_time`]. A delivery
//!    takes longer only if its path is longer than the shortest one. This happens after a link failure, or if
//!    the settings choose a controller that is not the nearest.
//! 7. Determinism: equal settings and equal offers give equal responses. Random choices come from streams
//!    seeded by the settings.
//! 8. Unless the setting is [`Hold::Transfer`] or the fabric is packet-switched, the path of a transfer with
//!    [`Transfer::keeps_path`] stays held for its die. The hold ends after a transfer without this flag, or
//!    with [`Fabric::release_path`]. During the hold [`Holds::holds_path`] is true, and each offer of the die
//!    succeeds even while its domain is busy. No other die can use the path, and the path counts as in use.
//! 9. A fabric with the capability [`Copies`] can carry a page between two chips of one domain that it
//!    [`joins`](Copies::joins). [`Copies::offer_copy`] requires that both chips are ready; neither has
//!    another transfer during the copy. A copy is either refused or delivered exactly once; it never bounces.
//!    A refusal causes no wake-up, since the page can also be moved through a controller. The copy takes at
//!    least [`Copies::idle_time_of_copy`], and exactly this time on an idle fabric. For a die whose next page
//!    may be copied in this way, no path is held: [`Transfer::keeps_path`] is false for the transfer before
//!    the copy.
//! 10. A part that fails ([`FaultSettings`]) accepts no new transfers from that instant on; transfers in
//!     progress complete. Transfers that need the part are refused until the controllers detect the fault,
//!     and their domains are then woken. From then on every transfer to a [reachable](Fabric::reaches) chip
//!     completes.
//!
//! If only its private events change its state, a fabric may find that it repeats a period. It then lists these
//! events in [`Outbox::repeated`], and the caller may call [`Fabric::skip`] before any other call. Results are
//! equal with and without this call.
//!
//! Private events of a fabric (a release, a hop, a step of a scout) are [`FabricEvent`]s. Only the fabric
//! that schedules such an event interprets its number.

pub mod bus;
mod capabilities;
pub mod catalogue;
pub mod channel;
mod choice;
mod counters;
pub mod decoupled;
mod error;
mod faults;
pub mod hlnand;
pub mod ideal;
mod loss;
pub mod noc;
pub mod nossd;
mod outbox;
mod path;
mod pending_events;
pub mod pnssd;
pub mod pssd;
mod scouts;
mod settings;
pub mod testkit;
mod transfer;
pub mod venice;
mod wiring;

use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};
use venice_params::ParameterSet;

pub use bus::Bus;
pub use capabilities::{Capabilities, Copies, Hints, Holds, Topology};
pub use catalogue::{FabricKind, FabricParameters, FabricSettings};
pub use choice::FabricChoice;
pub use counters::FabricCounters;
pub use decoupled::{Decoupled, DecoupledSettings};
pub use error::FabricError;
pub use faults::{FaultParameters, FaultSettings};
pub use hlnand::{HlNand, HlnandSettings};
pub use ideal::Ideal;
pub use loss::{PathFaults, UnreachableChips};
pub use noc::{ControllerChoice, MeshLink, MeshLinkParameters, MeshParameters};
pub use nossd::{Arbitration, Injection, NoSsd, NossdSettings, Reply, Switching};
pub use outbox::Outbox;
pub use path::{NamedPath, PacketHop, PathStop};
pub use pending_events::PendingEvents;
pub use pnssd::{BusChoice, PnSsd, PnssdSettings};
pub use pssd::{PSsd, PssdSettings};
pub use scouts::{ScoutTrip, Sender};
pub use settings::{BusSettings, FirstOnPath, Hold, place_of_section};
pub use transfer::{Delivery, Direction, DomainId, FabricEvent, Offer, RelocatedData, Transfer};
pub use venice::{
    Attachment, ControllerPorts, CopyId, PathLoops, PortChoice, Reservation, Retry, Routing, ServiceOrder,
    Venice, VeniceSettings,
};
pub use wiring::{DieRequirement, Wiring};

/// Interface by which the catalogue constructs a fabric: its parameters, checks, and unreachable chips.
pub trait FabricModel: Fabric {
    /// Fabric-specific parameters, stored in [`FabricSettings::own`] under the name of the fabric's module;
    /// `()` if there are none.
    type Parameters: ParameterSet;

    /// Checks settings that are valid individually for conflicts with each other.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] that names the settings in conflict and the reason.
    fn check(_settings: &FabricSettings) -> Result<(), FabricError> {
        Ok(())
    }

    /// Returns the chips that cannot exchange data with any controller after all configured faults.
    fn loss(settings: &FabricSettings) -> UnreachableChips;
}

/// Interface between the controller and a fabric. The crate documentation states its contract.
pub trait Fabric {
    /// Returns the arbitration domains: contiguous ranges of chips, in order, that cover every chip.
    fn domains(&self) -> Vec<Range<u32>>;

    /// Offers a transfer at `now`. The fabric accepts or refuses it at once.
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer;

    /// Releases the path that is held for `die` of `chip`, if there is one, and wakes domains as at the end
    /// of a transfer. The caller uses it when an array operation ends and no transfer follows, never during a
    /// transfer of the die.
    fn release_path(&mut self, _chip: ChipId, _die: DieId, _now: SimTime, _out: &mut Outbox) {}

    /// Processes an event that this fabric has scheduled itself.
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox);

    /// Advances the fabric by whole periods of the repetition that [`Outbox::repeated`] lists, as many as end
    /// before `until`. `until` is the instant of the caller's next event that is not in this list. Returns
    /// the time by which the caller must postpone the listed events.
    fn skip(&mut self, _until: SimTime) -> SimSpan {
        SimSpan::ZERO
    }

    /// Returns the time that a transfer takes on an idle fabric, from a closed-form formula.
    fn idle_time(&self, transfer: &Transfer) -> SimSpan;

    /// Applies the faults due at `now`. The caller calls it when a part fails and when the failure is
    /// detected. Faults at the start of the run are applied by the constructor.
    fn faults_due(&mut self, now: SimTime, out: &mut Outbox);

    /// True if the controllers know a path to `chip`. The caller offers no transfers of an unreachable chip,
    /// except over a path that is still held for its die.
    fn reaches(&self, chip: ChipId) -> bool;

    /// True if no link, buffer or controller is in use.
    fn is_quiet(&self) -> bool;

    /// Returns the counters from the start of the run up to `now`. A path that is held at `now` counts up to
    /// `now`, as in [`Self::path_busy`].
    fn counters(&self, now: SimTime) -> FabricCounters;

    /// Returns the number of wires and routers of the fabric.
    fn wiring(&self) -> Wiring;

    /// Returns the busy time of each path (channel, bus, link) up to `now`, in a fixed order. A transfer in
    /// progress counts up to `now`. The documentation of each fabric's module defines its paths.
    fn path_busy(&self, now: SimTime) -> Vec<SimSpan>;

    /// Returns the optional capabilities, which are constant after construction.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
    }

    /// Returns the fabric as [`Copies`] with mutable access, or `None` if it cannot copy pages between chips.
    fn copies_mut(&mut self) -> Option<&mut dyn Copies> {
        None
    }
}

/// Returns the named paths of a fabric. The paths of a fabric without a [topology](Topology) are numbered in
/// the order of [`Fabric::path_busy`].
pub fn named_paths<F: Fabric + ?Sized>(fabric: &F) -> Vec<NamedPath> {
    fabric.capabilities().topology.map_or_else(|| numbered_paths(fabric), Topology::paths)
}

fn numbered_paths<F: Fabric + ?Sized>(fabric: &F) -> Vec<NamedPath> {
    // Asked for the last instant, at which no transfer is in progress: a fabric may subtract the remaining time
    // of a transfer in progress.
    let count = fabric.path_busy(SimTime::MAX).len();
    (0..count).map(|number| NamedPath::new(format!("path {number}"), [])).collect()
}
