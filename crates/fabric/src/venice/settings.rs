//! Parameters of the circuit-reserving mesh.

use venice_kernel::SimSpan;
use venice_params::{Conflict, ParameterKind, SHORTEST_NS, choices, declare, number, one_of, whole};

use crate::ControllerChoice;

/// Routing of scouts (Venice, ISCA 2023, Algorithm 1 and its ablations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// Algorithm 1: a minimal port; if none is free, another port (misrouting); if no port is free,
    /// backtracking.
    NonMinimalAdaptive,
    /// A minimal port; if none is free, backtracking.
    MinimalAdaptive,
    /// The path along X, then along Y. There is no alternative path.
    DimensionOrder,
    /// A shortest free path. It is found with knowledge of all links, which no router has, and is therefore
    /// an upper bound for routing algorithms.
    Exhaustive,
}

/// Choice among several ports that routing allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChoice {
    /// Choice by the router's 2-bit LFSR. Its low bit selects the first of two ports in two of three states.
    Random,
    /// Choice by the router's 2-bit LFSR. Its bit is inverted in every other period, so that each of two
    /// ports is selected equally often.
    Unbiased,
    /// First candidate in the order right, left, up, down.
    Fixed,
}

/// Action of a controller after one of its scouts returned without a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Keep the transfer, and send the next scout as soon as the failed one has returned.
    AtOnce,
    /// Return the transfer, and retry at a fixed time after the return of the failed scout.
    BackOff,
    /// Return the transfer, and retry after the release of any circuit.
    OnRelease,
    /// Return the transfer to its queue and serve another one. No scout is sent to an unreachable chip until
    /// a link that blocked the failed scout is released.
    NextTransfer,
}

/// Order in which a free controller serves waiting transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceOrder {
    /// First come, first served.
    FirstCome,
    /// Transfers of the controller's own row first, then all others. Each group is served first come,
    /// first served.
    OwnRowFirst,
}

/// Treatment of loops in paths. A loop occurs when a scout passes a router twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLoops {
    /// Loops remain part of the circuit.
    Kept,
    /// The returning scout releases the links of loops.
    Cut,
}

/// Packet id of a circuit between chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyId {
    /// Packet id that belongs to the sending chip.
    Own,
    /// Id of a free controller, which remains occupied until the release of the circuit.
    Lent,
}

/// Ports of a flash controller into the mesh; each port carries one circuit at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerPorts {
    /// One port, at column 0 of its row.
    One,
    /// Two ports, both at column 0.
    Two,
    /// One port at column 0 of the controller's row, one at the last column.
    BothSides,
}

/// Instants at which the simulation reserves the links of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// All links at one instant. The duration of the search is added to the transfer.
    Atomic,
    /// One link per hop of the scout, so that the incomplete paths of concurrent scouts affect each other.
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
    /// Attachment of flash controllers to the mesh.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Attachment in "fabric.venice." {
        /// Ports of each flash controller into the mesh; each port carries one circuit at a time.
        ///
        /// `one`: one port, at column 0 of the controller's row. `two`: two ports at column 0, whose routers
        /// then have one port more. `both_sides`: one port at column 0 and one at the last column, in place
        /// of the router's right neighbour; its wires are as long as the row.
        ports as controller_ports: ControllerPorts = one_of::<ControllerPorts>(), unit "", default "one",
            source "Nadig et al., Venice, ISCA 2023, Figure 5 (one); the others are ours";
        /// Maximum number of circuits of a flash controller at the same time, including circuits that scouts
        /// are reserving; at most one per port.
        circuits as circuits_per_controller: u32 = whole(1, 2), unit "circuits", default "1",
            source "Nadig et al., Venice, ISCA 2023, §4.2 (1); 2 is ours";
        /// Number of links between neighbouring routers of column 0, which carry all circuits of controllers
        /// to other rows.
        column_0_links: u32 = whole(1, 2), unit "links", default "1",
            source "Nadig et al., Venice, ISCA 2023, Figure 5 (1); 2 is ours";
    }
}

impl Attachment {
    /// Checks that a controller has at least as many ports as circuits, since each circuit occupies a port.
    pub fn conflict(&self) -> Option<Conflict> {
        if self.circuits < 2 || self.ports != ControllerPorts::One {
            return None;
        }
        let message = "two circuits per controller cannot be combined with one port: a port is in one circuit at a time";
        let note = "expected: `controller_ports` of `two` or `both_sides`, or 1 circuit".to_owned();
        let keys = &["fabric.venice.circuits_per_controller", "fabric.venice.controller_ports"];
        Some(Conflict { keys, message: message.to_owned(), note: Some(note) })
    }
}

impl Attachment {
    /// Attachment in the Venice paper (Nadig et al., ISCA 2023, Figure 5): one port, one circuit, single
    /// links.
    pub const PAPER: Self = Self { ports: ControllerPorts::One, circuits: 1, column_0_links: 1 };
}

declare! {
    /// Mesh in which scouts reserve circuits, `venice`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct VeniceSettings in "fabric.venice." {
        /// Routing of scouts, the packets that reserve circuits.
        ///
        /// `non_minimal_adaptive`: minimal ports, then misrouting, then backtracking. `minimal_adaptive`:
        /// minimal ports, then backtracking. `dimension_order`: one path, along the row first. `exhaustive`:
        /// the shortest free path by global knowledge, which no router has; an upper bound for routing.
        routing: Routing = one_of::<Routing>(), unit "", default "non_minimal_adaptive",
            source "Nadig et al., Venice, ISCA 2023, Algorithm 1";
        /// Choice of the port if several are allowed for a scout.
        ///
        /// `random`: by the router's 2-bit LFSR, which selects the X port in two of its three states.
        /// `unbiased`: by the LFSR, which selects each of two ports equally often. `fixed`: the first allowed
        /// port in the order right, left, up, down.
        port_choice: PortChoice = one_of::<PortChoice>(), unit "", default "fixed",
            source "ours: Nadig et al., Venice, ISCA 2023, Algorithm 1 has `random`, and §4.3 permits others";
        /// Choice of the flash controller that serves a transfer.
        ///
        /// `nearest_free`: the free controller nearest to the chip. `home`: the controller of the chip's row.
        /// `least_loaded`: the free controller with the fewest transfers so far.
        controller: ControllerChoice = one_of::<ControllerChoice>(), unit "", default "nearest_free",
            source "Nadig et al., Venice, ISCA 2023";
        /// Action of a controller after a scout that found no path.
        ///
        /// `at_once`: the controller keeps its transfer and sends the next scout as soon as the failed one is
        /// back, as in §4.2 of the Venice paper. With the other values, the controller returns the transfer
        /// to its queue. `back_off`: retry after `back_off_ns`. `on_release`: retry after the release of any
        /// circuit. `next_transfer`: the controller serves the next reachable transfer; no scout goes to a
        /// chip known to be unreachable until a link that blocked a scout is released.
        retry: Retry = one_of::<Retry>(), unit "", default "next_transfer",
            source "Nadig et al., Venice, ISCA 2023, §4.2; footnote 3 leaves the time of a retry open";
        /// Treatment of loops, which arise when a scout passes a router twice.
        ///
        /// `kept`: loops remain part of the circuit. `cut`: the returning scout releases the links of loops.
        path_loops: PathLoops = one_of::<PathLoops>(), unit "", default "cut",
            source "Nadig et al., Venice, ISCA 2023, §4.2: the backward path is the forward one; `cut` is ours";
        /// Packet id of a circuit between chips, for `fabric.chip_to_chip`.
        ///
        /// `own`: an id of the sending chip, which makes ids longer. `lent`: the id of a free controller,
        /// which serves no transfer until the circuit is released.
        copy_id: CopyId = one_of::<CopyId>(), unit "", default "own", source "ours";
        /// Order in which a free controller serves waiting transfers of read data.
        ///
        /// `first_come`: first come, first served. `own_row_first`: transfers of the controller's own row
        /// first, which have the shortest paths, then all others; each group first come, first served.
        order: ServiceOrder = one_of::<ServiceOrder>(), unit "", default "own_row_first",
            source "ours: the paper lets a request choose its controller, and does not cover several waiting requests";
        /// Delay before the next scout, for `retry = "back_off"`.
        back_off as back_off_ns: SimSpan = number(SHORTEST_NS, 1e9), unit "ns", default "100",
            source "assumed: a few round trips of a scout";
        /// Delay from the return of a failed scout to the next scout for the same chip, for
        /// `retry = "next_transfer"`.
        ///
        /// With `reservation = "cycle_level"`, each failing scout releases the links of its incomplete path, and
        /// thus permits further scouts of other controllers. Without a delay, scouts then follow each other within
        /// nanoseconds as long as circuits are held. Also applies to `fabric.nossd.switching = "circuits"`.
        retry_delay as retry_delay_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0",
            source "ours: Nadig et al., Venice, ISCA 2023, footnote 3 leaves the time of a retry open";
        with attachment: Attachment;
        /// Times at which the simulation reserves the links of a path.
        ///
        /// `atomic`: all links at the same time; the travel time of the scout is added to the transfer.
        /// `cycle_level`: hop by hop, so that the incomplete paths of concurrent scouts affect each other.
        /// Also applies to `nossd` with circuits (`fabric.nossd.switching`).
        reservation: Reservation = one_of::<Reservation>(), unit "", default "atomic", source "ours";
        /// If true, scouts take time to travel through the mesh.
        ///
        /// Also applies to `nossd` with circuits (`fabric.nossd.switching`).
        scout_takes_time: bool = ParameterKind::Boolean, unit "", default "true",
            source "Nadig et al., Venice, ISCA 2023; `false` is an ablation";
    }
}
