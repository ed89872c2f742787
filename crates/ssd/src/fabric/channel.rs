//! Channels that carry one transfer at a time: what the bus, pSSD, pnSSD and the ideal drive share.
//!
//! # What it models
//! Wires that a transfer occupies whole, from the instant it is accepted to the instant its last
//! byte has crossed. Delivery and release are one instant.
//!
//! # How
//! The time of a transfer is known when it is accepted, so it costs one event: its end. The event's
//! number is the channel's.
//!
//! # What is left out
//! Turn-around of the wires between directions, and the arbitration of the controller: a caller who
//! wants them adds them to [`Transfer::command`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §2 (the shared channel) and §3.2 (its rivals).
//!
//! # Parameters
//! A data rate and the bytes of header that each transfer with data carries.

use std::marker::PhantomData;
use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};

use super::{
    Delivery, DomainId, Fabric, FabricCounters, FabricEvent, FabricSettings, Offer, Outbox, Transfer, Wiring,
};
use crate::geometry::{Array, ChipId, quotient};

/// What a transfer costs on a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Data rate.
    pub rate: Rate,
    /// Bytes of header in front of each transfer that carries data.
    pub header_bytes: u32,
    /// Data pins, as a multiple of the baseline's channel.
    pub width: f64,
}

impl Wire {
    /// Command time, plus header and data at the data rate; a bare command has no header.
    #[inline]
    pub fn time_for(&self, transfer: &Transfer) -> SimSpan {
        if transfer.bytes == 0 {
            return transfer.command;
        }
        transfer.command + self.rate.time_for(u64::from(self.header_bytes) + u64::from(transfer.bytes))
    }
}

/// A row of equal channels, each free or carrying one transfer.
#[derive(Clone, Debug)]
pub(super) struct ChannelBank {
    wire: Wire,
    /// By channel: what its transfer will tell when it ends.
    carrying: Vec<Option<Delivery>>,
    busy: Vec<SimSpan>,
    in_use: u32,
}

impl ChannelBank {
    pub(super) fn new(wire: Wire, channels: u32) -> Self {
        let count = channels as usize;
        Self { wire, carrying: vec![None; count], busy: vec![SimSpan::ZERO; count], in_use: 0 }
    }

    #[inline]
    pub(super) fn is_free(&self, channel: u32) -> bool {
        self.carrying[channel as usize].is_none()
    }

    #[inline]
    pub(super) fn all_in_use(&self) -> bool {
        self.in_use as usize == self.carrying.len()
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.in_use == 0
    }

    #[inline]
    pub(super) fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.wire.time_for(transfer)
    }

    /// Puts a transfer on a free channel; its use is counted whole at once.
    #[inline]
    pub(super) fn carry(&mut self, channel: u32, transfer: &Transfer, now: SimTime, out: &mut Outbox) {
        let delivery = Delivery { die: transfer.die, path_wait: SimSpan::ZERO, hops: 0 };
        let time = self.wire.time_for(transfer);
        self.carry_until(channel, time, delivery, now + time, out);
    }

    /// The same for a transfer that keeps the channel until `end`, while it waits for something else; the
    /// channel is in use only while bytes cross it, for `time`.
    #[inline]
    pub(super) fn carry_until(
        &mut self,
        channel: u32,
        time: SimSpan,
        delivery: Delivery,
        end: SimTime,
        out: &mut Outbox,
    ) {
        self.carrying[channel as usize] = Some(delivery);
        self.busy[channel as usize] += time;
        self.in_use += 1;
        out.schedule(end, FabricEvent(channel));
    }

    /// Ends what a channel carries: delivered, and the channel free again.
    #[inline]
    pub(super) fn finish(&mut self, channel: u32, out: &mut Outbox) {
        let ended = self.carrying[channel as usize].take();
        self.in_use -= 1;
        out.delivered.push(ended.expect("a channel ends a transfer that it carries"));
    }

    pub(super) fn busy(&self) -> Vec<SimSpan> {
        self.busy.clone()
    }

    pub(super) fn wiring(&self) -> Wiring {
        let channels = self.busy.len() as u32;
        Wiring { channels, channel_width: self.wire.width, ..Wiring::default() }
    }
}

/// What sets apart the fabrics in which every chip is served by exactly one channel.
pub trait ChannelPlan {
    /// The channel's rate and header.
    fn wire(settings: &FabricSettings) -> Wire;

    /// How many neighbouring chips share a channel.
    fn chips_per_channel(array: Array) -> u32;
}

/// A fabric in which every chip is served by exactly one channel, by the plan `P`.
///
/// Channel *i* is domain *i* and path *i*.
#[derive(Clone, Debug)]
pub struct Channels<P> {
    bank: ChannelBank,
    chips: u32,
    chips_per_channel: u32,
    plan: PhantomData<P>,
}

impl<P: ChannelPlan> Channels<P> {
    /// The channels of this plan over the settings' array.
    pub fn new(settings: &FabricSettings) -> Self {
        let chips = settings.array.chips();
        let chips_per_channel = P::chips_per_channel(settings.array);
        let bank = ChannelBank::new(P::wire(settings), chips / chips_per_channel);
        Self { bank, chips, chips_per_channel, plan: PhantomData }
    }

    #[inline]
    fn channel_of(&self, chip: ChipId) -> u32 {
        quotient(chip.0, self.chips_per_channel)
    }
}

impl<P: ChannelPlan> Fabric for Channels<P> {
    fn domains(&self) -> Vec<Range<u32>> {
        let width = self.chips_per_channel;
        (0..self.chips / width).map(|channel| channel * width..(channel + 1) * width).collect()
    }

    #[inline]
    fn domain_of(&self, chip: ChipId) -> DomainId {
        DomainId(self.channel_of(chip))
    }

    #[inline]
    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let channel = self.channel_of(transfer.chip);
        if !self.bank.is_free(channel) {
            return Offer::DomainBusy;
        }
        self.bank.carry(channel, transfer, now, out);
        Offer::Accepted
    }

    #[inline]
    fn takes_nothing(&self, domain: DomainId) -> bool {
        !self.bank.is_free(domain.0)
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, _now: SimTime, out: &mut Outbox) {
        self.bank.finish(event.0, out);
        out.woken.push(DomainId(event.0));
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.bank.idle_time(transfer)
    }

    fn is_quiet(&self) -> bool {
        self.bank.is_quiet()
    }

    fn counters(&self) -> FabricCounters {
        FabricCounters::default()
    }

    fn wiring(&self) -> Wiring {
        self.bank.wiring()
    }

    fn path_busy(&self) -> Vec<SimSpan> {
        self.bank.busy()
    }
}
