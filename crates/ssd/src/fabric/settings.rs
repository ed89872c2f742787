//! What fabrics are told: validated numbers, no strings.

use venice_kernel::{Rate, SimSpan, SimTime};

use crate::geometry::{Array, ChipId};

/// What goes first where several transfers wait for the paths of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstOnPath {
    /// Data that was read, then commands, with or without data.
    Data,
    /// Commands without data, which set an array to work and take no time to speak of; then data that was read;
    /// then commands with data.
    Commands,
}

/// Settings of every fabric; each reads its own part.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricSettings {
    /// The chips to be joined.
    pub array: Array,
    /// Seed of the fabric's random choices.
    pub seed: u64,
    /// Whether chips send pages to each other, on fabrics that can.
    pub chip_to_chip: bool,
    /// What goes first of several transfers that wait.
    pub first_on_path: FirstOnPath,
    /// What a path is held for. Packets hold none.
    pub hold: Hold,
    /// Shared channels and direct channels.
    pub bus: BusSettings,
    /// Packetised channels.
    pub pssd: PssdSettings,
    /// A bus for each row and one for each column.
    pub pnssd: PnssdSettings,
    /// Links between routers, for the meshes.
    pub mesh_link: MeshLink,
    /// Rings of chips.
    pub hlnand: HlnandSettings,
    /// Controllers in a network of their own.
    pub decoupled: DecoupledSettings,
    /// What fails.
    pub faults: FaultSettings,
    /// The packet-switched mesh.
    pub nossd: NossdSettings,
    /// The circuit-reserving mesh.
    pub venice: VeniceSettings,
}

/// What a path (a channel, a bus, a ring, a circuit) is held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// For one transfer: a read takes a path twice, and others use it while the array reads.
    Transfer,
    /// From a read's command to the end of its data, those of all its planes. Programs and erases need a path
    /// once, and hold it for that.
    Operation,
}

impl Hold {
    /// Whether the path stays with the die when a transfer after which `more_follows` has ended.
    #[inline]
    pub fn keeps(self, more_follows: bool) -> bool {
        more_follows && self == Self::Operation
    }
}

/// A baseline channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusSettings {
    /// Data rate of one channel.
    pub rate: Rate,
}

/// A packetised channel, whose control pins carry data too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PssdSettings {
    /// Times the baseline channel's data rate.
    pub speedup: u64,
    /// Bytes of header in front of each transfer that carries data.
    pub header_bytes: u32,
}

/// A bus for each row and one for each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PnssdSettings {
    /// Which of a chip's two buses carries a transfer.
    pub path_choice: BusChoice,
    /// Buses that a controller may have in use at a time: 1, or both.
    pub transfers_per_controller: u32,
}

/// Which of a chip's two buses carries a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusChoice {
    /// That of its row if it is free, else that of its column.
    Free,
    /// Always the same for a chip: that of its row where row + column is even, else that of its column.
    ByChip,
}

/// Rings of chips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HlnandSettings {
    /// Data rate of one link of a ring.
    pub rate: Rate,
    /// Time a chip takes to pass on what is not for it.
    pub hop: SimSpan,
    /// Whether the links of a ring that was cut are turned round as needed, so that each end of it is a line of its own.
    pub links_turn: bool,
}

/// Flash controllers in a network of their own, beside the system bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecoupledSettings {
    /// Data rate of the bus between the controllers and the drive's memory.
    pub system_bus: Rate,
    /// Whether pages that collection moves stay with the controllers; else they cross the system bus twice.
    pub global_copyback: bool,
    /// Data rate of each direction of a link between neighbouring controllers.
    pub link: Rate,
    /// Time the head of a page takes from one controller to the next.
    pub hop: SimSpan,
}

/// A link between two routers: one flit of `width_bits` each `latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLink {
    /// Bits that cross at a time: a flit.
    pub width_bits: u32,
    /// Time a flit takes to cross.
    pub latency: SimSpan,
}

impl MeshLink {
    /// The data rate.
    ///
    /// # Panics
    /// When the link has no width; configuration bounds forbid it.
    pub const fn rate(&self) -> Rate {
        Rate::from_ps_per_bytes(self.latency.as_ps() * 8, self.width_bits as u64)
    }

    /// The time `bytes` bytes take to pass one point of the link.
    #[inline]
    pub fn serialisation(&self, bytes: u32) -> SimSpan {
        self.latency * (u64::from(bytes) * 8).div_ceil(u64::from(self.width_bits))
    }
}

/// What fails: links and routers of a mesh, where a router is named by its chip; elsewhere channels, buses, or links of rings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSettings {
    /// Links of a mesh, each by the neighbours that it joins.
    pub links: Vec<[ChipId; 2]>,
    /// Routers.
    pub routers: Vec<ChipId>,
    /// Channels, buses, or links of rings, by their numbers among what [`Fabric::path_busy`](super::Fabric::path_busy) lists.
    pub paths: Vec<u32>,
    /// When.
    pub at: SimTime,
    /// How long after that controllers take for failed what no longer answers.
    pub detection: SimSpan,
    /// Chips that hold no data, so that nobody needs to reach them.
    pub unused: Vec<ChipId>,
    /// Whether a drive goes on without the chips that nobody reaches any more.
    pub degraded_mode: bool,
}

impl FaultSettings {
    /// Whether anything fails.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.routers.is_empty() && self.paths.is_empty()
    }

    /// When controllers know: what has failed before the start is found when the drive is switched on.
    pub fn known_at(&self) -> SimTime {
        if self.at == SimTime::ZERO { self.at } else { self.at + self.detection }
    }
}

/// Which flash controller serves a transfer on a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerChoice {
    /// The free controller nearest to the chip; ties to the lower number.
    NearestFree,
    /// The controller of the chip's own row, free or not.
    Home,
    /// The free controller that has carried the fewest transfers; ties to the nearest.
    LeastLoaded,
}

/// The way back from a chip on a packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Over the command's routers: along the chip's column to the controller's row, then along that row.
    Retrace,
    /// Along the chip's row to column 0, then along that column.
    XThenY,
}

/// In which order data of chips enters a packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injection {
    /// As it became ready.
    AsReady,
    /// By the age of its page, but what would cross a column that another reply is crossing goes after all else.
    OldestFirst,
}

/// Which of the packets that wait for a lane of a packet-switched mesh crosses next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// The one whose head came first.
    FirstCome,
    /// The one whose transfer was injected first.
    OldestFirst,
}

/// The packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NossdSettings {
    /// Which controller serves a transfer.
    pub controller: ControllerChoice,
    /// Which way data from a chip takes.
    pub reply: Reply,
    /// In which order data of chips enters.
    pub injection: Injection,
    /// Which of the packets that wait for a lane crosses next.
    pub arbitration: Arbitration,
    /// Input buffer of each router port.
    pub port_buffer_bytes: u32,
    /// Bytes of header in front of each packet.
    pub header_bytes: u32,
    /// Most data bytes in a packet; longer transfers are cut into several.
    pub max_payload_bytes: u32,
    /// Time a router takes to forward a packet's head, besides the link's latency.
    pub router_latency: SimSpan,
}

/// How a scout chooses its way (Venice, ISCA 2023, Algorithm 1 and its ablations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// Algorithm 1: minimal ports first, then misrouting, then backtracking.
    NonMinimalAdaptive,
    /// Minimal ports only, with backtracking.
    MinimalAdaptive,
    /// X before Y, one path, no alternative.
    DimensionOrder,
    /// A shortest free path, known by looking everywhere: no router could; it bounds what routing can do.
    Exhaustive,
}

/// How a scout chooses among several allowed ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChoice {
    /// By the router's 2-bit LFSR, whose low bit takes the first of two ports in two states of three.
    Random,
    /// By the LFSR, turned over in every other round, so that of two ports each is taken equally often.
    Unbiased,
    /// The first in the order right, left, up, down.
    Fixed,
}

/// What a controller does when its scout came back without a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It stays with its transfer and sends a new scout as soon as the failed one is back.
    AtOnce,
    /// It gives the transfer back; another scout for it, this long after the failed one is back.
    BackOff(SimSpan),
    /// It gives the transfer back; another scout for it when some circuit has been released.
    OnRelease,
    /// It gives the transfer back and serves the next one; it sends no scout to a chip that it found out of reach
    /// until a link at which that scout was stopped has been released.
    NextTransfer,
}

/// Which of several waiting transfers a free controller serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// The one that came first.
    FirstCome,
    /// Of those of its own row the one that came first; if there is none, the first of all.
    OwnRowFirst,
}

/// What becomes of the loops of a path, where a scout came through a router twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLoops {
    /// They are part of the circuit.
    Kept,
    /// The scout gives them back on its way back.
    Cut,
}

/// Whose id the packets of a circuit between chips have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyId {
    /// The sending chip's.
    Own,
    /// A free controller's, which is taken until the circuit is released.
    Lent,
}

/// Where a flash controller's ports into the mesh are; one circuit leads through each at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerPorts {
    /// One, at column 0 of its row.
    One,
    /// Two, both there.
    Two,
    /// One at column 0 of its row, one at the last column.
    BothSides,
}

/// How controllers are joined to the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Where a controller's ports are.
    pub ports: ControllerPorts,
    /// Circuits, scouts included, that a controller may have at a time: at most as many as ports.
    pub circuits: u32,
    /// Links between neighbours of column 0: 1 or 2.
    pub column_0_links: u32,
}

impl Attachment {
    /// The paper's (Nadig et al., ISCA 2023, Figure 5): one port, one circuit, single links.
    pub const PAPER: Self = Self { ports: ControllerPorts::One, circuits: 1, column_0_links: 1 };
}

/// How the reservation is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// Decided at one instant, its latency charged to the transfer.
    Atomic,
    /// Hop by hop, so that scouts in flight see each other's half-built paths.
    CycleLevel,
}

/// The circuit-reserving mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VeniceSettings {
    /// How scouts route.
    pub routing: Routing,
    /// How scouts choose among allowed ports.
    pub port_choice: PortChoice,
    /// Which controller serves a transfer.
    pub controller: ControllerChoice,
    /// What follows a failed scout.
    pub retry: Retry,
    /// What becomes of the loops of a path.
    pub path_loops: PathLoops,
    /// Whose id the packets of a circuit between chips have.
    pub copy_id: CopyId,
    /// Which of several waiting transfers a free controller serves.
    pub order: ServiceOrder,
    /// How controllers are joined to the mesh.
    pub attachment: Attachment,
    /// How the reservation is simulated.
    pub reservation: Reservation,
    /// Whether the scout's travel takes time (the paper counts it; without it is an ablation).
    pub scout_takes_time: bool,
}
