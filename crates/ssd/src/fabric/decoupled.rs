//! Decoupled SSD: flash controllers in a network of their own, chips on a channel behind each.
//!
//! # What it models
//! The chips of row *i* hang on the channel of controller *i*, as on the bus. Behind the controllers two
//! ways lead on: the system bus, one for the drive, over which data of the host and translation pages go
//! to and from the drive's memory; and a network that joins each controller to its neighbours, over
//! which pages that collection moves go from controller to controller (global copyback) and leave the
//! system bus to the host. Without global copyback a moved page crosses the system bus twice, into
//! memory and out again: the conventional drive with the same bus.
//!
//! # How
//! [`ChannelBank`], one channel for each row, of wire time T = command + bytes / rate. Data flows through:
//! while the channel carries it, the system bus, or each link of the network on the way, is booked for
//! bytes / its rate, in the order in which transfers begin (a share of bandwidth: pages of several
//! controllers interleave). A transfer ends when its channel time has passed and its bookings have; until
//! then it keeps the channel, since a controller has no buffer of its own. What it took beyond its idle
//! time is its wait. Idle time: T, or bytes / rate behind the controller if that is longer, + one hop for
//! each link of the network.
//!
//! The network is a line: a page from controller *a* to *b* crosses |*a* − *b*| links of that direction, when
//! it is sent to its new chip; a page that stays behind one controller crosses none.
//!
//! A channel is a domain: what another channel does lengthens a transfer and never refuses it. The paths
//! are the channels.
//!
//! # What is left out
//! The controllers' decoders, which are where other fabrics have them; the memory's own bandwidth; the
//! recycling of superblocks; commands, which the system bus carries in no time; links that fail.
//!
//! # Source
//! Kim, Jung and Kim, "Decoupled SSD: Reducing Data Movement on NAND-Based Flash SSD", IEEE CAL 2021, and
//! "Decoupled SSD: Rethinking SSD Architecture through Network-based Flash Controllers", ISCA 2023; named
//! by Nadig et al., "Venice", ISCA 2023, §7.
//!
//! # Parameters
//! `bus.rate`, and all of `decoupled`.

use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};

use super::bus::RowChannels;
use super::channel::{ChannelBank, ChannelPlan};
use super::{
    Behind, DecoupledSettings, Delivery, Direction, DomainId, Fabric, FabricCounters, FabricEvent,
    FabricSettings, Offer, Outbox, Transfer, Wiring,
};
use crate::geometry::{Array, ChipId};

/// Where data goes behind the controller.
enum Way {
    /// No further.
    Stays,
    /// Over the system bus.
    SystemBus,
    /// Over the links of the network from one controller to another.
    Network { from: u32, to: u32 },
}

/// Channels, a system bus, and a network of controllers.
#[derive(Clone, Debug)]
pub struct Decoupled {
    array: Array,
    settings: DecoupledSettings,
    channels: ChannelBank,
    /// Until when the system bus is booked.
    system_bus: SimTime,
    /// The same by link: that from controller *i* to *i* + 1 is 2 *i*, that back 2 *i* + 1.
    links: Vec<SimTime>,
    /// Time for which the network's routers passed pages on, summed over routers.
    routers_busy: SimSpan,
}

/// Books something shared for `bytes`, behind what has been booked before.
#[inline]
fn book(until: &mut SimTime, rate: Rate, bytes: u32, now: SimTime) -> SimTime {
    *until = (*until).max(now) + rate.time_for(u64::from(bytes));
    *until
}

impl Decoupled {
    /// The channels and the network over the settings' array.
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        Self {
            array,
            settings: settings.decoupled,
            channels: ChannelBank::new(RowChannels::wire(settings), array.rows),
            system_bus: SimTime::ZERO,
            links: vec![SimTime::ZERO; 2 * (array.rows as usize - 1)],
            routers_busy: SimSpan::ZERO,
        }
    }

    #[inline]
    fn way(&self, transfer: &Transfer) -> Way {
        match transfer.behind {
            _ if transfer.bytes == 0 => Way::Stays,
            Behind::Flash { from } if self.settings.global_copyback => {
                let (from, to) = (self.array.row(from), self.array.row(transfer.chip));
                if transfer.direction == Direction::FromChip || from == to {
                    return Way::Stays;
                }
                Way::Network { from, to }
            }
            _ => Way::SystemBus,
        }
    }

    /// Books what lies behind the controller; when the last byte is through.
    #[inline]
    fn book(&mut self, transfer: &Transfer, now: SimTime) -> SimTime {
        match self.way(transfer) {
            Way::Stays => now,
            Way::SystemBus => book(&mut self.system_bus, self.settings.system_bus, transfer.bytes, now),
            Way::Network { from, to } => self.book_links(from, to, transfer.bytes, now),
        }
    }

    fn book_links(&mut self, from: u32, to: u32, bytes: u32, now: SimTime) -> SimTime {
        let DecoupledSettings { link: rate, hop, .. } = self.settings;
        let (backwards, links) = (to < from, from.abs_diff(to));
        self.routers_busy += rate.time_for(u64::from(bytes)) * u64::from(links + 1);
        let (mut head, mut end) = (now, now);
        for step in 0..links {
            let left = if backwards { from - 1 - step } else { from + step };
            let link = 2 * left as usize + usize::from(backwards);
            end = end.max(book(&mut self.links[link], rate, bytes, head));
            head = head + hop;
        }
        end + hop
    }

    /// What lies behind the controller when nothing else is in flight: the time it is booked for, and
    /// the links of the network.
    #[inline]
    fn behind(&self, transfer: &Transfer) -> (SimSpan, u32) {
        let bytes = u64::from(transfer.bytes);
        match self.way(transfer) {
            Way::Stays => (SimSpan::ZERO, 0),
            Way::SystemBus => (self.settings.system_bus.time_for(bytes), 0),
            Way::Network { from, to } => (self.settings.link.time_for(bytes), from.abs_diff(to)),
        }
    }
}

impl Fabric for Decoupled {
    fn domains(&self) -> Vec<Range<u32>> {
        let width = self.array.cols;
        (0..self.array.rows).map(|row| row * width..(row + 1) * width).collect()
    }

    #[inline]
    fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId(self.array.row(chip))
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let channel = self.array.row(transfer.chip);
        if !self.channels.is_free(channel) {
            return Offer::DomainBusy;
        }
        let (idle, (_, hops)) = (self.idle_time(transfer), self.behind(transfer));
        let took = idle.max(self.book(transfer, now).since(now));
        let delivery = Delivery { die: transfer.die, path_wait: took - idle, hops };
        self.channels.carry_until(channel, transfer, delivery, now + took, out);
        Offer::Accepted
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, _now: SimTime, out: &mut Outbox) {
        self.channels.finish(event.0, out);
        out.woken.push(DomainId(event.0));
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        let (booked, links) = self.behind(transfer);
        self.channels.idle_time(transfer).max(booked) + self.settings.hop * u64::from(links)
    }

    fn is_quiet(&self) -> bool {
        self.channels.is_quiet()
    }

    fn counters(&self) -> FabricCounters {
        FabricCounters { paths_used: self.routers_busy, ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        // The network is on the controllers' die, not on the board.
        self.channels.wiring()
    }

    fn path_busy(&self) -> Vec<SimSpan> {
        self.channels.busy()
    }
}
