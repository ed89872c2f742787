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
//! `bus.rate`, `pssd.speedup`, `pssd.header_bytes`.

use super::Dies;
use super::bus::RowChannels;
use super::channel::{ChannelPlan, Channels, Wire};
use super::settings::FabricSettings;
use crate::geometry::Array;

/// One channel per row, faster than the baseline's, with a header.
#[derive(Clone, Debug)]
pub struct PacketChannels;

impl ChannelPlan for PacketChannels {
    fn wire(settings: &FabricSettings) -> Wire {
        Wire {
            rate: settings.bus.rate.faster_by(settings.pssd.speedup),
            header_bytes: settings.pssd.header_bytes,
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
