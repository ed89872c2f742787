//! State of a scout in flight.
//!
//! # What it models
//! The packet that a controller sends to reserve a circuit: its position, input port, mode and hop counts.
//!
//! # How
//! A scout is a small value that does not contain its path. With hop-by-hop reservation, the path consists of
//! the rows of the routers' tables ([`super::table`]), and [`super::Network`] moves the scout. With atomic
//! reservation it is in `scout_path` during the search and then in `circuit_storage`. The wire format of a
//! scout is [`super::ScoutPacket`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.

use super::{ControllerId, LfsrCycle, ScoutMode};
use crate::noc::{Port, RouterId};

/// Clock of the routers' LFSRs during a scout's trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LfsrClock {
    /// LFSR cycle at the scout's departure.
    pub start: LfsrCycle,
    /// Number of LFSR cycles that each hop of the scout takes.
    pub hop: LfsrCycle,
}

/// Scout in flight. It stores only its position; its reservations are stored elsewhere (see the module).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scout {
    pub(super) packet: ControllerId,
    pub(super) goal: RouterId,
    pub(super) at: RouterId,
    pub(super) input: Port,
    pub(super) mode: ScoutMode,
    pub(super) forward_hops: u32,
    pub(super) cancel_hops: u32,
    /// Number of links that were removed from the path because they formed loops.
    pub(super) cut_hops: u32,
    pub(super) turn: LfsrCycle,
    pub(super) hop_turn: LfsrCycle,
    /// True if the scout has entered a router twice, so that its path may contain loops.
    pub(super) came_again: bool,
}

impl Scout {
    /// Creates a scout that has entered router `at` through port `input` from its controller or chip.
    pub(super) const fn new(
        packet: ControllerId,
        goal: RouterId,
        (at, input): (RouterId, Port),
        clock: LfsrClock,
    ) -> Self {
        let mode = ScoutMode::Reserve;
        let LfsrClock { start: turn, hop: hop_turn } = clock;
        Self {
            packet,
            goal,
            at,
            input,
            mode,
            forward_hops: 0,
            cancel_hops: 0,
            cut_hops: 0,
            turn,
            hop_turn,
            came_again: false,
        }
    }

    /// Advances the LFSR clock by one hop.
    #[inline]
    pub(super) const fn crossed(&mut self) {
        self.turn = self.turn.plus(self.hop_turn);
    }

    /// Returns the packet id, which is the number of the sending controller.
    pub const fn packet(&self) -> ControllerId {
        self.packet
    }

    /// Returns the router at which the scout is. In cancel mode, returns the router that it is leaving.
    pub const fn at(&self) -> RouterId {
        self.at
    }

    /// Returns the length of the scout's path: the number of links that the scout has reserved and not
    /// released.
    pub const fn path_hops(&self) -> u32 {
        self.forward_hops - self.cancel_hops - self.cut_hops
    }

    /// Returns the number of links that the scout has crossed so far, forward and backward. The return over
    /// the complete path is not included.
    pub const fn travelled_hops(&self) -> u32 {
        self.forward_hops + self.cancel_hops
    }
}

/// Outcome of one step of a scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The scout crosses the link that it has just reserved.
    Forward,
    /// The scout crosses the last link of its path backwards, in cancel mode.
    Back,
    /// The scout has reached its chip: the path is reserved from end to end.
    Arrived,
    /// The scout is back at its controller without a reservation.
    Failed,
}
