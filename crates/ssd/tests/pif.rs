//! Searching drives against closed forms, the paper's figures, and each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_ssd::config::{self, Resolved};
use venice_ssd::pif::{
    LimitError, PageWork, PifSettings, Place, SearchRunError, SearchTiming, draw_pages, time_search,
};

const T_READ_US: f64 = 45.0;
/// 16 codewords of 1,152 bytes at 1.2 GB/s.
const T_PAGE_US: f64 = 15.36;
const CHIPS: [u32; 5] = [4, 8, 16, 32, 64];
/// Selectivity of the paper's applications, grep and `SQL_Query`.
const APPLICATIONS: [f64; 2] = [0.063, 0.167];

fn drive(sets: &[&str]) -> Resolved {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    config::load("pif", None, &sets, None).unwrap_or_else(|error| panic!("{error}"))
}

/// One channel with so many chips.
fn channel(chips: u32) -> PifSettings {
    drive(&["array.rows=1", &format!("array.cols={chips}")]).pif()
}

fn run(settings: &PifSettings, place: Place, pages: &[PageWork]) -> SearchTiming {
    time_search(settings, place, pages).unwrap_or_else(|error| panic!("{error}"))
}

fn drawn(count: usize, selectivity: f64, failure: f64) -> Vec<PageWork> {
    draw_pages(count, selectivity, failure, 1)
}

/// Time for each page in the long run.
fn formula_us(chips: u32, sent: f64) -> f64 {
    (T_READ_US / f64::from(chips)).max(sent * T_PAGE_US)
}

fn sent(selectivity: f64, failure: f64) -> f64 {
    selectivity + (1.0 - selectivity) * failure
}

const PAGES: usize = 20_000;

/// `PiS` time over `PiF` time.
fn speed_up(chips: u32, selectivity: f64, failure: f64) -> f64 {
    let (settings, pages) = (channel(chips), drawn(PAGES, selectivity, failure));
    let time = |place| run(&settings, place, &pages).time.as_us();
    time(Place::Controller) / time(Place::Chips)
}

#[test]
fn the_papers_speed_ups_come_out_of_the_events() {
    let mut all = Vec::new();
    for selectivity in APPLICATIONS {
        for chips in CHIPS {
            let simulated = speed_up(chips, selectivity, 0.0);
            let formula = formula_us(chips, 1.0) / formula_us(chips, sent(selectivity, 0.0));
            let ratio = simulated / formula;
            assert!(
                (0.93..=1.01).contains(&ratio),
                "{chips} chips, {selectivity}: {simulated}, formula {formula}"
            );
            all.push(simulated);
        }
    }
    let most = all.iter().copied().fold(0.0, f64::max);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((15.0..=15.9).contains(&most), "{most}");
    assert!((5.4..=6.0).contains(&mean), "{mean}");
}

#[test]
fn the_papers_table_2_comes_out_of_the_events() {
    // Relative performance of 32 chips on a channel, mean of both applications.
    let mean = |failure: f64| {
        let relative = |s: &f64| speed_up(32, *s, failure) / speed_up(32, *s, 0.0);
        APPLICATIONS.iter().map(relative).sum::<f64>() / 2.0
    };
    for (failure, paper) in [(0.05, 0.83), (0.10, 0.63), (0.15, 0.51)] {
        let simulated = mean(failure);
        assert!((simulated - paper).abs() <= 0.03, "{failure}: {simulated}, the paper {paper}");
    }
}

#[test]
fn one_page_takes_command_sense_match_answer() {
    let settings = channel(1);
    let page = |matched| [PageWork { matched, ..PageWork::default() }];
    let us = |place, matched| run(&settings, place, &page(matched)).time.as_us();
    let (command, byte) = (0.01, 1.0 / 1200.0);
    let answer = command + 4.0 * byte;
    assert!((us(Place::Chips, false) - (command + 45.0 + 40.0 + answer)).abs() < 1e-3);
    let (data, controller, link) = (18_432.0 * byte, 16_384.0 * byte, 16_384.0 / 8000.0);
    let found = command + 45.0 + 40.0 + answer + data + controller + link;
    assert!((us(Place::Chips, true) - found).abs() < 1e-3);
    let elsewhere = command + 45.0 + command + data + controller;
    assert!((us(Place::Controller, false) - elsewhere).abs() < 1e-3);
    assert!((us(Place::Controller, true) - (elsewhere + link)).abs() < 1e-3);
    assert!((us(Place::Host, false) - (elsewhere + link + 16_384.0 / 4000.0)).abs() < 1e-3);
}

#[test]
fn matching_does_not_slow_a_chip_down_while_it_is_shorter_than_sensing() {
    for (t_match, per_page) in [("40", 45.0), ("45", 45.0), ("60", 60.0)] {
        let set = format!("pif.t_match_us={t_match}");
        let settings = drive(&["array.rows=1", "array.cols=1", &set]).pif();
        let pages = vec![PageWork::default(); 1000];
        let each = run(&settings, Place::Chips, &pages).time.as_us() / 1000.0;
        assert!((each / per_page - 1.0).abs() < 2e-3, "{t_match}: {each}");
    }
}

#[test]
fn moved_thresholds_cost_a_sense_and_a_transfer_each() {
    let settings = channel(1);
    let time = |extra_reads| {
        run(&settings, Place::Chips, &[PageWork { fails_in_chip: true, extra_reads, ..PageWork::default() }])
    };
    let (none, two, eight) = (time(0), time(2), time(8));
    assert_eq!([none, two.clone(), eight].map(|timing| timing.counters.senses), [1, 3, 9]);
    assert_eq!(two.counters.pages_sent, 3);
    // Both senses, of which the second overlaps the first one's transfer; the last transfer; a second decoding.
    let expected = 0.01 + 45.0 + 45.0 + 0.01 + T_PAGE_US + 16_384.0 / 1200.0;
    let more = two.time.as_us() - time(0).time.as_us();
    assert!((more - expected).abs() < 0.1, "{more}, expected {expected}");
}

#[test]
fn only_what_is_needed_crosses_the_channel_and_the_link() {
    let (settings, pages) = (channel(8), drawn(1000, 0.1, 0.05));
    let matched = pages.iter().filter(|page| page.matched).count() as u64;
    let sent = pages.iter().filter(|page| page.matched || page.fails_in_chip).count() as u64;
    let [pif, pis, host] = Place::ALL.map(|place| run(&settings, place, &pages).counters);
    assert_eq!(pif.fabric_bytes, sent * 18_432 + 1000 * 4);
    assert_eq!((pis.fabric_bytes, host.fabric_bytes), (1000 * 18_432, 1000 * 18_432));
    assert_eq!(
        [pif.link_bytes, pis.link_bytes, host.link_bytes],
        [matched, matched, 1000].map(|n| n * 16_384)
    );
    assert_eq!([pif.senses, pis.senses, host.senses], [1000; 3]);
}

#[test]
fn every_fabric_carries_a_search_and_none_of_equal_channels_beats_the_ideal_one() {
    let pages = drawn(4000, 0.167, 0.05);
    let time = |fabric: &str| {
        let settings = drive(&[&format!("fabric.name={fabric}")]).pif();
        run(&settings, Place::Chips, &pages).time.as_us()
    };
    let ideal = time("ideal");
    for fabric in ["bus", "pssd", "pnssd", "nossd", "venice"] {
        let time = time(fabric);
        // Channels of pSSD are twice as fast.
        assert!(
            time >= ideal || (fabric == "pssd" && time >= 0.9 * ideal),
            "{fabric}: {time}, ideal {ideal}"
        );
    }
}

#[test]
fn drawn_pages_have_exactly_the_shares_that_were_asked_for() {
    let pages = drawn(1000, 0.063, 0.1);
    let count = |is: fn(&PageWork) -> bool| pages.iter().filter(|page| is(page)).count();
    assert_eq!((pages.len(), count(|page| page.matched), count(|page| page.fails_in_chip)), (1000, 63, 94));
    assert_eq!(count(|page| page.matched && page.fails_in_chip), 0);
    assert_ne!(pages, draw_pages(1000, 0.063, 0.1, 2));
}

#[test]
fn energy_has_two_totals_that_differ_by_the_arrays() {
    let timing = run(&channel(4), Place::Chips, &drawn(100, 0.1, 0.0));
    let arrays = timing.energy.total_uj() - timing.energy.total_without_arrays_uj();
    // 160 mW for 45 µs.
    assert!((arrays - 100.0 * 7.2).abs() < 1e-6, "{arrays}");
    assert!((timing.energy.chips_uj - 100.0 * 18.66e-3 * 40.0).abs() < 1e-6, "{}", timing.energy.chips_uj);
}

#[test]
fn a_design_beyond_its_chip_is_refused() {
    let check = |sets: &[&str]| drive(sets).pif().check();
    assert_eq!(check(&[]), Ok(()));
    assert_eq!(check(&["pif.matcher_mw=18.94"]), Ok(()));
    let error = check(&["pif.matcher_mw=18.95"]).unwrap_err();
    assert!(matches!(error, LimitError::Power { .. }));
    assert_eq!(
        error.to_string(),
        "a chip that senses (160 mW), matches (18.95 mW) and decodes (1.06 mW) takes 180.01 mW, and programming, for which it is \
         built, 180 mW: lower `pif.matcher_mw` or `pif.decoder_mw`"
    );
    assert!(matches!(check(&["pif.matcher_mm2=99.6"]), Err(LimitError::Area { .. })));
    assert!(matches!(check(&["flash.planes_per_die=2"]), Err(LimitError::Planes { planes: 2 })));
    assert!(matches!(check(&["flash.page_bytes=4096"]), Err(LimitError::Page { bytes: 4096 })));
    let full =
        drive(&["array.rows=1", "array.cols=1", "flash.blocks_per_plane=64", "flash.pages_per_block=1"]);
    let refused = time_search(&full.pif(), Place::Chips, &[PageWork::default(); 65]);
    assert_eq!(refused, Err(SearchRunError::Capacity { pages: 65, has: 64 }));
    let refused = time_search(&drive(&["pif.free_mm2=1"]).pif(), Place::Host, &[]);
    assert!(matches!(refused, Err(SearchRunError::Limit(LimitError::Area { .. }))));
}

fn any_page() -> impl Strategy<Value = PageWork> {
    let extra_reads = prop_oneof![6 => Just(0_u8), 1 => Just(2), 1 => Just(8)];
    (any::<bool>(), prop::bool::weighted(0.2), extra_reads, any::<bool>(), prop::bool::weighted(0.1))
        .prop_map(|(matched, fails, extra_reads, asks_for_next_head, is_context)| PageWork {
            matched,
            fails_in_chip: fails || extra_reads > 0,
            extra_reads,
            asks_for_next_head,
            is_context,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_search_comes_to_an_end_and_senses_each_page(
        pages in prop::collection::vec(any_page(), 0..200),
        fabric in prop::sample::select(vec!["bus", "pssd", "pnssd", "nossd", "venice", "ideal"]),
        place in prop::sample::select(Place::ALL.to_vec()),
    ) {
        let settings = drive(&["array.rows=4", "array.cols=4", &format!("fabric.name={fabric}")]).pif();
        let timing = run(&settings, place, &pages);
        let again: u64 = pages.iter().map(|page| u64::from(page.extra_reads)).sum();
        let context = pages.iter().filter(|page| page.is_context && place != Place::Host).count();
        prop_assert_eq!(timing.counters.senses, (pages.len() + context) as u64 + again);
        let twice = run(&settings, place, &pages);
        prop_assert_eq!(timing, twice);
    }
}
