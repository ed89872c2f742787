//! The baseline: one shared channel per row of chips.
//!
//! # What it models
//! Flash controller *i* drives channel *i*, to which every chip of row *i* is tied. The channel does
//! one thing at a time; commands and data both occupy it.
//!
//! # How
//! [`Channels`], one for each row: T = command + bytes / rate.
//!
//! # What is left out
//! Separate chip-enable and ready/busy wires never conflict and are not modelled.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §2 and §5 (Baseline).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`.

use super::Dies;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, Wire};
use crate::geometry::Array;

/// One channel per row, at the channel's own rate, without header.
#[derive(Clone, Debug)]
pub struct RowChannels;

impl ChannelPlan for RowChannels {
    type Parameters = ();

    fn wire(settings: &FabricSettings) -> Wire {
        Wire { rate: settings.bus.rate, header_bytes: 0, pins: 1.0, dies: Dies::AsBaseline }
    }

    fn chips_per_channel(array: Array) -> u32 {
        array.cols
    }
}

/// One shared channel per row of chips.
pub type Bus = Channels<RowChannels>;
