//! Area on the drive's board: routers beside chips, and the wires between them.
//!
//! The paper's arithmetic (Nadig et al., "Venice", ISCA 2023, §6.6, Table 4): a router takes 8 mm² beside
//! each chip of 100 mm², which is 8 %; a link takes 0.04 of a shared channel's area, so the 112 links of
//! an 8 × 8 mesh take 112 × 0.04 = 4.48 channels where the baseline has 8: 44 % less. Both are of eight bits, and
//! grow with the width. What is built into the flash dies is no area on the board, and is told apart.

use crate::fabric::{Dies, Wiring};
use crate::geometry::Array;

use super::AreaSettings;

/// Areas of a fabric's parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardArea {
    /// All chips.
    pub chips_mm2: f64,
    /// All routers on the board.
    pub routers_mm2: f64,
    /// What all chips are larger by than the baseline's.
    pub die_overhead_mm2: f64,
    /// Wires of channels and links, in units of one shared channel of the baseline.
    pub wires_in_channels: f64,
    /// The same of the baseline with this array: one for each row.
    pub baseline_wires_in_channels: f64,
}

impl BoardArea {
    /// Of a fabric of this wiring over this array.
    pub fn of(array: Array, wiring: &Wiring, area: &AreaSettings) -> Self {
        let chips_mm2 = f64::from(array.chips()) * area.chip_mm2;
        let on_board = if wiring.dies == Dies::WithRouters { 0.0 } else { wiring.routers_of_five_ports() };
        let die_pct = match wiring.dies {
            Dies::AsBaseline => 0.0,
            Dies::Packetised => area.packetised_die_pct,
            Dies::WithRouters => area.buffered_router_die_pct,
        };
        let links = wiring.links_of_eight_bits() * area.link_per_channel;
        Self {
            chips_mm2,
            routers_mm2: on_board * area.router_mm2 * wiring.router_width(),
            die_overhead_mm2: chips_mm2 * die_pct / 100.0,
            wires_in_channels: wiring.channels_of_baseline() + links,
            baseline_wires_in_channels: f64::from(array.rows),
        }
    }

    /// What dies are larger by than the baseline's, in %.
    pub fn die_overhead_pct(&self) -> f64 {
        self.die_overhead_mm2 / self.chips_mm2 * 100.0
    }

    /// The routers' area as a share of the chips', in %.
    pub fn routers_pct(&self) -> f64 {
        self.routers_mm2 / self.chips_mm2 * 100.0
    }

    /// How much less area the wires take than the baseline's, in %; negative if more.
    pub fn wires_saved_pct(&self) -> f64 {
        (1.0 - self.wires_in_channels / self.baseline_wires_in_channels) * 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: AreaSettings = AreaSettings {
        chip_mm2: 100.0,
        router_mm2: 8.0,
        link_per_channel: 0.04,
        packetised_die_pct: 20.0,
        buffered_router_die_pct: 8.0,
    };

    fn mesh(rows: u32, cols: u32) -> BoardArea {
        let links = rows * (cols - 1) + cols * (rows - 1);
        let wiring = Wiring { links, routers: rows * cols, ..Wiring::default() };
        BoardArea::of(Array { rows, cols }, &wiring, &PAPER)
    }

    #[test]
    fn the_papers_mesh_has_44_percent_less_wire_and_8_percent_routers() {
        let area = mesh(8, 8);
        assert!((area.wires_in_channels - 4.48).abs() < 1e-12);
        assert!((area.wires_saved_pct() - 44.0).abs() < 1e-9);
        assert!((area.routers_pct() - 8.0).abs() < 1e-12);
    }

    #[test]
    fn few_rows_save_less_and_many_rows_more() {
        // 4 x 16: 60 + 48 = 108 links for 4 channels; 16 x 4: 48 + 60 = 108 links for 16 channels.
        assert!((mesh(4, 16).wires_saved_pct() - -8.0).abs() < 1e-9);
        assert!((mesh(16, 4).wires_saved_pct() - 73.0).abs() < 1e-9);
    }
}
