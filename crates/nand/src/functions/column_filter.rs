//! Column filter: returns some columns of the records that a predicate selects.
//!
//! # How
//! Two comparators test a 4-byte field of each record against bounds, as for a [bitmap](super::bitmap). A register
//! collects the requested columns of the record. The result of a page has the mean size:
//!
//! ```text
//! bytes = records in a page × share of selected records × size of the requested columns
//! ```
//!
//! # What is left out
//! Differences between pages in the number of selected records.
//!
//! # Source
//! Ours; power and area from [`LogicParameters`](super::LogicParameters).
//!
//! # Parameters
//! `search.column_filter_*`

use venice_kernel::Rate;
use venice_params::{declare, number, whole, wire_rate};

use super::logic::Circuits;
use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

/// Bounds and field, of four bytes each.
const OPERAND_BYTES: u32 = 3 * 4;

declare! {
    /// Parameters of the chip function `column_filter`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ColumnFilterParameters in "search." {
        /// Size of a record, for the function `column_filter`.
        record_bytes as column_filter_record_bytes: u32 = whole(8, 4096), unit "bytes", default "128",
            source "assumed: about a row of TPC-H's table lineitem";
        /// Size of the returned columns of a record, for the function `column_filter`.
        ///
        /// At most the size of the record, `column_filter_record_bytes`.
        column_bytes as column_filter_column_bytes: u32 = whole(1, 4096), unit "bytes", default "16",
            source "assumed: two columns of 8 bytes, as TPC-H query 6 reads";
        /// Share of records that the predicate selects, for the function `column_filter`.
        selected_pct as column_filter_selected_pct: f64 = number(0.0, 100.0), unit "%", default "2",
            source "assumed: about the share of TPC-H query 6";
        /// Size of the setup data that each chip receives for `column_filter`: bounds and positions of
        /// the columns.
        setup_bytes as column_filter_setup_bytes: u32 = whole(0, 65_536), unit "bytes", default "32",
            source "assumed: two bounds of 4 bytes, offset and length of three columns";
        /// Rate at which one of the controller's `pif.accelerators` filters records, for `column_filter`.
        controller_rate as column_filter_controller_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: one byte a cycle, as `pif.controller_rate_mb_per_s`";
        /// Rate at which the host filters records, for `column_filter`.
        host_rate as column_filter_host_mb_per_s: Rate = wire_rate(), unit "MB/s", default "4000",
            source "assumed: as fast as a search, `pif.host_rate_mb_per_s`";
    }
}

/// Selection of records, and of some of their columns.
#[derive(Debug)]
pub struct ColumnFilter;

impl FunctionModel for ColumnFilter {
    type Parameters = ColumnFilterParameters;

    fn design(own: &ColumnFilterParameters, chip: &ChipBasis) -> FunctionDesign {
        let columns = own.column_bytes;
        let circuits = Circuits { adders: 2, register_bytes: OPERAND_BYTES + columns, ..Circuits::default() };
        let selected = f64::from(chip.records(own.record_bytes)) * own.selected_pct / 100.0;
        FunctionDesign {
            page_time: chip.page_time(1),
            setup_bytes: own.setup_bytes,
            output: FunctionOutput::PerPage { bytes: (selected * f64::from(columns)).ceil() as u32 },
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
    fn page_returns_the_columns_of_selected_records() {
        let bytes = |selected_pct, column_bytes| {
            let defaults = ColumnFilterParameters::of_defaults();
            let own = ColumnFilterParameters { column_bytes, selected_pct, ..defaults };
            ColumnFilter::design(&own, &paper_chip()).output
        };
        // 128 records, of which 2 % are 2.56 records of 16 bytes.
        assert_eq!(bytes(2.0, 16), FunctionOutput::PerPage { bytes: 41 });
        assert_eq!(bytes(0.0, 16), FunctionOutput::PerPage { bytes: 0 });
        assert_eq!(bytes(100.0, 128), FunctionOutput::PerPage { bytes: 16_384 });
    }
}
