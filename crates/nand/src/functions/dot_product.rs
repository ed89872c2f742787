//! Dot product: returns the product of each INT8 vector of a page with a query vector.
//!
//! # How
//! Each lane multiplies one byte of a page by one byte of the query vector in each cycle, and adds the product to
//! a 32-bit accumulator. The query vector stays in a register of the chip. A page returns four bytes for each of
//! its vectors.
//!
//! # Source
//! Ours; power and area from [`LogicParameters`](super::LogicParameters).
//!
//! # Parameters
//! `search.dot_product_*`

use venice_kernel::Rate;
use venice_params::{declare, whole, wire_rate};

use super::logic::Circuits;
use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

/// Size of an accumulator, and of the product of two vectors, in bytes.
const PRODUCT_BYTES: u32 = 4;

declare! {
    /// Parameters of the chip function `dot_product`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DotProductParameters in "search." {
        /// Number of INT8 elements of a vector, for the function `dot_product`.
        ///
        /// The query vector, of the same size, is sent to each chip.
        elements as dot_product_elements: u32 = whole(16, 4096), unit "elements", default "128",
            source "assumed: as the vectors of the public data set SIFT1B";
        /// Number of multipliers of a chip, for the function `dot_product`.
        ///
        /// With one lane and the default values, the computation takes as long for each page as its
        /// decoding.
        lanes as dot_product_lanes: u32 = whole(1, 4096), unit "lanes", default "1",
            source "assumed: one byte per cycle, as the decoder";
        /// Rate at which one of the controller's `pif.accelerators` multiplies vectors, for the function
        /// `dot_product`.
        controller_rate as dot_product_controller_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: one byte a cycle, as `pif.controller_rate_mb_per_s`";
        /// Rate at which the host multiplies vectors, for the function `dot_product`.
        host_rate as dot_product_host_mb_per_s: Rate = wire_rate(), unit "MB/s", default "8000",
            source "assumed: as fast as the host link, with vector instructions";
    }
}

/// Multiplication of the vectors of a page by a query vector.
#[derive(Debug)]
pub struct DotProduct;

impl FunctionModel for DotProduct {
    type Parameters = DotProductParameters;

    fn design(own: &DotProductParameters, chip: &ChipBasis) -> FunctionDesign {
        let lanes =
            Circuits { adders: own.lanes, multipliers: own.lanes, register_bytes: own.lanes * PRODUCT_BYTES };
        let with_vector = Circuits { register_bytes: lanes.register_bytes + own.elements, ..lanes };
        FunctionDesign {
            page_time: chip.page_time(own.lanes),
            setup_bytes: own.elements,
            output: FunctionOutput::PerPage { bytes: chip.records(own.elements) * PRODUCT_BYTES },
            power_mw: chip.logic.power_mw(lanes, 1),
            area_mm2: chip.logic.area_mm2(with_vector),
            controller_rate: own.controller_rate,
            host_rate: own.host_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimSpan;
    use venice_params::ParameterSet;

    use super::super::{LogicParameters, paper_chip};
    use super::*;

    #[test]
    fn page_returns_four_bytes_for_each_vector_and_the_query_vector_is_sent() {
        let design = DotProduct::design(&DotProductParameters::of_defaults(), &paper_chip());
        assert_eq!((design.setup_bytes, design.output), (128, FunctionOutput::PerPage { bytes: 512 }));
        // 0.2 pJ + 0.1 pJ + 4 × 0.04 pJ at 409.6 MHz; 282 µm² + 137 µm² + 132 × 36 µm².
        assert!((design.power_mw - 0.188_416).abs() < 1e-9, "{design:?}");
        assert!((design.area_mm2 - 0.005_171).abs() < 1e-9, "{design:?}");
    }

    #[test]
    fn slow_clock_needs_more_lanes_to_keep_pace_with_the_decoder() {
        let logic = LogicParameters { clock_mhz: 102.4, ..LogicParameters::of_defaults() };
        let time_us = |lanes| {
            let own = DotProductParameters { lanes, ..DotProductParameters::of_defaults() };
            DotProduct::design(&own, &super::ChipBasis { logic, ..paper_chip() }).page_time
        };
        assert_eq!([1, 2, 4, 8].map(time_us), [160, 80, 40, 40].map(SimSpan::from_us));
    }
}
