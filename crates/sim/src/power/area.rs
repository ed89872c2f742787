//! Board area of routers next to the chips, and of wires between routers.
//!
//! The computation follows Nadig et al., "Venice", ISCA 2023, §6.6, Table 4. A router takes 8 mm² next to
//! each chip of 100 mm², which is 8 %. A link takes 0.04 of the area of a shared channel. The 112 links of an
//! 8 × 8 mesh thus take the area of 112 × 0.04 = 4.48 channels, 44 % less than the 8 channels of the
//! baseline. Both values are for a width of eight bits and scale with the width. Area within flash dies is
//! not part of the board and is reported separately.

use venice_fabric::{DieRequirement, Wiring};
use venice_nand::geometry::Array;

use super::AreaSettings;

/// Board and die areas of a fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardArea {
    /// Area of all flash chips.
    pub chips_mm2: f64,
    /// Area of all routers on the board.
    pub routers_mm2: f64,
    /// Die area that all chips have in addition to the baseline's chips.
    pub die_overhead_mm2: f64,
    /// Area of the wires of channels and links, in units of one shared channel of the baseline.
    pub wires_in_channels: f64,
    /// Area of the baseline's wires for the same array, in the same unit. The baseline has one channel per
    /// row.
    pub baseline_wires_in_channels: f64,
}

impl BoardArea {
    /// Computes the areas of a fabric with the wires and routers `wiring` over the chip array `array`.
    pub fn of(array: Array, wiring: &Wiring, area: &AreaSettings) -> Self {
        let chips_mm2 = f64::from(array.chips()) * area.chip_mm2;
        let on_board =
            if wiring.dies == DieRequirement::WithRouters { 0.0 } else { wiring.routers_of_five_ports() };
        let die_pct = match wiring.dies {
            DieRequirement::AsBaseline => 0.0,
            DieRequirement::Packetised => area.packetised_die_pct,
            DieRequirement::WithRouters => area.buffered_router_die_pct,
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

    /// Returns the additional area of dies relative to the baseline, in %.
    pub fn die_overhead_pct(&self) -> f64 {
        self.die_overhead_mm2 / self.chips_mm2 * 100.0
    }

    /// Returns the area of the routers relative to the area of the chips, in %.
    pub fn routers_pct(&self) -> f64 {
        self.routers_mm2 / self.chips_mm2 * 100.0
    }

    /// Returns the reduction of wire area relative to the baseline, in %. It is negative if the wires take
    /// more area.
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
        // A 4 × 16 array has 60 + 48 = 108 links and 4 channels; a 16 × 4 array has 48 + 60 = 108 links and
        // 16 channels.
        assert!((mesh(4, 16).wires_saved_pct() - -8.0).abs() < 1e-9);
        assert!((mesh(16, 4).wires_saved_pct() - 73.0).abs() < 1e-9);
    }
}
