//! Parameters and settings of searches.
//!
//! # Parameters
//! `search`

use venice_kernel::{Rate, SimSpan};
use venice_nand::functions::{
    ChipFunction, FunctionOutput, FunctionParameters, LogicParameters, REFERENCE_BYTES, TABLE_PATTERNS,
};
use venice_params::{Conflict, ParameterKind, choices, declare, one_of};
use venice_requests::MOST_PATTERN_SETS;

/// Maximum number of pattern sets that the drive file may define.
const MAX_SETS: usize = MOST_PATTERN_SETS as usize;

/// Part of the system that searches pages: chips, controller or host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchLocation {
    /// The chips that hold the pages search (`PiF`).
    Chips,
    /// The drive's controller searches (`PiS`).
    Controller,
    /// The host searches.
    Host,
}

impl SearchLocation {
    /// All locations at which pages can be searched.
    pub const ALL: [Self; 3] = [Self::Chips, Self::Controller, Self::Host];

    /// Returns the name of the location in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chips => "pif",
            Self::Controller => "pis",
            Self::Host => "host",
        }
    }
}

choices! {
    SearchLocation, "location of searches": "pif" => Chips, "pis" => Controller, "host" => Host;
}

declare! {
    /// Parameters of searches, which are requests for the pages of a range that contain one of some patterns.
    ///
    /// Times, sizes and power of the search are parameters of `pif`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SearchParameters in "search." {
        /// Part of the system that searches pages for patterns.
        ///
        /// `pif`: in the chips. `pis`: in the controller. `host`: in the host.
        location: SearchLocation = one_of::<SearchLocation>(), unit "", default "pif",
            source "Chun et al., PiF, HotStorage 2022 (pif and pis)";
        /// Function that is computed on each page of a search, by the part that `location` selects.
        function: ChipFunction = one_of::<ChipFunction>(), unit "", default "match",
            source "Chun et al., PiF, HotStorage 2022 (match); ours (all others)";
        /// Share of pages with a match, for the function `match`.
        ///
        /// One value, or a list with one value per pattern set. A search names its set by number, from 0. Matches are drawn
        /// for each set and page from `run.seed`, so all locations and fabrics find the same pages.
        match_pct: Vec<f64> = ParameterKind::Numbers { min: 0.0, max: 100.0, max_len: MAX_SETS }, unit "%", default "6.3",
            source "Chun et al., PiF, HotStorage 2022, §3.3: grep; 16.7 for SQL_Query";
        /// Number of patterns in a set, for the function `match`.
        ///
        /// One value for every set, or a list with one value per pattern set. The tables of a chip contain up to 8 patterns;
        /// a set with more patterns needs further passes over the pages that have not matched.
        patterns: Vec<f64> = ParameterKind::Numbers { min: 1.0, max: 64.0, max_len: MAX_SETS }, unit "patterns", default "1",
            source "assumed; Chun et al., PiF, HotStorage 2022: 8 patterns per pass";
        with logic: LogicParameters;
        with functions: FunctionParameters;
    }
}

impl SearchParameters {
    /// Returns the pattern sets of the drive. If the lists of parameters differ in length, the last value of
    /// a shorter list applies to all further sets. The method may thus be called before [`Self::conflict`]
    /// has checked the lists.
    pub fn pattern_sets(&self) -> Vec<PatternSet> {
        let of = |list: &[f64], set: usize| list[set.min(list.len() - 1)];
        let set = |set| PatternSet {
            match_ratio: of(&self.match_pct, set) / 100.0,
            patterns: of(&self.patterns, set) as u32,
        };
        (0..self.match_pct.len().max(self.patterns.len())).map(set).collect()
    }

    /// Returns a conflict if the lists of the pattern sets' parameters differ in length, or if a set has a
    /// fractional number of patterns.
    pub fn conflict(&self) -> Option<Conflict> {
        let (shares, counts) = (self.match_pct.len(), self.patterns.len());
        if let Some(count) = self.patterns.iter().find(|count| count.fract() != 0.0) {
            return Some(Conflict {
                keys: &["search.patterns"],
                message: format!("a pattern set has {count} patterns"),
                note: Some("expected: whole numbers from 1 to 64".to_owned()),
            });
        }
        if shares == counts || shares == 1 || counts == 1 {
            return None;
        }
        Some(Conflict {
            keys: &["search.match_pct", "search.patterns"],
            message: format!("`match_pct` has {shares} pattern sets, but `patterns` has {counts}"),
            note: Some(
                "expected: lists of equal length, one number per pattern set, or a single number".to_owned(),
            ),
        })
    }
}

/// Set of patterns for which a search looks in pages. A simulated drive stores no data, so a set consists of
/// numbers only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternSet {
    /// Probability of a match in a page.
    pub match_ratio: f64,
    /// Number of patterns, at least 1.
    pub patterns: u32,
}

impl PatternSet {
    /// Returns the number of passes over the pages that a matcher needs for all patterns of the set.
    pub const fn passes(&self) -> u16 {
        self.patterns.div_ceil(TABLE_PATTERNS) as u16
    }
}

/// Settings of searches: the location, the function, the pattern sets, and the times and sizes of the parts
/// involved.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Part of the system that searches pages for patterns.
    pub location: SearchLocation,
    /// Function that is computed on each page.
    pub function: ChipFunction,
    /// Type of the data that the function returns: matching pages, or results for pages or chips.
    pub output: FunctionOutput,
    /// Pattern sets of the drive; at least one.
    pub pattern_sets: Vec<PatternSet>,
    /// Time in which a chip decodes 16 KiB of data and computes the function on them.
    pub matching: SimSpan,
    /// Size of the tables or operands that a chip receives for a search, in bytes.
    pub table_bytes: u32,
    /// Size of a chip's answer for a page, in bytes.
    pub answer_bytes: u32,
    /// Size of the first bytes of a page (head) that are sent to find matches across the boundary to the previous
    /// page, in bytes.
    pub head_bytes: u32,
    /// Size of a page of 16 KiB together with its error-correcting code, as transferred over the fabric, in
    /// bytes.
    pub raw_page_bytes: u32,
    /// Capacity of a chip's output register, in pages.
    pub output_pages: u32,
    /// Rate at which one matcher of the controller processes data.
    pub controller_rate: Rate,
    /// Number of matchers in the controller.
    pub controller_matchers: u32,
    /// Rate at which the host searches.
    pub host_rate: Rate,
    /// Power of a chip's active decoder and function unit, in milliwatts.
    pub chip_mw: f64,
    /// Area of a chip's decoder and function unit, in mm².
    pub chip_mm2: f64,
    /// Energy of the controller's matchers, in picojoules per byte.
    pub controller_pj_per_byte: f64,
    /// Power of the host while it searches, in milliwatts.
    pub host_mw: f64,
}

impl SearchSettings {
    /// Returns the time in which a chip decodes `bytes` bytes of data and computes the function on them.
    pub const fn matching_time(&self, bytes: u32) -> SimSpan {
        SimSpan::from_ps(self.matching.as_ps() * bytes as u64 / REFERENCE_BYTES as u64)
    }

    /// Returns the size of `bytes` data bytes together with their error-correcting code, in bytes.
    pub const fn raw_bytes(&self, bytes: u32) -> u32 {
        (self.raw_page_bytes as u64 * bytes as u64 / REFERENCE_BYTES as u64) as u32
    }

    /// Returns the size of the result that is sent to the host after the last page of a search, in bytes.
    pub fn final_result_bytes(&self) -> u32 {
        match self.output {
            FunctionOutput::PerChip { bytes } if self.location != SearchLocation::Host => bytes,
            _ => 0,
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the expected values are exact")]
mod tests {
    use super::*;

    fn parameters(match_pct: &[f64], patterns: &[f64]) -> SearchParameters {
        SearchParameters {
            match_pct: match_pct.to_vec(),
            patterns: patterns.to_vec(),
            ..SearchParameters::default()
        }
    }

    #[test]
    fn single_value_applies_to_all_sets() {
        let sets = |match_pct: &[f64], patterns: &[f64]| {
            let sets = parameters(match_pct, patterns).pattern_sets();
            sets.iter().map(|set| (set.match_ratio, set.patterns)).collect::<Vec<_>>()
        };
        assert_eq!(sets(&[50.0], &[1.0]), [(0.5, 1)]);
        assert_eq!(sets(&[50.0, 25.0], &[9.0]), [(0.5, 9), (0.25, 9)]);
        assert_eq!(sets(&[50.0], &[1.0, 64.0]), [(0.5, 1), (0.5, 64)]);
        assert_eq!(sets(&[50.0, 25.0], &[1.0, 64.0]), [(0.5, 1), (0.25, 64)]);
    }

    #[test]
    fn lists_of_different_lengths_and_fractions_of_patterns_are_conflicts() {
        let fits = |match_pct: &[f64], patterns: &[f64]| parameters(match_pct, patterns).conflict().is_none();
        assert!(fits(&[1.0], &[2.0, 3.0]) && fits(&[1.0, 2.0], &[3.0]) && fits(&[1.0, 2.0], &[3.0, 4.0]));
        assert!(!fits(&[1.0, 2.0], &[3.0, 4.0, 5.0]));
        assert!(!fits(&[1.0], &[1.5]));
    }

    #[test]
    fn set_needs_one_pass_for_each_eight_patterns() {
        let passes = |patterns| PatternSet { match_ratio: 0.0, patterns }.passes();
        assert_eq!([1, 8, 9, 16, 17, 64].map(passes), [1, 1, 2, 2, 3, 8]);
    }
}
