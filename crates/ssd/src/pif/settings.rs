//! What a searching drive is told.

use venice_kernel::{Rate, SimSpan};

use crate::fabric::FabricSettings;
use crate::geometry::Array;
use crate::power::PowerSettings;
use crate::registry::FabricKind;

/// A searching drive, in engine units.
#[derive(Clone, Debug, PartialEq)]
pub struct PifSettings {
    /// The chips.
    pub array: Array,
    /// Dies of a chip times planes of a die.
    pub planes_per_chip: u32,
    /// Pages of all chips.
    pub pages: u64,
    /// Which fabric joins them.
    pub fabric_kind: FabricKind,
    /// What it is told.
    pub fabric: FabricSettings,
    /// Data bytes of a page.
    pub page_bytes: u32,
    /// Bytes of a page on a channel.
    pub raw_page_bytes: u32,
    /// Time to sense a page.
    pub sense: SimSpan,
    /// Wire time of a command.
    pub command: SimSpan,
    /// Time to decode and match a page in a chip, unless decoding takes longer.
    pub matching: SimSpan,
    /// Time of an iteration of a chip's decoder over a sub-page.
    pub iteration: SimSpan,
    /// Bytes of a chip's tables.
    pub table_bytes: u32,
    /// Pages with something to send that a chip keeps.
    pub out_pages: u32,
    /// Bytes of the answer on a page without a match.
    pub answer_bytes: u32,
    /// Bytes of a head.
    pub head_bytes: u32,
    /// At which one of the controller's accelerators decodes and matches data.
    pub controller_rate: Rate,
    /// How many it has.
    pub accelerators: u32,
    /// At which the host does.
    pub host_rate: Rate,
    /// Of the host link.
    pub link_rate: Rate,
    /// What the drive's parts take.
    pub power: PowerSettings,
    /// What searching takes.
    pub parts: PifPower,
    /// What a chip may hold and take.
    pub limits: ChipLimits,
}

/// What searching takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PifPower {
    /// A chip's decoder at work.
    pub decoder_mw: f64,
    /// A chip's matcher at work.
    pub matcher_mw: f64,
    /// The controller's decoder and matcher, for each byte of data.
    pub controller_pj_per_byte: f64,
    /// The host while it searches.
    pub host_mw: f64,
}

/// Areas of a chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipLimits {
    /// Of its decoder.
    pub decoder_mm2: f64,
    /// Of its matcher.
    pub matcher_mm2: f64,
    /// Free for both.
    pub free_mm2: f64,
}
