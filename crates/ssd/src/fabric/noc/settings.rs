//! What meshes of routers are told, whichever they are.

use venice_kernel::{Rate, SimSpan};

use crate::parameters::{Kind, LONGEST_NS, SHORTEST_NS, choices, declare, number, whole};

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

choices! {
    ControllerChoice, "choice of controller":
        "nearest_free" => NearestFree, "home" => Home, "least_loaded" => LeastLoaded;
}

/// A link between two routers: one flit of `width_bits` each `latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLink {
    /// Bits that cross the link at a time.
    pub width_bits: u32,
    /// Time that a flit takes to cross the link.
    pub latency: SimSpan,
}

declare! {
    /// The parameters of a [`MeshLink`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MeshLinkParameters in "fabric.mesh." {
        /// Bits that cross a link at a time.
        width_bits as link_width_bits: u32 = whole(1, 1024), unit "bits", default "8",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        /// Time that a flit takes to cross a link.
        ///
        /// `channel`: as long as a channel takes for a byte (`fabric.channel_rate_mb_per_s`), so that a link of eight bits has the
        /// data rate of a channel.
        latency as link_latency_ns: Option<SimSpan> =
            Kind::NumberOr { min: SHORTEST_NS, max: LONGEST_NS, word: "channel" }, unit "ns", default "channel",
            source "ours: the pins of a chip are as fast on a link as on a channel";
    }
}

impl MeshLinkParameters {
    /// Returns the link of a drive whose channels have the rate `channel`.
    pub fn link(&self, channel: Rate) -> MeshLink {
        MeshLink { width_bits: self.width_bits, latency: self.latency.unwrap_or_else(|| channel.time_for(1)) }
    }
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

declare! {
    /// The links between routers of `nossd` and `venice`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MeshParameters in "fabric.mesh." {
        with link: MeshLinkParameters;
        /// Links that fail: for each the row and column of one of its ends, then those of the other.
        ///
        /// `[[0, 1, 0, 2]]` is the link between columns 1 and 2 of row 0. Of `nossd` and `venice`; other fabrics refuse it, and
        /// have what `[fabric.faults]` names.
        failed_links: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Routers that fail, each by its row and column.
        ///
        /// With one fail all of its links, the chip beside it, and in column 0 the controller. The chip
        /// must hold no data: `[partition]` says where data is; or the drive goes on without it (`fabric.faults.degraded_mode`).
        failed_routers: Vec<Vec<u32>> = Kind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// When they fail; transfers that have a path by then are finished. `fabric.faults.at_us` says the same for every fabric.
        fail_at_us: f64 = number(0.0, 1e12), unit "µs", default "0", source "ours";
    }
}
