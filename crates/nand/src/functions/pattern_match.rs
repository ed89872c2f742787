//! Pattern matching: returns the pages that contain one of a set of patterns.
//!
//! # Source
//! Chun et al., "`PiF`: In-Flash Acceleration for Data-Intensive Applications", `HotStorage` 2022, §3.2, Table 1.
//!
//! # Parameters
//! `pif.t_match_us`, `pif.table_bytes`, `pif.matcher_mw`, `pif.matcher_mm2`, `search.match_pct`, `search.patterns`

use super::{ChipBasis, FunctionDesign, FunctionModel, FunctionOutput};

/// Maximum number of patterns in the tables of a chip: the number of bits of a partial match vector. A set with
/// more patterns is searched in several passes.
pub const TABLE_PATTERNS: u32 = 8;

/// Matcher of a set of patterns.
#[derive(Debug)]
pub struct PatternMatch;

impl FunctionModel for PatternMatch {
    type Parameters = ();

    fn design(_own: &(), chip: &ChipBasis) -> FunctionDesign {
        FunctionDesign {
            page_time: chip.matching,
            setup_bytes: chip.table_bytes,
            output: FunctionOutput::MatchingPages,
            power_mw: chip.matcher_mw,
            area_mm2: chip.matcher_mm2,
            controller_rate: chip.controller_rate,
            host_rate: chip.host_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimSpan;

    use super::super::paper_chip;
    use super::*;

    #[test]
    fn matcher_has_the_time_and_the_costs_of_the_paper() {
        let design = PatternMatch::design(&(), &paper_chip());
        assert_eq!((design.page_time, design.setup_bytes), (SimSpan::from_us(40), 5120));
        assert_eq!((design.power_mw, design.area_mm2), (1.06, 0.07));
        assert_eq!(design.output, FunctionOutput::MatchingPages);
    }
}
