//! Bitmap: returns one bit for each record of a page, which is set if a field of the record is within bounds.
//!
//! # How
//! Two comparators test the 4-byte field of a record against a lower and an upper bound, once for each record. The
//! chip contains registers for both bounds and the field.
//!
//! # Source
//! Ours; power and area from [`LogicParameters`](super::LogicParameters).
//!
//! # Parameters
//! `search.bitmap_*`

use venice_kernel::Rate;
use venice_params::{declare, whole, wire_rate};

use super::logic::Circuits;
use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

/// Bounds and field, of four bytes each.
const OPERAND_BYTES: u32 = 3 * 4;

declare! {
    /// Parameters of the chip function `bitmap`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BitmapParameters in "search." {
        /// Size of a record, for the function `bitmap`.
        record_bytes as bitmap_record_bytes: u32 = whole(8, 4096), unit "bytes", default "64", source "assumed";
        /// Size of the setup data that each chip receives for the function `bitmap`: bounds of the value,
        /// and position of the field.
        setup_bytes as bitmap_setup_bytes: u32 = whole(0, 65_536), unit "bytes", default "16",
            source "assumed: two bounds of 4 bytes, offset and length of the field";
        /// Rate at which one of the controller's `pif.accelerators` tests records, for the function
        /// `bitmap`.
        controller_rate as bitmap_controller_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: one byte a cycle, as `pif.controller_rate_mb_per_s`";
        /// Rate at which the host tests records, for the function `bitmap`.
        host_rate as bitmap_host_mb_per_s: Rate = wire_rate(), unit "MB/s", default "8000",
            source "assumed: as fast as the host link, with vector instructions";
    }
}

/// Comparison of a field of each record with bounds.
#[derive(Debug)]
pub struct Bitmap;

impl FunctionModel for Bitmap {
    type Parameters = BitmapParameters;

    fn design(own: &BitmapParameters, chip: &ChipBasis) -> FunctionDesign {
        let circuits = Circuits { adders: 2, register_bytes: OPERAND_BYTES, ..Circuits::default() };
        FunctionDesign {
            page_time: chip.page_time(1),
            setup_bytes: own.setup_bytes,
            output: FunctionOutput::PerPage { bytes: chip.records(own.record_bytes).div_ceil(u8::BITS) },
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
    fn bitmap_has_one_bit_for_each_record() {
        let bytes = |record_bytes| {
            let own = BitmapParameters { record_bytes, ..BitmapParameters::of_defaults() };
            Bitmap::design(&own, &paper_chip()).output
        };
        assert_eq!(bytes(64), FunctionOutput::PerPage { bytes: 32 });
        assert_eq!(bytes(1000), FunctionOutput::PerPage { bytes: 2 });
    }
}
