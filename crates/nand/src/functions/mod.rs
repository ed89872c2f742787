//! Chip functions: computations on sensed pages, in the chips, in the controller or in the host.
//!
//! # Contract
//!
//! 1. [`FunctionModel::design`] derives a [`FunctionDesign`] from the parameters of the function and from
//!    the [`ChipBasis`]. The design contains all properties of the function that a drive uses.
//! 2. A page is computed while its chip decodes it, one sub-page after another. A function is therefore never
//!    faster than the decoder ([`ChipBasis::page_time`]).
//! 3. A function returns matching pages, a result for each page, or a result for each chip ([`FunctionOutput`]).
//!    The results of chips are merged by the controller, and cross the host link once for each search.
//! 4. Power and area are those of the function's unit in the chip, without the decoder.
//!
//! To add a function: write its file with [`FunctionModel`], and add its `mod` line and its line of the catalogue
//! below. Configuration, the check of the [budget] and the tests of drives then include the function.

mod bitmap;
pub mod budget;
mod column_filter;
mod count;
mod dot_product;
mod logic;
mod pattern_match;
mod top_k;

use venice_kernel::{Rate, SimSpan};
use venice_params::{ParameterSet, catalogue, choices, gather};

pub use logic::LogicParameters;
pub use pattern_match::TABLE_PATTERNS;

/// Size of the page to which times of chip functions apply, in bytes.
pub const REFERENCE_BYTES: u32 = 16 * 1024;

/// Data that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOutput {
    /// The pages with a match.
    MatchingPages,
    /// A result for each page, which is sent to the host.
    PerPage {
        /// Size of the result in bytes.
        bytes: u32,
    },
    /// A result for each chip, sent with the last page of a search on the chip. The controller merges the
    /// results to one of the same size, which is sent to the host.
    PerChip {
        /// Size of the result in bytes.
        bytes: u32,
    },
}

/// Properties of a chip function that a drive uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionDesign {
    /// Time in which a chip decodes and computes a page of 16 KiB.
    pub page_time: SimSpan,
    /// Size of the tables or operands that a chip receives before its first page of a search, in bytes.
    pub setup_bytes: u32,
    /// Data that the function returns.
    pub output: FunctionOutput,
    /// Power of the function's unit in a chip, in milliwatts.
    pub power_mw: f64,
    /// Area of the function's unit in a chip, in mm².
    pub area_mm2: f64,
    /// Data rate of one accelerator (decoder-matcher unit) of the controller.
    pub controller_rate: Rate,
    /// Rate at which the host computes the function on data.
    pub host_rate: Rate,
}

/// Properties of chip and drive from which a function is designed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChipBasis {
    /// Size of a page in bytes.
    pub page_bytes: u32,
    /// Time in which a chip decodes and matches a page of 16 KiB.
    pub matching: SimSpan,
    /// Size of the pattern matcher's tables in bytes.
    pub table_bytes: u32,
    /// Power of the pattern matcher in milliwatts.
    pub matcher_mw: f64,
    /// Area of the pattern matcher in mm².
    pub matcher_mm2: f64,
    /// Rate at which one matcher of the controller processes data.
    pub controller_rate: Rate,
    /// Rate at which the host matches data.
    pub host_rate: Rate,
    /// Clock and circuits of the chips' logic.
    pub logic: LogicParameters,
}

impl ChipBasis {
    /// Returns the time in which a chip decodes a page of 16 KiB and computes `lanes` bytes in each cycle.
    pub fn page_time(&self, lanes: u32) -> SimSpan {
        self.matching.max(self.logic.cycles(REFERENCE_BYTES.div_ceil(lanes)))
    }

    /// Returns the number of records of `record_bytes` bytes in a page. Records do not cross page boundaries.
    pub const fn records(&self, record_bytes: u32) -> u32 {
        self.page_bytes / record_bytes
    }
}

/// Design of a chip function; the module documentation states the contract.
pub trait FunctionModel {
    /// Parameters of the function; `()` if there are none.
    type Parameters: ParameterSet;

    /// Derives the properties of the function from its parameters and from the chip.
    fn design(own: &Self::Parameters, chip: &ChipBasis) -> FunctionDesign;
}

catalogue! {
    /// Computation that a flash chip can perform on its sensed pages.
    pub enum ChipFunction, match_kind!;

    pattern_match::PatternMatch: "match" => Match, "pages that contain one of some patterns";
    count::Count: "count" => Count, "number of occurrences of some patterns";
    bitmap::Bitmap: "bitmap" => Bitmap, "one bit for each record: true if a field is within bounds";
    top_k::TopK: "top_k" => TopK, "the k records with the largest keys";
    dot_product::DotProduct: "dot_product" => DotProduct, "product of each INT8 vector with a query vector";
    column_filter::ColumnFilter: "column_filter" => ColumnFilter, "some columns of the records that a predicate selects";

    => gather! {
        /// Parameters of all chip functions.
        pub struct FunctionParameters of FunctionModel
    }
}

choices! { kind ChipFunction, "chip function"; }

impl ChipFunction {
    /// Calls [`FunctionModel::design`] of the function.
    pub fn design(self, parameters: &FunctionParameters, chip: &ChipBasis) -> FunctionDesign {
        match_kind!(self, Model, own in parameters => Model::design(own, chip))
    }
}

/// Basis of the chip of Chun et al., `HotStorage` 2022, for tests.
#[cfg(test)]
pub(crate) fn paper_chip() -> ChipBasis {
    ChipBasis {
        page_bytes: REFERENCE_BYTES,
        matching: SimSpan::from_us(40),
        table_bytes: 5120,
        matcher_mw: 1.06,
        matcher_mm2: 0.07,
        controller_rate: Rate::from_mb_per_s(1200.0),
        host_rate: Rate::from_mb_per_s(4000.0),
        logic: LogicParameters::of_defaults(),
    }
}

#[cfg(test)]
mod tests {
    use super::budget::{ChipBudget, UnitCost};
    use super::*;

    #[test]
    fn every_default_design_fits_the_budget_of_the_paper_and_keeps_pace_with_the_decoder() {
        let budget = ChipBudget { read_mw: 160.0, program_mw: 180.0, free_mm2: 100.0 };
        for &function in ChipFunction::ALL {
            let design = function.design(&FunctionParameters::default(), &paper_chip());
            let unit = UnitCost { power_mw: 17.6 + design.power_mw, area_mm2: 0.78 + design.area_mm2 };
            assert_eq!(budget.excess(unit), None, "{function}: {design:?}");
            assert_eq!(design.page_time, SimSpan::from_us(40), "{function}");
            assert!(design.power_mw > 0.0 && design.area_mm2 > 0.0, "{function}");
        }
    }
}
