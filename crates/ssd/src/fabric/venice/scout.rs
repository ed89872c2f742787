//! A scout on its way.
//!
//! # What it models
//! The packet that a controller sends to reserve a circuit: where it is, how it came in, in which
//! mode it is, how far it has travelled.
//!
//! # How
//! A small value; what it reserved is in the routers' tables, and [`super::Network`] moves it.
//!
//! # What is left out
//! The wire form, which is [`super::ScoutPacket`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §4.
//!
//! # Parameters
//! None.

use super::{ControllerId, Mode, Turn};
use crate::fabric::noc::{Port, RouterId};

/// The clock by which routers' registers turn while a scout is on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The turn of the registers when the scout sets out.
    pub start: Turn,
    /// By how much they turn while it crosses a link.
    pub hop: Turn,
}

/// A scout on its way. It names its place; what it reserved is in the routers' tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scout {
    pub(super) packet: ControllerId,
    pub(super) goal: RouterId,
    pub(super) at: RouterId,
    pub(super) input: Port,
    pub(super) mode: Mode,
    pub(super) forward_hops: u32,
    pub(super) cancel_hops: u32,
    /// Links of loops that it has given back.
    pub(super) cut_hops: u32,
    pub(super) turn: Turn,
    pub(super) hop_turn: Turn,
    /// It has entered some router twice, so its path may have loops.
    pub(super) came_again: bool,
}

impl Scout {
    /// A scout that has just come from its controller, or its chip, into the router `at` by the port `input`.
    pub(super) const fn new(
        packet: ControllerId,
        goal: RouterId,
        (at, input): (RouterId, Port),
        clock: Clock,
    ) -> Self {
        let mode = Mode::Reserve;
        let Clock { start: turn, hop: hop_turn } = clock;
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

    /// It has crossed a link.
    #[inline]
    pub(super) const fn crossed(&mut self) {
        self.turn = self.turn.plus(self.hop_turn);
    }

    /// Its id: the controller that sent it.
    pub const fn packet(&self) -> ControllerId {
        self.packet
    }

    /// The router it is at, or, in cancel mode, the one it is leaving.
    pub const fn at(&self) -> RouterId {
        self.at
    }

    /// Links that it has reserved and not given back: the length of its path.
    pub const fn path_hops(&self) -> u32 {
        self.forward_hops - self.cancel_hops - self.cut_hops
    }

    /// Links that it has crossed so far, either way; not counting its way back over the path.
    pub const fn travelled_hops(&self) -> u32 {
        self.forward_hops + self.cancel_hops
    }
}

/// What one step of a scout led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is crossing a link that it has just reserved.
    Forward,
    /// It is crossing the last link of its path backwards, in cancel mode.
    Back,
    /// It is at its chip: the path is reserved from end to end.
    Arrived,
    /// It is back at its controller; nothing is reserved.
    Failed,
}
