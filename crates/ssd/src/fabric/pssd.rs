//! Packetised channels: the control pins of a channel carry data too.
//!
//! # What it models
//! As the bus, one channel per row and one transfer at a time; but transfers travel as packets over
//! all of the channel's pins, which multiplies the data rate, and each transfer that carries data
//! begins with a header.
//!
//! # How
//! [`Channels`], one for each row: T = command + (header + bytes) / (speedup × rate). The header
//! travels at the fast rate. A command's time is the same on every fabric, so it has no header.
//!
//! # What is left out
//! The packet's check bits, if any, are part of `header_bytes`.
//!
//! # Source
//! Kim et al., "Networked SSD", MICRO 2022 (pSSD); Nadig et al., "Venice", ISCA 2023, §3.2 (twice the
//! baseline's bandwidth).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`, and all of `fabric.pssd`.

use super::Dies;
use super::bus::RowChannels;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, Wire};
use crate::geometry::Array;
use crate::parameters::{declare, whole};

declare! {
    /// The packetised channel of `pssd`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PssdSettings in "fabric.pssd." {
        /// Data rate as a multiple of the channel's.
        speedup: u64 = whole(1, 64), unit "times", default "2",
            source "Nadig et al., Venice, ISCA 2023, §3.2, §5 (the control pins carry data too)";
        /// Header in front of each transfer that carries data.
        header_bytes: u32 = whole(0, 4096), unit "bytes", default "8",
            source "assumed: the papers give no size";
    }
}

/// One channel per row, faster than the baseline's, with a header.
#[derive(Clone, Debug)]
pub struct PacketChannels;

impl ChannelPlan for PacketChannels {
    type Parameters = PssdSettings;

    fn wire(settings: &FabricSettings) -> Wire {
        Wire {
            rate: settings.bus.rate.faster_by(settings.own.pssd.speedup),
            header_bytes: settings.own.pssd.header_bytes,
            // The control pins that are there carry data as well: no wire more.
            pins: 1.0,
            dies: Dies::Packetised,
        }
    }

    fn chips_per_channel(array: Array) -> u32 {
        RowChannels::chips_per_channel(array)
    }
}

/// One packetised channel per row of chips.
pub type PSsd = Channels<PacketChannels>;
