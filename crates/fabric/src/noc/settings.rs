//! Parameters common to all meshes of routers.

use venice_kernel::{Rate, SimSpan};
use venice_params::{LONGEST_NS, ParameterKind, SHORTEST_NS, choices, declare, number, whole};

/// Choice of the flash controller that serves a transfer on a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerChoice {
    /// The free controller nearest to the chip; on a tie, the one with the lower number.
    NearestFree,
    /// The controller of the chip's row, even if it is not free.
    Home,
    /// The free controller with the fewest transfers so far; if several have the same number, the nearest
    /// one.
    LeastLoaded,
}

choices! {
    ControllerChoice, "choice of controller":
        "nearest_free" => NearestFree, "home" => Home, "least_loaded" => LeastLoaded;
}

/// Link between two routers. It carries one flit (unit of `width_bits` bits) per `latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLink {
    /// Flit width in bits.
    pub width_bits: u32,
    /// Time that a flit takes to cross the link.
    pub latency: SimSpan,
}

declare! {
    /// Declared parameters of a [`MeshLink`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MeshLinkParameters in "fabric.mesh." {
        /// Width of a link between routers.
        width_bits as link_width_bits: u32 = whole(1, 1024), unit "bits", default "8",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5";
        /// Time that a flit takes to cross a link. The word `channel` stands for the time of one byte on a
        /// channel (`fabric.channel_rate_mb_per_s`), so that an 8-bit link has the data rate of a channel.
        latency as link_latency_ns: Option<SimSpan> =
            ParameterKind::NumberOr { min: SHORTEST_NS, max: LONGEST_NS, word: "channel" }, unit "ns", default "channel",
            source "ours: a chip's pins have the same rate on a link as on a channel";
    }
}

impl MeshLinkParameters {
    /// Returns the link settings of a drive whose channels have the rate `channel`.
    pub fn link(&self, channel: Rate) -> MeshLink {
        MeshLink { width_bits: self.width_bits, latency: self.latency.unwrap_or_else(|| channel.time_for(1)) }
    }
}

impl MeshLink {
    /// Returns the data rate.
    ///
    /// # Panics
    /// Panics if `width_bits` is 0, which the configuration check rejects.
    pub const fn rate(&self) -> Rate {
        Rate::from_ps_per_bytes(self.latency.as_ps() * 8, self.width_bits as u64)
    }

    /// Returns the time that `bytes` bytes take to pass one point of the link.
    #[inline]
    pub fn serialisation(&self, bytes: u32) -> SimSpan {
        self.latency * (u64::from(bytes) * 8).div_ceil(u64::from(self.width_bits))
    }
}

declare! {
    /// Links between the routers of `nossd` and `venice`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MeshParameters in "fabric.mesh." {
        with link: MeshLinkParameters;
        /// Links that fail, each given by the row and column of one router, then of the other.
        ///
        /// `[[0, 1, 0, 2]]` is the link between columns 1 and 2 of row 0. For `nossd` and `venice` only;
        /// other fabrics reject it and use `[fabric.faults]`.
        failed_links: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Routers that fail, each by row and column.
        ///
        /// A failed router takes down all of its links, its chip and, in column 0, the flash controller of
        /// its row. The chip must hold no data (see `[partition]`), unless the drive may continue without it
        /// (`fabric.faults.degraded_mode`).
        failed_routers: Vec<Vec<u32>> = ParameterKind::Lists { max: 255 }, unit "", default "[]", source "ours";
        /// Time at which the links and routers of this section fail; transfers that already have a path
        /// complete. Same meaning as `fabric.faults.at_us`, which applies to every fabric.
        fail_at_us: f64 = number(0.0, 1e12), unit "µs", default "0", source "ours";
    }
}
