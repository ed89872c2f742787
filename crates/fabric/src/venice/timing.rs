//! Durations of scouts and circuits.
//!
//! # What it models
//! A transfer over a circuit takes T = (distance + bytes / link width) × link latency, according to Equation
//! 1 of the paper. The wire time of the command is added. A scout takes flits × hops × link latency.
//!
//! # How
//! Distance is the number of mesh links on the reserved path; the wires between a router and its chip or
//! controller take no time. Data is split into beats of the link width, the last one padded. A scout packet
//! is forwarded when it has arrived completely (store and forward), so each hop takes all of its beats: two
//! on 8-bit links with up to 64 chips.
//!
//! A failed scout occupies its controller for at least one link latency, even without a hop or with
//! `scout_takes_time = false`. Otherwise `retry = at_once` could retry without end at one instant.
//!
//! # What is left out
//! Router pipelines: a circuit passes a router within the link latency.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, Equation 1 and §4.
//!
//! # Parameters
//! `mesh_link`, `scout_takes_time`.

use venice_kernel::{SimSpan, SimTime};

use super::{LfsrClock, LfsrCycle, ScoutPacketFormat};
use crate::noc::Mesh;
use crate::{FabricSettings, MeshLink, Transfer};

/// Durations derived from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    link: MeshLink,
    scout_hop: SimSpan,
    hop_turn: LfsrCycle,
}

impl Timing {
    /// Computes the durations for a mesh and settings.
    pub(super) fn new(mesh: Mesh, settings: &FabricSettings) -> Self {
        let link = settings.mesh_link;
        let beats = ScoutPacketFormat::with_sources(settings.array, mesh.entrances()).beats(link.width_bits);
        let takes_time = settings.own.venice.scout_takes_time;
        let scout_hop = if takes_time { link.latency * u64::from(beats) } else { SimSpan::ZERO };
        let hop_turn = if takes_time { LfsrCycle::after(u64::from(beats)) } else { LfsrCycle::default() };
        Self { link, scout_hop, hop_turn }
    }

    /// Returns the parameters of the mesh's links.
    pub(super) const fn link(&self) -> MeshLink {
        self.link
    }

    /// Returns the LFSR clock of a scout that departs at `now`. LFSRs advance once per link cycle.
    #[inline]
    pub(super) fn clock(&self, now: SimTime) -> LfsrClock {
        let cycles = now.as_ps() / self.link.latency.as_ps().max(1);
        LfsrClock { start: LfsrCycle::after(cycles), hop: self.hop_turn }
    }

    /// True if `span` is positive and the LFSRs have the same states after it.
    pub(super) fn is_lfsr_period(&self, span: SimSpan) -> bool {
        let round = self.link.latency.as_ps().max(1) * LfsrCycle::ROUND;
        !span.is_zero() && span.as_ps().is_multiple_of(round)
    }

    /// Returns the time of `hops` scout hops.
    #[inline]
    pub(super) fn scout(&self, hops: u32) -> SimSpan {
        self.scout_hop * u64::from(hops)
    }

    /// Returns the time for which a failed scout with `hops` hops occupies its controller.
    #[inline]
    pub(super) fn failed_scout(&self, hops: u32) -> SimSpan {
        self.scout(hops).max(self.link.latency).max(SimSpan::from_ps(1))
    }

    /// Returns the time of a transfer over a circuit of `hops` links: Equation 1 of the Venice paper plus the
    /// command time.
    #[inline]
    pub(super) fn circuit(&self, hops: u32, transfer: &Transfer) -> SimSpan {
        self.link.latency * u64::from(hops) + self.link.serialisation(transfer.bytes) + transfer.command
    }
}
