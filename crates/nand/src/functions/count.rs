//! Count: returns the number of occurrences of some patterns.
//!
//! # How
//! The pattern matcher of the chip increments a 64-bit counter at each match: two 32-bit adders and a register of
//! eight bytes, in addition to the matcher. The chip returns the counter after its last page of a search.
//!
//! # Source
//! Matcher: Chun et al., `HotStorage` 2022. Counter: ours, from [`LogicParameters`](super::LogicParameters).
//!
//! # Parameters
//! `search.count_*`, `pif.t_match_us`, `pif.table_bytes`, `pif.matcher_mw`, `pif.matcher_mm2`

use venice_kernel::Rate;
use venice_params::{declare, wire_rate};

use super::logic::Circuits;
use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

/// Size of a counter in bytes.
const COUNTER_BYTES: u32 = 8;

declare! {
    /// Parameters of the chip function `count`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CountParameters in "search." {
        /// Rate at which one of the controller's `pif.accelerators` searches data to count matches.
        controller_rate as count_controller_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: one byte a cycle, as `pif.controller_rate_mb_per_s`";
        /// Rate at which the host searches data to count matches.
        host_rate as count_host_mb_per_s: Rate = wire_rate(), unit "MB/s", default "4000",
            source "assumed: as fast as a search, `pif.host_rate_mb_per_s`";
    }
}

/// Counter of pattern matches.
#[derive(Debug)]
pub struct Count;

impl FunctionModel for Count {
    type Parameters = CountParameters;

    fn design(own: &CountParameters, chip: &ChipBasis) -> FunctionDesign {
        let counter = Circuits { adders: 2, register_bytes: COUNTER_BYTES, ..Circuits::default() };
        FunctionDesign {
            page_time: chip.matching,
            setup_bytes: chip.table_bytes,
            output: FunctionOutput::PerChip { bytes: COUNTER_BYTES },
            power_mw: chip.matcher_mw + chip.logic.power_mw(counter, 1),
            area_mm2: chip.matcher_mm2 + chip.logic.area_mm2(counter),
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
    fn count_returns_one_counter_and_costs_little_more_than_the_matcher() {
        let design = Count::design(&CountParameters::of_defaults(), &paper_chip());
        assert_eq!(design.output, FunctionOutput::PerChip { bytes: 8 });
        // 2 × 0.1 pJ + 8 × 0.04 pJ at 409.6 MHz; 2 × 137 µm² + 8 × 36 µm².
        assert!((design.power_mw - 1.06 - 0.212_992).abs() < 1e-9, "{design:?}");
        assert!((design.area_mm2 - 0.07 - 562e-6).abs() < 1e-9, "{design:?}");
    }
}
