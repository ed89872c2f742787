//! Comparison of searches with drawn outcomes with searches of known data that have the same outcomes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_host::testkit::{Script, pages};
use venice_kernel::SimTime;
use venice_nand::geometry::Lpn;
use venice_pif::search_run::{SearchLocation, SearchPage, SearchPhase, time_search};
use venice_requests::{Flow, LoopMode, Op, SECTOR_BYTES};
use venice_sim::assembly::{RunOptions, Simulation};

const PAGES: u32 = 40_000;

/// Returns the times of the same search with drawn and with known outcomes, in µs. The drive is that of the paper
/// with `chips` chips on each of its four channels.
fn times_us(chips: u32, location: SearchLocation, match_pct: f64) -> (f64, f64) {
    let sets = [
        format!("array.cols={chips}"),
        format!("flash.blocks_per_plane={}", 8192 / chips),
        format!("search.location=\"{}\"", location.name()),
        format!("search.match_pct={match_pct}"),
    ];
    let drive = venice_config::load("pif", None, &sets, None).unwrap_or_else(|error| panic!("{error}"));
    let settings = drive.settings();
    let sectors = settings.geometry.page_bytes / SECTOR_BYTES;
    let request = pages(Op::Search, 0, PAGES * sectors / 8, SimTime::ZERO);
    let flow = Flow::new(Box::new(Script::new(vec![request])), LoopMode::Open);
    let mut simulation = Simulation::new(settings, vec![flow], RunOptions::default()).unwrap();
    simulation.run().unwrap_or_else(|error| panic!("{error}"));
    let ftl = simulation.device().ftl();
    let page = |number| SearchPage {
        number,
        matched: ftl.matching_pass(0, Lpn(number)).is_some(),
        passes: 1,
        ..SearchPage::default()
    };
    let phase = SearchPhase { passes: 1, pages: (0..PAGES).map(page).collect() };
    let known = time_search(&drive.pif(), location, &[phase]).unwrap_or_else(|error| panic!("{error}"));
    let recorder = simulation.device().recorder();
    let begin = recorder.first_request.unwrap();
    (recorder.last_completion.since(begin).as_us(), known.time.as_us())
}

#[test]
fn search_with_drawn_outcomes_takes_the_time_of_one_with_the_same_known_outcomes() {
    for chips in [8, 32] {
        for match_pct in [6.3, 16.7] {
            for location in SearchLocation::ALL {
                let (drawn_us, known_us) = times_us(chips, location, match_pct);
                let ratio = drawn_us / known_us;
                let told = format!("{chips} chips, {match_pct} %, {}: {ratio:.4}", location.name());
                assert!((ratio - 1.0).abs() < 0.001, "{told}");
            }
        }
    }
}
