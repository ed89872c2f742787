//! Ideal fabric: a direct channel to every chip.
//!
//! # What it models
//! A drive without path conflicts: each chip has its own channel at the baseline rate, so only busy chips
//! delay a transfer.
//!
//! # How
//! Each chip has one channel of [`Channels`]. A transfer takes T = command time + bytes / rate. Since a chip
//! has at most one transfer in flight, every offer is accepted.
//!
//! # What is left out
//! The pins, area and controllers that such a drive would need.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §3 (the ideal, path-conflict-free SSD).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`.

use venice_nand::geometry::Array;

use super::bus::RowChannels;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, WireCost};

/// Channel plan with one channel per chip, at the baseline rate.
#[derive(Clone, Debug)]
pub struct DirectChannels;

impl ChannelPlan for DirectChannels {
    type Parameters = ();

    fn wire(settings: &FabricSettings) -> WireCost {
        RowChannels::wire(settings)
    }

    fn chips_per_channel(_array: Array) -> u32 {
        1
    }
}

/// Fabric with a direct channel to every chip.
pub type Ideal = Channels<DirectChannels>;
