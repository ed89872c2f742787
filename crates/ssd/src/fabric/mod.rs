//! How bytes move between the flash controllers and the flash chips.
//!
//! The array is R rows × C columns of chips; flash controller *i* sits at the left end of row *i*
//! (Nadig et al., "Venice", ISCA 2023, Figures 5 and 8).
//!
//! # The contract
//!
//! Every fabric keeps it, and `tests/fabric_contract.rs` checks it for every name in the registry:
//!
//! 1. The caller offers a transfer when its chip is ready for it, at most one per chip at a time.
//!    [`Fabric::offer`] accepts or refuses at once; it never queues a refused transfer.
//! 2. An accepted transfer ends exactly once: it is [`Outbox::delivered`], never earlier than
//!    [`Fabric::idle_time`] after its offer, or, where the search for a path takes simulated time,
//!    it is [`Outbox::bounced`] and may be offered again.
//! 3. No lost wake-up: whenever a refused or bounced transfer of a domain might now succeed, the
//!    fabric names that domain in [`Outbox::woken`]. A refusal with nothing in flight and no path held
//!    schedules an event of its own that leads to such a wake-up.
//! 4. Domains are contiguous ranges of chips that compete for the same paths. An offer of one
//!    domain never changes what another domain's offer would be told.
//! 5. When every accepted transfer has ended, [`Fabric::is_quiet`] holds: no link, buffer or
//!    controller is still in use.
//! 6. On an idle fabric every offer is accepted and delivered after exactly
//!    [`Fabric::idle_time`]; later only where a path is longer than it need be: links have failed, or the
//!    settings choose a controller that is not the nearest.
//! 7. Same settings, same offers, same answers: chance comes from streams seeded by the settings.
//! 8. With [`Hold::Operation`] a fabric with paths holds a transfer's path for its die when more follows: until
//!    the last of the operation has ended, [`Fabric::holds_path`] says so between transfers, each offer
//!    of that die succeeds even while its domain is busy, nobody else gets that path, and it is in use.
//! 9. A fabric that [`copies`](Features::copies) may carry a page from one chip to another that it [`joins`](Fabric::joins) to it, in
//!    the same domain. [`Fabric::offer_copy`] is made when both chips are ready, which then have no other transfer; it is refused,
//!    without a wake-up being owed, as the page may go by a controller, or delivered exactly once and never bounced, no earlier
//!    than [`Fabric::idle_time_of_copy`], and on an idle fabric exactly then. No path is held for a die whose next page may go so:
//!    what comes before it says that nothing [follows](Transfer::more_follows).
//! 10. What fails ([`FaultSettings`]) takes nothing new from that instant on, and what has begun ends. What needs it is refused until
//!     controllers know, and is then woken; from then on every transfer to a chip that is [reached](Fabric::reaches) ends as ever.
//!
//! A fabric's own events (a release, a hop, a scout's step) travel as [`FabricEvent`]s whose number
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
pub mod venice;

use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};

use crate::geometry::{ChipId, DieId};
use crate::parameters::Declared;

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
pub(crate) use settings::place_of_section;
pub use settings::{BusSettings, FirstOnPath, Hold};
pub use venice::{
    Attachment, ControllerPorts, CopyId, PathLoops, PortChoice, Reservation, Retry, Routing, ServiceOrder,
    Venice, VeniceSettings,
};

/// How a fabric of the catalogue is made.
pub trait Model: Fabric {
    /// What it alone is told, under the name of its module in [`FabricSettings::own`]; `()` for nothing.
    type Parameters: Declared;

    /// Checks settings of which each is in its range.
    ///
    /// # Errors
    /// A [`FabricError`] that says which settings do not go together, and why.
    fn check(_settings: &FabricSettings) -> Result<(), FabricError> {
        Ok(())
    }

    /// Returns the chips that no path leads to, or from, once everything has failed that will.
    fn loss(settings: &FabricSettings) -> Loss;
}

/// Which way the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Commands, and data to be programmed.
    ToChip,
    /// Data that was read.
    FromChip,
}

/// What a fabric is like, fixed when it is built. From this, who serves it knows what need not be asked or said for each
/// transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "features are independent of each other")]
pub struct Features {
    /// Whether data goes by the instant at which it was ready rather than by the age of its page, where rows are joined.
    pub data_as_it_comes: bool,
    /// Whether it matters what of a transfer moves from chip to chip: [`Transfer::moved`].
    pub asks_what_is_moved: bool,
    /// Whether it matters for how long what is offered has been asked for: [`Fabric::next_is_of`].
    pub asks_for_age: bool,
    /// Whether pages that move from chip to chip go from controller to controller without entering the drive's memory.
    pub moves_past_memory: bool,
    /// Whether chips send pages to each other: [`Fabric::offer_copy`].
    pub copies: bool,
    /// Whether it may know, without an offer, that a chip of a domain that takes something gets no path: [`Fabric::refuses`].
    pub refuses_chips: bool,
    /// Whether it would rather have data of some chips go before that of others: [`Fabric::puts_off`].
    pub puts_off_chips: bool,
}

/// What of a transfer's data is pages that move from chip to chip, of collection or operands of gathers: neither from nor to the
/// drive's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// How many of the transfer's bytes.
    pub bytes: u32,
    /// The chip that they were read from, or are being read from.
    pub from: ChipId,
}

/// One use of a path: a command, a command with data, or data alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// The die at the far end; names the transfer, since a die has at most one in flight.
    pub die: DieId,
    /// The chip of that die.
    pub chip: ChipId,
    /// Which way.
    pub direction: Direction,
    /// Wire time of the command cycles, the same on every fabric; zero for bare data.
    pub command: SimSpan,
    /// Bytes of data; zero for a bare command.
    pub bytes: u32,
    /// The same operation will need the path again (data out follows a read command, another
    /// plane's data follows this plane's). Lets a fabric hold the path during the operation.
    pub more_follows: bool,
    /// What of the data stays in flash, for a fabric that [asks](Features::asks_what_is_moved); the rest, or all of it,
    /// comes from or goes to the drive's memory.
    pub moved: Option<Moved>,
}

/// The answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Taken; delivery (or a bounce) follows through the outbox.
    Accepted,
    /// No path to this chip now; another chip of the domain may have one.
    PathBusy,
    /// No path to any chip of the domain now: offering the others is a waste.
    DomainBusy,
}

/// A fabric's private event; the number means something to that fabric only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricEvent(pub u32);

/// A group of chips that compete for the same paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DomainId(pub u32);

/// The end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Whose transfer.
    pub die: DieId,
    /// Time since acceptance that was spent blocked inside the fabric (where what was accepted may still wait).
    pub path_wait: SimSpan,
    /// Links between routers, or chips of a ring, or controllers, that the transfer crossed; zero on buses.
    pub hops: u32,
}

/// What a fabric tells its caller. Vectors are drained and used again: no allocation once warm.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Own events to be scheduled.
    pub scheduled: Scheduled,
    /// Transfers that ended at this instant.
    pub delivered: Vec<Delivery>,
    /// Accepted transfers that found no path after all; the caller offers them again on a wake-up.
    pub bounced: Vec<DieId>,
    /// Domains in which a refused transfer may now succeed.
    pub woken: Vec<DomainId>,
    /// Scouts that set out, where somebody asks for them.
    pub trips: Option<Vec<ScoutTrip>>,
    /// Packets that set out over a link at this instant, where somebody asks for them.
    pub hops: Option<Vec<PacketHop>>,
}

impl Outbox {
    /// Asks for `event` to be handled at `at`.
    #[inline]
    pub fn schedule(&mut self, at: SimTime, event: FabricEvent) {
        self.scheduled.push(at, event);
    }

    /// Tells of a scout, if somebody asks.
    pub fn tell(&mut self, trip: ScoutTrip) {
        if let Some(trips) = &mut self.trips {
            trips.push(trip);
        }
    }
}

/// What a fabric asks of the flash dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dies {
    /// Nothing: commodity chips.
    #[default]
    AsBaseline,
    /// An interface that speaks packets.
    Packetised,
    /// A router with buffers in each chip.
    WithRouters,
}

/// What a fabric is made of, for its energy and its area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wiring {
    /// Channels and buses that chips share, or that lead to one chip each.
    pub channels: u32,
    /// Wires of such a channel, data and control, as a multiple of the baseline's.
    pub channel_pins: f64,
    /// Links between routers; both directions are one link.
    pub links: u32,
    /// Data bits of a link, for each of its lanes.
    pub link_bits: u32,
    /// Wires between controllers and the ports that they have beyond one each, in links' worth.
    pub port_wires: u32,
    /// Ports of routers beyond five each, summed over routers.
    pub more_ports: u32,
    /// Lanes of a link: one that serves both directions, or one for each.
    pub link_lanes: u32,
    /// Routers.
    pub routers: u32,
    /// Whether routers keep packets in buffers.
    pub buffered: bool,
    /// Whether links are reserved for longer than something crosses them, which is counted apart then.
    pub reserved: bool,
    /// What the dies have beyond the baseline's.
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
    /// Channels, as many baseline's ones as have the same wires.
    pub fn channels_of_baseline(&self) -> f64 {
        f64::from(self.channels) * self.channel_pins
    }

    /// Links, as many of eight bits as have the same wires.
    pub fn links_of_eight_bits(&self) -> f64 {
        f64::from((self.links + self.port_wires) * self.link_lanes) * self.router_width()
    }

    /// Routers, as many of five ports as have the same ports.
    pub fn routers_of_five_ports(&self) -> f64 {
        f64::from(self.routers) + f64::from(self.more_ports) / 5.0
    }

    /// Width of a router's ports as a multiple of eight bits.
    pub fn router_width(&self) -> f64 {
        f64::from(self.link_bits) / f64::from(u8::BITS)
    }
}

venice_kernel::counters! {
    /// What fabrics count beyond what their deliveries say.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct FabricCounters {
        /// Scouts sent (fabrics that reserve by scouts).
        pub scouts: u64,
        /// Scouts that came back without a path.
        pub scout_failures: u64,
        /// Hops by which reserved paths exceeded the shortest ones, summed.
        pub detour_hops: u64,
        /// Hops that scouts made: forward, back from dead ends, and back over the path they found.
        pub scout_hops: u64,
        /// Time for which something crossed paths, summed over paths of any number of links. A path of *n* links
        /// leads through *n* + 1 routers, so routers are in use for this and for the links' time.
        pub paths_used: SimSpan,
        /// Time for which commands or data crossed links, summed over links, where links are in use for more than that.
        pub links_crossed: SimSpan,
        /// The same for wires between controllers and their second ports, in links' worth; no router is at their ends.
        pub port_wires_crossed: SimSpan,
        /// Of the time for which paths were in use, that for which they were held and nothing crossed them, summed
        /// over what [`Fabric::path_busy`] lists.
        pub paths_kept: SimSpan,
    }
}

/// The seam: see the module's contract.
pub trait Fabric {
    /// The groups of chips that compete for paths: contiguous, in order, covering every chip.
    fn domains(&self) -> Vec<Range<u32>>;

    /// The domain of a chip.
    fn domain_of(&self, chip: ChipId) -> DomainId;

    /// What it is like, which never changes.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Offers a transfer at `now`.
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer;

    /// Whether it is known, without an offer, that none of this domain succeeds now. A fabric that would have to look
    /// for it says no.
    fn takes_nothing(&self, _domain: DomainId) -> bool {
        false
    }

    /// Whether it is known, without an offer, that no transfer of this chip for which no path is held succeeds now.
    /// Asked of one that [refuses chips](Features::refuses_chips), before a command is formed, so that what cannot go costs
    /// nothing.
    fn refuses(&self, _chip: ChipId, _now: SimTime) -> bool {
        false
    }

    /// Whether data of other chips that waits should be offered before this chip's: theirs would take a path that suits
    /// the fabric better. Asked of one that [puts off chips](Features::puts_off_chips).
    fn puts_off(&self, _chip: ChipId) -> bool {
        false
    }

    /// What is offered next to this chip, or from it, has been asked for since `since`. Said to one that [asks for
    /// it](Features::asks_for_age).
    fn next_is_of(&mut self, _chip: ChipId, _since: SimTime) {}

    /// Whether a page can go from one chip to another without a controller, if nothing else is on the way.
    fn joins(&self, _from: ChipId, _to: ChipId) -> bool {
        false
    }

    /// Offers a program command and its data, which goes to the transfer's chip and comes from the register of `from`; never
    /// [`Offer::DomainBusy`].
    fn offer_copy(&mut self, _transfer: &Transfer, _from: ChipId, _now: SimTime, _out: &mut Outbox) -> Offer {
        Offer::PathBusy
    }

    /// The time that takes when nothing else is in flight: the closed form.
    fn idle_time_of_copy(&self, transfer: &Transfer, _from: ChipId) -> SimSpan {
        self.idle_time(transfer)
    }

    /// Lets a private event happen.
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox);

    /// Whether a path is being held for this die's next transfer, so that an offer for it succeeds
    /// even while the domain is busy. Only fabrics that can hold paths between transfers say yes.
    fn holds_path(&self, _die: DieId) -> bool {
        false
    }

    /// The time the transfer takes when nothing else is in flight: the closed form.
    fn idle_time(&self, transfer: &Transfer) -> SimSpan;

    /// Something fails now, or controllers learn now of what has failed: the caller says so at both instants, as the settings have
    /// them, unless they are the start.
    fn faults_due(&mut self, now: SimTime, out: &mut Outbox);

    /// Whether some path leads to a chip, as far as controllers know. A chip of which this is not so is offered nothing but what a
    /// path is held for.
    fn reaches(&self, chip: ChipId) -> bool;

    /// Whether no link, buffer or controller is in use.
    fn is_quiet(&self) -> bool;

    /// What was counted so far.
    fn counters(&self) -> FabricCounters;

    /// What the fabric is made of.
    fn wiring(&self) -> Wiring;

    /// Time for which one hop of a scout occupies a link; none where there are no scouts.
    fn scout_hop_time(&self) -> SimSpan {
        SimSpan::ZERO
    }

    /// Returns the time for which each path (channel, bus, link) was in use up to `now`, in a fixed order. A use that
    /// goes on at `now` counts up to `now`, so a path's time never grows faster than the clock. The fabric's own page
    /// defines its paths.
    fn path_busy(&self, now: SimTime) -> Vec<SimSpan>;

    /// Adds the places over which the transfer of a chip's die goes now, by their numbers among [`Self::places`]; whether it is under
    /// way, which one that still looks for a path is not.
    fn way_of(&self, _chip: ChipId, _die: DieId, _way: &mut Vec<u32>) -> bool {
        true
    }

    /// The fabric's places, for who draws them: first those of [`Self::path_busy`], in its order; then others, if there are any over
    /// which [`Self::way_of`] leads.
    fn places(&self) -> Vec<Place> {
        (0..self.path_busy(SimTime::ZERO).len())
            .map(|number| Place::new(format!("path {number}"), []))
            .collect()
    }
}
