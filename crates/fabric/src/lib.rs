//! Fabrics: the transport of commands and data between flash controllers and flash chips.
//!
//! The array has R rows × C columns of chips; flash controller *i* sits at the left end of row *i* (Nadig et
//! al., "Venice", ISCA 2023, Figures 5 and 8).
//!
//! This crate owns path arbitration, transfer times and path faults. The order in which transfers are
//! offered belongs to the controller, array times belong to the chips.
//!
//! # The contract
//!
//! `tests/fabric_contract.rs` checks the contract for every fabric of the catalogue:
//!
//! 1. The caller offers a transfer when its chip is ready for it, with at most one transfer per chip in
//!    flight. [`Fabric::offer`] accepts or refuses at once; a refused transfer is not queued.
//! 2. An accepted transfer ends exactly once: it is [`Outbox::delivered`], never earlier than
//!    [`Fabric::idle_time`] after its offer, or, on a fabric whose path search takes simulated time,
//!    [`Outbox::bounced`] and may be offered again.
//! 3. No lost wake-up: when a refused or bounced transfer of a domain might succeed, the fabric lists that
//!    domain in [`Outbox::woken`]. A refusal with nothing in flight and no path held schedules a private
//!    event that leads to such a wake-up.
//! 4. Domains are contiguous ranges of chips that compete for the same paths. An offer in one domain never
//!    changes the answer to an offer in another domain.
//! 5. When every accepted transfer has ended, [`Fabric::is_quiet`] holds: no link, buffer or controller is in
//!    use.
//! 6. On an idle fabric every offer is accepted and delivered after exactly [`Fabric::idle_time`]. It is
//!    later only if the path is longer than the shortest: after link failures, or if the settings choose a
//!    controller that is not the nearest.
//! 7. Determinism: equal settings and equal offers give equal answers. Random choices come from streams
//!    seeded by the settings.
//! 8. With [`Hold::Operation`], a fabric with paths keeps a transfer's path for its die while more transfers
//!    of the operation follow. Until the last one has ended, [`Fabric::holds_path`] is true between
//!    transfers, each offer of that die succeeds even while its domain is busy, no other die gets the path,
//!    and the path counts as in use.
//! 9. A fabric with the feature [`copies`](Features::copies) can carry a page between two chips of one domain
//!    that it [`joins`](Fabric::joins). [`Fabric::offer_copy`] requires that both chips are ready; neither
//!    has another transfer during the copy. A copy is either refused, without a wake-up, since the page can
//!    go by a controller, or delivered exactly once and never bounced: no earlier than
//!    [`Fabric::idle_time_of_copy`], and on an idle fabric exactly then. No path is held for a die whose next
//!    page may be such a copy; [`Transfer::more_follows`] is false for the transfer before the copy.
//! 10. A part that fails ([`FaultSettings`]) accepts no new transfer from that instant; transfers in progress
//!     end. Transfers that need the part are refused until the controllers detect the fault, and their
//!     domains are then woken. From then on every transfer to a [reachable](Fabric::reaches) chip completes.
//!
//! Private events of a fabric (a release, a hop, a step of a scout) are [`FabricEvent`]s. Only the fabric
//! that schedules such an event interprets its number.
//! only that fabric understands.

pub mod bus;
pub mod catalogue;
pub mod channel;
mod chosen;
pub mod decoupled;
mod error;
mod faults;
pub mod hlnand;
pub mod ideal;
mod loss;
pub mod noc;
pub mod nossd;
mod place;
pub mod pnssd;
pub mod pssd;
mod scheduled;
mod scouts;
mod settings;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod venice;

use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{ChipId, DieId};
use venice_params::Declared;

pub use bus::Bus;
pub use catalogue::{FabricKind, FabricParameters, FabricSettings};
pub use chosen::ChosenFabric;
pub use decoupled::{Decoupled, DecoupledSettings};
pub use error::FabricError;
pub use faults::{FaultParameters, FaultSettings};
pub use hlnand::{HlNand, HlnandSettings};
pub use ideal::Ideal;
pub use loss::{Loss, PathFaults};
pub use noc::{ControllerChoice, MeshLink, MeshLinkParameters, MeshParameters};
pub use nossd::{Arbitration, Injection, NoSsd, NossdSettings, Reply};
pub use place::{PacketHop, Place, Stop};
pub use pnssd::{BusChoice, PnSsd, PnssdSettings};
pub use pssd::{PSsd, PssdSettings};
pub use scheduled::Scheduled;
pub use scouts::{ScoutTrip, Sender};
pub use settings::{BusSettings, FirstOnPath, Hold, place_of_section};
pub use venice::{
    Attachment, ControllerPorts, CopyId, PathLoops, PortChoice, Reservation, Retry, Routing, ServiceOrder,
    Venice, VeniceSettings,
};

/// Constructor-side interface of a fabric in the catalogue: parameters, checks, unreachable chips.
pub trait Model: Fabric {
    /// Parameters of this fabric alone, found in [`FabricSettings::own`] under the name of its module; `()`
    /// if there are none.
    type Parameters: Declared;

    /// Checks the combination of settings, each of which is within its range.
    ///
    /// # Errors
    /// Returns a [`FabricError`] that names the settings in conflict and the reason.
    fn check(_settings: &FabricSettings) -> Result<(), FabricError> {
        Ok(())
    }

    /// Returns the chips without a path to or from a controller after all configured faults.
    fn loss(settings: &FabricSettings) -> Loss;
}

/// Direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Commands, and data to be programmed.
    ToChip,
    /// Data read from the array.
    FromChip,
}

/// Features of a fabric, constant after construction. Callers read them once and skip the optional calls that
/// the fabric does not need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "features are independent of each other")]
pub struct Features {
    /// True if read data is served in the order of its readiness, not by the age of its page, in domains that
    /// join several rows.
    pub data_as_it_comes: bool,
    /// True if the fabric reads [`Transfer::moved`].
    pub asks_what_is_moved: bool,
    /// True if the fabric reads the age of offered transfers: [`Fabric::next_is_of`].
    pub asks_for_age: bool,
    /// True if pages relocated between chips go from controller to controller without entering the drive's
    /// memory.
    pub moves_past_memory: bool,
    /// True if the fabric supports chip-to-chip copies: [`Fabric::offer_copy`].
    pub copies: bool,
    /// True if [`Fabric::refuses`] can exclude single chips of a domain that is not fully busy.
    pub refuses_chips: bool,
    /// True if [`Fabric::puts_off`] can rank the read data of some chips behind that of others.
    pub puts_off_chips: bool,
}

/// Part of a transfer's data that consists of relocated pages (garbage collection, operands of gathers),
/// which neither come from nor go to the drive's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// Bytes of relocated pages in the transfer.
    pub bytes: u32,
    /// Source chip of the relocated pages.
    pub from: ChipId,
}

/// One use of a path: a bare command, a command with data, or bare data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Die at the far end. It identifies the transfer, since a die has at most one in flight.
    pub die: DieId,
    /// Chip that contains `die`.
    pub chip: ChipId,
    /// Direction of the data or command.
    pub direction: Direction,
    /// Wire time of the command cycles, equal on every fabric; zero for bare data.
    pub command: SimSpan,
    /// Bytes of data; zero for a bare command.
    pub bytes: u32,
    /// True if the same operation needs the path again (data out after a read command, data of another
    /// plane). A fabric may then hold the path during the operation.
    pub more_follows: bool,
    /// Relocated pages within the data, if the fabric [reads](Features::asks_what_is_moved) this field. All
    /// other data comes from or goes to the drive's memory.
    pub moved: Option<Moved>,
}

/// Answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Accepted; a delivery or a bounce follows through the outbox.
    Accepted,
    /// No free path to this chip; another chip of the domain may have one.
    PathBusy,
    /// No free path to any chip of the domain, so further offers of the domain are useless.
    DomainBusy,
}

/// Private event of a fabric; only that fabric interprets the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricEvent(pub u32);

/// Number of an arbitration domain: a group of chips that compete for the same paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DomainId(pub u32);

/// End of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Die of the transfer.
    pub die: DieId,
    /// Time after acceptance for which the transfer was blocked inside the fabric.
    pub path_wait: SimSpan,
    /// Links crossed between routers, ring chips or controllers; zero on buses.
    pub hops: u32,
}

/// Outputs of a fabric, drained by its caller. The vectors are reused, so that a warm run allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Private events to be scheduled.
    pub scheduled: Scheduled,
    /// Transfers that ended at this instant.
    pub delivered: Vec<Delivery>,
    /// Accepted transfers whose path search failed; the caller offers them again after a wake-up.
    pub bounced: Vec<DieId>,
    /// Domains in which a refused transfer may succeed.
    pub woken: Vec<DomainId>,
    /// Scouts that departed; `None` unless tracing is on.
    pub trips: Option<Vec<ScoutTrip>>,
    /// Packets that entered a link at this instant; `None` unless tracing is on.
    pub hops: Option<Vec<PacketHop>>,
}

impl Outbox {
    /// Schedules the private event `event` at `at`.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: FabricEvent) {
        self.scheduled.push(at, event);
    }

    /// Records a scout trip if tracing is on.
    pub fn tell(&mut self, trip: ScoutTrip) {
        if let Some(trips) = &mut self.trips {
            trips.push(trip);
        }
    }
}

/// Hardware that a fabric requires in the flash dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dies {
    /// Commodity dies, as in the baseline.
    #[default]
    AsBaseline,
    /// Packet interface.
    Packetised,
    /// Buffered router in each chip.
    WithRouters,
}

/// Inventory of a fabric's wires and routers, from which energy and area are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wiring {
    /// Number of channels and buses, shared by chips or leading to one chip each.
    pub channels: u32,
    /// Wires of one channel (data and control) as a multiple of the baseline's.
    pub channel_pins: f64,
    /// Number of links between routers; both directions count as one link.
    pub links: u32,
    /// Data bits per lane of a link.
    pub link_bits: u32,
    /// Wires to second ports of controllers, in equivalents of one link.
    pub port_wires: u32,
    /// Router ports beyond five per router, summed over routers.
    pub more_ports: u32,
    /// Lanes per link: 1 if one lane serves both directions, 2 if each direction has its own.
    pub link_lanes: u32,
    /// Number of routers.
    pub routers: u32,
    /// True if routers buffer packets.
    pub buffered: bool,
    /// True if links are reserved for longer than data crosses them; the crossing time is then counted
    /// separately.
    pub reserved: bool,
    /// Hardware in the dies beyond the baseline's.
    pub dies: Dies,
    /// Data rate of a channel or of a lane of a link.
    pub path_rate: Rate,
    /// Data rate of a router.
    pub router_rate: Rate,
}

impl Default for Wiring {
    fn default() -> Self {
        Self {
            channels: 0,
            channel_pins: 1.0,
            links: 0,
            port_wires: 0,
            more_ports: 0,
            link_bits: u8::BITS,
            link_lanes: 1,
            routers: 0,
            buffered: false,
            reserved: false,
            dies: Dies::AsBaseline,
            path_rate: Rate::UNLIMITED,
            router_rate: Rate::UNLIMITED,
        }
    }
}

impl Wiring {
    /// Returns the number of baseline channels with the same total number of wires.
    pub fn channels_of_baseline(&self) -> f64 {
        f64::from(self.channels) * self.channel_pins
    }

    /// Returns the number of 8-bit links with the same total number of wires.
    pub fn links_of_eight_bits(&self) -> f64 {
        f64::from((self.links + self.port_wires) * self.link_lanes) * self.router_width()
    }

    /// Returns the number of 5-port routers with the same total number of ports.
    pub fn routers_of_five_ports(&self) -> f64 {
        f64::from(self.routers) + f64::from(self.more_ports) / 5.0
    }

    /// Returns the width of a router port as a multiple of 8 bits.
    pub fn router_width(&self) -> f64 {
        f64::from(self.link_bits) / f64::from(u8::BITS)
    }
}

venice_kernel::counters! {
    /// Counters of a fabric beyond the fields of its deliveries.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FabricCounters {
        /// Scouts sent (fabrics that reserve paths by scouts).
        pub scouts: u64,
        /// Scouts that returned without a path.
        pub scout_failures: u64,
        /// Hops of reserved paths beyond the shortest path, summed over paths.
        pub detour_hops: u64,
        /// Hops of scouts: forward, backtracking, and back along the reserved path.
        pub scout_hops: u64,
        /// Time for which paths were crossed, summed over paths regardless of length. A path of *n* links
        /// passes *n* + 1 routers, so router activity is this time plus the links' time.
        pub paths_used: SimSpan,
        /// Time for which links were crossed, summed over links; counted where links are reserved for longer
        /// than that.
        pub links_crossed: SimSpan,
        /// Time for which wires to second controller ports were crossed, in link equivalents; these wires end
        /// at no additional router.
        pub port_wires_crossed: SimSpan,
        /// Part of the busy time of paths in which they were held and idle, summed over the paths of
        /// [`Fabric::path_busy`].
        pub paths_kept: SimSpan,
    }
}

/// Interface between the controller and a fabric; the module documentation states the contract.
pub trait Fabric {
    /// Returns the arbitration domains: contiguous ranges of chips, in order, that cover every chip.
    fn domains(&self) -> Vec<Range<u32>>;

    /// Returns the domain of `chip`.
    fn domain_of(&self, chip: ChipId) -> DomainId;

    /// Returns the features of the fabric, which are constant.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Offers a transfer at `now`.
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer;

    /// True if no offer of `domain` can succeed and this is known without a search. A fabric that would have
    /// to search returns false.
    fn takes_nothing(&self, _domain: DomainId) -> bool {
        false
    }

    /// True if no transfer of `chip` without a held path can succeed and this is known without an offer.
    /// Called before a command is formed, only if the feature [`refuses_chips`](Features::refuses_chips) is
    /// set.
    fn refuses(&self, _chip: ChipId, _now: SimTime) -> bool {
        false
    }

    /// True if waiting read data of other chips should be offered before that of `chip`, as it would use a
    /// more suitable path. Called only if the feature [`puts_off_chips`](Features::puts_off_chips) is set.
    fn puts_off(&self, _chip: ChipId) -> bool {
        false
    }

    /// Announces that the next transfer offered for `chip` has been waiting since `since`. Called only if the
    /// feature [`asks_for_age`](Features::asks_for_age) is set.
    fn next_is_of(&mut self, _chip: ChipId, _since: SimTime) {}

    /// True if an idle fabric can carry a page from `from` to `to` without a controller.
    fn joins(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    /// Offers a chip-to-chip copy: a program command to the transfer's chip, with data from the page register
    /// of `from`. Never returns [`Offer::DomainBusy`].
    fn offer_copy(&mut self, _transfer: &Transfer, _from: ChipId, _now: SimTime, _out: &mut Outbox) -> Offer {
        Offer::PathBusy
    }

    /// Returns the time of a chip-to-chip copy on an idle fabric, in closed form.
    fn idle_time_of_copy(&self, transfer: &Transfer, _from: ChipId) -> SimSpan {
        self.idle_time(transfer)
    }

    /// Processes a private event.
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox);

    /// True if a path is held for the next transfer of `die`, so that its offer succeeds even while the
    /// domain is busy. Always false on fabrics that hold no path between transfers.
    fn holds_path(&self, _die: DieId) -> bool {
        false
    }

    /// Returns the time of a transfer on an idle fabric, in closed form.
    fn idle_time(&self, transfer: &Transfer) -> SimSpan;

    /// Applies the faults due at `now`. The caller calls it at the instant of failure and at the instant of
    /// detection, unless these are the start of the run.
    fn faults_due(&mut self, now: SimTime, out: &mut Outbox);

    /// True if a path to `chip` exists as far as the controllers know. An unreachable chip is offered only
    /// transfers with a held path.
    fn reaches(&self, chip: ChipId) -> bool;

    /// True if no link, buffer or controller is in use.
    fn is_quiet(&self) -> bool;

    /// Returns the counters accumulated since the start.
    fn counters(&self) -> FabricCounters;

    /// Returns the inventory of wires and routers.
    fn wiring(&self) -> Wiring;

    /// Returns the time for which one hop of a scout occupies a link; zero on fabrics without scouts.
    fn scout_hop_time(&self) -> SimSpan {
        SimSpan::ZERO
    }

    /// Returns the busy time of each path (channel, bus, link) up to `now`, in a fixed order. A use in
    /// progress counts up to `now`, so that a path's busy time never grows faster than the clock. Each
    /// fabric's module defines its paths.
    fn path_busy(&self, now: SimTime) -> Vec<SimSpan>;

    /// Appends the indices among [`Self::places`] of the paths that the current transfer of `die` occupies.
    /// Returns false while the transfer still searches for a path.
    fn way_of(&self, _chip: ChipId, _die: DieId, _way: &mut Vec<u32>) -> bool {
        true
    }

    /// Returns the named paths for trace viewers: first those of [`Self::path_busy`] in the same order, then
    /// any further ones that [`Self::way_of`] reports.
    fn places(&self) -> Vec<Place> {
        (0..self.path_busy(SimTime::ZERO).len())
            .map(|number| Place::new(format!("path {number}"), []))
            .collect()
    }
}
