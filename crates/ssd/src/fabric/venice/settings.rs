//! What the circuit-reserving mesh is told.

use venice_kernel::SimSpan;

use crate::fabric::ControllerChoice;
use crate::parameters::{Conflict, Kind, SHORTEST_NS, choices, declare, number, one_of, whole};

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
    /// It gives the transfer back; another scout for it, some time after the failed one is back.
    BackOff,
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

/// How the reservation is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// Decided at one instant, its latency charged to the transfer.
    Atomic,
    /// Hop by hop, so that scouts in flight see each other's half-built paths.
    CycleLevel,
}

choices! {
    Routing, "routing":
        "non_minimal_adaptive" => NonMinimalAdaptive,
        "minimal_adaptive" => MinimalAdaptive,
        "dimension_order" => DimensionOrder,
        "exhaustive" => Exhaustive;
    PortChoice, "choice of port": "random" => Random, "unbiased" => Unbiased, "fixed" => Fixed;
    Retry, "retry policy":
        "at_once" => AtOnce, "back_off" => BackOff, "on_release" => OnRelease, "next_transfer" => NextTransfer;
    ServiceOrder, "order of service": "first_come" => FirstCome, "own_row_first" => OwnRowFirst;
    PathLoops, "treatment of loops": "kept" => Kept, "cut" => Cut;
    CopyId, "id of copies": "own" => Own, "lent" => Lent;
    ControllerPorts, "ports of controllers": "one" => One, "two" => Two, "both_sides" => BothSides;
    Reservation, "kind of reservation": "atomic" => Atomic, "cycle_level" => CycleLevel;
}

declare! {
    /// How controllers are joined to the mesh.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Attachment in "fabric.venice." {
        /// Where each flash controller has ports into the mesh; one circuit leads through a port at a time.
        ///
        /// `one`: at column 0 of its row. `two`: two there, so that these routers have one port more. `both_sides`: at column 0 and
        /// at the last column, in the right neighbour's place, with wires of a row's length.
        ports as controller_ports: ControllerPorts = one_of::<ControllerPorts>(), unit "", default "one",
            source "Nadig et al., Venice, ISCA 2023, Figure 5 (one); the others are ours";
        /// Circuits, scouts included, that a flash controller may have at a time: at most one through each of its ports.
        circuits as circuits_per_controller: u32 = whole(1, 2), unit "circuits", default "1",
            source "Nadig et al., Venice, ISCA 2023, §4.2 (1); 2 is ours";
        /// Links between neighbouring routers of column 0, through which all controllers' circuits to other rows lead.
        column_0_links: u32 = whole(1, 2), unit "links", default "1",
            source "Nadig et al., Venice, ISCA 2023, Figure 5 (1); 2 is ours";
    }
}

impl Attachment {
    /// A circuit takes a port of its controller whole, as it takes links.
    pub(crate) fn conflict(&self) -> Option<Conflict> {
        if self.circuits < 2 || self.ports != ControllerPorts::One {
            return None;
        }
        let message = "two circuits of a controller need two ports of it, and it has one: a port is in one circuit at a time";
        let note = "expected: `controller_ports` of `two` or `both_sides`, or 1 circuit".to_owned();
        let keys = &["fabric.venice.circuits_per_controller", "fabric.venice.controller_ports"];
        Some(Conflict { keys, message: message.to_owned(), note: Some(note) })
    }
}

impl Attachment {
    /// The paper's (Nadig et al., ISCA 2023, Figure 5): one port, one circuit, single links.
    pub const PAPER: Self = Self { ports: ControllerPorts::One, circuits: 1, column_0_links: 1 };
}

declare! {
    /// The circuit-reserving mesh, `venice`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct VeniceSettings in "fabric.venice." {
        /// How scouts find their way.
        ///
        /// `non_minimal_adaptive`: minimal ports, then misrouting, then back. `minimal_adaptive`: minimal ports,
        /// then back. `dimension_order`: one path, along the row first. `exhaustive`: a shortest free path, which no
        /// router could know; it bounds what routing can do.
        routing: Routing = one_of::<Routing>(), unit "", default "non_minimal_adaptive",
            source "Nadig et al., Venice, ISCA 2023, Algorithm 1";
        /// How scouts choose among allowed ports.
        ///
        /// `random`: by the router's 2-bit LFSR, whose low bit takes the first of two ports, X, in two states of three.
        /// `unbiased`: by the LFSR, each of two ports equally often. `fixed`: right, left, up, down, so X first.
        port_choice: PortChoice = one_of::<PortChoice>(), unit "", default "fixed",
            source "ours: Nadig et al., Venice, ISCA 2023, Algorithm 1 has `random`, and §4.3 permits others";
        /// Which flash controller serves a transfer.
        ///
        /// `nearest_free`: the free controller nearest to the chip. `home`: the one of the chip's row. `least_loaded`: the free
        /// one that has carried the fewest transfers.
        controller: ControllerChoice = one_of::<ControllerChoice>(), unit "", default "nearest_free",
            source "Nadig et al., Venice, ISCA 2023";
        /// When a new scout follows one that found no path.
        ///
        /// `at_once`: the controller stays with its transfer and sends the next scout as soon as the failed one is back,
        /// as in §4.2. Else it gives the transfer back: `back_off` (tried again after `back_off_ns`), `on_release` (when a
        /// circuit has been released), or `next_transfer` (it serves the next one in reach; no scout goes to a chip known
        /// to be out of reach before a link that stopped one is released).
        retry: Retry = one_of::<Retry>(), unit "", default "next_transfer",
            source "Nadig et al., Venice, ISCA 2023, §4.2; footnote 3 leaves open when to send again";
        /// What becomes of the loops of a path, where a scout came through a router twice.
        ///
        /// `kept`: they are part of the circuit. `cut`: the scout gives them back on its way back.
        path_loops: PathLoops = one_of::<PathLoops>(), unit "", default "cut",
            source "Nadig et al., Venice, ISCA 2023, §4.2: the backward path is the forward one; `cut` is ours";
        /// Whose id the packets of a circuit from chip to chip have, for `fabric.chip_to_chip`.
        ///
        /// `own`: the sending chip's, so that ids are longer. `lent`: that of a free controller, which serves nobody else until the
        /// circuit is released.
        copy_id: CopyId = one_of::<CopyId>(), unit "", default "own", source "ours";
        /// Which of several transfers whose data waits a free controller serves.
        ///
        /// `first_come`: the first that came. `own_row_first`: the first of its own row, whose paths are shortest; if none
        /// waits, the first of all.
        order: ServiceOrder = one_of::<ServiceOrder>(), unit "", default "own_row_first",
            source "ours: the paper lets a request choose its controller, and says nothing of several that wait";
        /// Pause before a new scout, for `retry = "back_off"`.
        back_off as back_off_ns: SimSpan = number(SHORTEST_NS, 1e9), unit "ns", default "100",
            source "assumed: a few round trips of a scout";
        with attachment: Attachment;
        /// How the reservation is simulated.
        ///
        /// `atomic`: decided at one instant, its time charged to the transfer. `cycle_level`: hop by hop, so
        /// that scouts in flight see each other's half-built paths.
        reservation: Reservation = one_of::<Reservation>(), unit "", default "atomic", source "ours";
        /// Whether the scout's travel takes time.
        scout_takes_time: bool = Kind::Boolean, unit "", default "true",
            source "Nadig et al., Venice, ISCA 2023; without it is an ablation";
    }
}
