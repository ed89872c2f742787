//! What the packet-switched mesh is told.

use venice_kernel::SimSpan;

use crate::fabric::ControllerChoice;
use crate::parameters::{Conflict, LONGEST_NS, choices, declare, number, one_of, whole};

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

choices! {
    Reply, "way back": "retrace" => Retrace, "x_then_y" => XThenY;
    Injection, "order of injection": "oldest_first" => OldestFirst, "as_ready" => AsReady;
    Arbitration, "order of packets": "first_come" => FirstCome, "oldest_first" => OldestFirst;
}

declare! {
    /// The packet-switched mesh, `nossd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NossdSettings in "fabric.nossd." {
        /// Which flash controller serves a transfer.
        ///
        /// `nearest_free`: the free controller nearest to the chip. `home`: the one of the chip's row. `least_loaded`: the free
        /// one that has carried the fewest transfers.
        controller: ControllerChoice = one_of::<ControllerChoice>(), unit "", default "nearest_free",
            source "ours: as for Venice, so that both meshes pool their controllers";
        /// Which way data from a chip takes; a command and data to a chip go along the row first, then along the column.
        ///
        /// `retrace`: back over the routers of the command, along the chip's column and then the controller's row.
        /// `x_then_y`: along the chip's row to column 0, then along that column, which all replies then share.
        reply: Reply = one_of::<Reply>(), unit "", default "retrace",
            source "ours: as deterministic and minimal as the paper's dimension order, and what suits the rival best";
        /// In which order data of chips enters the mesh.
        ///
        /// `oldest_first`: by how long its page has been asked for; with replies that retrace their commands, data whose row's controller is
        /// taken goes behind the others while another reply crosses its column. `as_ready`: as it became ready, so that chips near the
        /// controllers are served more often than far ones.
        injection: Injection = one_of::<Injection>(), unit "", default "oldest_first",
            source "ours: every column is served alike, and it suits the rival best";
        /// Which of the packets that wait for an output of a router goes next.
        ///
        /// `first_come`: the one whose head came first. `oldest_first`: the one whose transfer entered the mesh first.
        arbitration: Arbitration = one_of::<Arbitration>(), unit "", default "first_come",
            source "ours: neither is better in every regime, and this one is simpler";
        /// Input buffer of each router port.
        port_buffer_bytes: u32 = whole(1, 16_777_216), unit "bytes", default "16384",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5 (16 KB for each port)";
        /// Header in front of each packet.
        header_bytes: u32 = whole(0, 4096), unit "bytes", default "8", source "assumed: the papers give no size";
        /// Most data bytes in a packet.
        ///
        /// Longer transfers are cut into several packets.
        max_payload_bytes: u32 = whole(1, 16_777_216), unit "bytes", default "4096",
            source "assumed: a 4 KB page, so that a port's buffer holds several packets";
        /// Time that a router takes to forward a packet's head, besides the link's latency.
        router_latency as router_latency_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "1",
            source "assumed: one cycle at 1 GHz";
    }
}

impl NossdSettings {
    /// A router forwards a packet once all of it fits into the next buffer.
    pub(crate) fn conflict(&self) -> Option<Conflict> {
        let packet = self.header_bytes + self.max_payload_bytes;
        if packet <= self.port_buffer_bytes {
            return None;
        }
        let message = format!(
            "a packet of {} + {} bytes does not fit into a port's buffer of {} bytes",
            self.header_bytes, self.max_payload_bytes, self.port_buffer_bytes,
        );
        let note = format!(
            "`max_payload_bytes` + `header_bytes` may be at most `port_buffer_bytes`; {packet} bytes would do"
        );
        let keys = &[
            "fabric.nossd.port_buffer_bytes",
            "fabric.nossd.max_payload_bytes",
            "fabric.nossd.header_bytes",
        ];
        Some(Conflict { keys, message, note: Some(note) })
    }
}
