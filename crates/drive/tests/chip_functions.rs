//! Tests of chip functions: exact times of single pages at each location, and bytes of results.

use venice_drive::ftl::{SearchLocation, SearchSettings};
use venice_drive::testkit::settings::{one_pattern, paper_search};
use venice_fabric::{Direction, FabricKind};
use venice_host::testkit::pages;
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::functions::{ChipBasis, ChipFunction, FunctionParameters, LogicParameters};
use venice_nand::latency::Stage;
use venice_nand::testkit::COMMAND;
use venice_params::ParameterSet;
use venice_requests::{LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::report::SearchReport;
use venice_sim::testkit::drive::{run as run_and_report, small_drive};

use crate::timed_chip::{Bench, T_READ};

/// Size of a page in bytes.
const PAGE: u32 = 4096;
/// Size of a page with its code, in bytes.
const RAW: u32 = 4608;
const ANSWER: u32 = 4;

fn drive(kind: FabricKind, location: SearchLocation, function: ChipFunction) -> DriveSettings {
    let mut settings = small_drive(kind, 4, 4);
    let paper = paper_search();
    let basis = ChipBasis {
        page_bytes: PAGE,
        matching: paper.matching,
        table_bytes: paper.table_bytes,
        matcher_mw: 1.06,
        matcher_mm2: 0.07,
        controller_rate: paper.controller_rate,
        host_rate: paper.host_rate,
        logic: LogicParameters::of_defaults(),
    };
    let design = function.design(&FunctionParameters::default(), &basis);
    settings.ftl.search = SearchSettings {
        location,
        function,
        output: design.output,
        pattern_sets: one_pattern(0.0),
        matching: design.page_time,
        table_bytes: design.setup_bytes,
        controller_rate: design.controller_rate,
        host_rate: design.host_rate,
        ..paper
    };
    settings
}

/// Setup and result of a page of 4 KiB in bytes, and rate of the host in MB/s, with default parameters.
fn expected(function: ChipFunction) -> (u32, u32, f64) {
    match function {
        ChipFunction::Match => (5120, 0, 4000.0),
        ChipFunction::Count => (5120, 8, 4000.0),
        ChipFunction::Bitmap => (16, 8, 8000.0),
        ChipFunction::TopK => (8, 16 * 12, 8000.0),
        ChipFunction::DotProduct => (128, 32 * 4, 8000.0),
        // 32 records, of which 2 % are 0.64 records of 16 bytes.
        ChipFunction::ColumnFilter => (32, 11, 4000.0),
    }
}

#[test]
fn one_page_of_each_function_takes_the_closed_form_of_its_location_on_every_fabric() {
    let controller = Rate::from_mb_per_s(1200.0).time_for(u64::from(PAGE));
    for &kind in FabricKind::ALL {
        for &function in ChipFunction::ALL {
            let (setup, result, host_rate) = expected(function);
            let host = Rate::from_mb_per_s(host_rate).time_for(u64::from(PAGE));
            for (location, setup, sent, computing) in [
                (SearchLocation::Chips, setup, ANSWER + result, SimSpan::from_us(10)),
                (SearchLocation::Controller, 0, RAW, controller),
                (SearchLocation::Host, 0, RAW, host),
            ] {
                let settings = drive(kind, location, function);
                let bench = Bench::new(settings, 0);
                let command = bench.transfer(Direction::ToChip, COMMAND, setup);
                let out = bench.transfer(Direction::FromChip, SimSpan::ZERO, sent);
                let ran = bench.run(vec![bench.request(Op::Search, SimTime::ZERO)]);
                let told = format!("{kind}, {function}, {location:?}");
                assert_eq!(ran.latency(0), command + T_READ + computing + out, "{told}");
                assert_eq!(ran.stage(0, Stage::Decoding), computing, "{told}");
            }
        }
    }
}

/// Searches 160 pages on 16 chips twice, with two searches at a time.
fn two_searches(location: SearchLocation, function: ChipFunction) -> SearchReport {
    let settings = drive(FabricKind::Bus, location, function);
    let requests = vec![pages(Op::Search, 0, 160, SimTime::ZERO); 2];
    let report = run_and_report(&settings, LoopMode::Closed { depth: 2 }, requests).report;
    assert!(report.audit.is_some());
    report.search.unwrap_or_else(|| panic!("a run with searches reports them"))
}

#[test]
fn results_of_chips_are_sent_once_for_each_chip_and_search() {
    for function in [ChipFunction::Count, ChipFunction::TopK] {
        let (_, result, _) = expected(function);
        let result = u64::from(result);
        let found = two_searches(SearchLocation::Chips, function);
        assert_eq!((found.pages_computed, found.chip_results), (320, 32), "{function}");
        assert_eq!(found.bytes_from_chips, 320 * u64::from(ANSWER) + 32 * result, "{function}");
        assert_eq!(found.bytes_to_host, 2 * result, "{function}");
        let found = two_searches(SearchLocation::Controller, function);
        assert_eq!((found.bytes_from_chips, found.bytes_to_host), (320 * u64::from(RAW), 2 * result));
    }
}

#[test]
fn results_of_pages_cross_the_fabric_and_the_host_link() {
    for function in [ChipFunction::Bitmap, ChipFunction::DotProduct, ChipFunction::ColumnFilter] {
        let (_, result, _) = expected(function);
        let results = 320 * u64::from(result);
        let [chips, controller, host] =
            [SearchLocation::Chips, SearchLocation::Controller, SearchLocation::Host]
                .map(|location| two_searches(location, function));
        let raw = 320 * u64::from(RAW);
        assert_eq!((chips.bytes_from_chips, chips.bytes_to_host), (320 * 4 + results, results), "{function}");
        assert_eq!((controller.bytes_from_chips, controller.bytes_to_host), (raw, results), "{function}");
        assert_eq!((host.bytes_from_chips, host.bytes_to_host), (raw, 320 * u64::from(PAGE)), "{function}");
        assert_eq!((chips.pages_computed, chips.chip_results), (320, 0), "{function}");
    }
}
