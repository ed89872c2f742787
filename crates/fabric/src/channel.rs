//! Channels that carry one transfer at a time, the common base of the bus, pSSD, pnSSD and ideal fabrics.
//!
//! # What it models
//! A transfer occupies the whole channel from its acceptance until its last byte has crossed. It is delivered
//! when the channel is released. With `hold = operation` a read holds its channel from its command to the end
//! of its data; with `hold = request` a program also holds it, until its array operation ends.
//!
//! # How
//! The duration of a transfer is known at acceptance, so a transfer needs only one event, for its end. The
//! number of this event is the channel's number. A failed channel is marked as in use forever. A channel that
//! is held during an array operation counts as busy, and only the die for which it is held can use it.
//!
//! # What is left out
//! Bus turn-around between directions, and the arbitration time of the controller. Callers can add them to
//! [`Transfer::command`].
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §2 (the shared channel) and §3.2 (its alternatives).
//!
//! # Parameters
//! Data rate, header bytes per transfer with data, and `hold`.

use std::marker::PhantomData;
use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId, quotient};
use venice_params::ParameterSet;

use super::loss::{PathFaults, UnreachableChips};
use super::{
    Capabilities, Delivery, DieRequirement, DomainId, Fabric, FabricCounters, FabricEvent, FabricModel,
    FabricSettings, Hints, Hold, Holds, NamedPath, Offer, Outbox, Topology, Transfer, Wiring, path,
};

/// Properties of a channel that determine its transfer times and its number of wires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireCost {
    /// Data rate of the channel.
    pub rate: Rate,
    /// Size of the packet header of each transfer with data, in bytes.
    pub header_bytes: u32,
    /// Number of wires of the channel (data and control), relative to the baseline channel.
    pub pins: f64,
    /// Hardware that the channel requires in the dies.
    pub dies: DieRequirement,
}

impl WireCost {
    /// Returns the time of a transfer on the channel: command time, header and data. A command without data
    /// has no header.
    #[inline]
    pub fn time_for(&self, transfer: &Transfer) -> SimSpan {
        if transfer.bytes == 0 {
            transfer.command
        } else {
            transfer.command + self.time_of_data(transfer.bytes)
        }
    }

    /// Returns the time of a header and `bytes` bytes of data.
    #[inline]
    fn time_of_data(&self, bytes: u32) -> SimSpan {
        self.rate.time_for(u64::from(self.header_bytes) + u64::from(bytes))
    }
}

/// Current use of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelUse {
    /// The channel is free.
    Nothing,
    /// The channel carries a transfer.
    Carrying,
    /// The channel carries no data, but is held for the next transfer of the die that it served last.
    Kept,
    /// The channel has failed and never becomes free.
    Failed,
}

/// State of one channel. The fields that each transfer reads share a cache line.
#[derive(Clone, Copy, Debug)]
struct Channel {
    used: ChannelUse,
    /// True if the channel is held for the die after the current transfer.
    keep: bool,
    /// Die of the current transfer, or the die for which the channel is held.
    die: DieId,
    /// Start of the hold, if the channel is held. During a transfer, the instant at which its last byte
    /// leaves the wires.
    since: SimTime,
    /// Accumulated busy time. The full time of a transfer is added when it starts.
    busy: SimSpan,
}

impl Channel {
    /// True if the channel is held for the next transfer of `die`.
    #[inline]
    fn is_kept_for(&self, die: DieId) -> bool {
        self.used == ChannelUse::Kept && self.die == die
    }

    /// Returns the accumulated busy time up to `now`.
    fn busy_until(&self, now: SimTime) -> SimSpan {
        match self.used {
            ChannelUse::Nothing | ChannelUse::Failed => self.busy,
            ChannelUse::Carrying => self.busy - self.since.max(now).since(now),
            ChannelUse::Kept => self.busy + now.max(self.since).since(self.since),
        }
    }
}

/// Channels with equal data rate and headers.
#[derive(Clone, Debug)]
pub(super) struct ChannelBank {
    wire: WireCost,
    /// Size in bytes and transfer time of the latest data. Most transfers have equal sizes, so this often
    /// saves a division.
    last_data: (u32, SimSpan),
    hold: Hold,
    channels: Vec<Channel>,
    in_use: u32,
    /// Total time for which channels were held without carrying data.
    kept: SimSpan,
    faults: Option<Box<PathFaults>>,
    /// Number of failed channels.
    failed: u32,
}

impl ChannelBank {
    pub(super) fn new(wire: WireCost, channels: u32, settings: &FabricSettings) -> Self {
        let faults = PathFaults::new(channels, &settings.faults).map(Box::new);
        let unused = Channel {
            used: ChannelUse::Nothing,
            keep: false,
            die: DieId(0),
            since: SimTime::ZERO,
            busy: SimSpan::ZERO,
        };
        let channels = vec![unused; channels as usize];
        let hold = settings.hold;
        let mut bank = Self {
            wire,
            last_data: (0, SimSpan::ZERO),
            hold,
            channels,
            in_use: 0,
            kept: SimSpan::ZERO,
            faults,
            failed: 0,
        };
        bank.faults_due(SimTime::ZERO);
        bank
    }

    /// Applies the faults due at `now`. A failed channel completes its current transfer and accepts no other.
    pub(super) fn faults_due(&mut self, now: SimTime) {
        let Some(faults) = &mut self.faults else { return };
        faults.keep_up(now);
        for (number, channel) in (0..).zip(&mut self.channels) {
            if channel.used == ChannelUse::Nothing && faults.has_failed(number) {
                channel.used = ChannelUse::Failed;
                self.failed += 1;
            }
        }
    }

    /// True if the controllers have detected the failure of `channel` and use it no longer.
    #[inline]
    pub(super) fn is_given_up(&self, channel: u32) -> bool {
        self.faults.as_ref().is_some_and(|faults| faults.is_given_up(channel))
    }

    #[inline]
    pub(super) fn is_free(&self, channel: u32) -> bool {
        self.channels[channel as usize].used == ChannelUse::Nothing
    }

    /// True if `channel` is free or held for the transfer's die.
    #[inline]
    pub(super) fn takes(&self, channel: u32, transfer: &Transfer) -> bool {
        let channel = &self.channels[channel as usize];
        channel.used == ChannelUse::Nothing || channel.is_kept_for(transfer.die)
    }

    /// Returns the channel held for the next transfer of `die`.
    #[inline]
    pub(super) fn kept_for(&self, die: DieId) -> Option<u32> {
        if self.hold == Hold::Transfer {
            return None;
        }
        self.channels.iter().position(|channel| channel.is_kept_for(die)).map(|channel| channel as u32)
    }

    #[inline]
    pub(super) fn all_in_use(&self) -> bool {
        (self.in_use + self.failed) as usize == self.channels.len()
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.in_use == 0
    }

    #[inline]
    pub(super) fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.wire.time_for(transfer)
    }

    /// True if the channel of this transfer is held for its die after the transfer.
    #[inline]
    pub(super) fn keeps(&self, transfer: &Transfer) -> bool {
        self.hold.keeps(transfer.keeps_path)
    }

    /// Holds a free channel for the next transfer of `die`.
    pub(super) fn hold_for(&mut self, channel: u32, die: DieId, now: SimTime) {
        let channel = &mut self.channels[channel as usize];
        debug_assert_eq!(channel.used, ChannelUse::Nothing, "only a free channel can be held");
        *channel = Channel { used: ChannelUse::Kept, keep: true, die, since: now, ..*channel };
        self.in_use += 1;
    }

    /// Starts a transfer on a channel that [accepts](Self::takes) it. The whole duration of the transfer is
    /// added to the busy time now.
    #[inline]
    pub(super) fn carry(&mut self, channel: u32, transfer: &Transfer, now: SimTime, out: &mut Outbox) {
        let mut time = transfer.command;
        if transfer.bytes > 0 {
            if self.last_data.0 != transfer.bytes {
                self.last_data = (transfer.bytes, self.wire.time_of_data(transfer.bytes));
            }
            time += self.last_data.1;
        }
        self.carry_for(channel, transfer, time, time, now, out);
    }

    /// Starts a transfer that occupies the wires for `wire_time` and ends after `took`. The time `took` also
    /// includes waits for other resources.
    pub(super) fn carry_for(
        &mut self,
        channel: u32,
        transfer: &Transfer,
        wire_time: SimSpan,
        took: SimSpan,
        now: SimTime,
        out: &mut Outbox,
    ) {
        out.schedule(now + took, FabricEvent(channel));
        let channel = &mut self.channels[channel as usize];
        if channel.used == ChannelUse::Kept {
            let time = now.since(channel.since);
            channel.busy += time;
            self.kept += time;
        } else {
            self.in_use += 1;
        }
        channel.used = ChannelUse::Carrying;
        channel.keep = self.hold.keeps(transfer.keeps_path);
        channel.die = transfer.die;
        channel.busy += wire_time;
        channel.since = now + wire_time;
    }

    /// Ends the transfer on `channel`. Returns its die, and true if the channel is then free, or false if it
    /// is held.
    #[inline]
    pub(super) fn finish(&mut self, channel: u32, now: SimTime) -> (DieId, bool) {
        let channel = &mut self.channels[channel as usize];
        debug_assert_eq!(channel.used, ChannelUse::Carrying, "a channel ends a transfer that it carries");
        let (die, is_free) = (channel.die, !channel.keep);
        if is_free {
            channel.used = ChannelUse::Nothing;
            self.in_use -= 1;
        } else {
            (channel.used, channel.since) = (ChannelUse::Kept, now);
        }
        if self.faults.is_some() {
            self.faults_due(now);
        }
        (die, is_free)
    }

    /// Releases the channel that is held for the next transfer of `die`, and returns the channel.
    pub(super) fn release(&mut self, die: DieId, now: SimTime) -> Option<u32> {
        let number = self.kept_for(die)?;
        let channel = &mut self.channels[number as usize];
        let time = now.since(channel.since);
        channel.busy += time;
        channel.used = ChannelUse::Nothing;
        self.kept += time;
        self.in_use -= 1;
        self.faults_due(now);
        Some(number)
    }

    /// Returns the busy time of each channel up to `now`.
    pub(super) fn busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.channels.iter().map(|channel| channel.busy_until(now)).collect()
    }

    /// True if `channel` carries a transfer of `die`.
    pub(super) fn carries(&self, channel: u32, die: DieId) -> bool {
        let channel = &self.channels[channel as usize];
        channel.used == ChannelUse::Carrying && channel.die == die
    }

    /// Returns the channels as named paths. Each channel serves `width` consecutive chips.
    pub(super) fn paths(&self, width: u32, controller_of: impl Fn(u32) -> u32) -> Vec<NamedPath> {
        let place = |channel| {
            let chips = path::chips(channel * width..(channel + 1) * width);
            NamedPath::along(format!("channel {channel}"), controller_of(channel), chips)
        };
        (0..self.channels.len() as u32).map(place).collect()
    }

    /// Returns the time up to `now` for which channels were held without carrying data, summed over channels.
    pub(super) fn kept(&self, now: SimTime) -> SimSpan {
        let held = self.channels.iter().filter(|channel| channel.used == ChannelUse::Kept);
        self.kept + held.map(|channel| now.max(channel.since).since(channel.since)).sum::<SimSpan>()
    }

    pub(super) fn wiring(&self) -> Wiring {
        let channels = self.channels.len() as u32;
        let WireCost { rate, pins, dies, .. } = self.wire;
        Wiring { channels, channel_pins: pins, path_rate: rate, dies, ..Wiring::default() }
    }
}

/// Assignment of channels to chips, for fabrics in which exactly one channel serves each chip.
pub trait ChannelPlan {
    /// Parameters declared in the plan's module.
    type Parameters: ParameterSet;

    /// Returns the data rate, header size and number of wires of the channels.
    fn wire(settings: &FabricSettings) -> WireCost;

    /// Returns the number of consecutive chips that share a channel.
    fn chips_per_channel(array: Array) -> u32;
}

/// Fabric in which exactly one channel serves each chip. The plan `P` assigns the channels to chips. Channel
/// *i* is arbitration domain *i* and path *i*.
#[derive(Clone, Debug)]
pub struct Channels<P> {
    bank: ChannelBank,
    /// Channel of each chip. A table look-up is faster than a division for every transfer.
    of_chip: Vec<u32>,
    cols: u32,
    chips_per_channel: u32,
    plan: PhantomData<P>,
}

impl<P: ChannelPlan> FabricModel for Channels<P> {
    type Parameters = P::Parameters;

    /// Returns the chips whose channel fails according to `settings`.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        let width = P::chips_per_channel(settings.array);
        UnreachableChips::of(settings.array, "their channel", |chip| {
            settings.faults.fails(quotient(chip.0, width))
        })
    }
}

impl<P: ChannelPlan> Channels<P> {
    /// Creates the channels that the plan `P` assigns to the chips of the array.
    pub fn new(settings: &FabricSettings) -> Self {
        let chips = settings.array.chips();
        let chips_per_channel = P::chips_per_channel(settings.array);
        let bank = ChannelBank::new(P::wire(settings), chips / chips_per_channel, settings);
        let of_chip = (0..chips).map(|chip| chip / chips_per_channel).collect();
        Self { bank, of_chip, cols: settings.array.cols, chips_per_channel, plan: PhantomData }
    }

    #[inline]
    fn channel_of(&self, chip: ChipId) -> u32 {
        self.of_chip[chip.index()]
    }

    /// Returns the number of channels of the fabric.
    fn count(&self) -> u32 {
        self.of_chip.len() as u32 / self.chips_per_channel
    }
}

impl<P: ChannelPlan> Fabric for Channels<P> {
    fn domains(&self) -> Vec<Range<u32>> {
        let width = self.chips_per_channel;
        (0..self.count()).map(|channel| channel * width..(channel + 1) * width).collect()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let channel = self.channel_of(transfer.chip);
        if !self.bank.takes(channel, transfer) {
            return Offer::DomainBusy;
        }
        self.bank.carry(channel, transfer, now, out);
        Offer::Accepted
    }

    fn release_path(&mut self, _chip: ChipId, die: DieId, now: SimTime, out: &mut Outbox) {
        out.woken.extend(self.bank.release(die, now).map(DomainId));
    }

    #[inline]
    fn handle(&mut self, FabricEvent(channel): FabricEvent, now: SimTime, out: &mut Outbox) {
        let (die, is_free) = self.bank.finish(channel, now);
        out.delivered.push(Delivery { die, path_wait: SimSpan::ZERO, hops: 0 });
        out.woken.extend(is_free.then_some(DomainId(channel)));
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.bank.idle_time(transfer)
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.bank.faults_due(now);
        out.woken.extend((0..self.count()).map(DomainId));
    }

    fn reaches(&self, chip: ChipId) -> bool {
        !self.bank.is_given_up(self.channel_of(chip))
    }

    fn is_quiet(&self) -> bool {
        self.bank.is_quiet()
    }

    fn counters(&self, now: SimTime) -> FabricCounters {
        FabricCounters { paths_kept: self.bank.kept(now), ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        self.bank.wiring()
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.bank.busy(now)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { holds: Some(self), hints: Some(self), topology: Some(self), ..Capabilities::default() }
    }
}

impl<P: ChannelPlan> Holds for Channels<P> {
    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.bank.kept_for(die).is_some()
    }
}

impl<P: ChannelPlan> Hints for Channels<P> {
    #[inline]
    fn is_full(&self, domain: DomainId) -> bool {
        !self.bank.is_free(domain.0)
    }
}

impl<P: ChannelPlan> Topology for Channels<P> {
    fn paths(&self) -> Vec<NamedPath> {
        let row = |channel| quotient(channel * self.chips_per_channel, self.cols);
        self.bank.paths(self.chips_per_channel, row)
    }

    fn occupied_by(&self, chip: ChipId, die: DieId, paths: &mut Vec<u32>) -> bool {
        let channel = self.channel_of(chip);
        paths.extend(Some(channel).filter(|&channel| self.bank.carries(channel, die)));
        true
    }
}
