//! How long scouts and circuits take.
//!
//! # What it models
//! Equation 1: a transfer over a circuit takes T = (distance + bytes / link width) × link latency,
//! and a command's own wire time besides. A scout takes flits × hops × link latency.
//!
//! # How
//! Distance is the number of links between routers on the reserved path, the same links that the
//! mesh counts; the wires between a router and its chip or controller take no time. Bytes are cut
//! into beats of the link's width, the last one filled up. A scout packet moves on when it has
//! arrived whole, so each hop costs all its beats: two on 8-bit links up to 64 chips.
//!
//! A failed scout keeps its controller for one link latency at least, even if it got nowhere or if
//! scouts are told to take no time: otherwise "try again at once" would try for ever at one instant.
//!
//! # What is left out
//! Router pipelines: a circuit passes a router within the link's latency.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Equation 1 and §4.
//!
//! # Parameters
//! `mesh_link`, `scout_takes_time`.

use venice_kernel::{SimSpan, SimTime};

use super::{Clock, PacketFormat, Turn};
use crate::fabric::noc::Mesh;
use crate::fabric::{FabricSettings, MeshLink, Transfer};

/// Spans that follow from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    link: MeshLink,
    scout_hop: SimSpan,
    hop_turn: Turn,
}

impl Timing {
    /// The spans under these settings.
    pub(super) fn new(mesh: Mesh, settings: &FabricSettings) -> Self {
        let link = settings.mesh_link;
        let beats = PacketFormat::with_sources(settings.array, mesh.entrances()).beats(link.width_bits);
        let takes_time = settings.own.venice.scout_takes_time;
        let scout_hop = if takes_time { link.latency * u64::from(beats) } else { SimSpan::ZERO };
        let hop_turn = if takes_time { Turn::after(u64::from(beats)) } else { Turn::default() };
        Self { link, scout_hop, hop_turn }
    }

    /// A link of the mesh.
    pub(super) const fn link(&self) -> MeshLink {
        self.link
    }

    /// The clock of a scout that sets out at this instant: registers turn once in each cycle of a link.
    #[inline]
    pub(super) fn clock(&self, now: SimTime) -> Clock {
        let cycles = now.as_ps() / self.link.latency.as_ps().max(1);
        Clock { start: Turn::after(cycles), hop: self.hop_turn }
    }

    /// The time a scout needs for this many hops.
    #[inline]
    pub(super) fn scout(&self, hops: u32) -> SimSpan {
        self.scout_hop * u64::from(hops)
    }

    /// The time a controller is taken by a failed scout that made this many hops.
    #[inline]
    pub(super) fn failed_scout(&self, hops: u32) -> SimSpan {
        self.scout(hops).max(self.link.latency).max(SimSpan::from_ps(1))
    }

    /// The time a transfer takes over a circuit of this many links: Equation 1 and the command.
    #[inline]
    pub(super) fn circuit(&self, hops: u32, transfer: &Transfer) -> SimSpan {
        self.link.latency * u64::from(hops) + self.link.serialisation(transfer.bytes) + transfer.command
    }
}
