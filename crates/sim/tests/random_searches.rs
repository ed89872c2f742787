//! Random searches of drives.

use proptest::prelude::*;
use venice_drive::ftl::{PatternSet, SearchLocation, SearchSettings};
use venice_drive::testkit::settings::paper_search;
use venice_kernel::SimSpan;
use venice_nand::functions::{ChipFunction, FunctionOutput};
use venice_requests::{HostRequest, Op};
use venice_sim::report::Report;

/// Returns a chip function with the data that it returns, for two fifths of the times of a page another one than
/// `match`. It is not drawn, so that the other settings of the random drives stay as they are.
fn function_of(matching_us: u64, bytes: u32) -> (ChipFunction, FunctionOutput) {
    match matching_us % 5 {
        0 => (ChipFunction::DotProduct, FunctionOutput::PerPage { bytes }),
        1 => (ChipFunction::TopK, FunctionOutput::PerChip { bytes: bytes + 1 }),
        _ => (ChipFunction::Match, FunctionOutput::MatchingPages),
    }
}

/// Numbers of patterns of random sets, which need 1 to 8 passes.
const PATTERNS: [u32; 5] = [1, 8, 9, 20, 64];

/// Returns one to three pattern sets, derived from other settings for the same reason.
fn pattern_sets(match_ratio: f64, matching_us: u64, answer_bytes: u32) -> Vec<PatternSet> {
    let set = |number: u32| PatternSet {
        match_ratio: match_ratio / f64::from(number + 1),
        patterns: PATTERNS[((answer_bytes + number) % 5) as usize],
    };
    (0..=(matching_us % 3) as u32).map(set).collect()
}

/// Generates settings of searches for two fifths of the drives.
pub fn search_options() -> impl Strategy<Value = Option<SearchSettings>> {
    let sizes = (prop_oneof![Just(0_u32), 1_u32..=6000], 0_u32..=64, 1_u32..=3, 1_u32..=4);
    let drawn = (prop::sample::select(&SearchLocation::ALL), 0.0..=1.0, 0_u64..=100, sizes);
    let settings = drawn.prop_map(|(location, match_ratio, matching_us, sizes)| {
        let (table_bytes, answer_bytes, output_pages, controller_matchers) = sizes;
        let (function, output) = function_of(matching_us, table_bytes);
        let matching = SimSpan::from_us(matching_us);
        SearchSettings {
            location,
            function,
            output,
            pattern_sets: pattern_sets(match_ratio, matching_us, answer_bytes),
            matching,
            table_bytes,
            answer_bytes,
            output_pages,
            controller_matchers,
            ..paper_search()
        }
    });
    prop::option::weighted(0.4, settings)
}

/// Converts some of the reads to searches for each pattern set in turn, if the drive has searches.
pub fn some_search(searches: Option<&SearchSettings>, mut requests: Vec<HostRequest>) -> Vec<HostRequest> {
    if let Some(settings) = searches {
        let reads = requests.iter_mut().filter(|request| request.op == Op::Read).step_by(4);
        for (request, set) in reads.zip((0..settings.pattern_sets.len() as u8).cycle()) {
            (request.op, request.pattern_set) = (Op::Search, set);
        }
    }
    requests
}

/// Checks that the outcomes of pages and the bytes of searches are consistent.
pub fn check_searches(report: &Report) {
    let Some(found) = &report.search else { return };
    let searched = [found.pages_matched, found.pages_not_matched, found.pages_computed];
    let outcomes = searched.iter().sum::<u64>() + found.pages_deallocated + found.pages_failed;
    assert_eq!(outcomes, found.pages, "{found:?}");
    if found.function == ChipFunction::Match.name() {
        assert_eq!((found.pages_computed, found.chip_results), (0, 0), "{found:?}");
    } else {
        assert_eq!((found.pages_matched, found.pages_not_matched), (0, 0), "{found:?}");
    }
    if found.location != SearchLocation::Chips.name() {
        assert_eq!((found.tables_sent, found.pages_failed_in_chips), (0, 0), "{found:?}");
    }
    assert!(found.searches >= report.requests.searches.unwrap_or(0), "{found:?}");
}
