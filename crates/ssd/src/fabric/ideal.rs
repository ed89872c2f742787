//! The ideal drive: a direct channel to every chip.
//!
//! # What it models
//! A drive in which no path conflict can happen: each chip has a channel of its own at the
//! baseline's rate. A busy chip still delays; the path never does.
//!
//! # How
//! [`Channels`], one for each chip: T = command + bytes / rate. Since a chip has at most one transfer
//! in flight, no offer is ever refused.
//!
//! # What is left out
//! Everything that makes such a drive impossible to build: pins, area, controllers.
//!
//! # Source
//! Nadig et al., "Venice", ISCA 2023, §3 (the ideal, path-conflict-free SSD).
//!
//! # Parameters
//! `fabric.channel_rate_mb_per_s`.

use super::bus::RowChannels;
use super::catalogue::FabricSettings;
use super::channel::{ChannelPlan, Channels, Wire};
use crate::geometry::Array;

/// One channel per chip, each as the baseline's.
#[derive(Clone, Debug)]
pub struct DirectChannels;

impl ChannelPlan for DirectChannels {
    type Parameters = ();

    fn wire(settings: &FabricSettings) -> Wire {
        RowChannels::wire(settings)
    }

    fn chips_per_channel(_array: Array) -> u32 {
        1
    }
}

/// A direct channel to every chip.
pub type Ideal = Channels<DirectChannels>;
