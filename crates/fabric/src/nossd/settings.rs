//! Parameters of the packet-switched mesh.

use venice_kernel::SimSpan;
use venice_params::{Conflict, LONGEST_NS, choices, declare, number, one_of, whole};

use crate::ControllerChoice;

/// Route of data from a chip on a packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Over the routers of the command: along the chip's column to the controller's row, then along that row.
    Retrace,
    /// Along the chip's row to column 0, then along column 0.
    XThenY,
}

/// Order in which read data of chips enters a packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injection {
    /// In the order in which the data became ready.
    AsReady,
    /// In the order in which the reads were created. Data whose column another reply uses comes last.
    OldestFirst,
}

/// Arbitration among packets that wait for a lane of a packet-switched mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// First come, first served: in the order in which the heads of the packets arrive.
    FirstCome,
    /// Oldest first: in the order in which the transfers were accepted.
    OldestFirst,
}

/// Switching of a mesh with dimension-order routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// Packets, which are buffered in the routers.
    Packets,
    /// Circuits (reserved paths). A controller whose path is busy serves another transfer in the meantime.
    Circuits,
    /// Circuits (reserved paths). A controller whose path is busy waits with its transfer until the path is
    /// free.
    CommittedCircuits,
}

choices! {
    Switching, "switching":
        "packets" => Packets, "circuits" => Circuits, "committed_circuits" => CommittedCircuits;
    Reply, "way back": "retrace" => Retrace, "x_then_y" => XThenY;
    Injection, "order of injection": "oldest_first" => OldestFirst, "as_ready" => AsReady;
    Arbitration, "order of packets": "first_come" => FirstCome, "oldest_first" => OldestFirst;
}

declare! {
    /// Mesh with dimension-order routing, `nossd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NossdSettings in "fabric.nossd." {
        /// Switching of the mesh.
        ///
        /// `packets`: packets with virtual cut-through, which the parameters below describe. `circuits`: a
        /// transfer reserves all links of its path along the row, then along the column; a controller whose
        /// path is busy serves another transfer. `committed_circuits`: a controller whose path is busy keeps
        /// its transfer until the path is free. Circuits are reserved by scouts, as in the fabric `venice`,
        /// and `fabric.hold` applies to them. Of the other parameters of this section, circuits use only
        /// `controller`. The scouts of both meshes have the parameters `fabric.venice.reservation` and
        /// `fabric.venice.scout_takes_time`, and with `circuits` also `fabric.venice.retry_delay_ns`.
        switching: Switching = one_of::<Switching>(), unit "", default "packets",
            source "Nadig et al., Venice, ISCA 2023, §3.2 (buffered routers); circuits are ours, for the paths that §4.2 reserves";
        /// Choice of the flash controller that serves a transfer.
        ///
        /// `nearest_free`: the free controller nearest to the chip. `home`: the controller of the chip's row.
        /// `least_loaded`: the free controller with the fewest transfers so far.
        controller: ControllerChoice = one_of::<ControllerChoice>(), unit "", default "nearest_free",
            source "ours: as for Venice, so that both meshes pool their controllers";
        /// Route of data from a chip. Commands and data to a chip go along the row first, then along the
        /// column.
        ///
        /// `retrace`: back over the command's routers, along the chip's column, then along the controller's
        /// row. `x_then_y`: along the chip's row to column 0, then along column 0, which all replies share.
        reply: Reply = one_of::<Reply>(), unit "", default "retrace",
            source "ours: deterministic and minimal like the paper's dimension order, and the best choice for this fabric";
        /// Order in which read data of chips enters the mesh.
        ///
        /// `oldest_first`: data of the read that has waited longest first. With `reply = "retrace"`, data
        /// that has to leave its row waits while another reply uses its column. `as_ready`: in the order of
        /// readiness, which serves chips near the controllers more often than distant ones.
        injection: Injection = one_of::<Injection>(), unit "", default "oldest_first",
            source "ours: serves all columns equally, and is the best choice for this fabric";
        /// Arbitration among packets that wait for an output of a router.
        ///
        /// `first_come`: by the arrival of the packet's head. `oldest_first`: by the start of the packet's
        /// transfer.
        arbitration: Arbitration = one_of::<Arbitration>(), unit "", default "first_come",
            source "ours: neither is better in every regime, and this one is simpler";
        /// Size of the input buffer of each router port.
        port_buffer_bytes: u32 = whole(1, 16_777_216), unit "bytes", default "16384",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5 (16 KB for each port)";
        /// Size of the header of each packet.
        header_bytes: u32 = whole(0, 4096), unit "bytes", default "8", source "assumed: the papers give no size";
        /// Maximum data bytes per packet.
        ///
        /// Longer transfers are split into several packets.
        max_payload_bytes: u32 = whole(1, 16_777_216), unit "bytes", default "4096",
            source "assumed: a 4 KB page, so that a port's buffer holds several packets";
        /// Time that a router takes to forward a packet's head, in addition to the link latency.
        router_latency as router_latency_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "1",
            source "assumed: one cycle at 1 GHz";
    }
}

impl NossdSettings {
    /// Checks that a packet fits into a port buffer, as virtual cut-through requires.
    pub fn conflict(&self) -> Option<Conflict> {
        let packet = self.header_bytes + self.max_payload_bytes;
        if packet <= self.port_buffer_bytes {
            return None;
        }
        let message = format!(
            "a packet of {} + {} bytes does not fit a port buffer of {} bytes",
            self.header_bytes, self.max_payload_bytes, self.port_buffer_bytes,
        );
        let note = format!("expected: `port_buffer_bytes` of at least {packet}, or smaller packets");
        let keys = &[
            "fabric.nossd.port_buffer_bytes",
            "fabric.nossd.max_payload_bytes",
            "fabric.nossd.header_bytes",
        ];
        Some(Conflict { keys, message, note: Some(note) })
    }
}
