//! pSSD with packetised channels: the control pins of a channel also carry data.
//!
//! # What it models
//! Each row has one channel, which carries one transfer at a time, as on the bus. Transfers are packets that
//! use all pins of the channel, which multiplies the data rate. A transfer with data begins with a header.
//!
//! # How
//! Each row has one channel of [`Channels`]. A transfer takes T = command time + (header + bytes) /
//! (speedup × rate). The header is sent at the multiplied rate. A command has no header, and its wire
//! time is the same on every fabric.
//!
//! # What is left out
//! Check bits of packets, unless `header_bytes` includes them.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (pSSD); Nadig et al., "Venice", ISCA 2023, §3.2 (twice the
//! baseline's bandwidth).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`, and all of `fabric.pssd`.

use venice_nand::geometry::Array;
use venice_params::{declare, whole};

use super::DieRequirement;
use super::bus::RowChannels;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, WireCost};

declare! {
    /// Packetised channel of `pssd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PssdSettings in "fabric.pssd." {
        /// Data rate of a channel of this fabric, as a multiple of `fabric.channel_rate_mb_per_s`.
        speedup: u64 = whole(1, 64), unit "times", default "2",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5 (the control pins carry data too)";
        /// Size of the packet header of each transfer that carries data.
        header_bytes: u32 = whole(0, 4096), unit "bytes", default "8",
            source "assumed: the papers give no size";
    }
}

/// Channel plan with one packetised channel per row.
#[derive(Clone, Debug)]
pub struct PacketChannels;

impl ChannelPlan for PacketChannels {
    type Parameters = PssdSettings;

    fn wire(settings: &FabricSettings) -> WireCost {
        WireCost {
            rate: settings.bus.rate.faster_by(settings.own.pssd.speedup),
            header_bytes: settings.own.pssd.header_bytes,
            // The existing control pins also carry data, so no wires are added.
            pins: 1.0,
            dies: DieRequirement::Packetised,
        }
    }

    fn chips_per_channel(array: Array) -> u32 {
        RowChannels::chips_per_channel(array)
    }
}

/// Fabric with one packetised channel per row of chips.
pub type PSsd = Channels<PacketChannels>;
