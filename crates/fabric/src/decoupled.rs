//! Decoupled SSD: flash controllers that are connected by a network, each with a channel to its chips.
//!
//! # What it models
//! The chips of row *i* share the channel of controller *i*, as on the bus. Each controller has two further
//! connections. The system bus, one per drive, carries data of the host and translation pages to and from the
//! drive's memory. A network between neighbouring controllers carries pages relocated by garbage collection
//! from controller to controller (global copyback), which relieves the system bus. Without global copyback a
//! relocated page crosses the system bus twice, into memory and out again, as in a conventional drive.
//!
//! # How
//! Each row has one channel of [`ChannelBank`], with the wire time T = command time + bytes / rate. The data
//! is pipelined: while the channel carries it, the system bus or the network links on the path carry it too.
//! The system bus and each link are occupied for bytes / rate and serve transfers in the order in which they
//! start. A transfer ends when the channel, the system bus and the links on its path have carried its last
//! byte. It occupies the channel until then, since controllers have no buffers. On an idle fabric a transfer
//! takes T, or bytes / rate of the slowest resource if that is longer, plus one hop per network link. Time in
//! excess of this is counted as path wait.
//!
//! The controllers form a line. When a relocated page is sent to its new chip, it crosses |*a* − *b*| links
//! from controller *a* to controller *b*. If both chips have the same controller, it crosses none.
//!
//! Each channel is an arbitration domain: transfers on other channels can lengthen a transfer but never cause
//! its refusal. The paths of this fabric are the channels.
//!
//! # What is left out
//! Error correction in the controllers; bandwidth of the drive's memory; recycling of superblocks; the time
//! of commands on the system bus; failures of the system bus and of the network (channels can fail).
//!
//! # Source
//! Kim, Jung and Kim, "Decoupled SSD: Reducing Data Movement on NAND-Based Flash SSD", IEEE CAL 2021, and
//! "Decoupled SSD: Rethinking SSD Architecture through Network-based Flash Controllers", ISCA 2023; named by
//! Nadig et al., "Venice", ISCA 2023, §7.
//!
//! # Parameters
//! `fabric.hold` (of the channels), `fabric.channel_rate_mb_per_s`, and all of `fabric.decoupled`.

use std::ops::Range;

use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Array, ChipId, DieId};
use venice_params::{LONGEST_NS, ParameterKind, declare, number, wire_rate, wire_rate_or};

use super::bus::RowChannels;
use super::channel::{ChannelBank, ChannelPlan};
use super::loss::UnreachableChips;
use super::{
    Capabilities, Delivery, Direction, DomainId, Fabric, FabricCounters, FabricEvent, FabricModel,
    FabricSettings, Hints, Holds, NamedPath, Offer, Outbox, Topology, Transfer, Wiring,
};

declare! {
    /// System bus and controller network of `decoupled`.
    pub struct DecoupledSettings in "fabric.decoupled." {
        /// Data rate of the bus between the flash controllers and the drive's memory.
        system_bus as system_bus_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "8000",
            source "assumed: as fast as the host link, so that it never limits that link";
        /// Global copyback: pages moved by garbage collection go from controller to controller.
        ///
        /// If false, they cross the system bus twice, as in a conventional drive.
        global_copyback: bool = ParameterKind::Boolean, unit "", default "true",
            source "Kim et al., Decoupled SSD, ISCA 2023; `false` is the conventional drive";
        /// Data rate of each direction of a link between neighbouring controllers.
        ///
        /// `twice_channel`: twice that of a channel (`fabric.channel_rate_mb_per_s`).
        link as link_rate_mb_per_s: Option<Rate> = wire_rate_or("twice_channel"), unit "MB/s", default "twice_channel",
            source "assumed: twice a channel, so that a copy is as fast as its channels";
        /// Latency of a link between neighbouring controllers for the first byte of a page.
        hop as hop_latency_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "2",
            source "assumed: two cycles at 1 GHz, on the controllers' die";
    }
}

/// Use of the system bus and of the controller network by a transfer.
#[derive(Clone, Copy)]
struct ControllerResources {
    /// Bytes that the transfer sends over the system bus.
    system_bus: u32,
    /// Bytes that the transfer sends over the network of controllers.
    network: u32,
    /// Source controller and destination controller of a relocated page.
    ends: (u32, u32),
}

impl ControllerResources {
    /// Returns the number of network links that the relocated page crosses.
    const fn links(self) -> u32 {
        if self.network == 0 { 0 } else { self.ends.0.abs_diff(self.ends.1) }
    }
}

/// Fabric with a channel per row, a system bus, and a network of controllers.
#[derive(Clone, Debug)]
pub struct Decoupled {
    array: Array,
    settings: DecoupledSettings,
    /// Data rate of a link between neighbouring controllers.
    link: Rate,
    channels: ChannelBank,
    /// For each channel, the path wait of the current transfer and the number of network links that it
    /// crosses.
    behind: Vec<(SimSpan, u32)>,
    /// Instant at which the system bus will have carried all transfers accepted so far.
    system_bus: SimTime,
    /// Instant at which each network link will have carried all transfers accepted so far. Link 2 *i* leads
    /// from controller *i* to *i* + 1, link 2 *i* + 1 leads back.
    links: Vec<SimTime>,
    /// Total active time of the network's routers.
    routers_busy: SimSpan,
}

/// Appends `bytes` bytes to the queue of a shared resource that is busy until `until`. Returns the instant at
/// which the resource will have carried them.
#[inline]
fn book(until: &mut SimTime, rate: Rate, bytes: u32, now: SimTime) -> SimTime {
    *until = (*until).max(now) + rate.time_for(u64::from(bytes));
    *until
}

impl FabricModel for Decoupled {
    type Parameters = DecoupledSettings;

    /// Returns the chips whose channel fails according to `settings`.
    fn loss(settings: &FabricSettings) -> UnreachableChips {
        UnreachableChips::of(settings.array, "their channel", |chip| {
            settings.faults.fails(settings.array.row(chip))
        })
    }
}

impl Decoupled {
    /// Creates the channels and the controller network for the array.
    pub fn new(settings: &FabricSettings) -> Self {
        let array = settings.array;
        Self {
            array,
            settings: settings.own.decoupled,
            link: settings.own.decoupled.link.unwrap_or_else(|| settings.bus.rate.faster_by(2)),
            channels: ChannelBank::new(RowChannels::wire(settings), array.rows, settings),
            behind: vec![(SimSpan::ZERO, 0); array.rows as usize],
            system_bus: SimTime::ZERO,
            links: vec![SimTime::ZERO; 2 * (array.rows as usize - 1)],
            routers_busy: SimSpan::ZERO,
        }
    }

    /// Returns the bytes that `transfer` sends over the system bus and over the controller network. A
    /// relocated page uses neither while it leaves its chip, nor if both of its chips have the same
    /// controller.
    #[inline]
    fn behind(&self, transfer: &Transfer) -> ControllerResources {
        let all = ControllerResources { system_bus: transfer.bytes, network: 0, ends: (0, 0) };
        let Some(moved) = transfer.moved.filter(|_| self.settings.global_copyback) else { return all };
        let ends = (self.array.row(moved.from), self.array.row(transfer.chip));
        let leaves = transfer.direction == Direction::ToChip && ends.0 != ends.1;
        let network = if leaves { moved.bytes } else { 0 };
        ControllerResources { system_bus: transfer.bytes - moved.bytes, network, ends }
    }

    /// Occupies the system bus and the network links for a transfer. Returns the instant at which they will
    /// have carried its last byte.
    #[inline]
    fn book(&mut self, behind: ControllerResources, now: SimTime) -> SimTime {
        let mut end = now;
        if behind.system_bus > 0 {
            end = book(&mut self.system_bus, self.settings.system_bus, behind.system_bus, now);
        }
        if behind.network > 0 {
            end = end.max(self.book_links(behind, now));
        }
        end
    }

    fn book_links(&mut self, behind: ControllerResources, now: SimTime) -> SimTime {
        let (rate, hop) = (self.link, self.settings.hop);
        let (ControllerResources { network: bytes, ends: (from, to), .. }, links) = (behind, behind.links());
        self.routers_busy += rate.time_for(u64::from(bytes)) * u64::from(links + 1);
        let (mut head, mut end) = (now, now);
        for step in 0..links {
            let backwards = to < from;
            let left = if backwards { from - 1 - step } else { from + step };
            let link = 2 * left as usize + usize::from(backwards);
            end = end.max(book(&mut self.links[link], rate, bytes, head));
            head = head + hop;
        }
        end + hop
    }

    #[inline]
    fn idle_with(&self, on_the_channel: SimSpan, behind: ControllerResources) -> SimSpan {
        let system_bus = self.settings.system_bus.time_for(u64::from(behind.system_bus));
        let network = self.link.time_for(u64::from(behind.network));
        let slowest = on_the_channel.max(system_bus).max(network);
        slowest + self.settings.hop * u64::from(behind.links())
    }
}

impl Fabric for Decoupled {
    fn domains(&self) -> Vec<Range<u32>> {
        self.array.chips_by_row().collect()
    }

    fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
        let channel = self.array.row(transfer.chip);
        if !self.channels.takes(channel, transfer) {
            return Offer::DomainBusy;
        }
        let behind = self.behind(transfer);
        let wire_time = self.channels.idle_time(transfer);
        let idle = self.idle_with(wire_time, behind);
        let took = idle.max(self.book(behind, now).since(now));
        self.behind[channel as usize] = (took - idle, behind.links());
        self.channels.carry_for(channel, transfer, wire_time, took, now, out);
        Offer::Accepted
    }

    fn release_path(&mut self, _chip: ChipId, die: DieId, now: SimTime, out: &mut Outbox) {
        out.woken.extend(self.channels.release(die, now).map(DomainId));
    }

    #[inline]
    fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
        let (die, is_free) = self.channels.finish(event.0, now);
        let (path_wait, hops) = self.behind[event.0 as usize];
        out.delivered.push(Delivery { die, path_wait, hops });
        if is_free {
            out.woken.push(DomainId(event.0));
        }
    }

    #[inline]
    fn idle_time(&self, transfer: &Transfer) -> SimSpan {
        self.idle_with(self.channels.idle_time(transfer), self.behind(transfer))
    }

    fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
        self.channels.faults_due(now);
        out.woken.extend((0..self.array.rows).map(DomainId));
    }

    fn reaches(&self, chip: ChipId) -> bool {
        !self.channels.is_given_up(self.array.row(chip))
    }

    fn is_quiet(&self) -> bool {
        self.channels.is_quiet()
    }

    fn counters(&self, now: SimTime) -> FabricCounters {
        let (paths_used, paths_kept) = (self.routers_busy, self.channels.kept(now));
        FabricCounters { paths_used, paths_kept, ..FabricCounters::default() }
    }

    fn wiring(&self) -> Wiring {
        // The network is on the die of the controllers, not on the board.
        Wiring {
            router_rate: self.link,
            relocation_bypasses_memory: self.settings.global_copyback,
            ..self.channels.wiring()
        }
    }

    fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
        self.channels.busy(now)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { holds: Some(self), hints: Some(self), topology: Some(self), ..Capabilities::default() }
    }
}

impl Holds for Decoupled {
    #[inline]
    fn holds_path(&self, die: DieId) -> bool {
        self.channels.kept_for(die).is_some()
    }
}

impl Hints for Decoupled {
    #[inline]
    fn is_full(&self, domain: DomainId) -> bool {
        !self.channels.is_free(domain.0)
    }
}

impl Topology for Decoupled {
    fn paths(&self) -> Vec<NamedPath> {
        self.channels.paths(self.array.cols, |row| row)
    }

    fn occupied_by(&self, chip: ChipId, die: DieId, paths: &mut Vec<u32>) -> bool {
        let channel = self.array.row(chip);
        paths.extend(Some(channel).filter(|&channel| self.channels.carries(channel, die)));
        true
    }
}
