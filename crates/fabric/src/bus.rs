//! Baseline fabric: one shared channel per row of chips.
//!
//! # What it models
//! Flash controller *i* drives channel *i*, which the chips of row *i* share. A channel carries one transfer
//! at a time, either a command or data.
//!
//! # How
//! Each row has one channel of [`Channels`]. A transfer takes T = command time + bytes / rate.
//!
//! # What is left out
//! Chip-enable and ready/busy wires, of which each chip has its own.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §2 and §5 (Baseline).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`.

use venice_nand::geometry::Array;

use super::DieRequirement;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, WireCost};

/// Channel plan with one channel per row, at the baseline rate, without packet headers.
#[derive(Clone, Debug)]
pub struct RowChannels;

impl ChannelPlan for RowChannels {
    type Parameters = ();

    fn wire(settings: &FabricSettings) -> WireCost {
        WireCost { rate: settings.bus.rate, header_bytes: 0, pins: 1.0, dies: DieRequirement::AsBaseline }
    }

    fn chips_per_channel(array: Array) -> u32 {
        array.cols
    }
}

/// Fabric with one shared channel per row of chips.
pub type Bus = Channels<RowChannels>;
