//! Top-k: returns the records with the largest keys.
//!
//! # How
//! A chip keeps k entries, each a 4-byte key with the identifier of its record, in a sorted shift register. The
//! key of a record is compared with all entries at once, and the entries are shifted once for each record. The
//! chip returns its entries after its last page of a search; the controller merges those of all chips.
//!
//! # Source
//! Ours; power and area from [`LogicParameters`](super::LogicParameters).
//!
//! # Parameters
//! `search.top_k_*`

use venice_kernel::Rate;
use venice_params::{declare, whole, wire_rate};

use super::logic::Circuits;
use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

declare! {
    /// Parameters of the chip function `top_k`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TopKParameters in "search." {
        /// Number of entries that the function `top_k` returns (k).
        entries as top_k_entries: u32 = whole(1, 256), unit "entries", default "16", source "assumed";
        /// Size of an entry of `top_k`: key and identifier of its record.
        entry_bytes as top_k_entry_bytes: u32 = whole(4, 16), unit "bytes", default "12",
            source "assumed: a key of 4 bytes and an identifier of 8";
        /// Size of a record, for the function `top_k`.
        record_bytes as top_k_record_bytes: u32 = whole(8, 4096), unit "bytes", default "64", source "assumed";
        /// Size of the setup data that each chip receives for the function `top_k`: the position of the
        /// key.
        setup_bytes as top_k_setup_bytes: u32 = whole(0, 65_536), unit "bytes", default "8",
            source "assumed: offset and length of the key";
        /// Rate at which one of the controller's `pif.accelerators` finds the largest keys, for the
        /// function `top_k`.
        controller_rate as top_k_controller_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: one byte a cycle, as `pif.controller_rate_mb_per_s`";
        /// Rate at which the host finds the largest keys, for the function `top_k`.
        host_rate as top_k_host_mb_per_s: Rate = wire_rate(), unit "MB/s", default "8000",
            source "assumed: as fast as the host link; few keys change the list";
    }
}

/// Selection of the records with the largest keys.
#[derive(Debug)]
pub struct TopK;

impl FunctionModel for TopK {
    type Parameters = TopKParameters;

    fn design(own: &TopKParameters, chip: &ChipBasis) -> FunctionDesign {
        let bytes = own.entries * own.entry_bytes;
        let circuits = Circuits { adders: own.entries, register_bytes: bytes, ..Circuits::default() };
        FunctionDesign {
            page_time: chip.page_time(1),
            setup_bytes: own.setup_bytes,
            output: FunctionOutput::PerChip { bytes },
            power_mw: chip.logic.power_mw(circuits, own.record_bytes),
            area_mm2: chip.logic.area_mm2(circuits),
            controller_rate: own.controller_rate,
            host_rate: own.host_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_params::ParameterSet;

    use super::super::paper_chip;
    use super::*;

    #[test]
    fn top_k_returns_its_entries_once_for_each_chip() {
        let design = TopK::design(&TopKParameters::of_defaults(), &paper_chip());
        assert_eq!(design.output, FunctionOutput::PerChip { bytes: 192 });
        // (16 × 0.1 pJ + 192 × 0.04 pJ) at 409.6 MHz / 64; 16 × 137 µm² + 192 × 36 µm².
        assert!((design.power_mw - 0.059_392).abs() < 1e-9, "{design:?}");
        assert!((design.area_mm2 - 0.009_104).abs() < 1e-9, "{design:?}");
    }
}
